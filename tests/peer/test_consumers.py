"""Programs that run perf and read what it prints, with perfpair as their perf:
what they make of a recording is what they make of it by perf.  None of them is
part of this tree; a test is skipped without its program."""

import os
import shutil

import pytest

pytestmark = pytest.mark.records


@pytest.fixture(params=["ours", "perf's"])
def recorded(request, run, perf, perfpair_record, may_record, workload,
             tmp_path):
    """A program with its relocations, as BOLT wants it, and t.data of it."""
    program = workload("spin", "-O1", "-g", "-Wl,-q", "-no-pie")
    recorder = [perfpair_record] if request.param == "ours" else [perf, "record"]
    done = run([*recorder, "-q", "-e", "cpu-clock", "-F", "2000", "-o",
                "t.data", program, "200"])
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture
def beside(perf, perfpair, tmp_path):
    """beside(NAME): an environment where perf is that one."""
    for name, program in ("perf", perf), ("ours", perfpair):
        (tmp_path / name).mkdir()
        link = tmp_path / name / "perf"
        link.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        link.chmod(0o755)
    return lambda name: dict(os.environ, HOME=str(tmp_path), LC_ALL="C",
                             PATH=f"{tmp_path / name}:{os.environ['PATH']}")


def tool(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    return found or pytest.skip(f"{names[0]} is not installed")


def test_perf2bolt(run, recorded, beside, tmp_path):
    perf2bolt = tool("perf2bolt", *(f"perf2bolt-{nr}" for nr in range(15, 22)))
    profiles = []
    for name in "perf", "ours":
        done = run([perf2bolt, "-p", "t.data", "-o", f"{name}.fdata", "-nl",
                    recorded], env=beside(name))
        assert done.returncode == 0, done.stdout + done.stderr
        profiles.append((tmp_path / f"{name}.fdata").read_text())
    assert profiles[0] == profiles[1]
    assert len(profiles[0].splitlines()) > 2


def test_perf2bolt_is_told_that_there_are_no_branches(run, recorded, beside):
    perf2bolt = tool("perf2bolt", *(f"perf2bolt-{nr}" for nr in range(15, 22)))
    said = []
    for name in "perf", "ours":
        done = run([perf2bolt, "-p", "t.data", "-o", "x.fdata", recorded],
                   env=beside(name))
        lines = (done.stdout + done.stderr).splitlines()
        said.append((done.returncode,
                     [line for line in lines if "PERF2BOLT" in line]))
    assert said[0] == said[1]


def test_stackcollapse(run, perf, may_record, workload, beside):
    """Of perf's recording: ours has callers of leaves, which perf lacks."""
    collapse = tool("stackcollapse-perf.pl")
    run([perf, "record", "-q", "-g", "-e", "cpu-clock", "-F", "2000", "-o",
         "t.data", workload("spin"), "200"])
    for words in [], ["--all", "--tid"], ["--addrs"]:
        folded = []
        for name in "perf", "ours":
            env = beside(name)
            text = run([env["PATH"].split(":")[0] + "/perf", "script", "-i",
                        "t.data"], env=env).stdout
            done = run([collapse, *words], input=text, env=env)
            folded.append((done.returncode, done.stdout))
        assert folded[0] == folded[1]
        assert folded[0][1].count("\n") > 2
