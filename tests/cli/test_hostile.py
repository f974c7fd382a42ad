"""Small files cut and with changed bytes: every command ends soon, with an exit
code that was agreed on, one reason, and little memory."""

import ctypes
import json
import os
import random
import subprocess
import sys

import pytest

from common import ROOT

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import made_kernel  # noqa: E402
import make  # noqa: E402
import zstd_frame  # noqa: E402
from made_file import File  # noqa: E402
from perf_data import Encoder  # noqa: E402

COMMANDS = (["report", "--stdio", "-s", "pid,sym,time"], ["report", "--stdio"],
            ["script"], ["evlist", "-v"], ["buildid-list", "-H"])
SOUND, FAILED, DAMAGED = 0, 1, 3
SECONDS, RSS_KIB = 10, 64 << 10
NAMES = ("records-le.data", "records-be.pipe", "samples-le.data",
         "samples-be.pipe", "attr136-le.data")
SOME = {name: data for name, data, _, _ in make.fixtures() if name in NAMES}


# A process of its own, small: a child's peak memory begins with that of the
# process which made it.
MEASURE = """
import json, os, subprocess, sys
told = []
for command in json.loads(sys.argv[1]):
    with open(sys.argv[2], "w+b") as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        told.append((process.returncode, usage.ru_maxrss,
                     err.read().decode(errors="replace")))
print(json.dumps(told))
"""


def measure(perfpair, path, tmp_path):
    """For each of COMMANDS: exit code, peak KiB, stderr."""
    return measure_all(perfpair, [[*command, "-i", str(path)]
                                  for command in COMMANDS], tmp_path)


def measure_all(perfpair, commands, tmp_path):
    # seconds of CPU time, since others may have the machine
    lines = [["timeout", "120", "prlimit", f"--cpu={SECONDS}", str(perfpair),
              *command] for command in commands]
    done = subprocess.run(
        ["/usr/bin/python3", "-S", "-c", MEASURE, json.dumps(lines),
         tmp_path / "err"], stdout=subprocess.PIPE, check=True,
        env=dict(os.environ, HOME=str(tmp_path)))
    return json.loads(done.stdout)


def judge(perfpair, path, tmp_path):
    """{command: (exit code, stderr)}, each within its bounds; of two reports
    the second's."""
    told = {}
    for command, (code, peak_kib, text) in zip(
            COMMANDS, measure(perfpair, path, tmp_path)):
        assert code in (SOUND, FAILED, DAMAGED), (command, code, text)
        assert peak_kib < RSS_KIB, (command, peak_kib)
        assert (code == SOUND) or text, command
        lines = text.splitlines()
        assert len(lines) == len(set(lines)), text
        assert " 0 bytes passed over" not in text
        told[command[0]] = code, text
    return told


# Each cut and each byte of these files has its turn in test_mutations.py, by all
# commands in one process under sanitizers; here their exit codes, words and memory.
SOME_TIMES = pytest.mark.parametrize(
    "times", [4, pytest.param(40, marks=pytest.mark.slow)])


@SOME_TIMES
@pytest.mark.parametrize("name", SOME)
def test_cut_anywhere(perfpair, tmp_path, name, times):
    rand, data, path = random.Random(name), SOME[name], tmp_path / "cut.data"
    for _ in range(times):
        path.write_bytes(data[:rand.randrange(len(data))])
        judge(perfpair, path, tmp_path)


@SOME_TIMES
@pytest.mark.parametrize("name", SOME)
def test_changed_anywhere(perfpair, tmp_path, name, times):
    rand, path = random.Random(name), tmp_path / "changed.data"
    for _ in range(times):
        data = bytearray(SOME[name])
        for _ in range(rand.randint(1, 6)):
            data[rand.randrange(len(data))] = rand.choice(
                (0, 1, 127, 128, 255, rand.randrange(256)))
        path.write_bytes(data)
        judge(perfpair, path, tmp_path)


def plain(data, **fields):
    attr = make.attr_of(sample_type=1 | 2 | 4, **fields)
    return Encoder(False).plain_file([(attr, (1,))], data)


def sample(e, time):
    return e.record(9, 2, e.words(0x401000) + e.pack("II", 5, 5)
                    + e.words(time))


