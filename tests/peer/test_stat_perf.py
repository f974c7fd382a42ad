"""perfpair-record stat against perf stat, command line by command line: the
numbers differ, all else must not: layout, widths, units, order, footers."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

import pytest

pytestmark = pytest.mark.records

TEXT = [
    "true",
    "sh -c 'exit 3'",
    "-a sleep 0.02",
    "-C 0 sleep 0.02",
    "-C 0,1 -e cpu-clock,faults sleep 0.02",
    "-e duration_time,task-clock sleep 0.02",
    "-e duration_time -a sleep 0.02",
    "-e duration_time -C 0 sleep 0.02",
    "-e duration_time:u sleep 0.02",
    "-e user_time sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'",
    "-e duration_time,task-clock -r 3 sleep 0.02",
    "-e duration_time,task-clock -a -A sleep 0.02",
    "-e duration_time,task-clock -a --per-core sleep 0.02",
    "-e duration_time -p PID sleep 0.02",
    "-e '{faults,task-clock}:S' sleep 0.02",
    "--no-merge -A -a -e task-clock sleep 0.02",
    "-d true",
    "-dd true",
    "-ddd -e faults true",
    "-n true",
    "-n -r 3 true",
    "-e cycles true",
    "-e faults true",
    "-e faults,task-clock true",
    "-e cpu-clock:u,faults:k,cs true",
    "-e '{task-clock,faults}' true",
    "-e '{cpu-clock,faults}:u,sched:sched_switch' -a sleep 0.02",
    "-e task-clock,sched:sched_process_exec,sched:sched_process_exit true",
    "-e sched:sched_wake_idle_without_ipi,sched:sched_switch -a sleep 0.02",
    "-e sched:sched_switch --filter prev_pid>0 -a sleep 0.02",
    "-e task-clock/name=abc/ true",
    "-e msr/tsc/,task-clock true",
    "-g -e task-clock,faults true",
    "-i -e task-clock,faults true",
    "--all-user -e task-clock,faults true",
    "--all-kernel -e task-clock,faults true",
    "--no-scale -e task-clock true",
    "--no-big-num -e task-clock true",
    "-S -e task-clock true",
    "-r 3 -e task-clock true",
    "-r 3 --table -e task-clock true",
    "-r 2 --pre 'echo pre' --post 'echo post' -e task-clock echo hi",
    "-A -a -e task-clock,faults,cycles sleep 0.02",
    "-A -C 1 -e task-clock sleep 0.02",
    "--per-core -a -e task-clock,faults sleep 0.02",
    "--per-die -a -e task-clock,faults sleep 0.02",
    "--per-socket -a -e task-clock,faults sleep 0.02",
    "--per-node -a -e task-clock,faults sleep 0.02",
    "--per-thread -p PID -e faults,cycles sleep 0.02",
    "-p PID sleep 0.02",
    "-t PID -e faults sleep 0.02",
    "-I 20 --interval-count 2 -a -e task-clock,faults,cycles",
    "-I 10 --interval-count 27 -a -e faults",
    "-I 20 --interval-count 2 -A -a -e task-clock,faults",
    "-I 20 --interval-count 1 --per-core -a -e task-clock",
    "-I 20 --interval-count 1 --per-die -a -e task-clock",
    "-I 20 --interval-count 1 --per-socket -a -e task-clock",
    "-I 20 --interval-count 1 --per-node -a -e task-clock",
    "-I 20 --interval-count 1 --per-thread -p PID -e faults",
    "-I 20 --interval-count 2 --summary -a -e task-clock,faults",
    "-a -e task-clock,faults -G / sleep 0.01",
    "-A -a -e task-clock,faults --for-each-cgroup / sleep 0.01",
    "-D 5 -e cycles sleep 0.2",
    "--timeout 100 -e task-clock -a",
    "--quiet true",
    "--log-fd 2 -e task-clock true",
]

ROWS = [
    "-e duration_time,task-clock sleep 0.02",
    "-a -A -e duration_time,task-clock sleep 0.02",
    "-I 20 --interval-count 2 -a -e duration_time",
    "true",
    "-r 3 -e task-clock,faults,cycles true",
    "-a -e task-clock,faults,cycles sleep 0.02",
    "-A -a -e task-clock,faults,cycles sleep 0.02",
    "--per-core -a -e task-clock,cycles sleep 0.02",
    "--per-socket -a -e task-clock,faults sleep 0.02",
    "--per-node -a -e faults sleep 0.02",
    "--per-die -a -e faults sleep 0.02",
    "--per-thread -p PID -e faults,cycles sleep 0.02",
    "-I 20 --interval-count 2 -a -e task-clock,faults",
    "-I 20 --interval-count 2 --summary -a -e task-clock,faults",
    "-I 20 --interval-count 2 --summary --no-csv-summary -a -e faults",
    "-e task-clock,faults --for-each-cgroup / -a sleep 0.01",
    "-e '{faults,sched:sched_switch}' true",
    "-n true",
]


METRIC_ONLY = [
    "true",
    "-a sleep 0.02",
    "-d true",
    "-e task-clock,faults true",
    "-e cycles,instructions true",
    "-e faults,branches,sched:sched_switch -a sleep 0.02",
    "-A -a sleep 0.02",
    "-A -a -e branch-misses,faults,instructions,cs sleep 0.02",
    "--per-core -a sleep 0.02",
    "--per-die -a -e faults,instructions sleep 0.02",
    "--per-socket -a -e faults,instructions sleep 0.02",
    "--per-node -a -e faults,instructions sleep 0.02",
    "-I 20 --interval-count 2 -a",
    "-I 20 --interval-count 27 -a -e faults,instructions",
    "-I 20 --interval-count 2 -A -a -e faults,instructions,cycles",
    "-I 20 --interval-count 2 --per-core -a -e faults,instructions",
    "-I 20 --interval-count 2 --per-die -a -e faults,instructions",
    "-I 20 --interval-count 2 --per-socket -a -e faults,instructions",
    "-I 20 --interval-count 2 --per-node -a -e faults,instructions",
    "-I 20 --interval-count 2 --summary -a -e instructions",
]


@pytest.fixture(scope="module")
def sleeper():
    process = subprocess.Popen(["sleep", "600"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.fixture
def both(perf, perfpair_record, may_record, sleeper, tmp_path):
    """both(WORDS): what perf and ours print on stderr, and their status."""
    def run_one(program, words):
        return subprocess.run([program, "stat", *words], cwd=tmp_path,
                              capture_output=True, text=True, timeout=30,
                              env=dict(os.environ, LC_ALL="C"))

    def run(words):
        words = shlex.split(words.replace("PID", str(sleeper)))
        theirs = run_one(perf, words)
        # Now and then perf 6.1 does not wait for the command: its time is a
        # microsecond then, and the status 0.
        while re.search(r" 0\.00000\d+ seconds time", theirs.stderr):
            theirs = run_one(perf, words)
        return theirs, run_one(perfpair_record, words)
    return run


def perfs(text):
    """The text without what we print below perf's."""
    text = re.sub(r"^ The means lie in .*?\n\n.*?\n\n", "", text,
                  flags=re.S | re.M)
    text = re.sub(r"^ +\S+ drifts: .*\n", "", text, flags=re.M)
    return re.sub(r"^perfpair-record: .*\n", "", text, flags=re.M)


