"""Exports hold what report shows for the same filter: docs/formats.md."""

import collections
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from common import CORPUS, program
from golden import GEN
from made_file import File
from pprof_profile import Profile
from terminal_run import environment, on_terminal

INLINED_C = """
volatile unsigned sum;
__attribute__((always_inline)) static inline void inner(void)
{ for (unsigned i = 0; i < 1000; i++) sum += i; }
__attribute__((noinline)) void outer(void) { inner(); }
int main(void) { for (int i = 0; i < 200000; i++) outer(); }
"""


def perfpair(*words, code=None):
    done = subprocess.run([program("report", "perfpair"), *words],
                          capture_output=True, stdin=subprocess.DEVNULL)
    if code is not None:
        assert done.returncode == code, done.stderr
    else:
        assert done.returncode in (0, 3), done.stderr
    return done


def export(path, form, *options):
    return perfpair("export", "--format", form, "--no-branch-stack", *options,
                    path).stdout


def pprof(path, *options):
    return Profile(export(path, "pprof", *options))


class Speedscope:
    def __init__(self, data):
        self.file = json.loads(data)
        assert self.file["$schema"].startswith("https://www.speedscope.app/")
        self.names = [frame["name"] for frame in self.file["shared"]["frames"]]

    def stacks(self, number=0):
        found = collections.Counter()
        profile = self.file["profiles"][number]
        assert profile["type"] == "sampled"
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"]
        for stack, weight in zip(profile["samples"], profile["weights"]):
            found[tuple(self.names[frame] for frame in stack)] += weight
        return found


class Firefox:
    def __init__(self, data):
        self.file = json.loads(data)
        assert self.file["meta"]["preprocessedProfileVersion"] == 58
        self.texts = self.file["shared"]["stringArray"]

    def threads(self, event, is_only):
        for thread in self.file["threads"]:
            name, _, of_event = thread["name"].rpartition(", ")
            if is_only or of_event == event:
                yield thread, thread["name"] if is_only else name

    def columns(self, thread):
        """Every table is a list for each column, of the same length."""
        for table in "stackTable", "frameTable", "funcTable", "resourceTable":
            columns = dict(thread[table])
            length = columns.pop("length")
            assert all(len(column) == length for column in columns.values())

    def stacks(self, event="", is_only=True):
        """{(comm, name, ...): weight}"""
        found = collections.Counter()
        for thread, comm in self.threads(event, is_only):
            self.columns(thread)
            stacks, frames = thread["stackTable"], thread["frameTable"]
            samples = thread["samples"]
            assert samples["time"] == sorted(samples["time"])
            for stack, weight in zip(samples["stack"], samples["weight"]):
                names = []
                while stack is not None:
                    func = frames["func"][stacks["frame"][stack]]
                    names.append(self.texts[thread["funcTable"]["name"][func]])
                    prefix = stacks["prefix"][stack]
                    assert prefix is None or prefix < stack
                    stack = prefix
                found[(comm, *reversed(names))] += weight
        return found


def report_rows(path, *options):
    """{event: (period, {(comm, symbol): period})}"""
    text = perfpair("report", "-i", path, "--format", "json", "-s", "comm,sym",
                    "--no-children", "--no-branch-stack",
                    *options).stdout
    found = {}
    for event in json.loads(text)["events"]:
        rows = collections.Counter()
        for row in event["rows"]:
            rows[row["comm"], row["symbol"]] += row["period"]
        found[event["event"]] = (event["period"], rows)
    return found


def own(stacks):
    found = collections.Counter()
    for names, value in stacks.items():
        found[names[0], names[-1]] += value
    return found


def is_address(name):
    return re.fullmatch("0x[0-9a-f]+|[0-9a-f]{16}", name)


