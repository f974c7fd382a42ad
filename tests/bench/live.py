#!/usr/bin/env python3
"""CPU time of perfpair top beside perf top, and of recording context switches
beside perf record.

    tests/bench/live.py [top] [switches] [--runs N] [--seconds S]

Both run in turn on the same machine.  Needs root, perf, script(1) and the
release preset."""

import argparse
import os
import pathlib
import re
import resource
import signal
import statistics
import subprocess
import tempfile
import time

BUILD = pathlib.Path(__file__).resolve().parents[2] / "build" / "release"
TOPS = {"screen": "perfpair top", "stdio": "perfpair top --stdio",
        "perf": "perf top --stdio"}
PLAIN = ["-B", "-N", "-q", "-a"]  # neither reads names of files
SWITCH = ["-g", "-e", "sched:sched_switch", *PLAIN]
OURS = ["perfpair-record", "--carry", "none"]
SWITCHES = {
    "perf": ["perf", "record", "-z", *SWITCH],
    "perf, the events of --off-cpu": [
        "perf", "record", "-z", *SWITCH, "-e", "sched:sched_waking/call-graph=no/",
        "--switch-events"],
    "tracepoint": [*OURS, *SWITCH],
    "tracepoint, -m 2M": [*OURS, *SWITCH, "-m", "2M"],
    "--off-cpu": [*OURS, "-g", "-e", "cpu-clock", "-F", "99", "--off-cpu", *PLAIN],
}


def children_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def show(row, made, theirs):
    ours = statistics.median(made)
    print(f"{row}: {ours:.3f}, perf {statistics.median(theirs):.3f},"
          f" ratio {ours / statistics.median(theirs):.2f}"
          f"  ({', '.join(f'{x:.2f}' for x in made)};"
          f" {', '.join(f'{x:.2f}' for x in theirs)})", flush=True)


def top(args):
    """Per cent of a CPU, of reader and recorder together, in a terminal of 40
    lines."""
    for freq in (99, 999):
        made = {name: [] for name in TOPS}
        for _ in range(args.runs):
            for name, words in TOPS.items():
                before, start = children_s(), time.monotonic()
                subprocess.run(
                    ["script", "-qc", f"stty rows 40 cols 110; timeout -s INT"
                     f" {args.seconds} {words} -a -g -F {freq}", "/dev/null"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                made[name].append(100 * (children_s() - before)
                                  / (time.monotonic() - start))
        for name in ("screen", "stdio"):
            show(f"top -g -F {freq}, {name}", made[name], made["perf"])


def switch_count():
    text = pathlib.Path("/proc/stat").read_text()
    return int(re.search(r"^ctxt (\d+)", text, re.M).group(1))


def switches(args):
    """Seconds of the recorder while two processes pass a byte 400,000 times."""
    made = {name: [] for name in SWITCHES}
    for _ in range(args.runs):
        for name, words in SWITCHES.items():
            with tempfile.TemporaryDirectory() as folder:
                recorder = subprocess.Popen(
                    [*words, "-o", f"{folder}/t.data"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, start_new_session=True)
                time.sleep(2)
                before, start = switch_count(), time.monotonic()
                subprocess.run(["taskset", "-c", "0", "perf", "bench", "sched",
                                "pipe", "-l", "400000"],
                               stdout=subprocess.DEVNULL, check=True)
                rate = (switch_count() - before) / (time.monotonic() - start)
                os.kill(recorder.pid, signal.SIGINT)
                used = os.wait4(recorder.pid, 0)[2]
                made[name].append(used.ru_utime + used.ru_stime)
                print(f"  {name}: {rate:.0f} switches/s, "
                      f"{os.path.getsize(f'{folder}/t.data')} bytes",
                      flush=True)
    perf, same, *_ = SWITCHES
    for name, beside in (("tracepoint", perf), ("tracepoint, -m 2M", perf),
                         ("--off-cpu", perf), ("--off-cpu", same)):
        show(f"switches, {name}, beside {beside}", made[name], made[beside])


def main():
    rows = {"top": top, "switches": switches}
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", metavar="ROW",
                        help=" or ".join(rows))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20)
    args = parser.parse_args()
    os.environ["PATH"] = f"{BUILD}/report:{BUILD}/record:" + os.environ["PATH"]
    os.environ["TERM"] = "xterm"
    for row in args.rows or rows:
        rows[row](args)


if __name__ == "__main__":
    main()
