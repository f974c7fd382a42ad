"""Tasks that are born while the recorder reads /proc have names: the kernel's
records of tasks and maps begin before that, those of samples after it."""

import shutil

import pytest


def test_tasks_are_followed_before_proc_is_read(perfpair_record, may_record,
                                                run, tmp_path):
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    done = run(["strace", "-f", "-qq", "-o", "trace", "-e",
                "trace=ioctl,openat", perfpair_record, "-q", "-a", "-e",
                "cpu-clock", "-o", "t.data", "--", "true"])
    if done.returncode and "ptrace" in done.stderr:
        pytest.skip("strace is not permitted here")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "trace").read_text().splitlines()
    switched = [i for i, line in enumerate(lines)
                if "PERF_EVENT_IOC_ENABLE" in line]
    tasks = [i for i, line in enumerate(lines) if "/stat\"" in line]
    assert switched[0] < tasks[0] < tasks[-1] < switched[-1]
