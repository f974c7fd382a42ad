"""Damage and lies in what a recording carries: `check` finds what was changed, the
rest of the recording is read as before, and what a section says of itself costs
no more than the file is worth."""

import ctypes
import pathlib
import re
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peer"))

from carried_file import (FOOTER_LEN, section_table, sections,  # noqa: E402
                          without_names)

READERS = [["report", "--stdio", "-s", "dso,sym"], ["script"],
           ["buildid-list", "--carried", "-v"]]


@pytest.fixture(scope="module")
def recording(tmp_path_factory, perfpair_record, workload, may_record):
    """Few names, so that each byte can be tried."""
    path = tmp_path_factory.mktemp("carried") / "t.data"
    subprocess.run([perfpair_record, "-q", "-e", "cpu-clock:u", "-o", path, "--",
                    workload("spin", "-O1", "-static"), "30"], check=True)
    data = path.read_bytes()
    assert sections(data)
    return data


@pytest.fixture(scope="module")
def carried(tmp_path_factory, perfpair, recording):
    """The same with lines, code and source text."""
    folder = tmp_path_factory.mktemp("more")
    (folder / "t.data").write_bytes(recording)
    subprocess.run([perfpair, "carry", "-q", "--lines", "--code", "--source",
                    "-i", "t.data", "-o", "all.data"], check=True, cwd=folder)
    data = (folder / "all.data").read_bytes()
    assert {5, 6} <= {section[0] for section in sections(data)}
    return data


@pytest.fixture
def read(perfpair, tmp_path):
    """read(DATA, WORDS...): (exit code, what was printed) of an elsewhere."""
    path = tmp_path / "t.data"

    def run(data, *words):
        path.write_bytes(data)
        more = [] if words[0] in ("check", "buildid-list") else \
            ["--symfs", tmp_path, "--kallsyms", "/dev/null"]
        # not by preexec_fn, for which all of pytest is forked
        done = subprocess.run(["prlimit", f"--as={1 << 30}", perfpair, *words, *more,
                               "-i", path], timeout=20, capture_output=True)
        assert done.returncode in (0, 1, 3), (done.returncode, done.stderr)
        return done.returncode, done.stdout

    return run


