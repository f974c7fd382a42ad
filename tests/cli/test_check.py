"""perfpair check: what is right has no finding of damage; each kind of damage is
found where it was made."""

import ctypes
import json
import struct
import subprocess

import pytest

from common import CORPUS
from test_hostile import BOMBS, MEASURE, MIB, compress, packed
from made_file import ATTR, BITS, ENTRY_LEN, File, HEADER_LEN, make
from perf_data import Attr

WHOLE, UNREADABLE, USAGE, IN_PART = 0, 1, 2, 3
FIXTURES = {name: data for name, data, _, _ in make.fixtures()}


@pytest.fixture
def check(run, perfpair, tmp_path):
    """check(bytes, *options): the exit code and what --format json says."""
    def of(data, *options):
        path = tmp_path / "t.data"
        path.write_bytes(data)
        done = run([perfpair, "check", "--format", "json", *options, path])
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)
    return of


def found(told):
    """{kind: [offset, ...]} of what is shown."""
    ret = {}
    for finding in told["findings"]:
        ret.setdefault(finding["kind"], []).append(finding.get("offset"))
    return ret


@pytest.mark.parametrize("name", FIXTURES)
def test_what_is_right_is_whole(name, check):
    code, told = check(FIXTURES[name])
    if name.startswith("samples"):
        # values of counters without an id; a member of each group is strange
        assert code == IN_PART and list(found(told)) == ["attr", "event"]
        assert told["found"] == {"attr": 16, "event": 8}
        return
    if name.startswith("records"):
        # a count of a CPU and a thread that no map has
        assert code == IN_PART and list(found(told)) == ["event"]
        assert told["found"]["event"] == 1
        return
    assert (code, told["verdict"]) == (WHOLE, "whole")
    # records of no plain text, where perf does not read on
    is_odd = name.startswith(("compressed-frames", "compressed-nothing"))
    # none of these has the feature COMPRESSED
    is_packed = not {"COMPRESSED", "COMPRESSED2"}.isdisjoint(told["records"])
    assert list(found(told)) == (is_packed * ["feature-odd"] +
                                 is_odd * ["compressed"])


@pytest.mark.parametrize("lost, samples, total", [(7, 0, 7), (7, 9, 9),
                                                  (0, 5, 5), (7, 3, 7)])
def test_what_two_kinds_of_records_tell_is_lost_once(check, lost, samples,
                                                     total):
    """LOST_SAMPLES at the end are, by event, what LOST records told of."""
    file = File(False).some()
    if lost:
        file.add(2, file.e.words(101, lost), 140)
    if samples:
        file.add(13, file.e.words(samples), 150)
    code, told = check(file.bytes())
    assert (code, told["events_lost"]) == (WHOLE, total)


@pytest.mark.parametrize("view, told", [(["report", "--stats"], 2),
                                        (["report", "-D"], 1)])
def test_what_an_event_has_lost_is_told_for_stats_alone(view, told, perfpair,
                                                        run, tmp_path):
    """As in perf 6.1: its dump ends with what all events have lost together."""
    file = File(False).some()
    file.add(13, file.e.words(4711), 150)
    (tmp_path / "lost.data").write_bytes(file.bytes())
    text = run([perfpair, *view, "-i", "lost.data"]).stdout
    assert text.count("LOST_SAMPLES events:") == told
    assert ("4711" in text.rpartition("Aggregated stats:")[2]) == (told == 2)


@pytest.mark.parametrize("big_endian", [False, True])
def test_totals(check, big_endian):
    file = File(big_endian).some()
    file.add(2, file.e.words(101, 7), 140)
    code, told = check(file.bytes())
    assert code == WHOLE
    assert told["records"] == {"COMM": 1, "SAMPLE": 4, "FINISHED_ROUND": 2,
                               "LOST": 1}
    assert told["record_count"] == 8
    assert told["events_lost"] == 7
    assert told["bytes"] == len(file.bytes())
    assert told["bytes_passed_over"] == 0


