# SPDX-License-Identifier: MIT
import sys
from pathlib import Path

for folder in ("lib", "fakeaws"):
    sys.path.insert(0, str(Path(__file__).resolve().parent / folder))