def test_what_is_between_records_is_told_once(perfpair, tmp_path):
    e, path = Encoder(False), tmp_path / "torn.data"
    good = b"".join(sample(e, 10 + i) for i in range(8))
    path.write_bytes(plain(good + b"\xff" * 40 + good))
    told = judge(perfpair, path, tmp_path)
    for command in ("report", "script", "buildid-list"):
        code, text = told[command]
        assert code == DAMAGED
        assert text.count("\n") == 1
        assert "at byte 0x" in text and "40 bytes passed over" in text


def test_forks_alone_do_not_become_gigabytes(perfpair, tmp_path):
    e, path = Encoder(False), tmp_path / "forks.data"
    tail = e.pack("II", 1, 1) + e.words(1)
    maps = b"".join(e.record(1, 2, e.pack("IIQQQ", 1, 1, 4096 * i, 4096, 0)
                             + b"/x\0\0\0\0\0\0" + tail)
                    for i in range(1, 3000))
    threads = b"".join(e.record(7, 0, e.pack("IIIIQ", 7, 1, 9 + i, 1, 2 + i)
                                + tail) for i in range(6000))
    path.write_bytes(plain(maps + threads))
    judge(perfpair, path, tmp_path)


def test_ids_that_events_share_are_refused(perfpair, tmp_path):
    e, path = Encoder(False), tmp_path / "ids.data"
    attr, ids = make.attr_of(sample_type=4), bytes(8 * 20000)
    at, entry = 104 + len(ids), e.attr(attr) + e.words(104, len(ids))
    path.write_bytes(b"2ELIFREP" + e.words(
        104, len(entry), at, 2000 * len(entry), at + 2000 * len(entry), 0,
        0, 0, 0, 0, 0, 0) + ids + 2000 * entry)
    assert judge(perfpair, path, tmp_path)["script"][0] == FAILED


def test_a_mapped_fifo_is_not_waited_for(perfpair, tmp_path):
    e, path, fifo = Encoder(False), tmp_path / "fifo.data", tmp_path / "fifo"
    os.mkfifo(fifo)
    name = str(fifo).encode()
    name += bytes(8 - len(name) % 8)
    path.write_bytes(plain(
        e.record(1, 2, e.pack("IIQQQ", 5, 5, 0x401000, 4096, 0) + name
                 + e.pack("II", 5, 5) + e.words(1)) + sample(e, 9)))
    judge(perfpair, path, tmp_path)


COMPRESSED, RECORD_LEN_MAX = 81, 65535


def packed(payload):
    """A file whose records are in payload, compressed."""
    e, most = Encoder(False), RECORD_LEN_MAX - 8
    return plain(b"".join(e.record(COMPRESSED, 0, payload[at:at + most], False)
                          for at in range(0, len(payload), most)))


def compress(data, level=3):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compress.restype = zstd.ZSTD_compressBound.restype = \
        ctypes.c_size_t
    room = ctypes.create_string_buffer(
        zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    length = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data,
                                ctypes.c_size_t(len(data)), level)
    return room.raw[:length]


