"""made_samples.py: samples by a seed, and what a page has to say of them, counted
sample by sample without any tree."""

import collections
import random

from encode_page import (INLINED, JIT, KERNEL, NAMELESS, TASK, USER, Frame, Row,
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


def comparison():
    """(samples, head): two sides of two runs, and rows as perfpair diff prints them."""
    out = samples(900, seed=3, span=256 * 10**7)
    files = ["old.1.data", "old.2.data", "new.1.data", "new.2.data"]
    runs = [s._replace(event="cpu-clock", period=10**6, cpu=None, comm=files[k % 4], pid=0, tid=k % 4)
            for k, s in enumerate(out)]
    sure = {"recurse": (2.0e8, 2.6e8, 5e7, 7e7, True, "exact"), "leaf": (1.0e8, 7.0e7, -4e7, -2e7, True, "exact"),
            "free": (5.0e7, 5.2e7, -3e6, 7e6, False, "exact"), "memcpy": (0.0, 3.0e7, 2e7, 4e7, True, "new")}
    rows = []
    for name, (was, now, low, high, significant, match) in sure.items():
        dso = "/usr/lib/libc.so.6" if name in ("free", "memcpy") else "/usr/bin/app"
        rows.append({"comm": None, "dso": dso, "symbol": name, "baseline": was, "new": now, "delta": now - was,
                     "low": low, "high": high, "baseline_runs": [was * 0.99, was * 1.01],
                     "new_runs": [now * 0.98, now * 1.02], "significant": significant, "match": match})
    diff = {"tested": True, "work": "same", "variance": "between runs", "measure": "time",
            "sides": [[{"file": f} for f in files[:2]], [{"file": f} for f in files[2:]]],
            "events": [{"event": "cpu-clock", "new_event": "cpu-clock", "side": 1, "total_relative_pct": 3.25,
                        "total_low_pct": 1.5, "total_high_pct": 5.0, "rows": rows}]}
    return runs, {"diff": diff, "title": "", "recordings": [[["host", f]] for f in files]}


def owner(sample):
    """The function in whose code a sample was taken: of an inlined one that it is in."""
    return next((f for f in reversed(sample.frames) if f.kind != INLINED), None)


def listings(chosen, functions):
    """{function: rows}: instructions at which the samples of each function are, by
    their order; each third one calls the next function, each fifth jumps back."""
    out = {}
    for function in functions:
        mine = [s for s in chosen if owner(s) == function]
        number = 40
        counts = [{} for _ in range(number)]
        for k, s in enumerate(mine):
            at = counts[k * k % 7 + (k % 3) * 10]
            nr, period = at.get(s.event, (0, 0))
            at[s.event] = nr + 1, period + s.period
        rows = []
        for k in range(number):
            target = functions[(functions.index(function) + 1) % len(functions)] if k % 3 == 2 else k - 4 if k % 5 == 4 else None
            rows.append(Row(0x1000 + 4 * k + 100 * (k >= 30), 25 * (k == 30), "call" if k % 3 == 2 else
                            "jne" if k % 5 == 4 else f"mov    0x{8 * k:x}(%rax),%rdi", target,
                            None if k > 36 else "work.h" if 10 <= k < 14 else "work.c",
                            0 if k > 36 else 100 - k // 4 if k % 2 else 80 + k // 4, counts[k]))
        out[function] = rows
    return out
