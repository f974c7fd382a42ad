"""What threads count is what one counts, and what a plain pass in the order of
time counts: on a file of several pieces with forks, execs, maps over maps and
ids used again, whose records lie buffer by buffer.  Compressed, too: samples that
repeat are then kept in short while the file is inflated for the rest, and counted
out of that."""

import collections
import random
import subprocess
import sys

import pytest

from common import ROOT, program
from peer_text import without_hints

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import zstd_frame  # noqa: E402
from perf_data import Attr, Encoder  # noqa: E402

COMM, FORK, SAMPLE, MMAP2, FINISHED_ROUND = 3, 7, 9, 10, 68
COMPRESSED = 81
USER = 2
# IP TID TIME CALLCHAIN PERIOD IDENTIFIER
SAMPLE_TYPE = 1 | 2 | 4 | 1 << 5 | 1 << 8 | 1 << 16
SAMPLE_ID_ALL, EVENT_ID = 1 << 18, 77
CPUS, ROUNDS, SAMPLES_NR = 4, 40, 100000
SLOTS, SLOT_LEN = 8, 0x10000  # where things get mapped
FIRST_SLOT = 0x400000


class Machine:
    """Makes records in the order of time, with what happens at random."""

    def __init__(self, seed, samples_nr=SAMPLES_NR, again=0.5, kinds=None):
        """again: how often a sample is like the last one; kinds: how many
        different ones a task has (None: any number)."""
        self.random = random.Random(seed)
        self.samples_nr, self.share, self.kinds = samples_nr, again, kinds
        self.now = 1000
        self.tasks = {}  # tid -> pid
        self.items = []  # (time, kind, fields)
        self.last = None

    def add(self, kind, *fields, time=None):
        self.items.append((self.now if time is None else time, kind, fields))

    def map(self, pid, time=None):
        slot = self.random.randrange(SLOTS)
        nr = self.random.randrange(1, 3)
        self.add(MMAP2, pid, FIRST_SLOT + slot * SLOT_LEN, nr * SLOT_LEN,
                 f"/no/lib{self.random.randrange(12)}.so", time=time)

    def start(self):
        for pid in range(100, 130):
            self.tasks[pid] = pid
            self.add(COMM, pid, pid, f"first{pid}", time=0)
            for _ in range(3):
                self.map(pid, time=0)

    def fork(self):
        parent = self.random.choice(list(self.tasks))
        ppid = self.tasks[parent]
        tid = self.random.randrange(100, 400)  # often one of the known
        if tid == parent or \
                any(p == tid != t for t, p in self.tasks.items()):
            return  # the leader of others stays
        is_thread = self.random.random() < 0.5
        pid = ppid if is_thread else tid
        self.tasks[tid] = pid
        self.add(FORK, pid, ppid, tid, parent)

    def sideband(self):
        self.now += 1
        what = self.random.random()
        if what < 0.4:
            self.fork()
        elif what < 0.7:
            self.map(self.random.choice(list(self.tasks.values())))
        else:
            tid = self.random.choice(list(self.tasks))
            self.add(COMM, self.tasks[tid], tid,
                     f"name{self.random.randrange(20)}")
        self.now += 1

    def sample(self):
        tid = self.random.choice(list(self.tasks))
        span = (SLOTS + 1) * SLOT_LEN
        pick = self.random
        if self.kinds:
            pick = random.Random(tid * self.kinds
                                 + self.random.randrange(self.kinds))
        chain = [FIRST_SLOT + pick.randrange(0, span, 0x4000)
                 for _ in range(pick.randrange(1, 9))]
        self.last = (self.tasks[tid], tid, chain, pick.randrange(1, 1000))
        self.take()

    def take(self):
        self.add(SAMPLE, *self.last)
        self.now += self.random.randrange(2)  # equal times, too

    def again(self):
        """What differs from the last sample by its time alone."""
        pid, tid, *_ = self.last
        if self.tasks[tid] == pid:
            self.take()

    def run(self):
        self.start()
        for i in range(self.samples_nr):
            if self.random.random() < 0.02:
                self.sideband()
            if i and self.random.random() < self.share:
                self.again()
            else:
                self.sample()
        return self.items


