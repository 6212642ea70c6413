# SPDX-License-Identifier: MIT
"""The daemon as a service: what it tells systemd, its configuration, its socket, its engine."""

import ctypes
import os
import re
import socket
import struct
import subprocess

import pytest

from ebswarm import daemon_binary, wait_until

MIB = 1 << 20
SIZE = 64 * MIB
FAST = {"first_touch_median": "2ms", "fetch_slots": 256}
SLOW = {**FAST, "throughput": 10}
QUIET = "[Check]\nBefore=no\nAfter=no\n"


# ---- notify ----

def test_what_systemd_hears(ebswarm, cold):
    volume = cold(size=SIZE, **SLOW)
    ebswarm.configure(QUIET)
    ebswarm.start(volume.device)
    line = wait_until(
        lambda: (line := ebswarm.wait_notify("STATUS=")) and "left" in line and line, "a line")
    assert re.fullmatch(r"STATUS=Warming 1 volume: \d+ %, [\d.,]+ MiB/s, .* left", line)
    volume.set(throughput=0)
    wait_until(lambda: ebswarm.wait_notify("STATUS=") == "STATUS=1 volume is warm", "it is warm")
    assert ebswarm.terminate()[0] == 0
    ebswarm.wait_notify("STOPPING=1")


def test_no_volume_at_all(ebswarm):
    ebswarm.start()
    assert ebswarm.call("Status")["state"] == "idle"
    assert ebswarm.ctl("wait").returncode == 0
    assert ebswarm.terminate()[0] == 0


# ---- configuration ----

def devices(*volumes):
    return "".join(f"[Volume v{n}]\nDevice={v.device}\n" for n, v in enumerate(volumes))


def test_volumes_come_and_go_with_the_configuration(ebswarm, cold):
    first, second = cold(size=SIZE, **SLOW), cold(size=SIZE, **FAST)
    ebswarm.configure(QUIET + devices(first))
    ebswarm.start()
    assert list(ebswarm.volumes()) == [first.device]
    assert ebswarm.volume()["origin"]["source"] == "config"
    ebswarm.configure(QUIET + devices(first, second))
    ebswarm.reload()
    wait_until(lambda: ebswarm.volumes()[second.device]["state"] == "warm", "the new one is warm")
    assert second.unread() == []
    ebswarm.configure(QUIET + devices(second))
    ebswarm.reload()
    assert list(ebswarm.volumes()) == [second.device]
    wait_until(lambda: f"{first.device}: not there or not wanted any more, let go" in ebswarm.log(), "it is said")
    wait_until(lambda: not first_is_open(ebswarm, first.device), "it is let go")


def first_is_open(ebswarm, device):
    folder = f"/proc/{ebswarm.process.pid}/fd"
    return any(os.path.lexists(f"{folder}/{fd}") and os.readlink(f"{folder}/{fd}") == device
               for fd in os.listdir(folder))


def test_skip_yes_and_no_again(ebswarm, cold):
    volume = cold(size=SIZE, **FAST)
    ebswarm.configure(QUIET + devices(volume) + "Skip=yes\n")
    ebswarm.start()
    assert ebswarm.wait_state("skipped")["reason"] == "Skip=yes in [Volume v0]"
    assert volume.record()["reads"] == 0
    ebswarm.configure(QUIET + devices(volume))
    ebswarm.reload()
    ebswarm.wait_state("warm")
    assert volume.unread() == []


def test_a_wrong_new_configuration_keeps_the_old(ebswarm, cold):
    volume = cold(size=SIZE, **SLOW)
    ebswarm.configure(QUIET + devices(volume))
    ebswarm.start()
    ebswarm.configure(QUIET + "[Warm]\nQueueDepth=9999\n")
    ebswarm.reload()
    wait_until(lambda: "the old one stays in force" in ebswarm.log(), "it is said")
    assert re.search(rf"{ebswarm.configuration}/ebswarm.conf:5: .*QueueDepth", ebswarm.log())
    assert list(ebswarm.volumes()) == [volume.device]
    volume.set(throughput=0)
    ebswarm.wait_state("warm")


def test_a_new_depth_is_taken_up(ebswarm, cold):
    volume = cold(size=SIZE, **SLOW)
    ebswarm.configure(QUIET + "[Warm]\nQueueDepth=3\n")
    ebswarm.start(volume.device)
    ebswarm.wait_until(lambda v: v["queue_depth"] == 3, "the first depth")
    ebswarm.configure(QUIET + "[Warm]\nQueueDepth=5\n")
    ebswarm.reload()
    ebswarm.wait_until(lambda v: v["queue_depth"] == 5 and v["in_flight"] == 5, "the second")


def run_daemon(ebswarm, *words):
    return subprocess.run([daemon_binary(), *words], env=ebswarm.environment(), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)


