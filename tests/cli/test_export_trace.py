"""perfpair export --format trace: slices of a recording made record by record,
and of recorded ones."""

import subprocess

import pytest

from made_file import ATTR, File, make
from test_off_cpu import SWITCH, Switches, waits
from trace_events import Trace

CONTEXT_SWITCH = 26
LOST = "[records lost]"


@pytest.fixture
def export(run, perfpair, tmp_path):
    """export(WORD..., made=FILE): the finished export of such a recording."""
    def export(*words, made=None, code=0):
        (tmp_path / "t.data").write_bytes((made or waits()).bytes())
        done = run([perfpair, "export", "--format", "trace", *words, "t.data"])
        assert done.returncode == code, done.stderr
        return done
    return export


@pytest.mark.parametrize("big_endian", [False, True])
def test_a_thread_and_its_cpu(export, big_endian):
    done = export(made=waits(big_endian))
    trace = Trace(done.stdout)
    assert trace.processes == {5: ":5", 4194305: "CPUs"}
    assert trace.threads == {(5, 6): "worker", (4194305, 1): "CPU 1"}
    assert trace.of_task(6) == [
        ("worker", "on CPU", 150, 1000),
        ("worker", "blocked", 1000, 5000),
        ("worker", "on CPU", 5000, 6000),
        ("worker", "R+ (preempted)", 6000, 7000),
        ("worker", "on CPU", 7000, 8000),
        # records were lost: it may have run before 9000
        ("worker", "on CPU", 9000, 9500),
        ("worker", "blocked", 9500, 10000)]
    assert trace.of_cpu(1) == [
        ("worker", 150, 1000), ("worker", 5000, 6000), ("worker", 7000, 8000),
        (LOST, 8001, 8500), ("worker", 9000, 9500)]
    outer, = {(s.start_ns, s.end_ns) for s in trace.slices[5, 6]
              if s.name == "worker" and s.end_ns > 9000}
    assert outer == (9000, 10000)
    assert "is missing: 1\n" in done.stderr


def test_categories_say_where(export):
    trace = Trace(export().stdout)
    assert {s.category for s in trace.slices[5, 6] if s.name == "on CPU"} == {
        "CPU 1"}
    assert {s.category for s in trace.slices[4194305, 1]
            if s.name != LOST} == {"tid 6"}


def test_a_new_name_parts_a_slice(export):
    made = waits()
    made.comm(5600, b"later\0\0\0")
    trace = Trace(export(made=made).stdout)
    assert ("worker", "on CPU", 5000, 5600) in trace.of_task(6)
    assert ("later", "on CPU", 5600, 6000) in trace.of_task(6)
    assert trace.of_cpu(1)[1:3] == [("worker", 5000, 5600),
                                    ("later", 5600, 6000)]
    assert trace.threads[5, 6] == "later"
    only = Trace(export("--comms", "later", made=made).stdout)
    assert only.of_task(6)[0] == ("later", "on CPU", 5600, 6000)


def test_records_of_switches_alone(export):
    made = File(attrs=(ATTR, ATTR))
    made.comm(90)
    made.sample(100)
    made.add(14, b"", 200, 0x2000)
    made.add(14, b"", 300)
    made.add(14, b"", 350, 0x6000)
    made.sample(400)
    made.add(68, b"")
    done = export(made=made, code=1)
    assert "no context switches were recorded" in done.stderr
    assert "--switch-events" in done.stderr and "--off-cpu" in done.stderr
    made.attrs = [make.Attr(attr, flags=attr["flags"] | 1 << CONTEXT_SWITCH)
                  for attr in made.attrs]
    trace = Trace(export(made=made).stdout)
    assert trace.of_task(6) == [
        ("worker", "on CPU", 100, 200), ("worker", "blocked", 200, 300),
        ("worker", "on CPU", 300, 350), ("worker", "R+ (preempted)", 350, 400)]


@pytest.mark.parametrize("words, expected", [
    (["--time", "0.0000055,0.0000065"],
     [("worker", "on CPU", 5500, 6000),
      ("worker", "R+ (preempted)", 6000, 6501)]),
    (["--time", "0.000001,0.000002 0.0000072,0.0000073"],
     [("worker", "blocked", 1000, 2001), ("worker", "on CPU", 7200, 7301)]),
])
def test_times_cut_slices(export, words, expected):
    found = Trace(export(*words).stdout).of_task(6)
    assert [row for row in found if row[3] - row[2] > 1] == expected


@pytest.mark.parametrize("words, has_any", [
    (["--cpu", "1"], True), (["--cpu", "0"], False), (["--pid", "5"], True),
    (["--tid", "7"], False), (["--comms", "worker"], True),
    (["--comms", "other"], False)])
def test_filters(export, words, has_any):
    done = export(*words, code=0 if has_any else 1)
    if has_any:
        assert Trace(done.stdout).of_task(6) == \
            Trace(export().stdout).of_task(6)
    else:
        assert "no context switch is left" in done.stderr


@pytest.mark.parametrize("words", [
    ["--dsos", "x"], ["--symbols", "x"], ["--off-cpu"], ["--labels", "pid"],
    ["--switch-on", "cpu-clock"], ["--socket-filter", "0"],
    ["--hide-unresolved"], ["--symbol-filter", "x"]])
def test_what_switches_have_not(export, words):
    assert "--format trace" in export(*words, code=2).stderr


def test_half_of_the_switches(export):
    """Samples of context-switches alone do not say who comes on."""
    made = Switches()
    made.comm(90)
    for time in 1000, 1000, 2000:
        made.sample(time, ident=SWITCH)
    made.add(68, b"")
    done = export(made=made, code=1)
    assert "when tasks had a CPU again was not recorded" in done.stderr
    assert "--switch-events" in done.stderr


def test_one_recording_alone(export):
    assert "one recording" in export("t.data", code=2).stderr


def test_a_name_that_speedscope_takes_for_devtools(export, tmp_path):
    done = export("-o", "out.chrome.json", code=2)
    assert "*.trace.json" in done.stderr
    assert not (tmp_path / "out.chrome.json").exists()
    export("-o", "out.trace.json")
    assert Trace((tmp_path / "out.trace.json").read_text()).of_task(6)


def test_whole_command_off_cpu(run, perfpair, perfpair_record, may_trace,
                               tmp_path):
    """Each thread of a command from its first to its last record."""
    subprocess.run(
        [perfpair_record, "-q", "--off-cpu", "-o", tmp_path / "t.data", "--",
         "sh", "-c", "for i in 1 2 3; do sleep 0.02; done; ls /"],
        check=True, stdout=subprocess.DEVNULL)
    done = run([perfpair, "export", "--format", "trace", "t.data"])
    trace = Trace(done.stdout)
    names = [s.outer for slices in trace.slices.values() for s in slices]
    assert {"sh", "sleep", "ls"} <= set(names)
    shell = next(tid for (_, tid), name in trace.threads.items()
                 if name == "sh")
    slept = sum(end - start for _, did, start, end in trace.of_task(shell)
                if did not in ("on CPU", "R (woken)", "R+ (preempted)"))
    assert slept > 0.04e9
