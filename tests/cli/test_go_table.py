"""What is shown of a Go program by its own table (.gopclntab), here and by what
a recording carries, where no Go is installed: the table is made."""

import shutil
import subprocess

import pytest

from made_file import File

# Two functions, of which the table has the first alone; of Go 1.20.
SOURCE = """\
	.section .text.made, "ax"
	.globl	_start, c_work
	.type	_start, @function
	.type	c_work, @function
_start:	.rept	64
	nop
	.endr
	.size	_start, 64
c_work:	.rept	64
	nop
	.endr
	.size	c_work, 64
	.section .gopclntab, "a"
table:	.long	0xfffffff1
	.byte	0, 0, 1, 8
	.quad	1, 1, _start
	.quad	names - table, units - table, files - table, steps - table
	.quad	list - table
names:	.asciz	"", "main.work"
units:	.long	0
files:	.asciz	"work.go"
steps:	.byte	0, 2, 64, 0, 16, 8, 2, 56, 0
list:	.long	0, function - list, 64
function:
	.long	0, 1, 0, 0, 0, 1, 4, 0, 0, 1, 0
"""
BASE, CODE = 0x400000, 0x401000
LINKED = ["-nostdlib", "-static", "-no-pie", "-Wl,--build-id=sha1",
          f"-Wl,--section-start=.text.made={CODE:#x}"]

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")


def build(folder, *words):
    (folder / "made.S").write_text(SOURCE)
    subprocess.run(["gcc", *LINKED, *words, "-o", "made", "made.S"], cwd=folder,
                   check=True)
    return folder / "made"


def recording(program):
    made = File()
    e = made.e
    path = bytes(program)
    found = subprocess.run(["readelf", "-lW", program], check=True, text=True,
                           capture_output=True).stdout
    off = next(int(line.split()[1], 16) for line in found.splitlines()
               if "LOAD" in line and f"{CODE:#018x}" in line)
    made.add(1, e.pack("II", 5, 5) + e.words(CODE, 0x1000, off) + path
             + bytes(8 - len(path) % 8), 90, 2)
    for addr in CODE + 4, CODE + 10, CODE + 70:
        made.records.append(e.record(9, 2, e.words(addr) + e.pack("II", 5, 6)
                                     + e.words(100, 101) + e.pack("II", 1, 0)))
    return made.bytes()


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """What script and report print of a recording."""
    def of(data, *words):
        outs = []
        for command in (["script", "-F", "ip,sym,srcline"],
                        ["report", "-s", "sym,srcline"]):
            done = run([perfpair, *command, "-i", data, *words])
            assert done.returncode == 0
            outs.append([line.split() for line in done.stdout.splitlines()
                         if line and line[0] != "#"])
        return outs
    return of


@pytest.fixture
def carried(run, perfpair, tmp_path):
    def of(program):
        (tmp_path / "a.data").write_bytes(recording(program))
        assert run([perfpair, "carry", "-i", "a.data", "-o", "c.data"]).returncode == 0
        return tmp_path / "c.data"
    return of


def test_go_table__a_stripped_program_is_shown_here_and_elsewhere(
        shown, carried, tmp_path):
    program = build(tmp_path, "-s")
    data = carried(program)
    here = shown("a.data")
    assert here[0] == [["401004", "main.work"], ["work.go:7"],
                       ["40100a", "main.work"], ["work.go:8"],
                       ["401046", "[unknown]"], ["made[401046]"]]
    assert ["33.33%", "[.]", "main.work", "work.go:7"] in here[1]
    assert here[0][:4] == shown(data)[0][:4]
    assert here[0][:4] == shown(data, "--symfs", tmp_path)[0][:4]


def test_go_table__a_stripped_copy_hides_nothing_that_is_carried(
        shown, carried, tmp_path):
    program = build(tmp_path, "-g")
    data = carried(program)
    before = shown(data)
    assert before[0][4:] == [["401046", "c_work"], ["made.S:10"]]
    subprocess.run(["strip", program], check=True)
    assert shown(data) == before
    assert shown(data, "--symfs", tmp_path) == before
