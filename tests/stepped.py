"""A recording of every branch that a small program takes.

There are no branch registers in a virtual machine: the program is run one
instruction at a time (ptrace), and a file is made of where it went, with a
sample after each 31 branches that has the last 32.  So each piece of code
between two branches stands in exactly one sample, and a tool that adds them up
must find how often each line ran.
"""

import ctypes
import os
import re
import subprocess
import sys

from common import ROOT

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import make  # noqa: E402
from perf_data import Encoder  # noqa: E402

PTRACE_TRACEME, PTRACE_GETREGS, PTRACE_SINGLESTEP = 0, 12, 9
RBP, RIP = 4, 16  # in struct user_regs_struct, words
IP, TID, TIME, CALLCHAIN, BRANCHES = 0, 1, 2, 5, 11
USER = 2**64 - 512
STACK_NR = 32

SOURCE = """\
static volatile unsigned sum;
__attribute__((noinline)) static void inner(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum += i;
	sum++;
}
__attribute__((noinline)) static void often(void)
{
	inner(90);
	sum++;
}
__attribute__((noinline)) static void seldom(void)
{
	inner(10);
	sum++;
}
void _start(void)
{
	for (unsigned i = 0; i < 20; i++) {
		often();
		if (i % 4 == 0)
			seldom();
	}
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
	__builtin_unreachable();
}
"""
# how often it ran: the line, counted from the function's first
RAN = {("inner", "1"): 25, ("inner", "3"): 20 * 90 + 5 * 10, ("inner", "5"): 25,
       ("often", "1"): 20, ("often", "2"): 20, ("often", "4"): 20,
       ("seldom", "1"): 5, ("seldom", "4"): 5}


def build(folder):
    """Return the program's path, or the reason why there is none."""
    source = folder / "stepped.c"
    source.write_text(SOURCE)
    path = folder / "stepped"
    done = subprocess.run(
        ["clang", "-g", "-O1", "-fno-omit-frame-pointer", "-nostdlib",
         "-static-pie", "-fPIE", "-fdebug-info-for-profiling",
         "-fno-unroll-loops", "-o", path, source], capture_output=True, text=True)
    return path, done.stderr if done.returncode else None


def lengths(path):
    """{address in the file: bytes of the instruction}"""
    text = subprocess.run(["objdump", "-d", "--insn-width=15", path], check=True,
                          capture_output=True, text=True).stdout
    return {int(addr, 16): len(code.split()) for addr, code in
            re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", text, re.M)}


class Run:
    """Each branch of one run, with the call chain behind it."""

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.argtypes = [ctypes.c_long] * 2 + [ctypes.c_void_p] * 2
        self.branches, self.chains = [], []
        self.pid = os.fork()
        if not self.pid:
            self.libc.ptrace(PTRACE_TRACEME, 0, None, None)
            os.execv(path, [path])
        os.waitpid(self.pid, 0)
        with open(f"/proc/{self.pid}/maps") as maps:
            self.maps = [line.split() for line in maps if str(path) in line]
        self.memory = open(f"/proc/{self.pid}/mem", "rb", 0)
        self.base = min(int(m[0].split("-")[0], 16) for m in self.maps)
        self.step(lengths(path))

    def word(self, addr):
        self.memory.seek(addr)
        return int.from_bytes(self.memory.read(8), "little")

    def chain(self, ip, regs):
        found, frame = [USER, ip], regs[RBP]
        while frame and len(found) < 9:
            found.append(self.word(frame + 8))
            frame = self.word(frame)
        return found[:4]  # inner, often, _start; behind that is no code

    def step(self, lens):
        regs = (ctypes.c_uint64 * 27)()
        at = None
        while True:
            self.libc.ptrace(PTRACE_GETREGS, self.pid, None,
                             ctypes.cast(regs, ctypes.c_void_p))
            to = regs[RIP]
            if at and to != at + lens[at - self.base]:
                self.branches.append((at, to))
                self.chains.append(self.chain(to, regs)
                                   if len(self.branches) % (STACK_NR - 1) == 0
                                   else None)
            at = to
            self.libc.ptrace(PTRACE_SINGLESTEP, self.pid, None, None)
            if os.WIFEXITED(os.waitpid(self.pid, 0)[1]):
                return


def recording(runs, path, with_chains=False):
    """Return the bytes of a perf.data file of these runs."""
    e = Encoder(False)
    bits = 1 << IP | 1 << TID | 1 << TIME | 1 << BRANCHES \
        | with_chains << CALLCHAIN
    attr = make.attr_of(sample_type=bits, branch_sample_type=1 << 3 | 1 << 0)
    data, time = b"", 0

    def trailer(pid):
        return e.pack("II", pid, pid) + e.words(time)

    for run in runs:
        pid = run.pid
        time += 10
        data += e.record(3, 0, e.pack("II", pid, pid) + b"stepped\0"
                         + trailer(pid))
        for place, prot, off, *_ in run.maps:
            if "x" in prot:
                start, end = (int(part, 16) for part in place.split("-"))
                name = str(path).encode() + b"\0"
                data += e.record(
                    10, 2, e.pack("II", pid, pid)
                    + e.words(start, end - start, int(off, 16))
                    + e.pack("II", 8, 1) + e.words(77, 1) + e.pack("II", 5, 2)
                    + name + bytes(-len(name) % 8) + trailer(pid))
        step, nr = STACK_NR - 1, len(run.branches)
        for start in range(0, nr, step):
            time += 10
            end = min(start + step, nr)
            last = run.branches[max(start - 1, 0):end][::-1]
            chain = run.chains[end - 1] or [USER, last[0][1]]
            body = e.words(last[0][1]) + e.pack("II", pid, pid) + e.words(time)
            if with_chains:
                body += e.words(len(chain), *chain)
            body += e.words(len(last))
            for source, to in last:
                body += e.words(source, to, 2)
            data += e.record(9, 2, body)
    return e.plain_file([(attr, [101])], data)
