"""perfpair export --format arrow: each row against the line of script --format
jsonl, by a reader of our own; tests/fleet has the readers of others."""

import collections
import json
import signal
import subprocess

import pytest

from arrow_table import Arrow
from common import CORPUS, ROOT, program
from made_file import ATTR, File, make
from many_rows import ATTR as CHAINS, COMMS, KERNEL, ROWS_OF_BLOCK, many_rows
from test_export import INLINED_C, export, generated, perfpair, recorded

__all__ = ["generated", "recorded"]

RAW = "--raw-addresses"  # as script: code without a symbol has no name


def arrow(path, *options):
    return Arrow(export(path, "arrow", *options))


def name_of(frame):
    file = frame.get("dso", "[unknown]").rsplit("/", 1)[-1]
    name = frame.get("sym", file if file.startswith("[") else f"[{file}]")
    return name.replace(";", ":")


def row_of(line):
    sample = json.loads(line)
    row = {key: sample[key] for key in ("time", "event", "comm", "pid", "tid", "cpu",
                                        "period", "tod") if key in sample}
    if chain := sample.get("chain"):
        row |= {key: chain[0][key] for key in ("sym", "dso") if key in chain[0]}
        row["ip"] = int(chain[0]["ip"], 16)
        row["stack"] = ";".join(map(name_of, reversed(chain)))
    return row


def lines(path, *options):
    """What script says, with each field that the recording has."""
    for fields in ("+pid,+period,+ip,+sym,+dso,+tod", "+pid,+period,+ip,+sym,+dso",
                   "+pid,+period"):
        done = subprocess.run([program("report", "perfpair"), "script", "--format", "jsonl",
                               "-F", fields, *options, "-i", path], capture_output=True)
        if done.returncode in (0, 3):
            return [row_of(line) for line in done.stdout.splitlines()]
    pytest.skip(done.stderr.decode())


def check(path, *options):
    table = arrow(path, RAW, *options)
    assert table.rows == lines(path, *options)
    return table


def test_generated_files(generated):
    """Not records.data, of whose events script shows no address."""
    paths = [path for path in sorted(generated.glob("*.data"))
             if not path.name.startswith("records-")]
    assert sum(len(check(path).rows) for path in paths) > 1000


def test_what_a_sample_lacks_has_no_value(tmp_path):
    """Of two events one has no task, address, CPU and time."""
    ident = 1 << 16  # says which event it is
    full, bare = (make.attr_of(sample_type=bits) for bits in
                  (ident | 1 | 1 << 1 | 1 << 2 | 1 << 7, ident))
    f = File(attrs=[full, bare])
    f.records += [f.e.sample(full, f.ident(100)), f.e.sample(bare, f.ident(0, 102))]
    (tmp_path / "x.data").write_bytes(f.bytes())
    rows = arrow(tmp_path / "x.data").rows
    assert [sorted(row) for row in rows] == [
        ["comm", "event", "period"],
        ["comm", "cpu", "event", "ip", "period", "pid", "stack", "tid", "time"]]


@pytest.mark.parametrize("path", sorted(
    p.relative_to(CORPUS) for p in CORPUS.glob("files/*/*.data")
    if p.is_file() and p.stat().st_size < 1 << 20), ids=str)
def test_corpus(path):
    check(CORPUS / path)


@pytest.mark.parametrize("path", sorted((ROOT / "fixtures/frozen/recordings").glob("*.xz")),
                         ids=lambda path: path.name)
def test_frozen(path):
    assert check(path).rows


def test_stack_copies_and_inlined_functions(perfpair_record, may_record, run, tmp_path):
    (tmp_path / "inlined.c").write_text(INLINED_C)
    run(["gcc", "-O2", "-g", "-o", tmp_path / "inlined", tmp_path / "inlined.c"], check=True)
    run([perfpair_record, "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf", "-o",
         tmp_path / "t.data", tmp_path / "inlined"], check=True)
    stacks = {row["stack"] for row in check(tmp_path / "t.data").rows}
    assert any(stack.endswith("main;outer;inner") for stack in stacks)


def test_samples_of_guests_are_left_out(tmp_path):
    f = File().some()
    guest = f.e.sample(ATTR, f.ident(115))
    f.records.append(guest[:4] + f.e.pack("H", 5) + guest[6:])  # its user code
    (tmp_path / "x.data").write_bytes(f.bytes())
    assert len(check(tmp_path / "x.data").rows) == 4


def test_recorded(recorded):
    table = check(recorded)
    assert table.facts == {"perfpair.version": "1"}
    assert [column.name for column in table.columns] == [
        "time", "event", "comm", "pid", "tid", "cpu", "period", "ip", "sym", "dso", "stack"]
    assert any(";" in row["stack"] for row in table.rows)
    times = [row["time"] for row in table.rows]
    assert times == sorted(times)
    for words in (["--comms", table.rows[-1]["comm"]], ["--no-inline"], ["--max-stack", "2"],
                  ["--time", f"{times[9] / 1e9:.9f},"]):
        assert 0 < len(check(recorded, *words).rows) <= len(table.rows)
    assert arrow(recorded, RAW, "-g", "none").rows == lines(recorded, "-G")