def test_a_wrong_configuration_at_the_start(ebswarm):
    ebswarm.configure("[Warm]\n\nBlockSize=3K\n")
    done = run_daemon(ebswarm)
    assert done.returncode == 2
    assert f"{ebswarm.configuration}/ebswarm.conf:3: " in done.stderr
    assert "BlockSize" in done.stderr and "16K" in done.stderr


def test_check_config(ebswarm):
    ebswarm.configure("[Warm]\nQueueDepht=3\n")
    done = run_daemon(ebswarm, "--check-config")
    assert done.returncode == 0
    assert "ebswarm.conf:2: " in done.stderr and "did you mean 'QueueDepth='?" in done.stderr
    ebswarm.configure("[Warm]\nQueueDepth=none\n")
    done = run_daemon(ebswarm, "--check-config")
    assert done.returncode != 0
    assert "ebswarm.conf:2: " in done.stderr


# ---- the socket ----

def test_activation(ebswarm, cold):
    """systemd's protocol: descriptor 3, LISTEN_PID and LISTEN_FDS."""
    volume = cold(size=SIZE, **FAST)
    ebswarm.configure(QUIET)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(ebswarm.socket))
        listener.listen()
        ebswarm.start_activated(listener.fileno(), volume.device)
        ebswarm.wait_state("warm")
        assert ebswarm.terminate()[0] == 0
        assert ebswarm.socket.exists(), "a socket that was passed is systemd's to remove"


def test_a_second_daemon_on_one_socket(ebswarm, cold):
    volume = cold(size=SIZE, **SLOW)
    ebswarm.configure(QUIET)
    ebswarm.start(volume.device)
    done = run_daemon(ebswarm, volume.device)
    assert done.returncode == 1
    assert str(ebswarm.socket) in done.stderr and "another ebswarmd" in done.stderr
    assert ebswarm.volume()["state"] == "warming"


def test_a_socket_left_by_a_killed_daemon(ebswarm):
    ebswarm.start()
    ebswarm.kill()
    assert ebswarm.socket.exists()
    ebswarm.start()
    assert ebswarm.call("Status")["state"] == "idle"


# ---- the engine ----

def test_threads_by_configuration(ebswarm, cold):
    volume = cold(size=SIZE, **FAST)
    ebswarm.configure(QUIET + "[Warm]\nEngine=threads\n")
    ebswarm.start(volume.device)
    assert ebswarm.call("Status")["engine"] == "threads"
    ebswarm.wait_state("warm")
    assert volume.unread() == []


IO_URING_SETUP = 425  # of every architecture
LD_NR, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2


def refuse_io_uring(error):
    """A seccomp filter, as a container's: for Popen's preexec_fn."""
    program = b"".join(struct.pack("HBBI", *step) for step in (
        (LD_NR, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, IO_URING_SETUP), (RETURN, 0, 0, ERRNO | error),
        (RETURN, 0, 0, ALLOW)))
    steps = ctypes.create_string_buffer(program)
    filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        assert libc.prctl(PR_SET_SECCOMP, MODE_FILTER, filter_) == 0

    apply.keep = steps
    return apply


def assert_fell_back(ebswarm, volume, word):
    status = ebswarm.call("Status")
    assert status["engine"] == "threads"
    assert word in status["engine_reason"]
    said = f"reading with threads, since io_uring is refused: {status['engine_reason']}"
    wait_until(lambda: said in ebswarm.log(), "it is said")
    ebswarm.wait_state("warm")
    assert volume.unread() == []


@pytest.mark.parametrize("error, word", [(1, "seccomp"), (38, "ENOSYS"), (22, "EINVAL")])
def test_io_uring_refused_by_seccomp(ebswarm, cold, error, word):
    volume = cold(size=SIZE, **FAST)
    ebswarm.configure(QUIET)
    ebswarm.start(volume.device, preexec_fn=refuse_io_uring(error))
    assert_fell_back(ebswarm, volume, word)


def test_io_uring_refused_though_it_is_demanded(ebswarm):
    ebswarm.configure("[Warm]\nEngine=io_uring\n")
    process = ebswarm.start_unready(preexec_fn=refuse_io_uring(1))
    assert process.wait(30) == 1
    assert "seccomp" in ebswarm.log() and "Engine=auto would fall back" in ebswarm.log()


# ---- memory ----

@pytest.mark.plain
def test_peak_memory_at_the_greatest_depth(ebswarm, cold):
    volume = cold(size="512M", **FAST)
    volume.hang()  # so that all are in flight together
    ebswarm.configure(QUIET + "[Warm]\nQueueDepth=1024\nBlockSize=256K\n")
    ebswarm.start(volume.device)
    ebswarm.wait_until(lambda v: v["in_flight"] == 1024, "full depth")
    volume.clear_faults()
    ebswarm.wait_state("warm")
    assert ebswarm.call("Status")["engine"] == "io_uring"
    with open(f"/proc/{ebswarm.process.pid}/status", encoding="ascii") as file:
        peak_kib = int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))
    print("peak", peak_kib, "KiB")
    assert peak_kib <= 8192
