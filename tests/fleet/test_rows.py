"""perfpair export --format rows: docs/formats.md "Rows"."""

import collections
import json

import pytest

import hosts
from peer_text import without_hints
from rows import SAMPLES, STACKS, export, of_rowbinary, of_tsv, perfpair
from safe_text import shown

COUNTS = {("main", "parse"): 60, ("main", "hash"): 30, ("main",): 10,
          ("main", "parse", "rare"): 2}


KEY = ("stack", "code", "place")


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return hosts.build(tmp_path_factory.mktemp("app") / "bin")


@pytest.fixture
def one(app, tmp_path):
    return hosts.record(tmp_path / "one.data", "host-1", app, COUNTS)


def by_stack(samples, stacks):
    """Numbers of samples by the names from the root."""
    names = collections.defaultdict(dict)
    for row in stacks:
        names[row["stack"]][row["place"]] = row["name"].decode()
    found = collections.Counter()
    for row in samples:
        chain = names[row["stack"]]
        found[tuple(chain[i] for i in range(len(chain)))] += row["number"]
    return found


def without_load(rows):
    return [dict(row, load=0) for row in rows]


def test_rows_are_the_samples_of_report(one, tmp_path):
    samples, stacks = export(one, tmp_path)
    assert by_stack(samples, stacks) == COUNTS
    report = json.loads(perfpair("report", "--no-children", "-g", "none",
                                 "--format", "json", "-i", one).stdout)
    names = {row["function"]: row["name"].decode() for row in stacks
             if row["is_self"]}
    found = collections.Counter()
    for row in samples:
        found[names[row["function"]]] += row["weight"]
    assert found == {row["symbol"]: row["period"]
                     for row in report["events"][0]["rows"]}
    assert {row["host"] for row in samples} == {b"host-1"}
    assert [row["seq"] for row in samples] == list(range(len(samples)))
    assert {row["rows"] for row in samples} == {len(samples)}


def test_rowbinary_has_the_same_rows(one, tmp_path):
    samples, stacks = export(one, tmp_path)
    more_samples, more_stacks = export(one, tmp_path, form="rowbinary")
    assert without_load(samples) == without_load(more_samples)
    assert stacks == more_stacks


def test_numbers_do_not_depend_on_builds_addresses_or_threads(app, tmp_path):
    moved = hosts.build(tmp_path / "bin", padding=50)
    assert hosts.symbols(moved)["hash"] != hosts.symbols(app)["hash"]
    rows = []
    for number, program in enumerate((app, moved)):
        path = hosts.record(tmp_path / str(number), "h", program, COUNTS)
        rows.append(export(path, tmp_path, "--jobs", str(1 + 3 * number)))
    for column in "stack", "function":
        assert ([row[column] for row in rows[0][0]]
                == [row[column] for row in rows[1][0]])
    codes = [{row["code"] for row in samples} for samples, _ in rows]
    assert not codes[0] & codes[1]


def test_copy_of_a_file_is_the_same_slice(one, app, tmp_path):
    copy = tmp_path / "another name"
    copy.write_bytes(one.read_bytes())
    other = hosts.record(tmp_path / "other", "host-1", app, COUNTS,
                         start_ns=2 * 10**9)
    slices = [export(path, tmp_path)[0][0]["slice"]
              for path in (one, copy, other)]
    assert slices[0] == slices[1] != slices[2]


def test_bins_have_the_times_of_their_samples(app, tmp_path):
    path = hosts.record(tmp_path / "long", "h", app, {("main",): 300})
    data, = {row["start"] for row in export(path, tmp_path)[0]},
    samples, _ = export(path, tmp_path, "--time-bin", "1s")
    assert sum(row["number"] for row in samples) == 300
    assert {row["bin"] for row in samples} == {1}
    for row in samples:
        assert min(data) <= row["time"] <= min(data) + 1


@pytest.mark.parametrize("form", ["tsv", "rowbinary"])
def test_hostile_texts_are_data(app, tmp_path, form):
    nasty = "q'\"\\t\\\t\n`;DROP TABLE samples;--\r\x01\u00e9"
    program = app.rename(app.parent / nasty.replace("/", ""))
    try:
        path = hosts.record(tmp_path / "x", nasty, program, COUNTS,
                            comm=nasty[:15])
        samples, stacks = export(path, tmp_path, "--label",
                                 "zone='\\;DROP--", form=form)
    finally:
        program.rename(app)
    assert {row["host"] for row in samples} == {shown(nasty).encode()}
    assert {row["comm"] for row in samples} == {shown(nasty[:15]).encode()}
    assert {row["labels"] for row in samples} == {b"\nzone='\\;DROP--\n"}
    assert {row["dso"] for row in stacks} == {shown(nasty).encode()}


