"""Columns of report that perf does not have, or has otherwise."""

import csv
import re
import subprocess

import pytest

from common import ROOT
from made_file import ATTR, File, make


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Samples with every field, out of the fixture generator."""
    folder = tmp_path_factory.mktemp("columns")
    subprocess.run(["/usr/bin/python3", ROOT / "fixtures/gen/make.py", folder],
                   check=True, stdout=subprocess.DEVNULL)
    return folder / "samples-le.data"


def test_tid_shows_threads_as_pid_does(run, perfpair, recording):
    by_pid, by_tid = (run([perfpair, "report", "--stdio", "-s", key, "-i",
                           recording]) for key in ("pid", "tid"))
    assert "    Tid:Command" in by_tid.stdout
    assert by_tid.stdout.replace("Tid:", "Pid:") == by_pid.stdout
    assert re.search(r"^ +\d+\.\d+% .* -?\d+:", by_tid.stdout, re.M)


@pytest.mark.parametrize("form", ["", "local_"])
def test_retire_lat_is_the_third_number_of_a_weight(run, perfpair, recording,
                                                    form):
    """What POWER takes for a stage of the pipeline; perf 6.1 has that key."""
    weights = recording.parent / "shown/weights-le.data"
    of_x86, of_power = (
        [line.split() for line in run(
            [perfpair, "report", "-q", "-s", form + key, "-i", weights]
        ).stdout.splitlines() if line.strip()]
        for key in ("retire_lat", "p_stage_cyc"))
    assert of_x86 == of_power == [["100.00%", "3"]]


def test_a_blank_stands_before_a_number_of_any_length(run, perfpair, tmp_path):
    """Three periods whose sum passes 2^64 and is 104 then."""
    attr = dict(ATTR, sample_period=(2**64 + 104) // 3)
    file = File(attrs=(make.Attr(attr),))
    file.ids = [[101]]
    for cpu in (1, 2, 3):
        file.sample(100, cpu=cpu)
    (tmp_path / "huge.data").write_bytes(file.bytes())
    done = run([perfpair, "report", "--stdio", "-s", "cpu", "-F",
                "overhead,sample,period,cpu", "-i", "huge.data"])
    rows = [row for row in done.stdout.splitlines() if row[:1] == " "]
    assert sorted(rows) == [
        f"   5912417972342804480.00%             1   6148914691236517240  {cpu}"
        for cpu in ("001", "002", "003")]


def test_no_trace_of_other_events(run, perfpair, tmp_path):
    """What is no tracepoint has N/A there, as in perf."""
    path = tmp_path / "some.data"
    path.write_bytes(File().some().bytes())
    done = run([perfpair, "report", "-q", "-s", "comm,trace", "-i", path])
    assert [line.split()[-2:] for line in done.stdout.splitlines()
            if line.strip()] == [["worker", "N/A"]] * 2


@pytest.mark.parametrize("option", ["--showcpuutilization",
                                    "--show-cpu-utilization"])
def test_the_modes_of_the_cpu(run, perfpair, tmp_path, option):
    path = tmp_path / "some.data"
    path.write_bytes(File().some().bytes())
    done = run([perfpair, "report", option, "-i", path])
    assert re.search(r"^# Overhead +sys +usr +Command", done.stdout, re.M)


def test_stacks_make_no_table_of_branches(run, perfpair, tmp_path):
    """Recorded with -b and --call-graph dwarf: perf shows samples."""
    branches, stacks = 1 << 11, 1 << 13
    for bits, header in ((branches, "Source Symbol"),
                         (branches | stacks, "Shared Object")):
        attr = make.attr_of(sample_type=ATTR["sample_type"] | bits,
                            branch_sample_type=8)
        file = File(attrs=[attr])
        file.ids = [[101]]
        file.records = [file.e.sample(attr, file.ident(100))]
        file.features[15] = b""
        path = tmp_path / "some.data"
        path.write_bytes(file.bytes())
        done = run([perfpair, "report", "-i", path])
        assert header in done.stdout and \
            ("Source" in done.stdout) == (bits == branches)


@pytest.mark.parametrize("addrs, pages", [
    ([0x7000fff, 0x7000000, 0x7001000], ["0x7000000"] * 2 + ["0x7001000"]),
    ([0, 0x7000008, 0], ["0x401000", "0x402000", "0x7000000"]),
    (None, ["0x401000"] * 2 + ["0x402000"]),
], ids=["of_data", "of_both", "of_code"])
def test_a_page_is_of_the_data_or_else_of_the_code(run, perfpair, tmp_path,
                                                   addrs, pages):
    """Callers of a sample are in its row: they touch no page of their own."""
    ips = [0x401000, 0x401fff, 0x402000]
    attr = make.attr_of(sample_type=ATTR["sample_type"] | 1 << 5
                        | (addrs is not None) << 3)
    file = File(attrs=[attr])
    file.ids = [[101]]
    e = file.e
    for nr, ip in enumerate(ips):
        addr = e.words(addrs[nr]) if addrs else b""
        file.records.append(e.record(9, 2, (
            e.words(ip) + e.pack("II", 5, 6) + e.words(100 + nr) + addr
            + e.words(101) + e.pack("II", 1, 0)
            + e.words(3, 2**64 - 512, ip, 0x409000))))
    path = tmp_path / "pages.data"
    path.write_bytes(file.bytes())
    done = run([perfpair, "report", "-s", "page", "--children", "--format",
                "csv", "-i", path])
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert sorted(row["page"] for row in rows
                  for _ in range(int(row["samples"]))) == pages
    assert all(row["period"] == row["children_period"] for row in rows)
    text = run([perfpair, "report", "-s", "page", "-i", path]).stdout
    assert "  Page              \n" in text


def test_lines_of_branches_are_each_their_own(run, perfpair, tmp_path):
    """Without call chains, too, where lines are asked for one by one."""
    attr = make.attr_of(sample_type=ATTR["sample_type"] | 1 << 11,
                        branch_sample_type=8)
    file = File(attrs=[attr])
    file.ids = [[101]]
    file.features[15] = b""
    e = file.e
    file.add(1, e.pack("II", 5, 6) + e.words(0x400000, 0x10000, 0)
             + b"/no/such/tool\0", 50, misc=2)
    to = [0x401000, 0x401008, 0x402010]
    branches = b"".join(e.words(0x401200, addr, 0) for addr in to)
    file.records.append(e.record(9, 2, (
        e.words(0x401234) + e.pack("II", 5, 6) + e.words(100, 101)
        + e.pack("II", 1, 0) + e.words(len(to)) + branches)))
    path = tmp_path / "branches.data"
    path.write_bytes(file.bytes())
    done = run([perfpair, "report", "-q", "-s", "sym,srcline", "--raw-addresses",
                "-i", path])
    assert sorted(line.split()[-2:] for line in done.stdout.splitlines()
                  if line.strip()) == [
        [f"0x{addr:016x}", f"tool[{addr - 0x400000:x}]"] for addr in to]


def test_raw_traces_whose_fields_are_not_told(run, perfpair, tmp_path):
    """A file of tracepoints without their formats has the one column."""
    attr = make.Attr(ATTR, type=2, config=7,
                     sample_type=ATTR["sample_type"] | 1 << 10)
    file = File(attrs=[attr])
    file.ids = [[101]]
    file.records = [file.e.sample(attr, file.ident(100))]
    path = tmp_path / "trace.data"
    path.write_bytes(file.bytes())
    done = run([perfpair, "report", "--raw-trace", "-i", path])
    assert done.returncode == 0, done.stderr
    assert "# Overhead  Trace output" in done.stdout


@pytest.mark.parametrize("options, header", [
    ([], "# Overhead  Command  Shared Object     Symbol                "),
    (["-t", ","], "# Overhead,Command,Shared Object,Symbol                "),
    (["-w", "10"],
     "#   Overhead  Command  Shared Object  Symbol                "),
    (["--dsos", "nowhere"], "# Overhead  Command  Symbol")])
def test_files_that_are_not_known_take_room(run, perfpair, tmp_path, options,
                                            header):
    """As many columns as perf gives them, where nobody asks for less."""
    path = tmp_path / "some.data"
    path.write_bytes(File().some().bytes())
    done = run([perfpair, "report", *options, "-i", path])
    assert header in done.stdout.splitlines()


def test_there_is_a_group_to_sort_by(run, perfpair, tmp_path):
    """perf, too, asks for one unless --group or --no-group was typed."""
    path = tmp_path / "some.data"
    path.write_bytes(File().some().bytes())

    def report(*options):
        return run([perfpair, "report", "-q", *options, "-i", path])
    done = report("--group-sort-idx", "1")
    assert done.returncode and not done.stdout
    assert "--group-sort-idx: no group" in done.stderr
    for options in (["--group-sort-idx", "0"],
                    ["--group", "--group-sort-idx", "1"],
                    ["--no-group", "--group-sort-idx", "1"]):
        assert not report(*options).returncode


# What perf 6.1 prints of so many.
@pytest.mark.parametrize("nr, shown", [
    (999, "999 "), (1000, "1000 "), (1001, "1K"), (999999, "999K"),
    (1000000, "1000K"), (1000016, "1M")])
def test_numbers_of_samples(run, perfpair, tmp_path, nr, shown):
    file = File(attrs=(make.attr_of(sample_type=1),))
    file.ids = [[101]]
    file.records = [file.e.record(9, 2, file.e.words(0x1000)) * nr]
    (tmp_path / "many.data").write_bytes(file.bytes())
    done = run([perfpair, "report", "--stdio", "-s", "dso", "-i", "many.data"])
    line, = re.findall("^# Samples: .*", done.stdout, re.M)
    assert line.startswith(f"# Samples: {shown} of event ")


@pytest.mark.parametrize("more", [[], ["--hierarchy"]])
def test_a_time_is_cut_at_the_end_of_a_line_too(run, perfpair, tmp_path, more):
    """As in perf, and as before another column."""
    file = File(attrs=(ATTR,))
    file.ids = [[101]]
    file.sample(24961838700000000)
    (tmp_path / "late.data").write_bytes(file.bytes())
    done = run([perfpair, "report", "--stdio", "-q", "-s", "time", "-i",
                "late.data", *more])
    assert done.stdout.split() == ["100.00%", "24961838.700"]


def test_markdown_has_the_cells_of_csv(run, perfpair, tmp_path):
    path = tmp_path / "t.data"
    path.write_bytes(File().some().bytes().replace(b"worker", b"wo|k``"))
    report = [perfpair, "report", "-i", path, "-s", "comm,sym", "--format"]
    head, *rows = csv.reader(run([*report, "csv"]).stdout.splitlines())
    lines = run([*report, "markdown"]).stdout.splitlines()
    assert lines[0] == f"**{rows[0][0]}**" and lines[1] == ""
    assert lines[2].endswith(" samples | comm | symbol |")
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
             for line in lines if re.match(r"\| \d", line)]
    assert len(cells) == len(rows) > 1
    for row, found in zip(rows, cells):
        value = dict(zip(head, row))
        assert found[0] == f"{float(value['overhead_pct']):.2f}%"
        assert found[-3] == value["samples"]
        for name, text in zip(("comm", "symbol"), found[-2:]):
            shown = value[name].replace("|", "\\|")
            assert text == (f"``` {shown} ```" if "`" in shown else f"`{shown}`")


@pytest.mark.parametrize("form", ["markdown", "csv", "json"])
def test_light_rows_are_left_out(run, perfpair, tmp_path, form):
    file = File()
    for cpu in (1, 1, 1, 2):
        file.sample(100, cpu=cpu)
    (tmp_path / "t.data").write_bytes(file.bytes())
    report = [perfpair, "report", "-s", "cpu", "--format", form, "-i", "t.data"]
    for limit, shares in (("0", ["75", "25"]), ("25", ["75", "25"]), ("26", ["75"])):
        text = run([*report, "--percent-limit", limit]).stdout
        assert re.findall(r'(?m)(?:^\| |^"\S+",|"overhead_pct": )(\d+)', text) == shares
