"""made_samples.py: samples by a seed, and what a page has to say of them, counted
sample by sample without any tree."""

import collections
import random

from encode_page import (INLINED, JIT, KERNEL, NAMELESS, TASK, USER, Frame,
                         Sample)

USERS = [Frame(name, "/usr/bin/app", USER) for name in
         ("main", "work", "recurse", "leaf", "alloc_small", "alloc_large", "hash<int, 4>::find")]
LIBRARY = [Frame(name, "/usr/lib/libc.so.6", USER) for name in ("malloc", "free", "memcpy")]
KERNELS = [Frame(name, "[kernel.kallsyms]", KERNEL) for name in
           ("entry_SYSCALL_64", "do_syscall_64", "ksys_read", "vfs_read", "clear_page")]
OTHERS = [Frame("Lrun;", "/tmp/perf-7.map", JIT), Frame("inline_add", "", INLINED),
          Frame("libz.so.1", "/usr/lib/libz.so.1", NAMELESS),
          Frame("malloc", "/usr/lib/libjemalloc.so", USER)]
THREADS = [("app", 100, 100), ("app", 100, 101), ("worker", 100, 102), ("sh", 200, 200), ("swapper", 0, 0)]


def stack(rand):
    frames = [USERS[0]]
    while rand.random() < 0.8 and len(frames) < 30:
        frames.append(rand.choice(USERS[1:4] + LIBRARY + OTHERS + [USERS[2]] * 4))
    if rand.random() < 0.3:
        frames += KERNELS[:rand.randint(1, len(KERNELS))]
    if rand.random() < 0.02:
        return []
    return frames


def samples(number=4000, seed=1, span=10**10):
    """Two events: cycles with differing periods, cpu-clock with one."""
    rand = random.Random(seed)
    out = []
    for k in range(number):
        event = "cycles" if k % 3 else "cpu-clock"
        comm, pid, tid = rand.choices(THREADS, (9, 4, 3, 2, 1))[0]
        out.append(Sample(event, 5 * 10**9 + span * k // number, rand.randrange(4), comm, pid, tid,
                          rand.randint(1, 9) * 10**6 if event == "cycles" else 10**6, stack(rand)))
    return out


def whole_stack(sample):
    return [Frame(sample.comm, "", TASK)] + sample.frames


def by_function(chosen):
    """{(name, DSO, kind): [self, total, own samples]}"""
    out = collections.defaultdict(lambda: [0, 0, 0])
    for s in chosen:
        frames = whole_stack(s)
        out[frames[-1]][0] += s.period
        out[frames[-1]][2] += 1
        for frame in set(frames):
            out[frame][1] += s.period
    return out


def by_path(chosen, inverted=False):
    """{path of names: period}: what the nodes of a call tree weigh."""
    out = collections.Counter()
    for s in chosen:
        frames = whole_stack(s)
        if inverted:
            frames.reverse()
        for n in range(len(frames) + 1):
            out[tuple(f.name for f in frames[:n])] += s.period
    return out


def bins_of(encoder, sample):
    return (sample.time - encoder.time["first_ns"]) // encoder.time["bin_ns"]
