"""perfpair repair: a clean file of the same byte order with the same records;
what was lost is said."""

import json
import os
import stat
import struct
import subprocess

import pytest

from common import program
from made_file import ATTR, BITS, File, make
from features import bpf_prog_info, build_ids  # made_file knows where
import zstd_frame

MADE, FAILED, USAGE = 0, 1, 2
FIXTURES = {name: (data, expected)
            for name, data, expected, _ in make.fixtures()}
# In the new file's header and features, or of no use there.
MOVED = {"64", "80"}
# What perf 6.1 gives up at.
NEWER = {"22", "84"}
CPU_MAP = "74"  # the first counts
# Of the fixture with all types: a tracer with too few words, with its trace;
# counts of a CPU that is not listed.
STRAY = {"70", "71", "76"}


@pytest.fixture
def repair(run, perfpair, tmp_path):
    """repair(bytes, *options): the new file's bytes and what was said."""
    def of(data, *options):
        (tmp_path / "t.data").write_bytes(data)
        done = run([perfpair, "repair", "-f", "-o", "new.data", *options,
                    "t.data"])
        assert done.stderr == ""
        assert done.returncode == MADE
        return (tmp_path / "new.data").read_bytes(), done.stdout
    return of


@pytest.fixture
def native(tmp_path):
    """native(bytes): the lines of pd_native, without the round markers, any of
    which may be left out."""
    def of(data):
        (tmp_path / "n.data").write_bytes(data)
        done = subprocess.run([program("tests", "pd_native"),
                               tmp_path / "n.data"], capture_output=True,
                              text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return [line for line in done.stdout.splitlines()
                if line.split()[0] != "68"]
    return of


NO_ID = "have no id"  # values of counters: perf would refuse any such file


@pytest.fixture
def is_whole(run, perfpair):
    def of(name="new.data", helpless=None):
        """helpless: the end of what may be said, for no file can be made."""
        done = run([perfpair, "check", "--format", "json", name])
        damage = [one["text"] for one in json.loads(done.stdout)["findings"]
                  if one["damage"]]
        return not done.stderr and all(
            helpless and text.endswith(helpless) for text in damage)
    return of


def without_counters(line):
    """Counters of branches, which perf 6.1 would take for what is behind."""
    start, raw = line.rsplit(" ", 1)
    for mark in "<>":
        counters = struct.pack(mark + "2Q", 51, 52).hex()
        if counters in raw:
            record = bytearray.fromhex(raw.replace(counters, ""))
            struct.pack_into(mark + "H", record, 6, len(record))
            return f"{start} {record.hex()}"
    return line


def without_stranger(line):
    """The second member of each group in the fixture with all values of
    read_format is of no event, and perf would tell of it."""
    start, raw = line.rsplit(" ", 1)
    record = bytearray.fromhex(raw)
    kind, event, *_ = start.split()
    read_format = int(event) - 26 if kind == "9" else 0
    if not 0 <= read_format < 32 or read_format & 12 != 12:
        return line
    mark = "<" if record[0] else ">"
    del record[-24 if read_format & 16 else -16:]
    struct.pack_into(mark + "H", record, 6, len(record))
    struct.pack_into(mark + "Q", record, 24, 1)
    return f"{start} {record.hex()}"


@pytest.mark.parametrize("level", ["-z0", "-z3"])
@pytest.mark.parametrize("name", FIXTURES)
def test_same_records(repair, native, is_whole, name, level):
    data, expected = FIXTURES[name]
    new, told = repair(data, level)
    assert is_whole(helpless=NO_ID if "samples" in name else None)
    assert new[:8] == data[:8]  # version 2, the order of the bytes
    maps = [line for line in expected if line.split()[0] == CPU_MAP]
    gone = MOVED | NEWER | {"68"} | (STRAY if len(maps) > 1 else set())
    if name.startswith("samples"):
        expected = [without_stranger(line) for line in expected]
    assert native(new) == [
        without_counters(line) for line in expected
        if line.split()[0] not in gone and line not in maps[1:]]
    nr = sum(line.split()[0] in NEWER for line in expected)
    assert (f"changed: {nr} records left out: of types that perf 6.1 does not "
            "read" in told) == bool(nr)


@pytest.mark.parametrize("name", FIXTURES)
def test_again_changes_nothing(repair, name):
    once, _ = repair(FIXTURES[name][0])
    twice, told = repair(once)
    assert once == twice
    assert "changed" not in told and "lost" not in told


@pytest.mark.parametrize("big_endian", [False, True])
def test_version_1(repair, native, is_whole, big_endian):
    """PERFFILE says nothing of the order; its header's length does."""
    data = File(big_endian).some().bytes()
    new, _ = repair(b"PERFFILE" + data[8:])
    assert is_whole()
    assert new[:8] == data[:8]
    assert native(new) == native(data)


def nested(e, kind, payload, how_many):
    """Compressed records in the plain text of a frame, where none belong."""
    record = e.record(kind, 0, payload, kind == 83)
    record += bytes(-len(record) % 8)
    return [record] * how_many


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("kind", [81, 83])
def test_compressed_records_inside_compressed_text(repair, native, run, perfpair,
                                                   tmp_path, kind, big_endian):
    """perf would read what is in them as a stream that goes on."""
    f, plain = File(big_endian), File(big_endian).some()
    inner = zstd_frame.head() + zstd_frame.raw(plain.records[1], True)
    payload = f.e.words(len(inner)) + inner if kind == 83 else \
        inner + bytes(-len(inner) % 8)
    text = (plain.records[:2] + nested(f.e, kind, payload, 2)
            + plain.records[2:])
    outer = zstd_frame.head() + zstd_frame.raw(b"".join(text), True)
    f.records = [f.e.record(81, 0, outer, False)]
    (tmp_path / "t.data").write_bytes(f.bytes())
    checked = run([perfpair, "check", "t.data"])
    assert checked.returncode == 3
    assert checked.stdout.count(
        "a COMPRESSED record inside compressed data; ") == 2
    script = run([perfpair, "script", "-i", "t.data"])
    assert script.returncode == 3
    assert "a COMPRESSED record inside compressed data" in script.stderr
    assert len(script.stdout.splitlines()) == 4
    fixed, told = repair(f.bytes())
    assert told.count("a COMPRESSED record inside compressed data") == 2
    (tmp_path / "fixed.data").write_bytes(fixed)
    assert run([perfpair, "check", "fixed.data"]).returncode == 0
    assert native(fixed) == native(plain.bytes())


def test_compressed_file_stays_so(repair, native):
    data = FIXTURES["records-le.data"][0]
    packed, _ = repair(data, "-z")
    again, _ = repair(packed)
    assert len(again) < len(data)
    assert native(again) == native(repair(data)[0])


def damaged():
    """name: (file, bytes, what is said, records that stay)"""
    f = File().some()
    yield "no record", f, f.changed(f.off(2) + 6, "H", 4), \
        f"lost: at byte {f.off(2):#x}: {len(f.records[2])} bytes: record of " \
        "type 9 says it has 4 bytes; behind a record of 0.000000100 (CPU 1) " \
        "and before one of 0.000000120 (CPU 1)\n", [0, 1, 3, 5]
    yield "torn", f, f.bytes()[:-20], \
        f"lost: at byte {f.off(5):#x}: {len(f.records[5]) - 12} bytes: ", \
        [0, 1, 2, 3]
    yield "unknown sample", f, f.changed(f.off(1) + 32, "Q", 999), \
        "changed: 1 record left out: of an event that is not described\n", \
        [0, 2, 3, 5]
    g = File().some()
    g.records.insert(1, g.e.record(9, 0, g.e.words(1, 2, 3, 101)))
    yield "short sample", g, g.bytes(), \
        "changed: 1 record left out: samples that are not what", [0, 2, 3, 4, 6]
    g = File().some()
    g.add(7, g.e.pack("III", 1, 2, 3), 150)
    g.records[-1] = g.e.record(7, 0, g.e.pack("II", 1, 2))
    yield "short fork", g, g.bytes(), \
        "changed: 1 record left out: their fields make no sense\n", [0, 1, 2, 3, 5]


@pytest.mark.parametrize("name,file,data,said,stay", damaged(),
                         ids=lambda v: v if isinstance(v, str)
                         and len(v) < 20 else "")
def test_damage_is_left_out_and_said(repair, native, is_whole, name, file, data,
                                     said, stay):
    new, told = repair(data)
    assert is_whole()
    assert said in told
    kept = File()
    kept.records = [file.records[idx] for idx in stay]
    assert native(new) == native(kept.bytes())


def test_text_without_end_gets_one(repair, native, is_whole):
    f = File().some()
    new, told = repair(f.changed(f.off(0) + 16, "8s", b"x" * 8))
    assert is_whole()
    assert "changed: 1 record padded, their text ended" in told
    g = File().some()
    g.records[0] = b""
    g.comm(90, b"x" * 8 + bytes(8))
    g.records[0] = g.records.pop()
    assert native(new) == native(g.bytes())


def test_unaligned_records_are_padded(repair, native, is_whole):
    """The trailer stays at the end."""
    f = File()
    body = f.e.pack("II", 5, 6) + b"abc\0"
    f.records.append(f.e.record(3, 0, body + f.e.trailer(ATTR, f.ident(90)),
                                pad=False))
    f.sample(100)
    new, told = repair(f.bytes())
    assert is_whole()
    g = File()
    g.comm(90, b"abc" + bytes(5))
    g.sample(100)
    assert native(new) == native(g.bytes())


def test_flag_of_another_recorder_is_cleared(repair, run, perfpair, is_whole):
    """perf takes the inode for a build-id of 254 bytes, and aborts."""
    f = File()
    f.add(10, f.e.pack("IIQQQIIQQII", 5, 5, 4096, 4096, 0, 254, 0, 4711, 0, 5,
                       2) + b"/bin/a\0\0", 50, 0x4002)
    f.sample(100)
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 1 record padded" in told
    done = run([perfpair, "check", "t.data"])
    assert done.returncode == 0
    assert "says it has a build-id, and has none [build-id]" in done.stdout
    assert "build-id" not in run([perfpair, "check", "new.data"]).stdout
    assert new.count(f.e.pack("IH", 10, 2)) == 1


@pytest.mark.parametrize("major, asks, is_one", [
    (8, False, False), (8, True, True), (16, False, True), (20, False, True),
    (254, True, False)])
def test_build_id_or_disk(repair, run, perfpair, is_whole, major, asks, is_one):
    """A disk's number can look like the length of a build-id; whether an event
    asks for such tells."""
    attr = type(ATTR)(ATTR, flags=ATTR["flags"] | asks << 34)
    f = File(attrs=(ATTR, attr))
    f.add(10, f.e.pack("IIQQQIIQQII", 5, 5, 4096, 4096, 0, major, 3, 4711, 0, 5,
                       2) + b"/bin/a\0\0", 50, 0x4002)
    f.sample(100)
    new, _ = repair(f.bytes())
    assert is_whole()
    assert (f.e.pack("IH", 10, 0x4002) in new) == is_one
    for name in "t.data", "new.data":
        done = run([perfpair, "report", "--mmaps", "-i", name])
        assert ("4711" in done.stdout) == (not is_one)
    done = run([perfpair, "check", "t.data"])
    assert ("[build-id]" in done.stdout) == (not is_one)


@pytest.mark.parametrize("tracer, is_kept", [(0, False), (1, True), (6, True),
                                             (7, False), (0x707ffff, False)])
def test_traces_that_perf_cannot_decode(repair, native, is_whole, tracer,
                                        is_kept):
    """perf 6.1 would not open the file."""
    f = File().some()
    info = f.e.record(70, 0, f.e.pack("II", tracer, 0) + f.e.words(*range(20)))
    trace = f.e.record(71, 0, f.e.words(8, 0, 1) + f.e.pack("IIII", 0, 6, 1, 0))
    f.records[:0] = [info, trace + b"12345678"]
    new, told = repair(f.bytes())
    assert is_whole()
    assert ("changed: 1 record left out: of types that perf 6.1 does not read"
            in told) == (not is_kept)
    if not is_kept:
        f.records[:2] = []
    assert native(new) == native(f.bytes())


@pytest.mark.parametrize("records", [0b01, 0b10, 0b11], ids=bin)
def test_half_a_trace_is_none(repair, native, is_whole, records):
    """A tracer's settings without a trace, a trace without these, and both with
    fewer words than its decoder wants: perf 6.1 gives up, or ends in a signal."""
    f = File().some()
    plain = native(f.bytes())
    info = f.e.record(70, 0, f.e.pack("II", 1, 0)
                      + f.e.words(*range(8 if records == 0b11 else 9)))
    trace = f.e.record(71, 0, f.e.words(8, 0, 1) + f.e.pack("IIII", 0, 6, 1, 0))
    f.records[:0] = [what for bit, what in ((1, info), (2, trace + bytes(8)))
                     if records & bit]
    new, told = repair(f.bytes())
    assert is_whole()
    assert f"changed: {records.bit_count()} record" in told
    assert "left out: of a tracer whose trace is not there" in told
    assert native(new) == plain


def test_the_first_list_of_cpus_counts(repair, native, is_whole):
    """At others perf script prints a message."""
    f = File().some()
    maps = [f.e.record(74, 0, f.e.pack("HHH", 0, 1, cpu)) for cpu in (1, 2)]
    f.records[:0] = maps[:1]
    once = native(f.bytes())
    f.records[1:1] = maps[1:]
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 1 record left out: second lists of CPUs or threads" in told
    assert native(new) == once


def test_names_behind_damage(repair, is_whole):
    """What the head of the data says of events is not lost with a record."""
    f = File()
    f.records = [bytes(24)]
    f.add(78, f.e.words(2, 101) + b"misses\0\0")
    f.some()
    new, told = repair(f.bytes())
    assert is_whole()
    assert b"misses\0" in new[f.off(len(f.records)):]
    assert repair(new)[0] == new


def test_unknown_event_of_a_task_becomes_the_first(repair, native, is_whole):
    f = File().some()
    f.add(3, f.e.pack("II", 5, 6) + b"later\0\0\0", 95, ident=4711)
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 1 record of an event that is not described, given to " \
        "the first one" in told
    assert sum(line.startswith("3 0 ") for line in native(new)) == 2


def test_damaged_attr_is_outvoted(repair, native, is_whole):
    """perf opens no file whose events have the id at different places."""
    f = File(attrs=(ATTR, ATTR, ATTR))
    f.ids = [[101, 103], [102], [104, 102]]
    f.some()
    f.sample(140, ident=104)
    f.features = {17: f.e.pack("I", 1) + f.string(b"g") + f.e.pack("II", 1, 2)}
    attrs_off = 104 + 8 * 5
    new, told = repair(f.changed(attrs_off + 24, "Q", BITS & ~1))
    assert is_whole()
    assert "changed: 1 event left out, whose samples have their id elsewhere" \
        in told
    assert "features lost: GROUP_DESC" in told
    assert struct.unpack_from("<Q", new, 32)[0] == 2 * 144
    assert new[104:104 + 8 * 2] == struct.pack("<2Q", 102, 104)
    assert sum(line.startswith("9 ") for line in native(new)) == 2


def event_desc(f):
    e = f.e
    return e.pack("II", len(f.attrs), 128) + b"".join(
        e.attr(attr) + e.pack("I", len(ids)) + f.string(b"ev%d" % i)
        + e.words(*ids) for i, (attr, ids) in enumerate(zip(f.attrs, f.ids)))


@pytest.mark.parametrize("command", ["report", "script"])
def test_attrs_of_zeros_are_there_once_more(repair, run, perfpair, native,
                                            is_whole, command):
    """EVENT_DESC has them."""
    f = File().some()
    f.features = {12: event_desc(f)}
    new, told = repair(f.changed(104 + 8 * 3, "272s", bytes(272)))
    assert is_whole()
    assert native(new) == native(f.bytes())
    assert "left out" not in told
    done = run([perfpair, command, "-i", "t.data"])
    assert done.returncode == 3
    assert "at byte 0x80: an attr of 64 bytes in an entry for one of 128" \
        in done.stderr
    assert done.stdout == run([perfpair, command, "-i", "new.data"]).stdout


FAR = 1 << 40


def without_ids(f, nr, off=FAR, length=16):
    """The ids of event nr are said to stand elsewhere."""
    place = 104 + 8 * sum(map(len, f.ids)) + nr * 144 + 128
    return f.changed(place, "2Q", off, length)


@pytest.mark.parametrize("off, length", [
    (FAR, 16), (104, FAR), (2**64 - 8, 16), (464, 16)], ids=str)
@pytest.mark.parametrize("big_endian", [False, True])
def test_the_only_event_needs_no_ids(repair, run, perfpair, native, is_whole,
                                     big_endian, off, length):
    """Where they would stand is not in the file."""
    f = File(big_endian, attrs=(ATTR,))
    f.ids = f.ids[:1]
    for time in (100, 110, 120):
        f.sample(time)
    assert len(f.bytes()) < 464 + 16
    new, told = repair(without_ids(f, 0, off, length))
    assert is_whole()
    assert native(new) == native(f.bytes())
    assert "left out" not in told
    what = "at byte 0xf8: the ids of event 0 are not in the file"
    for words in (["report"], ["script"], ["evlist"]):
        done = run([perfpair, *words, "-i", "t.data"])
        assert (done.returncode, done.stderr) == (
            3, f"perfpair: t.data: {what}\n")
        assert done.stdout == run([perfpair, *words, "-i", "new.data"]).stdout
    done = run([perfpair, "check", "t.data"])
    assert done.returncode == 3
    assert what in done.stdout
    assert "readable in part: 1 error (1 section)" in done.stdout


def test_ids_that_are_lost_are_there_once_more(repair, native, is_whole):
    """EVENT_DESC has them."""
    f = File().some()
    f.features = {12: event_desc(f)}
    new, _ = repair(without_ids(f, 1))
    assert is_whole()
    assert native(new) == native(f.bytes())


def test_an_event_of_two_whose_ids_are_lost(repair, run, perfpair, native,
                                            is_whole):
    """Samples of the other one are there, and it is told how many are not."""
    f = File().some()
    new, _ = repair(without_ids(f, 1))
    assert is_whole()
    assert sum(line.startswith("9 ") for line in native(new)) == 3
    done = run([perfpair, "script", "-F", "time", "--ns", "-i", "t.data"])
    assert done.returncode == 3
    assert done.stdout.split() == ["0.000000100:", "0.000000110:",
                                   "0.000000120:"]
    assert "the ids of event 1 are not in the file" in done.stderr
    assert "1 sample of events that the file does not describe" in done.stderr


def test_ids_that_several_events_share(run, perfpair, tmp_path):
    """A small file could name all of its bytes as ids of thousands."""
    f = File().some()
    entries = 104 + 8 * sum(map(len, f.ids))
    data = bytearray(f.bytes())
    for nr in range(2):
        data[entries + nr * 144 + 128:entries + (nr + 1) * 144] = \
            f.e.words(104, (len(data) - 104) // 8 * 8)
    (tmp_path / "t.data").write_bytes(data)
    done = run([perfpair, "check", "t.data"])
    assert done.returncode == 3
    assert "the ids of event 1 and of others are more than the file holds" \
        in done.stdout


@pytest.mark.parametrize("nr", [1, 2])
def test_nothing_is_made_of_attrs_of_zeros(run, perfpair, tmp_path, nr):
    """Nobody can tell what is in the samples."""
    f = File(attrs=nr * (ATTR,))
    f.ids = f.ids[:nr]
    data = f.some().changed(104 + 8 * sum(map(len, f.ids)), f"{nr * 144}s",
                            bytes(nr * 144))
    (tmp_path / "t.data").write_bytes(data)
    done = run([perfpair, "repair", "t.data", "-o", "new.data"])
    assert done.returncode == FAILED
    assert done.stderr.startswith("perfpair: t.data: ")
    assert "the file describes no event" in done.stderr
    assert os.listdir(tmp_path) == ["t.data"]


def test_nobody_knows_whose_samples_without_ids_are(run, perfpair, tmp_path):
    attr = make.attr_of(sample_type=BITS & ~(1 << 6))
    (tmp_path / "t.data").write_bytes(File(attrs=(attr, attr)).some().bytes())
    done = run([perfpair, "repair", "t.data", "-o", "new.data"])
    assert done.returncode == FAILED
    assert "none of several events has an id in its samples" in done.stderr
    assert os.listdir(tmp_path) == ["t.data"]


@pytest.mark.parametrize("place", [0, 1])
def test_an_event_without_id_beside_attrs_of_zeros(repair, native, is_whole,
                                                   place):
    """All samples are of the only event that is left."""
    attr = make.attr_of(sample_type=BITS & ~(1 << 6))
    f = File(attrs=(attr, attr))
    f.ids = [[], []]
    f.records = [f.e.record(9, 2, f.e.words(0x401000) + f.e.pack("II", 5, 6)
                            + f.e.words(time) + f.e.pack("II", 1, 0))
                 for time in (100, 110)]
    new, told = repair(f.changed(104 + (1 - place) * 144, "128s", bytes(128)))
    assert is_whole()
    assert "changed: 1 event left out" in told
    assert struct.unpack_from("<Q", new, 32)[0] == 144
    assert sum(line.startswith("9 ") for line in native(new)) == 2


def test_more_descriptions_than_there_can_be_events(repair, run, perfpair,
                                                    native, is_whole):
    """perf 7.2 takes 65536.  The attrs are good, but for the length in one."""
    f = File().some()
    desc = bytearray(f.e.attr(ATTR)[:64]) + f.e.pack("II", 0, 0)
    desc[4:8] = f.e.pack("I", 64)
    f.features = {12: f.e.pack("II", 65537, 64) + 65537 * bytes(desc)}
    attrs_off = 104 + 8 * 3
    new, told = repair(f.changed(attrs_off + 4, "I", 136))
    assert is_whole()
    assert native(new) == native(File().some().bytes())
    assert "features rebuilt: EVENT_DESC" in told
    done = run([perfpair, "check", "t.data"])
    assert "EVENT_DESC: a list of 65537 events [feature]" in done.stdout
    done = run([perfpair, "script", "-i", "t.data"])
    assert (done.returncode, len(done.stdout.splitlines())) == (3, 4)
    assert "an attr of 136 bytes in an entry for one of 128; and 1 more " \
        in done.stderr


def test_more_events_than_there_can_be(repair, run, perfpair, is_whole):
    """perf 7.2 refuses more (and 6.1 reads so many for minutes)."""
    f = File()
    first = f.e.record(64, 0, f.e.attr(ATTR) + f.e.words(101))[:-8]
    attrs = b"".join(first + f.e.words(1000 + i) for i in range(65537))
    samples = [f.e.sample(ATTR, f.ident(time, ident))
               for time, ident in ((10, 1000), (11, 1000 + 65535),
                                   (12, 1000 + 65536))]
    _, told = repair(f.e.pipe_file([], attrs + b"".join(samples)))
    assert is_whole()
    assert "more than 65536 events" in told
    assert "changed: 1 record left out: of an event that is not described" \
        in told
    script = [perfpair, "script", "-F", "time", "--ns", "-i"]
    times = run([*script, "new.data"])
    done = run([*script, "t.data"])
    assert (times.returncode, done.returncode) == (0, 3)
    assert times.stdout == done.stdout
    assert done.stdout.split() == ["0.000000010:", "0.000000011:"]
    assert "more than 65536 events" in done.stderr
    assert run([perfpair, "check", "t.data"]).returncode == 3


def test_rounds_that_do_not_hold_are_left_out(repair, run, perfpair):
    f = File().some()
    f.sample(115)  # older than what the second marker let go
    new, told = repair(f.bytes())
    assert "changed: 1 of 2 round markers left out" in told
    done = run([perfpair, "check", "new.data"])
    assert "[order]" not in done.stdout
    assert "1 FINISHED_ROUND" in done.stdout


def test_long_attrs_are_cut(repair, native, is_whole):
    """perf 6.1 reads none over 128 bytes."""
    data, expected = FIXTURES["attr144-le.data"]
    new, told = repair(data)
    assert struct.unpack_from("<Q", new, 16)[0] == 128 + 16
    assert "config3 and config4 of the events left out" in told
    assert native(new) == expected


def test_bits_of_newer_attrs_are_cleared(repair, native, is_whole):
    """perf 6.1 complains of them, whatever it is asked for."""
    newer = type(ATTR)(ATTR, aux_action=1, flags=ATTR["flags"] | 1 << 38, read_format=4 | 1 << 9)
    f = File(attrs=(newer, ATTR)).some()
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 1 event less bits of the attr that perf 6.1 does not" \
        in told
    attrs_off, = struct.unpack_from("<Q", new, 24)
    assert struct.unpack_from("<QQ", new, attrs_off + 32) == (
        4, ATTR["flags"])
    assert struct.unpack_from("<I", new, attrs_off + 116) == (0,)  # aux_action
    assert native(new) == native(f.bytes())


def test_samples_with_unknown_counts_are_left_out(repair, native, is_whole):
    """Members of READ that nobody knows: perf 6.1 would take the next one for
    the length of the call chain."""
    bits = BITS | 1 << 4 | 1 << 5
    known = type(ATTR)(ATTR, sample_type=bits, read_format=4)
    told_by = type(ATTR)(known, read_format=4 | 16)
    newer = type(ATTR)(known, read_format=4 | 1 << 9)
    f = File(attrs=(ATTR, newer)).some()
    f.records.pop(4)
    for attr in told_by, known:
        f.records.append(f.e.sample(attr, f.ident(140, 102)))
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 1 record left out: samples with fields that are not known" \
        in told
    kept = File(attrs=(ATTR, known))
    kept.records = f.records[:4] + f.records[-1:]
    assert native(new) == native(kept.bytes())


@pytest.mark.parametrize("big_endian", [False, True])
def test_branch_counters_are_cut_out(repair, native, is_whole, big_endian):
    """perf 6.1 would take them for the registers behind, or give up."""
    old = type(ATTR)(ATTR, sample_type=BITS | 1 << 11 | 1 << 12 | 1 << 15,
                     branch_sample_type=1 << 3, sample_regs_user=3)
    newer = type(ATTR)(old, branch_sample_type=1 << 3 | 1 << 19)
    files = []
    for attr in newer, old:
        files.append(File(big_endian, attrs=(ATTR, attr)).some())
        files[-1].records[4:] = [
            files[-1].e.sample(attr, files[-1].ident(140, 102))]
    new, told = repair(files[0].bytes())
    assert is_whole()
    assert "changed: 1 record padded, their text ended, or rid of a flag or " \
        "fields that perf 6.1 trips over" in told
    assert native(new) == native(files[1].bytes())


def test_tracepoints_without_data_are_left_out(repair, native, is_whole):
    """Where a sample lost all behind its id, or its data is of a format that
    no event has; perf 6.1 ends in a signal."""
    attr = type(ATTR)(ATTR, type=2, config=7, sample_type=BITS | 1 << 10)
    f = File(attrs=(ATTR, attr)).some()
    f.records.pop(4)
    for raw in (b"", b"\7\1\0\0", b"\7\0\0\0"):
        f.records.append(f.e.sample(attr, dict(f.ident(140, 102), raw=raw)))
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 3 records left out: samples that are not" in told
    kept = File(attrs=(ATTR, attr))
    kept.records = f.records[:4] + f.records[-1:]
    assert native(new) == native(kept.bytes())


def list_one(f, cpu, tid):
    f.add(73, f.e.words(1, tid) + bytes(16))
    f.add(74, f.e.pack("HHH", 0, 1, cpu) + bytes(2))


def test_counts_of_no_event_are_left_out(repair, native, is_whole):
    """perf 6.1 gives the file up at them."""
    f = File().some()
    list_one(f, 0, 6)
    for ident, cpu, thread in ((999, 0, 0), (101, 1, 0), (101, 0, 1),
                               (101, 0, 0)):
        f.add(76, f.e.words(ident) + f.e.pack("II", cpu, thread)
              + f.e.words(5, 10, 10))
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 1 record left out: of an event that is not described" \
        in told
    assert "changed: 2 records left out: counts of CPUs or threads that are " \
        in told
    del f.records[-4:-1]
    assert native(new) == native(f.bytes())


FORMAT = """name: {name}
ID: {ident}
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;

print fmt: "value=%d", REC->value
"""
POINTS = {"one": {"first": 7, "second": 8}, "two": {"third": 9}}
PRINTK = b'0xffffffff81000000 : "text"\n'


def traced(big_endian=False):
    """(a file with samples of three tracepoints, the places in its TRACING_DATA
    where parts of that begin)"""
    def text(data):
        return f.e.pack("Q", len(data)) + data

    idents = [i for system in POINTS.values() for i in system.values()]
    attrs = [type(ATTR)(ATTR, type=2, config=ident,
                        sample_type=BITS | 1 << 10) for ident in idents]
    f = File(big_endian, attrs=attrs)
    f.ids = [[100 + ident] for ident in idents]
    for ident in idents:
        f.records.append(f.e.record(9, 2, f.e.words(1) + f.e.pack(
            "II", 5, 6) + f.e.words(90 + ident, 100 + ident)
            + f.e.pack("III", 1, 0, 12) + f.e.pack("HHIi", ident, 0, 5, 40)))
    blob = (b"\x17\x08\x44tracing0.6\0" + f.e.pack("BBI", big_endian, 8, 4096)
            + b"header_page\0" + text(b"\tfield: u64 timestamp;\toffset:0;"
                                      b"\tsize:8;\tsigned:0;\n")
            + b"header_event\0" + text(b"# compressed entry header\n")
            + f.e.pack("II", 0, len(POINTS)))
    places = {"systems": len(blob)}
    for system, points in POINTS.items():
        blob += system.encode() + b"\0" + f.e.pack("I", len(points))
        for name, ident in points.items():
            places[name] = len(blob)
            blob += text(FORMAT.format(name=name, ident=ident).encode())
    places["tail"] = len(blob)
    blob += f.e.pack("II", 0, len(PRINTK)) + PRINTK + text(b"5 worker\n")
    f.features = {1: blob, 3: f.string(b"host")}
    return f, places


def of_formats():
    """How TRACING_DATA is damaged, and the points whose formats are whole."""
    places = traced()[1]
    everything = {"first", "second", "third"}
    yield "cut in the last text", ("cut", places["tail"] + 11), everything
    yield "cut in a format", ("cut", places["third"] + 100), {"first", "second"}
    yield "cut in the first format", ("cut", places["first"] + 100), set()
    yield "nothing but the magic", ("cut", 10), set()
    yield "zeros in a format", ("zero", places["second"] + 60, 100), \
        {"first", "third"}
    yield "other bytes in a text", ("set", places["tail"] - 30, 2**64 - 7), \
        {"first", "second"}
    yield "zeros in a length", ("zero", places["second"], 8), \
        {"first", "third"}
    yield "zeros from one to the other", \
        ("zero", places["first"] + 100, places["third"] - places["first"]), set()
    yield "zeros in the number of systems", ("zero", places["systems"] - 4, 4), \
        everything
    yield "zeros in the head", ("zero", 0, 30), everything
    yield "a length that is too long", ("set", places["second"], 1 << 40), \
        {"first", "third"}


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("name,damage,whole", of_formats(),
                         ids=lambda v: v if isinstance(v, str) else "")
def test_formats_that_are_whole_stay(repair, is_whole, run, perfpair, name,
                                     damage, whole, big_endian):
    f, _ = traced(big_endian)
    kind, at, *more = damage
    blob = f.features[1]
    if kind == "cut":
        blob = blob[:at]
    elif kind == "zero":
        blob = blob[:at] + bytes(more[0]) + blob[at + more[0]:]
    else:
        blob = blob[:at] + f.e.words(more[0]) + blob[at + 8:]
    f.features[1] = blob
    _, told = repair(f.bytes())
    assert is_whole()
    assert (f"formats of tracepoints: {len(whole)} kept, {3 - len(whole)} made "
            "up" in told)
    done = run([perfpair, "script", "-F", "event,trace", "-i", "new.data"])
    assert (done.returncode, done.stderr) == (0, "")
    idents = {name: i for s in POINTS.values() for name, i in s.items()}
    systems = {name: s for s, points in POINTS.items() for name in points}
    assert [line.split() for line in done.stdout.splitlines()] == [
        [f"{systems[name]}:{name}:", "value=40"] if name in whole else
        [f"unknown:id_{ident}:"] for name, ident in idents.items()]


def test_formats_without_damage_stay_as_they_are(repair):
    f, _ = traced()
    new, told = repair(f.bytes())
    assert f.features[1] in new
    assert "formats of tracepoints" not in told


def features_of(data):
    words = struct.unpack_from("<4Q", data, 72)
    return [bit for bit in range(256) if words[bit // 64] >> bit % 64 & 1]


def test_features(repair, is_whole):
    """Kept are those that can be decoded."""
    f = File().some()
    f.features = {3: f.string(b"host"), 4: f.e.pack("I", 99) + b"short",
                  7: f.e.pack("II", 4, 4), 99: b"12345678", 24: f.e.words(1),
                  17: f.e.pack("I", 1) + f.string(b"g") + f.e.pack("II", 1, 9)}
    new, told = repair(f.bytes())
    assert is_whole()
    assert features_of(new) == [3, 7, 12, 21, 99]
    assert "t.data: features lost: OSRELEASE, GROUP_DESC\n" in told
    assert "new.data: features kept: HOSTNAME, NRCPUS, 99\n" in told
    assert "new.data: features rebuilt: EVENT_DESC, SAMPLE_TIME\n" in told


def test_features_that_lie_in_something_else(repair, is_whole):
    """Half an entry before the table: what it leads to then can be decoded, as
    numbers and lists of what stands there."""
    f = File().some()
    f.features = {3: f.string(b"host"), 7: f.e.pack("II", 4, 4),
                  10: f.e.words(1000), 23: f.e.words(1), 29: bytes(24)}
    new, told = repair(f.changed(48, "Q", sum(map(len, f.records)) - 8))
    assert is_whole()
    assert features_of(new) == [12, 21]
    assert "features lost: " in told


def test_of_two_features_in_one_place_the_shorter_counts(repair, is_whole):
    f = File().some()
    f.features = {3: f.string(b"host"), 7: f.e.pack("II", 4, 4)}
    table = f.data_off + sum(map(len, f.records))
    off, = struct.unpack_from("<Q", f.bytes(), table + 16)
    new, told = repair(f.changed(table, "QQ", off - 60, 68))
    assert features_of(new) == [7, 12, 21]
    assert "features lost: HOSTNAME" in told


def test_branches_of_no_event(repair, is_whole):
    """perf report takes the feature for what to show, and shows nothing."""
    f = File().some()
    f.features = {15: b""}
    new, told = repair(f.bytes())
    assert is_whole()
    assert 15 not in features_of(new)


def test_cut_features_keep_the_first(repair, is_whole):
    f = File().some()
    f.features = {3: f.string(b"host"), 4: f.string(b"6.1")}
    new, told = repair(f.bytes()[:-1])
    assert is_whole()
    assert features_of(new) == [3, 12, 21]
    assert "the file ends before its feature 4" in told


@pytest.mark.parametrize("arch, socket, is_lost", [
    (b"x86_64", 1, False), (b"x86_64", 2, False), (b"x86_64", 2**32 - 1, False),
    (b"x86_64", 3, True), (b"aarch64", 3, False), (b"s390x", 2**31, False)])
def test_sockets_that_perf_gives_up_at(repair, is_whole, arch, socket,
                                       is_lost):
    """It would read no feature behind, of a compressed file nothing at all."""
    f = File().some()
    f.features = {6: f.string(arch), 7: f.e.pack("II", 2, 2),
                  13: f.e.pack("IIIIII", 0, 0, 0, 0, 1, socket),
                  21: f.e.words(100, 130)}
    new, told = repair(f.bytes())
    assert is_whole()
    assert ("features lost: CPU_TOPOLOGY" in told) == is_lost
    assert (13 in features_of(new)) == (not is_lost)


def on_cpus(nrcpus, topology, cpus):
    """Samples of CPUs; topology: entries, and whether there are dies; None."""
    f = File()
    for time, cpu in enumerate(cpus):
        f.sample(100 + time, cpu=cpu)
    f.features = {6: f.string(b"x86_64"), 7: f.e.pack("II", *nrcpus),
                  23: f.e.words(1)}
    if topology:
        nr, has_dies = topology
        siblings = f.e.pack("I", 1) + f.string(b"0,2-%d" % (nr - 1))
        f.features[13] = 2 * siblings + b"".join(
            f.e.pack("II", i % 4, i // 4) for i in range(nr))
        if has_dies:
            f.features[13] += siblings + f.e.pack(f"{nr}I", *[0] * nr)
    return f


@pytest.mark.parametrize("nrcpus, has_dies, mended", [
    ((8, 8), False, (8, 8)), ((8, 6), True, (8, 6)),
    ((2, 8), False, (8, 8)), ((1, 7), True, (8, 7)), ((8 << 24, 8), True, (8, 8)),
    ((0, 0), True, (8, 8)), ((2, 2), False, (8, 2))])
def test_topology_tells_how_many_cpus_there_were(
        repair, native, is_whole, nrcpus, has_dies, mended):
    """By a number that was overwritten good samples would be left out."""
    f = on_cpus(nrcpus, (8, has_dies), (0, 5, 7, 9))
    new, told = repair(f.bytes())
    assert is_whole()
    assert "changed: 1 record left out: " in told
    assert ("features rebuilt: NRCPUS, EVENT_DESC" in told) == (
        nrcpus != mended)
    f = on_cpus(mended, (8, has_dies), (0, 5, 7))
    assert native(new) == native(f.bytes())
    assert f.features[13] in new
    assert f.features[7] in new


@pytest.mark.parametrize("cpus, is_lost", [
    ((1, 4, 5), True), ((0, 1, 4), False), ((0, 1, 2, 3), False)])
def test_most_samples_tell_how_many_cpus_there_were(repair, native, is_whole,
                                                    cpus, is_lost):
    """Where nothing else does."""
    new, told = repair(on_cpus((2, 2), None, cpus).bytes())
    assert is_whole()
    assert ("features lost: NRCPUS" in told) == is_lost
    assert (7 in features_of(new)) == (not is_lost)
    kept = cpus if is_lost else [cpu for cpu in cpus if cpu < 2]
    assert native(new) == native(on_cpus((2, 2), None, kept).bytes())


def test_topology_without_the_number_of_cpus(repair, is_whole):
    """perf 6.1 would read no feature behind it, COMPRESSED among them."""
    f = File().some()
    f.features = {13: f.e.pack("II", 0, 0) + bytes(64),
                  21: f.e.words(100, 130)}
    new, told = repair(f.bytes())
    assert is_whole()
    assert "features lost: CPU_TOPOLOGY" in told
    assert features_of(new) == [12, 21]


def test_samples_of_counts_that_nobody_knows(repair, native, is_whole):
    """perf would tell of each, also where there is one event alone."""
    attr = type(ATTR)(ATTR, sample_type=BITS | 1 << 4, read_format=4)
    f = File(attrs=(attr,))
    f.ids = [[7]]
    f.records = [f.e.sample(attr, f.ident(100))]  # counts of id 101
    new, told = repair(f.bytes())
    assert "changed: 1 record left out: of an event that is not described" \
        in told
    f.ids = [[101]]
    new, told = repair(f.bytes())
    assert is_whole()
    assert "left out" not in told
    assert native(new) == native(f.bytes())


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("read_format", [4 | 8, 1 | 2 | 4 | 8 | 16])
def test_members_of_a_group_that_nobody_knows(repair, native, is_whole,
                                              read_format, big_endian):
    """perf tells of each; the others, and what is behind them, stay."""
    attr = type(ATTR)(ATTR, sample_type=BITS | 1 << 4 | 1 << 10,
                      read_format=read_format)

    def of(members):
        f = File(big_endian, attrs=(attr, attr))
        for time in (100, 110):
            f.records.append(f.e.record(9, 2, f.e.words(1) + f.e.pack(
                "II", 5, 6) + f.e.words(time, 101) + f.e.pack("II", 1, 0)
                + f.e.count(read_format, members)
                + f.e.pack("I", 4) + b"tail"))
        return f

    known = [(50, 101, 1), (60, 102, 2)]
    strange = [(7, 998, 3), known[0], (8, 999, 4), known[1], (9, 998, 5)]
    new, told = repair(of(strange).bytes())
    assert is_whole()
    assert "changed: 2 records padded" in told
    assert native(new) == native(of(known).bytes())


def test_counts_without_their_feature(repair, is_whole):
    """Of perf stat record: perf looks for samples where nothing says so."""
    f = File().some()
    f.records[2:] = []
    list_one(f, 1, 6)
    f.add(76, f.e.words(101) + f.e.pack("II", 1, 0) + f.e.words(7, 8, 9))
    new, told = repair(f.bytes())
    assert is_whole()
    assert "features rebuilt: EVENT_DESC, STAT" in told
    assert 19 in features_of(new)


def test_build_ids_out_of_mappings(repair, run, perfpair):
    """Of a file that has lost its features."""
    f = File()
    for name in (b"/bin/one\0\0\0\0\0\0\0\0", b"[kernel.kallsyms]_text\0\0"):
        f.add(10, f.e.pack("IIQQQB3x20sII", 5, 5, 4096, 4096, 0, 20,
                           bytes(range(20)), 5, 2) + name, 50, 0x4002)
    f.sample(100)
    new, told = repair(f.bytes())
    assert "features rebuilt: BUILD_ID, EVENT_DESC, SAMPLE_TIME" in told
    done = run([perfpair, "buildid-list", "-i", "new.data"])
    assert done.stdout == "".join(
        f"{bytes(range(20)).hex()} {name}\n"
        for name in ("/bin/one", "[kernel.kallsyms]"))


def test_other_order_without_hostname_gets_one(repair, is_whole):
    """Else perf takes the bitmap for that of a 32-bit producer."""
    new, told = repair(File(True).some().bytes())
    assert is_whole()
    assert "features rebuilt: HOSTNAME, EVENT_DESC, SAMPLE_TIME" in told
    assert new[72:80] == struct.pack(">Q", 1 << 3 | 1 << 12 | 1 << 21)


def test_not_closed(repair, native, is_whole):
    f = File().some()
    new, told = repair(f.changed(48, "Q", 0))
    assert is_whole()
    assert "t.data: the recording was not closed" in told
    assert native(new) == native(f.bytes())
    assert ": 5 records: 1 COMM, 4 SAMPLE; samples from 0.000000100 to " \
        "0.000000130" in told


def test_output_is_never_overwritten(run, perfpair, tmp_path):
    data = File().some().bytes()
    (tmp_path / "t.data").write_bytes(data)
    (tmp_path / "new.data").write_text("mine")
    done = run([perfpair, "repair", "-i", "t.data", "-o", "new.data"])
    assert done.returncode == FAILED
    assert done.stdout == ""
    assert done.stderr == (
        "perfpair: new.data: the file is there already\n"
        "perfpair: -f overwrites it\n")
    assert (tmp_path / "new.data").read_text() == "mine"
    done = run([perfpair, "repair", "t.data", "-f", "-o", "t.data"])
    assert done.returncode == MADE
    assert (tmp_path / "t.data").read_bytes() != data
    assert sorted(os.listdir(tmp_path)) == ["new.data", "t.data"]


def test_output_is_the_user_s_alone(repair, tmp_path):
    repair(File().some().bytes())
    assert stat.S_IMODE(os.stat(tmp_path / "new.data").st_mode) == 0o600


@pytest.mark.parametrize("data", [b"PERFILE2", b"no recording" * 20,
                                  FIXTURES["attr64-le.data"][0][:150]])
def test_nothing_is_made_of_nothing(run, perfpair, tmp_path, data):
    (tmp_path / "t.data").write_bytes(data)
    done = run([perfpair, "repair", "t.data", "-o", "new.data"])
    assert done.returncode == FAILED
    assert done.stderr.startswith("perfpair: t.data: at byte ")
    assert os.listdir(tmp_path) == ["t.data"]


def test_disk_full(run, perfpair, tmp_path):
    """Nothing stays of a file that could not be written to its end."""
    (tmp_path / "t.data").write_bytes(FIXTURES["samples-le.data"][0])
    done = run(["bash", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "-",
                perfpair, "repair", "t.data", "-o", "new.data"])
    assert done.returncode == FAILED
    assert done.stderr == "perfpair: new.data: File too large\n"
    assert os.listdir(tmp_path) == ["t.data"]


def test_folder_that_is_not_there(run, perfpair, tmp_path):
    (tmp_path / "t.data").write_bytes(File().some().bytes())
    done = run([perfpair, "repair", "t.data", "-o", "no/such/folder"])
    assert done.returncode == FAILED
    assert done.stderr == \
        "perfpair: no/such/folder: No such file or directory\n"


@pytest.mark.parametrize("args", [["t.data"], ["-o", "-"], ["a", "b", "-o", "c"],
                                  ["-z99", "-o", "c"], ["--nonsense"]])
def test_usage(run, perfpair, args):
    done = run([perfpair, "repair", *args])
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr


def test_quiet(run, perfpair, tmp_path):
    (tmp_path / "t.data").write_bytes(File().some().bytes()[:-8])
    done = run([perfpair, "repair", "-q", "t.data", "-o", "new.data"])
    assert (done.returncode, done.stdout, done.stderr) == (MADE, "", "")


@pytest.mark.parametrize("name", ["records-le.data", "records-be.pipe",
                                  "samples-le.data"])
def test_cut_anywhere(run, perfpair, tmp_path, is_whole, name):
    """What comes out of a cut file is whole, or there is nothing."""
    whole = FIXTURES[name][0]
    for length in range(1, len(whole), max(1, len(whole) // 60)):
        (tmp_path / "t.data").write_bytes(whole[:length])
        done = run([perfpair, "repair", "-f", "t.data", "-o", "new.data"])
        assert done.returncode in (MADE, FAILED), length
        if done.returncode == MADE and "0 records" not in done.stdout:
            assert is_whole(
                helpless=NO_ID if "samples" in name else None), length


@pytest.mark.parametrize("pointer, is_kept", [(112, False), (120, False),
                                              (184, False), (136, True)])
def test_arrays_of_bpf_programs_outside_their_data(repair, run, perfpair,
                                                   is_whole, pointer, is_kept):
    """perf 6.1 ends in a signal where it prints them."""
    f = File().some()
    payload = bytearray(bpf_prog_info(f.e))
    payload[20 + pointer:28 + pointer] = f.e.words(0x2d0000000002a0)
    f.features = {25: bytes(payload)}
    new, told = repair(f.bytes())
    assert is_whole()
    assert ("features lost: BPF_PROG_INFO" in told) == (not is_kept)
    checked = run([perfpair, "check", "t.data"])
    assert ("an array of a program is outside its data" in checked.stdout) \
        == (not is_kept)


def test_build_ids_without_bytes_are_left_out(repair, is_whole):
    f = File().some()
    first = build_ids(f.e)
    first = first[:struct.unpack_from("<H", first, 6)[0]]
    without = first[:32] + bytes(4) + first[36:]
    f.features = {2: first + without + first, 3: f.string(b"host")}
    new, told = repair(f.bytes())
    assert is_whole()
    assert "features lost: BUILD_ID" in told
    assert new.count(first) == 2 and without not in new


def test_a_feature_stat_that_is_lost_is_none(repair, is_whole):
    """Its place in the table is that of the header: the new file does not say
    that it has no samples, and may not have the id at two places of them."""
    other = make.attr_of(sample_type=BITS | 1 << 16)
    f = File(attrs=(ATTR, other)).some()
    f.features = {19: b""}
    data = f.bytes()
    table = f.data_off + sum(map(len, f.records))
    new, told = repair(data[:table] + f.e.words(64, 16))
    assert is_whole()
    assert "features lost: STAT" in told
    assert struct.unpack_from("<Q", new, 32)[0] == 144
    new, _ = repair(data)  # one that is there
    assert is_whole()
    assert struct.unpack_from("<Q", new, 32)[0] == 2 * 144
