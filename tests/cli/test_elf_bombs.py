"""ELF files of 20 KB, most of it holes, whose headers claim more than anybody
has.  Any user may run such a program, and root reads the recording: a file that
is over a limit loses its names, which one line says, and costs nothing."""

import os
import struct

import pytest

from test_hostile import RSS_KIB, measure_all

SHT_SYMTAB, SHT_NOTE, SHT_DYNSYM = 2, 7, 11
TABLE = "its symbol table is larger than the limit allows: left out"
HEADERS = "its headers are larger than the limit allows: left out"


def sections(data):
    """Offset of the header and type of each section."""
    at, = struct.unpack_from("<Q", data, 0x28)
    nr, = struct.unpack_from("<H", data, 0x3c)
    return [(at + 64 * i, struct.unpack_from("<I", data, at + 64 * i + 4)[0])
            for i in range(nr)]


def stretch(kind, offset, length):
    """All sections of that type lie in a hole."""
    def change(data):
        for at, its_kind in sections(data):
            if its_kind == kind:
                struct.pack_into("<2Q", data, at + 0x18, offset, length)
    return change


def count_sections(data):
    """The number of sections stands in the first one: 33 million."""
    struct.pack_into("<H", data, 0x3c, 0)
    at, = struct.unpack_from("<Q", data, 0x28)
    struct.pack_into("<Q", data, at + 0x20, 0x2000000)


def drop_symtab(data):
    """.dynsym is what names come from if there is no .symtab."""
    for at, kind in sections(data):
        if kind == SHT_SYMTAB:
            struct.pack_into("<I", data, at + 4, 1)
    stretch(SHT_DYNSYM, 1 << 30, 2 << 30)(data)


@pytest.mark.parametrize("change, length, told", [
    (count_sections, 4 << 30, HEADERS),
    (stretch(SHT_SYMTAB, 1 << 30, 2 << 30), 4 << 30, TABLE),
    (drop_symtab, 4 << 30, TABLE),
    (stretch(SHT_NOTE, 1 << 30, 200 << 30), 202 << 30, None),
], ids=["sections", "symbols", "dynamic-symbols", "notes"])
def test_elf_bombs__cost_nothing(change, length, told, perfpair,
                                 perfpair_record, may_record, workload, run,
                                 tmp_path):
    program, path = tmp_path / "bomb", tmp_path / "perf.data"
    data = bytearray(workload("spin", "-O1").read_bytes())
    change(data)
    program.write_bytes(data)
    os.truncate(program, length)
    program.chmod(0o755)
    assert program.stat().st_blocks * 512 < 1 << 20
    run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", path,
         "--", program, "200"], check=True)
    commands = [["report", "--stdio", "-i", str(path)],
                ["script", "-i", str(path)]]
    for command, (code, peak_kib, text) in zip(
            commands, measure_all(perfpair, commands, tmp_path)):
        assert (code, peak_kib < RSS_KIB) == (0, True), (command, peak_kib, text)
        if command[0] == "report":
            assert text.count(f"{program}: ") == (told is not None), text
            assert (told or "") in text
    rows = run([perfpair, *commands[0]]).stdout
    assert f"{program.name} " in rows
    assert ("] compare" in rows) == (told is None)
    done = run(["sh", "-c", f"{perfpair_record} -q -e cpu-clock:u -o - -- "
                f"{program} 200 | prlimit --cpu=5 {perfpair} top --stdio -i -"])
    assert (done.returncode, program.name in done.stdout) == (0, True), \
        done.stderr
