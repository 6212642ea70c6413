# SPDX-License-Identifier: MIT
import pytest

import coldvol
import ebswarm as lib


@pytest.fixture(autouse=True)
def _needs_a_cold_volume():
    reason = coldvol.why_not()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def ebswarm():
    with lib.Ebswarm() as instance:
        yield instance


@pytest.fixture
def cold():
    """Makes cold volumes; afterwards each is taken down, and none may have been written to."""
    volumes = []

    def make(**keys):
        volume = coldvol.ColdVolume(**keys).up()
        volumes.append(volume)
        return volume

    yield make
    writes = []
    for volume in volumes:
        if volume.folder.exists():
            writes.append(volume.record()["writes"])
            volume.down()
    assert all(n == 0 for n in writes)
