# SPDX-License-Identifier: MIT
"""Killed at any moment and started again: little is read twice, and nothing is warm that was not read."""

import random

import pytest

from ebswarm import wait_until

MIB = 1 << 20
SIZE = 512 * MIB
RATE_MIB = 250  # the volume's cap: what one interval can read is known
INTERVAL_SEC = 1
QUICK_CHECKPOINTS = f"[Checkpoint]\nInterval={INTERVAL_SEC}s\n[Check]\nBefore=no\nAfter=no\n"


def make_volume(cold):
    return cold(size=SIZE, first_touch_median="2ms", fetch_slots=256, throughput=RATE_MIB)


def assert_promise(volume, ebswarm):
    """What the checkpoint calls warm, the record says was read."""
    for start, end in ebswarm.warm_ranges():
        assert volume.was_read(start, end - start)


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_killed_at_twenty_random_moments(ebswarm, cold, engine):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    moments = sorted(random.Random(seed).sample(range(1, SIZE // MIB - 1), 20))
    volume = make_volume(cold)
    ebswarm.configure(f"[Warm]\nEngine={engine}\n{QUICK_CHECKPOINTS}")
    kills = 0
    for moment in moments:
        process = ebswarm.start_once(volume.device)
        wait_until(
            lambda: process.poll() is not None
            or volume.record()["pages_unread"] <= (SIZE - moment * MIB) // 4096,
            f"{moment} MiB read")
        if process.poll() is None:
            kills += 1
        ebswarm.kill()
        assert_promise(volume, ebswarm)
    assert kills > 0
    done = ebswarm.once(volume.device)
    assert done.returncode == 0, done.stderr
    record = volume.record()
    assert record["pages_unread"] == 0
    assert record["writes"] == 0
    assert ebswarm.warm_ranges() == [(0, SIZE)]
    # What one interval can read, a tick's and a write's lateness, and what was in flight.
    lost = (INTERVAL_SEC + 1) * RATE_MIB * MIB
    assert record["reread_bytes"] <= kills * lost


def test_what_the_checkpoint_has_is_not_read_again(ebswarm, cold):
    volume = make_volume(cold)
    ebswarm.configure(QUICK_CHECKPOINTS)
    ebswarm.start_once(volume.device)
    wait_until(ebswarm.warm_ranges, "a first checkpoint")
    ebswarm.kill()
    kept = ebswarm.warm_ranges()
    assert kept
    volume.reset_record()
    assert ebswarm.once(volume.device).returncode == 0
    for start, end in kept:
        for read_start, read_length in volume.read_ranges():
            assert read_start >= end or read_start + read_length <= start


def test_a_checkpoint_is_due_after_so_many_bytes_too(ebswarm, cold):
    volume = make_volume(cold)
    ebswarm.configure("[Checkpoint]\nInterval=1h\nBytes=64M\n[Check]\nBefore=no\nAfter=no\n")
    ebswarm.start_once(volume.device)
    wait_until(lambda: sum(end - start for start, end in ebswarm.warm_ranges()) >= 128 * MIB,
               "a second checkpoint")
    ebswarm.kill()
    assert_promise(volume, ebswarm)


def test_sigterm_keeps_everything_and_is_quick(ebswarm, cold):
    volume = make_volume(cold)
    ebswarm.configure("[Checkpoint]\nInterval=1h\n[Check]\nBefore=no\n")
    ebswarm.start(volume.device)
    ebswarm.wait_until(lambda v: v["warm_bytes"] > 50 * MIB, "50 MiB are read")
    status, seconds = ebswarm.terminate()
    assert status == 0
    assert seconds < 2
    assert_promise(volume, ebswarm)
    # Not a byte is lost: what was read is what is kept.
    read_bytes = sum(length for _, length in volume.read_ranges())
    assert sum(end - start for start, end in ebswarm.warm_ranges()) == read_bytes
    assert ebswarm.once(volume.device).returncode == 0
    assert volume.record()["reread_bytes"] <= SIZE // 100  # the sample after


def test_a_finished_volume_is_not_read_again(ebswarm, cold):
    volume = cold(size="64M", first_touch_median="1ms")
    assert ebswarm.once(volume.device).returncode == 0
    reads = volume.record()["reads"]
    done = ebswarm.once(volume.device)
    assert done.returncode == 0
    assert volume.record()["reads"] == reads


def test_a_pause_lasts_over_a_restart(ebswarm, cold):
    volume = make_volume(cold)
    ebswarm.configure(QUICK_CHECKPOINTS)
    ebswarm.start(volume.device)
    ebswarm.wait_until(lambda v: v["warm_bytes"] > 10 * MIB, "10 MiB are read")
    assert ebswarm.ctl("pause", volume.device).returncode == 0
    ebswarm.wait_until(lambda v: v["state"] == "paused" and v["in_flight"] == 0, "paused")
    reads = volume.record()["reads"]
    ebswarm.terminate()
    ebswarm.start(volume.device)
    ebswarm.wait_state("paused")
    assert volume.record()["reads"] == reads
    assert ebswarm.ctl("resume", volume.device).returncode == 0
    ebswarm.wait_state("warm")
    assert volume.record()["pages_unread"] == 0


def crc32c(data):
    """Bit by bit, from the polynomial in RFC 3720."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def seal(lines):
    body = "".join(line + "\n" for line in lines).encode()
    return body + b"end %08x\n" % crc32c(body)


def test_a_pause_does_not_last_over_a_reboot(ebswarm, cold):
    """The pause is of another boot; the rest stays as it is, so that the file is believed."""
    volume = cold(size="64M", first_touch_median="20ms", fetch_slots=4)
    ebswarm.configure(QUICK_CHECKPOINTS)
    ebswarm.start(volume.device)
    assert ebswarm.ctl("pause", "--all").returncode == 0
    ebswarm.wait_state("paused")
    ebswarm.terminate()
    path = ebswarm.checkpoints()[0]
    lines = path.read_text().splitlines()[:-1]
    other_boot = "paused 00000000-0000-0000-0000-000000000000"
    path.write_bytes(seal([other_boot if line.startswith("paused ") else line for line in lines]))
    ebswarm.start(volume.device)
    ebswarm.wait_until(lambda v: v["state"] in ("warming", "warm"), "it goes on")
    assert "is not believed" not in ebswarm.log()
