# SPDX-License-Identifier: MIT
"""ebswarm-ec2 against a fake AWS: what it writes, and what it says when it cannot."""
import os
import subprocess

import pytest

pytest.importorskip("botocore")
from fake_aws import FakeAws, SECRET, TOKEN, error  # noqa: E402

PROGRAM = os.path.join(os.environ.get("EBSWARM_BUILD", "build"), "src/ec2/ebswarm-ec2")
pytestmark = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="built without ebswarm-ec2")


def volume(vid, snapshot="snap-0a", more=""):
    return (f"<item><volumeId>{vid}</volumeId><snapshotId>{snapshot}</snapshotId><size>10</size>"
            f"<volumeType>gp3</volumeType><iops>3000</iops><throughput>125</throughput>"
            f"<fastRestored>false</fastRestored><status>in-use</status>{more}<attachmentSet><item>"
            f"<volumeId>{vid}</volumeId><device>/dev/sdf</device><status>attached</status></item></attachmentSet></item>")


def page(*items, token=""):
    return (f"<DescribeVolumesResponse><volumeSet>{''.join(items)}</volumeSet>"
            + (f"<nextToken>{token}</nextToken>" if token else "") + "</DescribeVolumesResponse>")


STATUS = ("<R><volumeStatusSet><item><volumeId>vol-0a</volumeId><volumeStatus><status>ok</status><details><item>"
          "<name>initialization-state</name><status>initializing</status></item></details></volumeStatus>"
          "<initializationStatusDetails><initializationType>default</initializationType><progress>42</progress>"
          "</initializationStatusDetails></item></volumeStatusSet></R>")
SNAPSHOTS = ("<R><snapshotSet><item><snapshotId>snap-0a</snapshotId>"
             "<fullSnapshotSizeInBytes>12345</fullSnapshotSizeInBytes></item></snapshotSet></R>")


@pytest.fixture
def aws():
    fake = FakeAws()
    fake.answers = {"DescribeVolumes": [(200, page(volume("vol-0a")))],
                    "DescribeVolumeStatus": [(200, STATUS)], "DescribeSnapshots": [(200, SNAPSHOTS)]}
    yield fake
    fake.close()


def run(aws, out, *options, url=None):
    url = url or aws.url
    result = subprocess.run(
        [PROGRAM, "--output", str(out), *options], capture_output=True, text=True, timeout=30,
        env={"AWS_EC2_METADATA_SERVICE_ENDPOINT": url, "AWS_ENDPOINT_URL_EC2": url, "EBSWARM_EC2_BACKOFF_MSEC": "1",
             "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")})
    assert SECRET not in result.stdout + result.stderr and TOKEN not in result.stdout + result.stderr
    return result


def fields(path):
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


def test_every_field(aws, tmp_path):
    aws.answers["DescribeVolumes"] = [(200, page(volume(
        "vol-0a", more="<volumeInitializationRate>300</volumeInitializationRate><sourceVolumeId>vol-0b</sourceVolumeId>")))]
    assert run(aws, tmp_path).stderr == ""
    got = fields(tmp_path / "vol-0a.origin")
    assert got.pop("Checked").endswith("Z")
    assert got.pop("BootId") == open("/proc/sys/kernel/random/boot_id").read().strip()
    assert got == {
        "Format": "1", "Source": "ec2", "Volume": "vol-0a", "Device": "/dev/sdf", "Snapshot": "snap-0a",
        "SnapshotBytes": "12345", "SizeBytes": "10240M", "Type": "gp3", "Iops": "3000", "Throughput": "125M",
        "FastRestored": "no", "InitializationRate": "300M", "InitializationState": "initializing",
        "InitializationType": "default", "InitializationProgress": "42", "SourceVolume": "vol-0b"}
    assert aws.requests[0]["Filter.1.Value.1"] == "i-1"


def test_pages_and_empty_volume(aws, tmp_path):
    aws.answers["DescribeVolumes"] = [(200, page(volume("vol-0a"), token="a+/=&amp;b")),
                                      (200, page(volume("vol-0b", snapshot="")))]
    assert run(aws, tmp_path).returncode == 0
    assert aws.requests[1]["NextToken"] == "a+/=&b"
    assert fields(tmp_path / "vol-0b.origin")["Snapshot"] == "none"


def test_stale_files_go_and_foreign_ones_stay(aws, tmp_path):
    for name in ("vol-0dead.origin", "site-disk.origin"):
        (tmp_path / name).write_text("x")
    assert run(aws, tmp_path).returncode == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["site-disk.origin", "vol-0a.origin"]


@pytest.mark.parametrize("failure", [(503, "busy"), (503, error("RequestLimitExceeded")), (400, error("Throttling"))])
def test_passing_failures_are_retried(aws, tmp_path, failure):
    aws.answers["DescribeVolumes"][:0] = [failure, failure]
    assert run(aws, tmp_path).returncode == 0
    assert (tmp_path / "vol-0a.origin").exists()


@pytest.mark.parametrize("answer,expected", [
    ((403, error("UnauthorizedOperation")), "lacks ec2:DescribeVolumes"),
    ((403, error("SignatureDoesNotMatch")), "clock"),
    ((200, page(volume("vol-0a"))[:-30]), "not to be believed"),
    ((200, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "document type"),
    ((200, "<a>" * 100 + "</a>" * 100), "too deeply"),
    ((200, page(volume("../../etc"))), "without a volume id"),
    ((200, "<a>" + " " * (17 << 20) + "</a>"), "16 MiB"),
])
def test_failures_keep_the_last_files(aws, tmp_path, answer, expected):
    (tmp_path / "vol-0a.origin").write_text("old")
    aws.answers["DescribeVolumes"] = [answer]
    result = run(aws, tmp_path)
    assert result.returncode == 1 and expected in result.stderr and result.stderr.count("\n") == 1
    assert (tmp_path / "vol-0a.origin").read_text() == "old"


def test_optional_permissions_are_noted(aws, tmp_path):
    aws.answers["DescribeSnapshots"] = aws.answers["DescribeVolumeStatus"] = [(403, error("UnauthorizedOperation"))]
    result = run(aws, tmp_path)
    assert result.returncode == 0 and "ec2:DescribeSnapshots" in result.stderr
    assert "InitializationState" not in fields(tmp_path / "vol-0a.origin")


def test_imds_token_that_ran_out(aws, tmp_path):
    aws.refuse_token = 1
    assert run(aws, tmp_path).returncode == 0 and aws.tokens == 2
    aws.refuse_token = 99
    assert run(aws, tmp_path).returncode == 1


def test_no_role_and_error_in_a_200(aws, tmp_path):
    aws.imds["/latest/meta-data/iam/security-credentials/role"] = '{"Code": "AssumeRoleUnauthorizedAccess"}'
    assert "AssumeRoleUnauthorizedAccess" in run(aws, tmp_path).stderr
    del aws.imds["/latest/meta-data/iam/security-credentials/"]
    assert "has no role" in run(aws, tmp_path).stderr


def test_no_imds(aws, tmp_path):
    result = run(aws, tmp_path, url="http://127.0.0.1:1")
    assert result.returncode == 1 and "no instance metadata service" in result.stderr


def test_check_writes_nothing(aws, tmp_path):
    assert "Volume=vol-0a" in run(aws, tmp_path, "--check").stdout
    assert not list(tmp_path.iterdir())
