"""Groups while sampling: what is recorded with :S and without, as perf reads it
and we do, one column an event."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.records

CALLS = 500
PROGRAM = f"import os\nfor i in range({CALLS}): os.getppid()\n" \
          "x = [bytearray(1 << 16) for i in range(200)]\n"
GROUPS = {
    "read": "{syscalls:sys_enter_getppid,page-faults,cs}:S",
    "sampled": "{syscalls:sys_enter_getppid,page-faults,cpu-clock}",
    "named": "pair{cpu-clock:u,page-faults:u}:S,task-clock",
}


@pytest.fixture(scope="module", params=GROUPS)
def group(request, perfpair_record, tmp_path_factory):
    path = tmp_path_factory.mktemp("group") / "perf.data"
    done = subprocess.run([perfpair_record, "-q", "-e", GROUPS[request.param],
                           "-o", path, sys.executable, "-c", PROGRAM],
                          capture_output=True, text=True)
    if "not permitted" in done.stderr or "tracefs" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return request.param, path


def shown(words):
    done = subprocess.run(words, capture_output=True, text=True)
    return [line.rstrip() for line in done.stdout.splitlines()
            if line.strip() and "(Tip:" not in line]


@pytest.mark.parametrize("options", [
    ["--group"], ["--no-group"], ["--group", "-F", "overhead,sample,period,dso"],
    ["--group", "--group-sort-idx", "1", "-s", "comm,dso"]])
def test_report_has_perfs_columns(perf, perfpair, group, options):
    words = ["report", "--stdio", *options, "-i", group[1]]
    ours = shown([perfpair, *words])
    assert ours == shown([perf, *words])
    assert len(ours) > 8


def test_every_call_is_counted_by_its_leader(perfpair, group):
    if group[0] == "named":
        pytest.skip("no event of this group is exact")
    words = [perfpair, "script", "-F", "event,period", "-i", group[1]]
    calls = [line for line in shown(words) if "sys_enter_getppid" in line]
    assert len(calls) == CALLS
    assert {line.split()[0] for line in calls} == {"1"}
    # of :S the leader alone samples, the others are read with it
    faults = [line for line in shown(words) if "page-faults" in line]
    assert len(faults) > 0
