"""Recordings that perf makes on the spot, for the tests that print them with
both readers; fixtures for conftest.py."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

from common import RECORD, until
from recipes import options_for_perf
from remembered import Live

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
        _, options, program = recipe
        key = repr((recipe, more))
        if key not in files:
            out = folder / f"{len(files)}.data"
            cpus = os.sched_getaffinity(0)
            if "-C" in options:  # else its name may be told on another CPU
                os.sched_setaffinity(0, cpus & {0} or cpus)
            try:
                done = record_by_perf(
                    [perf, *RECORD, "-q", *options_for_perf(options), *more, "-o",
                     str(out), "--", str(workload(program[0])), *program[1:]],
                    None, env["HOME"])
            finally:
                os.sched_setaffinity(0, cpus)
            assert done.returncode == 0, done.stderr
            files[key] = out
        return files[key]

    return record


@pytest.fixture(scope="session")
def recorded_by_perf(request, perf_home, tmp_path_factory):
    """recorded_by_perf(NAME): one of RECORDINGS by this machine's perf, shared by
    all tests of a run."""
    files = {}

    def recorded(name):
        if name not in files:
            request.getfixturevalue("may_trace")
            files[name] = record_one(
                name, *map(request.getfixturevalue, ("perf", "workload")),
                perf_home, tmp_path_factory.mktemp("perf") / "perf.data")
        return files[name]

    return recorded


def record_one(name, perf, workload, perf_home, path):
    options, words = RECORDINGS[name]
    record = ["record"] if name == "all sideband" else RECORD
    command = [perf, *record, "-q", *options]
    if "-" not in options:
        command += ["-o", str(path)]
    victim = None
    if words is None:
        victim = subprocess.Popen([workload("threads"), "4", "20000"])
        tasks = pathlib.Path(f"/proc/{victim.pid}/task")
        until(lambda: len(list(tasks.iterdir())) == 5, victim)
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


def drawn_pairs(sets_nr):
    """[(number of a set, name)]: which set is tried with which fresh recording.
    As many names in turn for each set that each name has one set at least."""
    names = list(RECORDINGS)
    each = -(-len(names) // sets_nr)
    return [(i, names[(i * each + j) % len(names)])
            for i in range(sets_nr) for j in range(each)]


def pairs_of(mark, with_slow):
    """The pairs (recording, set) of a test marked recordings(SET...): each set with
    each recording of the frozen set, drawn ones with fresh recordings, and all the
    others of these if slow tests are not left out.  of: the names of recordings, if
    not all; but: those that are left out.  fresh: False if perf is not asked; frozen:
    False if all is asked of fresh recordings."""
    sets = list(mark.args) or [None]
    names = [name for name in mark.kwargs.get("of", RECORDINGS)
             if name not in mark.kwargs.get("but", ())]
    for name in names if mark.kwargs.get("frozen", True) else ():
        for options in sets:
            yield ("frozen", name), options, ()
    if len(names) == 1:
        drawn = {(i, names[0]) for i in range(len(sets))}
    else:
        drawn = set(drawn_pairs(len(sets)))
    if not mark.kwargs.get("fresh", True):
        drawn = set()
    for name in names:
        for i, options in enumerate(sets):
            if (i, name) in drawn:
                yield ("fresh", name), options, [pytest.mark.records]
            elif with_slow:
                yield ("fresh", name), options, [pytest.mark.records,
                                                 pytest.mark.slow]


def kinds_of(cases, with_slow, every=4):
    """The pairs (kind, case) of a test marked cases([case...]), each of which begins
    with the name of a recording: all of the frozen set; of fresh recordings the first
    of each name, and of all the others every fourth."""
    for case in cases:
        yield "frozen", case, ()
    seen = set()
    for i, case in enumerate(cases):
        if case[0] not in seen or i % every == 0:
            yield "fresh", case, [pytest.mark.records]
        elif with_slow:
            yield "fresh", case, [pytest.mark.records, pytest.mark.slow]
        seen.add(case[0])


def case_title(case):
    """NAME_word_word"""
    return "_".join([case[0], *(" ".join(part) if isinstance(part, (list, tuple))
                                else str(part) for part in case[1:])])


def set_pairs(metafunc):
    """For pytest_generate_tests."""
    with_slow = "not slow" not in metafunc.config.getoption("markexpr")
    mark = metafunc.definition.get_closest_marker("cases")
    if mark:
        metafunc.parametrize("kind, case", [
            pytest.param(kind, case, marks=marks, id=case_title(case)
                         if kind == "fresh" else f"frozen {case_title(case)}")
            for kind, case, marks in kinds_of(*mark.args, with_slow)],
            indirect=["kind"])
    mark = metafunc.definition.get_closest_marker("recordings")
    if not mark:
        return
    has_sets = "options" in metafunc.fixturenames
    rows = []
    for (kind, name), options, marks in pairs_of(mark, with_slow):
        title = name if kind == "fresh" else f"frozen {name}"
        if has_sets:
            title += "-" + " ".join(options)
        rows.append(pytest.param(
            (kind, name), *([options] if has_sets else []), id=title, marks=marks))
    metafunc.parametrize("recording, options" if has_sets else "recording", rows,
                         indirect=["recording"])


@pytest.fixture
def recording(request, recorded_by_perf, frozen):
    """One recording by perf, of the frozen set or shared by all tests of a run."""
    kind, name = request.param
    return frozen(f"recordings/{name}") if kind == "frozen" \
        else recorded_by_perf(name)


@pytest.fixture(scope="session")
def recipe_by_perf(request, perf_home, tmp_path_factory):
    """recipe_by_perf(RECIPE, OPTION...): this machine's recording of it, shared by
    all tests of a run."""
    made = []

    def record(*words):
        if not made:
            request.getfixturevalue("may_trace")
            perf, workload = map(request.getfixturevalue, ("perf", "workload"))
            env = dict(os.environ, HOME=str(perf_home))
            made.append(recipes_by_perf(perf, workload, env,
                                        tmp_path_factory.mktemp("recipes")))
        return made[0](*words)

    return record


@pytest.fixture
def kind(request):
    """"frozen" or "fresh": what a test marked cases() is about."""
    return getattr(request, "param", "fresh")


@pytest.fixture
def recorded_recipe(kind, recipe_by_perf, frozen):
    """recorded_recipe(RECIPE, OPTION...): the path of perf's recording, of the frozen
    set where the test is about that."""
    def path_of(recipe, *more):
        if kind == "frozen":
            return frozen(" ".join([f"recipes/{recipe[0]}", *more]))
        return recipe_by_perf(recipe, *more)

    return path_of


@pytest.fixture
def peer(request, kind, run, perfpair, perf_home):
    """Both readers, to be asked about `recording`, or about what else the test has
    recorded (remembered.py)."""
    callspec = getattr(request.node, "callspec", None)
    if callspec and "recording" in callspec.params:
        kind, _ = callspec.params["recording"]
    if kind == "frozen":
        return request.getfixturevalue("remembered")
    return Live(run, request.getfixturevalue("perf"), perfpair, perf_home)


@pytest.fixture
def both(peer):
    """both(COMMAND...): runs both programs; neither may complain, but for why
    nothing is shown, and what they print is the same."""
    return peer.both
