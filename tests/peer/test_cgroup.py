"""-G and --for-each-cgroup: the same events in the same groups as perf's."""

import os
import re
import subprocess

import pytest

OPEN = re.compile(r"perf_event_open\(.*?config=(\w+).*PERF_FORMAT_ID.*, "
                  r"(-?\d+), (\d+), -1, (PERF_FLAG\S*)\)")


@pytest.fixture
def hierarchy(tmp_path):
    """perf_event's own control groups, mounted for this test: v1, as that
    goes with whatever the machine has mounted."""
    folder = tmp_path / "cgroups"
    folder.mkdir()
    if os.geteuid() or subprocess.run(
            ["mount", "-t", "cgroup", "-o", "perf_event", "none", folder],
            stderr=subprocess.DEVNULL).returncode:
        pytest.skip("perf_event's control groups cannot be mounted here")
    groups = [folder / "perfpair_a", folder / "perfpair_b"]
    try:
        for group in groups:
            group.mkdir(exist_ok=True)  # a test that was killed left it
        yield folder
        for group in groups:
            group.rmdir()
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def busy(hierarchy):
    """A process that runs in perfpair_a."""
    loop = subprocess.Popen(["awk", "BEGIN { for (;;) x++ }"])
    (hierarchy / "perfpair_a/cgroup.procs").write_text(str(loop.pid))
    yield loop
    loop.kill()
    loop.wait()


def opened(run, program, tmp_path, args):
    run(["strace", "-f", "-o", "trace", "-e", "trace=perf_event_open",
         *program, "-o", "t.data", "-a", *args, "--", "true"])
    return [(config, pid != "-1", cpu, flags) for config, pid, cpu, flags in
            OPEN.findall((tmp_path / "trace").read_text())]


@pytest.mark.parametrize("args", [
    ["-e", "cpu-clock,cs", "-G", "perfpair_a"],
    ["-e", "cpu-clock,cs", "-G", ",perfpair_b"],
    ["-e", "cpu-clock,cs", "-G", "perfpair_a,perfpair_b"],
    ["-e", "cpu-clock", "-e", "cs", "-G", "perfpair_a", "-e", "page-faults"],
])
def test_events_are_opened_as_perf_opens_them(run, perf, perfpair_record,
                                              may_record, hierarchy, tmp_path,
                                              args):
    theirs = opened(run, [perf, "record", "-B", "-N", "--no-bpf-event"],
                    tmp_path, args)
    ours = opened(run, [perfpair_record, "--no-bpf-event"], tmp_path, args)
    assert any("PID_CGROUP" in row[3] for row in theirs)
    assert ours == theirs


def test_only_the_group_is_recorded(run, perf, perfpair_record, may_record,
                                    busy):
    done = run([perfpair_record, "-q", "-a", "-e", "cpu-clock", "-G",
                "perfpair_a", "-o", "t.data", "sleep", "0.2"])
    script = run([perf, "script", "-i", "t.data", "-F", "pid"])
    assert done.returncode == 0
    assert {int(word) for word in script.stdout.split()} == {busy.pid}


def test_all_events_for_each_group(run, perf, perfpair_record, may_record,
                                   busy):
    run([perfpair_record, "-q", "-a", "-e", "cpu-clock,cs",
         "--for-each-cgroup", "perfpair_a,perfpair_b", "-o", "t.data",
         "sleep", "0.2"])
    names = run([perf, "evlist", "-i", "t.data"]).stdout.split()
    assert names == [f"{event}/cgroup=perfpair_{group}/" for group in "ab"
                     for event in ("cpu-clock", "cs")] + ["dummy:HG"]
    script = run([perf, "script", "-i", "t.data", "-F", "pid"])
    assert {int(word) for word in script.stdout.split()} == {busy.pid}


def test_report_names_the_group(run, perfpair, perf, perfpair_record,
                                may_record, busy, tmp_path):
    for output in ("t.data", "-"):
        done = run([perfpair_record, "-q", "-a", "-e", "cpu-clock:u", "-e",
                    "sched:sched_switch", "-G", "perfpair_a", "-o", output,
                    "sleep", "0.5"], text=False)
        assert done.returncode == 0
        if output == "-":
            (tmp_path / "t.data").write_bytes(done.stdout)
        for program in (perf, perfpair):
            text = run([program, "report", "--stdio", "-i", "t.data"]).stdout
            assert re.findall("^# Samples: .* of event '(.*)'", text, re.M) == [
                "cpu-clock/cgroup=perfpair_a/u",
                "sched:sched_switch/cgroup=perfpair_a/"]
        script = run([perfpair, "script", "-i", "t.data"]).stdout
        assert "sched:sched_switch/cgroup=perfpair_a/: prev_comm=" in script


def stat_groups(run, perf, groups):
    """Those that perf stat expands the list to."""
    done = run([perf, "stat", "-x", ",", "-a", "-e", "cpu-clock",
                "--for-each-cgroup", groups, "true"])
    assert done.returncode == 0, done.stderr
    return sorted(line.split(",")[3] for line in done.stderr.splitlines())


@pytest.mark.parametrize("groups", [
    "perfpair_a", "perfpair_a,perfpair_b,perfpair_a", "^perfpair_", "_[ab]$",
    "perfpair_b,^perfpair_a", "perf.*r_\\(a\\|c\\)",
])
def test_patterns_mean_the_groups_that_perf_stat_means(
        run, perf, perfpair_record, may_record, hierarchy, tmp_path, groups):
    run(["strace", "-f", "-o", "trace", "-e", "trace=openat",
         perfpair_record, "-q", "-a", "-e", "cpu-clock", "--for-each-cgroup",
         groups, "-o", "t.data", "true"])
    names = re.findall(rf'AT_FDCWD, "{hierarchy}/([^"]+)", O_RDONLY',
                       (tmp_path / "trace").read_text())
    assert sorted(set(names)) == stat_groups(run, perf, groups)


def test_pattern_that_no_group_fits(run, perfpair_record, may_record,
                                    hierarchy):
    done = run([perfpair_record, "-a", "-e", "cpu-clock", "--for-each-cgroup",
                "^perfpair_c", "-o", "t.data", "true"])
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == (
        "perfpair-record: no control group matches '^perfpair_c'")


def test_group_that_is_not_there(run, perfpair_record, may_record, hierarchy):
    done = run([perfpair_record, "-a", "-e", "cpu-clock", "-G", "nope", "-o",
                "t.data", "true"])
    assert done.returncode == 255
    assert done.stderr.splitlines() == [
        f"perfpair-record: control group {hierarchy}/nope: No such file or "
        "directory",
        f"perfpair-record: names are paths below {hierarchy}"]


def test_hierarchy_that_perf_events_do_not_belong_to(
        run, perfpair_record, may_record, hierarchy, may_unshare):
    """The controller's own is mounted, but not where the recorder runs."""
    show = run(["unshare", "--mount", "sh", "-c",
                f"umount {hierarchy} || exit 9; cat /proc/mounts"])
    assert show.returncode == 0
    if " cgroup2 " not in show.stdout or "perf_event" in show.stdout:
        pytest.skip("no other control groups are mounted here")
    done = run(["unshare", "--mount", "sh", "-c",
                f'umount {hierarchy} || exit 9; exec "$@"', "sh",
                perfpair_record, "-a", "-e", "cpu-clock", "-G", "/", "-o",
                "t.data", "true"])
    assert done.returncode == 255
    assert done.stderr.splitlines()[0] == (
        "perfpair-record: control group /: perf events do not belong to the "
        "mounted hierarchy, or the kernel does not have cpu-clock")