def sections():
    """name: (changed bytes, kind, offset)"""
    f = File().some()
    whole, data_off = f.bytes(), f.data_off
    end = data_off + sum(map(len, f.records))
    attrs_off = HEADER_LEN + 24
    yield "cut", whole[:-1], "cut", len(whole) - 1
    yield ("data in attrs", f.changed(40, "QQ", data_off - 8,
                                      end - data_off + 8),
           "section", data_off - 8)
    yield "part of an entry", f.changed(32, "Q", 2 * ENTRY_LEN + 8), \
        "section", 32
    yield "part of an id", f.changed(attrs_off + 136, "Q", 15), \
        "section", attrs_off + 136
    yield "event types", f.changed(56, "QQ", len(whole), 8), "section", 56
    f.features, f.tail = {15: b""}, b"\1" * 5
    yield "gap", f.bytes(), "gap", len(whole) + 16
    f = File().some()
    yield "attr size", f.changed(attrs_off + 4, "I", 136), "attr", attrs_off
    yield "newer bits", f.changed(attrs_off + 24, "Q", BITS | 1 << 40), \
        "attr-newer", attrs_off
    yield "id twice", f.changed(HEADER_LEN + 16, "Q", 101), \
        "id", attrs_off + ENTRY_LEN
    yield "no id", f.changed(attrs_off + ENTRY_LEN + 24, "Q", 7), \
        "attr", attrs_off + ENTRY_LEN


@pytest.mark.parametrize("name,data,kind,offset", sections(),
                         ids=lambda v: v if isinstance(v, str) else "")
def test_sections(check, name, data, kind, offset):
    code, told = check(data)
    assert offset in found(told)[kind]
    assert code == (WHOLE if kind in ("gap", "attr-newer") else IN_PART)


def records():
    """name: (bytes, kind, offset)"""
    f = File().some()
    yield "no record", f.changed(f.off(2) + 6, "H", 4), "record", f.off(2)
    yield "torn", f.changed(f.off(6) + 6, "H", 16), "record", f.off(6)
    yield "no such event", f.changed(f.off(1) + 32, "Q", 999), \
        "event", f.off(1)
    yield "text without end", f.changed(f.off(0) + 16, "8s", b"x" * 8), \
        "text", f.off(0) + 24
    yield "padding", f.changed(f.off(0) + 23, "B", 1), \
        "padding", f.off(0) + 23
    f = File()
    f.add(7, f.e.pack("III", 1, 2, 3), 100)
    yield "fork too short", f.bytes(), "body", None
    f = File()
    f.add(14, f.e.words(1, 2), 100)
    yield "switch too long", f.bytes(), "body-long", f.off(0) + 8
    f = File()
    f.records.append(f.e.record(9, 0, f.e.words(1, 2, 3, 101)))
    yield "sample too short", f.bytes(), "sample", None
    f = File()
    f.sample(100)
    longer = f.records[0] + bytes(8)
    f.records[0] = longer[:6] + f.e.pack("H", len(longer)) + longer[8:]
    yield "sample too long", f.bytes(), "sample-long", f.off(0) + len(longer) - 8
    f = File()
    f.records.append(f.e.record(40, 0, f.e.words(1)))
    yield "unknown type", f.bytes(), "type", f.off(0)
    f = File()
    f.records.append(f.e.pack("IHH", 9, 2, 51) + f.e.words(
        1, 2, 3, 101, 1) + bytes(3))
    yield "unaligned", f.bytes(), "unaligned", f.off(0) + 6
    f = File().some()
    f.sample(115)
    yield "too late", f.bytes(), "order", f.off(7)


@pytest.mark.parametrize("name,data,kind,offset", records(),
                         ids=lambda v: v if isinstance(v, str) else "")
