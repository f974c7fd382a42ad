"""Limits of what recording takes (--budget, --cpu-limit), and what it tells of
itself (--metrics)."""

import collections
import os
import re
import resource
import subprocess

import pytest

from common import end, until, until_said

CLOCK = ["-a", "-e", "cpu-clock"]
BUSY = "while :; do :; done"


@pytest.fixture
def record(run, perfpair_record, may_record):
    def do(*args, **kw):
        done = run([perfpair_record, "-o", "t.data", *args], **kw)
        assert done.returncode == 0, done.stderr
        return done.stderr

    return do


def samples(run, perf, *fields):
    """Tuples of numbers, in the order of the fields."""
    text = run([perf, "script", "-F", ",".join(fields), "-i", "t.data"]).stdout
    return [[float(word) for word in re.findall(r"[\d.]+", line)]
            for line in text.splitlines()]


def rates(run, perfpair, name="t.data"):
    text = run([perfpair, "report", "--header-only", "-i", name]).stdout
    return [(int(rate), float(time)) for rate, time in re.findall(
        r"^# rate +: \S+ has a \w+ of (\d+) from ([\d.]+) on", text, re.M)]


def test_samples_of_a_clock_tell_their_true_period(record, run, perf, perfpair):
    """A clock's descriptor tells the period with which it was opened, so that
    the sums of a lowered rate would be a fraction of the time."""
    said = record(*CLOCK, "-g", "-F", "8000", "--cpu-limit", "0.1",
                  "--duration", "1500ms", "--", "sh", "-c", BUSY)
    assert "cpu-clock: frequency " in said
    least = min(rate for rate, _ in rates(run, perfpair))
    assert least <= 500
    last, sums, first = {}, collections.Counter(), {}
    for cpu, time, period in samples(run, perf, "cpu", "time", "period"):
        sums[cpu] += period if cpu in last else 0
        first.setdefault(cpu, time)
        last[cpu] = time
    assert sums
    for cpu, total in sums.items():
        assert 0.5 < total / 1e9 / (last[cpu] - first[cpu]) < 1.2
    # Losses, ids and all that is said of the event are of one event.
    text = run([perf, "evlist", "-i", "t.data"]).stdout
    assert text.split() == ["cpu-clock", "dummy:HG"]
    assert run([perf, "report", "-i", "t.data", "--stdio"]).stderr == ""


def test_samples_of_a_tracepoint_tell_their_true_period(record, run, perf,
                                                        may_trace, workload):
    """With any fixed period the kernel takes each occurrence, if samples tell
    their periods."""
    nr = 1000000
    said = record("-e", "syscalls:sys_enter_getppid", "--cpu-limit", "1", "--",
                  workload("getppid"), str(nr))
    assert re.search(r"sys_enter_getppid: not all that occurred, \d+ a second "
                     r"of a CPU at worst, to stay below 1% of a CPU", said), said
    periods = [period for period, in samples(run, perf, "period")]
    assert len(periods) < nr / 3
    assert 0.9 * nr < sum(periods) < 1.1 * nr


@pytest.mark.slow
def test_children_that_run_are_lowered(record, run, perf, perfpair):
    record("-e", "cpu-clock", "-g", "-F", "8000", "--cpu-limit", "0.1", "--",
           "sh", "-c", f"({BUSY}) & p=$!; ({BUSY}) & q=$!; sleep 2; kill $p $q")
    changes = rates(run, perfpair)
    assert changes
    seen = collections.defaultdict(list)
    for tid, time, period in samples(run, perf, "tid", "time", "period"):
        seen[tid].append((time, period))
    both = [rows for rows in seen.values() if rows[-1][0] > changes[0][1] + 0.2]
    assert len(both) == 2
    for rows in both:
        assert rows[0][0] < changes[0][1]
        # but for those of the moment in which they are switched
        assert all(period > 1.9e9 / 8000 for time, period in rows
                   if time > changes[0][1] + 0.1)


@pytest.mark.slow
def test_what_cannot_be_lowered_is_said(record, run, perfpair):
    said = record("-a", "-g", "-e", "{cpu-clock/freq=8000/,context-switches/period=1/}",
                  "--cpu-limit", "0.01", "--duration", "1s")
    assert said.count("context-switches/period=1/ keeps its rate: it is in a "
                      "group") == 1, said
    assert said.count("cpu-clock/freq=8000/ gets a lower rate, which its samples do "
                      "not tell: it is in a group") == 1, said
    said = record("-a", "-g", "-e", "cpu-clock", "-F", "8000", "--cpu-limit",
                  "0.01", "--duration", "1s",
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                        (32, 32)))
    if len(os.sched_getaffinity(0)) > 1:  # of one CPU they fit
        assert "can be opened with one rate only" in said
    assert rates(run, perfpair)