MIB = 1 << 20
# 0x08 bytes are records of an unknown type, of 2056 bytes each
BOMBS = {
    "zeros": zstd_frame.head() + zstd_frame.rle(0, 32 << 30),
    "records": zstd_frame.head() + zstd_frame.rle(8, 32 << 30),
    "window": zstd_frame.head(17 << 3) + zstd_frame.rle(8, 1 << 30),
    "frames": 1000 * (zstd_frame.head() + zstd_frame.rle(8, 32 << 20, True)),
    "samples": 80 * compress(sample(Encoder(False), 7) * MIB),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_stopped(perfpair, tmp_path, name):
    path = tmp_path / "bomb.data"
    path.write_bytes(packed(BOMBS[name][:MIB - 4096]))
    told = judge(perfpair, path, tmp_path)
    for command in ("report", "script", "buildid-list"):
        code, text = told[command]
        assert code == DAMAGED
        assert ("more plain text than the limit" in text) == (name != "zeros")
        assert ("--max-ratio" in text) == (name != "zeros")


def test_samples_that_all_switch(perfpair, tmp_path):
    """Each is kept until all are known."""
    e, path = Encoder(False), tmp_path / "switches.data"
    payload = compress(b"".join(5 * sample(e, i) for i in range(200000)))
    assert len(payload) < MIB - 4096
    path.write_bytes(packed(payload))
    name = subprocess.run([perfpair, "evlist", "-i", path],
                          capture_output=True, text=True).stdout.strip()
    for option in "--switch-on", "--switch-off":
        done = subprocess.run(
            [perfpair, "report", option, name, "-i", path],
            capture_output=True, text=True)
        assert done.returncode == 1
        assert "more switching samples than the limit on memory" in done.stderr


def test_the_limit_of_a_bomb_can_be_raised(perfpair, tmp_path):
    path, nr = tmp_path / "bomb.data", 1 << 18
    path.write_bytes(packed(compress(sample(Encoder(False), 7) * nr)))
    for ratio, code in ("8192", DAMAGED), ("1000000", SOUND):
        done = subprocess.run([perfpair, "script", "--max-ratio", ratio, "-F",
                               "time", "-i", path], capture_output=True)
        assert done.returncode == code
        assert (done.stdout.count(b"\n") == nr) == (code == SOUND)


def chains(nr):
    """Samples whose chains have nr addresses each, none of them twice."""
    e, at = Encoder(False), 0x401000
    attr = make.attr_of(sample_type=1 | 2 | 4 | 1 << 5)
    out = []
    for i in range((MIB - 4096) // (8 * (nr + 6))):
        out.append(e.record(9, 2, e.words(at) + e.pack("II", 5, 5)
                            + e.words(7 + i, nr + 1, 2 ** 64 - 512)
                            + e.words(*range(at, at + 16 * nr, 16))))
        at += 16 * nr
    return e.plain_file([(attr, (1,))], b"".join(out))


MANY = {
    "samples": lambda e, i: sample(e, i)[:8] + e.words(0x401000 + 8 * i)
    + e.pack("II", 9 + i, 9 + i) + e.words(7 + i),
    "comms": lambda e, i: e.record(3, 0, e.pack("II", 9 + i, 9 + i)
                                   + b"%07d\0" % i + e.pack("II", 1, 1)
                                   + e.words(1)),
    "maps": lambda e, i: e.record(
        1, 2, e.pack("IIQQQ", 9 + i, 9 + i, 4096 * i, 4096, 0)
        + b"/%06d\0" % i + e.pack("II", 1, 1) + e.words(1)),
    "forks": lambda e, i: e.record(7, 0, e.pack("IIIIQ", 9 + i, 1, 9 + i, 1,
                                                2 + i)
                                   + e.pack("II", 1, 1) + e.words(1)),
    "symbols": lambda e, i: e.record(
        17, 0, e.pack("QIHH", (1 << 63) + 64 * i, 64, 1, 0)
        + b"k%06d\0" % i + e.pack("II", 1, 1) + e.words(1)),
}


@pytest.mark.parametrize("what", MANY)
def test_a_mebibyte_of_what_all_differs(perfpair, tmp_path, what):
    e, path = Encoder(False), tmp_path / "many.data"
    length = len(MANY[what](e, 0))
    path.write_bytes(plain(b"".join(
        MANY[what](e, i) for i in range((MIB - 4096) // length))))
    told = judge(perfpair, path, tmp_path)
    assert {code for code, _ in told.values()} == {SOUND}


@pytest.mark.parametrize("nr", (1, 120))
def test_a_mebibyte_of_addresses(perfpair, tmp_path, nr):
    path = tmp_path / "chains.data"
    path.write_bytes(chains(nr))
    told = judge(perfpair, path, tmp_path)
    assert {code for code, _ in told.values()} == {SOUND}


def stitched(deep_nr, nr):
    """Stacks of 32 branches that lose 30 each to the next one, and then those
    of two branches, whose chains have all that was lost."""
    e, top, out = Encoder(False), 32, []
    attr = make.attr_of(sample_type=1 | 2 | 4 | 1 << 5 | 1 << 11,
                        branch_sample_type=1 | 1 << 11 | 1 << 17)
    for i in range(deep_nr + nr):
        top += 30 if i < deep_nr else 0
        calls = range(top, top - (32 if i < deep_nr else 2), -1)
        branches = b"".join(e.words(0x400000 + call, 0x401000, 0)
                            for call in calls)
        out.append(e.record(9, 2, e.words(0x401000) + e.pack("II", 5, 5)
                            + e.words(7 + i, 2, 2 ** 64 - 512, 0x401000)
                            + e.words(len(calls), top % 32) + branches))
    caps = b"".join(e.pack("I", 64) + text.ljust(64, b"\0")
                    for text in (b"branches", b"32"))
    return e.plain_file([(attr, (1,))], b"".join(out),
                        {28: e.pack("I", 1) + caps})


def test_stacks_that_are_stitched_to_long_ones(perfpair, tmp_path):
    """What waits to be written is less than all of it."""
    path = tmp_path / "stitched.data"
    path.write_bytes(stitched(560, 300))
    assert path.stat().st_size < MIB
    command = ["script", "-F", "ip", "--stitch-lbr", "-i", str(path)]
    (code, peak_kib, text), = measure_all(perfpair, [command], tmp_path)
    assert (code, text) == (SOUND, "")
    assert peak_kib < RSS_KIB


def test_trees_of_stacks_that_are_stitched(perfpair, tmp_path):
    """Their text grows as the file does; perf 6.1 prints 1.9 GB of a file of
    85 KB."""
    path, nrs = tmp_path / "stitched.data", (100, 400)
    sizes = []
    for nr in nrs:
        path.write_bytes(stitched(nr, 3))
        done = subprocess.run([perfpair, "report", "-s", "sym", "--stitch-lbr",
                               "--raw-addresses", "-i", path], capture_output=True, check=True)
        sizes.append(len(done.stdout))
    assert 20 * MIB < sizes[0] < 25 * MIB
    assert sizes[1] / sizes[0] < 1.1 * nrs[1] / nrs[0]


def test_a_kernel_s_names_that_are_one_line(perfpair, tmp_path):
    """They are looked through for where the kernel was."""
    path = tmp_path / "dir"
    made_kernel.write(path / "kcore_dir")
    made_kernel.Recording().kernel().sample(made_kernel.TEXT).write(
        path / "data")
    os.truncate(path / "kcore_dir" / "kallsyms", 0)
    os.truncate(path / "kcore_dir" / "kallsyms", 200 * MIB)
    command = ["script", "-F", "ip,sym", "-i", str(path)]
    (code, peak_kib, _), = measure_all(perfpair, [command], tmp_path)
    assert code == SOUND
    assert peak_kib < RSS_KIB


def long_text(record_type, before):
    """A record whose text is long, and like that of the one before."""
    return lambda e, i: e.record(
        record_type, 2, before(e, i) + b"/%06d" % i + b"x" * 8001
        + e.pack("II", 1, 1) + e.words(1))


LIKE_EACH_OTHER = {
    "samples": (MANY["samples"], 120000),
    "comms": (MANY["comms"], 120000),
    "maps": (MANY["maps"], 100000),
    "forks": (MANY["forks"], 120000),
    "long names": (long_text(1, lambda e, i: e.pack(
        "IIQQQ", 9, 9, 4096 * i, 4096, 0)), 5000),
    "long cgroups": (long_text(19, lambda e, i: e.words(i)), 5000),
}


@pytest.mark.parametrize("what", LIKE_EACH_OTHER)
def test_a_mebibyte_of_what_compresses_well(perfpair, tmp_path, what):
    """Each differs from the one before in a few bytes; what there is too much
    of to be kept is told, and the rest is shown."""
    make_one, nr = LIKE_EACH_OTHER[what]
    e, path = Encoder(False), tmp_path / "like.data"
    payload = compress(b"".join(make_one(e, i) for i in range(nr)))
    assert len(payload) < MIB - 4096
    path.write_bytes(packed(payload))
    told = judge(perfpair, path, tmp_path)
    code, text = told["report"]
    assert code == DAMAGED
    assert "limit on memory" in text and "--max-ratio" in text


def test_guests_that_compress_well(perfpair, tmp_path):
    """Tables of which event is a guest's, in less than a mebibyte."""
    e, path = Encoder(False), tmp_path / "guests.data"
    nr = 1000
    table = e.record(69, 0, e.words(nr) + e.words(1, 0, 0, 0) * nr
                     + e.words(7, 0) * nr, False)
    path.write_bytes(packed(compress(sample(e, 7) + table * 4000)))
    command = ["report", "-i", str(path)]
    (code, peak_kib, text), = measure_all(perfpair, [command], tmp_path)
    assert peak_kib < RSS_KIB
    assert code == DAMAGED and "limit on memory" in text


def test_symbols_that_compress_well(perfpair, tmp_path):
    """Each is looked for among those before it."""
    e, path = Encoder(False), tmp_path / "symbols.data"
    path.write_bytes(packed(compress(b"".join(
        MANY["symbols"](e, i) for i in range(20000)))))
    told = judge(perfpair, path, tmp_path)
    assert {code for code, _ in told.values()} == {SOUND}


@pytest.mark.parametrize("words", [["--hierarchy"], ["-s", "sym"]],
                         ids="_".join)
def test_rows_without_budget_are_told_of_once(perfpair, tmp_path, words):
    """A row, and the rows above it in a hierarchy."""
    make_one, nr = LIKE_EACH_OTHER["samples"]
    path = tmp_path / "like.data"
    path.write_bytes(packed(compress(b"".join(
        make_one(Encoder(False), i) for i in range(nr)))))
    done = subprocess.run([perfpair, "report", "--stdio", "-i", path, *words],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False)
    assert done.returncode == DAMAGED
    assert "limit on memory" in done.stderr.decode()
    assert "more such place" not in done.stderr.decode()


def test_all_of_a_bomb_is_dumped_in_time(perfpair, tmp_path):
    """2.6 GB of text; 37 s in a dev build while printf made it."""
    path = tmp_path / "bomb.data"
    path.write_bytes(packed(BOMBS["records"][:MIB - 4096]))
    done = subprocess.run(["bash", "-c", "ulimit -t 20; exec \"$@\" > /dev/null",
                           "-", perfpair, "script", "-D", "-i", path],
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == DAMAGED
    assert "more plain text than the limit" in done.stderr


@pytest.mark.parametrize("command", [
    ["report"], ["script"], ["buildid-list"],
    ["data", "convert", "--to-json", "out.json"]], ids=lambda c: c[0])
def test_a_task_s_record_that_cannot_be_read(run, perfpair, tmp_path, command):
    """Each command that wants to know of tasks says where it is."""
    e, fork = Encoder(False), Encoder(False).record(7, 0, bytes(24))
    data = plain(sample(e, 9) + fork + sample(e, 10))
    (tmp_path / "t.data").write_bytes(data)
    at = len(data) - len(sample(e, 10)) - len(fork) + 16
    done = run([perfpair, *command, "-i", "t.data"])
    assert done.returncode == DAMAGED
    assert f"t.data: at byte {at:#x}: fork record ends too early\n" \
        in done.stderr


@pytest.mark.parametrize("command", [["check"], ["script", "-i"],
                                     ["report", "-i"]], ids=lambda c: c[0])
def test_an_update_that_is_newer_is_no_damage(run, perfpair, tmp_path,
                                              command):
    f = File()
    f.add(78, f.e.words(99, 101, 7))
    f.sample(9)
    f.features = {3: f.string(b"host")}
    (tmp_path / "t.data").write_bytes(f.bytes())
    done = run([perfpair, *command, "t.data"])
    assert (done.returncode, done.stderr) == (SOUND, "")


IDENTS = 3 * [101] + 4 * [102] + 5 * [101] + [102, 101]


def count_by_id(run, perfpair, tmp_path, kinds, sample, is_packed):
    """Samples of events 102 and 101, whose sample types are kinds."""
    e = Encoder(False)
    data = b"".join(e.record(9, 2, sample(e, ident)) for ident in IDENTS)
    if is_packed:
        data = e.record(COMPRESSED, 0, compress(data), False)
    events = [(make.attr_of(sample_type=kind, config=number), (ident,))
              for number, (kind, ident) in enumerate(zip(kinds, (102, 101)))]
    (tmp_path / "t.data").write_bytes(e.plain_file(events, data))
    done = run([perfpair, "report", "--format", "json", "-i", "t.data"])
    return [sum(row["samples"] for row in event["rows"])
            for event in json.loads(done.stdout)["events"]]


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "packed"])
def test_a_time_in_the_place_of_the_id(run, perfpair, tmp_path, is_packed):
    """Two events with their ids at different places: what is at the first one's
    is believed, however alike the samples are."""
    assert count_by_id(
        run, perfpair, tmp_path, (1 | 2 | 64, 1 | 2 | 4 | 64),
        lambda e, ident: e.words(0x401000) + e.pack("II", 5, 5)
        + e.words(ident, 7), is_packed) == [
            IDENTS.count(102), IDENTS.count(101)]


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "packed"])
def test_raw_data_in_the_place_of_the_id(run, perfpair, tmp_path, is_packed):
    """The same of raw data, which rows do not show."""
    assert count_by_id(
        run, perfpair, tmp_path, (1 | 2 | 4 | 8 | 64, 1 | 2 | 4 | 1024),
        lambda e, ident: e.words(0x401000) + e.pack("II", 5, 5)
        + e.words(7) + e.pack("II", 20, 0) + e.words(ident, 0),
        is_packed) == [IDENTS.count(102), IDENTS.count(101)]


def test_lines_with_a_time_in_the_place_of_the_id(run, perfpair, tmp_path):
    """The same, of two events whose samples are alike but for that."""
    e = Encoder(False)
    idents = 5 * [102] + 5 * [103] + 4 * [102] + 3 * [103, 102]
    data = b"".join(e.record(9, 2, e.words(0x401000) + e.pack("II", 5, 5)
                             + e.words(ident, 7)) for ident in idents)
    events = [(make.attr_of(sample_type=kind, config=number), (101 + number,))
              for number, kind in enumerate((1 | 2 | 64, 1 | 2 | 4 | 64,
                                             1 | 2 | 4 | 64))]
    (tmp_path / "t.data").write_bytes(e.plain_file(events, data))
    done = run([perfpair, "script", "--jobs", "2", "-F", "event",
                "-i", "t.data"])
    names = {102: "task-clock:HG:", 103: "page-faults:HG:"}
    assert done.stdout.split() == [names[ident] for ident in sorted(idents)]


def test_groups_that_share_events(run, perfpair, tmp_path):
    """Each of the first event and all others: 9000 lines of 6000 names."""
    f = File(attrs=6000 * (make.attr_of(sample_type=4 | 1 << 6),))
    f.ids = [[i] for i in range(6000)]
    f.features = {17: f.e.pack("I", 9000) + 9000 * (
        f.e.pack("I", 1) + bytes(1) + f.e.pack("II", 0, 6000))}
    (tmp_path / "t.data").write_bytes(f.bytes())
    done = run([perfpair, "report", "--header-only", "-i", "t.data"])
    assert done.stdout.count("# group: ") == 1
    done = run([perfpair, "check", "t.data"])
    assert done.returncode == DAMAGED
    assert "a group of events that are not there, or in the group before" \
        in done.stdout


def test_types_of_a_program_are_looked_for_in_time(run, perfpair, tmp_path):
    """60000 parts, each named by the last of 40000 types."""
    nr, types = 60000, 40000
    info = bytearray(200)
    f = File()
    for at, value in ((4, 1), (104, nr), (108, nr), (180, nr), (128, 7)):
        info[at:at + 4] = f.e.pack("I", value)
    data = f.e.pack("II", 0, types) + bytes(8 * nr)
    btf = f.e.pack("HBBIIIII", 0xeb9f, 1, 0, 24, 0, 12 * types, 12 * types,
                   8) + bytes(12 * types) + b"name\0\0\0\0"
    f.features = {25: f.e.pack("IIIQ", 1, len(info), len(data), 0) + info
                  + data, 26: f.e.pack("III", 1, 7, len(btf)) + btf}
    (tmp_path / "t.data").write_bytes(f.bytes())
    done = subprocess.run(
        ["bash", "-c", "ulimit -t 10; exec \"$@\"", "-", perfpair, "report",
         "--header-only", "-i", tmp_path / "t.data"], capture_output=True,
        text=True, check=False)
    assert done.returncode == SOUND
    lines = [line for line in done.stdout.splitlines() if "sub_prog" in line]
    assert len(lines) == nr
    assert "_name addr" in lines[0] and "_name addr" not in lines[-1]


def test_two_small_files_take_no_more_than_one(perfpair, tmp_path):
    """They are counted one after the other."""
    make_one, nr = LIKE_EACH_OTHER["samples"]
    path = tmp_path / "like.data"
    path.write_bytes(packed(compress(b"".join(
        make_one(Encoder(False), i) for i in range(nr)))))
    (code, peak_kib, text), = measure_all(
        perfpair, [["diff", str(path), str(path)]], tmp_path)
    assert code == DAMAGED and "perfpair check says what" in text
    assert peak_kib < RSS_KIB
