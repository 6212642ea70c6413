# SPDX-License-Identifier: MIT
"""A checkpoint that is not to be believed, and a state directory that does not work."""

import os
import re
import signal
import subprocess

import pytest

import coldvol
from ebswarm import wait_until
from test_resume import seal

MIB = 1 << 20
SIZE = 64 * MIB
FAST = {"first_touch_median": "2ms", "fetch_slots": 256}
QUICK = "[Check]\nBefore=no\nAfter=no\n[Checkpoint]\nInterval=1s\n"


# ---- what is in the file ----

def flip(text):
    at = text.index(b"warm ") + 5
    return text[:at] + bytes([text[at] ^ 1]) + text[at + 1:]


def newer(text):
    first, *rest = text.decode().splitlines()[:-1]
    word, number = first.rsplit(" ", 1)
    return seal([f"{word} {int(number) + 1}", *rest])


def of_another_volume(text):
    lines = text.decode().splitlines()[:-1]
    return seal([re.sub("^id .*", "id vol-0123456789abcdef0", line) for line in lines])


@pytest.mark.parametrize("change, reason", [
    (flip, ""),
    (lambda text: text[:len(text) // 2], "it is truncated"),
    (lambda text: b"", ""),
    (lambda text: b"PNG\0garbage\n" * 100, ""),
    (newer, "its format is not one that this version reads"),
    (of_another_volume, "it is another volume's"),
])
def test_what_is_not_believed_is_set_aside_and_all_is_read_again(ebswarm, cold, change, reason):
    volume = cold(size=SIZE, **FAST)
    ebswarm.configure(QUICK)
    assert ebswarm.once(volume.device).returncode == 0
    path = ebswarm.checkpoints()[0]
    bad = change(path.read_bytes())
    path.write_bytes(bad)
    volume.reset_record()
    done = ebswarm.once(volume.device)
    assert done.returncode == 0
    line = next(line for line in done.stderr.splitlines() if "is not believed" in line)
    assert reason in line and "the volume starts from nothing" in line
    assert volume.unread() == []
    aside = ebswarm.state / f"{path.name}.set-aside-1"
    assert aside.name in line
    assert aside.read_bytes() == bad
    assert ebswarm.warm_ranges() == [(0, SIZE)]


# ---- the directory ----

def run(*words):
    subprocess.run(words, check=True, capture_output=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def tmpfs(ebswarm):
    run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", ebswarm.state)
    yield ebswarm.state
    run("umount", "--lazy", ebswarm.state)


def wait_error(ebswarm, words):
    return ebswarm.wait_until(lambda v: words in (v["checkpoint"]["error"] or ""), words)


def assert_said_once_and_warm(ebswarm, volume, words):
    """The loss is told, and does not keep the volume from getting warm."""
    ebswarm.wait_state("warm")
    assert volume.unread() == []
    error = ebswarm.volume()["checkpoint"]["error"]
    assert words in error and str(ebswarm.state) in error
    assert ebswarm.log().count("the checkpoint cannot be written") == 1


def assert_recovers(ebswarm):
    ebswarm.wait_until(lambda v: v["checkpoint"]["error"] is None, "it is written again")
    wait_until(lambda: ebswarm.warm_ranges() == [(0, SIZE)], "all is in the checkpoint")
    wait_until(lambda: "its checkpoint is written again" in ebswarm.log(), "it is said")


def test_read_only_and_back_again(ebswarm, cold, tmpfs):
    volume = cold(size=SIZE, **FAST)
    run("mount", "-o", "remount,ro", tmpfs)
    ebswarm.configure(QUICK)
    ebswarm.start(volume.device)
    wait_error(ebswarm, "Read-only file system")
    ebswarm.notify.wait_text("progress of 1 cannot be saved")
    assert_said_once_and_warm(ebswarm, volume, "Read-only file system")
    run("mount", "-o", "remount,rw", tmpfs)
    assert_recovers(ebswarm)


def test_full_and_room_again(ebswarm, cold, tmpfs):
    volume = cold(size=SIZE, **FAST)
    filler = tmpfs / "filler"
    with pytest.raises(OSError):
        filler.write_bytes(bytes(1 << 20))
    ebswarm.configure(QUICK)
    ebswarm.start(volume.device)
    wait_error(ebswarm, "No space left on device")
    assert_said_once_and_warm(ebswarm, volume, "No space left on device")
    filler.unlink()
    assert_recovers(ebswarm)


def test_what_was_kept_survives_a_full_directory(ebswarm, cold, tmpfs):
    """The old file is replaced only by one that is whole."""
    volume = cold(size=SIZE, throughput=20, **FAST)
    ebswarm.configure(QUICK)
    ebswarm.start(volume.device)
    wait_until(ebswarm.warm_ranges, "a checkpoint")
    with pytest.raises(OSError):
        (tmpfs / "filler").write_bytes(bytes(1 << 20))
    wait_error(ebswarm, "No space left on device")
    kept = ebswarm.warm_ranges()
    assert kept
    ebswarm.kill()
    volume.set(throughput=0)
    volume.reset_record()
    ebswarm.start(volume.device)
    ebswarm.wait_state("warm")
    for start, end in kept:
        for read_start, read_length in volume.read_ranges():
            assert read_start >= end or read_start + read_length <= start


@pytest.mark.parametrize("pieces", [["deep"], ["deep", "er"]])
def test_a_missing_directory_is_made(ebswarm, cold, pieces):
    ebswarm.state = ebswarm.state.joinpath(*pieces)
    volume = cold(size="4M", **FAST)
    ebswarm.configure(QUICK)
    done = ebswarm.once(volume.device)
    assert done.returncode == 0, done.stderr
    assert ebswarm.warm_ranges() == [(0, 4 * MIB)]


@pytest.fixture
def hangable(ebswarm, tmp_path):
    """The state directory on an ext4 over a cold volume; its server, stopped, makes it hang."""
    image = tmp_path / "image"
    with open(image, "wb") as file:
        file.truncate(16 * MIB)
    run("mkfs.ext4", "-q", "-O", "^has_journal", image)
    with coldvol.ColdVolume(size=16 * MIB, backing=image, writes="accept", read_write=True,
                            first_touch_median="1ms") as disk:
        run("mount", disk.device, ebswarm.state)
        yield disk
        os.kill(disk.pid, signal.SIGCONT)
        if ebswarm.process and ebswarm.process.poll() is None:
            ebswarm.kill()
        run("umount", ebswarm.state)


def test_hanging_while_warming_and_back_again(ebswarm, cold, hangable):
    volume = cold(size=SIZE, throughput=20, **FAST)
    ebswarm.configure(QUICK)
    ebswarm.start(volume.device)
    wait_until(ebswarm.warm_ranges, "a checkpoint")
    os.kill(hangable.pid, signal.SIGSTOP)
    volume.set(throughput=0)
    wait_error(ebswarm, "writing does not come back")
    assert_said_once_and_warm(ebswarm, volume, "writing does not come back")
    os.kill(hangable.pid, signal.SIGCONT)
    assert_recovers(ebswarm)


def test_hanging_from_the_start(ebswarm, cold, hangable):
    """What an earlier run read is known late: until then it is not written over, then it counts."""
    volume = cold(size=SIZE, throughput=10, **FAST)
    ebswarm.configure(QUICK)
    ebswarm.start(volume.device)
    ebswarm.wait_until(lambda v: v["warm_bytes"] >= 10 * MIB, "a part is read")
    ebswarm.terminate()
    kept = ebswarm.warm_ranges()
    run("umount", ebswarm.state)  # so that nothing of it is in the page cache
    run("mount", hangable.device, ebswarm.state)
    os.kill(hangable.pid, signal.SIGSTOP)
    ebswarm.start(volume.device)
    error = wait_error(ebswarm, "reading the last one does not come back")["checkpoint"]["error"]
    assert str(ebswarm.state) in error
    volume.set(throughput=0)
    ebswarm.wait_state("warm")
    assert volume.unread() == []
    os.kill(hangable.pid, signal.SIGCONT)
    assert_recovers(ebswarm)
    assert kept and os.listdir(ebswarm.state)
