"""Every option that perf's help has is here, or refused with what to use instead."""

import re
import subprocess

import pytest

VERBS = ["record", "report", "script", "diff", "annotate", "evlist",
         "buildid-list", "buildid-cache", "data", "top"]
OPTION = re.compile(r"^    (?:(-\w), )?(?:    )?(--[\w-]+)?", re.M)


def perf_options(perf, verb):
    """The options of perf's "-h", "-i" and "--input"."""
    words = [verb, "convert"] if verb == "data" else [verb]
    done = subprocess.run([perf, *words, "-h"], capture_output=True, text=True)
    found = [word for pair in OPTION.findall(done.stdout + done.stderr)
             for word in pair if word]
    assert "--help" not in found and len(found) > 5
    return found


@pytest.fixture
def refusal(run, perfpair, perfpair_record):
    """refusal(VERB, OPTION): what is printed; nothing is read or recorded."""
    def of(verb, option):
        program = {"record": [perfpair_record],
                   "data": [perfpair, "data", "convert"]}.get(
                       verb, [perfpair, verb])
        # the last word is wrong, whether the option takes a value or not
        return run([*program, option, "--wrong", "--wrong"],
                   stdin=subprocess.DEVNULL)
    return of


@pytest.mark.parametrize("verb", VERBS)
def test_no_option_of_perf_is_unknown(run, perf, perfpair, refusal, verb):
    if verb == "annotate" and \
            "\n  annotate " not in run([perfpair, "help"]).stdout:
        pytest.skip("there is no perfpair annotate")
    bare = {}
    for option in perf_options(perf, verb):
        done = refusal(verb, option)
        assert done.returncode == 2, (option, done.stderr)
        lines = done.stderr.splitlines()
        is_absent = f"perf's option '{option}' is not here" in lines[0]
        if f"option '{option}' is short" in lines[0] or \
                f"unknown option '{option}'" in lines[0] or \
                (is_absent and len(lines) != 2):
            bare[option] = done.stderr
    assert bare == {}


def test_each_option_of_inject_has_an_answer(run, perf, perfpair):
    general = run([perfpair, "inject"]).stderr
    assert general.startswith("perfpair: perf's command 'inject' is not here\n")
    plain = {"-f", "--force", "-i", "--input", "-o", "--output", "-v",
             "--verbose", "-k", "--vmlinux", "--kallsyms", "--ignore-vmlinux"}
    for option in perf_options(perf, "inject"):
        done = run([perfpair, "inject", option])
        assert done.returncode == 2
        assert (done.stderr == general) == (option in plain), option


def test_each_command_of_perf_has_an_answer(run, perf, perfpair):
    done = subprocess.run([perf, "--list-cmds"], capture_output=True, text=True)
    commands = done.stdout.split()
    assert "record" in commands
    if "\n  annotate " not in run([perfpair, "help"]).stdout:
        commands.remove("annotate")
    for name in commands:
        answer = run([perfpair, "help", name]).stderr
        assert "unknown command" not in answer, name
        if "is not here" in answer:
            assert len(answer.splitlines()) == 2


def test_events_have_perfs_names(run, perf, perfpair_record):
    def names(text):
        """Not the texts below metrics."""
        return {line.split("[")[0].strip() for line in text.splitlines()
                if re.match(r"  [^ [].*]$", line)}
    theirs = names("\n".join(
        line.rstrip() for line in run([perf, "list"]).stdout.splitlines()))
    ours = names("\n".join(
        line for line in run([perfpair_record, "--list"]).stdout.splitlines()
        if not line.endswith("[Metric]")))
    assert "cpu-clock" in ours and "context-switches OR cs" in ours
    assert ours == theirs
