"""perf's commands that pass over feature records cannot unpack a recording that
was killed; what repair makes of it they read (docs/differences.md, "Newer perf
on our recordings")."""

import os
import re
import signal
import subprocess

import pytest

from common import until


def samples_nr(run, perfpair):
    """What was flushed until now."""
    return run([perfpair, "script", "-G", "-F", "tid", "-i", "k.data"]
               ).stdout.count("\n")


@pytest.fixture
def killed(perfpair_record, may_record, run, perfpair, tmp_path):
    """A recording of some flushes whose recorder had no chance to close it."""
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-a", "-g", "-e", "cpu-clock",
         "--flush-interval", "200ms", "-o", "k.data", "--", "sh", "-c",
         "while :; do find /usr/share/doc -name 'x*'; done"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True)
    until(lambda: samples_nr(run, perfpair) > 2000, recorder)
    os.killpg(recorder.pid, signal.SIGKILL)  # what it recorded, too
    recorder.wait(30)


def test_a_repaired_recording_is_read_by_each_command(run, perf, perfpair,
                                                      killed):
    made = run([perfpair, "repair", "-o", "new.data", "k.data"])
    assert (made.returncode, made.stderr) == (0, "")
    nr = len(run([perfpair, "script", "-G", "-F", "tid", "-i", "k.data"])
             .stdout.splitlines())
    stats = run([perf, "report", "--stats", "-i", "new.data"])
    assert re.search(rf"SAMPLE events: +{nr}\b", stats.stdout)
    tasks = run([perf, "report", "--tasks", "-i", "new.data"])
    assert re.search(r"^ +\d+ +\d+ +-?\d+ \|.* find$", tasks.stdout, re.M)
    listed = run([perf, "buildid-list", "-i", "new.data"])
    assert re.search(r"^[0-9a-f]{40} \[kernel.kallsyms\]$", listed.stdout, re.M)
    assert [done.returncode for done in (stats, tasks, listed)] == [0, 0, 0]
    assert stats.stderr + tasks.stderr + listed.stderr == ""


def test_an_uncompressed_one_needs_no_repair(run, perf, perfpair, may_record,
                                             perfpair_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-a", "-z0", "-e", "cpu-clock",
         "--flush-interval", "200ms", "-o", "k.data"], cwd=tmp_path)
    until(lambda: samples_nr(run, perfpair) > 100, recorder)

    def samples():  # up to the last checkpoint; perfpair reads all that is whole
        stats = run([perf, "report", "--stats", "-i", "k.data"])
        assert (stats.returncode, stats.stderr) == (0, "")
        return re.search(r"SAMPLE events: +\d\d+", stats.stdout)

    until(samples, recorder)
    recorder.kill()
    recorder.wait(30)
    assert samples()
