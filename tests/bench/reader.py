#!/usr/bin/env python3
"""The reader against perf at the sizes that its table of aims names: prints
one row for each, wall time of perf by ours.  See README.md beside this file.

reader.py [ROW...] [--runs N] [--keep DIR]"""

import argparse
import contextlib
import io
import pathlib
import shutil
import statistics
import struct
import sys

from run import HERE, LONG_S, Bench, ROOT, bench_cc, sample_nr, work_folder

FLAT = ["report", "--stdio", "--no-children", "-g", "none"]
CHILDREN = ["report", "--stdio"]
GIVE_UP_S = "120"  # perf by source lines does not end in a time to wait for


class Reader:
    def __init__(self, bench):
        self.bench = bench

    def row(self, what, path, words, aim):
        """One row: medians of perf, ours and ours by one thread, in turn."""
        tools = {"perf": ["timeout", GIVE_UP_S, "perf"],
                 "ours": [self.bench.ours],
                 "one": [self.bench.ours]}
        wall = {who: [] for who in tools}
        peak = {who: [] for who in tools}
        runs, codes = self.bench.runs, set()
        while len(wall["one"]) < runs:
            for who, tool in tools.items():
                more = ["--jobs", "1"] if who == "one" else []
                done = self.bench.measure.run(
                    [*tool, *words, *more, "-i", path])
                wall[who].append(done.wall_s)
                peak[who].append(done.peak_mib)
                codes.add((who, done.returncode))
            if wall["perf"][0] > LONG_S:
                runs = min(runs, 3)
            if wall["perf"][0] > 60:
                runs = 1
        theirs, ours, one = (statistics.median(wall[who]) for who in tools)
        ended = "over " if ("perf", 124) in codes else ""
        bad = [f"{who} ended with {code}" for who, code in sorted(codes)
               if code and code != 124]
        print(f"| {what} | {aim} | {ended}{theirs / ours:.1f} | {theirs:.3f} s,"
              f" {max(peak['perf']):.0f} MiB | {ours:.3f} s,"
              f" {max(peak['ours']):.0f} MiB | {one:.3f} s |"
              + ", ".join(bad), flush=True)

    def both(self, what, path, aims, words=()):
        self.row(f"{what}, flat", path, [*FLAT, *words], aims[0])
        self.row(f"{what}, children", path, [*CHILDREN, *words], aims[1])

    def export_of(self, form, path):
        return [self.bench.ours, "export", "--format", form, "-i", path]

    def against(self, what, aim, other, command):
        """One row of exports: medians of a command and of ours, in turn."""
        tools = {"other": other, "ours": command}
        wall = {who: [] for who in tools}
        peak = {who: [] for who in tools}
        bad = set()
        for _ in range(self.bench.runs):
            for who, words in tools.items():
                done = self.bench.measure.run(words)
                wall[who].append(done.wall_s)
                peak[who].append(done.peak_mib)
                bad |= {f"{who} ended with {done.returncode}"} \
                    if done.returncode else set()
        other_s, ours_s = (statistics.median(wall[who]) for who in tools)
        print(f"| {what} | {aim} | {ours_s / other_s:.3f} |"
              f" {other_s:.3f} s, {max(peak['other']):.0f} MiB |"
              f" {ours_s:.3f} s, {max(peak['ours']):.0f} MiB |"
              + ", ".join(sorted(bad)), flush=True)

    def recorded(self, name, kind, options, workload):
        path = self.bench.work / f"{name}.{kind}.data"
        recorder = {"plain": ["perf", "record"], "-z": ["perf", "record", "-z"],
                    "ours": self.bench.ours_record}[kind]
        self.bench.measure.run([*recorder, *options, "-o", path, "--",
                                *workload])
        return path, f"`{name}` {kind}, {count_of(path)}"


def count_of(path):
    nr = sample_nr(path)
    if nr < 1000:
        return f"{nr} samples"
    if nr < 1000000:
        return f"{nr / 1e3:.0f} K samples"
    return f"{nr / 1e6:.1f} M samples"


def getppid(bench):
    return bench.compile("getppid", ROOT / "tests/peer/workloads/getppid.c",
                         "gcc", "-O1")


def syscalls(reader):
    options = ["-m", "64M", "-a", "-g", "-e", "raw_syscalls:sys_enter"]
    for kind, aims in (("plain", (8, 60)), ("-z", (40, 60)),
                       ("ours", ("as -z", "as -z"))):
        path, what = reader.recorded("syscalls", kind, options,
                                     [getppid(reader.bench), 6000000])
        reader.both(what, path, aims)


def storm(reader):
    options = ["-m", "64M", "-a", "-g", "-e", "syscalls:sys_enter_getppid"]
    for kind in ("plain", "-z"):
        path, what = reader.recorded("storm -g", kind, options,
                                     [getppid(reader.bench), 3000000])
        reader.both(what, path, (8, 8))