def test_records(check, name, data, kind, offset):
    code, told = check(data)
    assert kind in found(told)
    if offset is not None:
        assert offset in found(told)[kind]
    is_damage = [f["damage"] for f in told["findings"] if f["kind"] == kind]
    assert code == (IN_PART if any(is_damage) else WHOLE)
    assert told["found"][kind] == len(is_damage)


def strange():
    """Counters and counts of what is not described: (bytes, what is found)"""
    for read_format, ids in ((1, ()), (4, (101,)), (4, (999,)),
                             (8 | 4, (101, 102)), (8 | 4, (998, 999)),
                             (8 | 4, (101, 999)), (8 | 4 | 16, (999, 102)),
                             (8, (0, 0))):
        attr = Attr(ATTR, sample_type=BITS | 1 << 4, read_format=read_format)
        f = File(attrs=(attr, attr))
        members = [(50, ident, 0) for ident in ids or (0,)]
        for time in (100, 110):
            f.records.append(f.e.record(9, 2, f.e.words(1) + f.e.pack(
                "II", 5, 6) + f.e.words(time, 101) + f.e.pack("II", 1, 0)
                + f.e.count(read_format, members)))
        attrs_off = HEADER_LEN + 24
        yield f.bytes(), \
            {"attr": [attrs_off, attrs_off + ENTRY_LEN]} \
            if not read_format & 4 else {} if 999 not in ids else \
            {"event": [f.off(0), f.off(1)]}
    for ident, cpu, thread in ((101, 0, 0), (102, 3, 1), (999, 0, 0),
                               (101, 1, 0), (101, 0, 2)):
        f = File()
        f.features = {3: f.string(b"host")}
        f.add(73, f.e.words(2, 7, 0, 0, 8, 0, 0))
        f.add(74, f.e.pack("HHHH", 0, 2, 0, 3))
        f.add(76, f.e.pack("QIIQQQ", ident, cpu, thread, 3, 4, 5))
        f.add(77, f.e.words(1, 5))
        is_known = ident != 999 and cpu != 1 and thread != 2
        yield f.bytes(), {} if is_known else {"event": [f.off(2)]}
    f = File()
    f.features = {3: f.string(b"host")}
    f.add(76, f.e.pack("QIIQQQ", 101, 0, 0, 3, 4, 5))
    yield f.bytes(), {"event": [f.off(0)]}  # no maps


@pytest.mark.parametrize("data, what", strange(), ids=lambda v: "")
def test_what_is_not_described_is_so_for_script_too(check, run, perfpair,
                                                    tmp_path, data, what):
    code, told = check(data)
    assert found(told) == what
    assert code == (IN_PART if what else WHOLE)
    (tmp_path / "s.data").write_bytes(data)
    assert run([perfpair, "script", "-i", tmp_path / "s.data"]).returncode \
        == code


def features():
    f = File().some()

    def with_feature(bit, payload, **more):
        g = File().some()
        g.features = {3: g.string(b"host"), bit: payload, **more}
        return g.bytes()

    e = f.e
    yield "string cut", with_feature(4, e.pack("I", 64) + b"short"), "feature"
    yield "more online", with_feature(7, e.pack("II", 1, 2)), "feature-odd"
    yield "behind the end", with_feature(7, e.pack("III", 2, 2, 0)), \
        "feature-odd"
    yield "groups", with_feature(17, e.pack("I", 1) + f.string(b"g")
                                 + e.pack("II", 1, 2)), "feature"
    yield "unknown", with_feature(99, b"12345678"), "feature-odd"
    yield "samples outside", with_feature(21, e.words(100, 120)), "time"
    yield "few CPUs", with_feature(7, e.pack("II", 1, 1)), "cpu"
    yield "build-id cut", with_feature(2, e.pack("IHH", 0, 0, 99) + bytes(40)), \
        "feature"
    yield "no formats", with_feature(1, b"no formats of tracepoints"), "feature"
    yield "no AUXTRACE there", with_feature(18, e.words(1, f.off(1), 48)), \
        "index"


