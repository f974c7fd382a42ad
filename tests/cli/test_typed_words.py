"""What a user types: wrong words are refused with the right ones, and nothing that
is read is overwritten."""

import os
import re
import subprocess
import time

import pytest

from common import ROOT
from made_file import File


@pytest.fixture
def made(tmp_path):
    path = tmp_path / "x.data"
    path.write_bytes(File().some().bytes())
    return path


@pytest.fixture
def refused(run, perfpair):
    """refused(WORD...): the two lines that perfpair refuses these words with."""
    def of(*words):
        done = run([perfpair, *map(str, words)])
        assert (done.returncode, done.stdout) == (2, "")
        lines = [line.removeprefix("perfpair: ")
                 for line in done.stderr.splitlines()]
        assert len(lines) == 2, done.stderr
        return lines
    return of


@pytest.fixture
def refused_one(run, perfpair, perfpair_record, made):
    """The same of a line, beside a perf.data and an x.data."""
    made.with_name("perf.data").write_bytes(made.read_bytes())
    path = f"{os.path.dirname(perfpair_record)}:{os.environ['PATH']}"

    def of(*words):
        done = run([perfpair, *map(str, words)], cwd=made.parent,
                   stdin=subprocess.DEVNULL, env=dict(os.environ, PATH=path))
        assert (done.returncode, done.stdout) == (2, "")
        line, = done.stderr.splitlines()
        return line.removeprefix("perfpair: ")
    return of


@pytest.mark.parametrize("words, text, hint", [
    (["repotr"], "unknown command 'repotr'", "nearest: report, repair"),
    (["reprot", "-i", "x"], "unknown command 'reprot'", "nearest: report"),
    (["help", "evlits"], "unknown command 'evlits'", "nearest: evlist"),
    (["frobnicate"], "unknown command 'frobnicate'",
     "'perfpair help' lists the commands"),
    (["inject", "-j", "-i", "a"], "perf's command 'inject' is not here",
     "'perfpair report' reads jitdump files itself, and what perfpair-record "
     "carries of them"),
    (["inject", "--itrace=i100us"], "perf's command 'inject' is not here",
     "traces (Intel PT, CoreSight ...) are not decoded: use perf inject "
     "--itrace"),
    (["report", "--sotr", "comm"], "unknown option '--sotr'",
     "nearest: --sort; 'perfpair report --help' lists the options"),
    (["script", "--feilds=ip"], "unknown option '--feilds=ip'",
     "nearest: --fields; 'perfpair script --help' lists the options"),
    (["report", "--sh"], "option '--sh' is short for several",
     "--show-total-period, --show-on-off-events, --show-nr-samples, "
     "--show-cpu-utilization, --showcpuutilization, --show-info"),
    (["script", "-F", "comm,symb"], "--fields: there is no field 'symb'",
     "nearest: sym"),
    (["script", "-F", "qqqqqq"], "--fields: there is no field 'qqqqqq'",
     "'perfpair script --help' lists the fields"),
    (["script", "-F", "swx:comm"], "--fields: no event type is named 'swx'",
     "types are hw, sw, trace, raw, break and synth"),
    (["script", "report", "sctop", "-i", "own.data"],
     "'report' is no option; scripts of perf are not run here",
     "'perf script report sctop -i own.data' does"),
])
def test_a_wrong_word_gets_the_right_one(refused, words, text, hint):
    assert refused(*words) == [text, hint]


@pytest.mark.parametrize("key, hint", [
    ("commm", "nearest: comm"),
    ("symobl", "nearest: symbol"),
    ("dsos", "nearest: dso"),
    ("qqqqqq", "'perfpair report --help' lists all keys"),
])
@pytest.mark.parametrize("option, what", [("-s", "--sort key"),
                                          ("-F", "--fields key")])
def test_a_wrong_key_gets_the_nearest(run, perfpair, made, option, what, key,
                                      hint):
    done = run([perfpair, "report", "-i", made, option, key])
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first.endswith(f"Unknown {what}: `{key}'")
    assert second.startswith(f"perfpair: {hint}")


