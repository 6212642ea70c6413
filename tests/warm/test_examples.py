# SPDX-License-Identifier: MIT
"""The examples of docs/gates.md do what is said of them; what is not here (aws, the application) is stood in for."""
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ebswarm as lib

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gates.md"
FAST = {"size": "64M", "first_touch_median": "1ms", "fetch_slots": 256}


def example(name):
    return re.search(rf"^```sh {re.escape(name)}\n(.*?)^```", PAGE.read_text(), flags=re.M | re.S)[1]


@pytest.fixture
def run(ebswarm, tmp_path):
    """Runs an example with the programs under test and stand-ins in its PATH; what the stand-ins were called with."""
    calls = tmp_path / "calls"
    for name in ("aws", "application"):
        stand_in = tmp_path / name
        stand_in.write_text(f'#!/bin/sh\necho {name} "$*" >>{calls}\n')
        stand_in.chmod(0o755)
    for program in (lib.daemon_binary(), lib.ctl_binary()):
        (tmp_path / program.name).symlink_to(program)
    ebswarm.configure("[Check]\nBefore=no\nAfter=no\n")

    def read_calls():
        return calls.read_text().splitlines() if calls.exists() else []

    def go(name, *arguments, **environment):
        done = subprocess.run(["sh", "-c", example(name), name, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=lib.DEADLINE_SEC, check=False,
                              env={**ebswarm.environment(), **environment, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
        return done, read_calls()

    go.calls = read_calls
    return go


def test_user_data_warms_and_then_starts(ebswarm, cold, run):
    volume = cold(**FAST)
    ebswarm.configure(f"[Check]\nBefore=no\nAfter=no\n[Discover]\nExclude=*\n[Volume demo]\nDevice={volume.device}\n")
    done, calls = run("user-data", "application", "start")
    assert (done.returncode, calls) == (0, ["application start"]), done.stderr
    assert volume.record()["pages_unread"] == 0


def test_an_entry_point_waits_for_its_volume(ebswarm, cold, run):
    volume = cold(**FAST)
    ebswarm.start(volume.device)
    done, calls = run("entry-point", "application", "serve", EBS_VOLUME=volume.device)
    assert (done.returncode, calls) == (0, ["application serve"]), done.stderr
    assert volume.record()["pages_unread"] == 0


def test_an_entry_point_starts_after_the_time_out_and_not_after_a_failure(ebswarm, cold, run):
    volume = cold(**FAST)
    volume.hang()
    ebswarm.start(volume.device)
    done, calls = run("entry-point", "application", "late", EBS_VOLUME=volume.device, WARM_TIMEOUT="200ms")
    assert (done.returncode, calls) == (0, ["application late"])
    done, calls = run("entry-point", "application", "never", EBS_VOLUME="no/volume")
    assert done.returncode == 5 and calls == ["application late"]


def test_a_lifecycle_hook_is_kept_alive_and_completed(ebswarm, cold, run):
    volume = cold(**FAST)
    volume.hang()
    ebswarm.start(volume.device)
    with ThreadPoolExecutor() as pool:
        hook = pool.submit(run, "lifecycle-hook", HEARTBEAT="300ms", HOOK="warm", GROUP="web", INSTANCE="i-1")
        lib.wait_until(lambda: any("heartbeat" in call for call in run.calls()), "a heartbeat")
        volume.clear_faults()
        done, calls = hook.result()
    assert done.returncode == 0, done.stderr
    assert calls[-1] == ("aws autoscaling complete-lifecycle-action --lifecycle-hook-name warm --auto-scaling-group-name web"
                         " --instance-id i-1 --lifecycle-action-result CONTINUE")


def test_a_lifecycle_hook_is_abandoned_when_the_wait_fails(ebswarm, cold, run):
    volume = cold(**FAST)
    volume.fail(0, 4096)
    ebswarm.start(volume.device)
    done, calls = run("lifecycle-hook", HOOK="warm", GROUP="web", INSTANCE="i-1")
    assert done.returncode == 0 and len(calls) == 1
    assert calls[0].startswith("aws autoscaling complete-lifecycle-action ") and calls[0].endswith(" ABANDON")