def check(path, *options):
    """Both formats against report's rows: totals, and each named function's
    own period."""
    profile = pprof(path, *options)
    scope = Speedscope(export(path, "speedscope", *options))
    rows = report_rows(path, *options)
    with_samples = {name: event for name, event in rows.items() if event[0]}
    periods = collections.Counter()
    for sample in profile.samples:
        for (name, _), value in zip(profile.types[1::2], sample.values[1::2]):
            periods[name] += value
    for name, (period, of_rows) in with_samples.items():
        assert periods[name] == sum(of_rows.values())
        assert options or periods[name] == period
        column = [t[0] for t in profile.types].index(name)
        number = [p["name"] for p in scope.file["profiles"]].index(name)
        for found in own(profile.stacks(column)), own(scope.stacks(number)):
            for (comm, symbol), value in of_rows.items():
                # chains may begin in another file than their sample is in
                if not is_address(symbol) and not symbol.startswith("["):
                    assert found[comm, symbol] == value, (comm, symbol)
    return profile


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    subprocess.run([sys.executable, "-B", GEN, folder], check=True)
    return folder / "shown"


def test_generated_files(generated):
    for path in sorted(generated.glob("*-le.data")):
        check(path)


@pytest.mark.parametrize("path", sorted(
    p.relative_to(CORPUS) for p in CORPUS.glob("files/*/*.data")
    if p.is_file() and p.stat().st_size < 1 << 20), ids=str)
def test_corpus(path):
    check(CORPUS / path)


