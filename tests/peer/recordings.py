"""Recordings that perf makes on the spot, for the tests that print them with
both readers; fixtures for conftest.py."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from peer_text import same_text
from recipes import options_for_perf

# name, options of perf record, workload; None: see the fixture
RECORDINGS = {
    "clock with chains": (["-e", "cpu-clock", "-g"], ["spin", "200"]),
    "page faults": (["-e", "page-faults", "-c", "1", "-d"], ["spin", "50"]),
    "raw tracepoint": (["-e", "syscalls:sys_enter_getppid", "-R"],
                       ["getppid", "2000"]),
    "scheduler of all CPUs": (["-a", "-g", "-e", "sched:sched_switch",
                               "-e", "sched:sched_wakeup"], ["spin", "100"]),
    "group read by its leader": (["-e", "{cpu-clock,task-clock}:S"],
                                 ["spin", "200"]),
    "two sample types": (["-e", "cpu-clock/call-graph=fp/",
                          "-e", "page-faults/period=1/"], ["spin", "200"]),
    "one CPU": (["-C", "0", "-e", "cpu-clock"], ["spin", "100", "first"]),
    "registers": (["-e", "cpu-clock", "--user-regs=ip,sp", "-I"],
                  ["spin", "100"]),
    "compressed": (["-z", "-e", "cpu-clock", "-g"], ["spin", "200"]),
    # spin has 8000 bytes in one frame, more than the usual copy holds whole
    "stack copies": (["-e", "cpu-clock", "-F", "300", "--call-graph",
                      "dwarf,16384"], ["spin", "200"]),
    "build-ids in MMAP2": (["--buildid-mmap", "-e", "cpu-clock"],
                           ["spin", "100"]),
    "no build-ids": (["-B", "-e", "cpu-clock", "-g"], ["spin", "100"]),
    "clock data": (["-k", "CLOCK_MONOTONIC", "-e", "cpu-clock"],
                   ["spin", "100"]),
    "to a pipe": (["-e", "cpu-clock", "-g", "-o", "-"], ["spin", "200"]),
    "all sideband": (["-a", "--all-cgroups", "--switch-events", "--namespaces",
                      "-m", "2048", "-F", "500", "-e", "cpu-clock"],
                     ["spin", "50"]),
    "memory addresses": (["-d", "--phys-data", "--data-page-size",
                          "--code-page-size", "-W", "-k", "CLOCK_MONOTONIC",
                          "-c", "1", "-e", "page-faults"], ["spin", "50"]),
    "threads attached to": (["-e", "cpu-clock"], None),
}
TRIES = 20


@pytest.fixture(scope="session")
def perf_home(tmp_path_factory):
    """One ~/.debug for recorder and readers: perf finds the vdso only there."""
    return tmp_path_factory.mktemp("home")


def aborts(perf, path, env):
    """Whether perf 6.1 dies of a recording: format/FORMAT.md, MMAP2.  Where
    another recorder asks for build-ids meanwhile, on a machine that others use
    too, the kernel leaves its mark on records of this one."""
    return subprocess.run([perf, "script", "-G", "-F", "tid", "-i", path],
                          env=env, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL
                          ).returncode == -signal.SIGABRT


def record_by_perf(command, piped_to, home):
    """Until perf 6.1 can read it, which it dies of at the end of its recording
    and ever after."""
    env = dict(os.environ, HOME=str(home), TZ="UTC", LC_ALL="C")
    path = piped_to or command[command.index("-o") + 1]
    for _ in range(TRIES):
        with open(piped_to or "/dev/null", "wb") as out:
            done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE,
                                  env=env, check=False, timeout=60)
        if done.returncode != -signal.SIGABRT and \
                not aborts(command[0], path, env):
            break
        time.sleep(0.5)
    return done


def recipes_by_perf(perf, workload, env, folder):
    """record(RECIPE, OPTION...): perf's file of a recipe (recipes.py), recorded
    once."""
    files = {}

    def record(recipe, *more):
        name, options, program = recipe
        key = (name, *more)
        if key not in files:
            out = folder / f"{len(files)}.data"
            done = record_by_perf(
                [perf, "record", "-q", *options_for_perf(options), *more, "-o",
                 str(out), "--", str(workload(program[0])), *program[1:]],
                None, env["HOME"])
            assert done.returncode == 0, done.stderr
            files[key] = out
        return files[key]

    return record


@pytest.fixture(scope="session", params=list(RECORDINGS), ids=str)
def recording(request, may_trace, perf, workload, perf_home,
              tmp_path_factory):
    """One recording by perf, shared by all tests of a run."""
    options, words = RECORDINGS[request.param]
    path = tmp_path_factory.mktemp("perf") / "perf.data"
    command = [perf, "record", "-q", *options]
    if "-" not in options:
        command += ["-o", str(path)]
    victim = None
    if words is None:
        victim = subprocess.Popen([workload("threads"), "4", "20000"])
        tasks = pathlib.Path(f"/proc/{victim.pid}/task")
        for _ in range(100):
            if len(list(tasks.iterdir())) == 5:
                break
            time.sleep(0.05)
        command += ["-p", str(victim.pid), "--", "sleep", "0.5"]
    else:
        command += ["--", str(workload(words[0])), *words[1:]]
    done = record_by_perf(command, path if "-" in options else None,
                          perf_home)
    if victim:
        victim.kill()
        victim.wait()
    # perf 6.1 may end by the SIGTERM with which it ends its command
    assert done.returncode in (0, -signal.SIGTERM), done.stderr.decode()
    return path


@pytest.fixture
def both(run, perf, perfpair, perf_home):
    """both(COMMAND...): runs both programs; neither may complain, but for why
    nothing is shown, and what they print is the same."""
    env = dict(os.environ, HOME=str(perf_home), TZ="UTC", LC_ALL="C", PAGER="cat")

    def run_both(*words, may_be_empty=False):
        theirs = run([perf, *words], env=env)
        ours = run([perfpair, *words], env=env)
        assert ours.stderr == "" or may_be_empty and not ours.stdout
        assert ours.returncode == 0
        if theirs.returncode < 0:
            theirs = run([perf, *words], env=env)
        if theirs.returncode < 0:
            pytest.skip("perf 6.1 ends in a signal (build-id.c:1010, mostly)")
        assert theirs.stdout or may_be_empty, theirs.stderr
        # perf names its own copy of the vdso at random
        same_text(re.sub(r"/tmp/perf-vdso.so-\w+", "[vdso]", theirs.stdout),
                  ours.stdout)

    return run_both
