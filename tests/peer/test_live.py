"""perfpair top with a recorder: ours, started by it or beside it, and perf's."""

import os
import re
import signal
import subprocess

import pytest

from common import RECORD, build_dir


@pytest.fixture(scope="module")
def env(perfpair_record):
    """The recorder of the build is found by PATH."""
    folder = os.path.dirname(perfpair_record)
    return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")


@pytest.fixture(scope="module")
def spin(workload):
    return workload("spin")


def top(perfpair, env, *words, **more):
    return subprocess.run([perfpair, "top", "--stdio", *words], env=env,
                          capture_output=True, text=True, timeout=60, **more)


def frames(text):
    return text.split("PerfTop")[1:]


def test_a_command_is_shown_and_its_status_is_ours(perfpair, env, may_record,
                                                   spin):
    done = top(perfpair, env, "-g", "-e", "cpu-clock", "-F", "999", "-d", "0.1",
               "-s", "comm,dso,symbol", "--",
               "sh", "-c", f"{spin} 400 cpu; echo out; echo err >&2; exit 7")
    assert done.returncode == 7
    last = frames(done.stdout)[-1]
    assert re.search(r"^ +\d+\.\d\d% +\d+\.\d\d%  spin +spin +\[\.\] ", last,
                     re.M)
    assert "command: sh" in last
    assert len(frames(done.stdout)) >= 3
    # what the command printed is told with its failure, not in between
    assert "out\n" not in done.stdout
    assert "out\n" in done.stderr and "err\n" in done.stderr


def test_a_recorder_that_fails_says_why(perfpair, env):
    done = top(perfpair, env, "-e", "nosuch")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("perfpair-record: unknown event 'nosuch'")
    assert "perfpair:" not in done.stderr


def test_without_a_recorder(tmp_path):
    folder = build_dir() / "report"
    if (folder / "perfpair-record").exists():
        pytest.skip("a recorder lies beside perfpair")
    done = subprocess.run([folder / "perfpair", "top", "--stdio"],
                          capture_output=True, text=True, timeout=20,
                          env=dict(os.environ, PATH=str(tmp_path)))
    assert done.returncode == 127
    assert "it is neither beside perfpair nor in PATH" in done.stderr


def test_an_interrupt_ends_the_recorder_too(perfpair, env, may_record):
    done = subprocess.Popen(
        [perfpair, "top", "--stdio", "-a", "-e", "cpu-clock", "-F", "99", "-d",
         "0.2"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True)
    while "PerfTop" not in done.stdout.readline():
        pass
    done.send_signal(signal.SIGINT)
    _, err = done.communicate(timeout=20)
    assert done.returncode == 0
    assert err == ""


@pytest.mark.parametrize("options", [[], ["-z"], ["-g"]], ids=" ".join)
def test_what_perf_writes_to_a_pipe(perfpair, perf, env, may_record, spin,
                                    tmp_path, options):
    """The last frame is report's table of the same pipe."""
    pipe = subprocess.run(
        [perf, *RECORD, "-q", "-o", "-", "-e", "cpu-clock", "-F", "999",
         *options, "--", spin, "300", "cpu"], capture_output=True,
        check=True, cwd=tmp_path).stdout
    table = ["-s", "comm,dso,sym", "--no-children", "--call-graph=none"]
    shown = subprocess.run(
        [perfpair, "top", "-i", "-", "--stdio", "-E", "9999", *table],
        input=pipe, capture_output=True, check=True).stdout.decode()
    told = subprocess.run([perfpair, "report", "-i", "-", "-q", *table],
                          input=pipe, capture_output=True,
                          check=True).stdout.decode()

    def rows(text):
        return [line.rstrip() for line in text.splitlines()
                if re.match(r" +\d+\.\d+%", line)]

    assert len(rows(told)) > 2
    assert rows(shown) == rows(told)


def test_processes_that_fork_and_end(perfpair, perfpair_record, env, may_record,
                                     spin):
    """Names and maps hold in a window that begins behind the fork, and do not
    grow with those that have ended."""
    script = (f"for i in $(seq 400); do /bin/true; done; ({spin} 400 cpu); "
              f"for i in $(seq 200); do /bin/true; done")
    done = top(perfpair, env, "-e", "cpu-clock", "-F", "999", "-d", "0.1", "-z",
               "-s", "comm,dso,symbol", "--", "sh", "-c", script)
    assert done.returncode == 0
    assert done.stderr == ""
    shown = frames(done.stdout)
    assert any(re.search(r"%  spin +spin ", frame) for frame in shown)
    assert not re.search(r"\d%  :\d+ ", done.stdout), "a task without a name"
    assert sum(frame.count("[unknown]") for frame in shown) < len(shown) / 4