def test_labels_have_their_columns(one, tmp_path):
    samples, _ = export(one, tmp_path, *(
        word for text in ("release=B", "service=web", "host=other", "run=7",
                          "zone=eu", "rack=9", "pod=p", "container=c")
        for word in ("--label", text)))
    row = samples[0]
    assert [row[name] for name in ("release", "service", "host", "run",
                                   "labels", "pod", "container")] == [
        b"B", b"web", b"other", b"7", b"\nzone=eu\nrack=9\n", b"p", b"c"]


def test_damaged_slice_has_what_is_whole_and_says_so(one, app, tmp_path):
    data = one.read_bytes()
    one.write_bytes(data[:int(len(data) * 0.6)])
    samples, stacks = export(one, tmp_path)
    assert {row["damaged"] for row in samples} == {1}
    assert 20 < sum(row["number"] for row in samples) < 102
    assert perfpair("export", "--format", "rows", "-i", one,
                    code=3).stderr


@pytest.mark.parametrize("words, why", [
    (["--format", "rows", "--label", "zone"], b"NAME=VALUE"),
    (["--format", "rows", "--label", "a=b\nc=d"], b"control characters"),
    (["--format", "rows", "--time-bin", "1.5s"], b"whole seconds"),
    (["--format", "rows", "--labels", "pid"], b"pid, tid or cpu"),
    (["--format", "pprof", "--label", "a=b"], b"--format rows"),
    (["--format", "rows", "--rows", "xml"], b"tsv"),
])
def test_wrong_options_are_refused(one, words, why):
    done = perfpair("export", *words, "-i", one, code=2)
    assert why in done.stderr


def test_lost_samples_are_counted_once(app, tmp_path):
    path = hosts.record(tmp_path / "l", "h", app, COUNTS, lost=7)
    samples, _ = export(path, tmp_path)
    assert sum(row["lost"] for row in samples) == 7


