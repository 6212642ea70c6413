# SPDX-License-Identifier: MIT
"""A cold volume that the daemon takes for an NVMe disk.

Programs run in a mount namespace of their own, with a /sys and a /dev made here: a disk's entry is laid
out as the kernel lays out an NVMe disk's, but has the loop device's number, and so has its node. Identity
comes from the made entry, and every read goes to the cold volume.
"""

import os
import shutil
import stat
import time
from pathlib import Path

from ebswarm import Ebswarm

EBS_MODEL = "Amazon Elastic Block Store"
INSTANCE_STORE_MODEL = "Amazon EC2 NVMe Instance Storage"


def why_not():
    return None if shutil.which("unshare") else "needs unshare"


class Disk:
    """nvmeNUMBERn1 over the loop device of a cold volume."""

    def __init__(self, number, volume, serial, model=EBS_MODEL):
        self.number, self.serial, self.model = number, serial, model
        self.name = f"nvme{number}n1"
        self.node = f"/dev/{self.name}"
        st = os.stat(volume.device)
        assert stat.S_ISBLK(st.st_mode)
        self.devnum = st.st_rdev
        self.numbers = f"{os.major(st.st_rdev)}:{os.minor(st.st_rdev)}"

    def make_entry(self, sys):
        controller = sys / f"devices/pci0000:00/0000:00:{self.number + 4:02x}.0/nvme/nvme{self.number}"
        entry = controller / self.name
        entry.mkdir(parents=True)
        write(controller / "model", f"{self.model:<40}\n")
        write(controller / "serial", f"{self.serial:<20}\n")
        write(controller / "uevent", f"DEVNAME=nvme{self.number}\n")
        write(entry / "dev", f"{self.numbers}\n")
        write(entry / "uevent",
              "MAJOR={}\nMINOR={}\nDEVNAME={}\nDEVTYPE=disk\n".format(
                  *self.numbers.split(":"), self.name))
        for attribute in ("size", "diskseq"):
            shutil.copyfile(f"/sys/dev/block/{self.numbers}/{attribute}", entry / attribute)
        link(entry / "device", controller)
        link(entry / "subsystem", sys / "class/block")
        link(controller / "subsystem", sys / "class/nvme")
        link(sys / "class/block" / self.name, entry)
        link(sys / "class/nvme" / f"nvme{self.number}", controller)
        link(sys / "dev/block" / self.numbers, entry)


class XenDisk:
    """A disk of a Xen guest: no serial, known by its name only. A context manager."""

    def __init__(self, name, volume):
        self.name, self.node = name, f"/dev/{name}"
        self.devnum = os.stat(volume.device).st_rdev
        self.numbers = f"{os.major(self.devnum)}:{os.minor(self.devnum)}"

    def make_entry(self, sys):
        device = sys / f"devices/vbd-{self.name}"
        entry = device / "block" / self.name
        entry.mkdir(parents=True)
        (sys / "hypervisor").mkdir(exist_ok=True)
        write(sys / "hypervisor/type", "xen\n")
        write(device / "uevent", "MODALIAS=xen:vbd\n")
        write(entry / "dev", f"{self.numbers}\n")
        write(entry / "uevent",
              "MAJOR={}\nMINOR={}\nDEVNAME={}\nDEVTYPE=disk\n".format(*self.numbers.split(":"), self.name))
        for attribute in ("size", "diskseq"):
            shutil.copyfile(f"/sys/dev/block/{self.numbers}/{attribute}", entry / attribute)
        link(entry / "device", device)
        link(device / "subsystem", sys / "bus/xen")
        link(entry / "subsystem", sys / "class/block")
        link(sys / "class/block" / self.name, entry)
        link(sys / "dev/block" / self.numbers, entry)

    def __enter__(self):
        """Has udev know it. Where a udevd runs, it does already: the loop device has the same number."""
        self.record = None
        if not os.path.exists("/run/udev/control"):
            self.record = Path("/run/udev/data") / f"b{self.numbers}"
            self.record.parent.mkdir(parents=True, exist_ok=True)
            write(self.record, f"I:{int(time.monotonic() * 1e6)}\n")
        return self

    def __exit__(self, *_):
        if self.record:
            self.record.unlink()


def write(path, text):
    path.write_text(text)


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(target, path.parent))


class MockedEbswarm(Ebswarm):
    """Programs run among the given disks, and no others."""

    def __init__(self):
        super().__init__()
        self.disks = []
        self.n_runs = 0

    def _make_sys(self):
        sys = self.folder / f"sys-{self.n_runs}"
        (sys / "bus").mkdir(parents=True)
        (sys / "class").mkdir()
        for disk in self.disks:
            disk.make_entry(sys)
        return sys

    def _make_dev(self):
        dev = self.folder / f"dev-{self.n_runs}"
        dev.mkdir()
        for name in ("null", "zero", "random", "urandom"):
            os.mknod(dev / name, 0o666 | stat.S_IFCHR, os.stat(f"/dev/{name}").st_rdev)
        for disk in self.disks:
            os.mknod(dev / disk.name, 0o660 | stat.S_IFBLK, disk.devnum)
        return dev

    def remove(self, disk):
        """Takes a disk's entries away from the program started last, and has the kernel tell of a removal."""
        sys, dev = (self.folder / f"{name}-{self.n_runs}" for name in ("sys", "dev"))
        for path in (sys / "class/block" / disk.name, sys / "dev/block" / disk.numbers, dev / disk.name):
            path.unlink()
        with open(f"/sys/dev/block/{disk.numbers}/uevent", "w") as uevent:
            uevent.write("remove")

    def wrap(self, command):
        # Made anew each time: one that runs already must not see its disks vanish.
        self.n_runs += 1
        # Private, so that nothing of it is mounted outside. Of / that is not asked: a chroot has no such mount.
        script = ('mount --make-rprivate /sys && mount --make-rprivate /dev && '
                  'mount --bind "$0" /sys && mount --bind "$1" /dev && shift && exec "$@"')
        return ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", script,
                str(self._make_sys()), str(self._make_dev()), *map(str, command)]

    def environment(self):
        # sd-device wants to see a real sysfs, unless told that this is a test.
        return {**super().environment(), "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"}
