"""SIGKILL at random moments: what was flushed is there, for perf as for us.

12 moments; PERFPAIR_KILLS=200 takes more."""

import collections
import os
import random
import re
import signal
import struct
import subprocess
import time

import pytest

from common import until
from peer_text import LOST

KILLS = int(os.environ.get("PERFPAIR_KILLS", 12))
OPTIONS = [["-z0", "-c", "300"], ["-z1", "-c", "300"],
           ["-z1", "--threads=2", "-c", "300"],
           # more than that level packs in the time
           ["-z22", "-g", "-c", "20"]]
FLUSH_S = [0.1, 0.1, 0.1, 1.0]
EACH = -(-KILLS // len(OPTIONS))
# From the moment that a flush is due until it is in the file, on a machine
# that has other things to do.
SLACK_S = 1.0


def one_kill(recorder, wait_s):
    """Kills it wait_s after its first samples can be there; the time of the
    kill, on the clock of the samples."""
    time.sleep(wait_s)
    recorder.kill()
    killed = time.clock_gettime(time.CLOCK_MONOTONIC)
    recorder.wait()
    return killed


def assert_within(path):
    data = path.read_bytes()
    start, length = struct.unpack_from("<QQ", data, 40)
    assert start + length <= len(data)


@pytest.mark.parametrize("options, flush_s", zip(OPTIONS, FLUSH_S),
                         ids=["plain", "compressed", "threads", "slow"])
def test_killed_at_any_moment(options, flush_s, perfpair_record, perfpair,
                              perf, run, may_trace, workload, tmp_path):
    chance = random.Random(4)
    storm = subprocess.Popen([workload("getppid"), "2000000000"])
    path = tmp_path / "t.data"
    checked = kills = 0
    try:
        # on a busy machine the first flush may be late: then some more, later ones
        while kills < EACH or checked < EACH // 2 and kills < 4 * EACH:
            kills += 1
            path.unlink(missing_ok=True)
            storm.send_signal(signal.SIGCONT)
            recorder = subprocess.Popen(
                [perfpair_record, "-q", *options, "-k", "mono", "-m", "1M",
                 "-e", "cpu-clock", "-e", "syscalls:sys_enter_getppid",
                 "-p", str(storm.pid), "--flush-interval",
                 f"{flush_s * 1000:.0f}ms", "-o", "t.data"], cwd=tmp_path)
            until(lambda: path.exists() and path.stat().st_size >= 4096,
                  recorder)
            killed = one_kill(recorder, chance.uniform(0.4, 6) * flush_s *
                              -(-kills // EACH))
            storm.send_signal(signal.SIGSTOP)
            assert_within(path)
            script = run([perf, "script", "-i", "t.data", "-F", "time"])
            # a busy machine loses some, and the file says so
            said = LOST.sub("", script.stderr)
            assert (script.returncode, said) == (0, "")
            # this needs COMPRESSED from the feature table of the checkpoint
            stats = run([perf, "report", "-i", "t.data", "--stats"])
            assert (stats.returncode, LOST.sub("", stats.stderr)) == (0, "")
            assert (re.findall(r"^ +SAMPLE events: +(\d+)", stats.stdout, re.M)
                    or ["0"])[0] == str(len(script.stdout.splitlines()))
            ours = run([perfpair, "script", "-i", "t.data", "-F", "time"])
            # it reads on to the last whole frame, and says that
            assert ours.returncode == 3
            assert "the recording was not closed" in ours.stderr
            check = run([perfpair, "check", "t.data"])
            assert check.returncode == 3
            found = collections.Counter(
                re.findall(r" \[([\w-]+)\]$", check.stdout, re.M))
            assert found.pop("unfinished") == 1
            # the kernel ends a write at any page, and so amid a record, or behind
            # a COMPRESSED record that ends amid one
            assert found.pop("record", 0) + found.pop("plain", 0) <= 1
            assert set(found) <= {"uncovered"}
            assert not (collections.Counter(script.stdout.splitlines()) -
                        collections.Counter(ours.stdout.splitlines()))
            times = [float(word) for word in
                     re.findall(r"[\d.]+(?=:)", script.stdout)]
            if not times:
                continue  # killed before the first flush was due
            assert killed - times[-1] < flush_s + SLACK_S
            checked += 1
    finally:
        storm.kill()
        storm.wait()
    assert checked >= EACH // 2
