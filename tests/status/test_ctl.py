# SPDX-License-Identifier: MIT
"""ebswarmctl against a scripted status server: what it prints, and its exit statuses."""
import json
import os
import pty
import re
import subprocess

import pytest

from status_server import CTL, DEADLINE, VOLUME



def start(server, *arguments, stdout=subprocess.PIPE, **environment):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm",
                   "EBSWARM_SOCKET": getattr(server, "path", server), **environment}
    return subprocess.Popen([CTL, *arguments], stdout=stdout, stderr=subprocess.PIPE,
                            text=True, env=environment)


def run(server, *arguments, **environment):
    process = start(server, *arguments, **environment)
    out, err = process.communicate(timeout=DEADLINE)
    return process.returncode, out, err


# ---- usage ----

@pytest.mark.parametrize("arguments, message", [
    ([], "which command"),
    (["statsu"], 'did you mean "status"?'),
    (["wiat"], 'did you mean "wait"?'),
    (["frobnicate"], "see ebswarmctl --help"),
    (["status", "--percent", "3"], "status has no option --percent"),
    (["wait", "--percent", "101"], "a number from 0 to 100"),
    (["wait", "--timeout", "soon"], "a time such as"),
    (["wait", "--timeout"], "requires an argument"),
    (["status", "--melt"], "unrecognized option"),
    (["pause"], "name the volumes"),
    (["resume", "--all", "x"], "not both"),
])
def test_wrong_usage(arguments, message):
    status, out, err = run("/nonexistent", *arguments)
    assert status == 2 and out == "" and message in err


def test_help_and_version():
    status, out, _ = run("/nonexistent", "--help")
    assert status == 0 and "wait" in out
    for verb, option in (("status", "--watch"), ("wait", "--percent N"), ("pause", "--all"),
                         ("resume", "--all")):
        status, out, _ = run("/nonexistent", verb, "--help")
        assert status == 0 and option in out and out.startswith("ebswarmctl " + verb)
    status, out, _ = run("/nonexistent", "--version")
    assert status == 0 and re.fullmatch(r"ebswarmctl \d+\.\d+\.\d+\n", out)


@pytest.mark.parametrize("command", [["status"], ["status", "--watch"], ["wait"],
                                     ["pause", "--all"]])
def test_no_daemon(command):
    status, out, err = run("/nonexistent/socket", *command)
    assert status == 1 and out == "" and "systemctl start ebswarmd" in err


# ---- status ----

def test_status_into_a_pipe(warming):
    status, out, err = run(warming, "status")
    assert (status, err) == (0, "")
    assert "\033" not in out
    head, row, *_ = out.splitlines()
    assert head.split() == ["VOLUME", "DEVICE", "SIZE", "STATE", "PERCENT", "RATE", "ETA"]
    assert row.split()[0] == VOLUME and "43.2 %" in row and "█" in row


def test_status_without_utf8(warming):
    _, out, _ = run(warming, "status", LC_ALL="C")
    assert out.isascii() and "##" in out


def test_status_json(warming):
    status, out, _ = run(warming, "--json", "status")
    answer = json.loads(out)
    assert status == 0 and out.count("\n") == 1
    assert {"version", "state", "volumes"} <= set(answer)
    assert answer["volumes"][0]["percent"] == 43.2


def test_status_of_an_unknown_volume(warming):
    status, out, err = run(warming, "status", "vol-00000000000000001")
    assert status == 5 and out == "" and "vol-00000000000000001" in err


def test_status_by_a_link(warming, tmp_path):
    link = f"/dev/shm/{tmp_path.name}-{os.getpid()}"
    warming.volume("warm", 10, 10, id="null", device="/dev/null")
    os.symlink("/dev/null", link)
    try:
        status, out, _ = run(warming, "--json", "status", link)
    finally:
        os.unlink(link)
    assert status == 0 and json.loads(out)["volumes"][0]["id"] == "null"


def on_terminal(server, *arguments, **environment):
    parent, child = pty.openpty()
    process = start(server, *arguments, stdout=child, **environment)
    os.close(child)
    return process, parent


def read_until(fd, text):
    seen = ""
    while text not in seen:
        data = os.read(fd, 4096)
        assert data, seen
        seen += data.decode()
    return seen


def test_colour_only_on_a_terminal_and_not_with_no_color(warming):
    process, terminal = on_terminal(warming, "status")
    assert "\033[1m" in read_until(terminal, "Warming 1 volume")
    assert process.wait(DEADLINE) == 0
    process, terminal = on_terminal(warming, "status", NO_COLOR="1")
    assert "\033" not in read_until(terminal, "Warming 1 volume")
    assert process.wait(DEADLINE) == 0


