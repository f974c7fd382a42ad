"""trace -s: the text of perf 6.1, line by line, of recordings of both."""

import ctypes.util
import re
import subprocess

import pytest

pytestmark = pytest.mark.skipif(not ctypes.util.find_library("seccomp"),
                                reason="libseccomp is not installed")


@pytest.fixture(scope="module", params=["perf", "perfpair-record"])
def whole(request, may_trace, perf, perfpair_record, workload,
          tmp_path_factory):
    path = tmp_path_factory.mktemp("traced") / "t.data"
    words = [perf, "trace", "record"] if request.param == "perf" else [
        perfpair_record, "-q", "-e", "raw_syscalls:sys_enter", "-e",
        "raw_syscalls:sys_exit"]
    subprocess.run([*words, "-o", path, "--", workload("locked", "-O1",
                                                       "-pthread"), "300"],
                   check=True, capture_output=True)
    return path


def blocks(text):
    """Threads with their rows; those of one total have no order in perf.  Where
    a thread begins inside of a call, perf has times of 0."""
    text = re.sub(r"(?m)( +- +- +- +- +-|( +0\.000){4} +0\.00%)$", " untimed",
                  text)
    return [sorted(block.splitlines()) for block in text.split("\n\n\n")]


@pytest.mark.parametrize("words", [["-s"], ["--errno-summary"]], ids=" ".join)
def test_the_text_of_perf(run, perf, perfpair, whole, words):
    ours = run([perfpair, "trace", "-i", whole, *words])
    assert (ours.returncode, ours.stderr) == (0, "")
    theirs = subprocess.run([perf, "trace", "-i", whole, *words],
                            capture_output=True, text=True).stderr
    assert theirs.count("munmap") >= 4
    assert blocks(ours.stdout) == blocks(theirs)
