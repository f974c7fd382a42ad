"""perfpair sched: against perf's own of the same recordings, line by line.

What docs/differences.md says of them is taken out of both: tasks that ended,
which perf calls :-1, functions of user code, which it has not, times across a
switch that is missing, and states."""

import collections
import re
import subprocess

import pytest

from common import RECORD

EVENTS = ["sched_switch", "sched_waking", "sched_wakeup_new", "sched_migrate_task",
          "sched_stat_runtime"]
WORK = "for i in 1 2 3 4 5; do sleep 0.01 & sleep 0.02; done; wait"
LINE = re.compile(r"( *[\d.]+ \[\d+\]  )(\S.*?\]|<idle>)((?: +\d+\.\d{3}){3}) (.*)")
TASK = re.compile(r"(.*)\[(-?\d+)(?:/(-?\d+))?\]")


@pytest.fixture(scope="module", params=["perf", "ours"])
def recording(request, may_trace, perf, perfpair_record, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param) / "t.data"
    words = ([perfpair_record, "-q", "--off-cpu", "-a", "-g"]
             if request.param == "ours" else
             [perf, *RECORD, "-q", "-B", "-a", "-g", "-m", "2048",
              *[f"-esched:{event}" for event in EVENTS]])
    subprocess.run([*words, "-o", path, "--", "sh", "-c", WORK], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def unsampled_tids(perfpair, recording):
    """The tasks that came to a CPU, as the record of the switch says, without a sample
    of sched_switch that says so; once for each time.  Some kernels have none of an idle
    CPU 1 (docs/design/report.md)."""
    text = subprocess.run([perfpair, "script", "-i", recording, "-G",
                           "--show-switch-events", "-F", "tid,cpu,event,trace"],
                          capture_output=True, check=True).stdout
    last, found = {}, []
    for tid, cpu, rest in re.findall(r"^ *(-?\d+) \[(\d+)\] +(.*)", text.decode(
            errors="replace"), re.M):
        if (sample := re.search(r" ==> .*next_pid=(\d+)", rest)):
            last[cpu] = sample[1]
        elif " IN  " in rest and last.get(cpu, tid) != tid:
            found.append(int(tid))
    return found


def both(perf, perfpair, recording, *words):
    """What perf prints, and what we print and say."""
    theirs = subprocess.run([perf, "sched", *words, "-i", recording],
                            capture_output=True, check=True)
    ours = subprocess.run([perfpair, "sched", *words, "-i", recording],
                          capture_output=True, check=True)
    return (theirs.stdout.decode(errors="replace").splitlines(),
            ours.stdout.decode(errors="replace").splitlines(),
            ours.stderr.decode(errors="replace"))


def same_times(theirs, ours, has_gaps, is_dead):
    """The times are equal, or not known: perf counts what others ran, and our
    recordings have where the first slices begin."""
    for idx, (time, own) in enumerate(zip(theirs.split(), ours.split())):
        if time != own and not (is_dead and idx < 2) and not (
                has_gaps and own == "0.000") and time != "0.000":
            return False
    return True


def same_rest(theirs, ours):
    """What stands behind the times: callers are equal up to where perf has no name."""
    theirs, ours = theirs.split(" <- "), ours.split(" <- ")
    for name, own in zip(theirs, ours):
        if name.split()[-1:] in ([], ["[unknown]"]):
            return True
        if name != own:
            return False
    return len(theirs) == len(ours)


def kind_of(theirs, ours, has_gaps):
    if theirs == ours:
        return "equal"
    match, own = LINE.fullmatch(theirs), LINE.fullmatch(ours)
    if not match or not own or match[1] != own[1]:
        return "wrong: " + theirs + "\n" + ours
    name, own_name = TASK.fullmatch(match[2]), TASK.fullmatch(own[2])
    is_dead = bool(name) and name[2] == "-1"
    if match[2] != own[2] and not (
            name and own_name and name[1] == ":" + name[2]
            and (is_dead or name[2] == own_name[2])):
        return "wrong name: " + theirs + "\n" + ours
    if not same_times(match[3], own[3], has_gaps, is_dead):
        # a task between them was not sampled, but has a record of its switch
        if float(own[3].split()[2]) < float(match[3].split()[2]):
            return "part"
        return "wrong times: " + theirs + "\n" + ours
    if not same_rest(match[4], own[4]):
        return "wrong callers: " + theirs + "\n" + ours
    return "dead" if is_dead else "alike"


def kinds(theirs, ours, said):
    has_gaps = "missing" in said or "lost" in said
    assert len(theirs) == len(ours), (theirs[-3:], ours[-3:], said)
    return collections.Counter(kind_of(*pair, has_gaps)
                               for pair in zip(theirs, ours))


def without_unseen_idles(ours, theirs):
    """With -I perf leaves out that a CPU was idle if it saw no task leave it before."""
    known, left, kept = {line.split("]")[0] for line in theirs}, set(), []
    for line in ours:
        place = line.split("]")[0]
        cpu = place.split()[-1] if LINE.fullmatch(line) else None
        is_idle = "]  <idle>" in line
        if not is_idle or cpu in left or place in known:
            kept.append(line)
        (left.discard if is_idle else left.add)(cpu)
    return kept


@pytest.mark.parametrize("words", [[], ["-n", "--max-stack", "2"], ["-I"]],
                         ids=" ".join)
def test_each_line_of_timehist_is_perfs(perf, perfpair, recording, words):
    if recording.parent.name.startswith("ours"):
        # perf looks for callers at the first event alone
        words = [*words, "--no-call-graph"]
    theirs, ours, said = both(perf, perfpair, recording, "timehist", *words)
    if "-I" in words:
        ours = without_unseen_idles(ours, theirs)
    seen = kinds(theirs, ours, said)
    assert set(seen) <= {"equal", "alike", "dead", "part"}, list(seen)[:5]
    unsampled = len(unsampled_tids(perfpair, recording))
    assert seen["part"] <= seen.total() / 10 + unsampled, seen


def other_lines(lines):
    """The lines of wakeups and migrations, of tasks that both can name."""
    return [line for line in lines
            if ("awakened: " in line or "migrated: " in line)
            and not re.search(r":-?\d+", line)]


def test_wakeups_and_migrations_are_perfs(perf, perfpair, recording):
    theirs, ours, _ = both(perf, perfpair, recording, "timehist", "-w",
                           "-M", "--no-call-graph")
    theirs, ours = other_lines(theirs), other_lines(ours)
    named = set(theirs)
    assert theirs and [line for line in ours if line in named] == theirs


def summed(lines):
    """{task: its row} of a summary."""
    return {row.split()[0]: row for row in lines
            if re.match(r" *\S+\[\d+", row)}


def test_sums_of_tasks_that_go_on_are_perfs(perf, perfpair, recording):
    theirs, ours, said = both(perf, perfpair, recording, "timehist", "-s")
    assert theirs[:5] == ours[:5]
    theirs, ours = (lines[:lines.index("Terminated tasks:")]
                    for lines in (theirs, ours))
    theirs, ours = summed(theirs), summed(ours)
    wrong = {task: (row, ours.get(task)) for task, row in theirs.items()
             if ours.get(task) != row}
    # the first switch of each CPU has no known time, which perf counts as 0
    allowed = 8 if not said else len(theirs)
    assert theirs and len(wrong) <= allowed, (wrong, said)
    assert set(theirs) <= set(ours)


def test_wakers_are_those_of_the_wakeups(run, perfpair, recording):
    done = run([perfpair, "sched", "timehist", "-i", recording, "-w", "--wakers",
                "--no-call-graph"])
    assert done.returncode in (0, 3), done.stderr
    woken, seen = {}, collections.Counter()
    for line in done.stdout.splitlines():
        if "awakened: " in line:
            by = line.split("]  ", 1)[1].split("  ")[0].replace("<idle>", "")
            woken.setdefault(line.split("awakened: ")[1], by)
        elif (match := LINE.fullmatch(line)):
            by = re.search(r"by: (.*?\])", match[4])
            waker = woken.pop(match[2], None)
            if by and waker:
                seen[by[1] == "[interrupt]" or
                     by[1].split("[")[0] == waker.split("[")[0]] += 1
    assert seen[True] and not seen[False], seen


def told_delays(run, perf, recording):
    """{tid: the delays of its slices}, of what perf script says; and the tasks that
    have others: those woken on their way to sleep, and new ones, which in our
    recordings wait from their FORK record on, not from sched_wakeup_new."""
    text = run([perf, "script", "-i", recording, "-G", "--ns", "-F",
                "time,event,trace"]).stdout
    ready, delays, either = {}, collections.defaultdict(list), {0}
    for line in text.splitlines():
        match = re.match(r" *(\d+)\.(\d+): +sched:(\w+): (.*)", line)
        if not match:
            continue
        time = int(match[1]) * 1_000_000_000 + int(match[2])
        tids = [int(tid) for tid in re.findall(r"\bpid=(\d+)", match[4])]
        if match[3] in ("sched_waking", "sched_wakeup_new"):
            ready.setdefault(tids[0], time)
        elif match[3] == "sched_switch":
            prev, state, tid = re.search(
                r"prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)",
                match[4]).groups()
            if ready.pop(int(prev), None):
                either.add(int(prev))
            if state[0] == "R":
                ready[int(prev)] = time
            if int(tid) not in ready:
                either.add(int(tid))
            elif int(tid):
                delays[int(tid)].append(time - ready.pop(int(tid)))
    return delays, either


def test_delays_are_those_between_wakeups_and_switches(run, perf, perfpair,
                                                       recording):
    done = run([perfpair, "sched", "latency", "-p", "-i", recording])
    assert done.returncode == 0, done.stderr
    if "lost" in done.stderr:
        pytest.skip("this machine lost records")
    rows = {int(match[1]): match.groups()[1:] for match in re.finditer(
        r"^  \S.*?:(\d+) +\| +[\d.]+ ms \| +(\d+) \| avg: *([\d.]+) ms \| "
        r"max: *([\d.]+) ms \| max start", done.stdout, re.M)}
    told, either = told_delays(run, perf, recording)
    either |= set(unsampled_tids(perfpair, recording))
    assert len(set(told) - either) > 3
    assert {tid: row for tid, row in rows.items() if tid not in either} == {
        tid: (str(len(of)), f"{sum(of) / len(of) / 1e6:.3f}",
              f"{max(of) / 1e6:.3f}")
        for tid, of in told.items() if tid not in either}


SAID = re.compile(r"(?:(\S+) => (.*):(\d+))?(.*)")


def wrong_rows(theirs, ours):
    """Rows of map that are not equal but for the name of a task that no record
    names, and when a task is named again: perf does so behind each exec, and not
    at other changes of its name."""
    known = {}   # what a short name stands for
    for line, own in zip(theirs, ours):
        (row, _, said), (own_row, _, own_said) = (
            text.partition(" secs ") for text in (line, own))
        said, own_said = SAID.fullmatch(said), SAID.fullmatch(own_said)
        short, comm, tid, cpu = own_said.groups()
        is_renamed = short in known and known[short][1] == tid
        if short:
            known[short] = comm, tid
        if row != own_row or said[4] != cpu:
            yield line, own
        elif said[1] and known.get(said[1]) not in (
                said.groups()[1:3], (comm if said[2] == f":{tid}" else "", tid)):
            yield line, own
        elif short and not said[1] and not is_renamed:
            yield line, own


@pytest.mark.parametrize("words", [[], ["--compact"]], ids=" ".join)
def test_each_line_of_map_is_perfs(perf, perfpair, recording, words):
    theirs, ours, said = both(perf, perfpair, recording, "map", *words)
    if "lost" in said:
        pytest.skip("this machine lost records")
    wrong = list(wrong_rows(theirs, ours))
    assert len(theirs) == len(ours) and not wrong, (said, wrong[:5])
    assert any("=>" in line for line in theirs)


@pytest.mark.parametrize("words", [["--cpus", "0"], ["--compact", "--cpus", "0"]],
                         ids=" ".join)
def test_map_of_one_cpu_has_perfs_lines_of_its_switches(perf, perfpair, recording,
                                                        words):
    theirs, ours, said = both(perf, perfpair, recording, "map", *words)
    if "lost" in said:
        pytest.skip("this machine lost records")
    theirs, ours = ([line.split("secs")[0] for line in lines if "secs" in line]
                    for lines in (theirs, ours))
    assert theirs == ours != []
