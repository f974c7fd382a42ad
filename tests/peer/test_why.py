"""perfpair why: its sentences against programs that plant the cause, its numbers
against the commands that it names, and what it promises against the change made."""

import os
import re
import shlex
import subprocess

import pytest

TRIES = 4  # on a busy machine the second run may meet others than the first
TOLERANCE = 0.15  # of the elapsed time

# what is said of each cause, of its sentence on what would shorten the time, and the
# percent of the planted part that the change leaves
CAUSES = {
    "cpu": (r"1\. It was on a CPU .* in hot_code",
            r"hot_code, which has .* twice as fast", 50),
    "lock": (r"2\. It was blocked .* in hold_lock \(\w+\) of holder, (mostly )?"
             r"(asleep until a timer|until somebody who is not known woke it)",
             r"hold_lock of holder, which has .* twice as fast", 50),
    "pipe": (r"2\. It was blocked .* in read_byte \(.*\), (mostly )?until feeder woke it, "
             r"which (slept|waited for what is not known) in feed_slowly",
             r"feed_slowly of feeder, which has .* twice as fast", 50),
    "starved": (r"3\. It could run, but had no CPU, .* behind rival",
                "a CPU at once when it can run", 99),
}


@pytest.fixture(scope="module")
def causes(workload):
    return workload("why_causes", "-O1", "-fno-omit-frame-pointer", "-pthread")


@pytest.fixture
def record(run, perfpair_record, may_trace, causes):
    """record(CAUSE): makes t.data; the planted process."""
    return lambda cause: run(
        [perfpair_record, "-q", "--off-cpu", "-a", "-m", "4M", "-F", "999", "-g",
         "--leaf-callers", "-o", "t.data", "--", causes, cause, "100"],
        check=True).stdout.split()[0]


def sentences(text):
    """[(sentence, command or "")] with the title first."""
    found = []
    for part in re.split(r"\n\n", text.strip()):
        lines = part.splitlines()
        command = next((line for line in lines if line.startswith("     perfpair ")), "")
        said = " ".join(line.strip() for line in lines if line != command)
        found.append((said, command.strip()))
    return found


def printed(run, perfpair, command):
    words = shlex.split(command)
    assert words[0] == "perfpair"
    return run([perfpair, *words[1:]], check=True).stdout


def check_numbers(run, perfpair, told):
    """Each share is in what its command prints, or the title's, or is the sum of the
    parts behind it."""
    states = printed(run, perfpair, told[0][1])
    elapsed, = re.findall(r"Event count \(approx.\): (\d+)", states)
    assert f": {int(elapsed) / 1e9:.2f} s." in told[0][0]
    for said, command in told[1:]:
        own = printed(run, perfpair, command) if command else ""
        rows = set(re.findall(r"\d+\.\d\d%", states + own))
        for share in re.findall(r"\d+\.\d\d%", said):
            summed = re.search(re.escape(share) + r" of the time \((.*?%)\)", said)
            parts = re.findall(r"(\d+\.\d\d)%", summed[1]) if summed else []
            assert share in rows or share == "0.00%" or sum(map(float, parts)) == \
                pytest.approx(float(share[:-1]), abs=0.03), (share, said, command)


@pytest.mark.parametrize("cause", CAUSES)
def test_why__names_the_cause_and_what_the_change_gives(cause, record, run, perfpair,
                                                        causes):
    named, advice, left = CAUSES[cause]
    for tried in range(TRIES):
        pid = record(cause)
        done = run([perfpair, "why", "-p", pid, "t.data"], check=True)
        assert max(len(line) for line in done.stdout.splitlines()
                   if not line.startswith("     perfpair")) <= 80
        told = sentences(done.stdout)
        assert [said[:2] for said, _ in told[1:]] == ["1.", "2.", "3.", "4.", "5."]
        changed_ns = int(run([causes, cause, str(left)], check=True).stdout.split()[1])
        whole, saved = map(float, re.search(
            r"the (\d+\.\d+) s would be (\d+\.\d+) s shorter", told[4][0]).groups())
        if re.search(named, " ".join(said for said, _ in told)) and \
                re.search(advice, told[4][0]) and \
                abs(whole - saved - changed_ns / 1e9) < TOLERANCE * whole:
            break
    assert re.search(named, " ".join(said for said, _ in told)), done.stdout
    assert re.search(advice, told[4][0]), done.stdout
    assert whole - saved == pytest.approx(changed_ns / 1e9, abs=TOLERANCE * whole)
    check_numbers(run, perfpair, told)


def test_why__records_a_process(run, perfpair, perfpair_record, may_trace, causes):
    folder = os.path.dirname(perfpair_record)
    env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
    with subprocess.Popen([causes, "lock", "100"], stdout=subprocess.DEVNULL) as planted:
        done = run([perfpair, "why", "-p", str(planted.pid), "-d", "300ms", "-o", "w.data"],
                   check=True, env=env)
        planted.kill()
    told = sentences(done.stdout)
    assert told[0][0].startswith(f"why_causes, process {planted.pid}: 0.")
    again = told[-1][0].split("look again: ")[1]
    assert again == f"perfpair why -p {planted.pid} w.data"
    assert printed(run, perfpair, again).strip() == \
        done.stdout.strip().split("\n\nThe recording")[0]


def test_why__idle(record, run, perfpair):
    """A server that nobody asks."""
    done = run([perfpair, "why", "-p", record("idle"), "t.data"], check=True)
    assert re.search(r"Nothing of its own would shorten it: for \d\d\.\d\d% of the time "
                     "it waited in serve to be asked for something",
                     sentences(done.stdout)[4][0])


def test_why__chooses_a_process(record, run, perfpair):
    record("idle")
    done = run([perfpair, "why", "t.data"], check=True)
    chosen = re.search(r"-p chooses one, (\d+) had", done.stderr)[1]
    assert f", process {chosen}: " in done.stdout
    done = run([perfpair, "why", "-p", "4194304", "t.data"])
    assert done.returncode == 0
    assert done.stdout == "The chosen tasks did not run while this was recorded.\n"


def test_why__without_wakers(run, perfpair, perf, may_trace):
    run([perf, "record", "-q", "-e", "sched:sched_switch", "-a", "-g", "-o", "t.data",
         "sleep", "0.1"], check=True)
    done = run([perfpair, "why", "--comms", "sleep", "t.data"], check=True)
    said = " ".join(done.stdout.split())
    assert "until somebody who is not known woke it" in said
    assert "since no wakeups were recorded" in said


def test_why__without_switches(run, perfpair, perfpair_record, may_record):
    run([perfpair_record, "-q", "-o", "t.data", "true"], check=True)
    done = run([perfpair, "why", "t.data"])
    assert done.returncode == 1
    assert "context switches" in done.stderr


def test_why__no_such_process(run, perfpair):
    done = run([perfpair, "why", "-p", "4194305"])
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no process 4194305" in done.stderr
