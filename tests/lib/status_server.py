# SPDX-License-Identifier: MIT
"""A status server over a scripted fleet (src/status/test-server.c), and clients of its socket."""
import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

VOLUME = "vol-0123456789abcdef0"
BUILD = Path(os.environ.get("EBSWARM_BUILD", Path(__file__).resolve().parents[2] / "build"))
CTL = str(BUILD / "src" / "ctl" / "ebswarmctl")
TEST_SERVER = str(BUILD / "src" / "status" / "test-server")
INTERFACE_FILE = Path(__file__).resolve().parents[2] / "src" / "status" / "io.ebswarm.varlink"
DEADLINE = 20  # seconds until a test that waits gives up


class Server:
    def __init__(self, path):
        self.path = path
        self.process = None
        self.orders = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [TEST_SERVER, self.path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        assert self.process.stdout.readline() == "ok\n"

    def tell(self, line):
        """Returns when the server has taken it in. What clients ordered meanwhile is kept."""
        self.process.stdin.write(line + "\n")
        while (answer := self.process.stdout.readline()) != "ok\n":
            assert answer and answer != "what?\n", line
            self.orders.append(answer.strip())

    def volume(self, state, warm, planned=1000, id=VOLUME, device="/dev/nvme1n1", reason=""):
        self.tell(f"volume {id} {device} {state} {planned} {warm} {reason}".rstrip())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.write("end\n")
            self.process.communicate(timeout=DEADLINE)
        return self.process.returncode

    def connect(self):
        return Client(self.path)


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(path)
        self.buffer = b""

    def send(self, method, more=False, oneway=False, **parameters):
        call = {"method": method, "parameters": parameters}
        if more:
            call["more"] = True
        if oneway:
            call["oneway"] = True
        self.raw(json.dumps(call).encode() + b"\0")

    def raw(self, data):
        self.socket.sendall(data)

    def receive(self):
        """The next message; None when the server has closed the connection."""
        while b"\0" not in self.buffer:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.send(method, **parameters)
        return self.receive()

    def close(self):
        self.socket.close()


@pytest.fixture
def server():
    # Not pytest's own folder, which other users may not enter.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        server = Server(os.path.join(folder, "io.ebswarm"))
        yield server
        assert server.stop() in (0, -9), "the server crashed"


@pytest.fixture
def warming(server):
    server.volume("warming", 432)
    server.tell("settled 1")
    return server
