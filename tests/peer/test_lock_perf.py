"""lock contention: the text of perf 6.1, line by line, of recordings of both."""

import pathlib
import re
import subprocess

import pytest

POINTS = pathlib.Path("/sys/kernel/tracing/events/lock/contention_begin")


@pytest.fixture(scope="module")
def locked(workload):
    return workload("locked", "-O1", "-pthread")


@pytest.fixture(scope="module", params=["perf", "perfpair-record"])
def whole(request, may_trace, perf, perfpair_record, locked, tmp_path_factory):
    """A recording in which threads waited for locks."""
    if not POINTS.exists():
        pytest.skip("this kernel does not trace locks")
    path = tmp_path_factory.mktemp("locked") / "t.data"
    words = [perf, "lock", "record"] if request.param == "perf" else [
        perfpair_record, "-q", "-g", "-e", "lock:contention_begin", "-e",
        "lock:contention_end"]
    for _ in range(20):
        subprocess.run([*words, "-o", path, "--", locked, "2000"], check=True,
                       capture_output=True)
        text = subprocess.run([perf, "lock", "contention", "-q", "-i", path],
                              capture_output=True, text=True).stderr
        if "rwsem:" in text:
            return path
    raise AssertionError("no thread waited")


def rows_of_perf(perf, whole, *words):
    """perf prints on stderr, what it counted of errors behind the table; and
    names no thread that got its name from its parent."""
    done = subprocess.run([perf, "lock", "contention", "-i", whole, *words],
                          capture_output=True, text=True)
    text = re.sub("\n*=== output for debug.*", "\n", done.stderr, flags=re.S)
    return re.sub(r"(?m) :\d+$", " locked", text)


def sorted_rows(text):
    """Rows of one value have no order in perf."""
    lines = text.splitlines()
    return lines[:2] + sorted(lines[2:])


@pytest.mark.parametrize("words", [
    [], ["-t"], ["-k", "contended", "-F", "contended,wait_min,avg_wait"],
    ["--stack-skip", "4"], ["--max-stack", "5"]], ids=" ".join)
def test_the_text_of_perf(run, perf, perfpair, whole, words):
    ours = run([perfpair, "lock", "contention", "-i", whole, *words])
    assert ours.returncode == 0
    theirs = rows_of_perf(perf, whole, *words)
    assert len(theirs.splitlines()) > 2
    assert sorted_rows(ours.stdout) == sorted_rows(theirs)


def test_the_functions_of_locks(run, perf, perfpair, whole):
    """By their names we find those that perf finds by their sections."""
    sections = re.compile(r"^([0-9a-f]+) \S (__(?:sched|lock)_text_"
                          r"(?:start|end)|\w[\w.]*)$", re.M)
    text = pathlib.Path("/proc/kallsyms").read_text()
    at = {name: int(addr, 16) for addr, name in sections.findall(text)}
    inside = [range(at[f"__{kind}_text_start"], at[f"__{kind}_text_end"])
              for kind in ("sched", "lock")]
    chains = run([perfpair, "lock", "contention", "-i", whole, "-v"]).stdout
    callers = re.findall(r"   ([\w.]+)\+0x[0-9a-f]+$", chains, re.M)
    assert callers
    assert not [name for name in callers
                if any(at.get(name, 0) in span for span in inside)]
