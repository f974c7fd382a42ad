"""Real-time priority by itself, while a ring fills (record/ring/boost.h)."""

import os
import subprocess
import time

import pytest

from common import until

OPTIONS = ["-a", "-e", "syscalls:sys_enter_getppid", "--call-graph",
           "dwarf,8192", "-m", "16", "-o", "t.data"]


def policies(pid):
    """The scheduling policies of a process's threads; gone ones are none."""
    try:
        tids = os.listdir(f"/proc/{pid}/task")
        return {os.sched_getscheduler(int(tid)) & ~os.SCHED_RESET_ON_FORK
                for tid in tids}
    except (FileNotFoundError, ProcessLookupError):
        return set()


def may_have_priority():
    was = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        return False
    os.sched_setscheduler(0, *was)
    return True


@pytest.fixture
def storm(workload):
    process = subprocess.Popen([workload("getppid"), "2000000000"])
    yield process
    process.kill()
    process.wait()


def recorder(perfpair_record, tmp_path, *options):
    process = subprocess.Popen([perfpair_record, *options, *OPTIONS],
                               cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    path = tmp_path / "t.data"
    until(lambda: path.exists() and path.stat().st_size > 65536, process)
    return process


def test_it_is_taken_and_given_back(perfpair_record, may_trace, storm,
                                    tmp_path):
    if not may_have_priority():
        pytest.skip("real-time priority is not allowed here")
    process = recorder(perfpair_record, tmp_path)
    try:
        until(lambda: os.SCHED_RR in policies(process.pid), process)
        storm.kill()
        until(lambda: os.SCHED_RR not in policies(process.pid), process)
    finally:
        process.terminate()
        process.communicate()


def test_it_is_refused(perfpair_record, may_trace, storm, tmp_path):
    process = recorder(perfpair_record, tmp_path, "--no-boost")
    try:
        seen = set()
        for _ in range(200):
            seen |= policies(process.pid)
            time.sleep(0.002)
        # names are collected by a thread of class BATCH, then IDLE
        assert seen <= {os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_IDLE}
    finally:
        process.terminate()
        process.communicate()


def test_who_lost_is_told_of_priority(perfpair_record, may_trace, storm,
                                      tmp_path):
    # far more than a core compresses, and no memory to keep it in
    process = recorder(perfpair_record, tmp_path, "--no-boost",
                       "--spill-size", "0", "-z19", "--duration", "1s")
    stderr = process.communicate()[1]
    assert "lost " in stderr
    assert "; a larger -m, or -r 1, loses fewer ]" in stderr
