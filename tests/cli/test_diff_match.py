"""perfpair diff: what of two recordings is taken for the same, events and
rows, and what is counted of it."""

import json
import re
import struct
import subprocess

import pytest

from made_file import BITS, File, make
from test_hostile import measure_all

BRANCHES, ANY, BRANCH_STACK = 1 << 11, 1 << 3, 15


@pytest.fixture
def diff(run, perfpair, tmp_path):
    """diff(OLD, NEW, *WORDS): two files of made_file compared."""
    def of(old, new, *words):
        for name, file in (("old", old), ("new", new)):
            (tmp_path / name).write_bytes(file.bytes())
        return run([perfpair, "diff", *words, tmp_path / "old",
                    tmp_path / "new"])
    return of


@pytest.fixture
def events_of(diff):
    """events_of(OLD, NEW, *WORDS): the same as JSON's list of events."""
    def of(*args):
        done = diff(*args, "--format", "json")
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)["events"]
    return of


def with_branches(samples):
    """As record -b: each sample has three branches."""
    attr = make.attr_of(sample_type=BITS | BRANCHES, branch_sample_type=ANY)
    file = File(attrs=[attr])
    file.ids = [[101]]
    file.features[BRANCH_STACK] = b""
    e = file.e
    for nr in range(samples):
        file.records.append(e.record(9, 2, (
            e.words(0x401234) + e.pack("II", 5, 6)
            + e.words(1000 + 100 * nr, 101) + e.pack("II", 1, 0) + e.words(3)
            + b"".join(e.words(0x1000 * at, 0x1010 * at, 0)
                       for at in range(1, 4)))))
    return file


def test_branches_are_no_samples(events_of):
    event, = events_of(with_branches(4), with_branches(6), "-s", "pid")
    row, = event["rows"]
    assert (row["baseline_samples"], row["new_samples"]) == (4, 6)
    assert (event["baseline_samples"], event["new_samples"]) == (4, 6)


def test_branches_are_compared_with_samples(events_of):
    """A recording with them against one without."""
    plain = File().some()
    for old, new in ((with_branches(3), plain), (plain, with_branches(3))):
        row, = events_of(old, new, "-s", "dso,symbol")[0]["rows"]
        assert (row["baseline_samples"], row["new_samples"]) == (3, 3)


USER_ONLY, PRECISE = 1 << 5, 3 << 15
KERNEL, USER = 1, 2  # modes of samples


def counted(flags=0, modes=(KERNEL, USER), **attr):
    """A recording of one event, three samples of each mode."""
    attr = make.attr_of(sample_type=BITS, **attr)
    attr["flags"] |= flags
    file = File(attrs=[attr])
    file.ids = [[101]]
    for nr, mode in enumerate(modes * 3):
        who = file.ident(1000 + 100 * nr)
        record = file.e.sample(attr, who)
        file.records.append(record[:4] + file.e.pack("H", mode) + record[6:])
    return file


def test_events_are_the_same_by_what_they_count(diff):
    """cpu-clock:ppp, as perf records without -e, and -e cpu-clock."""
    done = diff(counted(PRECISE), counted())
    assert (done.returncode, done.stderr) == (0, "")
    assert "': user and kernel code, precise level 3" in done.stdout
    assert "# Old counted 'cpu-clock:ppp" in done.stdout
    assert "# New counted 'cpu-clock" in done.stdout
    assert "counted" not in diff(counted(), counted()).stdout


def test_of_user_code_alone_and_all_user_code_is_compared(events_of, diff):
    sides = [counted(USER_ONLY, (USER,)), counted()]
    for old, new in (sides, sides[::-1]):
        event, = events_of(old, new, "-s", "pid")
        row, = event["rows"]
        assert event["modes"] == "user"
        assert (row["baseline_samples"], row["new_samples"]) == (3, 3)
        assert row["baseline_pct"] == row["new_pct"] == 100
        done = diff(old, new, "-s", "pid")
        assert "# Only samples of user code are compared" in done.stdout
    # perf's table is of all there is
    done = diff(*sides, "-s", "pid", "-p", "--no-interval")
    assert done.stdout.count("counted") == 0
    assert done.stdout.splitlines()[-1].split()[1::2] == ["12000", "24000"]


def test_what_a_pipe_did_not_count_is_told(run, perfpair, tmp_path):
    """It cannot be read twice; and with several runs a side, any may lack it."""
    for name, file in (("user", counted(USER_ONLY, (USER,))),
                       ("all", counted()), ("more", counted())):
        file.sample(dict(user=2000, all=2100, more=2200)[name])
        (tmp_path / name).write_bytes(file.bytes())
    for words in ("user /dev/stdin", "--old more user --new /dev/stdin"):
        done = run(["sh", "-c", f"cat all | '{perfpair}' diff -s pid {words}"])
        assert done.stderr == ""
        assert "Not all runs counted all of this code" in done.stdout
        assert "Compare files instead." in done.stdout