def test_a_wrong_event_gets_the_nearest(run, perfpair, made):
    done = run([perfpair, "report", "-i", made, "--switch-on", "cpu-clok:HG"])
    assert done.returncode == 1
    assert done.stderr == (
        f"perfpair: {made}: --switch-on: there is no event 'cpu-clok:HG' in the "
        "file\nperfpair: nearest: cpu-clock:HG\n")


@pytest.mark.parametrize("command, name, hint", [
    ("report", "svg", "perfpair view shows a flame graph; --format folded is read by "
                      "flamegraph.pl"),
    ("export", "perfetto", "perfpair export --format trace"),
    ("export", "pporf", "nearest: pprof"),
    ("report", "jsno", "nearest: json"),
])
def test_a_wrong_format_gets_the_right_one(refused, command, name, hint):
    first, second = refused(command, "--format", name)
    assert first.startswith(f"option --format: '{name}' is none of ")
    assert second == hint


def names_of_perf():
    """{command: names} of the newest perf that was looked at."""
    text = (ROOT / "tests/cli/perf_options.txt").read_text()
    lines = text.replace("\n    ", " ").splitlines()[1:]
    return {command: names.split() for command, _, names in
            (line.partition(":") for line in lines)}


@pytest.mark.parametrize("command", [name for name in names_of_perf()
                                     if not name.endswith(" -s")])
def test_options_of_the_newest_perf_are_there_or_have_advice(
        run, perfpair, perfpair_record, command):
    path = f"{os.path.dirname(perfpair_record)}:{os.environ['PATH']}"
    env = dict(os.environ, PATH=path)
    for name in names_of_perf()[command]:
        # parsing ends at the second one
        done = run([perfpair, *command.split(), f"--{name}=1", "--no-such-thing"],
                   env=env, stdin=subprocess.DEVNULL)
        assert done.returncode in (2, 255), done.stderr
        assert f"unknown option '--{name}=1'" not in done.stderr
        assert f"'--{name}=1' is short for several" not in done.stderr


def test_sort_keys_of_the_newest_perf_are_there_or_have_advice(run, perfpair,
                                                               made):
    for key in names_of_perf()["report -s"]:
        done = run([perfpair, "report", "-i", made, "-s", key])
        assert "Unknown --sort key" not in done.stderr
        assert "is not here" not in done.stderr or "instead: " in done.stderr


def test_help_of_a_command_is_its_option(run, perfpair, perfpair_record):
    path = f"{os.path.dirname(perfpair_record)}:{os.environ['PATH']}"
    env = dict(os.environ, PATH=path)
    for verb in ("report", "record", "diff", "check"):
        done = run([perfpair, "help", verb], env=env)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == run([perfpair, verb, "--help"], env=env).stdout
        assert len(done.stdout) > 500
    assert run([perfpair, "help", "help"]).stdout == run([perfpair,
                                                          "help"]).stdout


def test_help_lists_all_sort_keys(run, perfpair, made):
    text = run([perfpair, "report", "--help"]).stdout
    keys = text[text.index("Sort keys and columns:"):]
    rows = [line.split(None, 1) for line in keys.splitlines()
            if line.startswith("  ")]
    assert [row for row in rows if len(row) < 2 or row[1] == "(null)"] == []
    listed = [key for key, _ in rows]
    assert len(listed) == len(set(listed)) > 55
    for key in ("comm", "dso", "symbol", "symbol_from", "dcacheline", "sample"):
        assert key in listed
    for key in listed:
        done = run([perfpair, "report", "-i", made, "-F", key])
        assert "Unknown" not in done.stderr, key
    assert max(map(len, text.splitlines())) <= 80


def test_help_lists_all_formats(run, perfpair, made):
    for verb in "report", "export":
        text = run([perfpair, verb, "--help"]).stdout
        list_of = text[text.index("Formats (--format):\n"):].split("\n\n")[0]
        listed = re.findall(r"^  (\S+)  ", list_of, re.M)
        assert ("text" in listed) == (verb == "report") and len(listed) > 10
        done = run([perfpair, verb, "-i", made, "--format", "nope"])
        names = done.stderr.splitlines()[0].split(" is none of ")[1]
        assert names.split(", ") == listed


