# SPDX-License-Identifier: MIT
"""The installed packages in a machine that boots, is rebooted, loses its power and its disks.

One machine lives through it all, in this order, since a boot takes its time under emulation: each test goes on
where the one before has left it. What a volume's own record on the host says is what counts.
"""
import json
import re
import statistics
import subprocess

import pytest

import coldvol
import guest as guests

pytestmark = pytest.mark.boot

ONE, TWO, LATER, FLEETING = (f"vol0{letter * 16}" for letter in "1234")
FIFTH, SIXTH, SEVENTH = (f"vol0{letter * 16}" for letter in "567")
STORE = "AWS0123456789ABCDEF0"
SIZE = 128 << 20
RATE_MIB = 2  # while something is to happen in the middle: 64 s for a whole volume
# What a restart may cost: what was read since the last checkpoint (1 s), and 4 reads of 256 KiB in flight; and what
# others read: udev, the mount.
LOST_BYTES = (3 * RATE_MIB + 4) << 20
CONFIGURATION = """[Warm]
QueueDepth=4
BlockSize=256K
[Discover]
Unknown=warm
OriginTimeout=0
[Check]
Before=no
After=no
[Checkpoint]
Interval=1s
"""


def volume_id(serial):
    return "vol-" + serial[3:]


@pytest.fixture(scope="module")
def make_cold(tmp_path_factory):
    """Cold volumes for qemu, by serial; none may have been written to at the end."""
    volumes = {}

    def make(*serials, **keys):
        for serial in serials:
            volumes[serial] = coldvol.ColdVolume(loop=False, read_write=True, size=SIZE, first_touch_median="2ms",
                                                 fetch_slots=64, **keys).up()
        return volumes

    yield make
    writes = {serial: volume.record()["writes"] for serial, volume in volumes.items()}
    for volume in volumes.values():
        volume.down()
    assert set(writes.values()) <= {0}, writes


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    reason = guests.why_not() or coldvol.why_not(loop=False)
    if reason:
        pytest.skip(reason)
    guests.make_image()
    with guests.Guest(tmp_path_factory.mktemp("guest")) as guest:
        yield guest


