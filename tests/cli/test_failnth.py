"""The Nth malloc, open, read ... fails (tests/tools/failnth.c): no crash, no hang,
and either the same answer as without it or an error that names the true
reason.  Never another answer with exit code 0."""

import errno
import os
import random
import signal
import struct
import subprocess
import sys

import pytest

from common import ROOT, build_dir, program
from stack_chains import STACKS, stack_copies

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import make  # noqa: E402

SAME, TOLD = "the same", "told"
KINDS = {"malloc": errno.ENOMEM, "open": errno.EMFILE, "read": errno.EIO,
         "write": errno.ENOSPC, "mmap": errno.ENOMEM, "thread": errno.EAGAIN,
         "ftruncate": errno.EIO, "rename": errno.EACCES}
OUT = "@OUT"
SECONDS = 60


@pytest.fixture(scope="module")
def library():
    path = build_dir() / "tests" / "libfailnth.so"
    if "-fsanitize" in (build_dir() / "CMakeCache.txt").read_text():
        pytest.skip("sanitizers have a malloc of their own")
    assert path.exists()  # else the loader goes on without it
    return str(path)


class Trial:
    """One command, to be run with and without a failure."""

    def __init__(self, library, folder, words):
        self.library, self.folder, self.words = library, folder, words
        self.threads = ""

    def run(self, kind, at, is_on=False):
        """(exit code, stdout, stderr, the file that was written or None, what
        else was left behind, how many calls of the kind there were)"""
        out = self.folder / "out"
        count = self.folder / "count"
        out.unlink(missing_ok=True)
        env = dict(os.environ, HOME=str(self.folder), TZ="UTC", LC_ALL="C",
                   LD_PRELOAD=self.library, FAILNTH_CALLS=kind,
                   FAILNTH_AT=str(at), FAILNTH_COUNT=str(count),
                   FAILNTH_ERRNO=str(KINDS[kind]), FAILNTH_THREADS=self.threads)
        if is_on:
            env["FAILNTH_ON"] = "1"
        before = set(self.folder.iterdir())
        done = subprocess.run(
            [str(out) if word == OUT else word for word in self.words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=env, timeout=SECONDS)
        data = out.read_bytes() if out.exists() else None
        left = {path.name for path in set(self.folder.iterdir()) - before}
        calls = int(count.read_text()) if count.exists() else 0
        return (done.returncode, done.stdout, done.stderr.decode(), data,
                left - {"out", "count"}, calls)

    def judge(self, kind, at, expected, is_on=False):
        """None, or what is wrong."""
        try:
            code, text, told, data, left, _ = self.run(kind, at, is_on)
        except subprocess.TimeoutExpired:
            return "hangs"
        reasons = [os.strerror(KINDS[kind])]
        if KINDS[kind] == errno.ENOMEM:
            reasons.append("out of memory")
        if code < 0:
            return f"died of {signal.Signals(-code).name}: {told}"
        if left:
            return f"left {left}"
        if code == expected[0]:
            same = (text, data) == (expected[1], expected[3])
            return None if same else f"another answer, exit {code}: {told}"
        if not any(reason in told for reason in reasons):
            return f"exit {code} for no reason: {told!r}"
        return None

    def problems(self, kind, numbers_of, is_on=False):
        """{N: what is wrong}; numbers_of(how many calls there are) are tried."""
        expected = self.run(kind, 0)
        assert expected[0] in (0, 3), expected[2]
        found = {at: self.judge(kind, at, expected, is_on)
                 for at in numbers_of(expected[5])}
        return {at: problem for at, problem in found.items() if problem}


def some(nr):
    """A thin selection, the same each time."""
    return sorted(random.Random(14).sample(range(1, nr + 1), min(nr, 4)))


def many(nr):
    """All to 400, and a hundred of the rest."""
    rest = range(401, nr + 1)
    return [*range(1, min(nr, 400) + 1),
            *sorted(random.Random(14).sample(rest, min(len(rest), 100)))]


READER = {
    "report": ["report", "--stdio", "--children", "-g", "--symfs",
               STACKS / "aarch64", "-i", "stacks"],
    "script": ["script", "--symfs", STACKS / "aarch64", "-i", "stacks"],
    "diff": ["diff", "--symfs", STACKS / "aarch64", "stacks", "twice"],
    "check": ["check", "-i", "samples"],
    "repair": ["repair", "-f", "-o", OUT, "-q", "-i", "samples"],
    "unwind": ["unwind", "-f", "-o", OUT, "-q", "--symfs",
               STACKS / "aarch64", "-i", "stacks"],
    "carry": ["carry", "-f", "-o", OUT, "-q", "--lines", "--code", "--source",
              "--symfs", STACKS / "aarch64", "-i", "stacks"],
    "convert": ["data", "convert", "--force", "--to-json", OUT, "-i",
                "samples"],
    "evlist": ["evlist", "-v", "-i", "samples"],
    "buildid-list": ["buildid-list", "-i", "samples"],
}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    data = next(data for name, data, _, _ in make.fixtures()
                if name == "samples-le.data")
    (folder / "samples").write_bytes(data)
    (folder / "twice").write_bytes(stack_copies("aarch64", 2))
    (folder / "stacks").write_bytes(stack_copies("aarch64"))
    return folder


@pytest.fixture
def reader(library, recordings, tmp_path):
    """reader(NAME): the trial of that command."""
    def trial(name):
        names = {path.name: str(path) for path in recordings.iterdir()}
        return Trial(library, tmp_path,
                     [program("report", "perfpair"),
                      *(names.get(word, str(word)) for word in READER[name])])
    return trial


@pytest.mark.parametrize("kind", ["malloc", "open", "read", "mmap", "thread",
                                  "write", "rename"])
@pytest.mark.parametrize("name", READER)
def test_reader__says_why_or_answers_the_same(name, kind, reader):
    assert not reader(name).problems(kind, some)


@pytest.mark.slow
@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READER)
def test_reader__says_why_or_answers_the_same_each_time(name, kind, is_on,
                                                        reader):
    assert not reader(name).problems(kind, many, is_on)


