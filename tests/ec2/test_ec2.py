# SPDX-License-Identifier: MIT
"""ebswarm-ec2 against a fake AWS: what it writes, and what it says when it cannot."""
import json
import os
import re
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("botocore")
from fake_aws import FakeAws, KEY, SECRET, TOKEN, error  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.path.join(os.environ.get("EBSWARM_BUILD", "build"), "src/ec2/ebswarm-ec2"))
pytestmark = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="built without ebswarm-ec2")
ROLE = "/latest/meta-data/iam/security-credentials/"
IDENTITY = "/latest/dynamic/instance-identity/document"


def attachment(vid, instance="i-1", device="/dev/sdf"):
    return (f"<item><volumeId>{vid}</volumeId><instanceId>{instance}</instanceId><device>{device}</device>"
            f"<status>attached</status></item>")


def volume(vid, snapshot="<snapshotId>snap-0a</snapshotId>", more="", attachments=None):
    return (f"<item><volumeId>{vid}</volumeId>{snapshot}<size>10</size>"
            f"<volumeType>gp3</volumeType><iops>3000</iops><throughput>125</throughput>"
            f"<fastRestored>false</fastRestored><status>in-use</status>{more}"
            f"<attachmentSet>{attachments or attachment(vid)}</attachmentSet></item>")


def page(*items, token=""):
    return (f"<DescribeVolumesResponse><volumeSet>{''.join(items)}</volumeSet>"
            + (f"<nextToken>{token}</nextToken>" if token else "") + "</DescribeVolumesResponse>")


STATUS = ("<R><volumeStatusSet><item><volumeId>vol-0a</volumeId><volumeStatus><status>ok</status><details><item>"
          "<name>initialization-state</name><status>initializing</status></item><item><name>io-enabled</name>"
          "<status>passed</status></item></details></volumeStatus>"
          "<initializationStatusDetails><initializationType>default</initializationType><progress>42</progress>"
          "</initializationStatusDetails></item></volumeStatusSet></R>")
SNAPSHOTS = ("<R><snapshotSet><item><snapshotId>snap-0a</snapshotId>"
             "<fullSnapshotSizeInBytes>12345</fullSnapshotSizeInBytes></item></snapshotSet></R>")


@pytest.fixture
def aws():
    fake = FakeAws()
    yield from serve(fake)


def serve(fake):
    fake.answers = {"DescribeVolumes": [(200, page(volume("vol-0a")))],
                    "DescribeVolumeStatus": [(200, STATUS)], "DescribeSnapshots": [(200, SNAPSHOTS)]}
    yield fake
    fake.close()


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "origin"
    folder.mkdir()
    return folder