class TestSlices:
    """Several recordings in one export."""

    @pytest.fixture
    def slices(self, app, tmp_path):
        """Two of one program, and one of a build of the same name."""
        moved = hosts.build(tmp_path / "bin", padding=50)
        more = {**COUNTS, ("main", "flush"): 5}
        return [hosts.record(tmp_path / name, name, program, counts)
                for name, program, counts in (("a", app, COUNTS),
                                              ("b", moved, COUNTS),
                                              ("c", app, more))]

    @staticmethod
    def together(paths, folder, *options, form="tsv", code=0):
        out = [folder / "all-samples", folder / "all-stacks"]
        done = perfpair("export", "--format", "rows", "--rows", form, *options,
                        "-o", out[0], "--stacks", out[1], *paths, code=code)
        read = of_tsv if form == "tsv" else of_rowbinary
        return (read(out[0].read_bytes(), SAMPLES),
                read(out[1].read_bytes(), STACKS), done.stderr.decode())

    @staticmethod
    def alone(paths, folder, *options, form="tsv"):
        """The rows of both tables, with each stack once."""
        samples, stacks = [], {}
        for path in paths:
            some, more = export(path, folder, *options, form=form)
            samples += some
            for row in more:
                stacks.setdefault(tuple(row[name] for name in KEY), row)
        return samples, [*stacks.values()]

    @pytest.mark.parametrize("form", ["tsv", "rowbinary"])
    @pytest.mark.parametrize("options", [
        (), ("--label", "release=B"), ("--jobs", "1"), ("-g", "address"),
        ("--labels", "none")], ids="".join)
    def test_rows_are_those_of_each(self, slices, tmp_path, options, form):
        samples, stacks, said = self.together(slices, tmp_path, *options,
                                              form=form)
        expected = self.alone(slices, tmp_path, *options, form=form)
        assert without_load(samples) == without_load(expected[0])
        assert stacks == expected[1]
        assert len({row["code"] for row in stacks}) > 5
        assert not without_hints(said)

    def test_more_slices_than_share_symbols(self, app, tmp_path):
        paths = [hosts.record(tmp_path / str(i), f"host-{i}", app,
                              {("main", "hash"): i + 1}) for i in range(70)]
        samples, stacks, _ = self.together(paths, tmp_path)
        assert [(row["host"], row["number"]) for row in samples] == [
            (f"host-{i}".encode(), i + 1) for i in range(70)]
        assert {tuple(row.values()) for row in stacks} == {
            tuple(row.values()) for row in export(paths[0], tmp_path)[1]}
        assert len(stacks) == 2 * 2  # known ones are forgotten once

    def test_damaged_ones_do_not_spoil_the_others(self, slices, tmp_path):
        data = slices[1].read_bytes()
        slices[1].write_bytes(data[:int(len(data) * 0.6)])
        expected = self.alone(slices, tmp_path)
        nothing, no_file = tmp_path / "nothing", tmp_path / "no file"
        nothing.write_bytes(b"no recording at all " * 50)
        samples, stacks, said = self.together(
            [nothing, slices[0], no_file, slices[1], nothing, slices[2]],
            tmp_path, code=3)
        assert without_load(samples) == without_load(expected[0])
        assert stacks == expected[1]
        assert {row["host"]: row["damaged"] for row in samples} == {
            b"a": 0, b"b": 1, b"c": 0}
        assert "3 of 6 slices could not be read" in said
        assert said.count(f"{nothing}: ") == 2
        assert f"{no_file}: " in said and f"{slices[1]}: " in said

    def test_nothing_is_written_of_no_slice(self, tmp_path):
        nothing = tmp_path / "nothing"
        nothing.write_bytes(b"no recording at all " * 50)
        out = tmp_path / "out"
        done = perfpair("export", "--format", "rows", "-o", out, nothing,
                        nothing, code=1)
        assert b"none of the slices" in done.stderr
        assert not out.exists()

    def test_a_table_that_cannot_be_written_ends_it(self, slices, tmp_path):
        out = tmp_path / "out"
        done = perfpair("export", "--format", "rows", "-o", out, "--stacks",
                        "/dev/full", *slices, code=1)
        assert done.stderr.count(b"/dev/full: ") == 1
        assert not out.exists()

    @pytest.mark.parametrize("options", [("--time", "soon"), ("-C", "x")],
                             ids="".join)
    def test_a_wrong_option_is_said_once(self, slices, tmp_path, options):
        out = tmp_path / "out"
        done = perfpair("export", "--format", "rows", *options, "-o", out,
                        *slices, code=2)
        assert done.stderr.count(b"\n") == 1
        assert options[1].encode() in done.stderr
        assert not out.exists()

    @pytest.mark.parametrize("there", [False, True])
    def test_tables_are_not_one_file(self, slices, tmp_path, there):
        out = tmp_path / "out"
        if there:
            out.write_text("before")
        done = perfpair("export", "--format", "rows", "-o", out, "--stacks",
                        f"{tmp_path}/../{tmp_path.name}/out", *slices, code=2)
        assert b"--stacks: " in done.stderr
        assert b" is the file of another output" in done.stderr
        assert out.exists() == there
        assert not there or out.read_text() == "before"

    def test_stacks_do_not_replace_symbols(self, slices, tmp_path):
        symbols = tmp_path / "kallsyms"
        symbols.write_text("ffffffff81000000 T _text\n")
        done = perfpair("export", "--format", "rows", "--kallsyms", symbols,
                        "--stacks", symbols, *slices, code=2)
        assert b"never overwritten" in done.stderr
        assert symbols.read_text() == "ffffffff81000000 T _text\n"

    def test_losses_name_their_slice(self, slices, app, tmp_path):
        path = hosts.record(tmp_path / "d", "d", app, COUNTS, lost=7)
        said = self.together([slices[0], path, slices[1]], tmp_path)[2]
        assert f"{path}: 7 records lost in 1 place while recording" in said

    @pytest.mark.parametrize("is_first_cold", [False, True])
    def test_a_replaced_file_is_said_once(self, app, tmp_path, is_first_cold):
        """Also if the first slice that mapped it has no sample in it."""
        replaced = hosts.build(tmp_path / "bin", name="replaced")
        old = {"build_id": bytes(range(20))}
        first = (hosts.record(tmp_path / "0", "0", app, COUNTS, cold=replaced,
                              **old) if is_first_cold else
                 hosts.record(tmp_path / "0", "0", replaced, COUNTS, **old))
        paths = [first, hosts.record(tmp_path / "1", "1", app, COUNTS)]
        paths += [hosts.record(tmp_path / f"{i}", f"{i}", replaced, COUNTS,
                               **old) for i in range(2, 70)]
        said = self.together(paths, tmp_path)[2].splitlines()
        why, = [line for line in said if "names left out" in line]
        nr = 68 if is_first_cold else 69
        assert why.startswith(f"perfpair: {replaced}: has build-id ")
        assert why.endswith(f": names left out (in {nr} of 70 recordings)")
        assert not [line for line in said if "no function's name" in line]

    def test_a_replaced_file_of_one_slice(self, app, tmp_path):
        path = hosts.record(tmp_path / "0", "0", app, COUNTS,
                            build_id=bytes(range(20)))
        said = self.together([path], tmp_path)[2]
        assert said.endswith(": names left out\n")
        assert said.count("\n") == 1

    def test_stacks_do_not_replace_a_slice(self, slices):
        before = slices[2].read_bytes()
        done = perfpair("export", "--format", "rows", "--stacks", slices[2],
                        *slices, code=2)
        assert b"never overwritten" in done.stderr
        assert slices[2].read_bytes() == before


@pytest.mark.parametrize("hours, is_told", [(22, False), (26, True)])
def test_recording_longer_than_a_day(app, tmp_path, monkeypatch, hours,
                                     is_told):
    """fleet --from looks for slices that begin less than a day before."""
    monkeypatch.setattr(hosts, "SPAN_NS", hours * 3600 * 10**9)
    path = hosts.record(tmp_path / "long", "h", app, {("main",): 100})
    done = perfpair("export", "--format", "rows", "-i", path, "-o",
                    tmp_path / "samples", code=0)
    assert (b"longer than a day" in done.stderr) == is_told