@pytest.mark.parametrize("name,data,kind", features(),
                         ids=lambda v: v if isinstance(v, str) else "")
def test_features(check, name, data, kind):
    code, told = check(data)
    assert list(found(told)) == [kind]
    assert code == (IN_PART if told["findings"][0]["damage"] else WHOLE)


def test_feature_beyond_the_file(check):
    f = File().some()
    f.features = {3: f.string(b"host")}
    data = f.bytes()
    code, told = check(data[:-1])
    table = f.off(len(f.records))
    assert (code, found(told)["feature"]) == (IN_PART, [table])


def test_not_closed(check):
    f = File().some()
    end = f.off(3)
    code, told = check(f.changed(48, "Q", end - f.data_off))
    assert code == IN_PART
    assert found(told) == {"unfinished": [end], "uncovered": [end]}
    assert "4 records" in told["findings"][1]["text"]
    code, told = check(f.changed(48, "Q", 0))
    assert found(told) == {"unfinished": [f.data_off],
                           "uncovered": [f.data_off]}


@pytest.mark.parametrize("data", [b"", b"PERFILE2", b"not perf.data" * 20,
                                  FIXTURES["attr64-le.data"][:150]])
def test_not_readable(run, perfpair, tmp_path, data):
    (tmp_path / "t.data").write_bytes(data)
    done = run([perfpair, "check", "t.data"])
    assert done.returncode == UNREADABLE
    assert ("[unreadable]" in done.stdout) == bool(data)
    assert done.stderr == ("" if data else
                           "perfpair: t.data: the file is empty\n")


def test_no_event_at_all(check):
    f = File().some()
    code, told = check(f.changed(32, "Q", 0))
    assert code == IN_PART
    assert "the file describes no event" in [
        finding["text"] for finding in told["findings"]]
    assert told["found"]["event"] == 5


@pytest.mark.parametrize("big_endian", [False, True])
def test_attr_entries_of_a_length_that_cannot_be(check, run, perfpair,
                                                 tmp_path, big_endian):
    """The attrs know their own."""
    data = File(big_endian).some().changed(16, "Q", 6)
    code, told = check(data)
    assert (code, found(told)) == (IN_PART, {"attr": [16]})
    assert told["records"]["SAMPLE"] == 4
    (tmp_path / "t.data").write_bytes(data)
    done = run([perfpair, "script", "-i", "t.data", "-F", "time"])
    assert (done.returncode, done.stdout.count("\n")) == (IN_PART, 4)
    assert "attr entries of 6 bytes; they have 144" in done.stderr


def test_attrs_out_of_event_desc(check, run, perfpair, tmp_path):
    """The attr section is lost, but its events are described again."""
    f = File().some()
    (tmp_path / "t.data").write_bytes(f.bytes())
    run([perfpair, "repair", "-o", "with.data", "t.data"])
    data = bytearray((tmp_path / "with.data").read_bytes())
    data[24:32] = b"\xff" * 8
    code, told = check(bytes(data))
    assert code == IN_PART
    assert found(told)["section"] == [24]
    assert told["records"]["SAMPLE"] == 4
    assert "event" not in found(told) and "attr" not in found(told)
    done = run([perfpair, "repair", "-f", "-o", "new.data", "t.data"])
    assert done.returncode == 0
    done = run([perfpair, "check", "new.data"])
    assert done.returncode == WHOLE, done.stdout


def test_no_more_of_a_kind_than_ten(run, perfpair, tmp_path):
    f = File()
    for time in range(100):
        f.sample(100 + time, ident=999)
    (tmp_path / "t.data").write_bytes(f.bytes())
    done = run([perfpair, "check", "t.data"])
    assert done.returncode == IN_PART
    assert done.stdout.count("is not described") == 10
    assert "90 more like the 10 above [event]" in done.stdout
    assert "t.data: readable in part: 100 errors (100 event), 0 notes" \
        in done.stdout
    done = run([perfpair, "check", "-v", "-i", "t.data"])
    assert done.stdout.count("is not described") == 100
    done = run([perfpair, "check", "-q", "t.data"])
    assert (done.returncode, done.stdout, done.stderr) == (IN_PART, "", "")


