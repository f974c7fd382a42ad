"""Callers of leaves with -g on x86_64: words of the stack behind the samples
(format/FORMAT.md, "Words of the leaf's stack")."""

import collections
import os
import platform
import struct
import subprocess
import time

import pytest

from common import program

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="the kernel's -g is whole elsewhere")

# rarely() and often() call leaf(), which has no frame; alone() calls nothing
SOURCE = """
#include <string.h>
#include <time.h>
#define F __attribute__((noipa))
static volatile unsigned long sink;
static char text[1 << 14];
F void leaf(long n) { while (n--) sink = sink * 3 + n; }
F void rarely(void) { leaf(100000); sink++; }
F void often(void) { leaf(200000); sink++; }
F void library(void) { for (int i = 0; i < 400; i++) sink += strlen(text); sink++; }
int main(int argc, char **argv)
{
	struct timespec t;
	memset(text, 'x', sizeof(text) - 1);
	do {
		rarely();
		often();
		library();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 10 + t.tv_nsec / 100000000 < (argc > 1 ? 100 : 4));
	return 0;
}
"""
MARK = 0x4C
TRUE_CALLERS = {"leaf": {"rarely", "often"}, "strlen": {"library"}}


@pytest.fixture(scope="session")
def leaves(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaves")
    source = folder / "leaves.c"
    source.write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer", "-fno-builtin", "-o",
                    folder / "leaves", source], check=True)
    return folder / "leaves"


def stay():
    """On one CPU, whose ring has the maps in front of the samples."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@pytest.fixture
def record(run, leaves, tmp_path):
    def taken(*words, said=""):
        path = tmp_path / "leaf.data"
        done = run([program("record", "perfpair-record"), "-e", "cpu-clock:u", "-F", "2000",
             "-o", path, *words, "--", leaves], check=True, preexec_fn=stay)
        assert said in done.stderr
        return path
    return taken


@pytest.fixture
def chains(run):
    """chains(PATH, OPTION...): the names of each sample in the program."""
    def read(path, *words):
        done = run([program("report", "perfpair"), "script", "--no-inline",
                    "-F", "ip,sym", "-i", path, *words])
        assert done.returncode in (0, 3), done.stderr  # 3: it was killed
        parts = [[line.split(None, 1)[1].split("+")[0]
                  for line in part.splitlines() if line]
                 for part in done.stdout.split("\n\n")]
        return [part for part in parts if part]
    return read


def callers(chains):
    """{function: {its caller: samples}}"""
    found = collections.defaultdict(collections.Counter)
    for chain in chains:
        for name in TRUE_CALLERS:
            if chain[0].lstrip("_").startswith(name) and len(chain) > 1:
                found[name][chain[1]] += 1
    return found


def assert_true(found):
    leaf, rest = found["leaf"], found["strlen"]
    assert leaf.total() > 200 and rest.total() > 50
    assert sum(leaf[name] for name in TRUE_CALLERS["leaf"]) >= 0.99 * leaf.total()
    assert leaf["often"] / leaf.total() == pytest.approx(2 / 3, abs=0.12)
    assert rest["library"] >= 0.99 * rest.total()


@pytest.mark.parametrize("option", [[], ["--leaf-callers", "-z0"]])
def test_leaf_words__callers_are_true(option, record, chains, tmp_path):
    """Also where no file is, by what the recording carries."""
    path = record("-g", *option)
    found = chains(path)
    assert_true(callers(found))
    assert chains(path, "--symfs", tmp_path) == found


def test_leaf_words__views_agree(record, chains, run):
    path = record("-g", "--leaf-callers")
    expected = callers(chains(path))["leaf"]
    done = run([program("report", "perfpair"), "report", "-i", path, "--format",
                "folded"], check=True)
    found = collections.Counter()
    for line in done.stdout.splitlines():
        names, number = line.rsplit(None, 1)
        if names.endswith(";leaf"):
            found[names.split(";")[-2]] += int(number)
    assert found == expected


def test_leaf_words__perf_reads_a_plain_chain(record, chains, run, perf):
    """Its words are behind the fields, and perf says nothing of them."""
    path = record("-g", "--leaf-callers")
    done = run([perf, "script", "-F", "ip,sym", "-i", path], check=True)
    assert not done.stderr
    plain = [len(part.split()) // 2 for part in done.stdout.split("\n\n")
             if part.strip()]
    ours = [len(chain) for chain in chains(path)]
    assert len(plain) == len(ours)
    assert sum(ours) > sum(plain) + 200
    done = run([perf, "evlist", "-v", "-i", path], check=True)
    assert "CALLCHAIN" in done.stdout and "STACK_USER" not in done.stdout


def plain_samples(data):
    """The offsets and lengths of the samples of a recording without frames."""
    at, length = struct.unpack_from("<QQ", data, 40)
    end = at + length
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == 9:
            yield at, length
        at += length


def words_of(data, at, length):
    words = struct.unpack_from(f"<{(length - 8) // 8}Q", data, at + 8)
    return [at + 8 + 8 * i for i, word in enumerate(words) if word >> 56 == MARK]


def test_leaf_words__nothing_else_is_kept(record):
    """Behind a chain stand words of code, and no number of the program's."""
    data = record("-g", "--leaf-callers", "-z0").read_bytes()
    found = [words_of(data, *place) for place in plain_samples(data)]
    kept = [struct.unpack_from("<Q", data, at)[0] for places in found for at in places]
    assert len(kept) > 200
    stack = 0x7FF << 36  # where stacks and their contents' addresses begin
    assert not [word for word in kept if word & 0xFFF000000000 == stack]
    assert max(map(len, found)) <= 8