def test_code_without_a_symbol_is_named_as_in_report(tmp_path):
    many_rows(tmp_path / "x.data", 8)
    rows = arrow(tmp_path / "x.data").rows
    assert rows[0]["stack"].split(";")[:2] == ["[such:file]"] * 2
    assert rows[7]["stack"] == "[unknown]" and "sym" not in rows[7]
    assert {row["comm"] for row in rows} == {"a;b\\xff", "ö\\x0a'\"\\", "worker"}
    assert len(COMMS) == 3


@pytest.mark.parametrize("nr", [0, 1, ROWS_OF_BLOCK - 1, ROWS_OF_BLOCK, ROWS_OF_BLOCK + 1])
def test_blocks(tmp_path, nr):
    many_rows(tmp_path / "x.data", nr, has_long_chains=False)
    table = check(tmp_path / "x.data")
    assert table.batches == [n for n in (min(nr, ROWS_OF_BLOCK), nr - ROWS_OF_BLOCK) if n > 0] \
        or (table.batches, nr) == ([0], 0)


def test_many_different_chains_are_more_blocks(tmp_path):
    many_rows(tmp_path / "x.data", ROWS_OF_BLOCK)
    assert len(check(tmp_path / "x.data").batches) == 2


def test_callers_behind_a_mebibyte_of_names_are_cut(tmp_path):
    f = File(attrs=[CHAINS])
    f.ids = [[101]]
    name = b"f" * 60000
    f.add(17, f.e.words(KERNEL) + f.e.pack("IHH", 0x1000, 1, 0) + name + b"\0", 50)
    for nr in (17, 18):
        f.records.append(f.e.sample(CHAINS, dict(f.ident(100 + nr),
                                                 chain=[2**64 - 128] + [KERNEL] * nr)))
    (tmp_path / "x.data").write_bytes(f.bytes())
    whole, cut = (row["stack"].split(";") for row in arrow(tmp_path / "x.data").rows)
    assert whole == [name.decode()] * 17
    assert cut == ["[cut]"] + [name.decode()] * 17


def test_samples_that_are_counted_before_have_the_same_rows(recorded):
    """A word asks for that, since it may be a function's name."""
    rows = arrow(recorded, "--no-inline").rows
    symbol, = collections.Counter(row.get("sym", "") for row in rows).most_common(1)
    wanted = [row for row in rows if symbol[0] in row.get("sym", "")]
    assert arrow(recorded, "--no-inline", "--symbol-filter", symbol[0]).rows == wanted
    words = ["export", "--format", "arrow", "--no-inline", "-i", recorded]
    assert Arrow(perfpair(*words, symbol[0], code=0).stdout).rows == wanted and wanted
    assert b"absent" in perfpair(*words, "absent", code=1).stderr


def test_a_damaged_recording_gives_what_is_whole(tmp_path):
    f = File().some()
    f.records[3] = f.records[3][:8] + b"\xff" * 4 + f.records[3][12:]
    path = tmp_path / "cut.data"
    path.write_bytes(f.bytes()[:-30])
    whole = perfpair("script", "--format", "jsonl", "-i", path, code=3)
    done = perfpair("export", "--format", "arrow", RAW, path, code=3)
    rows = Arrow(done.stdout).rows
    assert rows == lines(path) and 0 < len(rows) < 5
    assert done.stderr == whole.stderr and done.stderr


def test_lost_samples_are_told(tmp_path):
    f = File().some()
    f.add(2, f.e.words(101, 7), 125)
    path = tmp_path / "lost.data"
    path.write_bytes(f.bytes())
    done = perfpair("export", "--format", "arrow", path, code=0)
    assert done.stderr.decode() == f"perfpair: {path}: 7 records lost in 1 place while recording\n"


def test_a_consumer_that_goes_away(tmp_path):
    many_rows(tmp_path / "x.data")
    with subprocess.Popen([program("report", "perfpair"), "export", "--format", "arrow",
                           tmp_path / "x.data"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as child:
        assert child.stdout.read(8)[:4] == b"\xff" * 4
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode in (0, -signal.SIGPIPE)


def test_a_full_disk(tmp_path):
    many_rows(tmp_path / "x.data", 10)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program("report", "perfpair"), "export", "--format", "arrow",
                               tmp_path / "x.data"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"No space left on device" in done.stderr


@pytest.mark.parametrize("words, told", [
    (["x.data", "y.data"], b"takes one recording"), (["--off-cpu"], b"has single samples"),
    (["--latency"], b"has single samples"), (["-g", "address"], b"has stacks of functions")])
def test_what_does_not_go_with_it_is_refused(words, told):
    assert told in perfpair("export", "--format", "arrow", *words, code=2).stderr
