# SPDX-License-Identifier: MIT
"""The socket: what it answers, and that a bad client costs only its own connection."""
import json
import os
import re
import socket
import stat
import subprocess

import pytest

import status_server
from status_server import DEADLINE, VOLUME

STATUS = "io.ebswarm.Status"
WAIT = "io.ebswarm.Wait"


def answers(server):
    """False where it turned the client away."""
    client = server.connect()
    client.send(STATUS)
    reply = client.receive()
    client.close()
    return reply is not None and reply["parameters"]["version"] == "1.2.3"


# ---- what it answers ----

def test_status(warming):
    reply = warming.connect().call(STATUS)
    assert "error" not in reply and "continues" not in reply
    volume, = reply["parameters"]["volumes"]
    assert volume["id"] == VOLUME
    assert volume["percent"] == 43.2
    assert volume["eta_sec"] is None


def test_status_by_name(warming):
    warming.volume("warm", 10, 10, id="loop0", device="/dev/loop0")
    client = warming.connect()
    for what in (["loop0"], ["/dev/loop0"]):
        volumes = client.call(STATUS, what=what)["parameters"]["volumes"]
        assert [v["id"] for v in volumes] == ["loop0"]
    assert len(client.call(STATUS, what=[])["parameters"]["volumes"]) == 2
    reply = client.call(STATUS, what=["loop0", "loop9"])
    assert reply == {"error": "io.ebswarm.NoSuchVolume", "parameters": {"what": "loop9"}}


def test_the_service_describes_itself(warming):
    client = warming.connect()
    info = client.call("org.varlink.service.GetInfo")["parameters"]
    assert info["interfaces"] == ["org.varlink.service", "io.ebswarm"]
    assert info["version"] == "1.2.3"
    with open(status_server.INTERFACE_FILE, encoding="utf-8") as file:
        text = file.read()
    get = "org.varlink.service.GetInterfaceDescription"
    assert client.call(get, interface="io.ebswarm")["parameters"]["description"] == text
    assert "interface org.varlink.service" in \
        client.call(get, interface="org.varlink.service")["parameters"]["description"]
    assert client.call(get, interface="a.b")["error"] == "org.varlink.service.InterfaceNotFound"
    assert client.call(get) == {"error": "org.varlink.service.InvalidParameter",
                                "parameters": {"parameter": "interface"}}


def fields_of(text, name):
    """The names of the fields that a method answers with."""
    answer = re.search(rf"method {name}\(.*?\) -> \((.*?)\)\n", text, re.S).group(1)
    return set(re.findall(r"(\w+):", answer))


