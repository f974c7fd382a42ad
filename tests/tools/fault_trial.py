#!/usr/bin/env python3
"""A day of an always-on recorder in compressed time, with faults at random.

    tests/tools/fault_trial.py [--faults N] [--seed N] [--kinds KIND,KIND] [--unit]
                               [--build PRESET]

The recorder (-a -g -F 99) writes files of SLICE_S, which stand for those of a minute,
to a disk of its own.  The faults are methods of Trial, drawn by the weights of FAULTS,
each followed by a look at what INVARIANTS lists.  A row of the table that is printed is
a kind of fault, a column an invariant: how often it did not hold (exit code 1).

The same seed gives the same faults in the same order; the moments at which they find
the recorder differ.  --unit runs it as nobody with the rights of the systemd unit.

Disk, mounts and control group are made here (fault_place.py) and removed at the end,
also at SIGINT and SIGTERM.  Needs root, gcc, perf, and a kernel that lets one record."""

import argparse
import collections
import contextlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fault_place import ROOT, VARIANTS, Manager, Place, call, outside, sample_times, until

UNIT = ROOT / "install/perfpair-record.service.in"
NOBODY = 65534
HZ, SLICE_S, FLUSH_S, WATCHDOG_S = 99, 5, 0.1, 3
FILES_LEN, KEEP_FREE_LEN, SLICE_LEN = 12 << 20, 2 << 20, 1 << 20
# a loaded machine does later what is due: granted to each promise
SLACK_S = 3.0
GAP_S = 0.5  # the kernel takes a sample of each CPU that is not idle each 10 ms
RSS_KIB, DESCRIPTORS = 64 << 10, 64
UMOUNT_S, SPACE_S, TOLD_S = 2, 5, 1
NAMED_S = 2  # names are read in the second after a function is first hit
READER_S, READER_LEN = 30, 1 << 30  # what reading one file may take
FAULTS = {"kill": 36, "enospc": 36, "stall": 36, "memory": 36, "pipe": 36,
          "upgrade": 80, "umount": 80, "forks": 80, "hostile": 80}
INVARIANTS = {
    "alive": "the recorder does not end by itself, and can be started again",
    "readable": "perfpair check finds each finished file whole, perf script reads it",
    "lost": "no CPU is without samples for GAP_S, but in the second before a kill, until "
            "the next start, and in what the file names as lost",
    "named": "a function has its name, also if the program's file is gone after NAMED_S",
    "mounts": "umount works UMOUNT_S after a program's end; the space of a removed file "
              "is free after SPACE_S",
    "disk": "all files are within FILES_LEN, and each within SLICE_LEN",
    "memory": "the recorder is within RSS_KIB, and does not grow over the day",
    "fds": "it holds at most DESCRIPTORS, those of events left out",
    "fed": "the watchdog hears of it each WATCHDOG_S",
    "told": "SIGTERM has an answer (STATUS=) in TOLD_S while the disk stalls",
}


