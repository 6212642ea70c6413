# SPDX-License-Identifier: MIT
"""A simulated cold volume for tests: see docs/coldvol.md.

    with ColdVolume(size="256M", throughput=100) as volume:
        read(volume.device)
        assert volume.record()["writes"] == 0
        assert volume.unread() == []
"""

import itertools
import os
import subprocess
from pathlib import Path

_numbers = itertools.count(1)
_ROOT = Path(__file__).resolve().parents[2]
COMMAND_TIMEOUT_SEC = 60


def binary():
    """The coldvol program of the build under test."""
    build = Path(os.environ.get("EBSWARM_BUILD", _ROOT / "build"))
    return build / "tests" / "coldvol" / "coldvol"


def why_not(loop=True):
    """Why no cold volume can be had here; None when one can. For pytest's skip."""
    if not binary().exists():
        return f"{binary()} is not built (needs libfuse3)"
    if os.geteuid() != 0:
        return "a cold volume needs root"
    for node in ["/dev/fuse"] + (["/dev/loop-control"] if loop else []):
        if not os.path.exists(node):
            return f"a cold volume needs {node}"
    return None


class ColdVolumeError(Exception):
    """What coldvol says on stderr."""


class ColdVolume:
    """One volume, by default up from entering the context to leaving it.

    Keys are those of `coldvol --help`: ColdVolume(size="1G", fetch_slots=8).
    """

    def __init__(self, *, name=None, loop=True, read_write=False, loop_device=None, **keys):
        self.name = name or f"t{os.getpid()}-{next(_numbers)}"
        self.loop = loop
        self.read_write = read_write
        self.loop_device = loop_device
        self.keys = keys
        self.is_up = False
        self.path = None  # /dev/loopN, or without a loop the file

    # -- up and down

    def up(self, **keys):
        words = [f"{key}={value}" for key, value in {**self.keys, **keys}.items()]
        if not self.loop:
            words.append("--no-loop")
        self.path = self._run("up", *self._loop_words(), *words).strip()
        self.is_up = True
        return self

    def down(self, keep_state=False):
        self.is_up = False
        self._run("down", *(["--keep-state"] if keep_state else []))

    def reboot(self):
        """Down and up again with granule states and record kept; the device may be another."""
        self.down(keep_state=True)
        return self.up()

    def __enter__(self):
        return self if self.is_up else self.up()

    def __exit__(self, *_):
        # Also after a test that killed the server or kept the state.
        if self.folder.exists():
            self.down()

    # -- places

    @property
    def folder(self):
        return Path(os.environ.get("COLDVOL_DIR") or "/run/coldvol") / self.name

    @property
    def device(self):
        return self.path

    @property
    def file(self):
        return str(self.folder / "mnt" / "volume")

    @property
    def pid(self):
        return int((self.folder / "pid").read_text())

    # -- while it is up

    def set(self, **keys):
        self._run("set", *[f"{key}={value}" for key, value in keys.items()])

    def get(self, key=None):
        """One value as text, or a dict of all."""
        if key:
            return self._run("get", key).strip()
        return self._pairs(self._run("get"))

    def resize(self, size_bytes):
        self._run("resize", str(size_bytes))

    def chill(self, start=None, length=None):
        self._run("chill", *([] if start is None else [str(start), str(length)]))

    def detach(self):
        self._run("detach")
        self.path = None

    def attach(self, loop_device=None):
        self.loop_device = loop_device
        self.path = self._run("attach", *self._loop_words()).strip()
        return self.path

    # -- faults; start and length in bytes, length "all" to the end

    def fail(self, start=0, length="all", first=None):
        kind = ["fail"] if first is None else ["fail-first", str(first)]
        self._run("fault", "add", str(start), str(length), *kind)

    def hang(self, start=0, length="all", duration=None):
        kind = ["hang"] if duration is None else ["hang", str(duration)]
        self._run("fault", "add", str(start), str(length), *kind)

    def slow(self, duration, start=0, length="all"):
        self._run("fault", "add", str(start), str(length), "slow", str(duration))

    def fail_share(self, share):
        self._run("fault", "fail-share", str(share))

    def clear_faults(self):
        self._run("fault", "clear")

    # -- the record

    def record(self):
        """Figures of the record as a dict of ints."""
        return {key: int(value) for key, value in self._pairs(self._run("record")).items()}

    def reset_record(self):
        self._run("record", "--reset")

    def unread(self):
        """[(start, length)] of the bytes that nobody read."""
        return self._ranges("--unread")

    def read_ranges(self):
        """[(start, length)] of the bytes that were read."""
        return self._ranges("--read")

    def was_read(self, start, length):
        """True when every 512-byte sector of the range was read."""
        done = self._call("record", "--check-read", str(start), str(length))
        if done.returncode not in (0, 1) or (done.returncode == 1 and done.stderr):
            raise ColdVolumeError(done.stderr)
        return done.returncode == 0

    # -- inside

    def _loop_words(self):
        words = ["--read-write"] if self.read_write else []
        return words + ([f"loop={self.loop_device}"] if self.loop_device else [])

    def _ranges(self, which):
        lines = self._run("record", which).splitlines()
        return [tuple(map(int, line.split())) for line in lines]

    @staticmethod
    def _pairs(text):
        return dict(line.split("=", 1) for line in text.splitlines())

    def _call(self, verb, *words):
        return subprocess.run(
            [binary(), verb, self.name, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT_SEC,
            check=False,
        )

    def _run(self, verb, *words):
        done = self._call(verb, *words)
        if done.returncode != 0:
            raise ColdVolumeError(done.stderr.strip() or f"{verb}: exit status {done.returncode}")
        return done.stdout
