# SPDX-License-Identifier: MIT
"""The daemon and its socket for system tests, in a folder of its own beside any installed one."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
DEADLINE_SEC = 30  # until a test that waits for something gives up


def build():
    return Path(os.environ.get("EBSWARM_BUILD", _ROOT / "build"))


def daemon_binary():
    return build() / "src" / "daemon" / "ebswarmd"


def ctl_binary():
    return build() / "src" / "ctl" / "ebswarmctl"


class Notify:
    """What the daemon tells systemd. Read all the time: a full socket would hold the daemon up."""

    def __init__(self, path):
        self.path = str(path)
        self.messages = []  # each a list of lines
        self._next = 0
        self._news = threading.Condition()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.path)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while (data := self._socket.recv(65536)) != b"end":
            with self._news:
                self.messages.append(data.decode().splitlines())
                self._news.notify_all()
        self._socket.close()

    def close(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
            own.sendto(b"end", self.path)

    def wait(self, word):
        """In the next message that has it, the line `word`; or one that begins with it, if it ends in =."""
        with self._news:
            while True:
                while self._next == len(self.messages):
                    assert self._news.wait(DEADLINE_SEC), f"no {word} within {DEADLINE_SEC} s"
                self._next += 1
                for line in self.messages[self._next - 1]:
                    if line == word or (word.endswith("=") and line.startswith(word)):
                        return line

    def wait_text(self, text):
        """A message from now on that has `text` somewhere."""
        with self._news:
            while True:
                assert self._news.wait(DEADLINE_SEC), f"no {text!r} within {DEADLINE_SEC} s"
                if any(text in line for line in self.messages[-1]):
                    return self.messages[-1]

    def count(self, word):
        with self._news:
            return sum(word in lines for lines in self.messages)


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

    def open_to_all(self):
        """For a daemon that is not root."""
        for folder in (self.folder, self.state, self.socket.parent, self.configuration):
            folder.chmod(0o777)

    def process_cpu_ticks(self):
        """What the daemon has used of the processor, in hundredths of a second."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def configure(self, text):
        (self.configuration / "ebswarm.conf").write_text(text)

    # -- once

    def once(self, *devices, timeout=300, **keys):
        """A finished `ebswarmd --once`: returncode, stdout, stderr. Other keys: subprocess.run's."""
        return subprocess.run(
            self.wrap([daemon_binary(), "--once", *devices]),
            env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=timeout, check=False, **keys)

    def start_once(self, *devices):
        """One under way, for what happens in the middle. stderr goes to the log."""
        return self._spawn("--once", *devices)

    # -- as a service

    def start(self, *words, **keys):
        """Starts the service and returns once it has said READY=1. Keys: those of start_unready()."""
        self.start_unready(*words, **keys)
        self.wait_notify("READY=1")
        return self.process

    def start_activated(self, listener, *words):
        """With a listening socket passed as systemd does it."""
        def pass_on():
            os.dup2(listener, 3)  # SD_LISTEN_FDS_START; inheritable

        # The shell knows the process id that the daemon will have.
        self.start(*words, via=["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh"],
                   environment={"LISTEN_FDS": "1"}, preexec_fn=pass_on, close_fds=False)

    def start_unready(self, *words, environment=None, **keys):
        """`environment` is added to; other keys are subprocess.Popen's."""
        if not self.notify:
            self.notify = Notify(self.folder / "notify")
        return self._spawn(*words, environment={"NOTIFY_SOCKET": self.notify.path,
                                                **(environment or {})}, **keys)

    def wait_notify(self, word):
        return self.notify.wait(word)

    def _spawn(self, *words, environment=None, via=(), **keys):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.wrap([*via, daemon_binary(), *words]),
                env={**self.environment(), **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, **keys)
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

    def reload(self):
        """SIGHUP; returns once the daemon says that it is through with it."""
        self.process.send_signal(signal.SIGHUP)
        self.wait_notify("RELOADING=1")
        self.wait_notify("READY=1")

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
        """All that is known of all volumes, by device as it was named."""
        return {volume["device"]: volume for volume in self.call("Status")["volumes"]}

    def volume(self, device=None):
        """The named one, None while there is none; without a name, the only one."""
        if device:
            return self.volumes().get(device)
        (volume,) = self.volumes().values()
        return volume

    def wait_until(self, is_so, what, device=None):
        """Asks for that volume (or the only one) until `is_so(volume)`; the volume."""
        return wait_until(lambda: (v := self.volume(device)) and is_so(v) and v, what)

    def wait_state(self, state):
        return self.wait_until(lambda volume: volume["state"] == state, f"state {state}")

    # -- the checkpoint

    def checkpoints(self):
        return sorted(self.state.glob("*.checkpoint"))

    def warm_ranges(self):
        """[(start, end)] that the only checkpoint calls warm; [] without one."""
        return self._checkpoint_ranges("warm")

    def unreadable_ranges(self):
        return self._checkpoint_ranges("unreadable")

    def _checkpoint_ranges(self, key):
        files = self.checkpoints()
        if not files:
            return []
        assert len(files) == 1, files
        lines = files[0].read_text().splitlines()
        return [tuple(map(int, line.split()[1:])) for line in lines if line.startswith(key + " ")]


def wait_until(is_so, what):
    """Polls until `is_so()` is true, and returns it."""
    deadline = time.monotonic() + DEADLINE_SEC
    while time.monotonic() < deadline:
        value = is_so()
        if value:
            return value
        time.sleep(0.02)  # the pace of asking, not a wait for something to have happened
    raise AssertionError(f"not within {DEADLINE_SEC} s: {what}")
