# SPDX-License-Identifier: MIT
"""What the manual pages and the default file say is what the programs do, in both directions."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("EBSWARM_BUILD", ROOT / "build"))
DAEMON = BUILD / "src" / "daemon" / "ebswarmd"
PAGES = sorted(page for page in (ROOT / "man").iterdir() if re.search(r"\.\d$", page.name))


def run(*command):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)


def known_keys():
    """{(section, key)} of the program's own table."""
    done = run(BUILD / "src" / "conf" / "list-keys")
    return {tuple(line.split()) for line in done.stdout.splitlines()}


def keys_of_default_file():
    keys, section = set(), None
    for line in (ROOT / "conf" / "ebswarm.conf").read_text().splitlines():
        if match := re.match(r"#?\[(\w+)", line):
            section = match[1]
        elif match := re.match(r"#?(\w+)=", line):
            keys.add((section, match[1]))
    return keys


def keys_of_manual():
    keys, section = set(), None
    for line in (ROOT / "man" / "ebswarm.conf.5").read_text().splitlines():
        if match := re.match(r"\.Ss \[(\w+)", line):
            section = match[1]
        elif line.startswith(".It Li ") and section:
            keys |= {(section, key) for key in re.findall(r"(\w+)=", line)}
        elif line.startswith(".Sh "):
            section = None
    return keys


def test_every_key_is_in_the_manual_and_no_other():
    assert keys_of_manual() == known_keys()


def test_every_key_is_in_the_default_file_and_no_other():
    assert keys_of_default_file() == known_keys()


def test_the_default_file_is_right_with_every_key_in_force(tmp_path):
    text = re.sub(r"^#(?=\[|\w+=)", "", (ROOT / "conf" / "ebswarm.conf").read_text(), flags=re.M)
    (tmp_path / "all.conf").write_text(text)
    done = run(DAEMON, "--check-config", "--config", tmp_path / "all.conf")
    assert (done.returncode, done.stderr) == (0, "")
    assert text.count("\n[") == 5


def test_the_manual_s_examples_are_right(tmp_path):
    page = (ROOT / "man" / "ebswarm.conf.5").read_text()
    examples = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", page, flags=re.M | re.S)
    assert examples
    for example in examples:
        (tmp_path / "example.conf").write_text(example)
        done = run(DAEMON, "--check-config", "--config", tmp_path / "example.conf")
        assert (done.returncode, done.stderr) == (0, "")


def test_the_daemon_s_options_are_those_of_its_manual():
    shown = set(re.findall(r"^  --([a-z-]+)", run(DAEMON, "--help").stdout, flags=re.M))
    page = (ROOT / "man" / "ebswarmd.8").read_text()
    described = set(re.findall(r"^\.It Fl -([a-z-]+)", page, flags=re.M))
    assert shown == described
    assert shown


def test_mistakes_on_the_command_line_are_usage():
    for words in (["--no-such-option"], ["--config"]):
        done = run(DAEMON, *words)
        assert done.returncode == 2
        assert "ebswarmd --help" in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_manual_pages_are_clean(page):
    if not shutil.which("mandoc"):
        pytest.skip("needs mandoc")
    done = run("mandoc", "-T", "lint", "-W", "warning", page)
    assert done.stdout + done.stderr == ""
