# SPDX-License-Identifier: MIT
"""Every byte of a volume is read, whatever its size and whichever engine: by the volume's own record."""

import os

import pytest

FAST = {"first_touch_median": "2ms", "fetch_slots": 256}
ENGINES = ["io_uring", "threads"]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_block_is_read_and_nothing_written(ebswarm, cold, engine):
    volume = cold(size="1G", **FAST)
    ebswarm.configure(f"[Warm]\nEngine={engine}\n")
    done = ebswarm.once(volume.device)
    assert done.returncode == 0, done.stderr
    record = volume.record()
    assert record["pages_unread"] == 0
    assert record["granules_cold"] == 0
    assert record["writes"] == 0
    assert ebswarm.warm_ranges() == [(0, 1 << 30)]
    # A sample may read 1 % once more (after); nothing else is read twice.
    assert record["reread_bytes"] <= (1 << 30) // 100


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sector", [512, 4096])
@pytest.mark.parametrize(
    "size",
    [4096, 8192, 12288, 65536, (1 << 20) - 4096, (1 << 20) + 4096, 3 * (1 << 20) + 28672,
     7 * (1 << 19) + 4096])
def test_odd_sizes_are_read_to_the_last_byte(ebswarm, cold, engine, sector, size):
    if sector == 512:
        size += 512  # no multiple of a page either
    volume = cold(size=size, block_size=sector, **FAST)
    ebswarm.configure(f"[Warm]\nEngine={engine}\n")
    done = ebswarm.once(volume.device)
    assert done.returncode == 0, done.stderr
    assert volume.unread() == []
    assert ebswarm.warm_ranges() == [(0, size)]


@pytest.mark.parametrize("block", ["16K", "64K", "1M"])
@pytest.mark.parametrize("depth", [1, 7, 1024])
def test_set_blocks_and_depths(ebswarm, cold, block, depth):
    volume = cold(size="24M", **FAST)
    ebswarm.configure(f"[Warm]\nBlockSize={block}\nQueueDepth={depth}\n")
    assert ebswarm.once(volume.device).returncode == 0
    record = volume.record()
    assert record["pages_unread"] == 0
    assert record["reread_bytes"] == 0


def test_the_depth_that_is_set_is_the_depth_in_flight(ebswarm, cold):
    """All reads hang, so that those in flight can be counted at leisure."""
    volume = cold(size="64M")
    volume.hang()
    ebswarm.configure("[Warm]\nBlockSize=64K\nQueueDepth=7\n")
    ebswarm.start(volume.device)
    status = ebswarm.wait_until(lambda v: v["in_flight"] == 7, "7 in flight")
    assert status["queue_depth"] == 7
    assert status["block_bytes"] == 65536
    volume.clear_faults()
    ebswarm.wait_state("warm")


def test_a_volume_of_no_bytes_is_no_success(ebswarm, cold):
    volume = cold(size="1M")
    volume.resize(0)
    done = ebswarm.once(volume.device)
    assert done.returncode == 1
    assert "it has 0 bytes: there is nothing to read" in done.stderr


def test_a_regular_file_can_be_named(ebswarm, tmp_path):
    path = tmp_path / "image"
    path.write_bytes(os.urandom(3 * (1 << 20) + 77))
    done = ebswarm.once(str(path))
    assert done.returncode == 0, done.stderr
    assert ebswarm.warm_ranges() == [(0, path.stat().st_size)]


def test_two_volumes_at_once(ebswarm, cold):
    first, second = cold(size="200M", **FAST), cold(size="150M", **FAST)
    assert ebswarm.once(first.device, second.device).returncode == 0
    assert first.unread() == [] and second.unread() == []


def test_reads_that_the_kernel_sends_again_all_come_back(ebswarm, tmp_path):
    """A plain loop device over a sparse file: 1024 reads overfill its queue of 128, and the kernel sends
    some again from task work that ends in no completion. They once hung for ever."""
    import subprocess

    image = tmp_path / "image"
    with open(image, "wb") as file:
        file.truncate(2 << 30)
    loop = subprocess.run(
        ["losetup", "--find", "--show", "--direct-io=on", "--read-only", str(image)],
        capture_output=True, text=True, check=True).stdout.strip()
    try:
        ebswarm.configure("[Warm]\nQueueDepth=1024\nBlockSize=256K\nEngine=io_uring\n[Check]\nBefore=no\n")
        done = ebswarm.once(loop, timeout=60)
        assert done.returncode == 0, done.stderr
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)
