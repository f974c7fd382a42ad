"""Proof 1: perf reads every file that perfpair-record writes, says nothing on
stderr, and prints what perfpair prints."""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from common import until, until_said
from peer_text import json_of, same_report, same_text, without_hints
from perf_data_validator import validate
from recipes import PID, RECIPES

PERF_RECORD_IDS = [name.replace(" ", "-") for name, _, _ in RECIPES]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perfpair_record, may_trace, workload):
    """recorded(RECIPE): the file of that recipe, recorded once a module."""
    folder = tmp_path_factory.mktemp("ours")
    files = {}

    def record(recipe):
        name, options, program = recipe
        if name not in files:
            out = folder / (name.replace(" ", "-") + ".data")
            # of which perf shows none: tests/cli/test_leaf_words.py
            record_one(perfpair_record, [*options, "--no-leaf-callers"], out,
                       [str(workload(program[0])), *program[1:]])
            files[name] = out
        return files[name]

    return record


def record_one(recorder, options, out, command):
    if PID not in options:
        done = subprocess.run([recorder, *options, "-o", out, "--", *command],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return
    target = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    tasks = pathlib.Path(f"/proc/{target.pid}/task")
    try:
        until(lambda: len(list(tasks.iterdir())) == 5, target)
        words = [str(target.pid) if w == PID else w for w in options]
        with subprocess.Popen([recorder, *words, "-o", out], text=True,
                              stderr=subprocess.PIPE) as process:
            until_said(process)
            time.sleep(0.5)
            target.kill()
            said = process.communicate(timeout=60)[1]
        assert process.returncode == 0, said
    finally:
        target.kill()
        target.wait()


# What we print otherwise than perf 6.1, on purpose.
DIFFERENCES = {
    ("two sample types", ("report", "--stdio")):
        "perf gives samples without a callchain that of the sample before",
}


def own(recipe):
    """The commands of a recording that are compared: of whole CPUs not those of
    others, whose files may be replaced before both readers have them."""
    _, options, (program, *_) = recipe
    return f"{program},swapper" if {"-a", "-C"} & set(options) else ""


def maps_of(text, commands):
    """The tasks of these commands, each with its maps below it."""
    kept, is_kept = [], True
    for line in text.splitlines():
        if task := re.match(r" *-?\d+ +-?\d+ +-?\d+ \| *(.*)", line):
            is_kept = task[1] in commands
        if is_kept:
            kept.append(line)
    return "\n".join(kept)


def comparable(text):
    """Without what our trailer tells of cost, losses and rates, which perf does
    not know of, and without the inodes of maps, for which perf shows bytes of
    the build-id."""
    text = re.sub(r"^# (recorder \w+|throttled|highest rate|lost|rate) *:.*\n",
                  "", text, flags=re.M)
    return re.sub(r"^( +\S+-\S+ [rwxps-]{4} \S+) \d+ ", r"\1 ", text,
                  flags=re.M)


def listed(text):
    """{file: [id, ...]}.  A file that ran before and is mapped again is two for
    perf, since our records of what ran have a build-id in the inode's place; one
    of them may have no id, or no samples."""
    found = collections.defaultdict(list)
    for line in text.splitlines():
        name = re.sub(r"/tmp/perf-vdso\.so-\w{6}", "[vdso]", line[41:])
        # code of others' compilers, which we name by their dumps
        if not re.search(r"/(perf-\d+\.map|jitted-\d+-\d+\.so)$", name):
            found[name].append(line[:40].strip())
    return found


VIEWS = [
    ["script"], ["evlist", "-v"], ["buildid-list"],
    ["report", "--stdio"], ["report", "--stdio", "--no-children", "-n"],
    ["evlist", "-F"], ["buildid-list", "-H"], ["report", "--stats"],
    ["report", "--tasks"], ["report", "--mmaps"],
    ["report", "--header-only", "-I"],
]


def view_pairs():
    """script of each recipe, and three of the other views in turn; all with
    --slow.  What is shown is fixtures/frozen's business, here it is whether perf
    takes what we write."""
    others = len(VIEWS) - 1
    for i, recipe in enumerate(RECIPES):
        for j, words in enumerate(VIEWS):
            is_drawn = not j or (j - 1 - 3 * i) % others < 3
            title = "-".join(word.strip("-") for word in words)
            yield pytest.param(recipe, words, id=f"{PERF_RECORD_IDS[i]}-{title}",
                               marks=() if is_drawn else [pytest.mark.slow])


@pytest.mark.parametrize("recipe, words", view_pairs())
def test_perf_prints_what_we_print(recorded, recipe, words, perf, perfpair,
                                   run):
    if (recipe[0], tuple(words)) in DIFFERENCES:
        pytest.skip("differs on purpose: "
                    + DIFFERENCES[recipe[0], tuple(words)])
    path = recorded(recipe)
    only = ["--comms", own(recipe)] if own(recipe) and (
        words == ["script"] or "--stdio" in words) else []
    theirs = run([perf, *words, *only, "-i", path])
    ours = run([perfpair, *words, *only, "-i", path])
    assert theirs.stderr == ""
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert theirs.stdout.strip() or words[0] == "buildid-list"
    if "--stdio" in words:
        same_report(theirs.stdout, ours.stdout)
    elif words == ["buildid-list", "-H"]:
        perfs, found = listed(theirs.stdout), listed(ours.stdout)
        assert set(found) == set(perfs)
        for name, ids in perfs.items():
            assert set(ids) - {""} <= set(found[name]), name
            assert len(found[name]) <= len(ids), name
    else:
        texts = [comparable(done.stdout) for done in (theirs, ours)]
        if "--mmaps" in words and own(recipe):
            texts = [maps_of(text, own(recipe).split(",")) for text in texts]
            assert texts[0].count("\n") > 5
        same_text(*texts)


@pytest.mark.parametrize("recipe", RECIPES, ids=PERF_RECORD_IDS)
def test_perf_diff_of_a_file_with_itself(recorded, recipe, perf, run, tmp_path):
    path = recorded(recipe)
    done = run([perf, "diff", path, path])
    assert done.stderr == ""
    assert done.returncode == 0
    deltas = re.findall(r"^ +\d+\.\d+% +([+-]\d+\.\d+)%", done.stdout, re.M)
    assert deltas or "%" in done.stdout
    assert set(deltas) <= {"+0.00", "-0.00"}


@pytest.mark.parametrize("recipe", RECIPES, ids=PERF_RECORD_IDS)
def test_perf_inject_keeps_the_samples(recorded, recipe, perf, run, tmp_path):
    path = recorded(recipe)
    injected = tmp_path / "injected.data"
    done = run([perf, "inject", "-b", "-i", path, "-o", injected])
    assert (done.returncode, done.stderr) == (0, "")
    before = run([perf, "script", "-F", "comm,tid,time,event,ip", "-i", path])
    after = run([perf, "script", "-F", "comm,tid,time,event,ip", "-i",
                 injected])
    assert after.stderr == ""
    assert after.stdout == before.stdout


@pytest.mark.parametrize("recipe", RECIPES, ids=PERF_RECORD_IDS)
def test_the_newest_perf_s_rules_hold(recorded, recipe):
    assert validate(recorded(recipe)) == []


def test_pipe_mode_is_read_by_perf(perfpair_record, perfpair, perf, run,
                                   workload, may_record, tmp_path):
    out = tmp_path / "pipe.data"
    with open(out, "wb") as sink:
        done = subprocess.run(
            [perfpair_record, "-g", "--no-leaf-callers", "-e", "cpu-clock",
             "-o", "-", "--",
             workload("spin"), "300", "cpu"], stdout=sink,
            stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    for words in (["script"], ["report", "--stdio"], ["evlist", "-v"]):
        texts = []
        for tool in (perf, perfpair):
            with open(out, "rb") as source:
                texts.append(run([tool, *words, "-i", "-"], stdin=source))
        assert texts[0].stderr == without_hints(texts[1].stderr) == ""
        compare = same_report if words[0] == "report" else same_text
        compare(texts[0].stdout, texts[1].stdout)


def test_a_killed_recording_is_read_to_its_last_flush(
        perfpair_record, perfpair, perf, run, workload, may_trace, tmp_path):
    """Proof 3.  Every sample before the last one that perf reads is there: the
    getppid calls of one thread carry no number, but they come at least every
    few microseconds, so a hole of a lost flush would be a gap in time."""
    out = tmp_path / "killed.data"
    recorder = subprocess.Popen(
        [perfpair_record, "-a", "-m", "16384", "-o", out, "--flush-interval",
         "200ms", "-e", "syscalls:sys_enter_getppid"],
        stderr=subprocess.PIPE, text=True)
    until_said(recorder)
    program = subprocess.Popen([workload("getppid"), "100000000"])
    time.sleep(0.8)
    recorder.kill()
    recorder.wait()
    program.kill()
    program.wait()
    words = ["script", "-F", "tid,time", "--ns"]
    theirs = run([perf, *words, "-i", out])
    ours = run([perfpair, *words, "-i", out])
    assert theirs.returncode == 0
    assert theirs.stderr == ""
    theirs_lines = theirs.stdout.splitlines()
    ours_lines = ours.stdout.splitlines()
    assert ours_lines[:len(theirs_lines)] == theirs_lines
    times = [float(line.split()[1].rstrip(":")) for line in theirs_lines]
    assert len(times) > 100000
    # recording went on for more than two times what is between two flushes
    assert times[-1] - times[0] > 0.4


@pytest.mark.final
@pytest.mark.parametrize("options", [["-a"], [], ["-a", "-z0"], ["-a", "-g"]],
                         ids=["all-cpus", "command", "plain", "callchains"])
def test_samples_in_are_samples_out(perfpair_record, perfpair, perf, run,
                                    workload, may_trace, tmp_path, options):
    """Proof 4: exactly N calls are made, N are in the file and the report.  The
    rings hold them all: how late the recorder gets a CPU is another matter."""
    out = tmp_path / "n.data"
    n = 20011
    # a name of its own: others may call getppid meanwhile
    caller = shutil.copy(workload("getppid"), tmp_path / f"ppid{os.getpid()}")
    done = run([perfpair_record, "-m", "4M", *options, "-e",
                "syscalls:sys_enter_getppid", "-o", out, "--", caller, n])
    assert done.returncode == 0, done.stderr
    script = run([perf, "script", "-F", "comm,event", "-G", "-i", out])
    mine = [line for line in script.stdout.splitlines()
            if line.split()[:1] == [caller.name]]
    assert len(mine) == n
    report = run([perfpair, "report", "--stdio", "--no-children", "-g", "none",
                  "-n", "-s", "comm", "-i", out])
    rows = re.findall(rf"^ +[\d.]+% +(\d+) +{caller.name} *$", report.stdout,
                      re.M)
    assert rows == [str(n)]


def of_commands(text, commands):
    data = json.loads(text.decode(errors="replace"))
    data["samples"] = [sample for sample in data["samples"]
                       if sample["comm"] in commands]
    return data


@pytest.mark.parametrize("recipe", RECIPES, ids=PERF_RECORD_IDS)
def test_perf_writes_the_json_that_we_write(recorded, recipe, perf, perfpair,
                                            run, tmp_path):
    path = recorded(recipe)
    for program, out in ((perf, "theirs"), (perfpair, "ours")):
        done = run([program, "data", "convert", "--to-json", out, "-i", path])
        assert done.returncode == 0, done.stderr
    ours, theirs = json_of(tmp_path / "ours"), json_of(tmp_path / "theirs")
    if own(recipe):
        ours, theirs = (of_commands(text, own(recipe).split(","))
                        for text in (ours, theirs))
        assert len(theirs["samples"]) > 10
    assert ours == theirs
