#!/usr/bin/env python3
"""How far perfpair diff can be believed, on programs that its estimators were
not made with: recordings are collected once, then compared in many draws.

    pool.py collect FOLDER [--seconds N] [--rounds N]   again and again
    pool.py judge FOLDER [--runs 1 3 10] [--draws N] [--measure count share]
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("PERFPAIR_BUILD",
                                    ROOT / "build" / "release"))
SEED = 20261123
FEW = 50     # rows with less are not judged for coverage
QUIET = 0.15  # of a CPU, at most, that others had meanwhile
DEARER = (0, 10, 15, 25)  # percent of the loop, in the source

SAME = {
    "python": ["python3", "words.py"],
    "gpp": ["g++", "-O1", "-c", "-o", "/dev/null", "templates.cc"],
    "sqlite": ["sh", "-c", "exec sqlite3 :memory: < tables.sql"],
    "xz": ["xz", "-6", "-T1", "-c", "text"],
    "git": ["git", "-C", str(ROOT), "log", "-p", "-n", "1500", "--no-color",
            "83638ab"],
    "openssl": ["sh", "hashes.sh"],
    "sort": ["sort", "--parallel=1", "lines"],
    "bzip2": ["bzip2", "-c", "text"],
    "lua": ["lua5.4", "numbers.lua"],
    "perl": ["perl", "words.pl"],
    "node": ["node", "words.js"],
    "forks": ["sh", "forks.sh"],
}
PLANTED = {"kv": "hash_key", "vm": "op_mix", "text": "normalise", "img": "tone"}


def make(work):
    """The programs and what they read, in a folder of their own."""
    if work.exists():
        return
    shutil.copytree(HERE / "pool", work)
    rnd = random.Random(SEED)
    words = ["".join(rnd.choice("etaoinshrdlu") for _ in
                     range(rnd.randint(2, 9))) for _ in range(3000)]
    (work / "text").write_text("\n".join(
        " ".join(rnd.choice(words) for _ in range(10)) for _ in range(80_000)))
    (work / "lines").write_text("\n".join(
        f"user{rnd.randrange(5000):06} f{rnd.randrange(10):04} "
        f"{rnd.getrandbits(32):08x}" for _ in range(900_000)))
    (work / "templates.cc").write_text(
        "#include <algorithm>\n#include <map>\n#include <string>\n"
        "#include <vector>\n" + "\n".join(
            f"template <int N> struct s{i} {{ std::map<std::string, "
            f"std::vector<int>> m; int f(int x) {{ m[\"k\"].push_back(x + N); "
            f"std::sort(m[\"k\"].begin(), m[\"k\"].end()); return m.size() + "
            f"s{i}<N - 1>().f(x); }} }};\ntemplate <> struct s{i}<0> {{ int "
            f"f(int x) {{ return x; }} }};\nint g{i}(int x) {{ return "
            f"s{i}<{4 + i}>().f(x); }}" for i in range(3)))
    for pct in DEARER:
        (work / f"{pct}").mkdir()  # the same name in all: rows match
        for name in PLANTED:
            source, = work.glob(f"{name}.c*")
            subprocess.run(["g++" if source.suffix == ".cc" else "gcc", "-O2",
                            f"-DDEARER={pct}", source, "-o",
                            work / f"{pct}" / name, "-lm"], check=True)


def busy_s():
    """Of all CPUs, so far."""
    with open("/proc/stat") as stat:
        ticks = list(map(int, stat.readline().split()[1:]))
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def record(folder, name, command):
    path = folder / f"{name}.data"
    if path.exists():
        return
    before, start, own = busy_s(), time.monotonic(), os.times()
    subprocess.run([BUILD / "record" / "perfpair-record", "-e", "cpu-clock:u",
                    "-F", "4000", "-o", path, "--", *command],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   cwd=folder / "work", check=True)
    used = os.times()
    mine = sum(used[2:4]) - sum(own[2:4])
    others = (busy_s() - before - mine) / (time.monotonic() - start)
    path.with_suffix(".json").write_text(json.dumps({"other": others}))


def collect(folder, rounds, seconds):
    folder.mkdir(exist_ok=True)
    make(folder / "work")
    end = time.monotonic() + seconds
    for at in range(rounds):
        jobs = [(f"{name}.{at}", words) for name, words in SAME.items()]
        for name in PLANTED:  # in turns, and the turns turned
            jobs += [(f"{name}-{pct}.{at}", [f"{pct}/{name}"])
                     for pct in DEARER[::1 if at % 2 else -1]]
        for name, words in jobs:
            if time.monotonic() > end:
                return
            record(folder, name, words)


class Pool:
    def __init__(self, folder, measure, draws, want):
        self.random = random.Random(SEED)
        self.measure, self.draws = measure, draws
        self.files = {}
        for path in sorted(folder.glob("*.data")):
            facts = path.with_suffix(".json")
            if not facts.exists():
                continue
            is_quiet = json.loads(facts.read_text())["other"] < QUIET
            if want == "all" or is_quiet == (want == "quiet"):
                self.files.setdefault(path.name.split(".")[0], []).append(path)

    def rows(self, old, new):
        done = subprocess.run(
            [BUILD / "report" / "perfpair", "diff", "--format", "json",
             "--measure", self.measure, "--old", *old, "--new", *new],
            check=True, capture_output=True)
        return [{key.removesuffix("_pct") if key in (
            "baseline_pct", "new_pct", "delta_pct", "low_pct", "high_pct")
            else key: value for key, value in row.items()}
            for row in json.loads(done.stdout)["events"][0]["rows"]]

    def same(self, names, runs):
        """Of programs with themselves: marked, of comparisons; covered, of
        rows; and where."""
        marked = {}
        covered = []
        for name in names:
            files = self.files.get(name, [])
            if len(files) < 2 * runs:
                continue
            for _ in range(self.draws):
                drawn = self.random.sample(files, 2 * runs)
                rows = self.rows(drawn[:runs], drawn[runs:])
                marked.setdefault(name, []).append(
                    any(row["significant"] for row in rows))
                covered += [row["low"] <= 0 <= row["high"] for row in rows
                            if max(row["baseline_samples"],
                                   row["new_samples"]) >= FEW]
        return marked, covered

    def planted(self, pct, runs):
        """found, blamed, half widths and changes, of the dearer function."""
        found, blamed, widths, changes = [], [], [], []
        for name, function in PLANTED.items():
            old = self.files.get(f"{name}-0", [])
            new = self.files.get(f"{name}-{pct}", [])
            if min(len(old), len(new)) < runs:
                continue
            for _ in range(self.draws):
                rows = self.rows(self.random.sample(old, runs),
                                 self.random.sample(new, runs))
                mine, = (row for row in rows
                         if row["symbol"].split("(")[0] == function)
                found.append(mine["significant"] and mine["delta"] > 0)
                blamed.append(any(row["significant"] for row in rows
                                  if row is not mine))
                widths.append((mine["high"] - mine["low"]) / 2
                              / mine["baseline"])
                changes.append(mine["delta"] / mine["baseline"])
        return found, blamed, widths, changes


def pct_of(values):
    return f"{100 * statistics.mean(values):.1f} %" if values else "-"


def judge(folder, runs, draws, measures):
    print("| same program | host | runs a side | by | comparisons | marked | "
          "rows | covered | marked most |\n|---|---|---|---|---|---|---|---|---|")
    for want in ("quiet", "busy"):
        for measure in measures:
            pool = Pool(folder, measure, draws, want)
            for nr in runs:
                marked, covered = pool.same(SAME, nr)
                if not marked:
                    continue
                most = max(marked, key=lambda name: sum(marked[name]))
                every = sum(marked.values(), [])
                print(f"| all | {want} | {nr} | {measure} | {len(every)} | "
                      f"{pct_of(every)} | {len(covered)} | {pct_of(covered)} | "
                      f"{most} {pct_of(marked[most])} |", flush=True)
    print("\n| dearer in the source | truth | runs a side | by | comparisons | "
          "found | others blamed | half width |\n|---|---|---|---|---|---|---|---|")
    for measure in measures:
        pool = Pool(folder, measure, draws, "all")
        for pct in DEARER[1:]:
            for nr in runs:
                found, blamed, widths, changes = pool.planted(pct, nr)
                if found:
                    print(f"| {pct} % | {pct_of(changes)} | {nr} | {measure} | "
                          f"{len(found)} | {pct_of(found)} | {pct_of(blamed)} | "
                          f"{pct_of([statistics.median(widths)])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("collect", "judge"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--runs", type=int, nargs="*", default=[1, 3, 10])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--measure", nargs="*", default=["count", "share"],
                        choices=("count", "share"))
    args = parser.parse_args()
    folder = args.folder.resolve()
    if not (BUILD / "report" / "perfpair").exists():
        sys.exit(f"{BUILD} is not built (cmake --preset release)")
    if args.what == "collect":
        collect(folder, args.rounds, args.seconds)
    else:
        judge(folder, args.runs, args.draws, args.measure)


if __name__ == "__main__":
    main()
