#!/usr/bin/env python3
"""How far perfpair diff can be believed: runs that do not differ, and a
function made dearer by so much.  See README.md beside this file."""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("PERFPAIR_BUILD",
                                    ROOT / "build" / "release"))
RECORD = BUILD / "record" / "perfpair-record"
PERFPAIR = BUILD / "report" / "perfpair"
SEED = 20251121
FEW = 50       # rows with less are not judged for coverage
THRESHOLD = 1  # percent of all: what a reader of perf diff may call a change
REPLICATES = (1, 3, 6)  # runs a side
DEARER = (0, 2, 5, 10, 25)  # percent
STEP_TRIES = 400_000_000  # several times what memcmp() itself costs


class Program:
    """name, hz, and command(dearer_pct): words and environment."""
    hz = 2000
    unit = "runs"
    function = None

    def __init__(self, folder):
        self.folder = folder
        self.random = random.Random(SEED)


class Serve(Program):
    """Requests that are made up; not two runs answer the same ones."""
    function = "render"

    def __init__(self, folder, mode, requests=100_000):
        super().__init__(folder)
        self.name = f"serve {mode}"
        self.mode = mode
        self.requests = requests
        self.binary = folder / "serve"
        if not self.binary.exists():
            subprocess.run(["gcc", "-O2", "-fno-ipa-icf", "-pthread",
                            HERE / "serve.c", "-o", self.binary], check=True)

    def command(self, pct=0, times=1):
        return [self.binary, self.mode, self.requests * times,
                self.random.randrange(1 << 30), pct], {}


class Compiler(Program):
    """A compiler on a file full of templates; clang has names for its
    functions."""
    name = "cc"
    compiler = shutil.which("clang++") or "g++"

    def __init__(self, folder, functions=8):
        super().__init__(folder)
        self.source = folder / f"cc{functions}.cc"
        lines = ["#include <map>", "#include <string>", "#include <vector>"]
        for i in range(functions):
            lines.append(
                f"template <int N> struct s{i} {{ std::map<std::string, "
                f"std::vector<int>> m; int f(int x) {{ m[\"k\"].push_back(x + "
                f"N); return m.size() + s{i}<N - 1>().f(x); }} }};\n"
                f"template <> struct s{i}<0> {{ int f(int x) {{ return x; }} "
                f"}};\nint g{i}(int x) {{ return s{i}<{6 + i % 5}>().f(x); }}")
        self.source.write_text("\n".join(lines))

    def command(self, pct=0, times=1):
        assert not pct
        compile_it = f"{self.compiler} -O1 -c -o /dev/null {self.source}"
        return ["sh", "-c", f"for i in $(seq {times}); do {compile_it}; done"], {}


