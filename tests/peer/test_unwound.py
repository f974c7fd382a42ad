"""Call chains out of stack copies, of programs whose frames are hard to leave:
C++ exceptions, signal handlers, the vdso, PLTs, frames of changing size.  script
shows the chains that perf 6.1 shows, frame by frame; copies too short for a
stack give the same beginnings."""

import re

import pytest

from common import RECORD
from peer_text import same_text
from recordings import record_by_perf

# workload, flags, what has to be in some chain
PROGRAMS = {
    "exceptions": (["thrown", "8000"], ["-O2", "-g", "-fomit-frame-pointer"],
                   r"_Unwind_\w+"),
    "signals": (["signals", "4000"],
                ["-O2", "-g", "-fomit-frame-pointer", "-no-pie"],
                r"__vdso_clock_gettime"),
    "no names": (["signals", "4000"], ["-O2", "-s", "-fomit-frame-pointer"],
                 r"__vdso_clock_gettime"),
}


def without_guesses(text):
    """What ends a signal handler is a system call, behind which the C library
    tells nothing of the stack; perf goes wrong there where the frame pointer is
    that of a frame (docs/differences.md, "Call graphs and unwinding").  Callers of
    that are seen from the byte in front of it, which has no name."""
    return re.sub(r"(^[\t ]+\w+ __restore_rt .*\n)([\t ]+\w.*\n)*", r"\1", text,
                  flags=re.M)


def without_data(theirs, ours):
    """Both texts without the frames from one on that perf takes for code on the
    stack, which cannot run there, and how many chains have one: it goes wrong in
    some samples of the C library's way out of a process."""
    nr, kept = 0, ([], [])
    chains = theirs.split("\n\n"), ours.split("\n\n")
    assert len(chains[0]) == len(chains[1])
    for pair in zip(*chains):
        lines = [chain.split("\n") for chain in pair]
        end = next((i for i, line in enumerate(lines[0])
                    if line.endswith("([stack])")), None)
        nr += end is not None
        for some, chain in zip(kept, lines):
            some.append("\n".join(chain[:end]))
    return "\n\n".join(kept[0]), "\n\n".join(kept[1]), nr


def without_roots(theirs, ours):
    """Theirs without the highest address as the caller of what a signal handler
    interrupted that has a stack of its own: the copy is of that, and nothing of
    the other stack (docs/differences.md, "Call graphs and unwinding").  Of a
    stack that goes on behind its copy it is kept."""
    root = "\n\tffffffffffffffff [unknown] ([unknown])"
    chains = [text.split("\n\n") for text in (theirs, ours)]
    return "\n\n".join(
        chain.removesuffix(root) if chain == own + root else chain
        for chain, own in zip(*chains, strict=True))


def first_answers(theirs, ours):
    """Ours with perf's name where perf 6.1 calls an inlined function by its
    symbol, as it does at the first question about that function
    (docs/differences.md, "Names and source lines"), and how often."""
    lines, wanted, nr = ours.splitlines(), theirs.splitlines(), 0
    for i, (line, want) in enumerate(zip(lines, wanted)):
        if line != want and line.endswith(" (inlined)") and \
                line.split()[:1] == want.split()[:1]:
            lines[i] = want
            nr += 1
    return "\n".join(lines) + "\n", nr


@pytest.mark.parametrize("copy_len", ["1024", "8192", "65528"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_unwound__chains_are_those_of_perf(name, copy_len, workload, may_trace,
                                           perf, perfpair, run, home, tmp_path):
    path = tmp_path / "perf.data"
    (program, nr), flags, mark = PROGRAMS[name]
    done = record_by_perf([perf, *RECORD, "-q", "-F", "500", "-m", "2048", "-e",
                           "cpu-clock", "--call-graph", f"dwarf,{copy_len}",
                           "-o", str(path), "--", str(workload(program, *flags)),
                           nr], None, home["HOME"])
    assert done.returncode == 0, done.stderr
    theirs, ours = (run([reader, "script", "-F", "comm,tid,time,ip,sym,dso",
                         "-i", path], env=home, timeout=300)
                    for reader in (perf, perfpair))
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    expected, text, nr = without_data(without_guesses(theirs.stdout),
                                      without_guesses(ours.stdout))
    assert nr < ours.stdout.count("\n\n") / 20
    expected = without_roots(expected, text)
    text, nr = first_answers(expected, text)
    same_text(expected, text)
    assert nr < text.count("\n") / 50
    assert ours.stdout.count("\n\n") > 20
    told = "stack copies are too short" in ours.stderr
    if copy_len == "1024":
        assert told
    elif copy_len == "65528":
        assert not told
    if copy_len == "8192":
        assert re.search(mark, ours.stdout)
