"""What old kernels, old perfs and simpleperf wrote otherwise, and what is sound all
the same: nothing is reported, and nothing is lost."""

import pytest

import made_file  # noqa: F401  fixtures/gen is found by it
from perf_data import Encoder
from shown import attr_of, ident, tasks

WHOLE, DAMAGED = 0, 3
ORDERS = pytest.mark.parametrize("e", [Encoder(False), Encoder(True)],
                                 ids=["little", "big"])


@pytest.fixture
def done(run, perfpair, tmp_path):
    """done(bytes, word...): perfpair WORD... of that file."""
    def do(data, *words):
        (tmp_path / "made.data").write_bytes(data)
        return run([perfpair, *words, "-i", "made.data"])
    return do


def file_of_simpleperf(e, behind=bytes(8)):
    """An attr of 120 bytes in an entry for one of 128."""
    attr = attr_of(size=120, sample_type=0x187 | 1 << 16)
    data = tasks(e, attr, id=7) + e.sample(attr, ident(1))
    attrs = e.attr(attr) + behind + e.words(104, 8)
    magic = b"PERFILE2"[::-1] if e.big_endian else b"PERFILE2"
    return magic + e.words(104, 144, 112, len(attrs), 112 + len(attrs),
                           len(data), 0, 0) + e.bitmap({}) + e.words(7) \
        + attrs + data


@ORDERS
def test_an_attr_shorter_than_its_entry(e, done):
    data = file_of_simpleperf(e)
    for words in (["script"], ["report", "--stdio"], ["check"]):
        got = done(data, *words)
        assert (got.returncode, got.stderr) == (WHOLE, ""), words
    assert "101 [001]     0.005001:     250007 cpu-clock:HG:" in \
        done(data, "script").stdout
    assert "size: 120" in done(data, "evlist", "-v").stdout
    assert "whole: 0 errors, 0 notes" in done(data, "check").stdout


@ORDERS
def test_an_attr_cut_short_is_reported(e, done):
    """Fields stand behind its end."""
    got = done(file_of_simpleperf(e, e.words(5)), "script")
    assert got.returncode == DAMAGED
    assert "an attr of 120 bytes in an entry for one of 128" in got.stderr


def file_of_rhel(e):
    """Kernel 3.10.0-123: MMAP2 without prot and flags."""
    attr = attr_of(size=104)

    def mmap2(misc, start, name):
        return e.record(10, misc, e.pack("IIQQQ", 100, 100, start, 0x10000, 0)
                        + e.pack("IIQQ", 8, 1, 555, 0) + name
                        + e.trailer(attr, ident(0)))

    data = e.record(3, 0, e.pack("II", 100, 100) + b"fixture\0"
                    + e.trailer(attr, ident(0))) \
        + mmap2(2, 0x400000, b"/bin/fixture\0\0\0\0") \
        + mmap2(0x2002, 0x600000, b"[heap]\0\0") \
        + e.sample(attr, ident(1, pid=100, tid=100))
    return e.plain_file([(attr, (7,))], data)


MAPS = ["[0x400000(0x10000) @ 0 08:01 555 0]: --xp /bin/fixture",
        "[0x600000(0x10000) @ 0 08:01 555 0]: ---p [heap]"]


def maps_of(text):
    return [line[line.index("["):] for line in
            (line.split("PERF_RECORD_MMAP2 100/100: ")[1]
             for line in text.splitlines() if "MMAP2" in line)]


@ORDERS
def test_mmap2_without_prot(e, done):
    data = file_of_rhel(e)
    got = done(data, "script", "--show-mmap-events", "-F", "ip,sym,dso")
    assert (got.returncode, got.stderr) == (WHOLE, "")
    assert maps_of(got.stdout) == MAPS
    assert "401234 [unknown] (/bin/fixture)" in got.stdout
    assert "whole: 0 errors, 0 notes" in done(data, "check").stdout


@ORDERS
def test_mmap2_with_text_for_prot(e, done):
    """hiperf: memory that was not set, and names that are not padded."""
    attr = attr_of(size=104)
    maps = b"".join(
        e.record(10, 2, e.pack("IIQQQ", 100, 100, start, 0x10000, 0)
                 + e.pack("IIQQ", 8, 1, 555, 0) + b"cin/" + e.pack("I", flags) + name
                 + e.trailer(attr, ident(0)))
        for start, flags, name in ((0x400000, 2, b"/bin/fixture\0"),
                                   (0x500000, 0, b"/lib/x\0"),
                                   (0x600000, 0x32, b"[vdso]\0\0")))
    data = e.plain_file([(attr, (7,))], maps)
    got = done(data, "script", "--show-mmap-events")
    assert got.returncode == WHOLE
    assert sorted(line.split("]: ")[1] for line in maps_of(got.stdout)) == [
        "--xp /bin/fixture", "--xp /lib/x", "--xp [vdso]"]


@ORDERS
def test_name_of_an_event_type_without_its_end(e, done):
    """perf 3.8, of a pipe: a name that fills its words has no NUL."""
    attr = attr_of()
    data = e.record(65, 0, e.words(5) + b"cyclesXX") + tasks(e, attr) \
        + e.sample(attr, ident(1))
    got = done(e.pipe_file([(attr, (7,))], data), "check")
    assert got.returncode == WHOLE
    assert "whole: 0 errors, 0 notes" in got.stdout


def padded(e, nr):
    attr = attr_of()
    return e.plain_file([(attr, (7,))], b"".join(
        e.record(3, 0, e.pack("II", 5, 6) + b"old\0\1\2\3\4"
                 + e.trailer(attr, ident(0))) for _ in range(nr)))


def test_padding_is_one_line(done):
    """With the number of records, whatever that is."""
    text = done(padded(Encoder(False), 40), "check").stdout
    notes = [line for line in text.splitlines() if "note: " in line]
    assert len(notes) == 1
    assert notes[0].endswith(
        ": COMM record whose padding is not zero, and 39 more records like it: "
        "harmless [padding]")
    assert "whole: 0 errors, 40 notes (40 padding)" in text
    all_of_them = done(padded(Encoder(False), 40), "check", "-v").stdout
    assert all_of_them.count("padding is not zero [padding]") == 40
    one = done(padded(Encoder(False), 1), "check").stdout
    assert "COMM record whose padding is not zero [padding]\n" in one