def test_watch_on_a_terminal_follows_also_over_a_restart(warming):
    process, terminal = on_terminal(warming, "status", "--watch")
    try:
        read_until(terminal, "43.2 %")
        warming.volume("warming", 500)
        read_until(terminal, "50.0 %")
        warming.kill()
        assert "waiting for it" in process.stderr.readline()
        warming.start()
        warming.volume("warming", 600)
        read_until(terminal, "60.0 %")
    finally:
        process.kill()
        process.wait()


def test_watch_into_a_pipe_prints_changes(warming):
    process = start(warming, "status", "--watch")
    try:
        assert "warming, 43.2 %" in process.stdout.readline()
        warming.volume("warming", 433)  # the same whole percent: no news
        warming.volume("warm", 1000)
        assert "warm, 100.0 %" in process.stdout.readline()
    finally:
        process.kill()
        process.wait()


# ---- wait ----

def test_wait_when_warm_and_when_nothing_needs_it(warming):
    warming.volume("warm", 1000)
    warming.volume("skipped", 0, 0, id="loop0", device="/dev/loop0", reason="no snapshot")
    status, out, err = run(warming, "wait")
    assert (status, err) == (0, "")
    assert out == (f"{VOLUME} (/dev/nvme1n1): warm\n"
                   "loop0 (/dev/loop0): skipped: no snapshot\n")
    warming.tell("remove " + VOLUME)
    warming.tell("remove loop0")
    assert run(warming, "wait")[:2] == (0, "no volumes to warm\n")


def test_wait_returns_when_it_gets_warm(warming):
    process, terminal = on_terminal(warming, "wait", "nvme1n1")
    read_until(terminal, "43 % warm")
    warming.volume("warm", 1000)
    assert process.wait(DEADLINE) == 0


def test_exit_statuses_of_wait(warming):
    status, _, err = run(warming, "wait", "--timeout", "50ms")
    assert status == 3 and f"time-out: {VOLUME} is warming, 43 % warm" in err
    assert run(warming, "wait", "--percent", "43")[0] == 0
    assert run(warming, "wait", "vol-xyz")[0] == 5
    warming.volume("incomplete", 999)
    status, _, err = run(warming, "wait")
    assert status == 4 and "cannot be read" in err
    warming.volume("failed", 0, reason="no such device")
    status, _, err = run(warming, "wait")
    assert status == 1 and "no such device" in err


def test_wait_json(warming):
    status, out, _ = run(warming, "--json", "wait", "--timeout", "0")
    assert status == 3 and json.loads(out)["exit_status"] == 3


def test_wait_survives_a_restart_and_is_not_early_after_it(warming):
    process, terminal = on_terminal(warming, "wait", VOLUME)
    read_until(terminal, "43 % warm")
    warming.kill()
    warming.start()
    warming.volume("warm", 1000)
    read_until(terminal, "looked for")
    assert process.poll() is None
    warming.tell("settled 1")
    assert process.wait(DEADLINE) == 0


def test_wait_times_out_without_a_daemon(warming):
    process, terminal = on_terminal(warming, "wait", "--timeout", "1")
    read_until(terminal, "43 % warm")
    warming.kill()
    assert process.wait(DEADLINE) == 3
    assert "43 % warm" in process.stderr.read()


def test_wait_times_out_when_the_daemon_hangs(warming):
    process, terminal = on_terminal(warming, "wait", "--timeout", "1")
    read_until(terminal, "43 % warm")
    os.kill(warming.process.pid, 19)  # SIGSTOP
    try:
        assert process.wait(DEADLINE) == 3
    finally:
        os.kill(warming.process.pid, 18)  # SIGCONT


# ---- control ----

def test_pause_and_resume(warming):
    assert run(warming, "pause", "nvme1n1")[:2] == (0, VOLUME + ": paused\n")
    assert run(warming, "resume", "--all")[:2] == (0, VOLUME + ": resumed\n")
    assert run(warming, "pause", "loop9")[0] == 5
    warming.volume("failed", 0)
    status, out, err = run(warming, "resume", VOLUME)
    assert status == 1 and out == "" and "Input/output error" in err
    warming.tell("settled 1")
    assert warming.orders == ["pause " + VOLUME, "resume *", "resume " + VOLUME]