class Trial:
    def __init__(self, args, undo):
        self.place, self.chance = Place(undo), random.Random(args.seed)
        self.is_unit, build = args.unit, ROOT / "build" / args.build
        self.reader = build / "report/perfpair"
        self.program = self.place.folder / "perfpair-record"
        shutil.copy(build / "record/perfpair-record", self.program)
        self.manager = Manager(self.place.folder / "notify")
        self.said = (self.place.folder / "said").open("a+")
        self.children, self.recorder = [], None
        undo.callback(self.kill_all)
        undo.callback(subprocess.run, ["fsfreeze", "-u", self.place.disk],  # first
                      stderr=subprocess.DEVNULL)
        self.kind, self.nr, self.file_nr = "start", 0, 0
        self.faults, self.broken = collections.Counter(), collections.Counter()
        self.seen, self.looked_for, self.rows, self.rss = set(), [], [], []
        self.old_programs = []  # whose files go with the next look
        self.times, self.explained = collections.defaultdict(list), []
        self.place.make_programs(self.chance)
        self.keep_busy()
        self.start()

    def keep_busy(self):
        """An idle CPU may have no samples (one of two has none in some machines)."""
        for cpu in os.sched_getaffinity(0):
            self.popen("taskset", "-c", cpu, "chrt", "-i", "0", "sh", "-c",
                       "while :; do :; done")

    def popen(self, *words, **kw):
        self.children = [child for child in self.children if child.poll() is None]
        self.children.append(subprocess.Popen([str(word) for word in words], **kw))
        return self.children[-1]

    def kill_all(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()

    def end_of(self, child):
        """The exit code of a recorder that was sent SIGTERM."""
        try:
            return child.wait(60)
        except subprocess.TimeoutExpired:
            self.breaks("alive", "it did not end 60 s after SIGTERM")
            child.kill()
            return child.wait()

    def install(self, path, nr):
        """As an upgrade does: beside it, then by a rename."""
        fresh = path.with_suffix(".new")
        shutil.copy(self.place.variants[nr], fresh)
        fresh.rename(path)

    def look_for(self, path, nr):
        self.looked_for.append((self.kind, self.nr, path.name, f"work_{nr}"))

    def run(self, path, nr):
        self.look_for(path, nr)
        return self.popen(path, 200)

    def command(self, *more):
        words = [self.program, "-q", "-a", "-g", "-e", "cpu-clock", "-k", "mono", *more]
        if not self.is_unit:
            return words
        names = re.search(r"^AmbientCapabilities=CAP_(.*)$", UNIT.read_text(), re.M)[1]
        rights = "-all,+" + names.lower().replace(" cap_", ",+")
        return ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups",
                "--inh-caps", rights, "--ambient-caps", rights, "--bounding-set",
                rights, "--no-new-privs", *words]

    def start(self):
        """Wait until it records.  A start that fails is tried anew, as systemd does."""
        env = {name: text for name, text in os.environ.items() if name != "WATCHDOG_PID"}
        env |= {"NOTIFY_SOCKET": str(self.place.folder / "notify"),
                "WATCHDOG_USEC": str(WATCHDOG_S * 1000000)}
        for _ in range(10):
            begin = time.monotonic()
            self.recorder = self.popen(
                *self.command("-F", HZ, "-o", "t.data", f"--switch-output={SLICE_S}s",
                              "--flush-interval", f"{FLUSH_S * 1000:.0f}ms",
                              "--max-files-size", FILES_LEN, "--keep-free", KEEP_FREE_LEN),
                cwd=self.place.disk, env=env, stderr=self.said)
            until(lambda: self.manager.since(begin, "READY=1") or
                  self.recorder.poll() is not None, 60)
            if self.recorder.poll() is None:
                self.begun = time.monotonic()
                return
            self.breaks("alive", f"no start: {self.last_words()}")
            time.sleep(0.5)
        raise SystemExit("the recorder cannot be started")

    def last_words(self):
        self.said.seek(0)
        return self.said.read().strip().rpartition("\n")[2]

    def breaks(self, invariant, text, kind=None):
        self.broken[kind or self.kind, invariant] += 1
        print(f"{self.nr} {kind or self.kind}: {invariant}: {text}", flush=True)

    # what the files say

    def ask(self, program, command, path, *words):
        """What a reader prints; of a finished file it has to succeed."""
        try:
            done = subprocess.run(
                [program, command, "-i", path, *words], capture_output=True, text=True,
                errors="replace", timeout=READER_S, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_DATA, (READER_LEN, READER_LEN)))
        except subprocess.TimeoutExpired:
            self.breaks("readable", f"{command}: no answer in {READER_S} s")
            return ""
        if done.returncode and self.is_finished:
            said = (done.stdout.strip() + "\n" + done.stderr.strip()).split("\n")
            self.breaks("readable", f"{command}: {done.returncode} {said[-1]}")
            self.is_finished = False  # told once
        return done.stdout

    def collect(self):
        """Read each new file, out of a copy: the oldest are removed meanwhile."""
        copy = self.place.folder / "copy"
        for path in sorted(self.place.disk.glob("t.data.*")):
            with contextlib.suppress(FileNotFoundError):
                key = path.name, path.stat().st_ino
                if key not in self.seen:
                    shutil.copy(path, copy)
                    self.seen.add(key)
                    self.read(copy, path.name)

    def read(self, path, name):
        self.file_nr += 1
        self.is_finished = name.rpartition(".")[2].isdigit()
        if path.stat().st_size > SLICE_LEN:
            self.breaks("disk", f"{name} has {path.stat().st_size} bytes")
        checked = self.ask(self.reader, "check", path)
        text = self.ask(self.reader, "script", path, "-F", "cpu,time", "-G")
        for cpu, times in sample_times(text).items():
            self.times[cpu] += times
        if self.is_finished and self.file_nr % 10 == 0:
            theirs = self.ask("perf", "script", path, "-F", "time", "-G")
            if len(theirs.split()) != text.count(":"):
                self.breaks("readable", "perf script has other samples")
        text = "" if ", 0 events lost" in checked else \
            self.ask(self.reader, "report", path, "--header-only")
        for cpu, lo, hi in re.findall(r"^# lost .*?(?: on CPU (\d+))? between "
                                      r"([\d.]+) and ([\d.]+)", text, re.M):
            self.explained.append((cpu and int(cpu), float(lo) - 0.1, float(hi) + 0.1))
        if self.looked_for:
            self.rows += self.ask(self.reader, "report", path, "--no-children", "-g", "none",
                                  "-s", "comm,sym", "--format", "csv").splitlines()

    def newest(self):
        return max((max(times) for times in self.times.values()), default=0)

    def gaps(self):
        """(CPU, from, to) of each time without samples that nothing explains."""
        newest = self.newest()
        for cpu, times in self.times.items():
            times.sort()
            known = [(lo, hi) for of, lo, hi in self.explained if of in ("", cpu)]
            for lo, hi in zip(times, [*times[1:], newest]):
                if hi - lo > GAP_S and outside(lo, hi, known) > GAP_S:
                    yield cpu, lo, hi

    # invariants

    def look_alive(self):
        code = self.recorder.poll()
        if code is not None:
            self.breaks("alive", f"it ended with {code}: {self.last_words()}")
            self.start()

    def look_at_process(self):
        proc = pathlib.Path(f"/proc/{self.recorder.pid}")
        found = re.search(r"VmRSS:\s+(\d+)", (proc / "status").read_text())
        if not found:  # it ends just now
            self.recorder.wait()
            return self.look_alive()
        self.rss.append(int(found[1]))
        if self.rss[-1] > RSS_KIB:
            self.breaks("memory", f"{self.rss[-1]} KiB")
        held = []
        for path in (proc / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                held.append(os.readlink(path))
        held = [name for name in held if name != "anon_inode:[perf_event]"]
        if len(held) > DESCRIPTORS:
            self.breaks("fds", f"{len(held)}: {held[-3:]}")
        fed = [self.begun, *self.manager.since(self.begun, "WATCHDOG=1")]
        gap = max(b - a for a, b in zip(fed, [*fed[1:], time.monotonic()]))
        if gap > WATCHDOG_S + SLACK_S:
            self.breaks("fed", f"nothing for {gap:.1f} s")
        self.begun = fed[-1]

    def look_at_files(self):
        """End the file, and read what there is."""
        begin = time.monotonic()
        self.recorder.send_signal(signal.SIGUSR2)
        if not until(lambda: self.collect() or self.newest() >= begin, 30):
            self.breaks("alive", "no file was ended in 30 s")
        # what a killed one left may come later
        until(lambda: self.collect() or not any(self.gaps()), 5)
        for cpu, lo, hi in self.gaps():
            self.breaks("lost", f"{hi - lo:.2f} s of CPU {cpu} at {lo:.2f}")
        for cpu, times in self.times.items():
            self.times[cpu] = times[-1:]
        self.explained = [row for row in self.explained if row[2] > time.monotonic() - 60]
        held = 0
        for path in self.place.disk.glob("t.data*"):
            with contextlib.suppress(FileNotFoundError):
                held += path.stat().st_size
        if held > FILES_LEN + SLICE_LEN:
            self.breaks("disk", f"the files have {held} bytes")
        for kind, nr, name, function in self.looked_for:
            rows = sorted((row for row in self.rows if f'"{name}"' in row),
                          key=lambda row: -int(row.split(",")[3]))
            if not any(f'"{function}"' in row for row in rows):
                self.breaks("named", f"{nr}: no {function} of {name} in {rows[:3]}", kind)
        for path in self.old_programs:
            path.unlink()
        self.looked_for, self.rows, self.old_programs = [], [], []

    def one(self, kind):
        harms_files = kind in ("kill", "enospc", "stall")
        if harms_files and self.looked_for:
            self.look_at_files()
        self.kind, self.nr = kind, self.nr + 1
        self.faults[kind] += 1
        getattr(self, kind)()
        self.look_alive()
        self.look_at_process()
        if harms_files or self.nr % 4 == 0:
            self.look_at_files()
            self.look_alive()

    def end(self):
        self.kind = "end"
        self.look_at_files()
        quarter = len(self.rss) // 4
        if quarter >= 5:
            second, last = (sorted(part)[quarter // 2] for part in
                            (self.rss[quarter:2 * quarter], self.rss[-quarter:]))
            print(f"memory: {second} KiB in the second quarter, {last} in the last, "
                  f"{max(self.rss)} at most")
            if last > 1.25 * second + 4096:  # names of what ran last
                self.breaks("memory", f"it grew from {second} to {last} KiB")
        self.recorder.terminate()
        self.end_of(self.recorder)
        self.collect()

    # faults

    def kill(self):
        """SIGKILL at any moment, once to three times, and a start after each."""
        for _ in range(self.chance.choice((1, 1, 2, 3))):
            time.sleep(self.chance.uniform(0, SLICE_S))
            self.collect()
            self.recorder.kill()
            killed = time.monotonic()
            self.recorder.wait()
            self.start()
            self.explained.append(("", killed - FLUSH_S - SLACK_S, self.begun))

    def enospc(self):
        """Another fills the disk, once or again and again."""
        is_due, keeps_on = True, self.chance.random() < 0.5
        end = time.monotonic() + self.chance.uniform(2, 5)
        with tempfile.TemporaryFile(dir=self.place.disk) as ballast:
            while time.monotonic() < end:
                state = os.statvfs(self.place.disk)
                with contextlib.suppress(OSError):
                    if is_due:
                        os.posix_fallocate(
                            ballast.fileno(), os.fstat(ballast.fileno()).st_size,
                            state.f_bavail * state.f_bsize)
                is_due = keeps_on
                self.collect()
                time.sleep(0.2)

    def stall(self):
        """The disk stalls for seconds; now and then the recorder is asked to end."""
        seconds = self.chance.uniform(1, 7)
        # a process of its own, so that the disk thaws if this one is killed
        frozen = self.popen("sh", "-c", 'fsfreeze -f "$1"; sleep "$2"; fsfreeze -u "$1"',
                            "sh", self.place.disk, seconds, start_new_session=True)
        time.sleep(0.3)
        storm = self.popen(self.place.variants[0], 200, 200)
        if self.chance.random() < 0.25:
            asked = time.monotonic()
            self.recorder.terminate()
            until(lambda: self.manager.since(asked, "STATUS=") or
                  self.recorder.poll() is not None, TOLD_S + SLACK_S)
            if frozen.poll() is None and not self.manager.since(asked, "STATUS="):
                self.breaks("told", f"nothing in {time.monotonic() - asked:.1f} s")
            self.end_of(self.recorder)
            self.start()
            self.explained.append(("", asked, self.begun))
        frozen.wait()
        storm.wait()

    def upgrade(self):
        """A program is replaced by mv while it runs, or two containers have its path."""
        first, second = self.chance.sample(range(VARIANTS), 2)
        path = self.place.apps / f"app{self.nr}"
        self.install(path, first)
        old = self.run(path, first)
        time.sleep(self.chance.uniform(0, 0.3))
        if self.chance.random() < 0.7:
            self.install(path, second)
            new = self.run(path, second)
        else:
            self.look_for(path, second)
            new = self.popen("unshare", "-m", "sh", "-c", 'mount -t tmpfs t "$2" && '
                             'cp "$1" "$3" && "$3" 200', "sh", self.place.variants[second],
                             self.place.apps, path)
        old.wait()
        new.wait()
        self.old_programs.append(path)

    def umount(self):
        """A program ran on a mount that is to go, or its file is removed."""
        nr = self.chance.randrange(VARIANTS)
        if self.chance.random() < 0.5:
            call("mount", "-t", "tmpfs", "trial", self.place.mount)
            self.install(self.place.mount / f"app{self.nr}", nr)
            self.popen(self.place.mount / f"app{self.nr}", 200).wait()
            if self.chance.random() < 0.5:
                self.look_for(self.place.mount / f"app{self.nr}", nr)
                time.sleep(NAMED_S)
            if not until(lambda: not subprocess.run(
                    ["umount", self.place.mount], stderr=subprocess.DEVNULL).returncode,
                    UMOUNT_S + SLACK_S):
                self.breaks("mounts", "busy")
                call("umount", "-l", self.place.mount)
            return
        path, free = self.place.apps / f"app{self.nr}", os.statvfs(self.place.apps).f_bfree
        self.install(path, nr)
        with path.open("ab") as file:
            file.write(bytes(8 << 20))
        child = self.run(path, nr)
        time.sleep(0.1)
        path.unlink()
        child.wait()
        if not until(lambda: os.statvfs(self.place.apps).f_bfree >= free,
                     SPACE_S + SLACK_S):
            self.breaks("mounts", "the space of a removed program is not free")

    def forks(self):
        """Some hundred processes, each of which executes a program."""
        path, nr = self.place.apps / f"app{self.nr}", self.chance.randrange(VARIANTS)
        self.install(path, nr)
        self.look_for(path, nr)
        self.popen(path, 200, self.chance.randrange(300, 1000)).wait()
        self.old_programs.append(path)

    def memory(self):
        """Another recorder, with as little memory as perf can live with."""
        limit, *options = self.chance.choice(
            ((16, "-F", 99), (24, "-F", 1999), (32, "-F", 3999, "--call-graph", "dwarf")))
        self.place.limit.write_text(str(limit << 20))
        with tempfile.TemporaryDirectory(dir=self.place.folder) as folder:
            folder = pathlib.Path(folder)
            folder.chmod(0o777)
            child = self.popen(
                "sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', self.place.group,
                *self.command("-o", "m.data", "--switch-output=1s", *options), cwd=folder,
                stderr=self.said)
            self.popen(self.place.variants[1], 300, 100).wait()
            time.sleep(2)
            child.terminate()
            if self.end_of(child) not in (0, -signal.SIGTERM):
                self.breaks("alive", f"{limit} MiB, {options}: ended with "
                            f"{child.returncode}: {self.last_words()}")
            for path in folder.glob("m.data.*"):
                self.is_finished = path.suffix[1:].isdigit()
                self.ask(self.reader, "check", path)

    def hostile(self):
        """Programs of nobody's, made to take the time and space of others."""
        for path in self.chance.sample(self.place.bombs, 2):
            self.popen("setpriv", "--reuid", NOBODY, "--clear-groups", path, 150).wait()

    def pipe(self):
        """A pipe whose reader sleeps."""
        out, seconds = self.place.folder / "piped", self.chance.uniform(1, 4)
        child = self.popen(*self.command("-F", 999, "-o", "-"), stdout=subprocess.PIPE,
                           stderr=self.said)
        reader = self.popen("sh", "-c", 'sleep "$1"; exec cat > "$2"', "sh", seconds, out,
                            stdin=child.stdout)
        child.stdout.close()
        time.sleep(seconds + 1)
        child.terminate()
        self.end_of(child)
        reader.wait(60)
        self.is_finished = True
        times = sample_times(self.ask(self.reader, "script", out, "-F", "cpu,time", "-G"))
        gap = max((hi - lo for found in times.values()
                   for lo, hi in zip(found, found[1:])), default=seconds)
        if gap > GAP_S:
            self.breaks("lost", f"{gap:.2f} s of a pipe whose reader slept")


def drawn(chance, kinds, nr):
    """The kinds of a run's faults in their order."""
    all_nr = sum(FAULTS[kind] for kind in kinds)
    faults = [kind for kind in kinds
              for _ in range(max(1, round(FAULTS[kind] * nr / all_nr)))]
    chance.shuffle(faults)
    return faults


def show(trial, seconds):
    print(f"\n{sum(trial.faults.values())} faults, {trial.file_nr} files, {seconds:.0f} s\n"
          f"\n{'':10}{'faults':>8}" + "".join(f"{name:>10}" for name in INVARIANTS))
    for kind in [*FAULTS, "start", "end"]:
        cells = [trial.broken[kind, name] for name in INVARIANTS]
        if trial.faults[kind] or any(cells):
            print(f"{kind:10}{trial.faults[kind]:8}" +
                  "".join(f"{nr or '-':>10}" for nr in cells))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=[*FAULTS])
    parser.add_argument("--build", default="dev")
    parser.add_argument("--unit", action="store_true")
    args = parser.parse_args()
    for nr in (signal.SIGINT, signal.SIGTERM):
        signal.signal(nr, lambda nr, _: sys.exit(128 + nr))
    print(f"seed {args.seed}", flush=True)
    begin = time.monotonic()
    with contextlib.ExitStack() as undo:
        trial = Trial(args, undo)
        undo.callback(lambda: show(trial, time.monotonic() - begin))
        for kind in drawn(trial.chance, args.kinds, args.faults):
            trial.one(kind)
        trial.end()
    return 1 if trial.broken else 0


if __name__ == "__main__":
    sys.exit(main())
