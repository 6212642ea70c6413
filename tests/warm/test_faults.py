# SPDX-License-Identifier: MIT
"""What cannot be read costs exactly itself, is told, and is tried again."""

import pytest

from ebswarm import wait_until

KIB, MIB = 1 << 10, 1 << 20
SIZE = 64 * MIB
FAST = {"first_touch_median": "2ms", "fetch_slots": 256}
ENGINES = ["io_uring", "threads"]
# Half of it is more than 32 reads: so many in a row that fail are the disk, not its sectors.
BIG = 256 * MIB
BAD = 20 * MIB + 12 * KIB


def configure(ebswarm, engine, depth="auto"):
    ebswarm.configure(
        f"[Warm]\nEngine={engine}\nQueueDepth={depth}\n[Check]\nBefore=no\nAfter=no\n")


def assert_read_but_for(volume, start, end):
    assert volume.was_read(0, start)
    assert end == SIZE or volume.was_read(end, SIZE - end)
    assert not volume.was_read(start, end - start)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sector", [512, 4096])
def test_a_bad_sector_costs_one_sector_and_is_tried_again(ebswarm, cold, engine, sector):
    volume = cold(size=SIZE, block_size=sector, **FAST)
    volume.fail(BAD, sector)
    configure(ebswarm, engine)
    done = ebswarm.once(volume.device)
    assert done.returncode == 4
    assert f"first at offset {BAD}" in done.stderr
    assert ebswarm.unreadable_ranges() == [(BAD, BAD + sector)]
    assert ebswarm.warm_ranges() == [(0, BAD), (BAD + sector, SIZE)]
    assert_read_but_for(volume, BAD, BAD + sector)

    volume.clear_faults()
    volume.reset_record()
    assert ebswarm.once(volume.device).returncode == 0
    assert volume.record()["reads"] == 1
    assert volume.was_read(BAD, sector)
    assert ebswarm.warm_ranges() == [(0, SIZE)]
    assert ebswarm.unreadable_ranges() == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_bad_granule_in_the_service(ebswarm, cold, engine):
    volume = cold(size=SIZE, **FAST)
    granule = 512 * KIB
    volume.fail(40 * granule, granule)
    configure(ebswarm, engine)
    ebswarm.start(volume.device)
    status = ebswarm.wait_state("incomplete")
    assert status["unreadable_bytes"] == granule
    assert status["warm_bytes"] == SIZE - granule
    assert status["percent"] < 100
    done = ebswarm.ctl("wait")
    assert done.returncode == 4 and "cannot be read" in done.stderr
    done = ebswarm.ctl("wait", "--allow-incomplete")
    assert done.returncode == 0 and "incomplete" in done.stdout
    assert "Input/output error" in status["reason"]
    assert_read_but_for(volume, 40 * granule, 41 * granule)
    wait_until(lambda: ebswarm.unreadable_ranges() == [(40 * granule, 41 * granule)], "kept")
    assert ebswarm.ctl("wait").returncode == 4

    volume.clear_faults()
    volume.reset_record()
    assert ebswarm.ctl("resume", volume.device).returncode == 0
    ebswarm.wait_state("warm")
    assert sum(length for _, length in volume.read_ranges()) == granule
    assert ebswarm.ctl("wait").returncode == 0


def test_places_here_and_there(ebswarm, cold):
    volume = cold(size="256M", **FAST)
    volume.fail_share(0.01)
    configure(ebswarm, "auto")
    done = ebswarm.once(volume.device)
    assert done.returncode == 4, done.stderr
    unreadable = ebswarm.unreadable_ranges()
    assert unreadable
    assert [(start, end - start) for start, end in unreadable] == volume.unread()
    assert sum(end - start for start, end in unreadable) <= 256 * MIB // 20


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("times", [1, 2])
def test_what_fails_at_first_ends_warm(ebswarm, cold, engine, times):
    volume = cold(size=SIZE, **FAST)
    for place in range(5):
        volume.fail(place * 11 * MIB, 4 * KIB, first=times)
    configure(ebswarm, engine)
    done = ebswarm.once(volume.device)
    assert done.returncode == 0, done.stderr
    assert "further failures are only counted" in done.stderr
    assert volume.unread() == []
    assert ebswarm.unreadable_ranges() == []


def is_resting(volume):
    return volume["state"] == "warming" and volume["reason"].startswith("every read fails")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_disk_that_fails_altogether_is_left_in_peace_until_it_is_back(ebswarm, cold, engine):
    volume = cold(size=SIZE, **FAST)
    volume.fail()
    configure(ebswarm, engine)
    ebswarm.start(volume.device)
    status = ebswarm.wait_until(is_resting, "it rests")
    assert "Input/output error" in status["reason"]
    assert status["warm_bytes"] == 0 and status["unreadable_bytes"] == 0
    # A sector by sector search of a dead disk would be 2 × 131072 failures.
    assert volume.record()["failed_reads"] < 2000
    volume.clear_faults()
    status = ebswarm.wait_state("warm")
    assert status["reason"] == "" and status["unreadable_bytes"] == 0
    assert volume.unread() == []


def test_a_disk_that_fails_from_the_middle_on(ebswarm, cold):
    volume = cold(size=BIG, **FAST)
    volume.fail(BIG // 2)
    # Few in flight: of many, all could be sent before the first half is back, and none be left to fail in a row.
    configure(ebswarm, "auto", depth=8)
    ebswarm.start(volume.device)
    ebswarm.wait_until(is_resting, "it rests")
    assert volume.was_read(0, BIG // 2)
    assert ebswarm.volume()["warm_bytes"] == BIG // 2
    volume.clear_faults()
    ebswarm.wait_state("warm")
    assert volume.unread() == []


def test_a_stop_in_an_outage_keeps_what_was_read(ebswarm, cold):
    volume = cold(size=BIG, **FAST)
    volume.fail(BIG // 2)
    # Few in flight: of many, all could be sent before the first half is back, and none be left to fail in a row.
    configure(ebswarm, "auto", depth=8)
    ebswarm.start(volume.device)
    ebswarm.wait_until(is_resting, "it rests")
    assert ebswarm.terminate()[0] == 0
    assert ebswarm.warm_ranges() == [(0, BIG // 2)]
    volume.clear_faults()
    volume.reset_record()
    assert ebswarm.once(volume.device).returncode == 0
    assert volume.read_ranges() == [(BIG // 2, BIG // 2)]
