#!/usr/bin/env python3
"""What it costs that a recording carries its names: the aims of issue 16.

Ratios of one run, as run.py beside this file has them, with its option --runs.
"""

import argparse
import re
import statistics
import subprocess
import sys

from run import BUILD, HERE, ROOT, Bench, generated_templates, work_folder

sys.path.insert(0, str(ROOT / "tests/peer"))
from carried_file import sections  # noqa: E402

CFI = 3
CLOCK = ["-e", "cpu-clock", "-F"]
ACCOUNT = re.compile(r"# (\d+) samples, .*; ([\d.]+) s of CPU, ([\d.]+) s")
PYTHON = "import time; end = time.time() + {}\nwhile time.time() < end: " \
    "sorted(str(i) for i in range(99))"


def show(what, values, unit, aim):
    print(f"  {what:<44} {statistics.median(values):>10.3f} {unit:<5} "
          f"(aim: {aim})", flush=True)


def compilers(bench, nr):
    source = bench.work / f"generated{nr}.cc"
    source.write_text(generated_templates(nr))
    return f"g++ -O2 -S -o /dev/null {source}"


def mix(bench):
    python = PYTHON.format(4)
    return ["sh", "-c", f"{compilers(bench, 15)} & python3 -c '{python}' & "
            "perl -e 'for (1..9000000) { $h{$_ % 977} .= \"x\" if /7/ }' & "
            "find /usr -name '*.h' -size +9k; wait"]


def shares(path):
    """Per cent of the file: names and all else but CFI; CFI."""
    data = path.read_bytes()
    found = sections(data)
    cfi = sum(section[3] for section in found if section[0] == CFI)
    rest = sum(section[3] for section in found) - cfi
    return 100 * rest / len(data), 100 * cfi / len(data)


def account(bench, path):
    """Samples, CPU time and time that looking their names up took."""
    text = subprocess.run([bench.ours, "buildid-list", "--carried", "-v", "-i",
                           path], capture_output=True, text=True).stdout
    nr, cpu_s, wall_s = ACCOUNT.match(text).groups()
    return int(nr), float(cpu_s), float(wall_s)


def host(bench, hz="999"):
    """A whole machine, with what is on it in many files."""
    recorders = {"perf": ["perf", "record", "-z"], "ours": bench.ours_record,
                 "none": [*bench.ours_record, "--carry", "none"]}
    cpu, peak = ({who: [] for who in recorders} for _ in range(2))
    names = []
    for _ in range(bench.runs):
        for who, recorder in recorders.items():
            path = bench.work / f"host.{who}.data"
            done, _ = bench.measure.record_beside(
                recorder, ["-a", "-g", *CLOCK, hz], path, mix(bench))
            cpu[who].append(done.cpu_s)
            peak[who].append(done.peak_mib)
        path = bench.work / "host.ours.data"
        names.append(shares(path)[0])
    nr, cpu_s, _ = account(bench, path)
    print(f"  {nr} samples, {path.stat().st_size} bytes; looking names up "
          f"took {cpu_s:.3f} s of CPU")
    show("names, of the recording", names, "%", "5, below 1 MB 10")
    show("recorder CPU by perf record -z's",
         [a / b for a, b in zip(cpu["ours"], cpu["perf"])], "", "0.35")
    show("the same, --carry none",
         [a / b for a, b in zip(cpu["none"], cpu["perf"])], "", "-")
    show("recorder CPU for names", [a - b for a, b in
                                    zip(cpu["ours"], cpu["none"])], "s", "-")
    show("peak memory for names", [a - b for a, b in
                                   zip(peak["ours"], peak["none"])], "MiB",
         "16")


def host_fast(bench):
    host(bench, "9999")


def copies(bench):
    """Stack copies of compilers; then call chains of them."""
    program = bench.work / "copies"
    names, cfi, ours, perf = ([] for _ in range(4))
    for _ in range(bench.runs):
        sizes = {}
        for who, recorder in (("perf", ["perf", "record"]),
                              ("ours", bench.ours_record)):
            path = bench.work / f"copies.{who}.data"
            bench.measure.run([*recorder, *CLOCK, "999", "--call-graph", "dwarf", "-o",
                               path, "--", "sh", "-c", compilers(bench, 6)])
            done = subprocess.run([bench.ours, "unwind", "-q", "-f", "-z", "-i",
                                   path, "-o", program], stderr=subprocess.DEVNULL)
            if done.returncode:
                sys.exit(f"unwind ended with {done.returncode}")
            sizes[who] = path.stat().st_size / program.stat().st_size
        ours.append(sizes["ours"])
        perf.append(sizes["perf"])
        shared = shares(path)
        names.append(shared[0])
        cfi.append(shared[1])
    print(f"  {path.stat().st_size} bytes")
    show("names, of the recording", names, "%", "5, below 1 MB 10")
    show("CFI, of the recording", cfi, "%", "5")
    show("unwind makes smaller, ours", ours, "x", "10")
    show("unwind makes smaller, perf's plain file", perf, "x", "10")


def sample(bench):
    """CPU time a sample, and what does not depend on them: one program for
    one second, and for four."""
    slope, fixed = [], []
    for _ in range(bench.runs):
        points = []
        for seconds in (1, 4):
            path = bench.work / "sample.data"
            bench.measure.run([*bench.ours_record, "-g", "-e", "cpu-clock",
                               "-F", "20000", "-o", path, "--", "python3",
                               "-c", PYTHON.format(seconds)])
            points.append(account(bench, path))
        (few, few_s, _), (many, many_s, _) = points
        slope.append(1e6 * (many_s - few_s) / (many - few))
        fixed.append(few_s - slope[-1] * few / 1e6)
    show("CPU a sample", slope, "us", "0.5")
    show("CPU besides", fixed, "s", "0.15")


def crowd(bench):
    """Many processes, each with libraries of its own map."""
    program = bench.compile("crowd", HERE / "workloads/crowd.c", "gcc", "-O1",
                            "-ldl")
    took = []
    with subprocess.Popen([program, "4000", "300"], stdout=subprocess.PIPE,
                          text=True) as process:
        process.stdout.readline()  # says when all are there
        try:
            for _ in range(bench.runs):
                path = bench.work / "crowd.data"
                bench.measure.run([*bench.ours_record, "-a", "-g", *CLOCK, "99", "-o",
                                   path, "--", "find", "/usr/lib"])
                took.append(account(bench, path)[2])
        finally:
            process.terminate()
    show("names of a host of 4,000 processes", took, "s", "0.3")


ROWS = {"host": host, "host-fast": host_fast, "copies": copies, "sample": sample, "crowd": crowd}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("row", nargs="*", help="of: " + ", ".join(ROWS))
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    if not BUILD.exists():
        parser.error(f"{BUILD}: build the release preset first")
    with work_folder(None) as work:
        for name in args.row or ROWS:
            print(f"{name}:", flush=True)
            ROWS[name](Bench(work, args.runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