def buffer_by_buffer(items, seed):
    """As perf writes: round by round, in each one CPU after the other."""
    pick = random.Random(seed)
    out, per_round = [], len(items) // ROUNDS + 1
    for start in range(0, len(items), per_round):
        buffers = [[] for _ in range(CPUS)]
        for item in items[start:start + per_round]:
            pick.choice(buffers).append(item)
        out += [item for buffer in buffers for item in buffer]
        out.append((0, FINISHED_ROUND, ()))
    return out


def endless(e, records):
    """As perf record -z: one frame that never ends."""
    data, head, out = b"".join(records), zstd_frame.head(), b""
    for at in range(0, len(data), 50000):
        out += e.record(COMPRESSED, 0,
                        head + zstd_frame.raw(data[at:at + 50000]), False)
        head = b""
    return out


def frames(e, records):
    """Each COMPRESSED record a frame of its own."""
    out = b""
    for at in range(0, len(records), 200):
        data = b"".join(records[at:at + 200])
        out += e.record(COMPRESSED, 0,
                        zstd_frame.head() + zstd_frame.raw(data, True), False)
    return out


def encode(items, pack=lambda e, records: b"".join(records)):
    e = Encoder(False)
    attr = Attr(type=1, size=128, sample_period=1, sample_type=SAMPLE_TYPE,
                flags=SAMPLE_ID_ALL)
    out = []

    def put(time, kind, pid, tid, body):
        body += bytes(-len(body) % 8)
        ident = {"pid": pid, "tid": tid, "time": time, "id": EVENT_ID}
        ident.update(stream_id=0, cpu=0)
        out.append(e.record(kind, USER, body + e.trailer(attr, ident)))

    for time, kind, fields in items:
        if kind == COMM:
            pid, tid, name = fields
            put(time, kind, pid, tid,
                e.pack("II", pid, tid) + name.encode() + b"\0")
        elif kind == FORK:
            pid, ppid, tid, ptid = fields
            put(time, kind, ppid, ptid,
                e.pack("IIIIQ", pid, ppid, tid, ptid, time))
        elif kind == MMAP2:
            pid, addr, length, name = fields
            put(time, kind, pid, pid,
                e.pack("IIQQQIIQQII", pid, pid, addr, length, 0, 0, 0, 0, 0,
                       5, 2) + name.encode() + b"\0")
        elif kind == SAMPLE:
            pid, tid, chain, period = fields
            out.append(e.record(kind, USER, e.words(EVENT_ID, chain[0])
                                + e.pack("II", pid, tid)
                                + e.words(time, period, len(chain) + 1,
                                          2**64 - 512, *chain)))
        else:
            out.append(e.record(kind, 0, b""))
    return e.plain_file([(attr, [EVENT_ID])], pack(e, out))


class Space:
    def __init__(self, maps=()):
        self.maps = list(maps)  # (start, end, name), the latest last

    def name_at(self, addr):
        for start, end, name in reversed(self.maps):
            if start <= addr < end:
                return name
        return "[unknown]"


def one_pass(items):
    """(comm, dso) -> [samples, period], by one pass in the order of time."""
    comms, spaces = {}, {}
    rows = collections.defaultdict(lambda: [0, 0])
    for _, kind, fields in sorted(items, key=lambda item: item[0]):
        if kind == COMM:
            pid, tid, comms[tid] = fields
            spaces.setdefault(tid, Space())
        elif kind == MMAP2:
            pid, addr, length, name = fields
            spaces.setdefault(pid, Space()).maps.append(
                (addr, addr + length, name.rpartition("/")[2]))
        elif kind == FORK:
            pid, ppid, tid, ptid = fields
            comms[tid] = comms[ptid]
            spaces[tid] = spaces[pid] if pid == ppid else \
                Space(spaces[ptid].maps)
        elif kind == SAMPLE:
            _, tid, chain, period = fields
            row = rows[comms[tid], spaces[tid].name_at(chain[0])]
            row[0] += 1
            row[1] += period
    return dict(rows)


@pytest.fixture(scope="module",
                params=[1, pytest.param(2, marks=pytest.mark.slow)])
def recorded(request, tmp_path_factory):
    items = buffer_by_buffer(Machine(request.param).run(), request.param)
    path = tmp_path_factory.mktemp("jobs") / "random.data"
    path.write_bytes(encode(items))
    assert path.stat().st_size > 2 * (4 << 20)  # three pieces
    return path, items


