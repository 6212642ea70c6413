# SPDX-License-Identifier: MIT
"""The Debian packages: what lintian says, what is in them, and what installing, upgrading and purging does."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.boot,
              pytest.mark.skipif(not shutil.which("dpkg-buildpackage"), reason="dpkg-buildpackage is not installed")]


@pytest.fixture(scope="module")
def debs():
    subprocess.run(["./setup", "package"], cwd=ROOT, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    found = {path.name.split("_")[0]: path for path in (ROOT / "dist").glob("*.deb")}
    assert {"ebswarm", "ebswarm-ec2"} <= set(found)
    return found


def files(deb):
    listing = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True, capture_output=True).stdout
    names = subprocess.run(["tar", "-t"], input=listing, check=True, capture_output=True).stdout.decode().split("\n")
    return {name[1:] for name in names if name and not name.endswith("/")}


def test_lintian_finds_no_error(debs):
    done = subprocess.run(["lintian", "--fail-on", "error", "--allow-root", *debs.values()], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_each_file_is_in_the_right_package(debs):
    daemon, ec2 = files(debs["ebswarm"]), files(debs["ebswarm-ec2"])
    assert {"/usr/sbin/ebswarmd", "/usr/bin/ebswarmctl", "/etc/ebswarm/ebswarm.conf",
            "/lib/systemd/system/ebswarmd.service"} <= daemon
    assert {"/usr/sbin/ebswarm-ec2", "/lib/systemd/system/ebswarm-ec2.timer"} <= ec2
    assert not daemon & ec2
    assert not [name for name in daemon if name.endswith("/coldvol")]


def test_the_daemon_needs_no_network_library(debs):
    depends = subprocess.run(["dpkg-deb", "-f", debs["ebswarm"], "Depends"], check=True, capture_output=True, text=True).stdout
    assert "libcurl" not in depends and "liburing" in depends


def script(deb, name, tmp_path):
    subprocess.run(["dpkg-deb", "-e", deb, tmp_path / deb.name], check=True)
    path = tmp_path / deb.name / name
    return path.read_text() if path.exists() else ""


def test_installing_starts_nothing_and_an_upgrade_leaves_gates_alone(debs, tmp_path):
    text = script(debs["ebswarm"], "postinst", tmp_path)
    invoked = re.findall(r"deb-systemd-invoke +(\S+) +(.*?) >", text)
    # try-restart restarts only what an administrator has started.
    assert {verb for verb, _ in invoked} <= {"try-restart"}
    assert not [units for _, units in invoked if "wait" in units or "gate" in units or "target" in units]


def test_purge_removes_state_and_configuration(debs, tmp_path):
    text = script(debs["ebswarm"], "postrm", tmp_path)
    for path in ("/var/lib/ebswarm", "/etc/ebswarm"):
        assert re.search(rf"purge.*rm -rf.*{path}\b", text, re.S)
    keeps = script(debs["ebswarm"], "prerm", tmp_path)
    assert "rm " not in keeps
