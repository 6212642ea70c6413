# SPDX-License-Identifier: MIT
"""Whatever clients do to the daemon, it goes on warming; and ebswarmctl's words about a real one."""

import json
import os
import shutil
import socket
import subprocess
import tempfile

import pytest

from ebswarm import ctl_binary, wait_until

MIB = 1 << 20
SIZE = 64 * MIB
QUIET = "[Check]\nBefore=no\nAfter=no\n"
STATUS = b'{"method":"io.ebswarm.Status","more":true}\0'


@pytest.fixture
def warming(ebswarm, cold):
    """A daemon that warms slowly; told to finish, it must do so, with a complete record."""
    volume = cold(size=SIZE, first_touch_median="2ms", fetch_slots=256, throughput=20)
    ebswarm.configure(QUIET)
    ebswarm.start(volume.device)
    ebswarm.wait_state("warming")
    ebswarm.cold_volume = volume
    return ebswarm


def finish(ebswarm):
    before = ebswarm.volume()
    assert before["state"] == "warming"
    ebswarm.wait_until(lambda v: v["warm_bytes"] > before["warm_bytes"], "it goes on meanwhile")
    ebswarm.cold_volume.set(throughput=0)
    ebswarm.wait_state("warm")
    assert ebswarm.cold_volume.unread() == []
    assert ebswarm.cold_volume.record()["reread_bytes"] == 0
    assert ebswarm.terminate()[0] == 0  # with a leak or an overflow the sanitizers make it another


def connect(ebswarm):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(20)
    client.connect(str(ebswarm.socket))
    return client


def hangs_up(client):
    try:
        return client.recv(4096) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n\r\n\0", b"\0" * 1000, b"\xff\xfe{}\0",
                                     b"[" * 100000 + b"\0"])
def test_garbage(warming, garbage):
    client = connect(warming)
    client.sendall(garbage)
    assert hangs_up(client)
    finish(warming)


def test_half_a_message(warming):
    with connect(warming) as stays, connect(warming) as leaves:
        stays.sendall(b'{"method":"io.ebs')
        leaves.sendall(b'{"method":"io.ebs')
        leaves.close()
        finish(warming)


def test_ten_megabytes_without_an_end(warming):
    client = connect(warming)
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        client.sendall(b"x" * 10_000_000)
    finish(warming)


def test_never_reading(warming):
    with connect(warming) as streaming, connect(warming) as asking:
        streaming.sendall(STATUS)
        asking.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                asking.send(b'{"method":"io.ebswarm.Status"}\0' * 100)
        finish(warming)


def test_200_at_once(warming):
    clients = [connect(warming) for _ in range(200)]
    for client in clients:
        client.sendall(STATUS)
    for client in clients:
        answer = b""
        while b"\0" not in answer:
            answer += client.recv(65536)
        first = json.loads(answer.split(b"\0")[0])
        assert first["parameters"]["volumes"][0]["state"] == "warming"
    finish(warming)
    for client in clients:
        client.close()


# ---- ebswarmctl ----

# As the design has them: fields may be added, never renamed.
FLEET_FIELDS = {"version", "state", "volumes"}
VOLUME_FIELDS = {
    "id", "device", "state", "reason", "size_bytes", "planned_bytes", "warm_bytes",
    "unreadable_bytes", "percent", "rate_bytes_per_sec", "eta_sec", "queue_depth", "block_bytes",
    "origin", "check"}
ORIGIN_FIELDS = {"source", "snapshot", "fast_restored", "initialization_rate", "aws_progress"}


def test_status_json(warming):
    done = warming.ctl("status", "--json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert FLEET_FIELDS <= set(answer)
    (volume,) = answer["volumes"]
    assert VOLUME_FIELDS <= set(volume)
    assert ORIGIN_FIELDS <= set(volume["origin"])
    assert {"before", "after"} <= set(volume["check"])
    assert volume["device"] == warming.cold_volume.device
    assert volume["id"] == os.path.basename(volume["device"])
    assert volume["size_bytes"] == volume["planned_bytes"] == SIZE
    assert volume["state"] == answer["state"] == "warming"
    assert 0 <= volume["percent"] < 100
    finish(warming)


def test_wait_by_exit_status(warming):
    device = warming.cold_volume.device
    assert warming.ctl("wait", device, "--percent", "1").returncode == 0
    assert warming.ctl("wait", device, "--timeout", "100ms").returncode == 3
    assert warming.ctl("wait", "vol-xyz").returncode == 5
    assert warming.ctl("wait", "--percent", "101").returncode == 2
    warming.cold_volume.set(throughput=0)
    assert warming.ctl("wait").returncode == 0
    # The answer was not early.
    assert warming.cold_volume.unread() == []
    warming.kill()
    assert warming.ctl("wait").returncode == 1


def test_wait_ends_with_4_when_blocks_cannot_be_read(ebswarm, cold):
    volume = cold(size=SIZE, first_touch_median="2ms", fetch_slots=256)
    volume.fail(MIB, 4096)
    ebswarm.configure(QUIET)
    ebswarm.start(volume.device)
    done = ebswarm.ctl("wait")
    assert done.returncode == 4
    assert "cannot be read" in done.stdout + done.stderr


def test_wait_for_a_device_that_cannot_be_warmed(ebswarm):
    ebswarm.start("/dev/null")
    done = ebswarm.ctl("wait")
    assert done.returncode == 1
    assert "it is neither a block device nor a regular file" in done.stdout + done.stderr


def become_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


@pytest.fixture
def ctl_for_all():
    """The program where everybody may run it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield shutil.copy(ctl_binary(), folder)


def test_nobody_may_look_but_not_steer(warming, ctl_for_all):
    warming.open_to_all()

    def as_nobody(*words):
        return subprocess.run([ctl_for_all, *words], env=warming.environment(), text=True,
                              preexec_fn=become_nobody, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=30, check=False)

    assert as_nobody("status").returncode == 0
    assert as_nobody("wait", "--percent", "0").returncode == 0
    for verb in ("pause", "resume"):
        done = as_nobody(verb, "--all")
        assert done.returncode == 1
        assert "root" in done.stderr
    assert warming.volume()["state"] == "warming"
    finish(warming)


def test_pause_holds_the_reads_and_resume_lets_them_go(warming):
    device = warming.cold_volume.device
    assert warming.ctl("pause", device).returncode == 0
    warming.wait_until(lambda v: v["state"] == "paused" and v["in_flight"] == 0, "paused")
    reads = warming.cold_volume.record()["reads"]
    # A tick of the daemon's later there is still none.
    wait_until(lambda: "Paused" in warming.wait_notify("STATUS="), "systemd is told")
    assert warming.cold_volume.record()["reads"] == reads
    assert warming.ctl("resume", device).returncode == 0
    finish(warming)
