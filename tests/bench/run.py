#!/usr/bin/env python3
"""Benchmarks of the pair against perf, as ratios of one run.

See README.md beside this file for the workloads and what is measured.
"""

import argparse
import contextlib
import os
import pathlib
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("PERFPAIR_BUILD",
                                    ROOT / "build" / "release"))
READY_S = 60    # a recorder that has not begun by then never does
BEGUN_BYTES = 256 << 10     # more than any file's headers
CC_JOBS, CC_TEMPLATES = 2, 30  # 20 s of one CPU: 200,000 samples
LONG_S = 10.0   # a reader that takes longer runs three times at most


class Finished:
    """One command that ran, as workloads/measure.c tells."""

    def __init__(self, line):
        wall, user, system, peak, status = line.split()
        self.wall_s = float(wall)
        self.cpu_s = float(user) + float(system)
        self.peak_mib = int(peak) / 1024
        self.returncode = int(status)


class Measure:
    """Runs commands below workloads/measure.c, a small parent of their own."""

    def __init__(self, program, out):
        self.program = program
        self.out = out
        self.env = dict(os.environ, MEASURE_OUT=str(out))

    def start(self, command):
        # In a session of its own, as a service has: the kernel shares the
        # CPUs out by sessions (sched_autogroup), and the workload has ours.
        return subprocess.Popen(
            [str(w) for w in [self.program, *command]], env=self.env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)

    def finish(self, process):
        process.wait()
        return Finished(self.out.read_text())

    def run(self, command):
        return self.finish(self.start(command))

    def record_beside(self, recorder, options, out, workload):
        """The recorder system-wide; once it answers, the workload beside it;
        then SIGINT. What the recorder took, and the workload's CPU time."""
        with Control(self.out.parent) as control:
            process = self.start([*recorder, *options, *control.options,
                                  "-o", out])
            try:
                control.wait(out)
                workload_s = cpu_s(workload)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            process.send_signal(signal.SIGINT)
            return self.finish(process), workload_s


class Control:
    """A recorder's --control: it answers a ping when it records."""

    def __init__(self, folder):
        self.paths = [folder / "control", folder / "ack"]
        self.options = ["--control", "fifo:{},{}".format(*self.paths)]

    def __enter__(self):
        self.fds = []
        for path in self.paths:
            path.unlink(missing_ok=True)
            os.mkfifo(path)
            self.fds.append(os.open(path, os.O_RDWR))
        return self

    def __exit__(self, *_):
        for fd in self.fds:
            os.close(fd)

    def wait(self, out=None):
        """perf that records its own system calls never gets to its control:
        it has begun if the file holds more than headers."""
        os.write(self.fds[0], b"ping\n")
        end = time.monotonic() + READY_S
        while time.monotonic() < end:
            if select.select([self.fds[1]], [], [], 0.1)[0]:
                return
            if out and out.exists() and out.stat().st_size > BEGUN_BYTES:
                return
        sys.exit(f"no recorder has begun within {READY_S} s")


