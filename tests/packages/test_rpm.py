# SPDX-License-Identifier: MIT
"""The spec file is right as far as Debian can tell: rpmlint, and a build with what Fedora's macros stand for."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "packaging" / "ebswarm.spec"
pytestmark = [pytest.mark.boot, pytest.mark.skipif(not shutil.which("rpmbuild"), reason="rpm is not installed")]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    top = tmp_path_factory.mktemp("rpm")
    version = re.search(r"^Version: *(\S+)", SPEC.read_text(), re.M)[1]
    (top / "SOURCES").mkdir()
    archive = top / "SOURCES" / f"ebswarm-{version}.tar.gz"
    subprocess.run(["tar", "-czf", archive, "--exclude=./build*", "--exclude=./dist", "--exclude=./.git",
                    f"--transform=s,^\\.,ebswarm-{version},", "."], cwd=ROOT, check=True)
    macros = subprocess.run(["rpm", "--showrc"], capture_output=True, text=True, check=True).stdout
    path = re.search(r"^Macro path: (.*)$", macros, re.M)[1]
    done = subprocess.run(["rpmbuild", "-bb", "--nodeps", f"--macros={path}:{Path(__file__).parent / 'rpm-macros'}",
                           "--define", f"_topdir {top}", SPEC], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return {path.name.rsplit(f"-{version}", 1)[0]: path for path in (top / "RPMS").rglob("*.rpm")}


def test_rpmlint_finds_no_error():
    if not shutil.which("rpmlint"):
        pytest.skip("rpmlint is not installed")
    done = subprocess.run(["rpmlint", SPEC], capture_output=True, text=True)
    assert done.returncode == 0 and " 0 errors" in done.stdout, done.stdout + done.stderr


def files(package):
    return set(subprocess.run(["rpm", "-qpl", package], capture_output=True, text=True, check=True).stdout.split())


def test_it_has_what_the_debian_packages_have(packages):
    assert {"/usr/sbin/ebswarmd", "/usr/bin/ebswarmctl", "/etc/ebswarm/ebswarm.conf"} <= files(packages["ebswarm"])
    assert "/usr/sbin/ebswarm-ec2" in files(packages["ebswarm-ec2"])
    both = files(packages["ebswarm"]) & files(packages["ebswarm-ec2"])
    assert not [name for name in both if ".build-id" not in name]
    configuration = subprocess.run(["rpm", "-qpc", packages["ebswarm"]], capture_output=True, text=True, check=True).stdout
    assert configuration.split() == ["/etc/ebswarm/ebswarm.conf"]


def test_the_version_is_that_of_the_project():
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
    assert f"Version:        {version}\n" in SPEC.read_text()
    assert (ROOT / "debian/changelog").read_text().startswith(f"ebswarm ({version}) ")
