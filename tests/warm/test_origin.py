# SPDX-License-Identifier: MIT
"""Where a volume came from decides whether it is read: by what the volume itself saw."""

import os
import re
import subprocess
from pathlib import Path

import pytest

import mockdisk
from mockdisk import Disk, MockedEbswarm, XenDisk

SERIAL, ID = "vol0aaaaaaaaaaaaaaa0", "vol-0aaaaaaaaaaaaaaa0"
BOOT_ID = open("/proc/sys/kernel/random/boot_id").read().strip()
FAST = {"size": "64M", "first_touch_median": "1ms", "fetch_slots": 256}
SLOW = {"size": "512M", "first_touch_median": "20ms", "fetch_slots": 4}


@pytest.fixture
def ebswarm():
    reason = mockdisk.why_not()
    if reason:
        pytest.skip(reason)
    with MockedEbswarm() as instance:
        yield instance


def configure(ebswarm, timeout):
    ebswarm.configure(f"[Check]\nBefore=no\nAfter=no\n[Discover]\nOriginTimeout={timeout}\n")


def tell(ebswarm, **keys):
    """Writes the volume's origin as ebswarm-ec2 does: whole, by a rename."""
    folder = ebswarm.socket.parent / "origin"
    folder.mkdir(exist_ok=True)
    lines = {"Format": 1, "Source": "test", "Volume": ID, **keys}
    temporary = folder / ".new"
    temporary.write_text("[Origin]\n" + "".join(f"{key}={value}\n" for key, value in lines.items()))
    temporary.chmod(0o644)
    temporary.rename(folder / f"{ID}.origin")
    return folder / f"{ID}.origin"


@pytest.mark.parametrize("keys, word", [
    ({"Snapshot": "none"}, "empty volume"),
    ({"Snapshot": "snap-1", "FastRestored": "yes", "Iops": 3000, "Throughput": "125M"}, "fast restored"),
    ({"Snapshot": "snap-1", "InitializationState": "completed", "BootId": BOOT_ID}, "completed"),
    ({"Snapshot": "snap-1", "SourceVolume": "vol-0bbbbbbbbbbbbbbb0"}, "copy of"),
], ids=["empty", "fast restored", "completed", "copy"])
def test_what_is_warm_already_is_skipped_with_its_reason(ebswarm, cold, keys, word):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    configure(ebswarm, "30s")
    tell(ebswarm, **keys)
    ebswarm.start()
    status = ebswarm.wait_state("skipped")
    assert word in status["reason"]
    assert status["origin"]["source"] == "test"
    assert ebswarm.ctl("wait", ID).returncode == 0
    assert volume.record()["reads"] == 0