def some(numbers, nr=150):
    """About so many of them, the first and the last among them."""
    return sorted({*numbers[::max(1, len(numbers) // nr)], numbers[-1]})


def find_cuts(data, read, lens):
    whole = len(without_names(data))
    for length in lens:
        code, _ = read(data[:length], "check")
        assert (code == 0) == (length == whole), length
        for words in READERS[:2]:
            code, text = read(data[:length], *words)
            assert code in (0, 3) and text, (length, words)


def test_cut__is_found_and_the_samples_are_read(recording, read):
    find_cuts(recording, read,
              some(range(len(without_names(recording)), len(recording))))


def test_carried_lines__damage_is_found(carried, read):
    """In sections 5 to 7, which stand behind the names."""
    front = min(section[2] for section in sections(carried)
                if section[0] in (5, 6, 7))
    whole = len(without_names(carried))
    for length in some(range(front, len(carried)), 40):
        code, _ = read(carried[:length], "check")
        assert (code == 0) == (length == whole), length
        assert read(carried[:length], *READERS[0])[0] in (0, 3)
    find_flips(carried, read, some(range(8 * front, 8 * len(carried)), 60))


@pytest.mark.slow
def test_cut__at_each_byte(recording, read):
    find_cuts(recording, read,
              range(len(without_names(recording)), len(recording)))


def find_flips(data, read, bits):
    """A bit that zstd or nobody looks at changes nothing that is read."""
    listed = read(data, *READERS[2])
    for bit in bits:
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        if read(changed, "check")[0] == 0:
            assert read(changed, *READERS[2]) == listed, f"bit {bit}"
        assert read(changed, *READERS[bit % 2])[0] in (0, 3), f"bit {bit}"


def test_flipped_bit__is_found(recording, read):
    find_flips(recording, read, some(range(8 * len(without_names(recording)),
                                           8 * len(recording)), 300))


@pytest.mark.slow
def test_flipped_bit__each(recording, read):
    find_flips(recording, read, range(8 * len(without_names(recording)),
                                      8 * len(recording)))


def xxh3(data):
    call = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    call.restype = ctypes.c_uint64
    call.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return call(bytes(data), len(data))


def number(value):
    """As the sections have it: seven bits a byte."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(value):
    return number(len(value)) + value


def with_sections(data, *made):
    """The recording with other sections, (kind, flags, bytes, what it says is
    the length of their plain text), and all checksums right."""
    start = min(section[2] for section in sections(data))
    body_len = struct.unpack_from("<Q", data, len(data) - FOOTER_LEN)[0]
    body = data[-FOOTER_LEN - body_len:section_table(data)[0]]
    out, table = bytearray(data[:start]), struct.pack("<Q", len(made))
    for kind, flags, payload, plain_len in made:
        table += struct.pack("<2I5Q", kind, flags, len(out), len(payload),
                             plain_len, xxh3(payload), 0)
        out += payload
    body += table
    footer = struct.pack("<QQI", len(body), xxh3(body), 1)
    return bytes(out) + body + footer + struct.pack(
        "<IQ", xxh3(footer) & 0xffffffff, 0x4c49525452494150)


def file_entry(path=b"/bin/x", kind=0, reason=0, build_id=b"", pid=0, segments=0,
               names=0, size=0):
    """One of the list of files."""
    return b"".join([number(kind), number(reason), text(path), text(build_id),
                     number(1), number(62), number(3), number(pid), number(1),
                     number(1), number(segments), number(names), number(size)])


def plain(kind, payload):
    return kind, 0, payload, len(payload)


BIG = (1 << 64) - 1
ONE = number(1) + file_entry(names=1, size=5)
HOSTILE = {
    "files without number": (plain(1, number(BIG)), plain(2, b"")),
    "names without number": (plain(1, number(1) + file_entry(names=BIG)),
                             plain(2, b"")),
    "names that are not there": (plain(1, number(1) + file_entry(
        names=1000, size=5000)), plain(2, b"\0" * 10)),
    "size that wraps": (plain(1, number(2) + file_entry(names=1, size=5) +
                              file_entry(names=1, size=BIG)),
                        plain(2, b"\0" * 10)),
    "segments without number": (plain(1, number(1) + file_entry(segments=BIG)),
                                plain(2, b"")),
    "build-id of 200 bytes": (plain(1, number(1) + file_entry(
        build_id=b"a" * 200)), plain(2, b"")),
    "path past the end": (plain(1, number(1) + b"\0\0" + number(BIG) + b"x" * 40),
                          plain(2, b"")),
    "kind that is none": (plain(1, number(1) + file_entry(kind=77)),
                          plain(2, b"")),
    "number of eleven bytes": (plain(1, b"\xff" * 11), plain(2, b"")),
    "name without an end": (plain(1, ONE), plain(2, b"\1\1\0\x12a")),
    "text that says it is long": (plain(1, ONE), (2, 0, b"\1\1\0\x12\0",
                                                  1 << 60)),
    "zstd of nothing": (plain(1, ONE), (2, 1, b"no zstd", 1 << 40)),
    "two lists of files": (plain(1, ONE), plain(1, ONE), plain(2, b"\0" * 5)),
    "lines without number": (plain(1, ONE), plain(2, b"\0" * 5),
                             plain(5, number(BIG))),
    "lines of no file": (plain(1, ONE), plain(2, b"\0" * 5),
                         plain(5, number(0) + number(1) + number(7) +
                               number(0))),
    "functions that wrap": (plain(1, ONE), plain(2, b"\0" * 5), plain(
        5, number(0) + number(1) + number(0) + number(1) + number(4) +
        number(0) + number(0) + number(64))),
    "code of a length": (plain(1, ONE), plain(2, b"\0" * 5), plain(
        6, number(1) + number(0) + number(4096) + number(BIG) + b"x")),
    "code behind the end": (plain(1, ONE), plain(2, b"\0" * 5), plain(
        6, number(1) + number(0) + number(BIG) + number(9) + b"x" * 9)),
    "source of many lines": (plain(1, ONE), plain(2, b"\0" * 5), plain(
        7, number(1) + text(b"a.c") + number(1) + number(1 << 40) +
        text(b"x\n"))),
    "texts without names": (plain(5, b"\0\0"), plain(6, b"\0"),
                            plain(7, b"\0")),
    "unknown kinds": (plain(1, ONE), plain(2, b"\0" * 5), plain(4242, b"x")),
}


@pytest.mark.parametrize("words", [*READERS, ["check"]], ids=lambda w: w[0])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile__sections_cost_names_at_most(name, words, recording, read):
    """Within a gigabyte of addresses and twenty seconds, see read()."""
    assert len(with_sections(recording, *HOSTILE[name])) < 1 << 20
    code, told = read(with_sections(recording, *HOSTILE[name]), *words)
    if words[0] in ("report", "script"):
        assert code in (0, 3) and told


def test_hostile__a_name_does_not_leave_its_file(recording, read):
    """Those of another build-id name nothing, wherever they say they lie."""
    names = number(0) + number(BIG) + b"\0\x12" + b"stolen\0"
    listed = read(recording, "buildid-list", "--carried")[1]
    build_id, path = re.search(rb"^(\w{40}) +\d+/\d+ (/.*/spin)$", listed,
                               re.M).groups()

    def made(**its):
        entry = file_entry(names=1, size=len(names), **its)
        data = with_sections(recording, plain(1, number(1) + entry),
                             plain(2, names))
        assert read(data, "check")[0] == 0
        assert b"stolen" in read(data, *READERS[2])[1]
        return [b"stolen" in read(data, *words)[1] for words in READERS[:2]]

    assert all(made(path=path, build_id=bytes.fromhex(build_id.decode())))
    for name in (path, b"[kernel.kallsyms]", b"[vdso]"):
        assert not any(made(path=name, build_id=b"\1" * 20))
    # at another path it is the same file
    assert all(made(path=b"/x", build_id=bytes.fromhex(build_id.decode())))
    assert not any(made(path=b"/x", build_id=b"\1" * 20))
    assert not any(made(path=b"/x"))
    for kind in (1, 2):
        assert not any(made(path=path, kind=kind))
