#!/usr/bin/python3
"""How far the shares of a ticking program (tests/truth/programs/tick.c) are from what
it tells, at many rates; and whether `diff` of two recordings of one such program sees a
change.

phase_lock.py shares [--mode all|task] [--rate HZ...] [--runs N] [--seconds S]
phase_lock.py diff [--runs N]

Takes the programs of the dev build, or of PERFPAIR_BUILD.  These are not tests: nothing
here asserts a figure."""

import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PERFPAIR_BUILD", ROOT / "build/dev"))
RATES = [19, 49, 99, 199, 250, 499, 500, 997, 999, 1000, 1999, 2000, 4000, 5000, 8000,
         10000]
OFTEN = {500: 30, 1000: 30, 4000: 30}  # {rate: runs}
RUNS = 5
SAMPLES = 2500
TURNS_US = [250, 500, 1000, 2000, 2500, 4000, 5000, 10000, 16667, 20000]


def drawn(seed):
    return sorted(random.Random(seed).sample(range(20, 10000), 10))


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, text=True,
                          capture_output=True).stdout


def record(out, program, ms, turn_us, *options):
    """The share of early() as the program tells it."""
    said = run(BUILD / "record/perfpair-record", "-q", *options, "-o", out, "--", program,
               ms, turn_us).split()
    early, late = int(said[1]), int(said[3])
    return early / (early + late)


def seen(path, comm):
    """The share of early() in the recording, and how many samples it is of."""
    event, = json.loads(run(BUILD / "report/perfpair", "report", "-i", path, "--comms",
                            comm, "-s", "sym", "--format", "json"))["events"]
    rows = {row["symbol"]: row for row in event["rows"]
            if row["symbol"] in ("early", "late")}
    early = rows.get("early", {"period": 0})["period"]
    return (early / sum(row["period"] for row in rows.values()),
            sum(row["samples"] for row in rows.values()))


def shares(args, folder, program):
    for rate in args.rate or RATES + drawn(args.seed):
        found = []
        runs = args.runs or OFTEN.get(rate, RUNS)
        ms = round(max(1.2, min(args.seconds, SAMPLES / rate * 1.04)) * 1000)
        for _ in range(runs):
            told = record(folder / "t.data", program, ms, 1000, "-e", "cpu-clock", "-F",
                          rate, *(["-a"] if args.mode == "all" else []))
            share, samples_nr = seen(folder / "t.data", program.name)
            noise = 3 * math.sqrt(told * (1 - told) / samples_nr)
            found.append((abs(share - told), noise, samples_nr))
        over = sum(error > 0.03 + noise for error, noise, _ in found)
        print(f"{args.mode} {rate:5} Hz: {runs} runs of {min(f[2] for f in found)} samples, "
              f"error at most {100 * max(f[0] for f in found):.1f} points, "
              f"mean {100 * sum(f[0] for f in found) / runs:.2f}, "
              f"{over} over 3 points and 3 sigma ({300 * found[0][1] / 3:.1f})", flush=True)


def diff(args, folder, program):
    covered = marked = rows_nr = 0
    for turn_us in TURNS_US:
        for _ in range(args.runs or RUNS):
            told = [record(folder / name, program, 2500, turn_us) for name in "ab"]
            found = json.loads(run(
                BUILD / "report/perfpair", "diff", folder / "a", folder / "b", "-s", "sym",
                "--comms", program.name, "--percentage", "relative", "--measure", "share",
                "--format", "json"))
            for row in found["events"][0]["rows"]:
                if row["symbol"] not in ("early", "late"):
                    continue
                change = 100 * (told[1] - told[0]) * (1 if row["symbol"] == "early" else -1)
                rows_nr += 1
                covered += row["low_pct"] <= change <= row["high_pct"]
                marked += row["significant"]
    print(f"{rows_nr} rows, {covered} cover what the programs tell, {marked} marked")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["shares", "diff"])
    parser.add_argument("--mode", choices=["all", "task"], default="all")
    parser.add_argument("--rate", type=int, nargs="*")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seconds", type=float, default=10, help="a run at most")
    parser.add_argument("--seed", type=int, default=32)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / f"tick.{os.getpid()}"
        run("gcc", "-O1", "-g0", "-o", program, ROOT / "tests/truth/programs/tick.c")
        (shares if args.what == "shares" else diff)(args, folder, program)


if __name__ == "__main__":
    main()