def masked(text):
    """Numbers become 9s; one that ends a column keeps its width."""
    text = text.replace("timeout < 100ms. The overhead percentage could be "
                        "high in some cases. Please proceed with caution.\n",
                        "")
    text = re.sub(r" #+$", " #", text, flags=re.M)              # --table
    text = re.sub(r"\([+-][\d.]+\)", "(9)", text)
    text = re.sub(r"\+- +[\d.]+ seconds", "+- 9 seconds", text)
    text = re.sub(r"^ +# (Table|Final)", r" # \1", text, flags=re.M)
    text = re.sub(r"[KMG]/sec", "/sec ", text)
    return re.sub(r" *\d[\d.]*", lambda found: "9" * len(found.group()), text)


@pytest.mark.parametrize("words", TEXT)
def test_text_is_perfs(both, words):
    theirs, ours = both(words)
    assert masked(perfs(ours.stderr)) == masked(theirs.stderr)
    assert ours.stdout == theirs.stdout
    assert ours.returncode == theirs.returncode


@pytest.mark.parametrize("form", ["", "-x, ", "-x';' "])
@pytest.mark.parametrize("words", METRIC_ONLY)
def test_metrics_alone_are_perfs(both, words, form):
    """All but the row of names; perf 6.1 has empty columns without a name."""
    theirs, ours = both(f"--metric-only {form}{words}")
    sep = ";" if ";" in form else "," if form else None

    def rows(text):
        lines = text.splitlines()
        if "-I" not in words:
            del lines[0 if form else 3]
        return [[plain(field) for field in line.split(sep) if field.strip()]
                for line in lines
                if " time" not in line[:20] and not line.startswith("time")]

    printed = rows(perfs(ours.stderr))
    if "--summary" in words and not form:
        head = ["insn", "per", "cycle"]
        assert printed.count(head) == 1                # above the sum, too
        printed.remove(head)
    assert printed == rows(theirs.stderr)
    assert ours.returncode == theirs.returncode