def cpu_s(command):
    """User and system seconds of a command that must succeed."""
    process = subprocess.Popen([str(w) for w in command],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def startup_s(recorder, options, out, stamp):
    """Seconds from the start of the recorder to that of its command."""
    start = time.time()
    subprocess.run([str(w) for w in [*recorder, *options, "-o", out, "--",
                                     "sh", "-c", f"date +%s.%N >{stamp}"]],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return float(pathlib.Path(stamp).read_text()) - start


def scheduled_s(pid):
    """Seconds that all threads of a process have run, to the nanosecond."""
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


def sample_nr(path):
    """Samples in a file, as perf counts them."""
    text = subprocess.run(["perf", "report", "--stats", "-i", str(path)],
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["SAMPLE", "events:"]:
            return int(words[2])
    return 0


def lost_nr(path):
    """Samples that the file says were lost."""
    return lost_of(subprocess.run(
        ["perf", "report", "--stats", "-i", str(path)],
        capture_output=True, text=True).stdout)


def lost_of(stats):
    """The sums by event in perf's text, which stand without a percentage, of
    what the kernel and the recorder counted."""
    return sum(int(line.split()[2]) for line in stats.splitlines()
               if line.split()[:2] == ["LOST_SAMPLES", "events:"]
               and "%" not in line)


class Bench:
    def __init__(self, work, runs, may_read=True, busy_s=240):
        self.work = work
        self.busy_s = busy_s
        self.runs = runs
        self.may_read = may_read
        self.ours_record = [BUILD / "record" / "perfpair-record"]
        self.ours = BUILD / "report" / "perfpair"
        self.measure = Measure(
            self.compile("measure", HERE / "workloads/measure.c", "gcc", "-O1"),
            work / "measured")

    def compile(self, name, source, compiler, *flags):
        out = self.work / name
        if not out.exists():
            subprocess.run([compiler, *flags, "-o", out, source], check=True)
        return out

    def line(self, what, perf, ours, unit, digits=2):
        theirs, mine = statistics.median(perf), statistics.median(ours)
        ratio = f"{mine / theirs:.2f}" if theirs else "-"
        print(f"  {what:<28} perf {theirs:>12.{digits}f} {unit:<4}"
              f" ours {mine:>12.{digits}f} {unit:<4} ratio {ratio}",
              flush=True)

    def recorders(self, z):
        return {"perf": ["perf", "record", *(["-z"] if z else [])],
                "ours": self.ours_record + ([] if z else ["-z0"])}

    def record(self, name, options, workload, expected=None, slows=False,
               counts=True):
        """Both recorders in turn, compressed; then what they cost. slows: the
        workload does a fixed amount of work, which is timed. counts: perf
        reads the files, to see what was lost."""
        cpu, peak, size, lost, program = ({"perf": [], "ours": []}
                                          for _ in range(5))
        bare = []
        for _ in range(self.runs):
            if slows:
                bare.append(cpu_s(workload))
            for who, recorder in self.recorders(z=True).items():
                out = self.work / f"{name}.{who}.z.data"
                done, workload_s = self.measure.record_beside(
                    recorder, options, out, workload)
                program[who].append(workload_s)
                cpu[who].append(done.cpu_s)
                peak[who].append(done.peak_mib)
                size[who].append(out.stat().st_size / 1e6)
                if counts:
                    lost[who].append(expected - sample_nr(out) if expected
                                     else lost_nr(out))
        self.line("recorder cpu", cpu["perf"], cpu["ours"], "s", 3)
        self.line("recorder peak memory", peak["perf"], peak["ours"], "MiB", 1)
        self.line("bytes", size["perf"], size["ours"], "MB", 3)
        if slows:
            alone = statistics.median(bare)
            self.line("program by program alone",
                      [s / alone for s in program["perf"]],
                      [s / alone for s in program["ours"]], "", 3)
        if any(lost["perf"] + lost["ours"]):
            self.line("lost samples", lost["perf"], lost["ours"], "", 0)

    def read_both(self, what, words):
        wall, peak = {"perf": [], "ours": []}, {"perf": [], "ours": []}
        runs = self.runs
        while len(wall["perf"]) < runs:
            for who, tool in (("perf", "perf"), ("ours", self.ours)):
                done = self.measure.run([tool, *words])
                if done.returncode:
                    print(f"  {what}: {who} ended with {done.returncode}")
                wall[who].append(done.wall_s)
                peak[who].append(done.peak_mib)
            if wall["perf"][0] > LONG_S:
                runs = min(runs, 3)
        self.line(what, wall["perf"], wall["ours"], "s", 3)
        self.line(what + " peak memory", peak["perf"], peak["ours"], "MiB", 1)

    def read(self, name, options, workload, chains):
        """The same files, perf's -z and plain and ours, read by both."""
        if not self.may_read:
            return
        plain = self.work / f"{name}.perf.plain.data"
        self.measure.record_beside(["perf", "record"], options, plain, workload)
        self.read_files(name, chains)

    def read_files(self, name, chains):
        if not self.may_read:
            return
        for kind in ("perf.plain", "perf.z", "ours.z"):
            path = self.work / f"{name}.{kind}.data"
            if not path.exists():
                continue
            self.read_both(f"report flat {kind}",
                           ["report", "--stdio", "--no-children", "-g", "none",
                            "-i", path])
            if chains:
                self.read_both(f"report children {kind}",
                               ["report", "--stdio", "-i", path])
            self.read_both(f"script {kind}", ["script", "-i", path])

    def diff(self, name, options, workload):
        """Two recordings of the same by either recorder, read by both; ours
        with its intervals."""
        for kind, recorder in (("perf.plain", ["perf", "record"]),
                               ("perf.z", ["perf", "record", "-z"]),
                               ("ours.z", self.ours_record)):
            files = [self.work / f"{name}.{side}.{kind}.data"
                     for side in ("old", "new")]
            for path in files:
                self.measure.run([*recorder, *options, "-o", path, "--",
                                  *workload])
            self.read_both(f"diff {kind}", ["diff", *files])


def bench_storm(bench, chains=False, n=1000000):
    name = "storm-g" if chains else "storm"
    program = bench.compile(
        "getppid", ROOT / "tests/peer/workloads/getppid.c", "gcc", "-O1")
    options = ["-a", "-e", "syscalls:sys_enter_getppid"]
    options += ["-g"] if chains else []
    bench.record(name, options, [program, n], expected=n, slows=True)
    bench.read(name, options, [program, n], chains)


def bench_storm_g(bench):
    bench_storm(bench, chains=True)


def bench_syscalls(bench):
    program = bench.compile(
        "getppid", ROOT / "tests/peer/workloads/getppid.c", "gcc", "-O1")
    options = ["-a", "-g", "-e", "raw_syscalls:sys_enter"]
    bench.record("syscalls", options, [program, 2000000])
    bench.read("syscalls", options, [program, 2000000], chains=True)


def bench_diff(bench):
    program = bench.compile(
        "getppid", ROOT / "tests/peer/workloads/getppid.c", "gcc", "-O1")
    bench.diff("diff", ["-m", "64M", "-g", "-e", "raw_syscalls:sys_enter"],
               [program, 3000000])


def bench_cc(bench):
    source = bench.work / "generated.cc"
    source.write_text(generated_templates(CC_TEMPLATES))
    options = ["-g", "-e", "cpu-clock", "-F", "10000"]
    compile_one = f"g++ -O2 -c -o {bench.work}/generated.$i.o {source}"
    workload = ["sh", "-c", f"for i in $(seq {CC_JOBS}); do {compile_one} &"
                            " done; wait"]
    # Not -F max: 100 kHz of callchains leave a small machine nothing to
    # compile with.
    for kind, recorder in (("perf.plain", ["perf", "record"]),
                           ("perf.z", ["perf", "record", "-z"]),
                           ("ours.z", bench.ours_record)):
        out = bench.work / f"cc.{kind}.data"
        bench.measure.run([*recorder, *options, "-o", out, "--", *workload])
        print(f"  {kind + ' samples':<28} {sample_nr(out)}", flush=True)
    bench.read_files("cc", chains=True)


def generated_templates(nr):
    """A C++ source that keeps a compiler busy for some seconds."""
    parts = ["#include <map>\n#include <string>\n#include <vector>\n"
             "#include <algorithm>\n#include <functional>\n"]
    for i in range(nr):
        parts.append(
            f"struct S{i} {{ int a[{i % 7 + 1}]; std::string s; }};\n"
            f"int f{i}(std::map<int, std::vector<S{i}>> &m, int k) {{\n"
            f"  auto &v = m[k]; v.push_back(S{i}()); int n = {i};\n"
            "  std::sort(v.begin(), v.end(), [](auto &x, auto &y)"
            " { return x.s < y.s; });\n"
            "  for (auto &e : v) n += e.a[0] + (int)e.s.size();\n"
            "  return n; }\n")
    return "".join(parts)


def bench_dwarf(bench):
    program = bench.compile("dwarf", HERE / "workloads/dwarf.cc", "g++",
                            "-O2", "-fomit-frame-pointer")
    options = ["-a", "-e", "cpu-clock", "-F", "4000",
               "--call-graph", "dwarf,8192"]
    bench.record("dwarf", [*options, "-m", "128"], [program, 5])
    bench.read("dwarf", options, [program, 2], chains=True)


def bench_decode(bench):
    """How fast the format library walks plain files and decodes their
    samples, by the CPU time of its one thread; aims: 1 GB/s, 10 M samples/s."""
    getppid = bench.compile(
        "getppid", ROOT / "tests/peer/workloads/getppid.c", "gcc", "-O1")
    decode = bench.work / "pd_decode"
    subprocess.run(["gcc", "-O2", "-I", ROOT, "-o", decode,
                    ROOT / "tests/tools/pd_decode.c",
                    *(BUILD / f"format/{room}/libpd_{room}.a"
                      for room in ("reader", "carried", "symtab", "records",
                                   "file", "base")),
                    "-lzstd", "-lxxhash"],
                   check=True)
    for name, options, calls in (
            ("tracepoint", ["-e", "syscalls:sys_enter_getppid"], 500000),
            ("callchains", ["-g", "-e", "syscalls:sys_enter_getppid"], 200000),
            ("clock", ["-e", "cpu-clock", "-F", "20000"], 3000000)):
        path = bench.work / f"decode.{name}.data"
        bench.measure.run(["perf", "record", *options, "-a", "-o", path, "--",
                           getppid, calls])
        fast = [subprocess.run([decode, path, "10"], capture_output=True,
                               text=True, check=True).stdout.split()
                for _ in range(bench.runs)]
        rates = {key: statistics.median(float(words[words.index(key) + 1])
                                        for words in fast)
                 for key in ("gb_s", "msamples_s")}
        print(f"  {name:<28} {rates['gb_s']:.2f} GB/s,"
              f" {rates['msamples_s']:.1f} M samples/s", flush=True)


def bench_dwarf_lost(bench):
    """Recording only, at a rate at which perf loses samples."""
    program = bench.compile("dwarf", HERE / "workloads/dwarf.cc", "g++",
                            "-O2", "-fomit-frame-pointer")
    bench.record("dwarf-lost", ["-a", "-e", "cpu-clock", "-F", "4000", "-m",
                                "128", "--call-graph", "dwarf,8192"],
                 [program, 3])


def bench_slow_down(bench):
    """A program that computes, at a high rate with call chains; and the same
    with copies of its stack."""
    program = bench.compile("dwarf", HERE / "workloads/dwarf.cc", "g++",
                            "-O2", "-fomit-frame-pointer")
    for chains in (["-g"], ["--call-graph", "dwarf,8192"]):
        print("  " + " ".join(chains), flush=True)
        bench.record("slow-down", ["-a", "-e", "cpu-clock", "-F", "4000",
                                   *chains], [program, 60, 600000], slows=True,
                     counts=False)


def bench_idle(bench):
    bench.record("idle", ["-a", "-e", "cpu-clock", "-F", "99"], ["sleep", 30])


@contextlib.contextmanager
def busy_host(command):
    """The shell command over and over, once for each CPU."""
    processes = [subprocess.Popen(["sh", "-c", f"while :; do {command}; done"],
                                  stdout=subprocess.DEVNULL,
                                  start_new_session=True)
                 for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def bench_busy(bench, command):
    """Always on: both recorders at once, so that both see the same host; what
    they took once started."""
    options = ["-a", "-g", "-e", "cpu-clock", "-F", "99"]
    cpu, size = {"perf": [], "ours": []}, {"perf": [], "ours": []}
    for _ in range(bench.runs):
        with busy_host(command):
            files = {who: bench.work / f"busy.{who}.data" for who in cpu}
            running = {who: subprocess.Popen(
                [str(w) for w in [*recorder, *options, "-o", files[who]]],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True)
                for who, recorder in bench.recorders(z=True).items()}
            time.sleep(2)  # both have told what runs already
            before = {who: scheduled_s(p.pid) for who, p in running.items()}
            time.sleep(bench.busy_s)
            for who, process in running.items():
                cpu[who].append(scheduled_s(process.pid) - before[who])
                process.send_signal(signal.SIGINT)
            for who, process in running.items():
                process.wait()
                size[who].append(files[who].stat().st_size / 1e6)
    bench.line("recorder cpu", [s * 1e3 for s in cpu["perf"]],
               [s * 1e3 for s in cpu["ours"]], "ms")
    bench.line("bytes", size["perf"], size["ours"], "MB", 3)


def bench_busy_compile(bench):
    source = bench.work / "generated.cc"
    source.write_text(generated_templates(2))
    bench_busy(bench, f"g++ -O2 -S -o /dev/null {source}")


def bench_busy_spin(bench):
    bench_busy(bench, f"exec {sys.executable} -c 'while 1: pass'")


def bench_crowd(bench):
    crowd = bench.compile("crowd", HERE / "workloads/crowd.c", "gcc", "-O1",
                          "-ldl")
    process = subprocess.Popen([crowd, "2000", "300"],
                               stdout=subprocess.PIPE, text=True)
    process.stdout.readline()  # says when all are there
    try:
        took = {"perf": [], "ours": []}
        for _ in range(bench.runs):
            for who, recorder in bench.recorders(z=True).items():
                took[who].append(startup_s(
                    recorder, ["-a", "-e", "cpu-clock"],
                    bench.work / f"crowd.{who}.data", bench.work / "stamp"))
        bench.line("start-up", took["perf"], took["ours"], "s", 3)
    finally:
        process.terminate()
        process.wait()


WORKLOADS = {
    "storm": bench_storm, "storm-g": bench_storm_g, "syscalls": bench_syscalls, "diff": bench_diff,
    "cc": bench_cc, "decode": bench_decode, "dwarf": bench_dwarf,
    "dwarf-lost": bench_dwarf_lost, "slow-down": bench_slow_down,
    "busy": bench_busy_compile, "busy-spin": bench_busy_spin,
    "idle": bench_idle, "crowd": bench_crowd,
}


@contextlib.contextmanager
def work_folder(keep):
    """Where recordings go: keep, which stays, or one for this run."""
    work = keep or pathlib.Path(tempfile.mkdtemp(prefix="perfpair-bench"))
    work.mkdir(parents=True, exist_ok=True)
    try:
        yield work
    finally:
        if not keep:
            shutil.rmtree(work)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload", nargs="*",
                        help="of: " + ", ".join(WORKLOADS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-read", action="store_true",
                        help="measure the recorders only")
    parser.add_argument("--busy", type=float, default=240, metavar="SECONDS",
                        help="how long busy and busy-spin record each time")
    parser.add_argument("--keep", type=pathlib.Path,
                        help="leave the recordings in this folder")
    args = parser.parse_args()
    unknown = [name for name in args.workload if name not in WORKLOADS]
    if unknown:
        parser.error("unknown workload: " + ", ".join(unknown))
    with work_folder(args.keep) as work:
        for name in args.workload or WORKLOADS:
            print(f"{name}:", flush=True)
            WORKLOADS[name](Bench(work, args.runs, not args.no_read,
                                  args.busy))
    return 0


if __name__ == "__main__":
    sys.exit(main())