def test_every_method_of_the_file_answers_as_it_says(warming):
    with open(status_server.INTERFACE_FILE, encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
    methods = re.findall(r"^method (\w+)", text, re.M)
    assert methods
    client = warming.connect()
    for method in methods:
        arguments = {"timeout_sec": 0} if method == "Wait" else {}
        reply = client.call("io.ebswarm." + method, **arguments)
        assert "error" not in reply, method
        assert set(reply["parameters"]) == fields_of(text, method)
    name = re.search(r"type VolumeName \((.*?)\)", text, re.S).group(1)
    volume, = client.call("io.ebswarm.List")["parameters"]["volumes"]
    assert set(volume) == set(re.findall(r"(\w+):", name))


@pytest.mark.parametrize("method, error, parameters", [
    ("io.ebswarm.Melt", "MethodNotFound", {"method": "io.ebswarm.Melt"}),
    ("io.other.Status", "InterfaceNotFound", {"interface": "io.other"}),
    ("Status", "InvalidParameter", {"parameter": "method"}),
])
def test_unknown_methods(warming, method, error, parameters):
    reply = warming.connect().call(method)
    assert reply == {"error": "org.varlink.service." + error, "parameters": parameters}


def test_bad_parameters_are_named(warming):
    client = warming.connect()
    for parameters, bad in (({"what": "x"}, "what"), ({"percent": 101}, "percent"),
                            ({"timeout_sec": "1"}, "timeout_sec"), ({"speed": 1}, "speed")):
        reply = client.call(WAIT, **parameters)
        assert reply == {"error": "org.varlink.service.InvalidParameter",
                         "parameters": {"parameter": bad}}


def test_pipelined_calls_are_answered_in_order(warming):
    client = warming.connect()
    call = json.dumps({"method": STATUS, "parameters": {"what": ["%s"]}})
    client.raw(b"".join((call % f"no-{i}").encode() + b"\0" for i in range(500)))
    for i in range(500):
        assert client.receive()["parameters"]["what"] == f"no-{i}"


def test_a_call_waits_for_the_one_before_it(warming):
    client = warming.connect()
    client.send(WAIT)
    client.send(STATUS)
    warming.volume("warm", 1000)
    assert client.receive()["parameters"]["exit_status"] == 0
    assert client.receive()["parameters"]["version"] == "1.2.3"


def test_oneway_is_not_answered(warming):
    client = warming.connect()
    client.send("io.ebswarm.Pause", oneway=True)
    assert "volumes" in client.call(STATUS)["parameters"]
    warming.tell("settled 1")
    assert warming.orders == ["pause *"]


def test_oneway_is_obeyed_when_the_client_leaves_at_once(warming):
    client = warming.connect()
    client.send("io.ebswarm.Pause", oneway=True)
    client.close()
    assert answers(warming)
    warming.tell("settled 1")
    assert warming.orders == ["pause *"]


def test_a_client_that_only_stops_sending_gets_its_answer(warming):
    client = warming.connect()
    client.send(WAIT)
    client.socket.shutdown(socket.SHUT_WR)
    warming.volume("warm", 1000)
    assert client.receive()["parameters"]["exit_status"] == 0
    assert client.receive() is None


# ---- streams ----

def test_a_stream_begins_with_the_present_and_goes_on(warming):
    client = warming.connect()
    client.send(STATUS, more=True)
    reply = client.receive()
    assert reply["continues"] is True
    assert reply["parameters"]["volumes"][0]["warm_bytes"] == 432
    warming.volume("warming", 500)
    assert client.receive()["parameters"]["volumes"][0]["warm_bytes"] == 500


def test_a_burst_of_changes_is_one_message(warming):
    client = warming.connect()
    client.send(STATUS, more=True)
    client.receive()
    warming.volume("warming", 433)
    client.receive()
    for warm in range(434, 600):
        warming.volume("warming", warm)
    seen = [client.receive()["parameters"]["volumes"][0]["warm_bytes"]]
    while seen[-1] != 599:
        seen.append(client.receive()["parameters"]["volumes"][0]["warm_bytes"])
    assert len(seen) < 20


def test_who_reads_late_misses_states_but_not_the_last(warming):
    for i in range(60):
        warming.volume("warming", 1, id=f"x{i}", device="/dev/x" + "x" * 50)
    client = warming.connect()
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.send(STATUS, more=True)
    other = warming.connect()
    other.send(STATUS, more=True)
    # The other one's messages pace the ticks: enough of them to fill the first one's socket.
    for warm in range(2, 16):
        other.receive()
        warming.volume("warming", warm)
    warming.volume("warm", 1000)
    states = 0
    while True:
        volumes = client.receive()["parameters"]["volumes"]
        states += 1
        if [v for v in volumes if v["id"] == VOLUME][0]["warm_bytes"] == 1000:
            break
    assert states < 14


# ---- waits ----

def test_wait_not_before_discovery_has_settled(server):
    server.volume("warm", 1000)
    client = server.connect()
    client.send(WAIT, more=True)
    reply = client.receive()
    assert reply["continues"] and reply["parameters"]["exit_status"] is None
    assert "looked for" in reply["parameters"]["why"]
    server.tell("settled 1")
    assert client.receive()["parameters"]["exit_status"] == 0


def test_wait_for_a_volume_that_appears_later(warming):
    client = warming.connect()
    client.send(WAIT, what=["nvme9n1"], more=True)
    assert "nvme9n1 has not appeared" in client.receive()["parameters"]["why"]
    warming.volume("warm", 10, 10, id="vol-00000000000000009", device="/dev/nvme9n1")
    reply = client.receive()
    assert reply["parameters"]["exit_status"] == 0
    assert [v["id"] for v in reply["parameters"]["volumes"]] == ["vol-00000000000000009"]


def test_a_wait_for_all_is_for_what_was_there_when_discovery_had_settled(warming):
    client = warming.connect()
    client.send(WAIT, more=True)
    assert "43 % warm" in client.receive()["parameters"]["why"]
    warming.volume("warming", 0, id="vol-00000000000000009", device="/dev/nvme9n1")
    warming.volume("warm", 1000)
    reply = client.receive()
    assert reply["parameters"]["exit_status"] == 0
    # One that asks now has both before it.
    assert warming.connect().call(WAIT, timeout_sec=0)["parameters"]["exit_status"] == 3


def test_wait_for_what_can_never_be(warming):
    reply = warming.connect().call(WAIT, what=["vol-xyz"])
    assert reply == {"error": "io.ebswarm.NoSuchVolume", "parameters": {"what": "vol-xyz"}}


def test_wait_for_a_mark(warming):
    assert warming.connect().call(WAIT, percent=43)["parameters"]["exit_status"] == 0
    assert warming.connect().call(WAIT, percent=44, timeout_sec=0)["parameters"][
        "exit_status"] == 3


def test_wait_times_out_and_says_why(warming):
    reply = warming.connect().call(WAIT, timeout_sec=0.05)
    assert reply["parameters"]["exit_status"] == 3
    assert reply["parameters"]["why"] == f"{VOLUME} is warming, 43 % warm"


def test_wait_ends_with_unreadable_blocks_and_with_failure(warming):
    warming.volume("incomplete", 999)
    assert warming.connect().call(WAIT)["parameters"]["exit_status"] == 4
    assert warming.connect().call(WAIT, percent=99)["parameters"]["exit_status"] == 0
    warming.volume("failed", 999, reason="permission denied")
    reply = warming.connect().call(WAIT, percent=99)
    assert reply["parameters"]["exit_status"] == 1
    assert "permission denied" in reply["parameters"]["why"]


def test_a_volume_that_is_gone_is_waited_for(warming):
    warming.volume("gone", 1000)
    client = warming.connect()
    client.send(WAIT, more=True)
    assert client.receive()["continues"]
    warming.volume("warm", 1000)
    assert client.receive()["parameters"]["exit_status"] == 0


def test_a_waiting_client_may_leave(warming):
    for _ in range(20):
        client = warming.connect()
        client.send(WAIT, more=True, timeout_sec=1)
        client.receive()
        client.close()
    warming.volume("warm", 1000)
    assert answers(warming)


# ---- control ----

def test_pause_and_resume_by_name(warming):
    client = warming.connect()
    reply = client.call("io.ebswarm.Pause", what=["nvme1n1"])
    assert reply["parameters"] == {"volumes": [VOLUME]}
    assert client.call(STATUS)["parameters"]["volumes"][0]["state"] == "paused"
    assert client.call("io.ebswarm.Resume")["parameters"] == {"volumes": [VOLUME]}
    assert client.call("io.ebswarm.Pause", what=["x"])["error"] == "io.ebswarm.NoSuchVolume"
    warming.tell("settled 1")
    assert warming.orders == ["pause " + VOLUME, "resume *"]


def test_what_the_daemon_cannot_do_is_said(warming):
    warming.volume("failed", 0)
    reply = warming.connect().call("io.ebswarm.Resume", what=[VOLUME])
    assert reply["error"] == "io.ebswarm.Failed"
    assert VOLUME in reply["parameters"]["reason"]


AS_NOBODY = """
import os, sys
os.setgroups([int(g) for g in sys.argv[2].split(",") if g]); os.setgid(65534); os.setuid(65534)
sys.path.insert(0, sys.argv[3])
import status_server
client = status_server.Client(sys.argv[1])
print(client.call("io.ebswarm.Status").get("error"), client.call("io.ebswarm.Pause").get("error"))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_anybody_may_look_but_not_steer(warming):
    here = os.path.dirname(status_server.__file__)
    result = subprocess.run(["/usr/bin/python3", "-c", AS_NOBODY, warming.path, "", here],
                            capture_output=True, text=True, timeout=DEADLINE, check=True)
    assert result.stdout.split() == ["None", "org.varlink.service.PermissionDenied"]
    warming.tell("settled 1")
    assert warming.orders == []


# ---- the socket itself ----

def test_the_socket_is_open_to_all_and_goes_with_the_server(warming):
    assert stat.S_IMODE(os.stat(warming.path).st_mode) == 0o666
    assert warming.stop() == 0
    assert not os.path.exists(warming.path)


def test_a_socket_left_by_a_killed_server_is_replaced(warming):
    warming.kill()
    assert os.path.exists(warming.path)
    warming.start()
    assert answers(warming)


def start_another(path):
    return subprocess.run([status_server.TEST_SERVER, path], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=DEADLINE, check=False)


def test_a_second_server_does_not_steal_the_socket(warming):
    result = start_another(warming.path)
    assert result.returncode == 1 and "another ebswarmd" in result.stderr
    assert answers(warming)


def test_what_is_no_socket_is_left_alone(tmp_path):
    path = tmp_path / "file"
    path.write_text("precious")
    result = start_another(str(path))
    assert result.returncode == 1 and "no socket" in result.stderr
    assert path.read_text() == "precious"


# ---- bad clients ----

@pytest.mark.parametrize("garbage", [
    b"\0", b"hello\0", b"{\0", b"[]\0", b"{}\0", b'{"method":7}\0', b"\xff\xfe\0",
    b'{"method":"a.B","parameters":[]}\0', b'{"method":"a.B","more":1}\0',
    b'{"method":"a.B","more":true,"oneway":true}\0', b'{"method":"a.B","upgrade":true}\0',
    b'{"method":"a.B","method":"a.C"}\0', b"[" * 100000 + b"\0",
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n\0",
])
def test_garbage_ends_the_connection(warming, garbage):
    client = warming.connect()
    client.raw(garbage)
    assert client.receive() is None
    assert answers(warming)


def test_half_a_message_then_silence(warming):
    client = warming.connect()
    client.raw(b'{"method":"io.ebswarm.Sta')
    assert answers(warming)
    client.raw(b'tus"}\0')
    assert client.receive()["parameters"]["version"] == "1.2.3"


def test_half_a_message_then_gone(warming):
    client = warming.connect()
    client.raw(b'{"method":"io.ebswarm.Sta')
    client.close()
    assert answers(warming)


def test_ten_megabytes_without_an_end(warming):
    client = warming.connect()
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        client.raw(b"x" * 10_000_000)
    assert answers(warming)
    with open(f"/proc/{warming.process.pid}/status", encoding="ascii") as file:
        peak_kib = int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))
    if "libasan" not in open(f"/proc/{warming.process.pid}/maps", encoding="utf-8").read():
        assert peak_kib < 16 * 1024


def test_many_calls_and_never_reading(warming):
    client = warming.connect()
    client.socket.settimeout(1)
    call = json.dumps({"method": STATUS}).encode() + b"\0"
    with pytest.raises(TimeoutError):
        while True:
            client.raw(call * 1000)
    assert answers(warming)


def test_streaming_and_never_reading(warming):
    client = warming.connect()
    client.send(STATUS, more=True)
    reader = warming.connect()
    reader.send(STATUS, more=True)
    for warm in range(433, 440):
        reader.receive()
        warming.volume("warming", warm)
    assert answers(warming)


def test_200_clients_at_once(warming):
    clients = [warming.connect() for _ in range(200)]
    for client in clients:
        client.send(WAIT, more=True)
    for client in clients:
        assert client.receive()["continues"]
    warming.volume("warm", 1000)
    for client in clients:
        assert client.receive()["parameters"]["exit_status"] == 0


def test_mute_clients_make_room(warming):
    mute = [warming.connect() for _ in range(600)]
    assert answers(warming)
    assert mute[0].receive() is None
    # The youngest still have their places.
    assert mute[-1].call(STATUS)["parameters"]["version"] == "1.2.3"


def test_a_full_house_of_waiting_clients_turns_others_away(warming):
    waiting = []
    for _ in range(512):
        client = warming.connect()
        client.send(WAIT, more=True)
        assert client.receive()["continues"]
        waiting.append(client)
    late = warming.connect()
    assert late.receive() is None
    waiting.pop().close()
    # The server sees the next connection and the end of this one in any order: asked again, it answers.
    assert any(answers(warming) for _ in range(1000))