def cc(reader):
    """Also by source lines with inlined functions, and repeated."""
    with contextlib.redirect_stdout(io.StringIO()):
        bench_cc(Bench(reader.bench.work, 1, may_read=False))
    for kind, name in (("perf.plain", "plain"), ("perf.z", "-z"),
                       ("ours.z", "ours")):
        path = reader.bench.work / f"cc.{kind}.data"
        reader.both(f"`cc` {name}, {count_of(path)}", path, (8, 20))
    path = reader.bench.work / "cc.perf.plain.data"
    reader.row("`cc` plain by source lines", path, [*FLAT, "-s", "srcline"], 20)
    reader.row("the same, chains by source lines", path,
               [*CHILDREN, "-g", "caller,srcline"], 20)
    for total in (5, 20):
        repeated = reader.bench.work / f"cc.{total}M.data"
        times = total * 1000000 // sample_nr(path) + 1
        repeat(path, repeated, times)
        for how, words in (("flat", FLAT), ("children", CHILDREN)):
            done = [reader.bench.measure.run([reader.bench.ours, *words, "-i",
                                              repeated]) for _ in range(3)]
            wall = statistics.median(run.wall_s for run in done)
            print(f"| `cc` plain {times} times, {total} M samples, {how} |"
                  f" linear, 256 MiB | | | {wall:.3f} s,"
                  f" {max(run.peak_mib for run in done):.0f} MiB | |",
                  flush=True)


def repeat(source, target, times):
    """A plain file whose records stand there so many times."""
    old = source.read_bytes()
    data_at, data_len = struct.unpack_from("<2Q", old, 40)
    end = data_at + data_len
    bits = int.from_bytes(old[72:104], "little").bit_count()
    more = (times - 1) * data_len
    with open(target, "wb") as out:
        out.write(old[:48] + struct.pack("<Q", times * data_len) +
                  old[56:data_at])
        for _ in range(times):
            out.write(old[data_at:end])
        for i in range(bits):
            at, length = struct.unpack_from("<2Q", old, end + 16 * i)
            out.write(struct.pack("<2Q", at + more, length))
        out.write(old[end + 16 * bits:])


def dwarf(reader):
    program = reader.bench.compile("dwarf", HERE / "workloads/dwarf.cc", "g++",
                                   "-O2", "-fomit-frame-pointer")
    path, what = reader.recorded(
        "dwarf", "plain", ["-m", "64M", "-e", "cpu-clock", "-F", "4000",
                           "--call-graph", "dwarf,8192"], [program, 40])
    reader.both(what, path, (10, 10))


def small(reader):
    path, what = reader.recorded("small", "plain",
                                 ["-a", "-g", "-e", "cpu-clock", "-F", "99"],
                                 ["sleep", "2"])
    reader.both(what, path, (2, 2))


EXPORTS_HEAD = ("| work | aim | ours by that | that | ours |\n"
                "|---|---|---|---|---|")


def exports(reader):
    """Exports by report of the same file."""
    print(EXPORTS_HEAD, flush=True)
    path, what = reader.recorded(
        "syscalls", "plain", ["-m", "64M", "-a", "-g", "-e",
                              "raw_syscalls:sys_enter"],
        [getppid(reader.bench), 6000000])
    report = [reader.bench.ours, *CHILDREN, "-i", path]
    for form in "pprof", "speedscope", "otlp":
        reader.against(f"{what}: {form} by report", "1.3", report,
                       reader.export_of(form, path))


def exports_cc(reader):
    """The same, and by perf script with what folds its text, if that is
    here."""
    print(EXPORTS_HEAD, flush=True)
    with contextlib.redirect_stdout(io.StringIO()):
        bench_cc(Bench(reader.bench.work, 1, may_read=False))
    path = reader.bench.work / "cc.perf.plain.data"
    fold = "stackcollapse-perf.pl"
    what = "perf script" + (f" | {fold}" if shutil.which(fold) else "")
    pipe = what.replace("script", f"script -i {path}")
    reader.against(f"`cc` plain, {count_of(path)}: speedscope by `{what}`",
                   "0.033", ["sh", "-c", pipe],
                   reader.export_of("speedscope", path))
    report = [reader.bench.ours, *CHILDREN, "-i", path]
    for form in "pprof", "speedscope", "otlp":
        reader.against(f"the same: {form} by report", "1.3", report,
                       reader.export_of(form, path))


ROWS = {row.__name__: row for row in (syscalls, storm, cc, dwarf, small,
                                      exports, exports_cc)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("row", nargs="*", help="of: " + ", ".join(ROWS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path,
                        help="leave the recordings in this folder")
    args = parser.parse_args()
    with work_folder(args.keep) as work:
        print("| work | aim | times | perf | ours | ours, 1 thread |\n"
              "|---|---|---|---|---|---|", flush=True)
        for name in args.row or ROWS:
            ROWS[name](Reader(Bench(work, args.runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