@pytest.fixture(scope="module")
def recorded(perfpair_record, may_record, tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "t.data"
    subprocess.run(
        [perfpair_record, "-a", "-g", "-e", "cpu-clock", "-F", "999", "-o",
         path, "--", "sh", "-c", "for i in 1 2 3; do ls -R /usr/include; done"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def test_recorded(recorded):
    profile = check(recorded)
    assert profile.types == [("samples", "count"), ("cpu-clock", "nanoseconds")]
    assert profile.duration_ns > 0
    assert "ls" in {s.labels["comm"] for s in profile.samples}
    only = check(recorded, "--comms", "ls")
    assert {s.labels["comm"] for s in only.samples} == {"ls"}


def test_firefox(recorded):
    profile = Firefox(export(recorded, "firefox", "--comms", "ls"))
    rows = report_rows(recorded, "--comms", "ls")["cpu-clock"][1]
    found = own(profile.stacks())
    for (comm, symbol), period in rows.items():
        if not is_address(symbol):
            assert found[comm, symbol] == pytest.approx(period / 1e6)
    assert all(t["samples"]["weightType"] == "tracing-ms" and t["pid"] and
               t["isMainThread"] for t in profile.file["threads"])
    assert {lib["codeId"] for lib in profile.file["libs"]} & set(
        dict(pprof(recorded).files.values()).values())


def test_firefox_of_several_events(generated):
    several = 0
    for path in sorted(generated.glob("*-le.data")):
        counts = pprof(path, "--labels", "comm,pid,tid")
        names = [name for name, _ in counts.types[1::2]]
        profile = Firefox(export(path, "firefox"))
        several += len(names) > 1
        for name in names:
            column = [t[0] for t in counts.types].index(name)
            is_clock = counts.types[column][1] == "nanoseconds"
            found = profile.stacks(name, len(names) == 1)
            assert sum(found.values()) == pytest.approx(
                sum(counts.stacks(column).values()) / (1e6 if is_clock else 1))
    assert several


def test_build_ids_of_files(recorded):
    listed = dict(reversed(line.split(maxsplit=1)) for line in perfpair(
        "buildid-list", "-i", recorded).stdout.decode().splitlines())
    files = dict(pprof(recorded).files.values())
    assert files["[kernel.kallsyms]"] == listed["[kernel.kallsyms]"]
    libc = next(name for name in files if name.endswith("/libc.so.6"))
    assert files[libc] == listed[libc]


def test_labels(recorded):
    profile = pprof(recorded, "--labels", "pid,tid,cpu,host")
    labels = {frozenset(s.labels) for s in profile.samples}
    assert {"pid", "tid", "cpu", "host"} in labels
    # a task that has exited, and still has to switch away, has no tid
    assert all(these | {"pid", "tid"} == {"pid", "tid", "cpu", "host"}
               for these in labels)
    by_cpu = collections.Counter()
    for sample in profile.samples:
        by_cpu[sample.labels["cpu"]] += sample.values[1]
    text = perfpair("report", "-i", recorded, "--format", "json", "-s", "cpu",
                    "--no-children").stdout
    assert by_cpu == {int(row["cpu"]): row["period"] for row in
                      json.loads(text)["events"][0]["rows"]}
    bare = pprof(recorded, "--labels", "none")
    assert all(not s.labels for s in bare.samples)
    assert sum(s.values[0] for s in bare.samples) == \
        sum(s.values[0] for s in profile.samples)
    done = perfpair("export", "--format", "pprof", "--labels", "comm,colour",
                    recorded, code=2)
    assert b"colour" in done.stderr


def test_addresses(recorded):
    profile = pprof(recorded, "-g", "address")
    assert all(address for file, address, _ in profile.locations.values()
               if file)
    assert own(profile.stacks()) == own(pprof(recorded).stacks())


def test_inlined_functions_are_lines(perfpair_record, may_record, run,
                                     tmp_path):
    source = tmp_path / "inlined.c"
    source.write_text(INLINED_C)
    run(["gcc", "-O2", "-g", "-o", tmp_path / "inlined", source])
    run([perfpair_record, "-e", "cpu-clock:u", "-F", "999", "--call-graph",
         "dwarf", "-o", tmp_path / "t.data", tmp_path / "inlined"])
    profile = pprof(tmp_path / "t.data", "-g", "srcline")
    lines = [[(profile.functions[f], line) for f, line in location[2]]
             for location in profile.locations.values()]
    # the loader has inlined functions, too, if its debug file is here
    both = next(found for found in lines
                if len(found) == 2 and found[0][0][1] == "inlined.c")
    assert [function[0] for function, _ in both] == ["inner", "outer"]
    assert all(function[1] == "inlined.c" for function, _ in both)
    assert [line for _, line in both] == [4, 5]


def test_a_filter_that_fits_says_nothing(recorded):
    for form in "pprof", "speedscope", "firefox":
        done = perfpair("export", "--format", form, "--comms", "ls", recorded,
                        code=0)
        assert b"no sample passes" not in done.stderr


def test_no_format(recorded):
    done = perfpair("export", recorded, code=2)
    assert b"--format" in done.stderr


def test_formats_are_chosen_as_options_are(generated):
    path = sorted(generated.glob("*-le.data"))[0]
    whole = perfpair("export", "--format", "json", path).stdout
    assert json.loads(whole)["events"]
    for words in (["--forma", "json"], ["--form=json"]):
        assert perfpair("export", *words, path).stdout == whole


def test_export_of_text_is_refused():
    done = perfpair("export", "--format", "text", "x.data", code=2)
    first = done.stderr.decode().splitlines()[0]
    assert first.startswith(
        "perfpair: option --format: 'text' is none of json, csv, markdown, ")


def test_export_has_options_of_its_own():
    """What only tables of text have is report's."""
    def options(verb):
        text = perfpair(verb, "--help").stdout.decode()
        return set(re.findall(r"^  (?:-.,|   ) (--[\w-]+)", text, re.M))

    export, report = options("export"), options("report")
    assert {"--format", "--output", "--labels", "--stacks", "--page-size",
            "--input", "--comms", "--sort", "--symfs"} <= export
    assert export < report
    assert {"--stats", "--tasks", "--header", "--stdio-color", "--threads",
            "--column-widths", "--dump-raw-trace"} <= report - export
    done = perfpair("export", "--format", "pprof", "--stats", code=2)
    assert b"unknown option '--stats'" in done.stderr


TABLES = {
    "text": ["text"], "columns": ["text", "json", "csv", "markdown"], "levels": ["text", "json"],
    "rows": ["text", "json", "csv", "markdown", "folded"], "page": ["html"], "slices": ["rows"],
    "labels": ["folded", "pprof", "speedscope", "firefox", "otlp", "rows"],
}


@pytest.mark.parametrize("table, words", [
    ("text", ["-n"]), ("text", ["-G"]), ("text", ["--stdio"]), ("text", ["--stats"]),
    ("text", ["-T"]), ("text", ["-D"]), ("text", ["--no-group"]), ("text", ["-t,"]),
    ("columns", ["-s", "comm"]), ("columns", ["-F", "+sample"]),
    ("columns", ["--no-children"]), ("columns", ["--percent-limit=1"]), ("columns", ["--percentage=relative"]),
    ("levels", ["--hierarchy"]), ("rows", ["-x"]), ("rows", ["-U"]),
    ("rows", ["--show-total-period"]), ("page", ["--page-size=1M"]),
    ("page", ["--page-code=none"]), ("labels", ["--labels=comm"]), ("slices", ["--label=a=b"]),
    ("slices", ["--stacks=s"]), ("slices", ["--rows=tsv"]), ("slices", ["--time-bin=60s"]),
], ids=lambda value: value if isinstance(value, str) else value[0])
def test_options_of_other_formats_are_refused(generated, tmp_path, table, words):
    """In any order, by each format that lacks the option; the hint names those that have it."""
    path = sorted(generated.glob("*-le.data"))[0]
    report = ["report", "-i", path, "-o", tmp_path / "o"]
    for name in ["text", "csv", "json", "markdown", "folded", "pprof", "html"]:
        form = ["--format", name]
        good = name in TABLES[table]
        for order in ([*words, *form], [*form, *words]):
            told = perfpair(*report, *order, code=0 if good else 2).stderr.decode()
            assert good or told.splitlines()[0].endswith(f" does not go with --format {name}")
            assert good or told.split("one of --format ")[1].split() == TABLES[table]


@pytest.mark.skipif(not shutil.which("go"), reason="no go (golang-go)")
def test_go_tool_pprof(recorded, tmp_path):
    path = tmp_path / "t.pb.gz"
    # pprof shortens names of C++
    perfpair("export", "--format", "pprof", "--comms", "ls", "-o", path,
             recorded)
    done = subprocess.run(
        ["go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0",
         "-edgefraction=0", "-unit=ns", path], capture_output=True, check=True,
        text=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r" *(\d+)ns +[\d.]+% +[\d.]+% +\d+ns +[\d.]+%  (.*)",
                         line) or re.match(r" *(0) .*%  (.*)", line)
        if match:
            found[match[2].removesuffix(" (inline)")] = int(match[1])
    rows = collections.Counter()
    counted = report_rows(recorded, "--comms", "ls")["cpu-clock"][1]
    for (_, symbol), period in counted.items():
        rows[symbol] += period
    for symbol, period in rows.items():
        if not is_address(symbol):
            assert found[symbol] == period
    assert "Type: cpu-clock" in done.stdout
    assert not done.stderr.strip()


def test_perf_to_profile(recorded, tmp_path):
    command = program("report", "perf_to_profile")
    out = tmp_path / "t.pb.gz"
    run = lambda *words: subprocess.run([command, *words], capture_output=True)
    assert run("-i", recorded, "-o", out).returncode == 0
    counted = sum(s.values[1] for s in Profile(out.read_bytes()).samples)
    assert counted == report_rows(recorded)["cpu-clock"][0]
    again = run("-i", recorded, "-o", out)
    assert again.returncode == 1 and b"-f" in again.stderr
    assert run("-i", recorded, "-o", out, "-f").returncode == 0
    assert run("-i", recorded).returncode == 2


@pytest.mark.skipif(not shutil.which("go"), reason="no go (golang-go)")
def test_go_tool_pprof_reads_recordings(recorded, tmp_path):
    folder = os.path.dirname(program("report", "perf_to_profile"))
    done = subprocess.run(
        ["go", "tool", "pprof", "-top", "-unit=ns", recorded],
        capture_output=True, check=True, text=True,
        env={"HOME": str(tmp_path), "PATH": f"{folder}:/usr/bin:/bin"})
    total = report_rows(recorded)["cpu-clock"][0]
    assert f"% of {total}ns total" in done.stdout


@pytest.mark.parametrize("form", ["pprof", "otlp", "arrow", "rows --rows rowbinary"])
def test_bytes_are_not_written_to_a_terminal(form, tmp_path):
    path = tmp_path / "made.data"
    path.write_bytes(File().some().bytes())
    command = [program("report", "perfpair"), "export", "--format", *form.split(), path]
    shown = on_terminal(command, environment(tmp_path, PAGER="cat"), tmp_path)
    assert shown.code in (1, 2), shown
    assert shown.text.strip().endswith("is no text: -o FILE") and "\n" not in shown.text.strip()
    shown = on_terminal([*command, "-o", "made"], environment(tmp_path), tmp_path)
    assert (shown.code, "no text" in shown.text) == (0, False)
    assert (tmp_path / "made").stat().st_size > 100
