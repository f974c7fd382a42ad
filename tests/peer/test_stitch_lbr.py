"""--stitch-lbr: call chains out of branch registers, continued by those of the
sample before.  Programs that were never run call and return at random, on a CPU
with few registers; the text is that of perf 6.1."""

import random
import sys

import pytest

from common import ROOT
from peer_text import entries
from remembered import plain

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import make  # noqa: E402
from perf_data import Encoder  # noqa: E402

IP, TID, TIME, CHAIN, PERIOD, BRANCHES = (1 << bit for bit in
                                          (0, 1, 2, 5, 8, 11))
USER, CALL_STACK, NO_FLAGS, HW_INDEX = 1, 1 << 11, 1 << 14, 1 << 17
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
CPU_PMU_CAPS = 28
REGISTER_NR = 8
E = Encoder(False)


class Task:
    """Its calls, and what the registers have of them."""

    def __init__(self, draw, tid):
        self.draw, self.tid = draw, tid
        self.calls, self.registers = [], []
        self.top = draw.randrange(REGISTER_NR)

    def step(self):
        """Deeper more often than not, so that registers are lost."""
        if self.calls and self.draw.random() < 0.4:
            self.calls.pop()
            if self.registers:
                self.registers.pop()
                self.top = (self.top - 1) % REGISTER_NR
            return
        place = 0x400000 + self.draw.randrange(6) * 0x1000
        call = (place + 16 + len(self.calls), place + 0x1000,
                self.draw.choice([0, 0, 0, 1]))
        self.calls.append(call)
        self.registers = [*self.registers, call][-REGISTER_NR:]
        self.top = (self.top + 1) % REGISTER_NR

    def stack(self):
        """Latest first, and the latest one's register.  Now and then they are
        not what they were, as after longjmp."""
        branches, top = self.registers[::-1], self.top
        if self.draw.random() < 0.05:
            branches[-1] = (0x500000, *branches[-1][1:])
        if self.draw.random() < 0.05:
            top = self.draw.choice([2**64 - 1, 0, REGISTER_NR - 1])
        return branches, top


def sample(task, time, kernel):
    branches, top = task.stack()
    ip = branches[0][1] + 4
    chain = [CONTEXT_KERNEL, 0xffffffff81000010] if kernel else []
    chain += [CONTEXT_USER, ip]
    body = E.words(ip) + E.pack("II", task.tid, task.tid)
    body += E.words(time, 1000, len(chain), *chain, len(branches), top)
    for branch in branches:
        body += E.words(*branch)
    return E.record(9, 2, body)


def pairs(*texts):
    return E.pack("I", len(texts) // 2) + b"".join(
        E.pack("I", 64) + text.encode().ljust(64, b"\0") for text in texts)


def recording(path, seed, kernel=False, caps=("branches", str(REGISTER_NR))):
    """A hundred tasks that take turns, some dozen samples each."""
    draw, time, data = random.Random(seed), 1000, b""
    tasks = [Task(draw, 100 + i) for i in range(100)]
    for _ in range(1500):
        task = draw.choice(tasks)
        for _ in range(draw.choice([0, 1, 3, 7, 12])):
            task.step()
        # perf 6.1 shows what stands behind a stack without branches
        if task.registers:
            time += draw.randrange(1000)
            data += sample(task, time, kernel and draw.random() < 0.3)
    attr = make.attr_of(sample_type=IP | TID | TIME | CHAIN | PERIOD | BRANCHES,
                        branch_sample_type=USER | CALL_STACK | NO_FLAGS
                        | HW_INDEX)
    features = {CPU_PMU_CAPS: pairs(*caps)} if caps else {}
    path.write_bytes(E.plain_file([(attr, [7])], data, features))
    return path


SCRIPT = ["script", "-F", "tid,time,ip"]


def as_report(text):
    return "\n".join(entries(text))


@pytest.fixture
def shown(remembered):
    """What both readers print, one text."""
    def of(path, words, form=plain):
        return remembered.same(*words, "-i", path, form=form)
    return of


@pytest.mark.parametrize("seed", range(4))
def test_script(seed, shown, tmp_path):
    path = recording(tmp_path / "lbr.data", seed)
    stitched = shown(path, [*SCRIPT, "--stitch-lbr"])
    plain = shown(path, SCRIPT)
    assert stitched.count("\n") > plain.count("\n") + 1000


