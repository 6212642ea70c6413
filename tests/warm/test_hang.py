# SPDX-License-Identifier: MIT
"""A read that does not come back holds up nothing else: not the other reads, not the daemon."""

import signal
import time
from pathlib import Path

import pytest

from ebswarm import DEADLINE_SEC, wait_until

KIB, MIB = 1 << 10, 1 << 20
SIZE = 64 * MIB
GRANULE = 512 * KIB
FAST = {"first_touch_median": "2ms", "fetch_slots": 256}
ENGINES = ["io_uring", "threads"]
STUCK = 24 * MIB
STALLED_SEC = 10  # from this age on a read is said to be stalled


def configure(ebswarm, engine):
    # Blocks of a granule: what hangs is that granule alone.
    ebswarm.configure(f"[Warm]\nEngine={engine}\nBlockSize=512K\n"
                      "[Check]\nBefore=no\nAfter=no\n[Checkpoint]\nInterval=1s\n")


@pytest.fixture
def unmerged(cold):
    """A volume's reads come to it as they are sent: else the kernel may join the one that hangs with
    its neighbour, which then hangs too."""
    volume = cold(size=SIZE, **FAST)
    nomerges = Path(f"/sys/block/{Path(volume.device).name}/queue/nomerges")
    before = nomerges.read_text()
    nomerges.write_text("2")
    yield volume
    nomerges.write_text(before)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_place_hangs_and_all_else_goes_on(ebswarm, unmerged, engine):
    volume = unmerged
    volume.hang(STUCK, GRANULE)
    configure(ebswarm, engine)
    ebswarm.start(volume.device, environment={"WATCHDOG_USEC": "2000000"})
    ebswarm.wait_until(lambda v: v["warm_bytes"] == SIZE - GRANULE, "all else is read")
    assert volume.unread() == [(STUCK, GRANULE)]
    wait_until(lambda: ebswarm.warm_ranges() == [(0, STUCK), (STUCK + GRANULE, SIZE)],
               "all else is in the checkpoint")

    ebswarm.wait_until(lambda v: v["stalled_sec"] >= STALLED_SEC, "it is shown as stalled")
    fed = ebswarm.notify.count("WATCHDOG=1")
    assert fed > 0
    start = time.monotonic()
    stalled_sec = ebswarm.volume()["stalled_sec"]
    assert time.monotonic() - start < 1
    ebswarm.wait_until(lambda v: v["stalled_sec"] > stalled_sec, "its age grows")
    wait_until(lambda: ebswarm.notify.count("WATCHDOG=1") > fed, "the watchdog is fed meanwhile")
    said = f"a read at offset {STUCK} has not come back for {STALLED_SEC} s"
    wait_until(lambda: said in ebswarm.log(), "it is said")

    volume.clear_faults()
    status = ebswarm.wait_state("warm")
    assert status["stalled_sec"] == 0
    assert volume.unread() == []
    assert volume.record()["reread_bytes"] == 0


def has_ended(process):
    """All that a process can do: its threads that wait in a read stay until the kernel has it back,
    and so long nobody gets its exit status."""
    stat = Path(f"/proc/{process.pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("engine", ENGINES)
def test_sigterm_is_obeyed_while_everything_hangs(ebswarm, unmerged, engine):
    volume = unmerged
    volume.hang(SIZE // 2, SIZE // 2)
    configure(ebswarm, engine)
    # What the kernel still reads for a process that ends is not to be freed by it.
    ebswarm.start(volume.device, environment={"ASAN_OPTIONS": "detect_leaks=0"})
    ebswarm.wait_until(lambda v: v["warm_bytes"] == SIZE // 2 and v["in_flight"] > 0,
                       "all reads hang")
    start = time.monotonic()
    ebswarm.process.send_signal(signal.SIGTERM)
    wait_until(lambda: has_ended(ebswarm.process), "it has ended")
    assert time.monotonic() - start < 2.5  # 2 s, and what ending a process takes
    assert ebswarm.warm_ranges() == [(0, SIZE // 2)]
    assert volume.unread() == [(SIZE // 2, SIZE // 2)]
    volume.clear_faults()
    assert ebswarm.process.wait(DEADLINE_SEC) == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_one_volume_that_hangs_does_not_stop_the_other(ebswarm, cold, engine):
    stuck, other = cold(size=SIZE, **FAST), cold(size=SIZE, **FAST)
    stuck.hang()
    configure(ebswarm, engine)
    ebswarm.start(stuck.device)
    ebswarm.wait_until(lambda v: v["in_flight"] > 0, "it hangs")
    (ebswarm.configuration / "ebswarm.conf.d").mkdir()
    (ebswarm.configuration / "ebswarm.conf.d" / "other.conf").write_text(
        f"[Volume other]\nDevice={other.device}\n")
    ebswarm.reload()
    wait_until(lambda: ebswarm.volumes()[other.device]["state"] == "warm", "the other is warm")
    assert other.unread() == []
    assert ebswarm.volumes()[stuck.device]["state"] == "warming"
    stuck.clear_faults()
    wait_until(lambda: ebswarm.volumes()[stuck.device]["state"] == "warm", "both are warm")
    assert stuck.unread() == []
