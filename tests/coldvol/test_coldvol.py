# SPDX-License-Identifier: MIT
"""The cold volume tells the truth: what other tests rest on."""

import errno
import mmap
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import coldvol  # noqa: E402
from coldvol import ColdVolume, ColdVolumeError  # noqa: E402

REASON = coldvol.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

PAGE = 4096
GRANULE = 512 * 1024
MIB = 1024 * 1024
# Latencies that make a test quick where they do not matter to it.
QUICK = {"size": 16 * MIB, "first_touch_median": "1ms", "first_touch_sigma": 0}
# Long enough for a reply that should not come, and for one that should.
NOT_YET_SEC = 0.3
SOON_SEC = 20


def read(path, offset, length):
    """One O_DIRECT read; the kernel may answer less at the end of the volume."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        buffer = mmap.mmap(-1, max(length, PAGE))
        got = os.preadv(fd, [memoryview(buffer)[:length]], offset)
        return buffer[:got]
    finally:
        os.close(fd)


def read_all(volume):
    size = int(volume.get("size"))
    for offset in range(0, size, MIB):
        read(volume.device, offset, min(MIB, size - offset))


def seconds(function, *arguments):
    start = time.monotonic()
    function(*arguments)
    return time.monotonic() - start


class Reader(threading.Thread):
    """A read in the background; `error` is its errno, 0 for success."""

    def __init__(self, path, offset, length):
        super().__init__(daemon=True)
        self.what = path, offset, length
        self.error = None
        self.start()

    def run(self):
        try:
            read(*self.what)
            self.error = 0
        except OSError as error:
            self.error = error.errno


def wait_until(condition):
    deadline = time.monotonic() + SOON_SEC
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_first_touch_is_slower_than_the_second_and_chill_brings_it_back():
    with ColdVolume(size=8 * MIB, first_touch_median="40ms", first_touch_sigma=0) as volume:
        cold = seconds(read_all, volume)
        warm = seconds(read_all, volume)
        volume.chill()
        again = seconds(read_all, volume)
        assert warm < cold and warm < again
        # What took longer is fetches, one a granule and time.
        assert volume.record()["fetches"] == 2 * 8 * MIB // GRANULE
        assert volume.record()["granules_cold"] == 0


def test_record_has_exactly_the_pages_that_were_read():
    with ColdVolume(**QUICK) as volume:
        read(volume.device, 3 * PAGE, 2 * PAGE)
        read(volume.device, 4 * PAGE, PAGE)
        read(volume.device, MIB, MIB)
        assert volume.read_ranges() == [(3 * PAGE, 2 * PAGE), (MIB, MIB)]
        assert volume.unread() == [
            (0, 3 * PAGE),
            (5 * PAGE, MIB - 5 * PAGE),
            (2 * MIB, 14 * MIB),
        ]
        record = volume.record()
        assert record["pages"] == 16 * MIB // PAGE
        assert record["pages_read_more"] == 1
        assert record["pages_read_once"] == 1 + MIB // PAGE
        assert record["bytes_read"] == 3 * PAGE + MIB
        assert record["reread_bytes"] == PAGE
        assert record["granules_warm"] == 3
        assert volume.was_read(MIB, MIB) and not volume.was_read(MIB, MIB + 512)
        volume.reset_record()
        assert volume.unread() == [(0, 16 * MIB)]


def test_parts_of_a_page_make_a_page():
    with ColdVolume(**QUICK) as volume:
        for sector in range(7):
            read(volume.device, sector * 512, 512)
        assert volume.read_ranges() == []
        assert volume.was_read(0, 7 * 512) and not volume.was_read(0, PAGE)
        read(volume.device, 7 * 512, 512)
        assert volume.read_ranges() == [(0, PAGE)]


def test_last_page_may_be_short():
    with ColdVolume(**{**QUICK, "size": MIB + 512}) as volume:
        assert len(read(volume.device, MIB, 512)) == 512
        assert volume.read_ranges() == [(MIB, 512)]


@pytest.mark.parametrize("block", [512, 4096])
def test_logical_sector_is_chosen(block):
    with ColdVolume(**QUICK, block_size=block) as volume:
        queue = Path("/sys/block", Path(volume.device).name, "queue")
        assert int((queue / "logical_block_size").read_text()) == block


def test_content_is_the_backing_files(tmp_path):
    backing = tmp_path / "image"
    backing.write_bytes(os.urandom(MIB))
    with ColdVolume(**QUICK, backing=backing) as volume:
        assert read(volume.device, 0, MIB) == backing.read_bytes()
        assert read(volume.device, MIB, MIB) == bytes(MIB)


def test_granules_without_data_need_no_fetch():
    with ColdVolume(**QUICK, data_share=0.5) as volume:
        empty = volume.record()["granules_empty"]
        assert 0 < empty < 32
        read_all(volume)
        assert volume.record()["fetches"] == 32 - empty


def test_failing_range_fails_alone_until_cleared():
    with ColdVolume(**QUICK) as volume:
        volume.fail(2 * PAGE, PAGE)
        with pytest.raises(OSError) as raised:
            read(volume.device, 0, MIB)
        assert raised.value.errno == errno.EIO
        read(volume.device, 3 * PAGE, PAGE)
        assert volume.read_ranges()[0][0] >= 3 * PAGE
        volume.clear_faults()
        read(volume.device, 2 * PAGE, PAGE)


def test_first_tries_fail():
    with ColdVolume(**QUICK) as volume:
        volume.fail(0, PAGE, first=2)
        for _ in range(2):
            with pytest.raises(OSError):
                read(volume.device, 0, PAGE)
        read(volume.device, 0, PAGE)


def test_failing_share_of_everything():
    with ColdVolume(**QUICK) as volume:
        volume.fail_share(1)
        with pytest.raises(OSError):
            read(volume.device, 0, PAGE)
        volume.fail_share(0)
        read(volume.device, 0, PAGE)


def test_hung_reads_complete_when_cleared():
    with ColdVolume(**QUICK) as volume:
        volume.hang(0, PAGE)
        reader = Reader(volume.device, 0, PAGE)
        wait_until(lambda: volume.get()["reads_hanging"] == "1")
        read(volume.device, MIB, PAGE)
        reader.join(NOT_YET_SEC)
        assert reader.is_alive() and not volume.was_read(0, PAGE)
        volume.clear_faults()
        reader.join(SOON_SEC)
        assert reader.error == 0 and volume.was_read(0, PAGE)


def test_hang_ends_by_itself():
    with ColdVolume(**QUICK) as volume:
        volume.hang(duration="2s")
        reader = Reader(volume.device, 0, PAGE)
        wait_until(lambda: volume.get()["reads_hanging"] == "1")
        reader.join(SOON_SEC)
        assert reader.error == 0 and volume.was_read(0, PAGE)


def test_settings_change_while_it_is_up():
    with ColdVolume(**QUICK, throughput=0.001) as volume:
        reader = Reader(volume.device, 0, MIB)  # would take 1,000 s
        wait_until(lambda: volume.get()["reads_in_flight"] != "0")
        volume.set(throughput=0)
        reader.join(SOON_SEC)
        assert reader.error == 0


@pytest.mark.parametrize(
    "word", ["granule=1K", "sizes=1G", "fetch_slots=0", "data_share=2", "warm_latency=soon"]
)
def test_bad_settings_are_named_and_leave_nothing(word):
    key, value = word.split("=")
    volume = ColdVolume(**{**QUICK, key: value})
    with pytest.raises(ColdVolumeError, match=key):
        volume.up()
    assert not volume.folder.exists()


def test_state_is_kept_over_a_reboot():
    with ColdVolume(**QUICK) as volume:
        read(volume.device, 0, MIB)
        before = volume.record()
        volume.reboot()
        assert volume.record() == before
        read(volume.device, 0, MIB)
        assert volume.record()["fetches"] == before["fetches"]
        assert volume.record()["reread_bytes"] == MIB


def write_page(path):
    fd = os.open(path, os.O_WRONLY | os.O_DIRECT)
    try:
        os.pwritev(fd, [mmap.mmap(-1, PAGE)], 0)
    finally:
        os.close(fd)


def test_writes_are_counted_and_fail():
    with ColdVolume(**QUICK, read_write=True) as volume:
        with pytest.raises(OSError) as raised:
            write_page(volume.device)
        assert raised.value.errno == errno.EIO
        assert volume.record()["writes"] == 1
        volume.set(writes="accept")
        write_page(volume.device)
        assert volume.record()["writes"] == 2


def test_read_only_device_lets_no_write_through():
    with ColdVolume(**QUICK) as volume:
        with pytest.raises(OSError):
            write_page(volume.device)
        assert volume.record()["writes"] == 0


def test_resize():
    with ColdVolume(**QUICK) as volume:
        fd = os.open(volume.device, os.O_RDONLY)
        try:
            for size in (0, 8 * MIB, 32 * MIB):
                volume.resize(size)
                assert os.lseek(fd, 0, os.SEEK_END) == size
        finally:
            os.close(fd)
        read(volume.device, 31 * MIB, MIB)
        assert volume.unread() == [(0, 31 * MIB)]


def test_another_volume_under_the_same_device():
    with ColdVolume(**QUICK) as first, ColdVolume(**QUICK) as second:
        device = first.device
        assert device != second.device
        read(device, 0, PAGE)
        assert second.read_ranges() == []
        first.detach()
        second.detach()
        assert second.attach(device) == device
        read(device, MIB, PAGE)
        assert first.read_ranges() == [(0, PAGE)]
        assert second.read_ranges() == [(MIB, PAGE)]


def test_same_name_twice_is_refused_and_harms_nothing():
    with ColdVolume(**QUICK) as volume:
        with pytest.raises(ColdVolumeError, match="up already"):
            ColdVolume(**QUICK, name=volume.name).up()
        read(volume.device, 0, PAGE)


def test_file_without_loop():
    with ColdVolume(**QUICK, loop=False) as volume:
        assert volume.path == volume.file
        read(volume.file, 0, PAGE)
        assert volume.read_ranges() == [(0, PAGE)]


def is_detached(volume, device):
    """The kernel calls the file by its name within the mount once that is unmounted."""
    try:
        file = Path("/sys/block", Path(device).name, "loop/backing_file").read_text().strip()
    except FileNotFoundError:
        return True
    return file not in (volume.file, "/volume")


def is_clean(volume, device):
    return (
        not volume.folder.exists()
        and volume.name not in Path("/proc/self/mountinfo").read_text()
        and is_detached(volume, device)
    )


def is_running(pid):
    """A process that has ended may wait for init to take notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("number", [0, signal.SIGKILL, signal.SIGSTOP])
def test_down_cleans_after_a_server_that_was(number):
    """By signal 0, which does nothing, it was left alone."""
    with ColdVolume(**QUICK) as volume:
        device, pid = volume.device, volume.pid
        os.kill(pid, number)
        volume.down()
        wait_until(lambda: is_clean(volume, device))
        wait_until(lambda: not is_running(pid))


def test_down_ends_hung_reads_of_a_holder():
    with ColdVolume(**QUICK) as volume:
        device = volume.device
        volume.hang()
        reader = Reader(device, 0, PAGE)
        wait_until(lambda: volume.get()["reads_hanging"] == "1")
        volume.down()
        reader.join(SOON_SEC)
        assert reader.error not in (0, None)
        wait_until(lambda: is_clean(volume, device))
