"""What the recorder says of its own cost, and how it keeps to a limit."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess

import pytest

from common import until, until_said

CLOCK = ["-a", "-e", "cpu-clock"]


@pytest.fixture
def record(run, perfpair_record, may_record):
    def do(*args):
        done = run([perfpair_record, "-o", "t.data", *args])
        assert done.returncode == 0, done.stderr
        return done.stderr

    return do


def header(run, perfpair):
    text = run([perfpair, "report", "--header-only", "-i", "t.data"]).stdout
    return dict(line[2:].split(": ", 1) for line in text.splitlines()
                if ": " in line)


def test_cost_is_said_and_written(record, run, perfpair):
    said = record(*CLOCK, "-F", "999", "--", "sleep", "0.6")
    user, system, memory = map(float, re.search(
        r"used ([\d.]+) s user, ([\d.]+) s system, ([\d.]+) MB memory",
        said).groups())
    assert 0 < user + system < 1 and 1 < memory < 200
    assert re.search(r"[\d.]+% of a CPU, ratio \d", said)
    rows = header(run, perfpair)
    found = re.match(r"([\d.]+) s user, ([\d.]+) s system, ([\d.]+)% of a CPU "
                     r"in ([\d.]+) s", rows["recorder cpu   "])
    assert float(found[1]) <= user and float(found[2]) <= system
    assert 0.6 < float(found[4]) < 5
    samples = int(re.search(r"\((\d+) samples", said)[1])
    assert rows["recorder wrote "].endswith(f", {samples} samples")


def test_cost_on_sigusr1(perfpair_record, may_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, *CLOCK, "-o", "t.data"], cwd=tmp_path,
        stderr=subprocess.PIPE, text=True)
    until_said(recorder)
    recorder.send_signal(signal.SIGUSR1)
    until_said(recorder, "perfpair-record: used ")
    assert recorder.poll() is None
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate(timeout=30)[1]
    assert recorder.returncode == -signal.SIGINT
    assert "Captured" in said
    assert said.count("perfpair-record: used ") == 1


def test_cpu_limit_lowers_the_rate_and_says_so(record, run, perfpair, perf):
    """Half of what it takes without: the rate has to go down."""
    busy = ["sh", "-c", "i=0; while :; do i=$((i+1)); done"]
    options = [*CLOCK, "-g", "-F", "8000", "--duration", "2s"]
    said = record(*options, "--cpu-limit", "0.1", "--", *busy)
    found = re.search(r"cpu-clock: frequency (\d+), not 8000, on average, "
                      r"(\d+) at worst, to stay below 0\.1% of a CPU", said)
    assert found, said
    mean, least = int(found[1]), int(found[2])
    assert least <= mean < 8000
    text = run([perfpair, "report", "--header-only", "-i", "t.data"]).stdout
    rates = [8000] + [int(found) for found in re.findall(
        r"cpu-clock has a frequency of (\d+) from [\d.]+ on", text)]
    assert min(rates) == least
    # Even what changed before the first checkpoint has its time.
    samples = run([perf, "script", "-F", "time", "-i", "t.data"]).stdout
    first = float(samples.split(":")[0])
    times = [float(time) for time in re.findall(r" from ([\d.]+) on", text)]
    assert times and all(first <= time < first + 6 for time in times)
    assert times == sorted(times)
    # A machine that has other things to do takes a timer late: most samples
    # of a CPU, not all, are as far apart as one of these rates has them.
    last, gaps = {}, []
    for line in run([perf, "script", "-F", "cpu,time", "-i",
                     "t.data"]).stdout.splitlines():
        cpu, now = line.replace(":", "").split()
        gaps.append(float(now) - last.get(cpu, float(now)))
        last[cpu] = float(now)
    sound = [gap for gap in gaps
             if any(0.7 < gap * rate < 1.4 for rate in rates)]
    assert len(sound) > len(gaps) / 2
    assert sum(gap * 0.7 > 1 / 8000 for gap in sound) > 20


def test_without_need_the_rate_stays(record, run, perfpair):
    said = record(*CLOCK, "-F", "99", "--cpu-limit", "90", "--duration", "1200ms")
    assert "on average" not in said
    assert "rate           " not in header(run, perfpair)


@pytest.mark.parametrize("text", ["0", "101", "x", "-5"])
def test_limits_that_cannot_be(run, perfpair_record, text):
    done = run([perfpair_record, f"--cpu-limit={text}", "--", "true"])
    assert done.returncode == 2
    assert f"--cpu-limit '{text}' is not understood" in done.stderr


def said_of_recorder(text):
    said = re.findall(r"^# (?:recorder \w+|lost|highest rate) *:.*", text, re.M)
    assert len(said) > 5
    return said


def test_losses_have_their_event_cpu_and_time(record, run, perf, perfpair,
                                              may_trace, workload):
    said = record("-a", "-m", "1", "--spill-size", "0", "-e",
                  "syscalls:sys_enter_getppid", "-e",
                  "syscalls:sys_exit_getppid", "--", workload("getppid"),
                  "300000")
    # Those of the dummy are records of maps and tasks.
    lost = sum(int(nr) for nr in re.findall(r"lost (\d+) (?:of|records)", said))
    rows = re.findall(r"perfpair-record: (\d+) of (\S+) on CPU (\d+) between "
                      r"([\d.]+) and ([\d.]+) ]", said)
    assert sum(int(row[0]) for row in rows) == lost
    assert {row[1] for row in rows} >= {"syscalls:sys_enter_getppid",
                                        "syscalls:sys_exit_getppid"}
    times = [float(line.strip().rstrip(":")) for line in run(
        [perf, "script", "-i", "t.data", "-F", "time"]).stdout.split()]
    for _, _, _, first, last in rows:
        assert min(times) - 1 < float(first) <= float(last) < max(times) + 1
    text = run([perfpair, "report", "--header-only", "-i", "t.data"]).stdout
    assert len(re.findall(r"^# lost  +: \d+ of \S+ on CPU \d+ between", text,
                          re.M)) == len(rows)
    stats = run([perf, "report", "-i", "t.data", "--stdio"]).stdout
    assert f"# Total Lost Samples: {lost}" in stats
    # What is made of the recording says the same of its recorder.
    for command in ("repair", "scrub"):
        run([perfpair, command, "-q", "-o", f"{command}.data", "t.data"],
            check=True)
        assert said_of_recorder(text) == said_of_recorder(
            run([perfpair, "report", "--header-only", "-i",
                 f"{command}.data"]).stdout)


@pytest.mark.parametrize("level", [19, 22])
def test_high_levels_take_no_more_memory_than_a_frame_needs(record, level):
    said = record(*CLOCK, "-g", "-F", "999", f"-z{level}", "--duration", "300ms")
    assert float(re.search(r"([\d.]+) MB memory", said)[1]) < 60


def test_start_does_not_read_all_kernel_symbols(run, perfpair_record,
                                                may_record):
    """38 ms and some 1,400 reads, for two of its first lines."""
    if os.uname().machine != "x86_64":
        pytest.skip("/proc/iomem says where the kernel ends on x86 only")
    text = run(["strace", "-f", "-y", "-e", "trace=read", perfpair_record, "-q",
                "--carry", "none", "-e", "cpu-clock", "-o", "t.data", "--", "true"]).stderr
    assert 1 <= text.count("</proc/kallsyms>") <= 4


def test_says_when_recording_has_begun(perfpair_record, may_record, tmp_path):
    recorder = subprocess.Popen([perfpair_record, *CLOCK, "-o", "t.data"],
                                cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        line = recorder.stderr.readline()
        assert re.fullmatch(r"\[ perfpair-record: recording, \d+\.\d{3} s "
                            r"after the start ]\n", line)
    finally:
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=30)


def test_a_burst_goes_to_spare_memory(record, run, perf, may_trace, workload):
    """At level 19 zstd is far slower than the program: without spare memory
    most is lost, with enough of it next to nothing."""
    storm = ["-m", "128", "-z19", "-e", "syscalls:sys_enter_getppid",
             "--", "nice", "-n", "19", workload("getppid"), "200000"]
    lost = {}
    for spill in ("0", "256M"):
        said = record("--spill-size", spill, *storm)
        found = re.search(r"lost (\d+) of", said)
        lost[spill] = int(found[1]) if found else 0
        assert "kept in spare memory" not in said or spill != "0"
    if lost["0"] <= 20000:
        pytest.skip("the program was too slow here to overrun zstd")
    assert "kept in spare memory" in said
    assert lost["256M"] < lost["0"] / 4
    times = run([perf, "script", "-i", "t.data", "-F", "time"])
    assert "out of order" not in times.stderr
    assert len(times.stdout.splitlines()) + lost["256M"] >= 200000


@pytest.mark.parametrize("level", ["-z0", "-z1", "-z9"])
def test_no_pressure_is_said_where_there_is_none(record, run, perfpair, level):
    """Drain threads (one is bound, so that they drain) copy what is in a ring
    before they pack it, always."""
    said = record(*CLOCK, level, "-F", "999", "--threads=cpu", "-m", "2M",
                  "--duration", "400ms")
    assert "spare memory" not in said
    assert "recorder pressure" not in header(run, perfpair)


def resident_mb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def test_memory_does_not_grow_while_programs_come_and_go(
        perfpair_record, may_record, tmp_path):
    """3,000 programs between the two looks: 87 bytes of each would be seen.
    Eight simulated hours are in tests/unit/test_long_run.c.  What samples hit
    may take 16 MiB; callers of leaves keep where the code of 4,096 processes is."""
    churn = ("i=0; while [ ! -e stop ]; do /bin/true; /bin/true; i=$((i + 2)); "
             "echo $i; done")
    more_mb = {"none": 0.25, "names": 16}
    recorders = {carry: subprocess.Popen(
        [perfpair_record, *CLOCK, "-q", "-g", "-o", f"{carry}.data", "--carry",
         carry, *(["--no-leaf-callers"] if carry == "none" else []), "--", "sh",
         "-c", f"{churn} >{carry}"],
        cwd=tmp_path, start_new_session=True) for carry in more_mb}

    def until_each_has_run(nr):
        for carry, recorder in recorders.items():
            until(lambda: (tmp_path / carry).exists() and
                  (tmp_path / carry).read_text().count("\n") >= nr / 2,
                  recorder, deadline_s=300)

    try:
        until_each_has_run(1000)
        early = {carry: resident_mb(recorder.pid)
                 for carry, recorder in recorders.items()}
        until_each_has_run(4000)
        for carry, recorder in recorders.items():
            assert resident_mb(recorder.pid) < early[carry] + more_mb[carry]
        (tmp_path / "stop").touch()
        for recorder in recorders.values():
            assert recorder.wait(60) == 0
    finally:
        for recorder in recorders.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(recorder.pid, signal.SIGKILL)
    for carry in more_mb:
        assert (tmp_path / f"{carry}.data").stat().st_size > 250000