@pytest.fixture(scope="module")
def disks(make_cold, tmp_path_factory):
    """The machine's first set: the first volume holds a filesystem that is mounted at /srv/one."""
    image = tmp_path_factory.mktemp("image") / "one"
    subprocess.run(["truncate", "-s", str(SIZE), image], check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-L", "one", image], check=True)
    make_cold(ONE, backing=image)
    make_cold(TWO, LATER, FLEETING)
    return make_cold(STORE)


def set_rate(disks, *serials, mib=RATE_MIB):
    for serial in serials:
        disks[serial].set(throughput=mib)


def multi_user_sec(machine):
    machine.wait_until(lambda: machine.show("multi-user.target", "ActiveState") == "active", "multi-user.target")
    return int(machine.show("multi-user.target", "ActiveEnterTimestampMonotonic")) / 1e6


def warm_bytes(machine, serial):
    return machine.by_id().get(volume_id(serial), {}).get("warm_bytes", 0)


def app_state(machine, name):
    return machine.show(f"app-{name}.service", "ActiveState")


boots = {"without": [], "with": []}


def test_installing_enables_nothing(machine, disks):
    machine.boot(disks, later=[LATER, FLEETING])
    boots["without"].append(multi_user_sec(machine))
    for unit in ("ebswarmd.service", "ebswarmd.socket", "ebswarm-ec2.timer"):
        assert machine.try_run(f"systemctl is-enabled {unit}")["out"].strip() == "disabled"
        assert machine.show(unit, "ActiveState") == "inactive"


def test_a_gate_is_refused_where_it_makes_no_sense(machine):
    for command, word in (("gate nonsuch", "no such unit"), ("gate ebswarmd", "cannot wait for itself"),
                          ("gate basic.target", "wait for each other"), ("gate a/b", "no unit's name"),
                          ("gate app-one.service /nonsuch", "/nonsuch"), ("gate --remove app-one", "has no gate")):
        answer = machine.try_run(f"ebswarmctl {command}")
        assert answer["status"] != 0 and word in answer["err"], (command, answer)
    assert machine.run("ls /etc/systemd/system | grep -c gate || true") == "0"


def test_a_gate_is_written_shown_and_removed(machine):
    shown = machine.run("ebswarmctl gate app-one /srv/one --percent 90 --timeout 1h")
    assert "ebswarm-gate@app-one.service.service" in shown and "--percent=90" in shown
    assert "ebswarm-gate@app-one.service.service" in machine.show("app-one.service", "Requires")
    assert "to 90 %" in machine.run("ebswarmctl gate")
    machine.run("ebswarmctl gate --remove app-one")
    assert "ebswarm-gate" not in machine.show("app-one.service", "Requires")
    assert "no gates" in machine.run("ebswarmctl gate")


def prepare(machine):
    machine.run("mkdir -p /etc/ebswarm/ebswarm.conf.d")
    machine.run(f"cat >/etc/ebswarm/ebswarm.conf.d/test.conf <<'END'\n{CONFIGURATION}END")
    machine.run("systemctl enable ebswarmd.socket ebswarmd.service")
    machine.run("ebswarmctl gate app-one /srv/one")
    machine.run("systemctl set-default apps.target")


def test_the_first_boot_finds_and_warms_and_the_gates_hold(machine, disks):
    """Scenario 1, up to the gates' opening."""
    for _ in range(2):
        machine.run("sync")
        machine.cut_power()
        machine.boot(*machine.booted_with)
        boots["without"].append(multi_user_sec(machine))
    prepare(machine)
    for volume in disks.values():
        volume.reset_record()
    set_rate(disks, ONE, TWO)
    machine.reboot()
    boots["with"].append(multi_user_sec(machine))
    machine.wait_until(lambda: warm_bytes(machine, ONE) > SIZE // 5 and warm_bytes(machine, TWO) > SIZE // 5, "a fifth")
    known = machine.by_id()
    assert {volume_id(ONE), volume_id(TWO)} <= set(known)
    assert {v["state"] for v in known.values()} <= {"warming", "skipped"}
    assert not any(v["device"] == "/dev/vda" for v in known.values())
    listed = {v["device"]: v for v in json.loads(machine.run("ebswarmctl --json list"))}
    assert listed["/dev/vda"]["decision"] == "ignored"
    assert "instance store, never warmed" in machine.run("ebswarmctl list")
    assert "Warming 2 volumes" in machine.show("ebswarmd.service", "StatusText")
    assert app_state(machine, "one") == app_state(machine, "two") == "inactive"
    gates = machine.run("ebswarmctl gate")
    assert "app-one.service: waiting; /srv/one" in gates and "% warm" in gates, gates


def test_a_reboot_in_the_middle_goes_on(machine, disks):
    """Scenario 2."""
    before = {serial: warm_bytes(machine, serial) for serial in (ONE, TWO)}
    assert all(n < SIZE * 9 // 10 for n in before.values()), "too late for a reboot in the middle"
    machine.reboot()
    boots["with"].append(multi_user_sec(machine))
    for serial, n in before.items():
        machine.wait_until(lambda: warm_bytes(machine, serial) > 0, "it goes on")
        assert "were read before" in "\n".join(m for _, m in machine.journal("ebswarmd"))
    assert app_state(machine, "one") == app_state(machine, "two") == "inactive"
    assert disks[TWO].record()["reread_bytes"] < LOST_BYTES


def test_a_power_cut_in_the_middle_loses_little(machine, disks):
    """Scenario 3."""
    # A checkpoint of this boot is on its way to the disk.
    start = warm_bytes(machine, TWO)
    machine.wait_until(lambda: warm_bytes(machine, TWO) > start + (4 << 20), "more read")
    machine.cut_power()
    machine.boot(*machine.booted_with)
    boots["with"].append(multi_user_sec(machine))
    machine.wait_until(lambda: warm_bytes(machine, TWO) > 0, "it goes on")
    messages = "\n".join(m for _, m in machine.journal("ebswarmd"))
    assert "were read before" in messages or "set aside" in messages, messages
    assert app_state(machine, "one") == app_state(machine, "two") == "inactive"


def start_app_three(machine, on_timeout, timeout):
    """Its gate waits for a volume that is not there."""
    machine.run(f"ebswarmctl gate app-three {volume_id(LATER)} --timeout {timeout} --on-timeout {on_timeout}")
    machine.run("systemctl start --no-block app-three.service")


def stop_app_three(machine):
    machine.run("systemctl stop app-three.service ebswarm-gate@app-three.service.service")
    machine.run("systemctl reset-failed app-three.service ebswarm-gate@app-three.service.service || true")


def test_a_gate_whose_time_is_over_starts_or_fails(machine):
    start_app_three(machine, "start", "1s")
    machine.wait_until(lambda: app_state(machine, "three") == "active", "started all the same")
    stop_app_three(machine)
    start_app_three(machine, "fail", "1s")
    machine.wait_until(lambda: machine.show("ebswarm-gate@app-three.service.service", "ActiveState") == "failed", "failed")
    machine.wait_until(lambda: not machine.run("systemctl list-jobs app-three.service --no-legend"), "given up")
    assert app_state(machine, "three") == "inactive"
    stop_app_three(machine)


def test_a_gated_unit_is_stopped_while_it_waits(machine):
    """At once: the agent gives the command five seconds."""
    start_app_three(machine, "fail", "1h")
    gate = "ebswarm-gate@app-three.service.service"
    machine.wait_until(lambda: machine.show(gate, "ActiveState") == "activating", "waiting")
    machine.run("systemctl stop app-three.service", timeout=5)
    assert app_state(machine, "three") == "inactive"
    machine.wait_until(lambda: not machine.run("systemctl list-jobs app-three.service --no-legend"), "no job left")
    stop_app_three(machine)
    machine.run("ebswarmctl gate --remove app-three")


def test_each_gate_opens_when_its_volumes_are_warm_and_not_before(machine, disks):
    """Scenario 1, the rest."""
    set_rate(disks, TWO, mib=1)
    set_rate(disks, ONE, mib=0)
    machine.wait_until(lambda: app_state(machine, "one") == "active", "the first application")
    assert disks[ONE].record()["pages_unread"] == 0
    assert disks[TWO].record()["pages_unread"] > 0
    assert app_state(machine, "two") == "inactive"
    assert "app-one.service: open" in machine.run("ebswarmctl gate")
    # What the daemon said at the moment the application started.
    seen = {v["id"]: v["state"] for v in json.loads(machine.run("cat /var/log/app-one.json"))["volumes"]}
    assert (seen[volume_id(ONE)], seen[volume_id(TWO)]) == ("warm", "warming")
    set_rate(disks, TWO, mib=0)
    machine.wait_until(lambda: app_state(machine, "two") == "active", "the second application")
    assert disks[TWO].record()["pages_unread"] == 0
    # Two interruptions.
    assert disks[TWO].record()["reread_bytes"] < 2 * LOST_BYTES
    # udev looks at a few places of every disk; nobody else has read of instance store.
    record = disks[STORE].record()
    assert record["pages"] - record["pages_unread"] < 1024


def test_the_boot_is_not_held_up(machine):
    """Scenario 1: nothing waits for ebswarmd but its gates. The figures are printed."""
    print({how: [round(s, 1) for s in seconds] for how, seconds in boots.items()})
    started = machine.show("ebswarmd.service", "InactiveExitTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    took = (int(started["ActiveEnterTimestampMonotonic"]) - int(started["InactiveExitTimestampMonotonic"])) / 1e6
    print(f"ebswarmd took {took:.2f} s to be ready")
    assert len(boots["with"]) == len(boots["without"]) == 3
    # A tenth is what emulation varies by.
    without = statistics.median(boots["without"])
    assert statistics.median(boots["with"]) <= without * 1.1 + 1


def test_after_completion_nothing_is_read_again(machine, disks):
    """Scenario 4."""
    for serial in (ONE, TWO):
        disks[serial].reset_record()
    machine.reboot()
    machine.wait_until(lambda: app_state(machine, "one") == app_state(machine, "two") == "active", "both applications")
    assert {v["state"] for v in machine.by_id().values()} <= {"warm", "skipped"}
    for serial in (ONE, TWO):
        assert disks[serial].record()["bytes_read"] < 4 << 20  # udev, the mount


UNITS = ["ebswarmd.service", "ebswarm-ec2.service", "ebswarm-wait.service", "ebswarm-wait@x.service",
         "ebswarm-gate@x.service"]


def test_each_unit_is_exposed_to_little(machine):
    """systemd's own judgement of the units as they are installed: from 0, nothing to fear, to 10."""
    for unit in UNITS:
        answer = machine.run(f"systemd-analyze security --no-pager {unit} | tail -n 1")
        level = float(re.search(r"exposure level for .*: ([0-9.]+)", answer)[1])
        assert level <= 1.5, answer


@pytest.mark.parametrize("unit", UNITS)
def test_each_line_of_the_sandbox_holds(machine, unit):
    """Tried from inside, by what each line is to hold back."""
    lines = machine.run(f"/opt/boot-test/sandbox {unit}").splitlines()
    held = [line for line in lines if line.startswith("ok ")]
    assert len(held) > 20, lines
    assert not [line for line in lines if line.startswith("not ok")], lines


def test_a_volume_that_is_attached_later_is_warmed(machine, disks):
    """Scenario 5, coming. Gates of all volumes that are open stay so."""
    machine.run(f"/opt/boot-test/ebs-disks attach {LATER}")
    machine.wait_until(lambda: machine.by_id().get(volume_id(LATER), {}).get("state") == "warm", "warm")
    assert disks[LATER].record()["pages_unread"] == 0
    assert app_state(machine, "two") == "active"


def open_devices(machine):
    return machine.run("ls -l /proc/$(systemctl show --value -p MainPID ebswarmd)/fd | grep -c /dev/nvme || true")


def test_a_volume_that_is_detached_is_let_go(machine, disks):
    """Scenario 5, going, in the middle of being warmed."""
    set_rate(disks, FLEETING, mib=1)
    machine.run(f"/opt/boot-test/ebs-disks attach {FLEETING}")
    machine.wait_until(lambda: warm_bytes(machine, FLEETING) > 0, "reads")
    assert open_devices(machine) == "1"
    machine.run(f"/opt/boot-test/ebs-disks detach {FLEETING}", timeout=30)
    machine.wait_until(lambda: open_devices(machine) == "0", "closed", seconds=5)
    machine.wait_until(lambda: volume_id(FLEETING) not in machine.by_id() or
                       machine.by_id()[volume_id(FLEETING)]["state"] == "gone", "gone")
    assert machine.show("ebswarmd.service", "ActiveState", "NRestarts") == {"ActiveState": "active", "NRestarts": "0"}


def test_the_daemon_is_killed_and_comes_back(machine, disks):
    """Scenario 7, SIGKILL; a wait under way neither ends nor breaks."""
    machine.run(f"/opt/boot-test/ebs-disks attach {FLEETING}")
    machine.run(f"systemd-run --unit=waiting ebswarmctl wait --timeout 1h {volume_id(FLEETING)}")
    machine.wait_until(lambda: warm_bytes(machine, FLEETING) > 4 << 20, "reads")
    machine.run("systemctl kill --signal=KILL ebswarmd.service")
    machine.wait_until(lambda: machine.show("ebswarmd.service", "NRestarts", "ActiveState") ==
                       {"NRestarts": "1", "ActiveState": "active"}, "restarted")
    machine.wait_until(lambda: warm_bytes(machine, FLEETING) > 4 << 20, "goes on")
    assert machine.show("waiting.service", "ActiveState") == "active"
    assert disks[FLEETING].record()["reread_bytes"] < 2 * LOST_BYTES  # the detaching, too


def test_an_upgrade_and_a_reload_leave_waits_and_state_alone(machine):
    pid = machine.show("ebswarmd.service", "MainPID")
    before = warm_bytes(machine, FLEETING)
    machine.run("systemctl reload ebswarmd.service")
    assert machine.show("ebswarmd.service", "MainPID") == pid
    machine.run("dpkg -i /opt/packages/*.deb", timeout=240)
    machine.wait_until(lambda: machine.show("ebswarmd.service", "MainPID") not in ("0", pid) and
                       machine.show("ebswarmd.service", "ActiveState") == "active", "the new one runs")
    machine.wait_until(lambda: warm_bytes(machine, FLEETING) >= before, "it goes on")
    assert "QueueDepth=4" in machine.run("cat /etc/ebswarm/ebswarm.conf.d/test.conf")
    assert machine.show("waiting.service", "ActiveState") == "active"
    assert app_state(machine, "two") == "active"


def test_a_daemon_that_hangs_is_restarted_by_the_watchdog(machine, disks):
    """Scenario 7: stopped as a whole, it feeds no watchdog."""
    machine.run("mkdir -p /run/systemd/system/ebswarmd.service.d && "
                "printf '[Service]\\nWatchdogSec=3\\nTimeoutAbortSec=2\\n' >/run/systemd/system/ebswarmd.service.d/test.conf && "
                "systemctl daemon-reload && systemctl restart ebswarmd")
    machine.wait_until(lambda: warm_bytes(machine, FLEETING) > 6 << 20, "goes on")
    pid = machine.show("ebswarmd.service", "MainPID")
    machine.run("systemctl kill --signal=STOP ebswarmd.service")
    machine.wait_until(lambda: machine.show("ebswarmd.service", "MainPID") not in ("0", pid) and
                       machine.show("ebswarmd.service", "ActiveState") == "active", "another process")
    assert "watchdog" in machine.run("journalctl -b -u ebswarmd --no-pager | tail -n 30").lower()
    set_rate(disks, FLEETING, mib=0)
    machine.wait_until(lambda: machine.show("waiting.service", "ActiveState") == "inactive", "the wait is over")
    assert machine.show("waiting.service", "Result") == "success"
    assert disks[FLEETING].record()["pages_unread"] == 0
    # Four interruptions: detached, killed, upgraded, hung; and a restart.
    assert disks[FLEETING].record()["reread_bytes"] < 5 * LOST_BYTES
    machine.run("rm -r /run/systemd/system/ebswarmd.service.d; systemctl daemon-reload")


def test_state_that_was_baked_into_an_image_is_not_believed(machine, make_cold):
    """Scenario 6: the same root disk, as an instance launched from its image has it, and other volumes."""
    machine.run("sync")
    machine.cut_power()
    disks = make_cold(FIFTH, SIXTH, SEVENTH)
    machine.boot({serial: disks[serial] for serial in (FIFTH, SIXTH, SEVENTH)}, later=[SEVENTH])
    for serial in (FIFTH, SIXTH):
        machine.wait_until(lambda: machine.by_id().get(volume_id(serial), {}).get("state") == "warm", "warm")
        assert disks[serial].record()["pages_unread"] == 0


def test_without_io_uring_it_warms_all_the_same(machine, make_cold):
    """Scenario 8. Debian 12's kernel has no kernel.io_uring_disabled: a seccomp line stands for it."""
    machine.run("mkdir -p /run/systemd/system/ebswarmd.service.d && "
                "printf '[Service]\\nSystemCallFilter=~@aio\\n' >/run/systemd/system/ebswarmd.service.d/test.conf && "
                "systemctl daemon-reload && systemctl restart ebswarmd")
    machine.run(f"/opt/boot-test/ebs-disks attach {SEVENTH}")
    machine.wait_until(lambda: machine.by_id().get(volume_id(SEVENTH), {}).get("state") == "warm", "warm")
    assert make_cold()[SEVENTH].record()["pages_unread"] == 0
    status = json.loads(machine.run("ebswarmctl --json status"))
    assert status["engine"] == "threads" and status["engine_reason"], status
    machine.run("rm -r /run/systemd/system/ebswarmd.service.d; systemctl daemon-reload; systemctl restart ebswarmd")


def test_ebswarm_ec2_asks_and_the_daemon_hears(machine):
    """Scenario 9, with the service and its sandbox as they are installed."""
    machine.run(f"systemd-run --unit=fake-aws --property=StandardOutput=file:/run/fake-aws /opt/boot-test/fake-aws"
                f" {volume_id(FIFTH)}=none {volume_id(SIXTH)}=snap-0123456789abcdef0")
    machine.wait_until(lambda: machine.try_run("cat /run/fake-aws")["out"] == "ready\n", "the fake EC2")
    machine.run("systemctl start ebswarm-ec2.service")
    known = machine.wait_until(lambda: (v := machine.by_id()) and v[volume_id(SIXTH)]["origin"]["source"] == "ec2" and v,
                               "the daemon has heard")
    assert known[volume_id(SIXTH)]["origin"]["snapshot"] == "snap-0123456789abcdef0"
    assert "empty volume" in machine.run("ebswarmctl list")
    assert machine.run("stat -c %U /run/ebswarm/origin") == "ebswarm-ec2"