def run(aws, out, *options, url=None, conf="", output=True, **environment):
    url = url or aws.url
    folder = Path(out).parent / "conf"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ebswarm.conf").write_text(conf)
    result = subprocess.run(
        [PROGRAM, *(["--output", str(out)] if output else []), *options], capture_output=True, text=True, timeout=60,
        check=False,
        env={"AWS_EC2_METADATA_SERVICE_ENDPOINT": url, "AWS_ENDPOINT_URL_EC2": url, "AWS_ENDPOINT_URL_EBS": url,
             "EBSWARM_EC2_BACKOFF_MSEC": "1", "CONFIGURATION_DIRECTORY": str(folder),
             "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), **environment})
    written = "".join(p.read_text() for p in Path(out).glob("vol-*"))
    for secret in (SECRET, TOKEN, KEY):
        assert secret not in result.stdout + result.stderr + written
    return result


def fields(path):
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


def test_every_field(aws, out):
    aws.answers["DescribeVolumes"] = [(200, page(volume(
        "vol-0a", more="<volumeInitializationRate>300</volumeInitializationRate><sourceVolumeId>vol-0b</sourceVolumeId>")))]
    assert run(aws, out).stderr == ""
    got = fields(out / "vol-0a.origin")
    assert got.pop("Checked").endswith("Z")
    assert got.pop("BootId") == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert got == {
        "Format": "1", "Source": "ec2", "Volume": "vol-0a", "Device": "/dev/sdf", "Snapshot": "snap-0a",
        "SnapshotBytes": "12345", "SizeBytes": "10240M", "Type": "gp3", "Iops": "3000", "Throughput": "125M",
        "FastRestored": "no", "InitializationRate": "300M", "InitializationState": "initializing",
        "InitializationType": "default", "InitializationProgress": "42", "SourceVolume": "vol-0b"}
    assert aws.requests[0]["Filter.1.Value.1"] == "i-1"
    assert (out / "vol-0a.origin").stat().st_mode & 0o777 == 0o644


def test_pages_and_empty_volume(aws, out):
    aws.answers["DescribeVolumes"] = [(200, page(volume("vol-0a"), token="a+/=&amp;b")), (200, page(token="c")),
                                      (200, page(volume("vol-0b", snapshot="<snapshotId/>")))]
    assert run(aws, out).returncode == 0
    assert [r.get("NextToken") for r in aws.requests[:3]] == [None, "a+/=&b", "c"]
    assert fields(out / "vol-0b.origin")["Snapshot"] == "none"


def test_a_missing_snapshot_id_is_not_an_empty_volume(aws, out):
    aws.answers["DescribeVolumes"] = [(200, page(volume("vol-0a", snapshot="")))]
    assert run(aws, out).returncode == 0
    assert "Snapshot" not in fields(out / "vol-0a.origin")


def test_the_device_is_this_instance_s(aws, out):
    both = attachment("vol-0a") + attachment("vol-0a", "i-2", "/dev/sdz")
    aws.answers["DescribeVolumes"] = [(200, page(volume("vol-0a", attachments=both)))]
    assert run(aws, out).returncode == 0
    assert fields(out / "vol-0a.origin")["Device"] == "/dev/sdf"


def test_a_value_of_tomorrow_is_left_out(aws, out):
    aws.answers["DescribeVolumeStatus"] = [(200, STATUS.replace("default", "by-magic"))]
    assert run(aws, out).stderr == ""
    got = fields(out / "vol-0a.origin")
    assert "InitializationType" not in got and got["InitializationProgress"] == "42"


def test_snapshots_are_asked_for_by_a_filter(aws, out):
    """By their ids a deleted one would fail the question for all."""
    aws.answers["DescribeVolumes"] = [(200, page(
        volume("vol-0a"), volume("vol-0b", "<snapshotId/>"), volume("vol-0c", "<snapshotId>snap-0c</snapshotId>")))]
    assert run(aws, out).returncode == 0
    asked = next(r for r in aws.requests if r["Action"] == "DescribeSnapshots")
    assert {k: v for k, v in asked.items() if k.startswith("Filter")} == {
        "Filter.1.Name": "snapshot-id", "Filter.1.Value.1": "snap-0a", "Filter.1.Value.2": "snap-0c"}
    assert "SnapshotBytes" not in fields(out / "vol-0c.origin")


def test_stale_files_go_and_foreign_ones_stay(aws, out):
    for name in ("vol-0dead.origin", "vol-0dead.blocks", "vol-0a.blocks", "site-disk.origin", "vol-0dead.txt"):
        (out / name).write_text("x")
    assert run(aws, out).returncode == 0
    assert sorted(p.name for p in out.iterdir()) == ["site-disk.origin", "vol-0a.blocks", "vol-0a.origin",
                                                     "vol-0dead.txt"]


def test_the_folder_is_systemd_s_and_made_if_need_be(aws, tmp_path):
    assert run(aws, tmp_path / "x", output=False, RUNTIME_DIRECTORY=f"{tmp_path}:/nowhere").returncode == 0
    assert (tmp_path / "origin" / "vol-0a.origin").exists()


def test_a_folder_that_is_not_there(aws, out, tmp_path):
    result = run(aws, out, "--output", str(tmp_path / "no" / "such"))
    assert result.returncode == 1 and "no/such: No such file or directory" in result.stderr


@pytest.mark.parametrize("failure", [(503, "busy"), (503, error("RequestLimitExceeded")), (400, error("Throttling"))])
def test_passing_failures_are_retried(aws, out, failure):
    aws.answers["DescribeVolumes"][:0] = [failure, failure]
    assert run(aws, out).returncode == 0
    assert (out / "vol-0a.origin").exists()


def test_retries_end(aws, out):
    aws.answers["DescribeVolumes"] = [(503, error("Unavailable"))]
    result = run(aws, out)
    assert result.returncode == 1 and "Unavailable" in result.stderr
    assert len(aws.requests) == 6


LAUGHS = ('<!DOCTYPE a [<!ENTITY l0 "lol">' + "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)) + "]><a>&l9;</a>")


@pytest.mark.parametrize("answer,expected", [
    ((403, error("UnauthorizedOperation")), "lacks ec2:DescribeVolumes"),
    ((403, error("SignatureDoesNotMatch")), "clock"),
    ((400, error("RequestExpired")), "clock"),
    ((401, error("AuthFailure")), "not accepted"),
    ((418, error("Tea\u009b31m\nred")), "status 418 Tea??31m?red"),
    ((400, "no XML"), "status 400"),
    ((200, page(volume("vol-0a"))[:-30]), "not to be believed"),
    ((200, ""), "not to be believed"),
    ((200, page(volume("vol-0a")).replace("</item>", "</itm>", 1)), "not to be believed"),
    ((200, LAUGHS), "document type"),
    ((200, "<a>" * 100 + "</a>" * 100), "too deeply"),
    ((200, page(volume("../../etc"))), "without a volume id"),
    ((200, page(volume("vol-0a").replace("<volumeId>vol-0a</volumeId>", "", 1))), "without a volume id"),
    ((200, "<a><b>" + "x" * 5000 + "</b></a>"), "text is too long"),
    ((200, "<a>" + " " * (17 << 20) + "</a>"), "16 MiB"),
])
def test_failures_keep_the_last_files(aws, out, answer, expected):
    (out / "vol-0a.origin").write_text("old")
    aws.answers["DescribeVolumes"] = [answer]
    result = run(aws, out)
    assert result.returncode == 1 and expected in result.stderr and result.stderr.count("\n") == 1
    assert (out / "vol-0a.origin").read_text() == "old"


def test_an_answer_that_breaks_off(aws, out):
    aws.truncate = True
    result = run(aws, out)
    assert result.returncode == 1 and result.stderr.count("\n") == 1


def test_optional_permissions_are_noted(aws, out):
    aws.answers["DescribeSnapshots"] = aws.answers["DescribeVolumeStatus"] = [(403, error("UnauthorizedOperation"))]
    result = run(aws, out)
    assert result.returncode == 0
    assert "lacks ec2:DescribeSnapshots" in result.stderr and "lacks ec2:DescribeVolumeStatus" in result.stderr
    assert "InitializationState" not in fields(out / "vol-0a.origin")


def test_imds_token_that_ran_out(aws, out):
    aws.refuse_token = 1
    assert run(aws, out).returncode == 0 and aws.tokens == 2
    aws.refuse_token = 99
    assert run(aws, out).returncode == 1


def test_a_busy_imds_is_asked_again(aws, out):
    aws.imds_failures = [503, 429]
    assert run(aws, out).returncode == 0


def test_no_role_and_error_in_a_200(aws, out):
    aws.imds[ROLE + "role"] = '{"Code": "AssumeRoleUnauthorizedAccess"}'
    assert "AssumeRoleUnauthorizedAccess" in run(aws, out).stderr
    del aws.imds[ROLE]
    assert "has no role" in run(aws, out).stderr


@pytest.mark.parametrize("missing", ["AccessKeyId", "SecretAccessKey", "Token", "Expiration"])
def test_credentials_are_whole_or_none(aws, out, missing):
    aws.imds[ROLE + "role"] = aws.imds[ROLE + "role"].replace(f'"{missing}"', '"Other"')
    assert "gives no credentials" in run(aws, out).stderr
    assert not aws.requests


@pytest.mark.parametrize("path,value", [
    (IDENTITY, "{}"), (IDENTITY, "<html>"), (IDENTITY, '{"region": 7, "instanceId": "i-1"}'),
    (IDENTITY, '{"region": "x.example/?", "instanceId": "i-1"}'),
    (IDENTITY, '{"region": "eu-west-1", "instanceId": "i-1&Action=TerminateInstances"}'),
    ("/latest/meta-data/services/domain", "example.com/"), ("/latest/meta-data/services/domain", ""),
])
def test_what_becomes_part_of_a_request_is_checked(aws, out, path, value):
    aws.imds[path] = value
    result = run(aws, out)
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    assert not aws.requests


def test_the_host_is_of_the_partition_s_domain(aws, out):
    """A proxy for https hears the host's name, and refuses."""
    listener = socket.create_server(("127.0.0.1", 0))
    heard = []

    def serve_proxy():
        for _ in range(6):
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(4096).split(b"\r\n")[0].decode())
                connection.sendall(b"HTTP/1.1 403 no\r\n\r\n")

    threading.Thread(target=serve_proxy, daemon=True).start()
    aws.imds[IDENTITY] = '{"region": "cn-north-1", "instanceId": "i-1"}'
    aws.imds["/latest/meta-data/services/domain"] = "amazonaws.com.cn\n"
    proxy = "http://127.0.0.1:%d" % listener.getsockname()[1]
    result = run(aws, out, AWS_ENDPOINT_URL_EC2="", https_proxy=proxy, http_proxy=proxy)
    listener.close()
    assert result.returncode == 1
    # And IMDS, which is http, did not go through it.
    assert set(heard) == {"CONNECT ec2.cn-north-1.amazonaws.com.cn:443 HTTP/1.1"}


def test_ipv6(out):
    try:
        fake = FakeAws("::1")
    except OSError:
        pytest.skip("no IPv6 here")
    for aws in serve(fake):
        assert run(aws, out, url=aws.url + "/").returncode == 0
        assert (out / "vol-0a.origin").exists()


def test_no_imds(aws, out):
    result = run(aws, out, url="http://127.0.0.1:1")
    assert result.returncode == 1 and "no instance metadata service" in result.stderr


def test_a_silent_imds_is_given_up_soon_and_the_hop_limit_named(aws, out):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        start = time.monotonic()
        result = run(aws, out, url="http://127.0.0.1:%d" % listener.getsockname()[1])
    assert result.returncode == 1 and "hop limit" in result.stderr
    assert time.monotonic() - start < 10


def test_credentials_of_the_environment_go_before_the_role(aws, out):
    aws.imds[ROLE + "role"] = '{"Code": "never asked for"}'
    assert run(aws, out, AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET, AWS_SESSION_TOKEN=TOKEN).returncode == 0
    aws.session_token = None
    assert run(aws, out, AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET).returncode == 0


def test_check_writes_nothing(aws, out):
    aws.snapshots = {"snap-0a": [0]}
    result = run(aws, out, "--check", conf="[Discover]\nBlockLists=yes\n")
    assert "Volume=vol-0a" in result.stdout and result.stderr == ""
    assert len(aws.ebs_requests) == 1
    assert not list(out.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user")
def test_the_credentials_can_get_into_no_core(aws, out):
    """The kernel gives /proc/PID of a process that must leave no core to root, whoever runs it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = "http://127.0.0.1:%d" % listener.getsockname()[1]
        with subprocess.Popen(
                [PROGRAM, "--output", "/nowhere"], stderr=subprocess.DEVNULL, user=65534, group=65534, cwd="/",
                env={"AWS_EC2_METADATA_SERVICE_ENDPOINT": url, "CONFIGURATION_DIRECTORY": "/nowhere"}) as process:
            connection, _ = listener.accept()
            owner = os.stat(f"/proc/{process.pid}/environ").st_uid
            connection.close()
            process.kill()
    assert owner == 0


# The lists of blocks.

LISTS = "[Discover]\nBlockLists=yes\n"
BLOCK = 524288


def blocks(path):
    """The list as (head, {block}, end), read without the program's own reader."""
    lines = path.read_text().splitlines()
    ranges = [tuple(map(int, line.split())) for line in lines[1:-1]]
    return lines[0], {n for start, length in ranges for n in range(start // BLOCK, (start + length) // BLOCK)}, lines[-1]


def test_no_list_unless_it_is_asked_for(aws, out):
    assert run(aws, out).returncode == 0
    assert not aws.ebs_requests and not (out / "vol-0a.blocks").exists()


def test_a_list_of_several_pages(aws, out):
    aws.snapshots = {"snap-0a": [0, 1, 2, 7, 8, 500, 2047]}
    aws.page_blocks = 2
    assert run(aws, out, conf=LISTS).stderr == ""
    assert blocks(out / "vol-0a.blocks") == (
        f"EBSWARM-BLOCKS 1 snap-0a {BLOCK} {1 << 30}", {0, 1, 2, 7, 8, 500, 2047}, f"END 4 {7 * BLOCK}")
    assert [r.get("startingBlockIndex") for r in aws.ebs_requests] == [None, "2", "8", "501"]
    assert (out / "vol-0a.blocks").stat().st_mode & 0o777 == 0o644


def test_the_configuration_may_be_named(aws, out, tmp_path):
    aws.snapshots = {"snap-0a": [5]}
    (tmp_path / "own.conf").write_text(LISTS)
    assert run(aws, out, "--config", str(tmp_path / "own.conf")).returncode == 0
    assert blocks(out / "vol-0a.blocks")[1] == {5}
    result = run(aws, out, "--config", str(tmp_path / "none.conf"))
    assert result.returncode == 1 and "none.conf" in result.stderr


def test_a_snapshot_without_blocks(aws, out):
    aws.snapshots = {"snap-0a": []}
    assert run(aws, out, conf=LISTS).stderr == ""
    assert blocks(out / "vol-0a.blocks")[2] == "END 0 0"


def test_empty_pages_are_passed_by_their_token(aws, out):
    aws.snapshots = {"snap-0a": [3, 9]}
    aws.page_blocks, aws.ebs_answers = 1, ["empty", "empty", None, "empty"]
    assert run(aws, out, conf=LISTS).stderr == ""
    assert blocks(out / "vol-0a.blocks")[1] == {3, 9}
    assert [r.get("pageToken") for r in aws.ebs_requests] == [None, "+/=3", "+/=3", None, "+/=9"]


def test_a_page_token_that_ran_out(aws, out):
    aws.snapshots = {"snap-0a": [3, 9]}
    aws.page_blocks, aws.ebs_answers, aws.expired_tokens = 1, [None, "empty"], 1
    assert run(aws, out, conf=LISTS).stderr == ""
    assert blocks(out / "vol-0a.blocks")[1] == {3, 9}
    aws.ebs_answers, aws.expired_tokens = ["empty"] * 99, 99
    (out / "vol-0a.blocks").unlink()
    result = run(aws, out, conf=LISTS)
    assert result.returncode == 0 and "INVALID_PAGE_TOKEN" in result.stderr
    assert not (out / "vol-0a.blocks").exists()


@pytest.mark.parametrize("answer", [(400, "RequestThrottledException", "ACCOUNT_THROTTLED"),
                                    (400, "", "DEPENDENCY_REQUEST_THROTTLED"),
                                    (500, "InternalServerException", "")])
def test_throttling_is_waited_out(aws, out, answer):
    aws.snapshots = {"snap-0a": [3]}
    aws.ebs_answers = [answer, answer]
    assert run(aws, out, conf=LISTS).stderr == ""
    assert blocks(out / "vol-0a.blocks")[1] == {3}


def test_a_public_snapshot_is_noted_and_no_error(aws, out):
    aws.answers["DescribeVolumes"] = [(200, page(
        volume("vol-0a"), volume("vol-0b", "<snapshotId>snap-0b</snapshotId>"), volume("vol-0c", "<snapshotId/>")))]
    aws.snapshots = {"snap-0b": [1]}
    aws.ebs_answers = [(403, "AccessDeniedException", "UNAUTHORIZED_ACCOUNT")]
    result = run(aws, out, conf=LISTS)
    assert result.returncode == 0 and result.stderr.count("\n") == 1
    assert "snap-0a, for vol-0a: refused: a public snapshot" in result.stderr
    assert sorted(p.name for p in out.glob("*.blocks")) == ["vol-0b.blocks"]


def test_a_deleted_snapshot_is_noted(aws, out):
    aws.ebs_answers = [(404, "ResourceNotFoundException", "SNAPSHOT_NOT_FOUND")]
    result = run(aws, out, conf=LISTS)
    assert result.returncode == 0 and "SNAPSHOT_NOT_FOUND" in result.stderr


def ebs_page(indexes, block=BLOCK, volume_gib=1, token=None):
    listed = ",".join(f'{{"BlockIndex":{i},"BlockToken":"t"}}' for i in indexes)
    next_token = f',"NextToken":"{token}"' if token else ""
    return f'{{"Blocks":[{listed}],"BlockSize":{block},"VolumeSize":{volume_gib},"ExpiryTime":1.5E9{next_token}}}'


@pytest.mark.parametrize("answers,expected", [
    (["no JSON"], "no JSON with Blocks"), (["[]"], "no JSON with Blocks"), (['{"Blocks":{}}'], "no JSON with Blocks"),
    (["[" * 100000], "no JSON with Blocks"),
    ([ebs_page([0], block=0)], "BlockSize"), ([ebs_page([0], block=1000000)], "BlockSize"),
    ([ebs_page([0], block="1e999")], "no JSON"), ([ebs_page([0], volume_gib=0)], "VolumeSize"),
    ([ebs_page([0], volume_gib=9223372036854775807)], "VolumeSize"),
    ([ebs_page([2048])], "beyond the volume"), ([ebs_page([9223372036854775807])], "beyond the volume"),
    ([ebs_page([-1])], "BlockIndex"), ([ebs_page(['"0"'])], "BlockIndex"), ([ebs_page([5, 5])], "ascend"),
    ([ebs_page([5, 4])], "ascend"), ([ebs_page([5], token="t"), ebs_page([5])], "ascend"),
    ([ebs_page([5], token="t"), ebs_page([6], block=BLOCK * 2)], "sizes"),
    ([ebs_page([5], token="t" * 2000)], "token"),
    (["[" + " " * (17 << 20) + "]"], "16 MiB"),
])
def test_a_list_that_cannot_be_believed_is_none(aws, out, answers, expected):
    aws.ebs_answers = answers
    result = run(aws, out, conf=LISTS)
    assert result.returncode == 0 and expected in result.stderr and result.stderr.count("\n") == 1
    assert (out / "vol-0a.origin").exists() and not (out / "vol-0a.blocks").exists()


def test_a_good_list_is_kept_and_a_bad_one_fetched_again(aws, out):
    aws.snapshots = {"snap-0a": [3, 9]}
    assert run(aws, out, conf=LISTS).returncode == 0
    whole = (out / "vol-0a.blocks").read_text()
    asked = len(aws.ebs_requests)
    assert run(aws, out, conf=LISTS).returncode == 0 and len(aws.ebs_requests) == asked
    (out / "vol-0a.blocks").write_text(whole[:-5])
    assert run(aws, out, conf=LISTS).returncode == 0
    assert (out / "vol-0a.blocks").read_text() == whole


def test_the_origins_are_there_before_the_lists_are_asked_for(aws, out):
    seen = []
    page_of = aws.ebs_page

    def look(url):
        seen.append((out / "vol-0a.origin").exists())
        return page_of(url)

    aws.ebs_page, aws.snapshots = look, {"snap-0a": [1]}
    assert run(aws, out, conf=LISTS).returncode == 0
    assert seen == [True]


# Words.

def test_the_options_are_those_of_the_manual():
    shown = set(re.findall(r"^  --([a-z-]+)", subprocess.run(
        [PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout, flags=re.M))
    described = set(re.findall(r"^\.It Fl -([a-z-]+)", (ROOT / "man" / "ebswarm-ec2.8").read_text(), flags=re.M))
    assert shown == described and shown


def test_the_keys_are_those_of_the_manual(aws, out):
    aws.answers["DescribeVolumes"] = [(200, page(volume(
        "vol-0a", more="<volumeInitializationRate>300</volumeInitializationRate><sourceVolumeId>vol-0b</sourceVolumeId>")))]
    assert run(aws, out).returncode == 0
    described = re.findall(r"^\.It Li (\w+)=$", (ROOT / "man" / "ebswarm-origin.5").read_text(), flags=re.M)
    assert sorted(described) == sorted(fields(out / "vol-0a.origin"))


def test_the_policies_of_the_manual_and_the_documentation_are_one():
    text = (ROOT / "man" / "ebswarm-ec2.8").read_text()
    manual = json.loads(re.search(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", text, flags=re.M | re.S)[1])
    documented = json.loads(re.search(r"^    (\{.*?)\n\n", (ROOT / "docs" / "origin.md").read_text().split(
        "## The role's policy")[1], flags=re.M | re.S)[1])
    assert manual == documented


@pytest.mark.parametrize("words", [["--no-such-option"], ["--output"], ["file"]])
def test_mistakes_on_the_command_line_are_usage(words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "ebswarm-ec2 --help" in done.stderr


def test_the_version():
    done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"ebswarm-ec2 \d+\.\d+\.\d+\n", done.stdout)