class Sort(Program):
    """sort(1), whose memcmp() is ours, and gzip(1) behind it."""
    function = "memcmp"
    lines_nr = 400_000

    def __init__(self, folder, hz):
        super().__init__(folder)
        self.hz = hz
        self.name = f"sort, {hz} Hz"
        self.lines = folder / "lines"
        self.library = folder / "dearer_memcmp.so"
        if not self.library.exists():
            subprocess.run(["gcc", "-O2", "-fno-builtin", "-shared", "-fPIC",
                            "-o", self.library, HERE / "dearer_memcmp.c"],
                           check=True)
            with open(self.lines, "w") as out:
                for _ in range(self.lines_nr):
                    out.write(f"user{self.random.randrange(5000):06} field"
                              f"{self.random.randrange(10):04} "
                              f"{self.random.getrandbits(32):08x}\n")
        self.steps_of_1_pct = None

    def calibrate(self, bench):
        """How many steps each 1000 calls are 1 % of what memcmp() costs, by
        CPU time: what one run has of it, and what steps add to a run."""
        words, env = self.command()
        told = self.folder / "calls"
        subprocess.run(list(map(str, words)), check=True,
                       env={**os.environ, **env, "COUNT_CALLS": str(told)})
        calls = int(told.read_text())
        costs = [], []
        for i in range(6):
            steps = [0, STEP_TRIES * 1000 // calls][i % 2]
            path = bench.record(self, f"calibrate{i}", steps=steps)
            costs[i % 2].append(bench.cost(path, path, self)[0])
            path.unlink()
        plain, stepped = (sorted(each)[1] for each in costs)
        if stepped < 2 * plain:
            sys.exit(f"{self.name}: {STEP_TRIES} steps cost {stepped:.0f} "
                     f"where none cost {plain:.0f}: this machine is too busy")
        self.steps_of_1_pct = (plain / 100 / ((stepped - plain) / STEP_TRIES)
                               * 1000 / calls)

    def command(self, pct=0, times=1, steps=None):
        if steps is None:
            steps = round(pct * (self.steps_of_1_pct or 0))
        return (["sh", "-c", f"LD_PRELOAD={self.library} sort --parallel=1 "
                 f"-S 1G {self.lines} | gzip -1 > /dev/null"],
                {"LC_ALL": "C", "DEARER": str(steps)})


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.random = random.Random(SEED)

    def record(self, program, name, **how):
        words, env = program.command(**how)
        out = self.folder / f"{program.name} {name}.data".replace(" ", "_")
        subprocess.run([RECORD, "-e", "cpu-clock:u", "-F", str(program.hz),
                        "-o", out, "--", "env", *(f"{k}={v}" for k, v in
                                                  env.items()),
                        *map(str, words)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return out

    def pools(self, program, nr, pcts=(0,)):
        """By percent; recorded in turns, since a machine changes with time."""
        paths = {pct: [] for pct in pcts}
        for i in range(nr):
            for pct in pcts:
                paths[pct].append(self.record(program, f"{pct}.{i}", pct=pct))
        return paths

    def rows(self, *words):
        done = subprocess.run([PERFPAIR, "diff", "--format", "json", "-s",
                               "dso,symbol", *map(str, words)], check=True,
                              capture_output=True)
        events = json.loads(done.stdout)["events"]
        return events[0]["rows"] if events else []

    def cost(self, old, new, program):
        """Of the program's function, on both sides."""
        rows = {row["symbol"]: row for row in
                self.rows("--measure", "count", old, new)}
        row = rows[program.function]
        return row["baseline"], row["new"]

    def pairs_by_cutting(self, path, pair_nr):
        """Neighbouring parts of one recording."""
        step = 100 / (2 * pair_nr)
        for i in range(pair_nr):
            a, b, c = (f"{(2 * i + k) * step:.6f}%" for k in range(3))
            yield self.rows("--time", f"{a}-{b}:{b}-{c}", path, path)

    def sides(self, old, new, run_nr):
        """run_nr recordings of each pool, no one twice."""
        if old is new:
            drawn = self.random.sample(old, 2 * run_nr)
            return drawn[:run_nr], drawn[run_nr:]
        return self.random.sample(old, run_nr), self.random.sample(new, run_nr)

    def pairs_by_drawing(self, pool, run_nr, pair_nr):
        for _ in range(pair_nr):
            old, new = self.sides(pool, pool, run_nr)
            yield self.rows("--old", *old, "--new", *new)


class Verdict:
    """Of many comparisons of what is the same."""

    def __init__(self):
        self.pairs = self.marked = self.covered = self.rows = 0

    def add(self, rows):
        self.pairs += 1
        self.marked += any(row["significant"] for row in rows)
        for row in rows:
            if max(row["baseline_samples"], row["new_samples"]) < FEW:
                continue
            self.rows += 1
            low = row.get("low_pct", row.get("low"))
            high = row.get("high_pct", row.get("high"))
            self.covered += low <= 0 <= high

    def __str__(self):
        return (f"{self.pairs} | {100 * self.marked / self.pairs:.1f} % | "
                f"{self.rows} | {100 * self.covered / max(1, self.rows):.1f} % "
                "|")


def same_runs(bench, pair_nr, pools):
    print("| A/A | pairs | marked | rows | covered |\n|---|---|---|---|---|",
          flush=True)
    total = Verdict()

    def judge(name, pairs):
        verdict = Verdict()
        for rows in pairs:
            verdict.add(rows)
            total.add(rows)
        print(f"| {name} | {verdict}", flush=True)

    works = [Serve(bench.folder, mode, 50_000) for mode in ("phases", "threads",
                                                          "bursts")]
    for work in works:
        path = bench.record(work, "long", times=2 * pair_nr)
        judge(f"{work.name}, cut", bench.pairs_by_cutting(path, pair_nr))
        path.unlink()
    work = Compiler(bench.folder, 2)  # a part has several times all it does
    path = bench.record(work, "long", times=6 * (pair_nr // 2))
    judge(f"{work.name}, cut", bench.pairs_by_cutting(path, pair_nr // 2))
    path.unlink()
    for name, pool in pools.items():
        for run_nr in REPLICATES:
            judge(f"{name}, repeated, {run_nr} a side",
                  bench.pairs_by_drawing(pool, run_nr, pair_nr))
    print(f"| all | {total}", flush=True)


def shares(rows, side):
    total = sum(row[side] for row in rows) or 1
    return {row["symbol"]: 100 * row[side] / total for row in rows}


def judge_change(bench, program, pools, pct, run_nr, tries):
    """How often its function is found, anything else is blamed, by the cost of
    a unit of work; and by a threshold on shares, as one reads perf diff."""
    found = blamed = found_by_eye = blamed_by_eye = 0
    samples = 0
    for _ in range(tries):
        old, new = bench.sides(pools[0], pools[pct], run_nr)
        rows = bench.rows("--per", f"runs={run_nr}:{run_nr}", "--old", *old,
                          "--new", *new)
        marked = {row["symbol"]: row for row in rows if row["significant"]}
        mine = marked.pop(program.function, None)
        found += bool(mine) and mine["delta"] > 0
        blamed += bool(marked)
        samples += sum(row["baseline_samples"] for row in rows) / run_nr
        before, after = shares(rows, "baseline"), shares(rows, "new")
        seen = {name: after[name] - before[name] for name in before
                if abs(after[name] - before[name]) >= THRESHOLD}
        found_by_eye += seen.pop(program.function, 0) > 0
        blamed_by_eye += bool(seen)
    print(f"| {program.name} | {pct} % | {samples / tries:.0f} | {run_nr} | "
          + " | ".join(f"{100 * nr / tries:.0f} %" for nr in
                       (found, blamed, found_by_eye, blamed_by_eye))
          + " |", flush=True)


def changed_runs(bench, program, tries, pools):
    for pct in DEARER:
        for run_nr in REPLICATES:
            judge_change(bench, program, pools, pct, run_nr, tries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=40,
                        help="of each workload (40)")
    parser.add_argument("--runs", type=int, default=24,
                        help="recordings that pairs are drawn from (24)")
    parser.add_argument("--tries", type=int, default=40,
                        help="of each row of the A/B table (40)")
    parser.add_argument("--hz", type=int, nargs="*", default=[1000, 4000, 16000],
                        help="rates at which sort is recorded")
    parser.add_argument("--only", choices=("same", "changed"))
    args = parser.parse_args()
    if not PERFPAIR.exists():
        sys.exit(f"{PERFPAIR} is not built (cmake --preset release)")
    if args.runs < 2 * max(REPLICATES):
        sys.exit(f"--runs: {2 * max(REPLICATES)} are needed")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder))
        if args.only != "changed":
            pools = {work.name: bench.pools(work, args.runs)[0] for work in
                     (Serve(bench.folder, "phases"), Compiler(bench.folder))}
            same_runs(bench, args.pairs, pools)
        if args.only != "same":
            print("\n| A/B | dearer | samples a run | runs a side | found | "
                  "blamed | by eye: found | by eye: blamed |\n"
                  "|---|---|---|---|---|---|---|---|", flush=True)
            for work in [Sort(bench.folder, hz) for hz in args.hz] + [
                    Serve(bench.folder, "phases")]:
                if isinstance(work, Sort):
                    work.calibrate(bench)
                changed_runs(bench, work, args.tries,
                             bench.pools(work, args.runs, DEARER))
    print(f"\n{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
