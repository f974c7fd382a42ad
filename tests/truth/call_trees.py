"""Programs that are a tree of calls: treeN() is called by one other function alone, so
that a name says what all callers of a frame have to be.  One tree is written in each
language; the runtime tells the stack of each function, too, when it is called first."""

import random
import re

NODES, DEPTH = 40, 9
COPY_LEN = 8192
NODE = re.compile(r"\btree(\d+)\b")
# How a function calls: itself thrice before the others; by a function of its own; by
# the runtime's sort; and what it calls ends by an exception.
WAYS = ["plain", "recursive", "closure", "sorted", "thrown"]


class Tree:
    def __init__(self, seed, but=()):
        rng = random.Random(seed)
        self.parents, depths = [None], [0]
        while len(self.parents) < NODES:
            parent = rng.choice([nr for nr, depth in enumerate(depths)
                                 if depth < DEPTH][-8:])
            self.parents.append(parent)
            depths.append(depths[parent] + 1)
        self.ways = [rng.choice([way for way in WAYS if way not in but]) for _ in self.parents]
        self.rng = rng

    def callees(self, nr):
        return [i for i, parent in enumerate(self.parents) if parent == nr]

    def path(self, nr):
        """The functions from the root to this one."""
        return [] if nr is None else [*self.path(self.parents[nr]), nr]

    def known(self, names):
        """The functions of the tree among the names of a stack, outermost first;
        calls of itself, and what is in a function, are not told apart."""
        found = [int(match[1]) for name in names if (match := NODE.search(name))]
        return [nr for i, nr in enumerate(found) if not i or nr != found[i - 1]]

    def judge(self, known):
        """The pairs of a caller and what it calls: how many there are, in how many
        functions between them are missing, and those that are no calls."""
        pairs = list(zip(known, known[1:]))
        wrong = [pair for pair in pairs if pair[0] not in self.path(pair[1])[:-1]]
        skipped = [pair for pair in pairs if self.parents[pair[1]] != pair[0]]
        return len(pairs), len(skipped) - len(wrong), wrong


def written(tree, head, function, calls, tail):
    """calls: the text of a call, by the way of its function."""
    text = head
    for nr, way in enumerate(tree.ways):
        body = "".join((calls.get(way) or calls["plain"]).replace("CALLEE", f"tree{i}")
                       for i in tree.callees(nr))
        again = calls["recursive"] if way == "recursive" else ""
        end = calls["throw"] if nr and tree.ways[tree.parents[nr]] == "thrown" else ""
        text += function.replace("AGAIN", again).replace("BODY", body) \
            .replace("END", end).replace("NAME", f"tree{nr}").replace("NR", str(nr))
    return text + tail


def go(tree):
    return written(tree, """
package main

import ("fmt"; "os"; "runtime"; "sort"; "strconv"; "time")

var told [1000]bool

func tell(nr int) {
	if told[nr] { return }
	told[nr] = true
	pcs := make([]uintptr, 300)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for frame, more := frames.Next(); ; frame, more = frames.Next() {
		fmt.Print(frame.Function, " ")
		if !more { break }
	}
	fmt.Println()
}

func caught() { recover() }
""", """
//go:noinline
func NAME(n, deep int) (s int) {
	tell(NR)
	for i := 0; i < n; i++ { s = s*31 + i }
AGAINBODYEND	return s
}
""", {
        "plain": "\ts += CALLEE(n, 3)\n",
        "recursive": "\tif deep > 0 { return s + NAME(n, deep-1) }\n",
        "closure": "\ts += func(k int) int { defer runtime.KeepAlive(k); "
                   "return CALLEE(k, 3) }(n)\n",
        "sorted": "\tsort.Slice([]int{3, 1}, func(a, b int) bool { s += CALLEE(n, 3); "
                  "return a < b })\n",
        "thrown": "\tfunc() { defer caught(); s += CALLEE(n, 3) }()\n",
        "throw": "\tif n > 0 { panic(s) }\n",
    }, """
func main() {
	ms, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(ms) * time.Millisecond)
	done := make(chan bool)
	go func() {
		for time.Now().Before(end) { tree0(3000, 3) }
		done <- true
	}()
	<-done
}
""")