@pytest.mark.parametrize("link", [None, "symlink", "link"])
@pytest.mark.parametrize("words", [
    ["data", "convert", "-f", "-i", "IN", "--to-json", "OUT"],
    ["data", "convert", "-f", "-i", "OTHER", "--carried", "IN", "--to-json",
     "OUT"],
    ["report", "-i", "IN", "-o", "OUT"],
    ["report", "-i", "OTHER", "--carried", "IN", "-o", "OUT"],
    ["report", "--format", "html", "-i", "IN", "-o", "OUT"],
    ["export", "--format", "folded", "-i", "IN", "-o", "OUT"],
    ["view", "-i", "IN", "-o", "OUT"],
    ["view", "OTHER", "IN", "-o", "OUT"],
    ["diff", "OTHER", "IN", "--output", "OUT"],
    ["diff", "OTHER", "IN", "-o", "OUT"],
    ["diff", "OTHER", "OTHER", "--kallsyms", "IN", "--output", "OUT"],
    ["repair", "-f", "OTHER", "--carried", "IN", "-o", "OUT"],
    ["unwind", "-f", "IN", "-o", "OUT"],
    ["unwind", "-f", "OTHER", "--carried", "IN", "-o", "OUT"],
    ["carry", "-f", "IN", "-o", "OUT"],
    ["carry", "-f", "OTHER", "--kallsyms", "IN", "-o", "OUT"],
    ["scrub", "-f", "IN", "-o", "OUT"],
], ids=" ".join)
def test_what_is_read_is_never_overwritten(run, perfpair, made, words, link):
    out = made
    other = made.parent / "other.data"
    other.write_bytes(made.read_bytes())
    if link:
        out = made.parent / "link.data"
        (out.symlink_to if link == "symlink" else out.hardlink_to)(made)
    before = made.read_bytes()
    names = {"IN": made, "OUT": out, "OTHER": other}
    done = run([perfpair, *(str(names.get(word, word)) for word in words)])
    assert done.returncode in (1, 2)
    assert ("which is never overwritten" in done.stderr or
            (link == "symlink" and
             f"{out}: is a link, which is not replaced" in done.stderr))
    assert made.read_bytes() == before and out.read_bytes() == before
    assert sorted(os.listdir(made.parent)) == sorted(
        {"x.data", "other.data", out.name})


def test_a_dump_of_events_leaves_the_recording(run, perfpair, made):
    link = made.parent / "x.data.cpu-clock:HG.dump"
    link.hardlink_to(made)
    done = run([perfpair, "script", "-i", made, "--per-event-dump"])
    assert "which is never overwritten" in done.stderr
    assert link.samefile(made)


