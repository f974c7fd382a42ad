"""Exports of a compile, of the whole machine and of stack copies, in the hands
of the programs that they are for: the totals are those of report."""

import json
import os
import re
import shutil
import subprocess

import pytest

from common import RECORD, program

SOURCE = """
#include <algorithm>
#include <functional>
#include <map>
#include <string>
int main() { std::map<std::string, int> m; m["a"] = 1; return (int)m.size(); }
"""
COMPILE = ["g++", "-O2", "-c", "-o", os.devnull, "a.cc"]
KINDS = {
    "compile": ["-g", "--", *COMPILE],
    "machine": ["-a", "-g", "--", "sleep", "0.3"],
    "copies": ["--call-graph", "dwarf", "--", *COMPILE],
}


def call(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, **more)


@pytest.fixture(scope="module",
                params=[(by, kind) for by in ("perfpair-record", "perf record")
                        for kind in KINDS], ids="-".join)
def recording(request, tmp_path_factory):
    by, kind = request.param
    folder = tmp_path_factory.mktemp("totals")
    (folder / "a.cc").write_text(SOURCE)
    start = ["perf", *RECORD] if by == "perf record" else \
        [program("record", "perfpair-record")]
    for name in "g++", start[0]:
        if not shutil.which(name):
            pytest.skip(f"no {name}")
    done = call(*start, "-q", "-e", "cpu-clock", "-F", "499", "-o", "perf.data",
                *KINDS[kind], cwd=folder)
    if done.returncode:
        pytest.skip(f"cannot record: {done.stderr}")
    return folder / "perf.data"


@pytest.fixture(scope="module")
def totals(recording):
    """Samples and periods by report."""
    done = call(program("report", "perfpair"), "report", "--format", "json",
                "-i", recording)
    assert done.returncode == 0, done.stderr
    event, = json.loads(done.stdout)["events"]
    samples = sum(row["samples"] for row in event["rows"])
    assert samples > 20
    return samples, event["period"]


def export(recording, form, out):
    done = call(program("report", "perfpair"), "export", "--format", form,
                "-o", out, recording)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def go(tmp_path):
    """Call go tool pprof with perf_to_profile in PATH."""
    if not shutil.which("go"):
        pytest.skip("no go (Debian: golang-go)")
    (tmp_path / "perf_to_profile").symlink_to(program("report", "perfpair"))
    env = {**os.environ, "HOME": str(tmp_path),
           "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    return lambda *words: call("go", "tool", "pprof", *words, env=env,
                               cwd=tmp_path)


def total_of(done):
    assert done.returncode == 0, done.stderr
    assert not re.search("warning|error|unrecognized", done.stderr, re.I)
    return int(re.search(r"Total samples = (\d+)", done.stdout)[1])


@pytest.mark.records
def test_go_pprof(go, recording, totals, tmp_path):
    path = export(recording, "pprof", tmp_path / "out.pb.gz")
    assert total_of(go("-sample_index=0", "-top", path)) == totals[0]
    raw = go("-raw", path)
    assert raw.returncode == 0
    rows = re.findall(r"^ +(\d+) +(\d+): ", raw.stdout, re.M)
    assert tuple(sum(map(int, column)) for column in zip(*rows)) == totals


@pytest.mark.records
def test_go_pprof_opens_perf_data(go, recording, totals):
    done = go("-sample_index=0", "-top", recording)
    assert total_of(done) == totals[0]


@pytest.mark.records
def test_the_other_formats(recording, totals, tmp_path):
    scope = json.loads(
        export(recording, "speedscope", tmp_path / "s.json").read_text())
    assert sum(scope["profiles"][0]["weights"]) == totals[1]
    firefox = json.loads(
        export(recording, "firefox", tmp_path / "f.json").read_text())
    tables = [thread["samples"] for thread in firefox["threads"]]
    # idle tasks of two CPUs may share a row: same thread, time and stack
    assert sum(table["length"] for table in tables) <= totals[0]
    assert round(1e6 * sum(sum(table["weight"]) for table in tables)) == \
        totals[1]
    folded = export(recording, "folded", tmp_path / "f.txt").read_text()
    assert sum(int(line.rsplit(" ", 1)[1])
               for line in folded.splitlines()) == totals[0]
