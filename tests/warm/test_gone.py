# SPDX-License-Identifier: MIT
"""Devices that vanish, come back, change their size or their medium, and what is no device at all."""

import os
import re
import stat
import subprocess

import pytest

from ebswarm import wait_until

KIB, MIB = 1 << 10, 1 << 20
SIZE = 64 * MIB
FAST = {"first_touch_median": "2ms", "fetch_slots": 256}
SLOW = {**FAST, "throughput": 20}  # so that there is a middle
QUICK = "[Check]\nBefore=no\nAfter=no\n[Checkpoint]\nInterval=1s\n"
ENGINES = ["io_uring", "threads"]


def is_open(ebswarm, device):
    folder = f"/proc/{ebswarm.process.pid}/fd"
    for name in os.listdir(folder):
        try:
            if os.readlink(f"{folder}/{name}") == device:
                return True
        except FileNotFoundError:
            pass  # closed meanwhile
    return False


def begin(ebswarm, volume, engine="auto", at_bytes=10 * MIB):
    ebswarm.configure(f"[Warm]\nEngine={engine}\nBlockSize=256K\nQueueDepth=8\n{QUICK}")
    ebswarm.start(volume.device)
    ebswarm.wait_until(lambda v: v["warm_bytes"] >= at_bytes, "the middle is reached")


def warm_bytes_kept(ebswarm):
    return sum(end - start for start, end in ebswarm.warm_ranges())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_disk_pulled_in_the_middle_and_back_again(ebswarm, cold, engine):
    volume = cold(size=SIZE, **SLOW)
    begin(ebswarm, volume, engine)
    volume.resize(0)
    status = ebswarm.wait_state("gone")
    assert "gone" in status["reason"]
    wait_until(lambda: not is_open(ebswarm, volume.device), "the device is closed")
    wait_until(lambda: warm_bytes_kept(ebswarm) >= 10 * MIB, "its checkpoint is kept")
    kept = ebswarm.warm_ranges()
    # It is looked for again and again, and stays what it is: gone.
    looked = ebswarm.process_cpu_ticks()
    assert ebswarm.ctl("wait", "--timeout", "5s").returncode == 3
    assert ebswarm.volume()["state"] == "gone"
    assert ebswarm.process_cpu_ticks() - looked < 200
    volume.set(throughput=0)
    volume.resize(SIZE)
    for start, end in kept:
        assert volume.was_read(start, end - start)
    ebswarm.wait_state("warm")
    assert volume.unread() == []
    # What was in flight when it went: 8 × 256 KiB.
    assert volume.record()["reread_bytes"] <= 2 * MIB


def test_a_disk_pulled_from_once(ebswarm, cold):
    volume = cold(size=SIZE, **SLOW)
    ebswarm.configure(QUICK)
    process = ebswarm.start_once(volume.device)
    wait_until(ebswarm.warm_ranges, "a checkpoint")
    volume.resize(0)
    assert process.wait(30) == 1
    assert "the device is gone; its checkpoint is kept" in ebswarm.log()
    assert ebswarm.warm_ranges()
    volume.set(throughput=0)
    volume.resize(SIZE)
    assert ebswarm.once(volume.device).returncode == 0
    assert volume.unread() == []


def test_a_warm_disk_that_is_pulled_is_gone(ebswarm, cold):
    volume = cold(size=SIZE, **FAST)
    ebswarm.configure(QUICK)
    ebswarm.start(volume.device)
    ebswarm.wait_state("warm")
    assert not is_open(ebswarm, volume.device)
    volume.resize(0)
    ebswarm.wait_state("gone")
    volume.resize(SIZE)
    ebswarm.wait_state("warm")
    assert volume.record()["reread_bytes"] == 0


@pytest.mark.parametrize("when", ["warming", "warm"])
def test_another_disk_under_the_same_name(ebswarm, cold, when):
    """Not a byte of the old one's progress is believed for the new one."""
    old = cold(size=SIZE, **(SLOW if when == "warming" else FAST))
    device = old.device
    begin(ebswarm, old, at_bytes=10 * MIB if when == "warming" else SIZE)
    if when == "warm":
        ebswarm.wait_state("warm")
    new = cold(size=SIZE, loop=False, **FAST)
    old.detach()
    wait_until(lambda: not loop_is_bound(device), "the loop device is free")
    assert new.attach(device) == device
    ebswarm.wait_until(lambda v: new.unread() == [] and v["state"] == "warm", "the new one is warm")
    wait_until(lambda: ebswarm.warm_ranges() == [(0, SIZE)], "all is in the checkpoint")


def loop_is_bound(device):
    return os.path.exists(f"/sys/block/{os.path.basename(device)}/loop")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_disk_that_grows_in_the_middle(ebswarm, cold, engine):
    volume = cold(size=SIZE, **SLOW)
    begin(ebswarm, volume, engine)
    volume.resize(SIZE + 8 * MIB)
    ebswarm.wait_until(lambda v: v["size_bytes"] == SIZE + 8 * MIB, "its growth is seen")
    volume.set(throughput=0)
    assert ebswarm.wait_state("warm")["warm_bytes"] == SIZE + 8 * MIB
    assert volume.unread() == []
    assert volume.record()["reread_bytes"] == 0