@pytest.mark.slow
def test_a_slice_begins_with_the_rates_that_hold(perfpair_record, may_record,
                                                 run, perfpair, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, *CLOCK, "-g", "-F", "8000", "--cpu-limit", "0.01",
         "--switch-output=1s", "-o", "t.data"], cwd=tmp_path,
        stderr=subprocess.PIPE, text=True)
    until(lambda: len(list(tmp_path.glob("t.data.2*"))) == 3, recorder)
    end(recorder)
    names = sorted(path.name for path in tmp_path.glob("t.data.2*"))
    all_rates = [rates(run, perfpair, name) for name in names]
    assert all_rates[0]
    for before, after in zip(all_rates, all_rates[1:]):
        assert after[0] == before[-1]


@pytest.mark.slow
def test_names_are_the_last_that_is_given_up(perfpair_record, may_record, run,
                                             perfpair, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, *CLOCK, "-g", "-F", "99", "--budget", "cpu=0.001%",
         "--switch-output=2s", "-o", "t.data"], cwd=tmp_path,
        stderr=subprocess.PIPE, text=True)

    def given_up():
        return ["to take no more than --budget allows" in run(
            [perfpair, "report", "--header-only", "-i", name]).stdout
                for name in sorted(tmp_path.glob("t.data.2*"))]
    until(lambda: any(given_up()), recorder)
    end(recorder)
    found = given_up()
    for name, no_names in zip(sorted(tmp_path.glob("t.data.2*")), found):
        text = run([perfpair, "buildid-list", "--carried", "-i", name]).stdout
        assert (text == "") == no_names
    assert True in found


@pytest.mark.slow
def test_stack_copies_are_cut_at_a_sixteenth(record, run, perf, perfpair):
    said = record("-e", "cpu-clock", "-F", "4000", "--call-graph", "dwarf,8192",
                  "--cpu-limit", "0.1", "--duration", "1500ms", "--", "sh", "-c",
                  BUSY)
    assert "stack copies were cut to 1024 bytes for a while, too" in said
    text = run([perfpair, "report", "--header-only", "-i", "t.data"]).stdout
    since, = re.findall(r"^# rate +: cpu-clock has stack copies of at most 1024 "
                        r"from ([\d.]+) on", text, re.M)
    dump = run([perf, "script", "-D", "-i", "t.data"]).stdout
    found = re.findall(r"^(?:\d+ )?(\d+) 0x[\da-f]+ \[\w+\]: PERF_RECORD_SAMPLE|"
                       r"ustack: size (\d+)", dump, re.M)
    before, later = [], []
    for (time, _), (_, size) in zip(found[::2], found[1::2]):
        (later if int(time) / 1e9 > float(since) + 0.1 else before).append(int(size))
    assert max(before) > 1024
    assert later and max(later) <= 1024


@pytest.mark.parametrize("text", [
    "", "cpu", "cpu=0", "cpu=101%", "cpu=x", "disk=1M", "disk=0/h", "disk=1M/x",
    "disk=2T/s", "cpu=1%,", "cpu=1%;disk=1M/h", "memory=15M", "tape=3"])
def test_budgets_that_cannot_be(run, perfpair_record, text):
    done = run([perfpair_record, f"--budget={text}", "--", "true"])
    assert done.returncode == 2
    assert f"--budget '{text}' is not understood" in done.stderr


@pytest.mark.parametrize("option", ["--cpu-limit=3", "--budget=disk=1M/h"])
def test_a_budget_needs_periods(run, perfpair_record, option):
    done = run([perfpair_record, option, "--no-period", "--", "true"])
    assert done.returncode == 2
    assert "with --no-period: samples would not tell their rate" in done.stderr


@pytest.mark.slow
def test_the_disk_has_a_budget(record, run, perfpair):
    said = record(*CLOCK, "-g", "-F", "4000", "--carry", "none", "--budget",
                  "cpu=90%,disk=1M/h", "--duration", "2s")
    assert re.search(r"cpu-clock: frequency \d+, not 4000, on average, \d+ at "
                     r"worst, to stay below 90% of a CPU and 1.0 MB an hour",
                     said), said
    assert rates(run, perfpair)


def test_the_memory_has_a_budget(record, run, perfpair):
    """Names and the file's start are the most that a calm recording takes."""
    said = record(*CLOCK, "-g", "-F", "999", "-m", "8M", "--budget", "memory=16M",
                  "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do ls / >/dev/null; done")
    assert re.search(r"rings of \d+ KiB, not 8192, by --budget memory=", said)
    assert float(re.search(r"([\d.]+) MB memory", said)[1]) < 16
    assert "names may be carried: --budget limits memory to 16.0 MB" in said


