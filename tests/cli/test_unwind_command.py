"""perfpair unwind: what becomes of each field, in both byte orders; damaged
input; and that nothing is written over the input."""

import struct

import pytest

from common import program
from made_file import File, make
from stack_chains import stack_copies

OK, FAILED, USAGE, DAMAGED = 0, 1, 2, 3
CHAIN, REGS, STACK = 1 << 5, 1 << 12, 1 << 13
ALL = (1 << 25) - 1 & ~(1 << 14) & ~(1 << 10)  # but for WEIGHT, RAW
USER = 2**64 - 512
EXCLUDE_USER = 1 << 22
RECORDED = (3, USER, 0x401234, 0x402000)


def attr_of(bits, flags=0, **more):
    attr = make.attr_of(sample_type=bits, branch_sample_type=1 << 17,
                        sample_regs_intr=0x8001, read_format=0x17, **more)
    attr["flags"] |= flags
    return attr


def with_chain(e, record, *words):
    """The chain of a made sample replaced."""
    at = record.index(e.words(*RECORDED))
    record = (record[:at] + e.words(*words)
              + record[at + 8 * len(RECORDED):])
    return record[:6] + e.pack("H", len(record)) + record[8:]


@pytest.fixture
def unwound(run, perfpair, tmp_path):
    """unwound(bytes, *options): the new file's bytes, and what was said."""
    def of(data, *options, code=OK):
        (tmp_path / "in.data").write_bytes(data)
        done = run([perfpair, "unwind", "-f", "-o", "out.data", *options,
                    "in.data"])
        assert done.returncode == code, done.stderr
        assert (tmp_path / "in.data").read_bytes() == data
        return (tmp_path / "out.data").read_bytes(), done.stdout
    return of


@pytest.mark.parametrize("bits", [ALL, ALL & ~CHAIN, ALL & ~REGS,
                                  ALL & ~(1 << 4 | 1 << 11)])
@pytest.mark.parametrize("big_endian", [False, True])
def test_unwind__other_fields_stay(big_endian, bits, unwound):
    """What cannot be unwound keeps its chain: a mark stands behind a recorded
    user part, as if nothing had been found behind it."""
    attr = attr_of(bits, sample_regs_user=0xff0fff if bits & REGS else 0,
                   sample_stack_user=8192, flags=EXCLUDE_USER)
    new = attr_of(bits & ~REGS & ~STACK | CHAIN)
    other = attr_of(ALL & ~STACK, sample_regs_user=0xff0fff)
    file = File(big_endian, [attr, other])
    file.features |= {6: file.string(b"riscv64")}
    e = file.e
    for time in (100, 200):
        who = file.ident(time)
        file.records.append(e.sample(attr, who | {"id": 101}))
        file.records.append(e.sample(other, who | {"id": 102}))
    data, _ = unwound(file.bytes())
    assert b"a copy of the user stack" not in data
    chain = (4, *RECORDED[1:], USER) if bits & CHAIN else (0,)
    for time in (100, 200):
        who = file.ident(time)
        for record in (with_chain(e, e.sample(new, who | {"id": 101}), *chain),
                       e.sample(other, who | {"id": 102})):
            assert data.count(record) == 1
    at = data.index(e.attr(new)[16:])  # behind type and size
    assert e.attr(other)[16:] in data[at:]


@pytest.mark.parametrize("ip,chain,frame_nr", [
    (0x7008, (2, USER, 0x7008), 1),
    (2**64 - 8, (0,), 0)])  # a chain would show it as a mark
@pytest.mark.parametrize("big_endian", [False, True])
def test_unwind__frames_stand_behind_a_mark(big_endian, ip, chain, frame_nr,
                                            unwound):
    """A copy that leads nowhere gives the sample's own address."""
    bits = ALL & ~CHAIN
    attr = attr_of(bits, sample_regs_user=0xff0fff, sample_stack_user=8192)
    file = File(big_endian, [attr])
    file.ids = [[101]]
    file.features |= {6: file.string(b"x86_64")}
    file.records.append(file.e.sample(attr, file.ident(100)).replace(
        file.e.words(0x7008), file.e.words(ip)))
    data, told = unwound(file.bytes())
    new = attr_of(bits & ~REGS & ~STACK | CHAIN)
    record = with_chain(file.e, file.e.sample(new, file.ident(100)), *chain)
    assert data.count(record) == 1
    assert (f"1 stack copies: {frame_nr} frames; 1 copies in which no caller"
            in told)
    assert ("\nin.data: 1 outermost frames left out" in told) == (frame_nr == 0)


@pytest.mark.parametrize("machine", ["aarch64", "i386"])
def test_unwind__other_machines(machine, unwound, run, perfpair, tmp_path):
    from stack_chains import STACKS
    data, _ = unwound(stack_copies(machine), "--symfs", str(STACKS / machine))
    assert len(data) * 2 < len(stack_copies(machine))
    before, after = (run([perfpair, "script", "--symfs", STACKS / machine, "-i",
                          name]) for name in ("in.data", "out.data"))
    assert before.stdout == after.stdout
    assert before.stdout.count("stop_here") > 10


def test_unwind__the_input_is_never_overwritten(run, perfpair, tmp_path):
    data = stack_copies("i386")
    path = tmp_path / "in.data"
    path.write_bytes(data)
    (tmp_path / "hard.data").hardlink_to(path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "data").write_bytes(data)
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    for out, source in (("in.data", "in.data"), ("./in.data", "in.data"),
                        ("hard.data", "in.data"), ("folder/data", "folder"),
                        ("link/data", "folder"), ("folder/new", "link")):
        done = run([perfpair, "unwind", "-f", "-o", out, source])
        assert done.returncode == USAGE
        assert "is the input, which is never overwritten" in done.stderr
    (tmp_path / "old.data").write_bytes(b"old")
    done = run([perfpair, "unwind", "-o", "old.data", "in.data"])
    assert done.returncode == FAILED
    assert (tmp_path / "old.data").read_bytes() == b"old"
    assert path.read_bytes() == data
    for words in ([], ["-o", "-"]):
        assert run([perfpair, "unwind", *words, "in.data"]).returncode == USAGE


def test_unwind__damaged_input(run, perfpair, tmp_path):
    """Cut and flipped: an answer or an error, and a file that is whole."""
    data = stack_copies("i386")
    start, length = struct.unpack_from("<2Q", data, 40)
    path, out = tmp_path / "t.data", tmp_path / "o.data"
    cuts = [data[:at] for at in range(0, len(data), len(data) // 37)]
    flips = []
    places = [*range(8, start, 29), *range(start, start + length,
                                           length // 60)]
    for at in places:
        changed = bytearray(data)
        changed[at] ^= 0x41
        flips.append(bytes(changed))
    codes = set()
    for bad in cuts + flips:
        path.write_bytes(bad)
        out.unlink(missing_ok=True)
        done = run([program("report", "perfpair"), "unwind", "-o", out, path])
        codes.add(done.returncode)
        assert done.returncode in (OK, FAILED, DAMAGED), done.stderr
        assert "Sanitizer" not in done.stderr
        assert out.exists() == (done.returncode != FAILED)
        if out.exists():
            assert run([perfpair, "check", "-q", out]).returncode == 0
    assert codes == {OK, FAILED, DAMAGED}
