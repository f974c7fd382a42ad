"""script -F insn,insnlen,disasm: the instruction of each sample.  Bytes and
lengths are perf's; its packages in Debian cannot print the text."""

import platform
import re
import shutil
import subprocess

import pytest

from common import RECORD

SOURCE = r"""
int main(void)
{
	long n = 300000000;

	__asm__ volatile(".globl loop\n loop: addq $3, %%rax\n"
			 "lea 0x10(%%rax,%%rdx,4), %%r11\n"
			 "subq $1, %0\n jne loop" : "+r"(n) : : "rax", "r11");
	return 0;
}
"""
TEXTS = {"48 83 c0 03": "addq $3, %rax",
         "4c 8d 5c 90 10": "leaq 0x10(%rax, %rdx, 4), %r11",
         "48 83 e9 01": "subq $1, %rcx", "48 83 ea 01": "subq $1, %rdx",
         "75 f1": "jne 0x{loop}"}


@pytest.fixture(scope="module")
def recorded(may_trace, perf, tmp_path_factory):
    """(recording, program), whose addresses are those of its file."""
    if platform.machine() != "x86_64":
        pytest.skip("the program is of x86_64")
    folder = tmp_path_factory.mktemp("insn")
    program = folder / "loop"
    (folder / "loop.c").write_text(SOURCE)
    subprocess.run(["cc", "-O1", "-static", "-o", program, folder / "loop.c"], check=True)
    subprocess.run([perf, *RECORD, "-q", "-e", "cpu-clock:u", "-o", folder / "perf.data",
                    "--", program], check=True)
    return folder / "perf.data", program


@pytest.mark.parametrize("fields", ["comm,tid,time,ip,sym,insn,insnlen", "insn", "ip,insnlen"])
def test_bytes_and_lengths_are_perfs(recorded, both, fields):
    both("script", "-F", fields, "-i", recorded[0])


def test_the_text_is_that_of_the_bytes(recorded, perfpair, run):
    path, program = recorded
    symbols = run(["nm", program]).stdout
    loop = re.search(r"^0*([0-9a-f]+) . loop$", symbols, re.M)[1]
    done = run([perfpair, "script", "-F", "sym,insn,disasm", "-i", path, "-S", "loop"])
    shown = set(re.findall(r"insn: ([0-9a-f ]+)\t\t(.*)", done.stdout))
    assert len(shown) > 1
    assert shown <= {(code, text.format(loop=loop)) for code, text in TEXTS.items()}
    assert done.stdout.count("\t\t") == len(done.stdout.splitlines())


def test_code_that_the_recording_carries_is_shown(recorded, perfpair, run, tmp_path):
    path, program = recorded
    words = ["script", "-F", "ip,insn,disasm", "-S", "loop", "-i"]
    before = run([perfpair, *words, path])
    run([perfpair, "carry", "--code", "-i", path, "-o", tmp_path / "carried.data"])
    moved = shutil.move(program, tmp_path / "away")
    try:
        after = run([perfpair, *words, tmp_path / "carried.data"])
        bare = run([perfpair, *words, path])
    finally:
        shutil.move(moved, program)
    assert before.stdout == after.stdout and "insn: " in after.stdout
    assert "insn: " not in bare.stdout