def test_text(run, perfpair, tmp_path):
    f = File().some()
    (tmp_path / "t.data").write_bytes(f.changed(f.off(0) + 23, "B", 1))
    done = run([perfpair, "check"], stdin=subprocess.DEVNULL)
    assert done.returncode == UNREADABLE
    assert done.stderr.startswith(
        "perfpair: perf.data: No such file or directory\n")
    done = run(["sh", "-c", f"cat t.data | {perfpair} check"])
    assert done.returncode == WHOLE
    assert done.stdout == (
        f"-: note: at byte {f.off(0) + 23:#x}: COMM record whose padding is "
        "not zero [padding]\n"
        "-: 7 records: 1 COMM, 4 SAMPLE, 2 FINISHED_ROUND\n"
        f"-: whole: 0 errors, 1 note (1 padding); {len(f.bytes())} bytes, 0 "
        "passed over; 0 events lost\n")


def with_trace_data():
    """Two pieces, of CPU 1 and of thread 7; where they lie."""
    f, any_one = File().some(), 2 ** 32 - 1
    places = []
    for cpu, tid, payload in (1, any_one, b"x" * 16), (any_one, 7, bytes(24)):
        f.add(71, f.e.words(len(payload), 0, 0)
              + f.e.pack("IIII", 0, tid, cpu, 0))
        places.append(f.off(len(f.records) - 1) + 48)
        f.records[-1] += payload
    return f.bytes(), places


def test_trace_data_is_located(check, run, perfpair, tmp_path):
    data, places = with_trace_data()
    code, told = check(data)
    assert code == WHOLE
    assert told["trace_data"] == [
        {"offset": places[0], "bytes": 16, "cpu": 1},
        {"offset": places[1], "bytes": 24, "tid": 7}]
    (tmp_path / "t.data").write_bytes(data)
    text = run([perfpair, "check", "t.data"]).stdout
    assert "t.data: trace data: 2 payloads of 40 bytes, not decoded\n" in text
    assert f"at byte {places[0]:#x}: 16 bytes of CPU 1\n" in text
    assert f"at byte {places[1]:#x}: 24 bytes of thread 7\n" in text


@pytest.mark.parametrize("args", [["a", "b"], ["--format", "xml"],
                                  ["--nonsense"]])
def test_usage(run, perfpair, args):
    assert run([perfpair, "check", *args]).returncode == USAGE


def test_compressed_records_that_perf_does_not_read(check):
    f, plain = File(), File()
    for time in range(200):
        plain.sample(100 + time)
    text = b"".join(plain.records)
    frame = compress(text)
    f.records = [f.e.record(81, 0, frame[:5], pad=False),
                 f.e.record(81, 0, frame[5:], pad=False)]
    f.features = {27: f.e.pack("IIIII", 0, 1, 1, 1, 4096)}
    code, told = check(f.bytes())
    assert code == WHOLE
    assert found(told) == {"compressed": [f.off(0), f.off(1)]}
    assert "of no plain text" in told["findings"][0]["text"]
    assert f"{len(text)} plain bytes, of which perf reads 4096" in \
        told["findings"][1]["text"]
    assert told["records"] == {"SAMPLE": 200, "COMPRESSED": 2}


ZSTD = (0, 1, 1, 1, 4096)