def test_a_disk_that_grows_when_it_is_warm(ebswarm, cold):
    volume = cold(size=SIZE, **FAST)
    ebswarm.configure(QUICK)
    ebswarm.start(volume.device)
    ebswarm.wait_state("warm")
    volume.resize(SIZE + 8 * MIB)
    ebswarm.wait_until(lambda v: v["warm_bytes"] == SIZE + 8 * MIB and v["state"] == "warm",
                       "the new end is warm")
    assert volume.unread() == []
    assert volume.record()["reread_bytes"] == 0


def test_a_disk_that_shrinks_in_the_middle(ebswarm, cold):
    volume = cold(size=SIZE, **SLOW)
    begin(ebswarm, volume)
    volume.resize(SIZE // 2)
    ebswarm.wait_until(lambda v: v["size_bytes"] == SIZE // 2, "it is seen")
    volume.set(throughput=0)
    status = ebswarm.wait_state("warm")
    assert status["warm_bytes"] == SIZE // 2
    assert volume.was_read(0, SIZE // 2)


def test_a_disk_that_shrank_between_two_runs_is_not_believed(ebswarm, cold):
    volume = cold(size=SIZE, **FAST)
    assert ebswarm.once(volume.device).returncode == 0
    volume.resize(SIZE // 2)
    volume.reset_record()
    done = ebswarm.once(volume.device)
    assert done.returncode == 0
    assert "it tells of a larger volume" in done.stderr
    assert volume.was_read(0, SIZE // 2)


# ---- what is no such device ----

def test_no_device(ebswarm):
    done = ebswarm.once("/dev/no-such-device")
    assert done.returncode == 5
    assert "/dev/no-such-device: there is no such device or file" in done.stderr


@pytest.mark.parametrize("make, message", [
    (lambda path: path.mkdir(), "it is a directory; name a block device or a file"),
    (lambda path: os.mkfifo(path), "it is neither a block device nor a regular file"),
    (lambda path: path.symlink_to("/dev/null"), "it is neither a block device nor a regular file"),
    (lambda path: os.mknod(path, 0o600 | stat.S_IFSOCK), "it is neither a block device nor a"),
    (lambda path: path.touch(), "it has 0 bytes: there is nothing to read"),
])
def test_what_is_no_device(ebswarm, tmp_path, make, message):
    path = tmp_path / "thing"
    make(path)
    done = ebswarm.once(str(path))
    assert done.returncode == 1
    assert message in done.stderr


@pytest.fixture
def partition(tmp_path):
    """A partition of a loop device over a file."""
    image = tmp_path / "disk"
    image.write_bytes(bytes(16 * MIB))
    loop = subprocess.run(["losetup", "--find", "--show", "--partscan", str(image)], check=True,
                          capture_output=True, text=True).stdout.strip()
    try:
        # Told to the kernel, which need not know any format of partition tables.
        subprocess.run(["addpart", loop, "1", "2048", "8192"], check=True)
        name = os.path.basename(loop)
        with open(f"/sys/block/{name}/{name}p1/dev", encoding="ascii") as file:
            major, minor = map(int, file.read().split(":"))
        node = tmp_path / "partition"  # udev may not be there to make one
        os.mknod(node, 0o600 | stat.S_IFBLK, os.makedev(major, minor))
        yield str(node)
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)


def test_a_partition(ebswarm, partition):
    done = ebswarm.once(partition)
    assert done.returncode == 1
    assert "it is a partition; name the whole disk, which is what is cold" in done.stderr


def become_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def test_without_permission(ebswarm, cold):
    volume = cold(size=SIZE, **FAST)
    ebswarm.open_to_all()
    done = ebswarm.once(volume.device, preexec_fn=become_nobody)
    assert done.returncode == 1
    assert "reading it is not permitted; be root or in group 'disk'" in done.stderr
    assert volume.record()["reads"] == 0


def test_the_service_outlives_all_of_these_and_warms_the_good_one(ebswarm, cold, tmp_path):
    volume = cold(size=SIZE, **FAST)
    late = tmp_path / "late"
    ebswarm.configure(QUICK)
    ebswarm.start("/dev/null", str(tmp_path), str(late), volume.device)
    wait_until(lambda: ebswarm.volumes()[volume.device]["state"] == "warm", "the good one is warm")
    for path in ("/dev/null", str(tmp_path), str(late)):
        assert ebswarm.volumes()[path]["state"] == "failed"
    late.write_bytes(b"x" * MIB)
    wait_until(lambda: ebswarm.volumes()[str(late)]["state"] == "warm", "what came late is warm")
    # By now each was looked for again; it is said once.
    assert ebswarm.log().count("/dev/null: it is neither") == 1


def test_one_device_by_two_names(ebswarm, cold, tmp_path):
    volume = cold(size=SIZE, **FAST)
    link = tmp_path / "link"
    link.symlink_to(volume.device)
    done = ebswarm.once(volume.device, str(link))
    assert done.returncode == 0, done.stderr
    assert re.search(r"not warmed: it is the same device as \S+, which is warmed already",
                     done.stderr)
    assert volume.unread() == []
    assert volume.record()["reread_bytes"] <= SIZE // 50  # the sample after