def java(tree):
    return written(tree, """
import java.util.*;
import java.util.function.*;

public class Tree {
	static boolean[] told = new boolean[1000];

	static void tell(int nr) {
		if (told[nr]) return;
		told[nr] = true;
		StringBuilder line = new StringBuilder();
		for (StackTraceElement frame : Thread.currentThread().getStackTrace())
			line.append(frame.getMethodName()).append(' ');
		System.out.println(line);
	}
""", """
	static long NAME(int n, int deep) {
		tell(NR);
		long s = 0;
		for (int i = 0; i < n; i++) s = s * 31 + (i ^ s >> 3);
AGAINBODYEND		return s;
	}
""", {
        "plain": "\t\ts += CALLEE(n, 3);\n",
        "recursive": "\t\tif (deep > 0) return s + NAME(n, deep - 1);\n",
        "closure": "\t\t{ IntToLongFunction f = k -> CALLEE(k, 3); "
                   "s += f.applyAsLong(n); }\n",
        "sorted": "\t\tArrays.sort(new Integer[] {3, 1}, (a, b) -> "
                  "{ CALLEE(n, 3); return a - b; });\n",
        "thrown": "\t\ttry { s += CALLEE(n, 3); } "
                  "catch (IllegalStateException e) { s++; }\n",
        "throw": "\t\tif (n > 0) throw new IllegalStateException();\n",
    }, """
	public static void main(String[] words) {
		long end = System.currentTimeMillis() + Long.parseLong(words[0]);
		while (System.currentTimeMillis() < end) tree0(3000, 3);
	}
}
""")


def node(tree):
    return written(tree, """
Error.stackTraceLimit = 300;
const told = [];
function tell(nr) {
  if (told[nr]) return;
  told[nr] = true;
  console.log(new Error().stack.split("\\n").slice(1).map(
    line => line.trim().split(" ")[1]).join(" "));
}
""", """
function NAME(n, deep) {
  tell(NR);
  let s = 0;
  for (let i = 0; i < n; i++) s = s * 31 + i | 0;
AGAINBODYEND  return s;
}
""", {
        "plain": "  s += CALLEE(n, 3);\n",
        "recursive": "  if (deep > 0) return s + NAME(n, deep - 1);\n",
        "closure": "  s += (k => CALLEE(k, 3))(n);\n",
        "sorted": "  [3, 1].sort((a, b) => { s += CALLEE(n, 3); return a - b; });\n",
        "thrown": "  try { s += CALLEE(n, 3); } catch (error) { s++; }\n",
        "throw": "  if (n > 0) throw new Error(s);\n",
    }, """
const end = Date.now() + Number(process.argv[2]);
while (Date.now() < end) tree0(3000, 3);
""")


def python(tree):
    return written(tree, """
import sys, time
told = set()

def tell(nr):
    if nr in told:
        return
    told.add(nr)
    frame = sys._getframe(1)
    while frame:
        print(frame.f_code.co_name, end=" ")
        frame = frame.f_back
    print()
""", """
def NAME(n, deep):
    tell(NR)
    s = 0
    for i in range(n):
        s = s * 31 + i & 1023
AGAINBODYEND    return s
""", {
        "plain": "    s += CALLEE(n, 3)\n",
        "recursive": "    if deep > 0:\n        return s + NAME(n, deep - 1)\n",
        "closure": "    s += (lambda k: CALLEE(k, 3))(n)\n",
        "sorted": "    sorted([3], key=lambda k: CALLEE(n, 3))\n",
        "thrown": "    try:\n        s += CALLEE(n, 3)\n"
                  "    except ValueError:\n        s += 1\n",
        "throw": "    if n > 0:\n        raise ValueError(s)\n",
    }, """
end = time.monotonic() + int(sys.argv[1]) / 1000
while time.monotonic() < end:
    tree0(200, 3)
""")


# By machine: how code is written, and the beginning and the end of its kinds of frames.
ASSEMBLY = {
    "x86_64": {
        "work": "mov $9000, %eax; 1: dec %eax; jne 1b",
        "call": "mov $3, %edi; CALL",
        "again": "test %edi, %edi; je 2f; dec %edi; CALL",
        "CALL": "call *slots+8*CALLEE(%rip)",
        "frames": {
            "framed": ("push %rbp; mov %rsp, %rbp; sub $SIZE, %rsp", "leave; ret"),
            "bare": ("sub $SIZE+8, %rsp", "add $SIZE+8, %rsp; ret"),
            "number": ("push %rbp; sub $SIZE, %rsp; mov $SIZE*12345, %ebp",
                       "add $SIZE, %rsp; pop %rbp; ret"),
            # what looks like a frame, but for the address, where a function starts
            "pointer": ("push %rbp; sub $SIZE, %rsp; mov slots+8*NR(%rip), %rax; "
                        "mov %rax, 8(%rsp); mov %rsp, %rbp",
                        "add $SIZE, %rsp; pop %rbp; ret"),
        },
    },
    "aarch64": {
        "work": "mov w9, #900; 1: subs w9, w9, #1; b.ne 1b",
        "call": "mov w0, #3; CALL",
        "again": "cbz w0, 2f; sub w0, w0, #1; CALL",
        "CALL": "adr x9, slots+8*CALLEE; ldr x9, [x9]; blr x9",
        "frames": {
            # as V8 and Wasmtime
            "framed": ("stp x29, x30, [sp, #-16]!; mov x29, sp; sub sp, sp, #SIZE",
                       "mov sp, x29; ldp x29, x30, [sp], #16; ret"),
            # as HotSpot
            "later": ("sub sp, sp, #SIZE+16; stp x29, x30, [sp, #SIZE]; "
                      "add x29, sp, #SIZE",
                      "ldp x29, x30, [sp, #SIZE]; add sp, sp, #SIZE+16; ret"),
            # as .NET: the record is at the bottom
            "low": ("stp x29, x30, [sp, #-SIZE-16]!; mov x29, sp",
                    "ldp x29, x30, [sp], #SIZE+16; ret"),
            "bare": ("stp x30, xzr, [sp, #-SIZE]!", "ldr x30, [sp], #SIZE; ret"),
            "number": ("stp x29, x30, [sp, #-SIZE-16]!; mov x29, #SIZE*123",
                       "ldp x29, x30, [sp], #SIZE+16; ret"),
            "pointer": ("stp x29, x30, [sp, #-SIZE-32]!; adr x9, slots+8*NR; "
                        "ldr x9, [x9]; str x9, [sp, #24]; add x29, sp, #16",
                        "ldp x29, x30, [sp], #SIZE+32; ret"),
        },
    },
}