@pytest.mark.parametrize("words, kind, text", [
    (ZSTD, None, ""),
    ((1, *ZSTD[1:]), None, ""),
    ((), "feature", "is empty: perf refuses the file"),
    (ZSTD[:4], "feature", "COMPRESSED"),
    ((2, *ZSTD[1:]), "feature-odd", "an unknown version"),
    ((0, 2, 1, 1, 4096), "feature", "an unknown way of compression"),
    ((0, 1, 23, 1, 4096), "feature-odd", "a level that zstd does not have"),
    ((*ZSTD[:4], 0), "feature", "mmap_len is less than a page"),
    ((*ZSTD[:4], 4000), "feature", "mmap_len is less than a page"),
    ((*ZSTD[:4], 6000), "feature", "mmap_len is no multiple of 4096"),
])
def test_what_compressed_says(words, kind, text, check):
    f, plain = File(), File().some()
    f.records = [f.e.record(81, 0, compress(b"".join(plain.records)), pad=False)]
    f.features = {27: f.e.pack("I" * len(words), *words)}
    code, told = check(f.bytes())
    assert code == (IN_PART if kind == "feature" else WHOLE)
    if kind:
        assert told["findings"][0]["kind"] == kind
        assert text in told["findings"][0]["text"]
    else:
        assert told["findings"] == []


def test_place_in_compressed_text(check):
    """The file's offset is that of the COMPRESSED record."""
    f, plain = File(), File().some()
    plain.sample(200, ident=999)
    f.records = [f.e.record(81, 0, compress(b"".join(plain.records)), pad=False)]
    code, told = check(f.bytes())
    finding = told["findings"][0]
    assert (code, finding["kind"]) == (IN_PART, "event")
    assert finding["offset"] == f.off(0)
    assert finding["plain_offset"] == plain.off(7) - plain.off(0)


def many_maps(f):
    f.add(10, f.e.pack("IIQQQB3x20sII", 5, 5, 4096, 4096, 0, 20, bytes(20), 5, 2)
          + b"/bin/one\0\0\0\0\0\0\0\0", 50, 0x4002)
    one = f.records.pop()
    return b"".join(one.replace(b"/bin/one", b"/%07d" % i) for i in range(300000))


BOMBED = {
    "rounds": lambda f: f.e.record(68, 0, b"") * (16 << 20),
    "samples": lambda f: f.e.sample(f.attrs[0], f.ident(100, 999)) * MIB,
    "maps": many_maps,
}


def bomb(name):
    """A small file of which one might make much."""
    if name not in BOMBED:
        return packed(BOMBS[name.removeprefix("bomb of ")][:MIB - 4096])
    f = File()
    frame = compress(BOMBED[name](f))
    f.records = [f.e.record(81, 0, frame[at:at + 60000], pad=False)
                 for at in range(0, len(frame), 60000)]
    return f.bytes()


@pytest.mark.parametrize("name", [*BOMBED, *(f"bomb of {name}" for name in BOMBS)])
def test_little_memory_and_time(run, perfpair, tmp_path, name):
    (tmp_path / "t.data").write_bytes(bomb(name))
    lines = [["timeout", "120", "prlimit", "--cpu=10", str(perfpair), *command,
              "t.data"]
             for command in (["check"], ["check", "-q"],
                             ["repair", "-f", "-o", "new.data", "-i"])]
    done = run(["/usr/bin/python3", "-S", "-c", MEASURE, json.dumps(lines),
                "err"])
    for code, peak_kib, text in json.loads(done.stdout):
        assert code in (WHOLE, IN_PART), text
        assert peak_kib < 64 << 10


TRAILER_FOOTER = struct.Struct("<QQIIQ")


@pytest.fixture(scope="module")
def recording(tmp_path_factory, perfpair_record, may_record):
    """A recording of ours in several frames."""
    path = tmp_path_factory.mktemp("check") / "ours.data"
    subprocess.run([perfpair_record, "-q", "-o", path, "-e", "cpu-clock",
                    "-F", "5000", "-g", "--", "find", "/usr/share", "-name",
                    "x*"], check=True, stdout=subprocess.DEVNULL)
    return path.read_bytes()