def test_completed_in_another_boot_is_not_believed(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    tell(ebswarm, Snapshot="snap-1", InitializationState="completed",
         BootId="00000000-0000-0000-0000-000000000000")
    done = ebswarm.once()
    assert done.returncode == 0, done.stderr
    assert volume.record()["pages_unread"] == 0


def test_an_origin_is_waited_for_and_the_volume_warmed_when_it_comes(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    configure(ebswarm, "1h")
    ebswarm.start()
    ebswarm.wait_state("waiting-origin")
    assert volume.record()["reads"] == 0
    tell(ebswarm, Snapshot="snap-0123")
    status = ebswarm.wait_state("warm")
    assert status["origin"]["snapshot"] == "snap-0123"
    assert volume.record()["pages_unread"] == 0


def test_waiting_has_an_end(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    configure(ebswarm, "2s")
    ebswarm.start()
    ebswarm.wait_state("warm")
    assert volume.record()["pages_unread"] == 0


def test_a_later_answer_stops_and_starts_a_warm(ebswarm, cold):
    volume = cold(**SLOW)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    configure(ebswarm, "1h")
    tell(ebswarm, Snapshot="snap-1")
    ebswarm.start()
    ebswarm.wait_until(lambda v: v["warm_bytes"] > 0, "reads")
    tell(ebswarm, Snapshot="snap-1", InitializationState="completed", BootId=BOOT_ID)
    ebswarm.wait_state("skipped")
    volume.set(first_touch_median="1ms", fetch_slots=256)
    tell(ebswarm, Snapshot="snap-1")
    ebswarm.wait_state("warm")
    assert volume.record()["pages_unread"] == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away")
def test_a_file_of_somebody_else_is_not_believed(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    path = tell(ebswarm, Snapshot="none")
    os.chown(path, 65534, 65534)
    done = ebswarm.once()
    assert done.returncode == 0, done.stderr
    assert "is not believed" in done.stderr
    assert volume.record()["pages_unread"] == 0


def test_what_looks_warm_is_read_last(ebswarm, cold):
    """Unknown=probe, the default: samples decide. A busy machine may make one sample slow: then it is only
    taken for cold, so a few tries are allowed."""
    for number in range(5):
        warm = cold(size="512M", data_share=0)
        slow = cold(size="512M", first_touch_median="40ms", fetch_slots=4)
        ebswarm.disks = [Disk(1, warm, SERIAL), Disk(2, slow, f"vol0cccccccccccccc{number:02}")]
        ebswarm.configure("[Check]\nAfter=no\n[Discover]\nOriginTimeout=0\n")
        ebswarm.start()
        try:
            ebswarm.wait_until(lambda v: v["state"] == "warming", "both", device=ebswarm.disks[0].node)
            ebswarm.wait_until(lambda v: v["state"] == "warming" and v["warm_bytes"] > 64 << 20, "the cold one",
                               device=ebswarm.disks[1].node)
            found = ebswarm.volume(ebswarm.disks[0].node)
            if "waits for the other volumes" not in found["reason"]:
                continue
            # By the volume's own record: the sample, which is 1 % of it, and nothing more.
            assert sum(length for _, length in warm.read_ranges()) <= (512 << 20) // 100
            slow.set(first_touch_median="1ms", fetch_slots=256)
            for disk in ebswarm.disks:
                ebswarm.wait_until(lambda v: v["state"] == "warm", "warm", device=disk.node)
            assert warm.record()["pages_unread"] == slow.record()["pages_unread"] == 0
            return
        finally:
            ebswarm.terminate()
    pytest.fail("a volume whose every region is warm never looked so")


def test_a_later_answer_ends_the_waiting_of_what_looks_warm(ebswarm, cold):
    """Told that it comes from a snapshot, it is warmed at once, whatever its samples looked like."""
    warm = cold(size="512M", data_share=0)
    slow = cold(size="512M", first_touch_median="2s", fetch_slots=1)
    ebswarm.disks = [Disk(1, warm, SERIAL), Disk(2, slow, "vol0cccccccccccccccc0")]
    ebswarm.configure("[Check]\nAfter=no\n[Discover]\nOriginTimeout=0\n")
    ebswarm.start()
    ebswarm.wait_until(lambda v: v["state"] == "warming", "warming", device=ebswarm.disks[0].node)
    tell(ebswarm, Snapshot="snap-1")
    found = ebswarm.wait_until(lambda v: v["state"] == "warm", "warm", device=ebswarm.disks[0].node)
    assert found["origin"]["snapshot"] == "snap-1"
    assert ebswarm.volume(ebswarm.disks[1].node)["state"] != "warm"


def test_a_xen_disk_is_called_by_its_origins_id(ebswarm, cold):
    volume = cold(**FAST)
    with XenDisk("xvdf", volume) as disk:
        ebswarm.disks = [disk]
        configure(ebswarm, "1h")
        ebswarm.start()
        assert ebswarm.wait_state("waiting-origin")["id"] == "xvdf"
        tell(ebswarm, Device="/dev/sdf", BootId=BOOT_ID, Snapshot="snap-1", SizeBytes=64 << 20)
        status = ebswarm.wait_state("warm")
        assert (status["id"], status["origin"]["snapshot"]) == (ID, "snap-1")
        listed = ebswarm.ctl("list").stdout
        assert ID in listed and "restored from snap-1" in listed
        for what in (ID, "xvdf", "/dev/xvdf"):
            assert ebswarm.ctl("wait", "--timeout", "20", what).returncode == 0, what
        # Its progress is not believed by that id: a name can be another disk's tomorrow.
        assert [path.name for path in ebswarm.checkpoints()] == ["xvdf.checkpoint"]
    assert volume.record()["pages_unread"] == 0


def test_list_says_what_the_origin_decides(ebswarm, cold):
    ebswarm.disks = [Disk(1, cold(**FAST), SERIAL)]
    tell(ebswarm, Snapshot="none")
    line = ebswarm.ctl("list").stdout.splitlines()[1]
    assert "skip" in line and "empty volume" in line


def test_unknown_skip_leaves_a_volume_that_nobody_speaks_for(ebswarm, cold):
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    ebswarm.configure("[Discover]\nUnknown=skip\n")
    assert ebswarm.once().returncode == 0
    assert volume.record()["reads"] == 0


def test_the_script_of_the_documentation_is_believed(ebswarm, cold):
    page = Path(__file__).resolve().parents[2] / "docs" / "origin.md"
    script = re.search(r"^```sh\n(.*?)^```", page.read_text(), flags=re.M | re.S)[1]
    volume = cold(**FAST)
    ebswarm.disks = [Disk(1, volume, SERIAL)]
    folder = ebswarm.socket.parent / "origin"
    subprocess.run(["sh", "-c", script, "sh", str(folder)], input=f"{ID} none\nvol-0c snap-0c\n", text=True, check=True)
    assert sorted(os.listdir(folder)) == [f"{ID}.origin", "vol-0c.origin"]
    done = ebswarm.once()
    assert done.returncode == 0 and "not believed" not in done.stderr, done.stderr
    assert volume.record()["reads"] == 0
