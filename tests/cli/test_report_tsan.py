"""The reader's threads under ThreadSanitizer.

Needs the preset tsan: cmake --preset tsan && cmake --build --preset tsan"""

import subprocess

import pytest

from common import ROOT

RACE = 66


@pytest.fixture(scope="module")
def recording(tmp_path_factory, perfpair_record, may_trace, workload):
    """Several frames and pieces, of a program with source lines."""
    path = tmp_path_factory.mktemp("tsan") / "t.data"
    subprocess.run([perfpair_record, "-q", "-g", "-m", "4M", "-o", path,
                    "-e", "syscalls:sys_enter_getppid", "-e", "cpu-clock",
                    "--", workload("getppid", "-O1", "-g"), "20000"],
                   check=True)
    return path


@pytest.fixture
def reader():
    path = ROOT / "build/tsan/report/perfpair"
    if not path.exists():
        pytest.skip("the preset tsan is not built")
    return path


@pytest.mark.parametrize("words", [
    ["report", "--stdio", "--time", "10%-90%"],
    ["report", "--stdio", "-s", "comm,srcline", "-g", "none"],
    ["script"],
    ["script", "-F", "comm,tid,time,event,ip,sym,srcline"],
], ids=" ".join)
def test_no_race(reader, recording, run, words):
    done = run(["env", f"TSAN_OPTIONS=exitcode={RACE}", reader, *words,
                "--jobs", "4", "-i", recording])
    assert "WARNING: ThreadSanitizer" not in done.stderr
    assert done.returncode == 0
    assert done.stdout.count("getppid") > 1


def test_no_race_in_several_files(reader, recording, run):
    done = run(["env", f"TSAN_OPTIONS=exitcode={RACE}", reader, "diff",
                "--jobs", "4", recording, recording])
    assert "WARNING: ThreadSanitizer" not in done.stderr
    assert done.returncode == 0