# --metrics

def metrics(path):
    """Values by name, and what stands above them; each line is as the text
    format of Prometheus has it."""
    values, heads = {}, {}
    for line in path.read_text().splitlines():
        if found := re.fullmatch(r"# (HELP|TYPE) (perfpair_[a-z_]+) (.+)", line):
            heads.setdefault(found[2], {})[found[1]] = found[3]
            continue
        found = re.fullmatch(
            r'(perfpair_[a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\})? '
            r"(\d[\d.e+-]*)", line)
        assert found, line
        assert set(heads[found[1]]) == {"HELP", "TYPE"}
        values[found[1] + (found[2] or "")] = float(found[3])
    for name, head in heads.items():
        assert head["TYPE"] == ("counter" if name.endswith("_total") else "gauge")
    return values


def test_metrics_of_slices(perfpair_record, may_record, tmp_path):
    path = tmp_path / "m.prom"
    recorder = subprocess.Popen(
        [perfpair_record, *CLOCK, "-F", "199", "--budget", "cpu=100%,disk=100G/h",
         "--switch-output=1s", "-o", "t.data", "--metrics", path],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True, umask=0o077)
    until_said(recorder)
    first = metrics(path)
    assert path.stat().st_mode & 0o777 == 0o644
    assert first["perfpair_files_total"] == 0
    until(lambda: metrics(path)["perfpair_files_total"] > 0, recorder)
    old = path.stat().st_ino
    end(recorder)
    last = metrics(path)
    assert path.stat().st_ino != old  # replaced as a whole
    assert set(first) == set(last)
    assert last['perfpair_frequency_hertz{event="cpu-clock"}'] == 199
    assert last["perfpair_budget_cpu_ratio"] == 1
    assert abs(last["perfpair_budget_disk_bytes_per_second"] - 100 * 2 ** 30 / 3600) < 1
    names = list(tmp_path.glob("t.data.2*"))
    assert last["perfpair_files_total"] == len(names)
    assert last["perfpair_written_bytes_total"] == sum(
        name.stat().st_size for name in names)
    assert last["perfpair_samples_total"] > first["perfpair_samples_total"]
    assert 0 < last["perfpair_cpu_seconds_total"] < 30
    assert 1e6 < last["perfpair_resident_memory_bytes"] < 1e8
    newest = max(name.stat().st_mtime for name in names)
    assert abs(last["perfpair_last_file_timestamp_seconds"] - newest) < 60
    assert sorted(os.listdir(tmp_path)) == sorted(
        ["m.prom"] + [name.name for name in names])


def test_metrics_have_safe_labels(record, tmp_path):
    record("-a", "-e", 'cpu-clock/name=a"b\\c\nd/', "--metrics", "m.prom",
           "--", "true")
    assert [name for name in metrics(tmp_path / "m.prom") if "{event" in name] \
        == ['perfpair_frequency_hertz{event="a\\"b\\\\c\\\\x0ad"}']


@pytest.mark.parametrize("options", [
    # each rung of a breakpoint takes one of four
    "-e mem:0x1000:w -e mem:0x2000:w -e mem:0x3000:w --cpu-limit 5",
    # more than kernel.perf_event_max_sample_rate
    "-e raw_syscalls:sys_enter --tracepoint-rate 4000000",
])
def test_rates_that_cannot_be_opened_are_left_out(record, may_trace, options):
    record("-a", *options.split(), "true")


def test_metrics_leave_a_device_its_mode(run, perfpair_record, may_record, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo, 0o600)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    done = run([perfpair_record, "-o", "t.data", "--metrics", fifo, "true"])
    os.close(reader)
    assert done.returncode == 0, done.stderr
    assert fifo.stat().st_mode & 0o777 == 0o600


def test_metrics_do_not_replace_the_recording(run, perfpair_record, may_record):
    done = run([perfpair_record, "-o", "t.data", "--metrics", "t.data", "true"])
    assert done.returncode != 0
    assert "--metrics: t.data: the recording goes there" in done.stderr


def test_metrics_replace_no_link(run, perfpair_record, may_record, tmp_path):
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "m.prom").symlink_to(other)
    done = run([perfpair_record, *CLOCK, "-o", "t.data", "--metrics", "m.prom",
                "--", "true"])
    assert done.returncode == 255
    assert "--metrics: m.prom: is a link, which is not replaced" in done.stderr
    assert other.read_text() == "mine" and (tmp_path / "m.prom").is_symlink()
    done = run([perfpair_record, *CLOCK, "-o", "t.data", "--metrics",
                "nosuch/m.prom", "--", "true"])
    assert done.returncode == 255
    assert "--metrics: nosuch/m.prom: No such file or directory" in done.stderr
