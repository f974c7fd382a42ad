"""SIGKILL before each write of a recording: from the first one on the file is
one that perf reads, however it was started."""

import os
import shutil

import pytest

STARTS = {
    "command": ["--", "true"],
    "plain": ["-z0", "--", "true"],
    "system": ["-a", "--", "true"],
    "tracepoint": ["-e", "syscalls:sys_enter_getppid", "--", "true"],
    "delayed": ["-D", "1", "--", "true"],
    "slices": ["-a", "-z0", "-F", "2000", "--switch-output=16K", "--", "sleep",
               "0.2"],
    "flight": ["--overwrite", "--", "true"],
    "synced": ["--sync", "--", "true"],
    "process": ["--duration", "10ms", "-p", "self"],
}


@pytest.fixture
def killed(perfpair_record, may_trace, run, tmp_path):
    """killed(START, NR): records and is killed before write NR to the file;
    False: it had fewer."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")

    def record(start, nr):
        words = [str(os.getpid()) if word == "self" else word
                 for word in STARTS[start]]
        event = [] if "-e" in words else ["-e", "cpu-clock"]
        for old in tmp_path.glob("t.data*"):
            old.unlink()
        done = run(["strace", "-f", "-qq", "-o", "trace", "-P",
                    tmp_path / "t.data", "-e", "inject=writev,pwrite64,"
                    f"fdatasync:signal=KILL:when={nr}", perfpair_record, "-q",
                    *event, "-o", "t.data", *words])
        if done.returncode == 0:
            return False
        assert done.returncode in (-9, 137), done.stderr
        return True

    return record


def assert_is_read(perf, perfpair, run, tmp_path):
    # a next file that was not begun is empty
    paths = [path for path in tmp_path.glob("t.data*") if path.stat().st_size]
    assert paths
    for path in paths:
        script = run([perf, "script", "-i", path])
        assert (script.returncode, script.stderr) == (0, "")
        ours = run([perfpair, "script", "-i", path])
        assert ours.returncode in (0, 3)


@pytest.mark.parametrize("start", STARTS)
def test_killed_behind_the_first_write(start, killed, perf, perfpair, run,
                                       tmp_path):
    assert killed(start, 2)
    assert_is_read(perf, perfpair, run, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
def test_killed_before_any_write(start, killed, perf, perfpair, run, tmp_path):
    nr = 2
    while nr < 25 and killed(start, nr):
        assert_is_read(perf, perfpair, run, tmp_path)
        nr += 1
    assert nr > 3
