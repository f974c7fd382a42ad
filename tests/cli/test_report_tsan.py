"""The reader's threads under ThreadSanitizer."""

import subprocess

import pytest


@pytest.fixture(scope="module")
def recording(tmp_path_factory, perfpair_record, may_trace, workload):
    """Several frames and pieces, of a program with source lines."""
    path = tmp_path_factory.mktemp("tsan") / "t.data"
    subprocess.run([perfpair_record, "-q", "-g", "-m", "4M", "-o", path,
                    "-e", "syscalls:sys_enter_getppid", "-e", "cpu-clock",
                    "--", workload("getppid", "-O1", "-g"), "20000"],
                   check=True)
    return path


@pytest.mark.parametrize("words", [
    ["report", "--stdio", "--time", "10%-90%"],
    ["report", "--stdio", "-s", "comm,srcline", "-g", "none"],
    ["script"],
    ["script", "-F", "comm,tid,time,event,ip,sym,srcline"],
], ids=" ".join)
def test_no_race(without_race, recording, words):
    done = without_race("report/perfpair", *words, "--jobs", "4", "-i",
                        recording)
    assert done.stdout.count("getppid") > 1


def test_no_race_in_several_files(without_race, recording):
    without_race("report/perfpair", "diff", "--jobs", "4", recording, recording)