def generated(tree, kinds, machine="x86_64"):
    """In C: two of three functions are machine code, copied to memory without a file and
    named by a perf map; their frames are of these kinds.  The others are compiled.
    PROGRAM MS [SAMPLES]: it samples itself, too, on a machine of other kind in qemu."""
    code, functions, names, way_of = "", "", "", ASSEMBLY[machine]

    def call(how, callee):
        return way_of[how].replace("CALL", way_of["CALL"], 1).replace(
            "CALLEE", str(callee)) + "; "

    for nr, way in enumerate(tree.ways):
        if nr % 3 == 2:
            calls = "".join(f"\t\ttable[{i}](3);\n" for i in tree.callees(nr))
            again = f"\tif (deep > 0)\n\t\ttree{nr}(deep - 1);\n\telse\n"
            functions += f"static NOIPA void tree{nr}(int deep)\n{{\n\tspin();\n" \
                f"{again if way == 'recursive' else ''}\t{{\n{calls}\t}}\n" \
                '\t__asm__ volatile("");\n}\n\n'
            names += f"\ttable[{nr}] = tree{nr};\n"
            continue
        begin, end = way_of["frames"][tree.rng.choice(kinds)]
        again = f"{call('again', nr)}{end}; " if way == "recursive" else ""
        calls = "".join(call("call", i) for i in tree.callees(nr))
        text = f".balign 16; at{nr}: {begin}; {way_of['work']}; {again}2: {calls}{end}; " \
            f"end{nr}:"
        size = 16 * tree.rng.randrange(1, 6)
        code += f'"{text}\\n"\n'.replace("SIZE", str(size)).replace("NR", str(nr))
        names += f"\tNAME({nr});\n"
    return """
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOIPA __attribute__((noipa))

typedef void function(int);

__asm__(".section .rodata; .balign 64; code:\\n"
@CODE".balign 8; slots: .fill 8*COUNT; code_end: .text");
#pragma GCC visibility push(hidden)
extern char code[], code_end[];
static function **table;
static char *map;
static FILE *names;

static NOIPA void spin(void)
{
	for (volatile int i = 0; i < 1500; i++)
		;
}

FUNCTIONS#define NAME(nr) {                                                      \\
		extern char at##nr[], end##nr[];                                \\
		table[nr] = (function *)(map + (at##nr - code));                \\
		fprintf(names, "%lx %lx tree" #nr "\\n", (long)table[nr],       \\
			(long)(end##nr - at##nr));                              \\
	}

#ifdef __aarch64__
static FILE *samples;

/* x0 to x30, sp, pc, and the top of the stack. */
static void sample(int nr, siginfo_t *info, void *context)
{
	const mcontext_t *regs = &((ucontext_t *)context)->uc_mcontext;

	(void)nr;
	(void)info;
	fwrite(regs->regs, 8, 33, samples);
	fwrite((void *)regs->sp, 1, COPY_LEN, samples);
}

static void sample_to(const char *path)
{
	struct sigaction action = { .sa_sigaction = sample,
				    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	stack_t stack = { malloc(1 << 16), 0, 1 << 16 };
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "r");

	samples = fopen(path, "w");
	while (fgets(line, sizeof(line), maps))
		fputs(line, stdout);
	sigaltstack(&stack, NULL);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
}
#endif

int main(int argc, char **argv)
{
	clock_t end = clock() + atol(argv[1]) * (CLOCKS_PER_SEC / 1000);
	size_t len = (size_t)(code_end - code);
	char path[64];

	map = mmap(NULL, len, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(map, code, len);
	table = (function **)(map + len - 8 * COUNT);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	names = fopen(path, "w");
NAMES	fclose(names);
#ifdef __aarch64__
	sample_to(argv[2]);
#endif
	while (clock() < end)
		table[0](3);
	return argc < 2;
}
""".replace("@CODE", code).replace("COPY_LEN", str(COPY_LEN)).replace(
        "COUNT", str(NODES)).replace("FUNCTIONS", functions).replace("NAMES", names)
