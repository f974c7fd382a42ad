"""Compressed debug sections that become a thousand times as long: any user may
run such a program, and root reads the recording.  They are left out, which one
line says; names are still found."""

import struct
import subprocess
import zlib

import pytest

from test_hostile import RSS_KIB, measure_all

SHF_COMPRESSED = 0x800
PLAIN_LEN = 192 << 20
LEFT_OUT = ("inflated, its compressed sections are larger than the limit "
            "allows: left out")


def zeros(length):
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    return b"".join([*(packer.compress(block) for _ in range(length >> 20)),
                     packer.flush()])


def mark_compressed(data, name):
    """Sets the flag that objcopy does not set; data is a bytearray."""
    shoff, = struct.unpack_from("<Q", data, 40)
    shentsize, shnum, names_idx = struct.unpack_from("<3H", data, 58)
    names, = struct.unpack_from("<Q", data, shoff + names_idx * shentsize + 24)
    for i in range(shnum):
        at = shoff + i * shentsize
        text = names + struct.unpack_from("<I", data, at)[0]
        if data[text:data.index(0, text)] == name.encode():
            flags, = struct.unpack_from("<Q", data, at + 8)
            struct.pack_into("<Q", data, at + 8, flags | SHF_COMPRESSED)
            return
    raise AssertionError(f"no section {name}")


def swell(program, into, name):
    """A copy of program with a section more: PLAIN_LEN zeros, packed."""
    packed = into.with_suffix(".section")
    head = b"ZLIB" + struct.pack(">Q", PLAIN_LEN) \
        if name.startswith(".zdebug") \
        else struct.pack("<2I2Q", 1, 0, PLAIN_LEN, 1)
    packed.write_bytes(head + zeros(PLAIN_LEN))
    subprocess.run(["objcopy", "--add-section", f"{name}={packed}", program,
                    into], check=True)
    if head[:4] != b"ZLIB":
        data = bytearray(into.read_bytes())
        mark_compressed(data, name)
        into.write_bytes(data)


def add_decoys(path, nr):
    """So many section headers more, all of one place: each says that it packs
    the end of the file, and becomes nothing."""
    data = bytearray(path.read_bytes())
    shoff, = struct.unpack_from("<Q", data, 40)
    shentsize, shnum = struct.unpack_from("<2H", data, 58)
    heads = data[shoff:shoff + shentsize * shnum]
    at = len(data)
    length = 400_000
    data += struct.pack("<2I2Q", 1, 0, 0, 1) + bytes(length)
    heads += nr * struct.pack("<2I4Q2I2Q", 0, 1, SHF_COMPRESSED, 0, at, length,
                              0, 0, 1, 0)
    struct.pack_into("<Q", data, 40, len(data))
    struct.pack_into("<H", data, 60, shnum + nr)
    path.write_bytes(data + heads)


@pytest.mark.parametrize("name, decoy_nr", [
    (".debug_macro", 0), (".zdebug_macro", 0), (".debug_macro", 60)])
def test_packed_sections__swell_no_memory(name, decoy_nr, perfpair,
                                          perfpair_record, may_record, workload,
                                          run, tmp_path):
    program, path = tmp_path / "swollen", tmp_path / "perf.data"
    swell(workload("spin", "-O1", "-g"), program, name)
    if decoy_nr:
        add_decoys(program, decoy_nr)
    assert program.stat().st_size < 1 << 20
    run([perfpair_record, "-q", "-e", "cpu-clock", "-F", "1000",
         "--call-graph", "dwarf,1024", "-o", path, "--", program, "100"],
        check=True)
    commands = [[*words, "-i", str(path)] for words in (
        ["report", "--stdio"], ["report", "--stdio", "-s", "sym,srcline"],
        ["script"], ["script", "-F", "ip,sym,srcline"])]
    for command, (code, peak_kib, told) in zip(
            commands, measure_all(perfpair, commands, tmp_path)):
        # threads that look up lines at once hold some MiB each; what must not
        # be held are hundreds
        assert (code, peak_kib < RSS_KIB + (16 << 10)) == (0, True), \
            (command, peak_kib, told)
        if command[0] == "report":
            assert told.count(LEFT_OUT) == 1, told
    done = run([perfpair, *commands[0]])
    assert "] compare" in done.stdout
