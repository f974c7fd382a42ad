#!/usr/bin/env python3
"""What recording one event costs the program that causes it, in ns, by kind.

    tests/bench/event_cost.py [KIND...] [--runs N]

workloads/events.c makes events on CPU 0, without a recorder and while ours
records that CPU from another one; the difference by event is the kernel's work:
the event, its call chain, its copy of the stack, its record.  Needs root, two
CPUs, gcc and the release preset.  Medians of the runs, which go in turn."""

import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile

import run

HERE = pathlib.Path(__file__).resolve().parent
TRACEFS = pathlib.Path("/sys/kernel/tracing")
PROBE = "perfpair_bench/probed"
# {kind: (what events.c does, how often, how often the event comes by that,
#         options)}
CALL = "raw_syscalls:sys_enter"
# {column: (options, how many fewer events, so that a ring holds most of them)}
SHAPES = {"alone": ([], 1), "-g": (["-g"], 4),
          "--call-graph dwarf": (["--call-graph", "dwarf"], 100)}
KINDS = {
    "tracepoint": ("call", 200_000, ["-e", CALL]),
    "tracepoint, not sampled": ("call", 200_000, ["-e", CALL, "-c", "1000000", "--no-period"]),
    "tracepoint, -F 10000": ("call", 200_000, ["-e", CALL, "-F", "10000"]),
    "sched_switch": ("switch", 50_000, ["-e", "sched:sched_switch"]),
    "page-faults": ("touch", 100_000, ["-e", "page-faults", "-c", "1"]),
    "uprobe": ("probe", 100_000, ["-e", PROBE.replace("/", ":")]),
    "cpu-clock": ("spin", 1_000_000, ["-e", "cpu-clock"]),
    "record of a switch": ("switch", 50_000, ["-e", "dummy", "--switch-events"]),
    "record of a map": ("map", 50_000, ["-e", "dummy"]),
    "record of a name": ("name", 200_000, ["-e", "dummy"]),
    "records of a process": ("fork", 5_000, ["-e", "dummy"]),
}
# Kinds whose samples have a stack.
CHAINED = ("tracepoint", "sched_switch", "page-faults", "uprobe", "cpu-clock")


def made(program, work, nr):
    return float(subprocess.run([program, work, str(nr)], check=True,
                                capture_output=True, text=True).stdout)


class Recorded:
    """CPU 0 is recorded by a process of another CPU; plain, in large rings."""

    def __init__(self, folder, options):
        self.control = run.Control(folder)
        self.path = folder / "t.data"
        self.words = [run.BUILD / "record/perfpair-record", "-C", "0", *options,
                      "-m", "16M", "-z0", "--carry", "none", "-o", self.path]

    def __enter__(self):
        with self.control:
            self.process = subprocess.Popen(
                ["taskset", "-c", "1", *self.words, *self.control.options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True)
            self.control.wait()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def samples_per_ns(path):
    """By the times of a clock's samples on the CPU."""
    text = subprocess.run(
        [run.BUILD / "report/perfpair", "script", "-F", "time", "-i", path],
        check=True, capture_output=True, text=True).stdout
    times = [float(time) for time in re.findall(r"[\d.]+(?=:)", text)]
    return len(times) / (max(times) - min(times)) / 1e9


def cost(program, folder, kind, shape):
    work, nr, event = KINDS[kind]
    options, fewer = SHAPES[shape]
    if kind == "cpu-clock":
        options = [*options, "-F", str(40_000 // min(fewer, 10))]
    else:
        nr //= fewer
    alone = made(program, work, nr)
    with Recorded(folder, [*event, *options]) as recorded:
        beside = made(program, work, nr)
    if lost := run.lost_nr(recorded.path):
        print(f"{kind} {shape}: {lost} samples were lost, which cost less",
              file=sys.stderr)
    if kind == "cpu-clock":  # beside is the time of some work, not an event's
        nr_ns = samples_per_ns(recorded.path)
        return (1 - alone / beside) / nr_ns
    return beside - alone


def probe_command(line):
    fd = os.open(TRACEFS / "uprobe_events", os.O_WRONLY | os.O_APPEND)
    os.write(fd, line.encode())
    os.close(fd)


def define_probe(program):
    """The uprobe at probed(), whose offset in the file is its address: the
    program is position-independent."""
    text = subprocess.run(["nm", program], check=True, capture_output=True,
                          text=True).stdout
    place = int(re.search(r"^(\w+) T probed$", text, re.M)[1], 16)
    probe_command(f"p:{PROBE} {program}:{place:#x}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND",
                        help="of: " + "; ".join(KINDS))
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    kinds = args.kinds or list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error("unknown: " + ", ".join(unknown))
    print("| ns an event | " + " | ".join(SHAPES) + " |")
    print("|---" * (1 + len(SHAPES)) + "|")
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        program = folder / "events"
        subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer",
                        "-fno-optimize-sibling-calls", "-o", program,
                        HERE / "workloads/events.c"], check=True)
        if "uprobe" in kinds:
            define_probe(program)
        try:
            for kind in kinds:
                cells = []
                for shape in SHAPES:
                    if shape != "alone" and kind not in CHAINED:
                        cells.append("")
                        continue
                    found = [cost(program, folder, kind, shape)
                             for _ in range(args.runs)]
                    cells.append(f"{statistics.median(found):.0f}"
                                 f" ({min(found):.0f} to {max(found):.0f})")
                print(f"| {kind} | {' | '.join(cells)} |", flush=True)
        finally:
            if "uprobe" in kinds:
                probe_command(f"-:{PROBE}")


if __name__ == "__main__":
    main()