def test_script__of_a_part_of_the_time(shown, tmp_path):
    """What is not shown is not before anything that is."""
    path = recording(tmp_path / "lbr.data", 5)
    words = [*SCRIPT, "--stitch-lbr", "--time", "0.0003,"]
    assert shown(path, words).count("\n") > 1000


@pytest.mark.parametrize("caps", [None, ("branches", "0"),
                                  ("max_precise", "3", "branches", "16")],
                         ids=str)
def test_script__by_the_number_of_registers(caps, shown, tmp_path):
    path = recording(tmp_path / "lbr.data", 6, caps=caps)
    shown(path, [*SCRIPT, "--stitch-lbr"])


def test_script__with_kernel_frames(shown, tmp_path):
    path = recording(tmp_path / "lbr.data", 7, kernel=True)
    shown(path, [*SCRIPT, "--stitch-lbr"])


@pytest.mark.parametrize("more", [
    ["-g", "caller,0"], ["--no-children", "-g", "caller,0"],
    ["--no-children", "-g", "callee,0"], ["-G", "--max-stack", "4"],
    ["-g", "callee,0", "--max-stack", "4"]], ids=" ".join)
def test_report(more, shown, tmp_path):
    path = recording(tmp_path / "lbr.data", 8)
    words = ["report", "--stdio", "-s", "sym", *more]
    stitched = shown(path, [*words, "--stitch-lbr"], as_report)
    assert stitched != shown(path, words, as_report)


def test_report__by_threads(run, perfpair, tmp_path):
    path = recording(tmp_path / "lbr.data", 9)
    texts = {run([perfpair, "report", "-g", "caller,0", "--stitch-lbr", "-i",
                  path, "--jobs", str(jobs)]).stdout for jobs in (1, 2, 4)}
    assert len(texts) == 1


@pytest.mark.parametrize("nr", ["1", "4"])
def test_script__max_stack(nr, shown, tmp_path):
    """It holds for what is in front of the branches alone, as in perf."""
    path = recording(tmp_path / "lbr.data", 10, kernel=True)
    shown(path, [*SCRIPT, "--stitch-lbr", "--max-stack", nr])


MORE_NR = 6


def deep(path, step_nr):
    """One task that calls and calls; each sample has six calls more."""
    data = b""
    for i in range(step_nr):
        top = REGISTER_NR + i * MORE_NR
        calls = range(top, top - REGISTER_NR, -1)
        data += E.record(9, 2, E.words(0x401000) + E.pack("II", 5, 5)
                         + E.words(1000 + i, 1000, 2, CONTEXT_USER, 0x401000)
                         + E.words(REGISTER_NR, top % REGISTER_NR)
                         + b"".join(E.words(0x400000 + call, 0x401000, 0)
                                    for call in calls))
    attr = make.attr_of(sample_type=IP | TID | TIME | CHAIN | PERIOD | BRANCHES,
                        branch_sample_type=USER | CALL_STACK | NO_FLAGS
                        | HW_INDEX)
    path.write_bytes(E.plain_file(
        [(attr, [7])], data, {CPU_PMU_CAPS: pairs("branches",
                                                  str(REGISTER_NR))}))
    return path


LONGEST = ["report", "--stdio", "--no-children", "-g", "folded,callee,0", "-s",
           "comm", "--stitch-lbr"]


def longest(text):
    return max(line.count(";") for line in text.splitlines())


def test_report__of_chains_as_long_as_others(shown, tmp_path):
    """The last sample has lost 126 calls: all are there unasked."""
    path = deep(tmp_path / "lbr.data", 22)
    assert longest(shown(path, LONGEST, as_report)) == 126 + REGISTER_NR


def test_report__of_longer_chains_than_others(shown, run, perfpair, tmp_path):
    """perf 6.1 shows all of them; we do where --max-stack asks for it."""
    path = deep(tmp_path / "lbr.data", 60)
    text = run([perfpair, *LONGEST, "-i", path]).stdout
    assert longest(text) == 127 + REGISTER_NR
    text = shown(path, [*LONGEST, "--max-stack", "1000"], as_report)
    assert longest(text) == 59 * MORE_NR + REGISTER_NR