def test_user_code_and_kernel_code_have_nothing_in_common(diff):
    done = diff(counted(USER_ONLY, (USER,)), counted(1 << 4, (KERNEL,)))
    assert (done.returncode, done.stdout) == (1, "")
    assert "have no event in common" in done.stderr


def test_what_is_added_up_has_to_be_of_the_same_code(run, perfpair, tmp_path):
    """perfpair report A B: one table of both, or a table each."""
    for name, file in (("plain", counted()), ("precise", counted(PRECISE)),
                       ("user", counted(USER_ONLY, (USER,)))):
        (tmp_path / name).write_bytes(file.bytes())
    for other, tables in (("precise", 1), ("user", 2)):
        done = run([perfpair, "report", "-s", "pid", tmp_path / "plain",
                    tmp_path / other])
        assert done.stdout.count("# Samples: ") == tables


CODE_LEN = 64


def jitted(pid, addr, codes=(), dump=None):
    """A process with anonymous code at addr: a sample in each of codes, names,
    of which the dump tells, and three at addresses that nothing tells of."""
    file = File()
    e = file.e

    def add(kind, body, time, misc):
        body += bytes(-len(body) % 8)
        file.records.append(e.record(kind, misc, body + e.trailer(
            file.attrs[0], dict(file.ident(time), pid=pid, tid=pid))))

    def map_at(at, name, time):
        add(10, e.pack("II", pid, pid) + e.words(at, 65536, 0)
            + e.pack("IIQQII", 0, 0, 0, 0, 5, 2) + name.encode() + b"\0", time,
            2)

    if dump:
        data = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0)
        for idx, name in enumerate(codes):
            at = addr + CODE_LEN * idx
            name = name.encode() + b"\0"
            data += struct.pack("<IIQIIQQQQ", 0, 56 + len(name) + CODE_LEN, 50,
                                1, 1, at, at, CODE_LEN, idx)
            data += name + bytes(CODE_LEN)
        dump.write_bytes(data)
        map_at(0x700000, str(dump), 90)
    map_at(addr, "//anon", 91)
    ips = [addr + CODE_LEN * idx + 8 for idx in range(len(codes))]
    ips += [addr + 0x8000 + pid % 8 * 16 * nr for nr in range(3)]
    for nr, ip in enumerate(ips):
        record = e.sample(file.attrs[0], dict(file.ident(100 + 10 * nr),
                                              pid=pid, tid=pid))
        record = record.replace(e.words(0x401234), e.words(ip), 1)
        file.records.append(record[:4] + e.pack("H", USER) + record[6:])
    return file


def test_nameless_code_is_one_row(events_of, diff):
    """Of a JIT compiler, at other addresses in each run; perf's table names
    both."""
    sides = jitted(70001, 0x7f0000100000), jitted(70002, 0x7f1234500000)
    row, = events_of(*sides)[0]["rows"]
    assert (row["dso"], row["symbol"]) == ("[JIT]", "[unknown]")
    assert (row["baseline_samples"], row["new_samples"]) == (3, 3)
    assert row["match"] == "exact"
    table = diff(*sides, "--no-interval").stdout
    assert "[JIT] tid 70001" in table and "[JIT] tid 70002" in table


def test_code_with_names_is_matched_by_them(events_of, tmp_path):
    """As V8's, which is compiled anew when it is hot, at another time in each
    run; of a jitdump each function is a file."""
    old = jitted(70001, 0x7f0000100000, ["JS:~fib w.js:1", "JS:*fib w.js:1",
                                         "JS:^sort w.js:2"],
                 tmp_path / "jit-70001.dump")
    new = jitted(70002, 0x7f1234500000, ["Builtin:x", "JS:*sort w.js:2",
                                         "LazyCompile:^fib w.js:1"],
                 tmp_path / "jit-70002.dump")
    rows = events_of(old, new)[0]["rows"]
    # what the dump does not tell of has no file at all, as in perf
    assert {row["dso"] for row in rows} == {"[JIT]", "[unknown]"}
    assert {row["symbol"]: (row["baseline_samples"], row["new_samples"])
            for row in rows} == {
        "JS:fib w.js:1": (2, 1), "JS:sort w.js:2": (1, 1),
        "Builtin:x": (0, 1), "[unknown]": (3, 3)}


LIBRARY = """
static __attribute__((noinline)) int one(int x) { return x * x + %d; }
static __attribute__((noinline)) int two(int x) { return x * 3 + one(x); }
int called(int x) { return one(x) + two(x); }
"""