def perfpair(*words):
    done = subprocess.run([program("report", "perfpair"), *map(str, words)],
                          capture_output=True, text=True)
    assert (done.returncode, without_hints(done.stderr)) == (0, "")
    return done.stdout


def report(path, *words):
    return perfpair("report", "--stdio", "-i", path, *words)


@pytest.mark.parametrize("view", [[], ["--no-children", "-g", "none"],
                                  ["-s", "pid,dso,sym", "-n"]],
                         ids=lambda v: "_".join(v) or "default")
def test_any_number_of_threads_prints_the_same(recorded, view):
    path, _ = recorded
    alone = report(path, *view, "--jobs", "1")
    assert alone.count("\n") > 1000
    for jobs in ([], ["--jobs", "2"], ["--jobs", "5"]):
        assert report(path, *view, *jobs) == alone


def counted(path):
    """(comm, dso) -> [samples, period], as reported."""
    text = report(path, "-q", "--no-children", "-g", "none", "-F",
                  "sample,period,comm,dso", "--jobs", "3")
    rows = {}
    for line in text.splitlines():
        if line.strip():
            samples, period, comm, dso = line.split()
            rows[comm, dso] = [int(samples), int(period)]
    return rows


def test_threads_count_what_one_pass_in_time_counts(recorded):
    path, items = recorded
    assert counted(path) == one_pass(items)


@pytest.fixture(scope="module")
def repeating(tmp_path_factory):
    machine = Machine(3, 40000, again=0.98, kinds=2)
    items = buffer_by_buffer(machine.run(), 3)
    path = tmp_path_factory.mktemp("repeating") / "plain.data"
    path.write_bytes(encode(items))
    return path, items


@pytest.mark.parametrize("words", [[], ["-F", "comm,tid,time,ip,sym,dso"],
                                   ["--ns", "-F", "+period"],
                                   ["--time", ",0.00001"]])
def test_lines_that_repeat_are_those_of_decoded_samples(repeating, tmp_path,
                                                       words):
    """One thread alone decodes each sample."""
    plain, items = repeating
    packed = tmp_path / "packed.data"
    packed.write_bytes(encode(items, frames))
    wanted = perfpair("script", "-i", plain, *words, "--jobs", "1")
    assert wanted.count("\n") > 1000
    for path in (plain, packed):
        for jobs in ("2", "5"):
            got = perfpair("script", "-i", path, *words, "--jobs", jobs)
            assert len(got) == len(wanted)
            for line, other in zip(got.splitlines(), wanted.splitlines()):
                assert line == other


@pytest.mark.parametrize("pack", [endless, frames])
def test_compressed_samples_count_as_plain_ones(repeating, tmp_path, pack):
    plain, items = repeating
    packed = tmp_path / "packed.data"
    packed.write_bytes(encode(items, pack))
    assert counted(packed) == one_pass(items)
    for view in ([], ["-s", "pid,dso,sym", "-n"], ["-s", "time,comm"]):
        wanted = report(plain, *view, "--jobs", "1")
        assert wanted.count("\n") > 100
        for jobs in ("1", "3"):
            assert report(packed, *view, "--jobs", jobs) == wanted
    for words in ([], ["--time", "10%-60%"]):
        texts = [perfpair("diff", *words, path, path).replace(str(path), "")
                 for path in (plain, packed)]
        assert texts[0].count("\n") > 8
        assert texts[1] == texts[0]


@pytest.mark.parametrize("view", [[], ["-s", "pid,dso"], ["--children"],
                                  ["-g"], ["--time", "10%-60%"],
                                  ["--no-interval"]],
                         ids=lambda v: "_".join(v) or "default")
def test_any_number_of_threads_finds_the_same_differences(recorded, view):
    path, _ = recorded
    files = [path, path, path]
    alone = perfpair("diff", *view, *files, "--jobs", "1")
    assert alone.count("\n") > 8
    for jobs in ([], ["--jobs", "5"]):
        assert perfpair("diff", *view, *files, *jobs) == alone


@pytest.mark.parametrize("jobs", ["1", "2", "7"])
def test_of_several_bad_files_the_first_is_named(recorded, tmp_path, jobs):
    path, _ = recorded
    bad = tmp_path / "bad"
    bad.write_bytes(b"none of it")
    done = subprocess.run([program("report", "perfpair"), "diff", "--jobs",
                           jobs, path, path, bad, tmp_path / "absent"],
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"perfpair: {bad}: ")
