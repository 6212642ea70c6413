# SPDX-License-Identifier: MIT
"""The tools that are measured, each a command that reads a volume, and how one run of a command is measured."""
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("EBSWARM_BUILD", ROOT / "build"))
SWEEP = (8, 16, 32, 64, 128, 256)  # depths of the sweep; a loop device passes 128 requests on


def fio(device, depth):
    """AWS's own line, with another depth."""
    return ["fio", "--readonly", f"--filename={device}", "--rw=read", "--bs=1M", f"--iodepth={depth}", "--ioengine=libaio",
            "--direct=1", "--name=volume-initialize", "--output=/dev/null"]


def dd(device, kib, mib=None):
    """In blocks of `kib`; all of it, or its first `mib`."""
    count = [] if mib is None else [f"count={mib * 1024 // kib}"]
    return ["dd", f"if={device}", "of=/dev/null", f"bs={kib}K", *count, "status=none"]


def ebswarm(device):
    return [str(BUILD / "src" / "daemon" / "ebswarmd"), "--once", device]


def hdparm(device):
    """As people loop over it: three times the first three seconds."""
    return ["sh", "-c", f"for i in 1 2 3; do hdparm -t {device} >/dev/null || exit; done"]


def configuration(engine):
    """Without the samples that the other tools do not take; everything else as it is installed."""
    return f"[Warm]\nEngine={engine}\n[Check]\nBefore=no\nAfter=no\n"


def high_water_kib(pid):
    """Of a process and its children (fio reads in one); 0 for what has ended."""
    try:
        found = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    return (int(found[1]) if found else 0) + sum(map(high_water_kib, children))


def watch_peak(pid):
    """In KiB. ru_maxrss would be this interpreter's, from before the exec."""
    peak_kib = 0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        peak_kib = max(peak_kib, high_water_kib(pid))
        time.sleep(0.01)
    return peak_kib


def run(command, engine="auto"):
    """{"seconds", "cpu", "peak"} of a command that must succeed."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "ebswarm.conf").write_text(configuration(engine))
        environment = {**os.environ, "STATE_DIRECTORY": folder, "CONFIGURATION_DIRECTORY": folder}
        start = time.monotonic()
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        peak_kib = watch_peak(process.pid)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(command)} failed: {errors.decode()}")
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": peak_kib}
