#!/usr/bin/env python3
"""A day of an always-on recorder, on compressed time: 1,440 slices as fast as
SIGUSR2 can end them, in a folder with bounds, beside a command for each that
now and then hangs; with --kills N the recorder is killed N times in between
and started again.

    tests/bench/day.py [--slices N] [--kills N] [--build PRESET]

Prints the recorder's memory over the day, what the folder held at most, and
what perfpair check says of the slices that were left.  Needs root."""

import argparse
import pathlib
import random
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 2 << 20
COMMAND = ('case "$1" in *7) sleep 60;; esac; '
           'cp "$1" spool/ && rm spool/"${1##*/}"')


class Day:
    def __init__(self, folder, build):
        self.folder, self.build = folder, ROOT / "build" / build
        self.rss, self.held, self.whole, self.left = [], [], 0, 0
        self.is_killed = False
        (folder / "spool").mkdir()
        self.start()

    def start(self):
        self.recorder = subprocess.Popen(
            [self.build / "record/perfpair-record", "-q", "-a", "-g", "-e",
             "cpu-clock", "-F", "49", "--switch-output", "-o", "t.data",
             "--max-files-size", str(LIMIT), "--max-files-age", "168h",
             "--on-slice", COMMAND, "--on-slice-time", "1s"],
            cwd=self.folder, stderr=subprocess.DEVNULL)
        time.sleep(1)

    def slices(self):
        return sorted(self.folder.glob("t.data.2*"))

    def look(self):
        for line in pathlib.Path(
                f"/proc/{self.recorder.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                self.rss.append(int(line.split()[1]))
        held = 0
        for path in self.slices():
            try:
                held += path.stat().st_size
            except FileNotFoundError:
                pass
        self.held.append(held)

    def slice(self):
        """End a slice, and wait for it; False if there was none in 5 s."""
        newest = self.slices()[-1:]
        self.recorder.send_signal(signal.SIGUSR2)
        for _ in range(500):
            if self.slices()[-1:] != newest:
                return True
            time.sleep(0.01)
        return False

    def kill(self):
        time.sleep(random.uniform(0, 0.3))
        self.recorder.kill()
        self.recorder.wait()
        self.is_killed = True
        self.check()
        (self.folder / "t.data").unlink(missing_ok=True)
        self.start()

    def check(self):
        """Every finished slice is whole; what was being written is readable."""
        for path in self.slices():
            done = subprocess.run([self.build / "report/perfpair", "check", "-q",
                                   path], capture_output=True)
            self.whole += done.returncode == 0
            self.left += 1
        last = self.folder / "t.data"
        if self.is_killed and last.exists() and last.stat().st_size:
            subprocess.run([self.build / "report/perfpair", "repair", "-q",
                            "-f", "-i", last, "-o", self.folder / "mended"],
                           check=True, capture_output=True)
        self.is_killed = False

    def end(self):
        self.recorder.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.recorder.send_signal(signal.SIGINT)  # do not wait for commands
        self.recorder.wait()
        self.check()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slices", type=int, default=1440)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--build", default="release")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        day, made = Day(pathlib.Path(folder), args.build), 0
        kills = set(random.sample(range(2, args.slices), args.kills))
        begin = time.monotonic()
        for nr in range(args.slices):
            made += day.slice()
            day.look()
            if nr in kills:
                day.kill()
        day.end()
    tenth = max(1, len(day.rss) // 10)
    print(f"{made} slices in {time.monotonic() - begin:.0f} s, "
          f"{args.kills} kills")
    print(f"memory, first tenth to last: {max(day.rss[:tenth])} kB, "
          f"{max(day.rss[-tenth:])} kB; at most {max(day.rss)} kB")
    print(f"the folder held at most {max(day.held)} bytes, of {LIMIT}")
    print(f"slices that were left and are whole: {day.whole} of {day.left}")
    return not (made == args.slices and day.whole == day.left
                and max(day.held) <= LIMIT + (1 << 20))


if __name__ == "__main__":
    raise SystemExit(main())
