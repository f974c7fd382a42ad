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


def names_without_end(data):
    """libelf looks for their end at each of the sections."""
    idx, = struct.unpack_from("<H", data, 0x3e)
    at, _ = sections(data)[idx]
    first, length = struct.unpack_from("<2Q", data, at + 0x18)
    names = bytes(data[first:first + length]) + b"x" * 100_000
    struct.pack_into("<2Q", data, at + 0x18, len(data), len(names))
    data += names


@pytest.mark.parametrize("change, length, told", [
    (count_sections, 4 << 30, HEADERS),
    (stretch(SHT_SYMTAB, 1 << 30, 2 << 30), 4 << 30, TABLE),
    (drop_symtab, 4 << 30, TABLE),
    (names_without_end, 1 << 20, HEADERS),
    (stretch(SHT_NOTE, 1 << 30, 200 << 30), 202 << 30, None),
], ids=["sections", "symbols", "dynamic-symbols", "names", "notes"])
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


LEAF = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) unsigned leaf(unsigned x)
{
	asm volatile(%s);
	for (unsigned i = 0; i < 100000; i++) { x ^= x << 13; x ^= x >> 17; }
	return x;
}
int main(int argc, char **argv)
{
	clock_t end = clock() + atol(argv[1]) * (CLOCKS_PER_SEC / 1000);
	unsigned s = argc;
	while (clock() < end) s += leaf(s);
	return s == 42;
}
"""


def uleb(value):
    data = []
    while value:
        data.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
    return ",".join(map(hex, data))


def register_rule(number, states):
    """Call frame information: that register is saved at CFA, and the state is
    remembered."""
    return (f'".cfi_escape 0x05,{uleb(number)},0x01\\n'
            f'.rept {states}\\n.cfi_remember_state\\n.endr"')


def record_leaf(program, run, perfpair_record, tmp_path, *options):
    run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "1000", *options,
         "-o", "t.data", "--", program, "200"], check=True)
    return tmp_path / "t.data"


@pytest.mark.parametrize("number, states", [(100_000_000, 0),
                                            (30_000_000, 100)])
def test_elf_bombs__a_register_of_any_number(
        number, states, perfpair, perfpair_record, may_record, run, tmp_path):
    """A row of libdw is as long as that, and each remembered state is one: 790
    MB and 22 GB.  Once it is carried the file is not needed."""
    (tmp_path / "bomb.c").write_text(LEAF % register_rule(number, states))
    run(["gcc", "-O1", "-o", "bomb", "bomb.c"], check=True)
    path = record_leaf("./bomb", run, perfpair_record, tmp_path,
                       "--call-graph", "dwarf")
    commands = [["report", "--stdio", "-i", str(path)],
                ["script", "-i", str(path)],
                ["unwind", "-f", "-o", "/dev/null", "-i", str(path)]]
    for is_here in (True, False):
        if not is_here:
            (tmp_path / "bomb").unlink()
        for command, (code, peak_kib, text) in zip(
                commands, measure_all(perfpair, commands, tmp_path)):
            assert (code, peak_kib < RSS_KIB) == (0, True), \
                (command, peak_kib, text)
            if command[0] == "report":
                assert ("its call frame information is larger than the limit "
                        "allows: left out") in text
        assert "] leaf" in run([perfpair, *commands[0]]).stdout


SHARED_RANGES = r"""
.section .debug_abbrev,"",@progbits
.uleb128 1,0x11; .byte 1; .uleb128 0x3,0x8,0x11,0x1,0x55,0x17; .byte 0,0
.uleb128 2,0x2e; .byte 1; .uleb128 0x3,0x8,0x11,0x1,0x12,0x7; .byte 0,0
.uleb128 3,0x1d; .byte 0; .uleb128 0x31,0x13,0x55,0x17; .byte 0,0
.uleb128 4,0x2e; .byte 0; .uleb128 0x3,0x8,0x20,0xb; .byte 0,0
.byte 0
.section .debug_info,"",@progbits
.Lunit: .long .Lend-.Lversion
.Lversion: .short 4; .long 0; .byte 8
.uleb128 1; .asciz "x.c"; .quad 0; .long 0
.Linlined: .uleb128 4; .asciz "inlined_one"; .byte 3
.uleb128 2; .asciz "leaf"; .quad leaf, 400
.rept 4000; .uleb128 3; .long .Linlined-.Lunit, 0; .endr
.byte 0, 0
.Lend:
.section .debug_ranges,"",@progbits
.rept 4000; .quad 0x10, 0x20; .endr
.quad leaf, leaf+400, 0, 0
"""


def test_elf_bombs__ranges_that_functions_share(
        perfpair, perfpair_record, may_record, run, tmp_path):
    """16 million of them in 130 KB."""
    (tmp_path / "bomb.c").write_text(LEAF % '""')
    run(["gcc", "-O1", "-S", "bomb.c"], check=True)
    with open(tmp_path / "bomb.s", "a") as file:
        file.write(SHARED_RANGES)
    run(["gcc", "-o", "bomb", "bomb.s"], check=True)
    path = record_leaf("./bomb", run, perfpair_record, tmp_path,
                       "--call-graph", "dwarf")
    commands = [["report", "--format", "html", "-o", "/dev/null", "-i", str(path)],
                ["script", "-i", str(path)],
                ["carry", "--lines", "-f", "-o", "/dev/null", "-i", str(path)]]
    for command, (code, peak_kib, text) in zip(
            commands, measure_all(perfpair, commands, tmp_path)):
        assert (code, peak_kib < RSS_KIB) == (0, True), (command, peak_kib, text)


def test_elf_bombs__names_are_in_proportion(perfpair, perfpair_record,
                                            may_record, run, tmp_path):
    """60 aliases of 20,000 bytes each, of one function."""
    names = [os.urandom(10000).hex() for _ in range(60)]
    aliases = "".join(f"\\n.globl x{name}\\n.set x{name}, leaf\\n"
                      f".type x{name}, @function" for name in names)
    (tmp_path / "bomb.c").write_text(LEAF % f'"{aliases}"')
    run(["gcc", "-O1", "-o", "bomb", "bomb.c"], check=True)
    path = record_leaf("./bomb", run, perfpair_record, tmp_path)
    assert path.stat().st_size < 100_000
    (tmp_path / "bomb").unlink()
    rows = run([perfpair, "report", "--stdio", "-i", path]).stdout
    assert "] leaf" in rows or "] x" in rows


def test_elf_bombs__aliases_that_share_a_text(perfpair, perfpair_record,
                                              may_record, run, tmp_path):
    """1,000 aliases of one function, whose names are ends of one text."""
    (tmp_path / "bomb.c").write_text(LEAF % '""')
    run(["gcc", "-O1", "-o", "bomb", "bomb.c"], check=True)
    program = tmp_path / "bomb"
    data = bytearray(program.read_bytes())
    at, = [at for at, kind in sections(data) if kind == SHT_SYMTAB]
    first, length = struct.unpack_from("<2Q", data, at + 0x18)
    link, = struct.unpack_from("<I", data, at + 0x28)
    names, = [place for i, (place, _) in enumerate(sections(data)) if i == link]
    texts, = struct.unpack_from("<Q", data, names + 0x18)
    leaf, = [symbol for symbol in
             (data[first + i:first + i + 24] for i in range(0, length, 24))
             if data[texts + struct.unpack_from("<I", symbol)[0]:]
             .startswith(b"leaf\0")]
    struct.pack_into("<2Q", data, at + 0x18, len(data), 1000 * 24)
    struct.pack_into("<2Q", data, names + 0x18, len(data) + 24000, 65002)
    data += b"".join(struct.pack("<I", 1 + i) + leaf[4:] for i in range(1000))
    data += b"\0" + os.urandom(32500).hex().encode() + b"\0"
    program.write_bytes(data)
    path = record_leaf("./bomb", run, perfpair_record, tmp_path, "--carry",
                       "none")
    other = tmp_path / "other.data"
    run([perfpair, "carry", "-o", other, "-i", path], check=True)
    assert other.stat().st_size < 2 << 20


def test_elf_bombs__a_user_s_files_leave_others_theirs(
        perfpair, perfpair_record, may_record, run, open_folder, tmp_path):
    """30 programs of nobody's, and one of root's that was hit least."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to make files of two users")
    name, build_id = b"x" + b"a" * 600, b"\xab" * 20
    (open_folder / "leaf.c").write_text(LEAF % '""')
    run(["gcc", "-O1", f"-Dleaf={name.decode()}", "-o", open_folder / "leaf",
         f"-Wl,--build-id=0x{build_id.hex()}", open_folder / "leaf.c"], check=True)
    data, script = (open_folder / "leaf").read_bytes(), ""
    for i in range(31):
        program = open_folder / f"program{i}"
        program.write_bytes(data.replace(build_id, os.urandom(20)).replace(
            name, b"x" + os.urandom(300).hex().encode()))
        program.chmod(0o755)
        os.chown(program, 65534 if i else 0, -1)
        script += f"{program} {60 if i else 20} & wait;"
    path = open_folder / "t.data"
    run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", path,
         "--carry-size", "6K", "--", "sh", "-c", script], check=True)
    rows = run([perfpair, "report", "--stdio", "-i", path, "-s", "comm,sym",
                "--symfs", tmp_path]).stdout
    named = {row.split()[1] for row in rows.splitlines() if "] x" in row}
    assert "program0" in named, rows
    assert len(named) < 31
