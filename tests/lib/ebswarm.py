# SPDX-License-Identifier: MIT
"""The daemon and its socket for system tests, in a folder of its own beside any installed one."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
DEADLINE_SEC = 60  # until a test that waits for something gives up


def build():
    return Path(os.environ.get("EBSWARM_BUILD", _ROOT / "build"))


def daemon_binary():
    return build() / "src" / "daemon" / "ebswarmd"


def ctl_binary():
    return build() / "src" / "ctl" / "ebswarmctl"


class Ebswarm:
    """Folders, configuration and processes of one test. Use it as a context manager."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="ebswarm-test-")
        self.folder = Path(self._folder.name)
        self.state = self.folder / "state"
        self.socket = self.folder / "run" / "io.ebswarm"
        self.configuration = self.folder / "etc"
        self.log_path = self.folder / "log"
        self.process = None
        self.notify = None
        for folder in (self.state, self.socket.parent, self.configuration):
            folder.mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.notify:
            self.notify.close()
        self._folder.cleanup()

    def environment(self):
        return {
            **os.environ,
            "STATE_DIRECTORY": str(self.state),
            "RUNTIME_DIRECTORY": str(self.socket.parent),
            "CONFIGURATION_DIRECTORY": str(self.configuration),
            "EBSWARM_SOCKET": str(self.socket),
            "LC_ALL": "C.UTF-8",
        }

    def wrap(self, command):
        """The command as it is run; for a subclass that runs it inside something."""
        return command

    def configure(self, text):
        (self.configuration / "ebswarm.conf").write_text(text)

    # -- once

    def once(self, *devices, timeout=300):
        """A finished `ebswarmd --once`: returncode, stdout, stderr."""
        return subprocess.run(
            self.wrap([daemon_binary(), "--once", *devices]),
            env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=timeout, check=False)

    def start_once(self, *devices):
        """One under way, for what happens in the middle. stderr goes to the log."""
        return self._spawn("--once", *devices)

    # -- as a service

    def start(self, *words):
        """Starts the service and returns once it has said READY=1."""
        if not self.notify:
            self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.notify.bind(str(self.folder / "notify"))
            self.notify.settimeout(DEADLINE_SEC)
        self._spawn(*words, NOTIFY_SOCKET=str(self.folder / "notify"))
        self.wait_notify("READY=1")
        return self.process

    def wait_notify(self, word):
        """The next message that holds the line `word` (or a line that begins with it, if it ends in =)."""
        while True:
            lines = self.notify.recv(65536).decode().splitlines()
            for line in lines:
                if line == word or (word.endswith("=") and line.startswith(word)):
                    return line

    def _spawn(self, *words, **environment):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.wrap([daemon_binary(), *words]), env={**self.environment(), **environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self.process

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        """SIGTERM; the exit status and how many seconds it took."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(DEADLINE_SEC)
        return status, time.monotonic() - start

    def log(self):
        return self.log_path.read_text()

    # -- asking

    def ctl(self, *words, timeout=DEADLINE_SEC):
        return subprocess.run(
            self.wrap([ctl_binary(), *words]), env=self.environment(), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=timeout, check=False)

    def call(self, method, **parameters):
        """One Varlink call; the reply's parameters."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(DEADLINE_SEC)
            client.connect(str(self.socket))
            message = {"method": f"io.ebswarm.{method}", "parameters": parameters}
            client.sendall(json.dumps(message).encode() + b"\0")
            answer = b""
            while not answer.endswith(b"\0"):
                part = client.recv(65536)
                assert part, f"{method}: the daemon hung up"
                answer += part
            reply = json.loads(answer[:-1])
            assert "error" not in reply, reply
            return reply["parameters"]

    def volumes(self):
        return self.call("Status")["volumes"]

    def volume(self):
        volumes = self.volumes()
        assert len(volumes) == 1, volumes
        return volumes[0]

    def wait_until(self, is_so, what):
        """Asks for the (only) volume until `is_so(volume)`; the volume."""
        return wait_until(lambda: (v := self.volume()) and is_so(v) and v, what)

    def wait_state(self, state):
        return self.wait_until(lambda volume: volume["state"] == state, f"state {state}")

    # -- the checkpoint

    def checkpoints(self):
        return sorted(self.state.glob("*.checkpoint"))

    def warm_ranges(self):
        """[(start, end)] that the only checkpoint calls warm; [] without one."""
        files = self.checkpoints()
        if not files:
            return []
        assert len(files) == 1, files
        lines = files[0].read_text().splitlines()
        return [tuple(map(int, line.split()[1:])) for line in lines if line.startswith("warm ")]


def wait_until(is_so, what):
    """Polls until `is_so()` is true, and returns it."""
    deadline = time.monotonic() + DEADLINE_SEC
    while time.monotonic() < deadline:
        value = is_so()
        if value:
            return value
        time.sleep(0.02)  # the pace of asking, not a wait for something to have happened
    raise AssertionError(f"not within {DEADLINE_SEC} s: {what}")