def frames_of(data):
    """(offset of each entry in the file, its eight numbers)."""
    body_len = TRAILER_FOOTER.unpack(data[-32:])[0]
    at = len(data) - 32 - body_len + 72
    (nr,) = struct.unpack_from("<Q", data, at)
    return [(at + 8 + 64 * i, struct.unpack_from("<7QII", data, at + 8 + 64 * i))
            for i in range(nr)]


def with_trailer(data, offset, fmt, *values):
    """Changes the trailer and makes its checksum right again."""
    xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    xxh3.restype, xxh3.argtypes = ctypes.c_uint64, [ctypes.c_char_p,
                                                    ctypes.c_size_t]
    out = bytearray(data)
    struct.pack_into(fmt, out, offset, *values)
    body_len = TRAILER_FOOTER.unpack(data[-32:])[0]
    body = bytes(out[-32 - body_len:-32])
    struct.pack_into("<Q", out, len(out) - 24, xxh3(body, len(body)))
    footer = bytes(out[-32:-12])
    struct.pack_into("<I", out, len(out) - 12,
                     xxh3(footer, len(footer)) & 0xffffffff)
    return bytes(out)


def test_a_recording_of_ours_is_whole(check, recording):
    code, told = check(recording)
    assert code == WHOLE
    assert [f for f in told["findings"] if f["damage"]] == []


def test_changed_frame(check, recording):
    entry, frame = frames_of(recording)[0]
    data = bytearray(recording)
    data[frame[0] + frame[1] - 1] ^= 1
    code, told = check(bytes(data))
    assert code == IN_PART
    assert set(found(told)) == {"zstd"}


def test_changed_trailer(check, recording):
    data = bytearray(recording)
    data[-100] ^= 1
    code, told = check(bytes(data))
    assert code == IN_PART
    assert "trailer" in found(told)


def test_cut_trailer(check, recording):
    """Of a whole footer nothing is left, but ours end in a trailer."""
    trailer_len = TRAILER_FOOTER.unpack(recording[-32:])[0] + 32
    for cut in (1, 31, 32, 100, trailer_len - 1):
        code, told = check(recording[:-cut])
        assert (code, set(found(told))) == (IN_PART, {"trailer"})


@pytest.mark.parametrize("field,kind", [(2, "index"), (3, "checksum"),
                                        (4, "index"), (5, "index"),
                                        (0, "index")])
def test_index_that_is_wrong(check, recording, field, kind):
    entry, frame = frames_of(recording)[-1]
    offset = entry + 8 * field
    code, told = check(with_trailer(
        recording, offset, "<Q", frame[field] + 1 if field != 5
        else frame[6]))
    assert code == IN_PART
    assert kind in found(told)


# What is wrong with files that some perf reads all the same.
DAMAGED = {
    "perf.data.piped.corrupted.zero_size_sample-3.2": {"record"},
    "perf.data.piped.host-3.2": {"attr", "event"},
}


def corpus_files():
    if not CORPUS.is_dir():
        return [None]
    return sorted(str(path.relative_to(CORPUS / "files"))
                  for path in (CORPUS / "files").rglob("*") if path.is_file())


@pytest.mark.parametrize("name", corpus_files())
def test_recordings_of_others(run, perfpair, corpus, name):
    """No finding of damage in what perf reads, whatever old writer it is of."""
    done = run([perfpair, "check", "--format", "json", corpus / "files" / name])
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["bytes"] == (corpus / "files" / name).stat().st_size
    if "/src__quipper__corpus__" in name or not (  # of a fuzzer
            corpus / "golden" / name / "script.txt.gz").exists():
        assert done.returncode in (WHOLE, IN_PART, UNREADABLE)
        return
    kinds = {f["kind"] for f in told["findings"] if f["damage"]}
    base = name.split("__")[-1]
    assert kinds == DAMAGED.get(base, set())
    assert done.returncode == (IN_PART if kinds else WHOLE)
