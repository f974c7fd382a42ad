"""Scripts of perf are not run here, and the refusal says which command of perf
runs them on our recording: it does."""

import re

import pytest

COUNTER = """
def process_event(event):
    counts[event["ev_name"]] = counts.get(event["ev_name"], 0) + 1

def trace_end():
    for name, nr in sorted(counts.items()):
        print("counted", name, nr)

counts = {}
"""


@pytest.fixture
def recording(run, perfpair_record, may_record, tmp_path):
    done = run([perfpair_record, "-q", "-g", "-e", "cpu-clock", "-o", "t.data",
                "--", "find", "/usr/share/doc", "-name", "x*"])
    assert done.returncode == 0
    (tmp_path / "counter.py").write_text(COUNTER)


def advised(run, perfpair, *words):
    """The command line that the refusal names."""
    done = run([perfpair, "script", *words])
    assert (done.returncode, done.stdout) == (2, "")
    return re.search("'perf (script .*)' (?:does|records)", done.stderr)[1]


def test_the_named_command_runs_a_script(run, perf, perfpair, recording):
    command = advised(run, perfpair, "counter.py", "-i", "t.data")
    assert command == "script -s counter.py -i t.data"
    done = run([perf, *command.split()])
    if "counted" not in done.stdout:
        pytest.skip("this perf runs no Python: " + done.stderr[:100])
    samples = run([perfpair, "script", "-G", "-F", "tid", "-i", "t.data"])
    nr = len(samples.stdout.splitlines())
    assert nr > 10
    assert f"counted cpu-clock {nr}\n" in done.stdout


def test_the_named_command_runs_a_report(run, perf, perfpair, recording):
    name = "event_analyzing_sample"
    if name not in run([perf, "script", "-l"]).stdout:
        pytest.skip("perf's scripts are not installed")
    command = advised(run, perfpair, "report", name, "-i", "t.data")
    assert command == f"script report {name} -i t.data"
    done = run([perf, *command.split()])
    assert "There is" in done.stdout


@pytest.mark.parametrize("words, command", [
    (["report", "rwtop"], "script report rwtop -i perf.data"),
    (["report"], "script report NAME -i perf.data"),
    (["-i", "a.data", "report", "rwtop", "3"],
     "script report rwtop -i a.data"),
    (["record", "rwtop"], "script record rwtop"),
    (["mine.py"], "script -s mine.py -i perf.data"),
])
def test_what_the_refusal_names(run, perfpair, words, command):
    assert advised(run, perfpair, *words) == command


@pytest.mark.parametrize("option", [["-s", "mine.py"], ["-g", "python"],
                                    ["--dlfilter", "mine.so"]])
def test_options_of_scripts(run, perfpair, option):
    done = run([perfpair, "script", *option])
    assert done.returncode == 2
    assert re.search(r"'perf script .* -i FILE'.* on the same file",
                     done.stderr)