@pytest.mark.parametrize("words", METRIC_ONLY)
def test_metrics_alone_are_json(both, words):
    ours = both("--metric-only -j " + words)[1]
    lines = [json.loads(line) for line in perfs(ours.stderr).splitlines()]
    assert lines
    for line in lines:
        assert "interval" not in line or "-I" in words
        assert ("cpu" in line) == ("-A" in words)
        assert ("aggregate-number" in line) == ("--per-" in words)


@pytest.mark.parametrize("words", ["-r 2 true", "--per-thread -p PID sleep 0.02"])
def test_where_metrics_alone_are_refused(both, words):
    theirs, ours = both("--metric-only " + words)
    assert theirs.returncode and ours.returncode
    assert theirs.stderr.strip() in ours.stderr


def plain(text):
    return re.sub(r"\d[\d.]*", "9", re.sub(r"[KMG]/sec", "/sec", text))


@pytest.mark.parametrize("words", ROWS)
def test_fields_are_perfs(both, words):
    theirs, ours = both("-x';' " + words)
    assert plain(perfs(ours.stderr)) == plain(theirs.stderr)


@pytest.mark.parametrize("words", ROWS)
def test_json_has_perfs_keys(both, words):
    theirs, ours = both("-j " + words)
    lines = [json.loads(line) for line in ours.stderr.splitlines()]
    if "-r" in words:
        assert "elapsed" in lines.pop()
    expected = [json.loads(line) for line in theirs.stderr.splitlines()]
    assert len(lines) == len(expected)
    for line, other in zip(lines, expected):
        has_more = "-r" in words
        assert list(line)[:len(other) if has_more else None] == list(other)
        for key, value in other.items():
            if isinstance(value, str):
                # perf 6.1 prints a null pointer where it has no unit.
                value = value.replace("(null)", "")
                assert plain(line[key]) == plain(value), key
            else:
                assert isinstance(line[key], (int, float)), key


def test_what_reaches_the_kernel_is_perfs(perf, perfpair_record, may_trace,
                                          tmp_path):
    """Each attr, CPU, group and flag of some command lines, by strace."""
    def calls(program, words):
        # a file for each process, so that no call is split by another's line
        folder = pathlib.Path(tempfile.mkdtemp(dir=tmp_path))
        subprocess.run(
            ["strace", "-ff", "-o", folder / "calls", "-v", "-e",
             "trace=perf_event_open", program, "stat", *shlex.split(words)],
            cwd=tmp_path, capture_output=True)
        text = "".join(path.read_text() for path in folder.iterdir())
        found = re.findall(r"perf_event_open\((\{.*?\}), (-?\d+), (-?\d+), "
                           r"(-?\d+), (\w+)\) = (-?\d+)", text)
        # The command's pid and the descriptors differ from run to run; perf
        # opens CPU by CPU, we event by event.
        return sorted((cpu, attr, pid == "-1", group == "-1", flags,
                       int(fd) < 0)
                      for attr, pid, cpu, group, flags, fd in found)

    try:
        subprocess.run(["strace", "-V"], capture_output=True)
    except FileNotFoundError:
        pytest.skip("strace is not installed")
    for words in ["-e task-clock,faults:u,cs:k,sched:sched_switch true",
                  "-e '{task-clock,faults}' -a true",
                  "-i --all-user -e '{cpu-clock,faults}' -C 1 true"]:
        ours = calls(perfpair_record, words)
        assert ours == calls(perf, words), words
        assert ours
