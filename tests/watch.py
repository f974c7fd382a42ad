"""watch.py: what a person wants to know while tests/run.sh runs.

    watch.py --machine RESULTS      what on this machine disturbs the tests
    watch.py RESULTS SECONDS        a line of progress each so many seconds, until
                                    it is ended; looks at the machine, too

What disturbs is printed, and kept in RESULTS/notes.txt, which count.py shows at
the end.  A recorder is foreign if neither it nor what started it has
PERFPAIR_TESTS of this run in its environment: perf 6.1 dies beside a recorder
that asks for build-ids (format/FORMAT.md, MMAP2).
"""

import contextlib
import os
import pathlib
import re
import sys
import time

PROC = pathlib.Path("/proc")
# How long a run takes on two quiet cores, if none has ended here before.
SECONDS = {"--change": 60, "--fast": 160, "--whole": 900, "--slow": 3600}
SMALL_S = 600  # a whole one, if there is something that nothing changed for


def say(line):
    """In one write, whatever PYTHONUNBUFFERED is: run.sh prints beside it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def records(process):
    """Whether it has perf events open."""
    with contextlib.suppress(OSError):
        for link in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(link) == "anon_inode:[perf_event]":
                    return True
    return False


def is_ours(process, run):
    """Whether it, or a process above it, belongs to this run."""
    word = f"PERFPAIR_TESTS={run}\0".encode()
    while process.name not in ("0", "1"):
        try:
            if word in (process / "environ").read_bytes() + b"\0":
                return True
            stat = (process / "stat").read_text()
        except OSError:
            return True  # it has ended, or is none of ours to judge
        process = PROC / stat.rpartition(")")[2].split()[1]
    return False


def foreign_recorders():
    """What runs here besides: "PID COMMAND"."""
    run = os.environ.get("PERFPAIR_TESTS", "")
    for process in PROC.iterdir():
        if process.name.isdigit() and records(process) and \
                not is_ours(process, run):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                yield f"{process.name} " + b" ".join(words).decode(
                    "ascii", "backslashreplace").strip()[:200]


def is_chroot(mountinfo=PROC / "self/mountinfo"):
    """Whether / is no mount point: unshare(1) cannot make mounts private then."""
    lines = mountinfo.read_text().splitlines()
    return not any(line.split()[4] == "/" for line in lines)


def disturbances():
    for recorder in foreign_recorders():
        yield ("another recorder runs on this machine; beside one that asks for "
               f"build-ids perf dies, and with it tests: {recorder}")
    if is_chroot():
        yield ("this is a chroot, where unshare(1) fails: tests of containers "
               "are skipped")


def note(results):
    """Prints and keeps what was not yet seen."""
    path = results / "notes.txt"
    seen = path.read_text().splitlines() if path.exists() else []
    for text in disturbances():
        if text not in seen:
            say(f"note    {text}")
            with path.open("a") as file:
                file.write(text + "\n")


def in_words(seconds):
    return f"{round(seconds / 60)} min" if seconds >= 90 else \
        f"{round(seconds)} s"


def percent(log):
    """How much of its tests a pytest has done, by its log."""
    with contextlib.suppress(OSError):
        found = re.findall(r"\[ *(\d+)%\]$", log.read_text(errors="replace"),
                           re.M)
        return int(found[-1]) if found else 0
    return 0


def progress(results, begin, expected):
    """One line: what is at work, how far it is, how long it may take."""
    left = expected - (time.time() - begin)
    words = []
    for started in sorted(results.glob("*.started")):
        name = started.stem
        if (results / f"{name}.ended").exists():
            continue
        done = percent(results / f"{name}.log")
        if done == 100:
            continue  # run.sh has yet to see that it has ended
        words.append(f"{name} {done}%" if done else name)
        if done >= 50:  # until then others may have had the CPU
            taken = time.time() - started.stat().st_mtime
            left = max(left, taken * (100 - done) / done)
    return (f"...     after {in_words(time.time() - begin)}: "
            f"{', '.join(words) or 'nothing'} at work, "
            + (f"some {in_words(left)} left" if left > 0 else
               "longer than expected"))


def expected_seconds(results):
    """By the last run that ended here, or by the table."""
    lane = os.environ.get("PERFPAIR_LANE", "--whole")
    with contextlib.suppress(OSError, ValueError):
        return int((results.parent / f"seconds{lane}").read_text())
    return SMALL_S if os.environ.get("PERFPAIR_IDLE") else SECONDS[lane]


def main():
    if sys.argv[1] == "--machine":
        results = pathlib.Path(sys.argv[2])
        print("run     this takes some "
              + in_words(expected_seconds(results)), flush=True)
        note(results)
        return
    results = pathlib.Path(sys.argv[1])
    begin, expected = time.time(), expected_seconds(results)
    while True:
        time.sleep(float(sys.argv[2]))
        note(results)
        say(progress(results, begin, expected))


if __name__ == "__main__":
    main()
