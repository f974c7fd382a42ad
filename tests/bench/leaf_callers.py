#!/usr/bin/env python3
"""What callers of leaves cost a recorder with -g: CPU time and bytes, beside
recordings without at the same time.

    tests/bench/leaf_callers.py [HZ...] [--runs N] [--seconds S]
                                [--build NAME=PATH]... [--perf]

The system is recorded while two loops compile, sort and run Python, by each
recorder at once, since the machine is shared; who starts first alternates:
without callers of leaves, as -g has them, and with --leaf-callers.  HZ: 99 and
999 without any.  Each --build is another perfpair-record, with -g alone.  Each
run is printed: ms of CPU, in all (user and system time at the end) and by
thread a moment before the end, bytes; and at the end medians of what they are
by those without.  Needs root, gcc and the release preset."""

import argparse
import contextlib
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

import run

LOAD = ("while :; do gcc -O2 -c -o /dev/null load.c;"
        " python3 -c 'print(sum(i * i for i in range(300000)))';"
        " seq 200000 | sort -R | sort -n; done")


@contextlib.contextmanager
def load(folder):
    (folder / "load.c").write_text("#include <stdio.h>\n" + "".join(
        f"int f{i}(int a) {{ for (int i = 0; i < a; i++)"
        f' printf("%d", i * {i}); return a * {i}; }}\n' for i in range(1500)))
    running = [subprocess.Popen(["sh", "-c", LOAD], cwd=folder,
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL,
                                start_new_session=True) for _ in range(2)]
    try:
        yield
    finally:
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def by_thread(pid):
    """{name: ms} of the threads that live."""
    ret = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            name = (task / "comm").read_text().strip()
            ns = int((task / "schedstat").read_text().split()[0])
            ret[name] = ret.get(name, 0) + ns / 1e6
    return ret


def record(recorders, hz, seconds, folder):
    """{name: (ms, bytes)} of all of them at once."""
    running, ret = [], {}
    for name, words in recorders:
        out = folder / f"{name}.data"
        out.unlink(missing_ok=True)
        running.append((name, out, subprocess.Popen(
            [*map(str, words), "-q", "-a", "-g", "-F", hz, "-o", out],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)))
    time.sleep(seconds)
    threads = {name: by_thread(process.pid) for name, _, process in running}
    for _, _, process in running:
        process.send_signal(signal.SIGINT)
    for name, out, process in running:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        ret[name] = ((usage.ru_utime + usage.ru_stime) * 1e3,
                     out.stat().st_size)
        print(f"  {name:<12} {ret[name][0]:7.0f} ms {ret[name][1]:9} bytes",
              *(f"{thread} {ms:.0f}" for thread, ms
                in sorted(threads[name].items(), key=lambda item: -item[1])),
              flush=True)
    return ret


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hz", nargs="*", default=["99", "999"])
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--build", action="append", default=[],
                        metavar="NAME=PATH")
    parser.add_argument("--perf", action="store_true")
    args = parser.parse_args()
    ours = run.BUILD / "record/perfpair-record"
    recorders = [("without", [ours, "--no-leaf-callers"]), ("-g", [ours]),
                 ("all", [ours, "--leaf-callers"])]
    for build in args.build:
        name, path = build.split("=", 1)
        recorders.append((name, [path]))
    if args.perf:
        recorders.append(("perf", ["perf", "record", "-z"]))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for hz in args.hz:
            ratios = {}
            for i in range(args.runs):
                print(f"{hz} Hz, run {i + 1}", flush=True)
                with load(folder):
                    done = record(recorders[::-1 if i % 2 else 1], hz,
                                  args.seconds, folder)
                for name, values in done.items():
                    ratios.setdefault(name, []).append(
                        [a / b for a, b in zip(values, done["without"])])
            for name, rows in ratios.items():
                cpu, size = zip(*rows)
                print(f"{hz} Hz {name:<12} CPU {statistics.median(cpu):.2f}"
                      f" ({min(cpu):.2f} to {max(cpu):.2f}), bytes"
                      f" {statistics.median(size):.2f} ({min(size):.2f} to"
                      f" {max(size):.2f})", flush=True)


if __name__ == "__main__":
    main()
