"""Settings of ~/.perfconfig do to reports what perf makes of them."""

import os

import pytest

from peer_text import entries

pytestmark = pytest.mark.records

FRAMES = ["-O1", "-g0", "-fno-omit-frame-pointer"]
REPORT = [
    "[report]\nchildren = false",
    "[report]\nchildren = off\n[call-graph]\norder = caller",
    "[report]\nchildren = 0\n[call-graph]\norder = callee",
    "[report]\npercent-limit = 20",
    "[report]\nsort_order = dso,pid",
    "[report]\nsort_order = \"sym,\\\ndso\"  # by function",
    "[call-graph]\norder = callee",
    "[call-graph]\nprint-type = flat",
    "[call-graph]\nprint-type = folded",
    "[call-graph]\nprint-type = fractal",
    "[call-graph]\nprint-limit = 2",
    "[call-graph]\nthreshold = 30",
    "[call-graph]\nthreshold = 30\n[report]\npercent-limit = 1",
    "[report]\npercent-limit = 1\n[call-graph]\nthreshold = 30",
    "[hist]\npercentage = relative",
]


@pytest.fixture
def both(run, perf, perfpair, may_record, workload, tmp_path):
    """both(WORDS..., text): what perf and ours print of g.data, without
    comments and blanks at ends, where ~/.perfconfig is text."""
    done = run([perf, "record", "-q", "-g", "-e", "cpu-clock:u", "-F", "2000",
                "-o", "g.data", workload("spin", *FRAMES), "300"])
    assert done.returncode == 0, done.stderr
    env = {name: value for name, value in os.environ.items()
           if name != "PERF_CONFIG"}
    env.update(HOME=str(tmp_path), LC_ALL="C", PAGER="cat",
               PERF_CONFIG_NOSYSTEM="1")

    def ask(*words, text):
        (tmp_path / ".perfconfig").write_text(text + "\n")
        return [[line.rstrip() for line in entries(run(
            [program, *words], env=env).stdout.replace("[...] (inlined)", "[...]"))
            if line.strip() and not line.startswith("#")]
                for program in (perf, perfpair)]
    return ask


def test_report_follows_settings_as_perf(both):
    words = ["report", "--stdio", "-i", "g.data", "--dso", "spin"]
    (plain, ours), differ = both(*words, text=""), 0
    assert plain == ours and len(plain) > 10
    for text in REPORT:
        theirs, ours = both(*words, text=text)
        assert theirs == ours, text
        differ += theirs != plain
    assert differ >= len(REPORT) - 4  # spin has few callers


def test_config_lists_what_perf_lists(both):
    for text in ["[a]\nb = c d # e\n[a \"f g\"]\nh=1", *REPORT]:
        theirs, ours = both("config", "-l", text=text)
        assert theirs == ours and ours


def test_annotate_follows_settings_as_perf(both):
    words = ["annotate", "--stdio", "-i", "g.data", "leaf_hash"]
    plain = both(*words, text="")[1]
    for name in "show_total_period", "show_nr_samples":
        theirs, ours = both(*words, text=f"[annotate]\n{name} = true")
        numbers = [[line.split(":")[0].strip() for line in lines if " : " in line]
                   for lines in (theirs, ours)]
        assert ours != plain
        assert set(numbers[1]) - {""} <= set(numbers[0])
