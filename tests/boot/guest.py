# SPDX-License-Identifier: MIT
"""A machine under qemu that boots the installed packages, with cold volumes as its EBS volumes.

    with Guest(folder) as guest:
        guest.boot({"vol0123456789abcdef0": volume})
        print(guest.run("systemctl status ebswarmd"))

It is judged from its journal and from the volumes' own records on the host.
"""
import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = Path(os.environ.get("EBSWARM_BOOT_CACHE", ROOT / "build-boot"))
BOOT_SEC = 240  # under emulation on a busy machine; a boot takes a tenth of it
NEEDED = ("qemu-system-x86_64", "mmdebstrap", "busybox", "depmod", "mke2fs", "dpkg-deb")


def why_not():
    """Why no guest can be booted here; None when one can."""
    if os.geteuid() != 0:
        return "a guest with cold volumes needs root"
    missing = [program for program in NEEDED if not shutil.which(program)]
    return f"needs {', '.join(missing)}" if missing else None


def make_image():
    """Builds the packages and the guest's image. Takes a minute or two, seconds where the base is cached."""
    run(["./setup", "package"])
    run([HERE / "make-image", CACHE, *packages()])


def run(command):
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def packages():
    return [path for path in sorted((ROOT / "dist").glob("*.deb")) if "dbgsym" not in path.name]


class Failed(Exception):
    """A command in the guest did not succeed."""


class Guest:
    """One machine with its own root disk, which stays over boots."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.root = self.folder / "root.img"
        self.serial = self.folder / "serial"
        self.process = self.agent = None
        subprocess.run(["cp", "--sparse=always", CACHE / "root.img", self.root], check=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind and self.serial.exists():
            print(self.serial.read_text(errors="replace")[-6000:])
            self._print_journal()
        self.power_off()

    def _print_journal(self):
        try:
            print(self.run("journalctl -b --no-pager -o short-monotonic _COMM=ebswarmd + _COMM=systemd + _COMM=ebswarmctl"
                           " + _COMM=ebswarm-ec2 | tail -n 150", timeout=20))
        except (OSError, Failed, AssertionError):
            print("(the guest does not answer)")

    # -- power

    def boot(self, disks, later=(), words=""):
        """`disks`: serial → cold volume (up without loop, read-write); those in `later` are not attached yet."""
        self.booted_with = disks, later, words
        path = self.folder / "agent"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            command = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-machine", "q35", "-smp", "2", "-m", "1024", "-nodefaults",
                       "-no-reboot", "-nic", "none", "-display", "none", "-serial", f"file:{self.serial}",
                       "-kernel", CACHE / "vmlinux", "-initrd", CACHE / "initrd", "-append",
                       "console=ttyS0 root=/dev/vda rw quiet mitigations=off nokaslr audit=0 nvme_core.multipath=N systemd.show_status=no"
                       f" boot_test.later={','.join(later)} {words}",
                       # A power cut must find on the disk what was synced, and nothing more has to be there.
                       *self._drive(self.root, "root", "writethrough"),
                       "-device", "virtio-serial", "-chardev", f"socket,id=agent,path={path}",
                       "-device", "virtserialport,chardev=agent,name=agent"]
            for serial, volume in disks.items():
                command += self._drive(volume.path, serial, "none")
            self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL)
            listener.settimeout(30)
            self.agent = listener.accept()[0]
        self._rest = b""
        self.boot_id = self._receive(BOOT_SEC)["hello"]

    @staticmethod
    def _drive(path, serial, cache):
        return ["-drive", f"file={path},if=none,id={serial},format=raw,cache={cache},aio=threads",
                "-device", f"virtio-blk-pci,drive={serial},serial={serial}"]

    def reboot(self):
        """As an administrator does it; the machine's own reset is slow under emulation, so qemu is started anew."""
        self._send("systemctl reboot", 60)
        self.process.wait(BOOT_SEC)
        self.agent.close()
        self.boot(*self.booted_with)

    def cut_power(self):
        self.process.kill()
        self.process.wait()
        self.agent.close()
        self.process = None

    def power_off(self):
        if self.process:
            self.cut_power()

    # -- asking

    def _send(self, command, timeout):
        self.agent.sendall(json.dumps({"command": command, "timeout": timeout}).encode() + b"\n")

    def _receive(self, timeout):
        deadline = time.monotonic() + timeout
        while b"\n" not in self._rest:
            self.agent.settimeout(max(0.1, deadline - time.monotonic()))
            part = self.agent.recv(65536)
            assert part, "the guest has gone"
            self._rest += part
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    def try_run(self, command, timeout=120):
        """{"status", "out", "err"}"""
        self._send(command, timeout)
        return self._receive(timeout + 30)

    def run(self, command, timeout=120):
        answer = self.try_run(command, timeout)
        if answer["status"] != 0:
            raise Failed(f"{command}: {answer['status']}\n{answer['out']}{answer['err']}")
        return answer["out"].rstrip("\n")

    def show(self, unit, *properties):
        """Properties of a unit, as a dict; of one, its value."""
        text = self.run(f"systemctl show {unit} {' '.join('-p ' + p for p in properties)}")
        values = dict(line.split("=", 1) for line in text.splitlines())
        return values[properties[0]] if len(properties) == 1 else values

    def status(self):
        """device → all that ebswarmd says of it"""
        return {v["device"]: v for v in json.loads(self.run("ebswarmctl --json status"))["volumes"]}

    def by_id(self):
        return {v["id"]: v for v in self.status().values()}

    def journal(self, unit, boot="0"):
        """[(µs since boot, message)]"""
        lines = self.run(f"journalctl -b {boot} -u {unit} -o json --output-fields=MESSAGE --no-pager").splitlines()
        entries = [json.loads(line) for line in lines]
        return [(int(e["__MONOTONIC_TIMESTAMP"]), e["MESSAGE"]) for e in entries if isinstance(e.get("MESSAGE"), str)]

    def wait_until(self, is_so, what, seconds=120):
        """Polls until it is so; what it gave."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = is_so()
            if value:
                return value
            time.sleep(0.1)  # the pace of asking
        raise AssertionError(f"not within {seconds} s: {what}")