# What it has mapped is in the ring of one CPU, its fork and its samples in that of another.
MOVES = """
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define F __attribute__((noipa))
static volatile unsigned long sink;
F void leaf(long n) { while (n--) sink = sink * 3 + n; }
F void calls(void) { leaf(200000); sink++; }
int main(int argc, char **argv)
{
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (argc > 2)
		execl(argv[0], argv[0], argv[2], NULL);
	fork();
	for (int i = 0; i < 200; i++)
		calls();
	wait(NULL);
	return 0;
}
"""


@pytest.mark.parametrize("option", ["-q", "--overwrite"])
def test_leaf_words__maps_of_another_ring_are_known(option, run, chains, tmp_path):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one CPU has one ring")
    (tmp_path / "moves.c").write_text(MOVES)
    run(["gcc", "-O1", "-fno-omit-frame-pointer", "-o", "moves", "moves.c"], check=True)
    run([program("record", "perfpair-record"), "-g", "--leaf-callers", option, "-e",
         "cpu-clock:u", "-F", "2000", "-o", "moves.data", "--", "./moves", str(cpus[-1]),
         str(cpus[0])], check=True)
    found = collections.Counter(tuple(chain[:2]) for chain in chains(tmp_path / "moves.data")
                                if chain[0] == "leaf")
    assert found.total() > 50
    assert found["leaf", "calls"] >= 0.99 * found.total()


# naps() and polls() wait in system calls of libc
WAITS = """
#include <poll.h>
#include <time.h>
#define F __attribute__((noipa))
static volatile int sink;
static const struct timespec nap = { 0, 2000000 };
F void naps(void) { sink += nanosleep(&nap, 0); }
F void polls(void) { sink += poll(0, 0, 2); }
int main(void)
{
	for (int i = 0; i < 60; i++) {
		naps();
		polls();
	}
	return 0;
}
"""


def test_leaf_words__of_what_waits(run, tmp_path, may_trace):
    """With --off-cpu: the callers of libc's system calls."""
    (tmp_path / "waits.c").write_text(WAITS)
    run(["gcc", "-O1", "-fno-omit-frame-pointer", "-o", "waits", "waits.c"], check=True)
    run([program("record", "perfpair-record"), "-g", "--leaf-callers", "--off-cpu", "-e",
         "cpu-clock", "-F", "99", "-o", "off.data", "--", "./waits"], check=True)
    done = run([program("report", "perfpair"), "script", "-i", "off.data", "--no-inline",
                "-F", "event,ip,sym"], check=True)
    found, right = collections.Counter(), collections.Counter()
    for part in done.stdout.split("\n\n"):
        lines = part.strip().splitlines()
        if not lines or "sched_switch" not in lines[0]:
            continue
        names = [line.split()[1].split("@")[0].lstrip("_") for line in lines[1:]]
        for leaf, caller in (("clock_nanosleep", "naps"), ("poll", "polls")):
            if leaf in names:
                found[caller] += 1
                right[caller] += caller in names[names.index(leaf):][:4]
    assert found["polls"] > 30 and found["naps"] > 30
    assert right.total() >= 0.99 * found.total()