def test_the_recorder_tells_its_version(run, perfpair, perfpair_record):
    done = run([perfpair_record, "--version"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == \
        "perfpair-record " + run([perfpair, "version"]).stdout.split(" ", 1)[1]


@pytest.mark.parametrize("words", [["--list", "clock"], ["--list=*-clock"]])
def test_the_recorder_lists_events(run, perfpair_record, words):
    done = run([perfpair_record, *words])
    assert done.returncode == 0
    software = [line.split()[0] for line in done.stdout.splitlines()
                if line.endswith("[Software event]")]
    assert software == ["cpu-clock", "task-clock"]
    kinds = {line[line.rindex("["):] for line in
             run([perfpair_record, "--list", "sw"]).stdout.splitlines()}
    assert kinds == {"[Software event]", "[Tool event]"}
    done = run([perfpair_record, "--list", "nosuch"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "no event of this machine fits 'nosuch'" in done.stderr


@pytest.mark.parametrize("words, text, hint", [
    (["--frq", "99"], "unknown option '--frq'",
     "nearest: --freq; 'perfpair-record --help' lists the options"),
    (["-e", "cpu-clok"], "unknown event 'cpu-clok'", "nearest: cpu-clock"),
    (["-e", "qqqqqqqq"], "unknown event 'qqqqqqqq'",
     "'perfpair-record --list' lists all names"),
    (["--duration", "soon"], "--duration: 'soon' is not a duration",
     "give a number with ns, us, ms, s, m or h behind it: 500ms"),
    (["--aio"], "perf's option '--aio' is not here",
     "threads of their own drain and write: --threads=N"),
])
def test_the_recorder_refuses_with_the_right_word(run, perfpair_record, words,
                                                  text, hint):
    done = run([perfpair_record, *words])
    assert done.returncode == 2
    assert done.stderr == (f"perfpair-record: {text}\n"
                           f"perfpair-record: {hint}\n")


@pytest.mark.parametrize("words, name, hint", [
    (["nosuchcmd", "x"], "nosuchcmd",
     "nothing was recorded; check its name and path"),
    (["-g", "dwarf", "ls"], "dwarf", "-g takes no value: --call-graph dwarf"),
    (["5s"], "5s", "--duration 5s records so long"),
    (["1234"], "1234", "-p 1234 records a process, --duration 1234s so long"),
])
def test_a_command_that_is_none_is_named(run, perfpair_record, may_record,
                                         tmp_path, words, name, hint):
    done = run([perfpair_record, "-q", "-e", "cpu-clock:u", "-o",
                tmp_path / "x.data", *words])
    assert done.returncode == 255
    assert done.stderr == (
        f"perfpair-record: cannot run '{name}': No such file or directory\n"
        f"perfpair-record: {hint}\n")
    assert os.listdir(tmp_path) == []


def test_a_duration_may_have_a_fraction(run, perfpair_record, may_record,
                                        tmp_path):
    start = time.monotonic()
    done = run([perfpair_record, "-q", "-e", "cpu-clock:u", "--duration", "0.3s",
                "-o", tmp_path / "x.data", "sleep", "1000"])
    assert done.returncode == 0
    assert time.monotonic() - start > 0.3


def warned(done):
    """What perfpair says on stderr, without the path of the file."""
    assert done.returncode == 0, done.stderr
    return [re.sub(r"^perfpair: (\S+x\.data(: )?)?", "", line).strip()
            for line in done.stderr.splitlines()]


@pytest.mark.parametrize("words, lines", [
    (["--comms", "workr"], ["--comms: no thread is named 'workr'",
                            "nearest: worker"]),
    (["-c", "qqqqqqq"], ["--comms: no thread is named 'qqqqqqq'"]),
    (["-d", "nosuch"], ["--dsos: no sample is in a file 'nosuch'"]),
    (["-S", "nosuch"], ["--symbols: no sample is in a function 'nosuch'"]),
    (["--tid", "77"], ["--tid: no thread has the number '77'"]),
    (["--pid", "77"], ["--pid: no process has the number '77'"]),
    (["-c", "worker", "-d", "nosuch"],
     ["--dsos: no sample is in a file 'nosuch'"]),
    (["-C", "3"], ["no sample passes --cpu 3"]),
    (["--time", "7,8"], ["no sample passes --time 7,8",
                         "its 4 samples are from second 0.000000 to 0.000000"]),
    (["--symbol-filter", "zzz"],
     ["--symbol-filter: no row's function has 'zzz' in its name"]),
    (["--comms", "worker"], []),
    (["--tid", "6"], []),
    ([], []),
])
def test_report_says_that_nothing_matched(run, perfpair, made, words, lines):
    assert warned(run([perfpair, "report", "-i", made, *words])) == lines


@pytest.mark.parametrize("words, lines", [
    (["-c", "workr"], ["no sample passes --comms workr"]),
    (["--tid", "7", "-C", "1"], ["no sample passes --cpu 1 --tid 7"]),
    (["--time", "7,8"], ["no sample passes --time 7,8",
                         "its 4 samples are from second 0.000000 to 0.000000"]),
    (["-c", "worker"], []),
    (["-c", "nosuch", "--show-task-events"], []),
])
def test_script_says_that_nothing_matched(run, perfpair, made, words, lines):
    assert warned(run([perfpair, "script", "-i", made, *words])) == lines


@pytest.mark.parametrize("words, lines", [
    (["-d", "nosuch"], ["--dsos: no sample is in a file 'nosuch'"]),
    (["-d", "nosuch", "--format", "csv"],
     ["--dsos: no sample is in a file 'nosuch'"]),
    (["--comms", "workr"], ["--comms: no thread is named 'workr'",
                            "nearest: worker"]),
    (["--pid", "77"], ["--pid: no process has the number '77'"]),
    (["-S", "nosuch"],
     ["--symbols: no sample is in a function 'nosuch'"]),
    (["--comms", "worker"], []),
    ([], []),
])
def test_diff_says_that_nothing_matched(run, perfpair, made, tmp_path, words,
                                        lines):
    other = tmp_path / "zx.data"
    other.write_bytes(made.read_bytes())
    done = run([perfpair, "diff", *words, made, other])
    assert done.returncode == 0
    assert warned(done) == 2 * lines


@pytest.mark.parametrize("command", [["report"], ["script"]])
@pytest.mark.parametrize("words, patterns", [
    (["-F", "1", "-e", "cpu-clock", "true"],
     [r"has no samples: cpu-clock did not occur in the 0\.\d+ s that it covers",
      "the command ended at once: record a longer run, or with a higher -F"]),
    (["-e", "major-faults:u", "-c", "1000000", "sleep", "0.05"],
     [r"has no samples: major-faults:u did not occur in the 0\.0[4-9]\d+ s that "
      "it covers",
      r"only user space was recorded \(:u\): as root, or with "
      "perf_event_paranoid at 1, the kernel is, too"]),
    (["-e", "major-faults,alignment-faults", "-c", "1000000", "sleep", "0.05"],
     [r"has no samples: none of its 2 events occurred in the 0\.\d+ s that it "
      "covers"]),
    (["-n", "sleep", "0.01"],
     [r"has no samples: its events were only counted \(record -n\)"]),
])
def test_no_samples_have_a_reason(run, perfpair, perfpair_record, may_record,
                                  tmp_path, command, words, patterns):
    path = tmp_path / "x.data"
    done = run([perfpair_record, "-q", "-o", path, *words])
    assert done.returncode == 0
    lines = warned(run([perfpair, *command, "-i", path]))
    assert len(lines) == len(patterns)
    for line, pattern in zip(lines, patterns):
        assert re.fullmatch(pattern, line)


@pytest.mark.parametrize("words, reason", [
    (["-F", "1", "-e", "cpu-clock", "true"],
     r"cpu-clock did not occur in 0\.0\d+ s: the command ended at once: record a "
     "longer run, or with a higher -F"),
    (["-F", "1", "-e", "cpu-clock", "sleep", "0.2"],
     r"cpu-clock did not occur in 0\.\d+ s: it used less CPU time than lies "
     "between two samples: -g -e sched:sched_switch shows where it waits"),
    (["-e", "major-faults:u", "-c", "1000000", "sleep", "0.05"],
     r"major-faults:u did not occur 1000000 times in 0\.\d+ s: only user space "
     r"was recorded \(:u\)"),
    (["-e", "major-faults,alignment-faults", "-c", "1000000", "true"],
     r"none of the 2 events occurred 1000000 times in 0\.\d+ s"),
    (["-D", "100000", "-e", "cpu-clock", "true"],
     "cpu-clock did not occur while events were enabled"),
    (["-n", "-e", "cpu-clock", "true"],
     r"its events were only counted \(-n\)"),
    (["-e", "dummy", "true"], "its events take none"),
    (["-e", "page-faults", "-c", "1", "true"], None),
])
def test_the_recorder_says_why_there_are_no_samples(
        run, perfpair_record, may_record, tmp_path, words, reason):
    done = run([perfpair_record, "-o", tmp_path / "x.data", *words])
    assert done.returncode == 0
    found = re.findall(r"^\[ perfpair-record: no samples: (.*) \]$", done.stderr,
                       re.M)
    assert len(found) == (reason is not None)
    assert ("(0 samples)" in done.stderr) == bool(found)
    if found:
        assert re.fullmatch(reason, found[0])


@pytest.mark.parametrize("command", [["report"], ["script"],
                                     ["data", "convert", "--to-json", "o"],
                                     ["carry", "-o", "o"]],
                         ids=" ".join)
def test_a_vmlinux_must_be_one(run, perfpair, made, command):
    done = run([perfpair, *command, "-i", made, "--vmlinux", "nosuch"])
    assert done.returncode == 2
    assert done.stderr == ("perfpair: option --vmlinux: nosuch: "
                           "No such file or directory\n")
    done = run([perfpair, *command, "-i", made, "--kallsyms", "nosuch"])
    assert done.returncode == 2
    assert "option --kallsyms: nosuch: No such file" in done.stderr
    done = run([perfpair, *command, "-i", made, "-k", made])
    assert done.returncode == 2
    assert done.stderr == f"perfpair: option --vmlinux: {made} is no ELF file\n"


@pytest.mark.parametrize("command", [
    ["report"], ["view"], ["export", "--format", "folded"],
    ["export", "--format", "rows"], ["script"], ["annotate"],
    ["diff", "x.data"]], ids=" ".join)
@pytest.mark.parametrize("option", ["--time", "--cpu", "--pid", "--tid"])
def test_a_wrong_list_is_a_wrong_command_line(refused_one, command, option):
    assert f"{option}: 'foo'" in refused_one(*command, option, "foo")


@pytest.mark.parametrize("words", [["-w", "x"], ["--ignore-callees", "("]], ids=" ".join)
def test_a_wrong_value_of_report_is_a_wrong_command_line(refused_one, words):
    assert f"'{words[1]}'" in refused_one("report", *words)


@pytest.mark.parametrize("command", ["report", "script", "annotate"])
def test_a_cut_file_is_the_first_that_is_told(run, perfpair, tmp_path, command):
    file = File().some()
    cut = tmp_path / "cut.data"
    cut.write_bytes(file.bytes()[:file.off(1) + 4])
    done = run([perfpair, command, "-i", cut])
    first, second = done.stderr.splitlines()
    assert first.startswith(f"perfpair: {cut}: at byte ")
    assert second == (f"perfpair: {cut} has no samples in what can be read of it"
                      if command != "annotate" else
                      f"perfpair: {cut}: no samples in functions with a symbol")


def test_annotate_names_the_function_of_its_option(run, perfpair, made):
    done = run([perfpair, "annotate", "-i", made, "-s", "nosuch"])
    assert (done.returncode, done.stderr) == (
        1, f"perfpair: {made}: no samples in nosuch\n")
    done = run([perfpair, "annotate", "-i", made, made])
    assert done.stderr.endswith(f"it is a recording: -i {made} reads it\n")


def test_a_missing_recording_is_made_how(run, perfpair, tmp_path):
    for command in ("report", "script", "evlist", "check"):
        done = run([perfpair, command], stdin=subprocess.DEVNULL)
        assert done.returncode == 1
        assert done.stderr.splitlines() == [
            "perfpair: perf.data: No such file or directory",
            "perfpair: 'perfpair record COMMAND' makes one, 'perfpair record -a "
            "-g --duration 5s' one of all that runs"]
    done = run([perfpair, "diff"])
    assert "'perfpair diff OLD NEW' compares any two recordings" in done.stderr


def test_a_negative_number_is_refused(refused):
    assert refused("report", "--max-stack", "-1") == [
        "--max-stack: '-1' is not a number",
        "give a number of 0 or more, or one in hex: 0x7f"]


@pytest.mark.parametrize("words, tip", [
    ([], "For call graphs, try: perfpair record -g"),
    (["-c", "nosuch"], None),
    (["-q"], None),
])
def test_the_tip_fits_what_is_shown(run, perfpair, made, words, tip):
    text = run([perfpair, "report", "-i", made, *words]).stdout
    assert re.findall(r"\(Tip: (.*)\)", text) == [tip] * (tip is not None)


def test_the_tip_of_call_graphs(run, perfpair, perfpair_record, may_record,
                                tmp_path):
    done = run([perfpair_record, "-q", "-g", "-e", "cpu-clock", "-F", "4000",
                "-o", "x.data", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do "
                "i=$((i+1)); done"])
    assert done.returncode == 0
    for words, tip in (([], "For rows without call graphs, try: perfpair "
                        "report -g none"),
                       (["-g", "none"],
                        "For a flame graph, try: perfpair view")):
        text = run([perfpair, "report", "-i", "x.data", *words]).stdout
        assert text.endswith(f"#\n# (Tip: {tip})\n#\n")


@pytest.mark.parametrize("words, text, hint", [
    (["-g", "dwarf"], "option --call-graph: 'dwarf' is not supported",
     "'perfpair record --call-graph dwarf' records so"),
    (["-g", "caller,foo"], "option --call-graph: 'foo' is not supported",
     "words are graph, fractal, flat, folded, none, caller, callee, function, "
     "address, srcline, percent, period, count"),
])
def test_words_of_call_graphs(refused, words, text, hint):
    assert refused("report", *words) == [text, hint]


# What the first line begins with; a second one helps.
REPORT_MISTAKES = [
    (["report", "-s"], "option '-s' needs a value"),
    (["report", "-i"], "option '-i' needs a value"),
    (["report", "--samples"], "perf's option '--samples' is not here"),
    (["report", "--max-stack", "1e3"], "--max-stack: '1e3' is not a number"),
    (["report", "--children=yes"], "option '--children=yes' takes no value"),
    (["report", "--jobs", "many"], "--jobs: 'many' is not a number"),
    (["script", "-F"], "option '-F' needs a value"),
    (["script", "-F", "+xx"], "--fields: there is no field 'xx'"),
    (["script", "report", "foo"], "'report' is no option"),
    (["script", "-s", "x.py"], "perf's option '-s' is not here"),
    (["buildid-list", "--wrong"], "unknown option '--wrong'"),
    (["data", "convert", "--to-json"], "option '--to-json' needs a value"),
    (["diff", "-D"], "perf's option '-D' is not here"),
    (["diff", "--compute", "cycles"], "option --compute: 'cycles' of blocks"),
    (["annotate", "--tui"], "perf's option '--tui' is not here"),
    (["top", "--tui"], "perf's option '--tui' is not here"),
    (["c2c", "record"], "perf's command 'c2c' is not here"),
    (["sched", "replay"], "perf's 'sched replay' is not here"),
    (["archive"], "perf's command 'archive' is not here"),
    (["recrod", "-a"], "unknown command 'recrod'"),
    (["scritp"], "unknown command 'scritp'"),
]


@pytest.mark.parametrize("words, text", REPORT_MISTAKES,
                         ids=lambda value: " ".join(value)
                         if isinstance(value, list) else "")
def test_mistakes_have_two_lines(run, perfpair, words, text):
    done = run([perfpair, *words], stdin=subprocess.DEVNULL)
    lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert lines[0].startswith(f"perfpair: {text}")
    assert len(lines) == 2


@pytest.mark.parametrize("words, text", [
    (["-e"], "option '-e' needs a value"),
    (["-F", "abc", "true"], "-F 'abc' is not understood"),
    (["-p", "sshd"], "'sshd' is not a list of process ids"),
    (["-p", "99999999"], "no process has the id 99999999"),
    (["-t", "abc"], "'abc' is not a list of thread ids"),
    (["-C", "9999", "true"], "CPU 9999 is not online"),
    (["-u", "nosuchuser"], "there is no user 'nosuchuser'"),
    (["-c", "0", "true"], "-c '0' is not understood"),
    (["-z99", "true"], "-z '99' is not understood"),
    (["--call-graph", "foo", "true"],
     "no way to record call chains is called 'foo'"),
    (["--duration", "-1", "true"], "--duration: '-1' is not a duration"),
    (["--max-size", "foo", "true"], "--max-size 'foo' is not understood"),
    (["-j", "foo", "true"], "unknown branch filter 'foo'"),
    (["-k", "foo", "true"], "unknown clock 'foo'"),
    (["--switch-output=foo", "true"], "--switch-output 'foo' is not understood"),
    (["--filter", "x", "true"], "--filter without an event before it"),
    (["-G", "web", "true"], "-G without an event before it"),
    (["--carry", "foo", "true"], "--carry 'foo' is not understood"),
    (["-D", "foo", "true"], "-D 'foo' is not understood"),
    (["--aio"], "perf's option '--aio' is not here"),
    (["--outptu", "x"], "unknown option '--outptu'"),
    (["--s"], "option '--s' is short for several"),
])
def test_mistakes_of_recording_have_two_lines(run, perfpair_record, words, text):
    done = run([perfpair_record, *words])
    lines = done.stderr.splitlines()
    assert done.returncode in (2, 255)
    assert lines[0].startswith(f"perfpair-record: {text}")
    assert len(lines) == 2


def test_a_dump_takes_what_names_come_from(run, perfpair, made):
    done = run([perfpair, "report", "-D", "-i", made, "--carried", made])
    assert done.returncode == 1
    assert "option --carried" in done.stderr and "carries no names" in done.stderr