CROWDED = "".join(f'.section s{nr}, "a"\n.byte 1\n'
                  for nr in range(60_000)) + """
.text
one: .cfi_startproc
.fill 60000, 1, 0x90
ret
.cfi_endproc
.section .note.GNU-stack,"",@progbits
"""


@pytest.fixture
def library(tmp_path):
    """library(NAME, SOURCE): a shared library without names of its static
    functions, its build-id, and where these are."""
    def of(name, source):
        folder = tmp_path / name
        folder.mkdir()
        path = folder / "libstripped.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-Wl,--build-id=sha1",
                        "-o", path, "-x", *source[:1], "-"], check=True,
                       input=source[1], text=True)
        places = {name: int(addr, 16) for addr, name in re.findall(
            r"(\w+) t (one|two)\n", subprocess.run(
                ["nm", path], check=True, capture_output=True, text=True).stdout)}
        notes = subprocess.run(["readelf", "-n", path], check=True,
                               capture_output=True, text=True).stdout
        subprocess.run(["strip", path], check=True)
        return path, bytes.fromhex(re.search(r"Build ID: (\w+)", notes)[1]), \
            places
    return of


def in_library(library, *names, base=0x7f0000000000):
    """A sample in the middle of each of these functions."""
    path, build_id, places = library
    file = File()
    e = file.e
    name = str(path).encode() + b"\0"
    file.add(10, e.pack("II", 5, 6) + e.words(base, 1 << 20, 0)
             + e.pack("BBH", len(build_id), 0, 0) + build_id
             + e.pack("II", 5, 2) + name + bytes(-len(name) % 8), 90,
             misc=USER | 1 << 14)
    for nr, name in enumerate(names):
        file.sample(100 + 10 * nr)
        record = file.records[-1].replace(
            e.words(0x401234), e.words(base + places[name] + 2 + nr % 2), 1)
        file.records[-1] = record[:4] + e.pack("H", USER) + record[6:]
    return file


def test_functions_without_names_of_one_build(events_of, library):
    built = library("a", ("c", LIBRARY % 1))
    rows = events_of(in_library(built, "one", "two", "one"),
                     in_library(built, "two", "two", "two", "one",
                                base=0x7e0000000000))[0]["rows"]
    assert {(row["dso"], row["symbol"]):
            (row["baseline_samples"], row["new_samples"]) for row in rows} == {
        ("libstripped.so", f"{built[2]['one']:#018x}"): (2, 1),
        ("libstripped.so", f"{built[2]['two']:#018x}"): (1, 3)}


def test_functions_without_names_of_two_builds_are_one_row(events_of, library):
    old, new = (library(name, ("c", LIBRARY % nr))
                for name, nr in (("a", 1), ("b", 2)))
    sides = in_library(old, "one", "two", "one"), in_library(new, "two", "one")
    row, = events_of(*sides)[0]["rows"]
    assert (row["dso"], row["symbol"]) == ("libstripped.so", "[unknown]")
    assert (row["baseline_samples"], row["new_samples"]) == (3, 2)
    # nor is a build whose file is here one of which it is not
    new[0].unlink()
    assert events_of(*sides)[0]["rows"] == [row]


def test_a_file_of_many_sections_takes_no_longer(library, perfpair, tmp_path):
    """Any user may run it, and be at another address in each sample."""
    path, build_id, places = library("crowded", ("assembler", CROWDED))
    places.update({nr: places["one"] + nr for nr in range(15_000)})
    file = in_library((path, build_id, places), *range(15_000))
    (tmp_path / "old").write_bytes(file.bytes())
    file.sample(10 ** 6)
    (tmp_path / "new").write_bytes(file.bytes())
    (code, _, told), = measure_all(
        perfpair, [["diff", str(tmp_path / "old"), str(tmp_path / "new")]],
        tmp_path)
    assert (code, told) == (0, "")


def of_task(name):
    file = File().some()
    for tid in (5, 6):
        file.add(3, file.e.pack("II", 5, tid) + name, 95)
    return file


@pytest.mark.parametrize("key", ["pid", "tgid"])
def test_a_renamed_task_is_the_same(key, diff, events_of):
    sides = of_task(b"early\0\0\0"), of_task(b"later\0\0\0")
    row, = events_of(*sides, "-s", key)[0]["rows"]
    assert (row["match"], "baseline_symbol" in row) == ("stem", False)
    number = 6 if key == "pid" else 5
    assert f" {number}:later (was {number}:early)" in diff(*sides, "-s", key).stdout
    row, = events_of(sides[0], sides[0], "-s", key)[0]["rows"]
    assert row["match"] == "exact"
    table = diff(*sides, "-s", key, "--no-interval").stdout
    assert table.splitlines()[-1].endswith(f"{number}:early  ")
