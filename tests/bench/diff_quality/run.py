#!/usr/bin/env python3
"""How far perfpair diff can be believed: runs that do not differ, and a
function made dearer by so much.  See README.md beside this file."""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("PERFPAIR_BUILD",
                                    ROOT / "build" / "release"))
RECORD = BUILD / "record" / "perfpair-record"
PERFPAIR = BUILD / "report" / "perfpair"
SEED = 20251121
RATE_HZ = 2000
FEW = 50       # rows with less are not judged for coverage
THRESHOLD = 1  # percent: what a reader of perf diff might call a change
SERVE = ("phases", "threads", "bursts")
REQUESTS = 50_000  # about half a second


def source_of_cc(path, functions):
    lines = ["#include <map>", "#include <string>", "#include <vector>"]
    for i in range(functions):
        lines.append(
            f"template <int N> struct s{i} {{ std::map<std::string, "
            f"std::vector<int>> m; int f(int x) {{ m[\"k\"].push_back(x + N); "
            f"return m.size() + s{i}<N - 1>().f(x); }} }};\n"
            f"template <> struct s{i}<0> {{ int f(int x) {{ return x; }} }};\n"
            f"int g{i}(int x) {{ return s{i}<{6 + i % 5}>().f(x); }}")
    path.write_text("\n".join(lines))


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.serve = folder / "serve"
        subprocess.run(["gcc", "-O2", "-fno-ipa-icf", "-pthread", HERE / "serve.c", "-o",
                        self.serve], check=True)
        self.random = random.Random(SEED)

    def record(self, name, command):
        out = self.folder / f"{name}.data"
        subprocess.run([RECORD, "-e", "cpu-clock:u", "-F", str(RATE_HZ), "-o",
                        out, "--", *map(str, command)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return out

    def record_serve(self, name, mode, requests, dearer=0):
        return self.record(name, [self.serve, mode, requests,
                                  self.random.randrange(1 << 30), dearer])

    def rows(self, *words):
        done = subprocess.run([PERFPAIR, "diff", "--format", "json", "-s",
                               "dso,symbol", *map(str, words)], check=True,
                              capture_output=True)
        events = json.loads(done.stdout)["events"]
        return events[0]["rows"] if events else []

    def pairs_by_cutting(self, path, pair_nr):
        """Neighbouring parts of one recording."""
        step = 100 / (2 * pair_nr)
        for i in range(pair_nr):
            a, b, c = (f"{(2 * i + k) * step:.6f}%" for k in range(3))
            yield self.rows("--time", f"{a}-{b}:{b}-{c}", path, path)

    def pairs_by_repeating(self, mode, pair_nr):
        for i in range(pair_nr):
            old = self.record_serve(f"old{i}", mode, REQUESTS)
            new = self.record_serve(f"new{i}", mode, REQUESTS)
            yield self.rows(old, new)
            old.unlink()
            new.unlink()


class Verdict:
    """Of many comparisons of what is the same."""

    def __init__(self):
        self.pairs = self.marked = self.covered = self.rows = 0

    def add(self, rows):
        self.pairs += 1
        self.marked += any(row["significant"] for row in rows)
        for row in rows:
            if row["baseline_samples"] < FEW and row["new_samples"] < FEW:
                continue
            self.rows += 1
            low = row.get("low_pct", row.get("low"))
            high = row.get("high_pct", row.get("high"))
            self.covered += low <= 0 <= high

    def __str__(self):
        return (f"{self.pairs:5} pairs  marked {self.marked:3} "
                f"({100 * self.marked / self.pairs:4.1f} %)  rows "
                f"{self.rows:5}  covered "
                f"{100 * self.covered / max(1, self.rows):5.1f} %")


def same_runs(bench, pair_nr):
    print("A/A: the same program, cut or repeated")
    total = Verdict()
    works = []
    for mode in SERVE:
        path = bench.record_serve(mode, mode, 2 * pair_nr * REQUESTS)
        works.append((f"{mode}, cut", bench.pairs_by_cutting(path, pair_nr)))
    works.append(("phases, repeated",
                  bench.pairs_by_repeating("phases", pair_nr // 2)))
    source = bench.folder / "cc.cc"
    source_of_cc(source, 12)
    path = bench.record("cc", ["sh", "-c",
                               f"for i in $(seq {pair_nr}); do g++ -O1 -c -o "
                               f"/dev/null {source}; done"])
    works.append(("cc, cut", bench.pairs_by_cutting(path, pair_nr // 2)))
    for name, pairs in works:
        verdict = Verdict()
        for rows in pairs:
            verdict.add(rows)
            total.add(rows)
        print(f"  {name:20}{verdict}", flush=True)
    print(f"  {'all':20}{total}", flush=True)


def symbol_rows(rows):
    return {row["symbol"]: row for row in rows}


def dearer(bench, pct, requests, replicate_nr, tries):
    """How often render is found, anything else is blamed, by the cost of a
    request; and by a threshold on perf's column of shares."""
    found = blamed = found_by_eye = blamed_by_eye = 0
    for _ in range(tries):
        old = [bench.record_serve(f"a{i}", "phases", requests)
               for i in range(replicate_nr)]
        new = [bench.record_serve(f"b{i}", "phases", requests, pct)
               for i in range(replicate_nr)]
        total = requests * replicate_nr
        sides = ["--old", *old, "--new", *new]
        rows = symbol_rows(bench.rows("--per", f"requests={total}:{total}",
                                      *sides))
        marked = {name for name, row in rows.items() if row["significant"]}
        found += "render" in marked and rows["render"]["delta"] > 0
        blamed += bool(marked - {"render"})
        shares = symbol_rows(bench.rows(*sides))
        seen = {name for name, row in shares.items()
                if abs(row["delta_pct"]) >= THRESHOLD}
        found_by_eye += "render" in seen
        blamed_by_eye += bool(seen - {"render"})
    rates = [100 * n / tries for n in (found, blamed, found_by_eye,
                                       blamed_by_eye)]
    print(f"  {pct:4} %  {requests:8}  {replicate_nr:3} a side   "
          f"{rates[0]:5.0f} %  {rates[1]:5.0f} %        {rates[2]:5.0f} %  "
          f"{rates[3]:5.0f} %", flush=True)


def changed_runs(bench, tries):
    print("A/B: render() made dearer; events per request, marked by perfpair "
          "diff |\nshares that differ by 1 % or more, as one reads perf diff")
    print("  dearer  requests  runs        found   blamed        found   "
          "blamed")
    for pct in (0, 2, 5, 10, 25):
        for requests, replicate_nr in ((REQUESTS, 1), (4 * REQUESTS, 1),
                                       (REQUESTS, 4)):
            dearer(bench, pct, requests, replicate_nr, tries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=50,
                        help="of each workload (50)")
    parser.add_argument("--tries", type=int, default=20,
                        help="of each row of the A/B table (20)")
    parser.add_argument("--only", choices=("same", "changed"))
    args = parser.parse_args()
    if not PERFPAIR.exists():
        sys.exit(f"{PERFPAIR} is not built (cmake --preset release)")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder))
        if args.only != "changed":
            same_runs(bench, args.pairs)
        if args.only != "same":
            changed_runs(bench, args.tries)


if __name__ == "__main__":
    main()