def id_lens(data):
    """How long the list of ids of each event is: one for each CPU."""
    attr_len, start, length = struct.unpack_from("<3Q", data, 16)
    return [struct.unpack_from("<Q", data, at + attr_len - 8)[0]
            for at in range(start, start + length, attr_len)]


LIVE = {
    "inlined": ["report", "--stdio", "-g", "-i", "inlined"],
    "lines": ["report", "--stdio", "-s", "sym,srcline", "-i", "inlined"],
    "tracepoints": ["script", "-i", "traced"],
}


@pytest.fixture(scope="module")
def live(tmp_path_factory, perfpair_record, may_trace, workload):
    """Of a program with debug information, and of tracepoints."""
    folder = tmp_path_factory.mktemp("live")
    for name, words in {
            "inlined": ["-e", "cpu-clock", "-F", "2000", "--call-graph",
                        "dwarf,4096", "--",
                        workload("thrown", "-O2", "-g"), "100"],
            "traced": ["-e", "sched:sched_switch", "--", "sleep", "0.01"],
    }.items():
        subprocess.run([perfpair_record, "-q", "-o", folder / name, *words],
                       check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture
def live_reader(library, live, tmp_path):
    """live_reader(NAME): the trial of that command."""
    return lambda name: Trial(
        library, tmp_path,
        [program("report", "perfpair"), *LIVE[name][:-1],
         str(live / LIVE[name][-1])])


@pytest.mark.parametrize("kind", ["malloc", "open", "read", "mmap"])
@pytest.mark.parametrize("name", LIVE)
def test_reader__says_why_or_has_all_names(name, kind, live_reader):
    assert not live_reader(name).problems(kind, some)


@pytest.mark.slow
@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("kind", ["malloc", "open", "mmap", "thread"])
@pytest.mark.parametrize("name", LIVE)
def test_reader__says_why_or_has_all_names_each_time(name, kind, is_on,
                                                     live_reader):
    assert not live_reader(name).problems(kind, many, is_on)


class Recording(Trial):
    """A trial of the recorder: what it leaves is judged by the reader."""

    def is_readable(self, command, codes):
        done = subprocess.run(
            [program("report", "perfpair"), *command, "-i", self.folder / "out"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=SECONDS)
        return done.returncode in codes

    def judge(self, kind, at, expected, is_on=False):
        try:
            code, _, told, data, left, _ = self.run(kind, at, is_on)
        except subprocess.TimeoutExpired:
            return "hangs"
        if code < 0:
            return f"died of {signal.Signals(-code).name}: {told}"
        if left:
            return f"left {left}"
        if code == 0:
            if data is None or not self.is_readable(["check"], [0]):
                return f"exit 0, but not whole: {told}"
            return None if id_lens(data) == id_lens(expected[3]) else \
                "exit 0, but not all CPUs or events"
        reasons = [os.strerror(KINDS[kind])]
        if KINDS[kind] == errno.ENOMEM:
            # pthread_create(3) without memory is EAGAIN: of which thread?
            reasons += ["out of memory",
                        f"build-ids: {os.strerror(errno.EAGAIN)}",
                        f"thread: {os.strerror(errno.EAGAIN)}"]
        if not any(reason in told for reason in reasons):
            return f"exit {code} for no reason: {told!r}"
        if data is not None and not self.is_readable(["report"], [0, 3]):
            return f"left a file that cannot be read: {told}"
        return None


RECORDER = {
    "command": ["-e", "cpu-clock", "-F", "2000", "-g", "-o", OUT, "--", "sleep",
                "0.01"],
    "host": ["-a", "-e", "cpu-clock", "-e", "sched:sched_switch", "-o", OUT,
             "--", "sleep", "0.01"],
}


@pytest.fixture
def recorder(library, may_trace, perfpair_record, tmp_path):
    """recorder(NAME): the trial of that recording."""
    return lambda name: Recording(library, tmp_path,
                                  [perfpair_record, *RECORDER[name]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RECORDER)
def test_recorder__says_why_or_records(name, kind, recorder):
    assert not recorder(name).problems(kind, some)


def test_recorder__that_cannot_open_files_records_all_cpus(recorder):
    """/sys/devices/system/cpu/online is among the first."""
    assert not recorder("host").problems("open", lambda nr: range(1, 13))


@pytest.mark.slow
@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RECORDER)
def test_recorder__says_why_or_records_each_time(name, kind, is_on, recorder):
    assert not recorder(name).problems(kind, many, is_on)


class Names(Recording):
    """What fails in the threads that find names costs names, never the recording."""

    def __init__(self, *more):
        super().__init__(*more)
        self.threads = ",names,follower,keeper,"

    def run(self, kind, at, is_on=False):
        done = super().run(kind, at, is_on)
        assert at or done[5] > 5, "no calls of these threads"
        return done

    def judge(self, kind, at, expected, is_on=False):
        code, _, told, data, left, _ = self.run(kind, at, is_on)
        # a read of the recording itself failed, which is told loudly
        is_told = code == 255 and "of the recorder or of the disk" in told
        if (code and not is_told) or left or data is None:
            return f"exit {code}, left {left}: {told}"
        if not self.is_readable(["check"], [0]) or \
                not self.is_readable(["report"], [0]):
            return f"exit 0, but not whole: {told}"
        return None


@pytest.fixture
def names(library, may_record, perfpair_record, tmp_path):
    return Names(library, tmp_path, [perfpair_record, *RECORDER["command"]])


@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("kind", ["malloc", "open", "read"])
def test_names__that_fail_cost_no_recording(kind, is_on, names):
    assert not names.problems(kind, lambda nr: sorted(
        random.Random(14).sample(range(1, nr + 1), min(nr, 12))), is_on)


@pytest.mark.slow
@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("kind", ["malloc", "open", "read"])
def test_names__that_fail_cost_no_recording_each_time(kind, is_on, names):
    assert not names.problems(kind, lambda nr: list(range(1, nr + 1))[-400:], is_on)


@pytest.mark.parametrize("command", [
    "report --stdio", "report --format json", "report --format folded",
    "report --stats", "report --tasks", "report -D", "script", "evlist -v",
    "check", "buildid-list"])
def test_full_disk__is_the_fault_of_stdout(command, recordings, perfpair, run):
    with open("/dev/full", "w") as full:
        done = run([perfpair, *command.split(), "-i", recordings / "stacks"],
                   stdout=full)
    assert done.returncode == 1
    assert "perfpair: stdout: No space left on device\n" in done.stderr
    assert not any(str(recordings) in line for line in done.stderr.splitlines()
                   if "No space" in line)


@pytest.mark.parametrize("words", [["repair", "-q", "-f", "-o", "out"],
                                   ["data", "convert", "--to-json", "out"]])
def test_file_size_limit__is_told_and_kills_nothing(words, recordings, perfpair,
                                                    run, tmp_path):
    done = run(["prlimit", "--fsize=100", perfpair, *words, "-i",
                recordings / "samples"])
    assert done.returncode == 1
    assert done.stderr == "perfpair: out: File too large\n"
    if words[0] == "repair":
        assert not list(tmp_path.glob("out*"))
