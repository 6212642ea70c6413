# SPDX-License-Identifier: MIT
"""What `meson install` puts where, and that systemd has nothing to say about the units."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

BUILD = os.environ["EBSWARM_BUILD"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"], check=True,
                   env={**os.environ, "DESTDIR": str(root)}, capture_output=True)
    return root


def installed(root, name):
    found = list(root.rglob(name))
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def without_destination(root, path):
    return "/" + str(path.relative_to(root))


@pytest.mark.parametrize("name", ["ebswarmd", "ebswarmctl"])
def test_programs_are_installed_and_run(root, name):
    out = subprocess.run([installed(root, name), "--version"], check=True, capture_output=True,
                         text=True).stdout
    assert re.fullmatch(name + r" \d+\.\d+\.\d+\n", out)


def test_the_unit_starts_the_installed_daemon(root):
    unit = installed(root, "ebswarmd.service").read_text()
    daemon = without_destination(root, installed(root, "ebswarmd"))
    assert re.findall(r"^ExecStart=(\S+)", unit, re.MULTILINE) == [daemon]


def test_every_manual_page_of_the_tree_is_installed(root):
    pages = {page.name for page in (SOURCE / "man").glob("*.[1-8]")}
    assert pages
    for page in pages:
        assert installed(root, page).parent.name == "man" + page[-1]


def test_systemd_analyze_verify_is_silent(root, tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    # Where nothing is installed the program is not where the unit says.
    text = installed(root, "ebswarmd.service").read_text()
    service = tmp_path / "ebswarmd.service"
    service.write_text(re.sub(r"^ExecStart=\S+", f"ExecStart={installed(root, 'ebswarmd')}", text,
                              flags=re.MULTILINE))
    shutil.copy(installed(root, "ebswarmd.socket"), tmp_path)
    # The pages that Documentation= names are not where man looks either; the test above has them.
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", service,
                           tmp_path / "ebswarmd.socket"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_sysusers_makes_the_group(root, tmp_path):
    if not shutil.which("systemd-sysusers"):
        pytest.skip("systemd-sysusers is not installed")
    (tmp_path / "etc").mkdir()
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}",
                    SOURCE / "systemd/sysusers.d/ebswarm.conf"],
                   check=True, capture_output=True)
    groups = (tmp_path / "etc/group").read_text()
    assert re.search(r"^ebswarm:x:\d+:$", groups, re.MULTILINE)
