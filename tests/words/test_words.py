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
    """{(section, key): what it accepts, in words} of the program's own table."""
    done = run(BUILD / "src" / "conf" / "list-keys")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {(section, key): accepts for section, key, accepts in lines}


def default_file():
    """{(section, key): value} of the default file."""
    values, section = {}, None
    for line in (ROOT / "conf" / "ebswarm.conf").read_text().splitlines():
        if match := re.match(r"#?\[(\w+)", line):
            section = match[1]
        elif match := re.match(r"#?(\w+)=(.*)", line):
            values[section, match[1]] = match[2]
    return values


def manual():
    """{(section, key): what is said of it} of the manual page."""
    said, section, keys = {}, None, []
    for line in (ROOT / "man" / "ebswarm.conf.5").read_text().splitlines():
        if match := re.match(r"\.Ss \[(\w+)", line):
            section, keys = match[1], []
        elif line.startswith(".It Li ") and section:
            keys = [(section, key) for key in re.findall(r"(\w+)=", line)]
            said.update(dict.fromkeys(keys, ""))
        elif line.startswith(".Sh "):
            section, keys = None, []
        elif line == ".El":
            keys = []
        else:
            for key in keys:
                said[key] += line + "\n"
    return said


def values_of(accepts):
    """The values that such words name: "1 to 1024, or auto" names 1, 1024 and auto."""
    if re.fullmatch(r"\w+(, \w+)* or \w+", accepts):
        return set(re.findall(r"\w+", accepts)) - {"or"}
    return set(re.findall(r"\b\d\w*|\bauto$", accepts))


def test_every_key_is_in_the_manual_and_no_other():
    assert manual().keys() == known_keys().keys()


def test_every_key_is_in_the_default_file_and_no_other():
    assert default_file().keys() == known_keys().keys()


def test_the_manual_has_what_each_key_accepts_and_its_default():
    keys, said, defaults = known_keys(), manual(), default_file()
    for (section, key), accepts in keys.items():
        if section == "Volume" and ("Warm", key) in keys:
            continue  # described there
        text = said[section, key]
        literals = re.findall(r"^\.Li (\S+)", text, flags=re.M)
        assert values_of(accepts) <= set(literals), key
        shown = re.findall(r"^\.Li (\S+)\n\.Pq the default", text, flags=re.M)
        shown += re.findall(r"^The default is\n\.Li (\S+)", text, flags=re.M)
        assert shown == ([defaults[section, key]] if defaults[section, key] else []), key


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
