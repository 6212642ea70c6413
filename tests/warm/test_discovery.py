# SPDX-License-Identifier: MIT
"""Volumes are found by themselves, and progress is believed for the very volume only, whatever its name."""

import json
import os
import time

import pytest

import ebswarm as ebswarm_lib
import mockdisk
from mockdisk import Disk, MockedEbswarm

FAST = {"size": "64M", "first_touch_median": "1ms", "fetch_slots": 256}
A, B = "vol0aaaaaaaaaaaaaaa0", "vol0bbbbbbbbbbbbbbb0"


def dashed(serial):
    return "vol-" + serial[3:]


@pytest.fixture
def ebswarm():
    reason = mockdisk.why_not()
    if reason:
        pytest.skip(reason)
    with MockedEbswarm() as instance:
        instance.configure("[Check]\nBefore=no\nAfter=no\n[Discover]\nOriginTimeout=0\n")
        yield instance


def test_ebs_is_warmed_and_instance_store_is_not(ebswarm, cold):
    ebs, store = cold(**FAST), cold(**FAST)
    ebswarm.disks = [
        Disk(1, ebs, A),
        Disk(2, store, "AWS0123456789ABCDEF0", mockdisk.INSTANCE_STORE_MODEL)]
    done = ebswarm.once()
    assert done.returncode == 0, done.stderr
    assert ebs.record()["pages_unread"] == 0
    assert store.record()["reads"] == 0
    assert [path.name for path in ebswarm.checkpoints()] == [f"{dashed(A)}.checkpoint"]


def test_list_says_what_and_why_without_a_daemon(ebswarm, cold):
    ebs, store = cold(**FAST), cold(**FAST)
    ebswarm.disks = [
        Disk(1, ebs, A),
        Disk(2, store, "AWS0123456789ABCDEF0", mockdisk.INSTANCE_STORE_MODEL)]
    listed = {entry["device"].rsplit("/")[-1]: entry for entry in json.loads(ebswarm.ctl("list", "--json").stdout)}
    assert listed["nvme1n1"]["id"] == dashed(A)
    assert listed["nvme1n1"]["decision"] == "warm"
    assert listed["nvme2n1"]["decision"] == "skip"
    assert "instance store, never warmed" in listed["nvme2n1"]["reason"]
    assert ebs.record()["reads"] == store.record()["reads"] == 0


def test_force_warms_instance_store_and_exclude_leaves_a_volume(ebswarm, cold):
    ebs, store = cold(**FAST), cold(**FAST)
    ebswarm.disks = [
        Disk(1, ebs, A),
        Disk(2, store, "AWS0123456789ABCDEF0", mockdisk.INSTANCE_STORE_MODEL)]
    ebswarm.configure(
        "[Check]\nBefore=no\nAfter=no\n[Discover]\nOriginTimeout=0\nExclude=vol-0aaa*\n[Volume nvme2n1]\nForce=yes\n")
    done = ebswarm.once()
    assert done.returncode == 0, done.stderr
    assert ebs.record()["reads"] == 0
    assert store.record()["pages_unread"] == 0


def test_a_volume_under_another_number_goes_on(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, A)]
    assert ebswarm.once().returncode == 0
    reads = volume.record()["reads"]
    ebswarm.disks = [Disk(7, volume, A)]
    assert ebswarm.once().returncode == 0
    assert volume.record()["reads"] == reads


def test_a_volume_on_another_medium_number_after_a_reboot_goes_on(ebswarm, cold):
    """The loop device is set up anew, as after a reboot: number and count of media differ, the id stays."""
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, A)]
    assert ebswarm.once().returncode == 0
    volume.reboot()
    ebswarm.disks = [Disk(1, volume, A)]
    volume.reset_record()
    assert ebswarm.once().returncode == 0
    assert volume.record()["reads"] == 0


def test_another_volume_under_the_same_name_starts_from_nothing(ebswarm, cold):
    first, second = cold(**FAST), cold(**FAST)
    ebswarm.disks = [Disk(1, first, A)]
    assert ebswarm.once().returncode == 0
    ebswarm.disks = [Disk(1, second, B)]
    assert ebswarm.once().returncode == 0
    assert second.record()["pages_unread"] == 0


def test_state_baked_into_an_image_is_believed_of_nothing_else(ebswarm, cold):
    """All of a state directory stays when an AMI is copied; the new instance's volumes have other ids."""
    original, copies = cold(**FAST), [cold(**FAST), cold(**FAST)]
    ebswarm.disks = [Disk(1, original, A)]
    assert ebswarm.once().returncode == 0
    ebswarm.disks = [Disk(0, copies[0], B), Disk(1, copies[1], "vol0ccccccccccccccc0")]
    assert ebswarm.once().returncode == 0
    assert all(copy.record()["pages_unread"] == 0 for copy in copies)


def test_a_grown_volume_keeps_what_it_had(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, A)]
    assert ebswarm.once().returncode == 0
    volume.resize(96 << 20)
    volume.reset_record()
    ebswarm.disks = [Disk(1, volume, A)]
    assert ebswarm.once().returncode == 0
    assert volume.read_ranges() == [(64 << 20, 32 << 20)]


def test_the_service_warms_what_it_finds_and_a_path_finds_it(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, A)]
    ebswarm.start()
    found = ebswarm.wait_state("warm")
    assert found["id"] == dashed(A)
    assert found["origin"]["source"] == "found"
    for what in (dashed(A), A, ebswarm.disks[0].node, "nvme1n1"):
        done = ebswarm.ctl("wait", "--timeout", "20", what)
        assert done.returncode == 0, (what, done.stderr)
    assert volume.record()["pages_unread"] == 0


def open_files(pid):
    """Device numbers of what a process has open."""
    numbers = set()
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            numbers.add(os.stat(entry.path).st_rdev)
        except FileNotFoundError:
            pass
    return numbers


def test_a_removal_closes_the_device_and_leaves_the_others(ebswarm, cold):
    """By the kernel's own message: the loop device behind it is still there and would go on answering."""
    gone, stays = cold(size="512M", first_touch_median="20ms", fetch_slots=2), cold(**FAST)
    disk = Disk(1, gone, A)
    ebswarm.disks = [disk, Disk(2, stays, B)]
    process = ebswarm.start()
    ebswarm.wait_until(lambda v: v["warm_bytes"] > 0, "reads", device=disk.node)
    assert disk.devnum in open_files(process.pid)
    ebswarm.remove(disk)
    removed = time.monotonic()
    while disk.devnum in open_files(process.pid):
        assert time.monotonic() - removed < ebswarm_lib.DEADLINE_SEC, "it is still open"
    print(f"closed {time.monotonic() - removed:.3f} s after the removal")
    ebswarm.wait_until(lambda v: v["state"] == "warm", "warm", device="/dev/nvme2n1")
    assert stays.record()["pages_unread"] == 0
    assert gone.record()["pages_unread"] > 0
