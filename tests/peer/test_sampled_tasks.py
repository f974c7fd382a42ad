"""--sideband=sampled: tasks that no sample is of leave no records, and perf reads
the rest without a word and with the same names."""

import re
import signal
import subprocess

import pytest

from common import until_said

OPTIONS = ["-q", "-e", "cpu-clock", "-F", "199", "-g", "--no-leaf-callers", "-B",
           "--flush-interval", "50ms"]
NAMES = {("sampled", "in_leader"), ("its_thread", "in_thread"),
         ("its_orphan", "in_orphan"), ("sampled", "in_child")}


@pytest.fixture(scope="module")
def program(workload):
    return workload("sampled", "-O1", "-fno-omit-frame-pointer")


def spins(text):
    """(task, function) of the samples in one of the program's loops; and tasks that
    have no name, and samples in no file.  Callers of a program that just starts may
    be any number: the loader has no frame pointers."""
    found, bad = set(), []
    for block in filter(None, text.strip().split("\n\n")):
        head, *frames = block.splitlines()
        names = re.findall(r"^\s+[0-9a-f]+ (\w+)", block, re.M)
        found |= {(head.split()[0], name) for name in names
                  if name.startswith("in_")}
        if head.startswith(":") or (frames and frames[0].endswith("([unknown])")):
            bad.append(block)
    return found, bad


@pytest.mark.parametrize("more", [[], ["-z0"], ["--threads=2"]], ids=" ".join)
def test_perf_reads_what_is_left(run, perf, perfpair, perfpair_record, program,
                                 tmp_path, more):
    run([perfpair_record, *OPTIONS, *more, "--sideband=sampled", "-o", "t.data",
         "--", program], check=True)
    fields = ["--no-inline", "-F", "comm,tid,time,ip,sym,dso", "-i", "t.data"]
    theirs = run([perf, "script", *fields])
    ours = run([perfpair, "script", *fields])
    assert (theirs.returncode, theirs.stderr) == (0, "")
    assert ours.stdout == theirs.stdout
    found, bad = spins(theirs.stdout)
    assert (found, bad) == (NAMES, [])
    dump = run([perfpair, "report", "--stats", "-i", "t.data"]).stdout
    forks = int(re.search(r"FORK events: +(\d+)", dump)[1])
    assert forks < 100  # of 304; a busy machine samples more of them
    tasks = run([perfpair, "report", "--tasks", "-i", "t.data"]).stdout
    left = int(re.search(r"^# (\d+) tasks that were not sampled", tasks, re.M)[1])
    assert left + forks >= 300
    header = run([perfpair, "report", "--header-only", "-i", "t.data"]).stdout
    assert f"# tasks left out : {left} that were not sampled" in header


def test_each_slice_has_its_own(run, perf, perfpair_record, program, tmp_path):
    run([perfpair_record, *OPTIONS, "--sideband=sampled", "--switch-output=300ms",
         "-o", "t.data", "--", program], check=True)
    found = set()
    slices = sorted(tmp_path.glob("t.data.2*"))
    for path in slices:
        done = run([perf, "script", "--no-inline", "-F", "comm,ip,sym,dso", "-i",
                    path])
        assert (done.returncode, done.stderr) == (0, "")
        names, bad = spins(done.stdout)
        assert not bad
        found |= names
    assert len(slices) >= 4
    assert found == NAMES


def names_of_tasks(text):
    """All names that each thread had, by the records of a whole recording."""
    found = {}
    for comm, tid, child, parent in re.findall(
            r"_COMM(?: exec)?: (.*):\d+/(\d+)$|_FORK\(\d+:(\d+)\):\(\d+:(\d+)\)$",
            text, re.M):
        if child:
            found.setdefault(child, set()).update(found.get(parent, ()))
        else:
            found.setdefault(tid, set()).add(comm)
    return found


def test_what_runs_is_read_once(run, perf, perfpair_record, may_record, program,
                                tmp_path):
    """The next files know what runs by the kernel's records: /proc is read by threads
    that another recorder sees, and names are as it has them."""
    options = [option for option in OPTIONS if option != "-q"]
    with subprocess.Popen([perfpair_record, "-a", *options, "--sideband=sampled",
                           "--switch-output=300ms", "-o", "t.data"], cwd=tmp_path,
                          stderr=subprocess.PIPE, text=True) as recorder:
        until_said(recorder)
        run([perfpair_record, "-a", *OPTIONS, "-o", "all.data", "--", program],
            check=True)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
    slices = sorted(tmp_path.glob("t.data.2*"))
    assert len(slices) >= 4
    tasks = run([perf, "script", "--show-task-events", "-F", "comm,tid,event", "-i",
                 "all.data"]).stdout
    assert "PERF_RECORD_COMM" in tasks
    # other recorders may be at work
    assert len(re.findall(rf"COMM: read-proc:{recorder.pid}/", tasks)) < len(slices) / 2
    names = names_of_tasks(tasks)
    # one that ends may have samples behind the record that says so
    ended = set(re.findall(r"_EXIT\(\d+:(\d+)\)", tasks))
    start, *_, end = run([perf, "script", "-G", "-F", "time", "-i",
                          "all.data"]).stdout.split()
    found = set()
    for path in slices:
        done = run([perf, "script", "--no-inline", "-F", "comm,ip,sym,dso", "-i",
                    path])
        assert (done.returncode, done.stderr) == (0, "")
        # other programs have functions in_..., too
        found |= {(comm, name) for comm, name in spins(done.stdout)[0]
                  if name in {name for _, name in NAMES}}
        ours = run([perf, "script", "-G", "-F", "comm,tid,time", "-i", path]).stdout
        assert not [(comm, tid) for comm, tid, when in re.findall(
                        r"^ *(.+?) +(\d+) +([\d.]+):", ours, re.M)
                    if start < when < end and tid in names and tid not in ended
                    # a worker of the kernel is called as what it works on
                    and not comm.startswith("kworker/")
                    and comm not in names[tid]]
    assert found and found <= NAMES  # a busy machine leaves some without a sample


@pytest.mark.parametrize("more, why", [
    (["--switch-events"], "context switches, which name all tasks"),
    (["--off-cpu"], "context switches, which name all tasks"),
    (["--overwrite"], "rings that are overwritten"),
])
def test_refused(run, perfpair_record, tmp_path, more, why):
    done = run([perfpair_record, "--sideband=sampled", "-e", "cpu-clock", *more,
                "-o", "t.data", "--", "true"])
    assert done.returncode
    assert f"--sideband=sampled with {why}" in done.stderr


def test_an_unknown_word(run, perfpair_record, tmp_path):
    done = run([perfpair_record, "--sideband=some", "--", "true"])
    assert done.returncode
    assert "it is all or sampled" in done.stderr
