"""script -F: lists by type, fields that are no fields of their own (flags), and
lines with nothing on them."""

import pytest

from peer_text import same_text
from remembered import plain

DEFAULT = "-comm,-tid,-time,-event,-ip,-sym,-dso,-symoff,-period,-cpu"
FILES = {
    "software": ["-e", "cpu-clock"],
    "tracepoints, and a dummy": ["-a", "-e", "syscalls:sys_enter_getppid",
                                 "-e", "dummy"],
    "both": ["-g", "-e", "syscalls:sys_enter_getppid", "-e", "cpu-clock"],
}
LISTS = [
    ["flags"], ["sw:flags"], ["trace:flags"], ["flags,trace"], ["raw:flags"],
    ["trace:+flags"], ["hw:flags,comm"], ["flags", "comm"], ["comm", "flags"],
    ["comm,flags", "sw:ip"], ["+flags", "hw:-flags"], ["raw:flags", "+comm"],
    ["raw:comm", "raw:-comm"], [DEFAULT], [DEFAULT, "+flags"],
    [DEFAULT + ",-trace"], ["synth:comm"], ["synth:flags"], ["-sym"],
    ["sw:+uregs"], ["+uregs"], ["+uregs", "sw:+uregs"], ["sw:comm,addr"],
    ["trace:addr"], [",comm"], ["comm,,ip,"], ["sw:ip,symoff"],
]


@pytest.fixture
def file(kind, case, recipe_by_perf, frozen):
    """The recording that the case is of."""
    name = case[0]
    return frozen(f"fields/{name}") if kind == "frozen" else recipe_by_perf(
        (name, FILES[name], ("getppid", "20000")))


@pytest.mark.cases([(name, lists) for lists in LISTS for name in FILES])
def test_script_fields(file, case, peer):
    words = ["script", "-i", file]
    for fields in case[1]:
        words += ["-F", fields]
    theirs, ours = peer.answer(plain, *words), peer.ours(*words)
    assert theirs.is_refusal == (ours.returncode != 0), ours.stderr
    theirs.check(plain(ours.stdout))


@pytest.mark.cases([(name,) for name in FILES])
def test_script_fields__cpu_that_a_dummy_does_not_tell(file, case, peer):
    """perf prints it as -1 where the field is not taken away."""
    peer.same("script", "-i", file, "--show-task-events")


def test_script_fields__cpu_where_no_event_has_samples(run, perf, perfpair,
                                                       may_record, home,
                                                       tmp_path):
    """The maps of perf stat's recordings are of CPU 0, as perf shows them."""
    path = tmp_path / "stat.data"
    done = run([perf, "stat", "record", "-o", path, "true"])
    assert done.returncode == 0, done.stderr
    words = ["script", "-i", path, "--show-mmap-events", "--show-task-events"]
    theirs, ours = (run([program, *words], env=home)
                    for program in (perf, perfpair))
    assert " [000] " in theirs.stdout and "PERF_RECORD_MMAP" in theirs.stdout
    same_text(theirs.stdout, ours.stdout)


def test_script_fields__decoded_ones_of_traces_are_an_error(corpus, run,
                                                            perfpair):
    path = corpus / "files" / "jbeich__platform_system_extras" / \
        "simpleperf__testdata__etm__perf_for_small_binary.data"
    done = run([perfpair, "script", "-i", path, "-F", "synth:comm"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "synth" in done.stderr
