"""What happens on a host while it is recorded: crowds of threads, ids that are
used again, programs that change the user, clocks, containers, CPUs that go."""

import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

import pytest

from common import until_said

TRACE = ["-e", "syscalls:sys_enter_getppid"]
CPUS = pathlib.Path("/sys/devices/system/cpu")


@pytest.fixture
def script(run, perf, perfpair):
    """script(FIELDS): the lines of t.data, on which both readers agree."""
    def lines(fields, *args):
        words = ["script", *args, "-i", "t.data", "-F", fields]
        theirs, ours = run([perf, *words]), run([perfpair, *words])
        assert (theirs.stderr, ours.stderr) == ("", "")
        assert theirs.stdout == ours.stdout
        return theirs.stdout.splitlines()

    return lines


@pytest.fixture
def waiting(workload):
    """waiting(NR): a process of NR more threads; ended at the end."""
    processes = []

    def start(nr, program=None):
        crowd = subprocess.Popen(
            [program or workload("crowd"), str(nr)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        processes.append(crowd)
        assert crowd.stdout.readline() == "ready\n"
        return crowd

    yield start
    for crowd in processes:
        crowd.kill()
        crowd.communicate()


def test_a_process_of_thousands_of_threads(perfpair_record, may_trace, run,
                                           perf, script, waiting, tmp_path):
    """Each of them is heard of, once."""
    nr = 2000
    if nr * os.cpu_count() * 1.1 > resource.getrlimit(
            resource.RLIMIT_NOFILE)[1]:
        pytest.skip("the limit of open files is too low for all threads on "
                    "all CPUs")
    crowd = waiting(nr)
    threads = {int(tid) for tid in os.listdir(f"/proc/{crowd.pid}/task")}
    recorder = subprocess.Popen(
        [perfpair_record, *TRACE, "-p", str(crowd.pid), "-o", "t.data"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        until_said(recorder)
        crowd.communicate("go\n", timeout=60)
        said = recorder.communicate(timeout=60)[1]
    finally:
        recorder.kill()
    assert recorder.returncode == 0
    assert f"({nr} samples)" in said and "lost" not in said
    tids = [int(line) for line in script("tid")]
    assert len(tids) == nr
    assert set(tids) == threads - {crowd.pid}


def in_pid_namespace(run, text, *args):
    """Runs a shell script with pids of its own, where it says which one comes
    next: next_pid N."""
    done = run(["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c",
                "next_pid() { echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid; "
                "}\n" + text, "sh", *args])
    if "unshare" in done.stderr or "ns_last_pid" in done.stderr:
        pytest.skip("pids cannot be chosen here: " + done.stderr[:100])
    return done


@pytest.fixture
def namesakes(workload, tmp_path):
    """getppid under two names."""
    for name in ("first", "second"):
        shutil.copy(workload("getppid"), tmp_path / name)


def one_blank(lines):
    return [" ".join(line.split()) for line in lines]


def test_two_processes_of_one_pid_have_their_own_names(
        run, perfpair_record, may_trace, script, namesakes, tmp_path):
    (tmp_path / "both.sh").write_text(
        "last=/proc/sys/kernel/ns_last_pid\n"
        "echo 499 >$last; ./first 3 & wait $!\n"
        "echo 499 >$last; ./second 5 & wait $!\n")
    done = in_pid_namespace(run, '"$@"', perfpair_record, "-q", "-a", *TRACE,
                            "-o", "t.data", "--", "sh", "both.sh")
    assert done.returncode == 0, done.stderr
    found = collections.Counter(one_blank(script("comm,tid")))
    assert {line: nr for line, nr in found.items()
            if line.endswith(" 500")} == {"first 500": 3, "second 500": 5}


def test_a_new_process_of_an_old_pid_is_another_one(
        run, perfpair_record, may_trace, script, namesakes):
    """It is the process that is recorded, not who gets its pid while another
    one keeps the recording going."""
    done = in_pid_namespace(
        run, 'mkfifo go\n'
        'sleep 60 & other=$!\n'
        'next_pid 500; sh -c "echo >begun; read line <go; exec ./first 3" & '
        'first=$!\n'
        'until [ -e begun ]; do sleep 0.01; done\n'  # sh calls getppid, too
        '"$@" -p 500,$other 2>said & recorder=$!\n'
        'until grep -q recording, said || ! kill -0 $recorder\n'
        'do sleep 0.01; done\n'
        'echo go >go; wait $first\n'
        'next_pid 500; ./second 5\n'
        'kill $other; wait $recorder',
        perfpair_record, *TRACE, "-o", "t.data")
    assert done.returncode == 0, done.stderr
    # the shell may only begin, and ask for its parent, when it is recorded
    assert [line for line in one_blank(script("comm,tid"))
            if line != "sh 500"] == ["first 500"] * 3


@pytest.mark.parametrize("name, clock", [
    ("mono", time.CLOCK_MONOTONIC),
    ("CLOCK_MONOTONIC_RAW", time.CLOCK_MONOTONIC_RAW),
    ("realtime", time.CLOCK_REALTIME),
    ("boot", time.CLOCK_BOOTTIME),
    ("tai", time.CLOCK_TAI),
])
def test_times_are_the_clocks(run, perf, perfpair_record, may_record, script,
                              name, clock):
    before_ns = time.clock_gettime_ns(clock)
    done = run([perfpair_record, "-q", "-k", name, "-e", "page-faults", "-c",
                "1", "-o", "t.data", "true"])
    after_ns = time.clock_gettime_ns(clock)
    assert done.returncode == 0, done.stderr
    times = [int(line.strip(" :").replace(".", ""))
             for line in script("time", "--ns")]
    assert before_ns <= min(times) <= max(times) <= after_ns
    header = run([perf, "report", "--header-only", "-i", "t.data"]).stdout
    assert re.search(rf"^# clockid: \w+ \({clock}\)$", header, re.M)


def test_clock_that_an_event_does_not_go_with(run, perfpair_record,
                                              may_trace):
    done = run([perfpair_record, "-k", "real", *TRACE, "-o", "t.data", "true"])
    assert done.returncode == 255
    assert done.stderr.splitlines() == [
        "perfpair-record: syscalls:sys_enter_getppid: the kernel refuses "
        "these settings",
        "perfpair-record: mono and raw go with every event, other clocks (-k) "
        "with software events only, such as cpu-clock"]


def test_a_process_and_a_thread_of_another(run, perf, perfpair_record,
                                           may_record, waiting):
    """perf 6.1 leaves -t out where there is -p."""
    one, other = waiting(2), waiting(2)
    tids = sorted(int(tid) for tid in os.listdir(f"/proc/{one.pid}/task"))
    thread = max(int(tid) for tid in os.listdir(f"/proc/{other.pid}/task"))
    done = run([perfpair_record, "-q", "-e", "cpu-clock", "-p", one.pid, "-t",
                thread, "-o", "t.data", "true"])
    assert done.returncode == 0, done.stderr
    dump = run([perf, "report", "-D", "-i", "t.data"]).stdout
    names = ", ".join(map(str, sorted([*tids, thread])))
    assert f"PERF_RECORD_THREAD_MAP nr: 4 threads: {names}\n" in dump


def build_id(run, path):
    return re.search(r"Build ID: (\w+)", run(["readelf", "-n", path]).stdout)[1]


@pytest.fixture
def container(run, workload, tmp_path):
    """(app, COMMAND): at the path app a container sees another program than the
    host does; it says "ready" and waits for a line."""
    app = tmp_path / "app" / "app"
    app.parent.mkdir()
    shutil.copy(workload("getppid"), app)
    container = ["unshare", "--mount", "sh", "-c",
                 'mount -t tmpfs none "$2" && cp "$1" "$2/app" && '
                 'exec "$2/app" 1', "sh", workload("crowd"), app.parent]
    if run(["unshare", "--mount", "mount", "-t", "tmpfs", "none",
            app.parent]).returncode:
        pytest.skip("nothing may be mounted here")
    return app, container


RECORD_ALL = ["-q", "-a", "-e", "cpu-clock", "-o", "t.data", "--"]


def test_build_id_of_a_file_that_only_a_container_sees(
        run, perf, perfpair_record, may_record, workload, container):
    app, command = container
    inside = subprocess.Popen(command, text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    assert inside.stdout.readline() == "ready\n"
    done = run([perfpair_record, *RECORD_ALL, "true"])
    inside.communicate("go\n", timeout=60)
    assert done.returncode == 0, done.stderr
    maps = run([perf, "script", "-i", "t.data", "--show-mmap-events"]).stdout
    found = set(re.findall(rf"<(\w+)>\]: r-xp {app}$", maps, re.M))
    assert found == {build_id(run, workload("crowd"))}
    assert found != {build_id(run, app)}


@pytest.mark.parametrize("args", [[], ["--buildid-mmap", "--buildid-all"]])
def test_build_id_of_a_file_that_a_new_container_sees(
        run, perf, perfpair_record, may_record, workload, container, tmp_path,
        args):
    """It runs until the recording ends, so that it can be asked."""
    app, command = container
    waiting = tmp_path / "waiting"
    os.mkfifo(waiting)
    held = os.open(waiting, os.O_RDWR)
    done = run([perfpair_record, *args, *RECORD_ALL, "sh", "-c",
                '"$@" < waiting > said 2>&1 & '
                'until grep -q ready said; do sleep 0.01; done', "sh",
                *command])
    os.write(held, b"go\n")
    os.close(held)
    assert done.returncode == 0, done.stderr
    table = run([perf, "buildid-list", "-i", "t.data"]).stdout
    assert re.findall(rf"(\w+) {app}$", table, re.M) == [
        build_id(run, workload("crowd"))]


def test_a_cpu_that_goes_and_comes_back(perfpair_record, may_trace, run, perf,
                                        script, workload, tmp_path):
    """Recording goes on with the others; what the CPU had is in the file, and
    that it is gone is said: its events stay dead when it is back. Rings are
    large, as one CPU may have the work of all meanwhile."""
    if not os.environ.get("PERFPAIR_SYSCTL"):
        pytest.skip("PERFPAIR_SYSCTL=1 lets this take one of the machine's "
                    "CPUs offline for a moment")
    switch = sorted(CPUS.glob("cpu[0-9]*/online"))[-1]
    cpu = int(switch.parent.name[3:])
    (tmp_path / "steps.sh").write_text(
        f"taskset -c {cpu} $1 10\necho 0 >{switch}\ntaskset -c 0 $1 20\n"
        f"sleep 2.5\necho 1 >{switch}\ntaskset -c {cpu} $1 40\n"
        "taskset -c 0 $1 30\n")
    try:
        done = run([perfpair_record, "-a", "-m", "4M", *TRACE, "-o", "t.data",
                    "--", "sh", "steps.sh", workload("getppid")])
    finally:
        switch.write_text("1")
    assert done.returncode == 0, done.stderr
    assert "lost" not in done.stderr
    assert (f"[ perfpair-record: CPU {cpu} went offline: it is not recorded "
            "from now on, not even when it is back ]\n") in done.stderr
    lines = [line for line in one_blank(script("comm,cpu"))
             if line.startswith("getppid")]
    assert lines.count(f"getppid [{cpu:03}]") == 10
    assert lines[10:] == ["getppid [000]"] * 50


def test_a_cpu_that_is_offline(run, perfpair_record):
    offline = [int(path.parent.name[3:]) for path in CPUS.glob("cpu*/online")
               if path.read_text().strip() == "0"]
    cpu = offline[0] if offline else 60000
    done = run([perfpair_record, "-C", cpu, "-e", "cpu-clock", "true"])
    assert done.returncode == 255
    assert done.stderr.splitlines()[0] == (
        f"perfpair-record: CPU {cpu} is not online")