@pytest.mark.parametrize("change", ["mark", "offset", "address"])
def test_leaf_words__damaged_words_are_passed_over(change, record, chains, tmp_path):
    path = record("-g", "--leaf-callers", "-z0")
    data = bytearray(path.read_bytes())
    for place in plain_samples(data):
        for at in words_of(data, *place):
            at, value = {"mark": (at + 7, 0), "offset": (at + 6, 0xFF),
                         "address": (at + 4, 0x11)}[change]
            data[at] = value
    damaged = tmp_path / "damaged"
    damaged.write_bytes(data)
    found = callers(chains(damaged))["leaf"]
    assert found.total() > 200
    assert not found["rarely"] and not found["often"]


def test_leaf_words__survive_a_kill(leaves, chains, tmp_path):
    path = tmp_path / "killed.data"
    load = subprocess.Popen([leaves, "long"])
    recorder = subprocess.Popen(
        [program("record", "perfpair-record"), "-g", "--leaf-callers", "-e", "cpu-clock:u", "-F", "2000",
         "-p", str(load.pid), "-o", path], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (
            path.exists() and path.stat().st_size > 8000):
        time.sleep(0.1)
    recorder.kill()
    load.kill()
    recorder.wait()
    load.wait()
    found = callers(chains(path))["leaf"]
    assert found.total() > 100
    assert found["rarely"] + found["often"] >= 0.99 * found.total()


@pytest.mark.parametrize("words", [["-F", "9000"], ["-m", "16"]])
def test_leaf_words__fast_events_have_none(words, record, run):
    """Nor where a ring is short; that is said."""
    data = record("-g", "--leaf-callers", "-z0", *words,
                  said="--leaf-callers: no event has them").read_bytes()
    assert not [at for place in plain_samples(data) for at in words_of(data, *place)]


def test_leaf_words__what_is_fast_beside_switches_is_told_of(run, tmp_path, may_trace):
    """Switches have them, whatever the rate of the rest is."""
    for rate, says in ("9000", True), ("99", False):
        done = run([program("record", "perfpair-record"), "-g", "--leaf-callers", "--off-cpu",
                    "-a", "-e", "cpu-clock", "-F", rate, "-o", tmp_path / "fast.data", "--",
                    "true"], check=True)
        assert ("--leaf-callers: cpu-clock has none" in done.stderr) == says
        assert ("--leaf-callers: " in done.stderr) == says


@pytest.mark.parametrize("command", ["repair", "carry"])
def test_leaf_words__copies_keep_them(command, record, chains, run, tmp_path):
    path, copy = record("-g", "--leaf-callers"), tmp_path / "copy.data"
    done = run([program("report", "perfpair"), command, "-i", path, "-o", copy])
    assert done.returncode in (0, 3), done.stderr
    found, expected = chains(copy), chains(path)
    assert sum(map(len, found)) == sum(map(len, expected))


def test_leaf_words__carry_adds_what_finds_them(record, chains, run, tmp_path):
    """To a recording that carries nothing."""
    path, copy = record("-g", "--leaf-callers", "--carry", "none"), tmp_path / "copy.data"
    assert not callers(chains(path, "--symfs", tmp_path))
    done = run([program("report", "perfpair"), "carry", "-i", path, "-o", copy])
    assert done.returncode in (0, 3), done.stderr
    assert_true(callers(chains(copy, "--symfs", tmp_path)))


def test_leaf_words__check_finds_nothing(record, run):
    done = run([program("report", "perfpair"), "check", "-i", record("-g", "--leaf-callers")])
    assert done.returncode == 0, done.stdout
    assert "0 errors, 0 notes" in done.stdout
