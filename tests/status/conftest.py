# SPDX-License-Identifier: MIT
from status_server import server, warming  # noqa: F401
