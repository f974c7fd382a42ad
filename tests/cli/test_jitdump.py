"""Functions that a jit-PID.dump tells of, which need not be a good one; those
of real programs are beside perf's in tests/peer/test_jit.py."""

import os
import shutil
import struct
import subprocess
import threading
from pathlib import Path

import pytest

from made_file import File

IP = 0x401234  # of every sample that File makes
CODE_LEN = 64


def dump_of(*codes):
    """Each is (name, address, length that is told)."""
    data = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0)
    for idx, (name, addr, length) in enumerate(codes):
        name = name.encode() + b"\0"
        data += struct.pack("<IIQIIQQQQ", 0, 56 + len(name) + CODE_LEN, 50, 1,
                            1, addr, addr, length, idx)
        data += name + bytes(CODE_LEN)
    return data


class Mapped(File):
    """A process that maps a dump, and code without a file at the samples."""

    def __init__(self, pid, dump, ino=0):
        super().__init__()
        self.pid = pid
        self.map(0x700000, str(dump), 90, ino)
        self.map(IP - 16, "//anon", 91)

    def map(self, addr, name, time, ino=0):
        name = name.encode() + b"\0"
        self.add(10, self.e.pack("II", self.pid, self.pid)
                 + self.e.words(addr, 4096, 0)
                 + self.e.pack("IIQQII", 0, 0, ino, 0, 5, 2)
                 + name + bytes(-len(name) % 8), time, misc=2)

    def ident(self, time, ident=101):
        return dict(super().ident(time, ident), pid=self.pid, tid=self.pid)


@pytest.fixture
def report(perfpair, run, tmp_path):
    def of(made, *more):
        for time in (100, 110, 120):
            made.sample(time)
        path = tmp_path / "perf.data"
        path.write_bytes(made.bytes())
        done = run([perfpair, "report", "-q", "-i", path, "-s", "sym", *more])
        assert done.returncode == 0
        return [" ".join(line.split()) for line in done.stdout.splitlines()
                if line], done.stderr
    return of


@pytest.fixture
def perf_map():
    """That of this process, which nobody else writes."""
    path = Path(f"/tmp/perf-{os.getpid()}.map")
    path.write_text(f"{IP - 16:x} 40 told_by_map\n")
    yield os.getpid()
    path.unlink()


def test_jitdump__names_of_the_map_where_it_is_gone(report, perf_map,
                                                    tmp_path):
    dump = tmp_path / "jit-1.dump"
    rows, told = report(Mapped(perf_map, dump))
    assert rows == ["100.00% [.] told_by_map"]
    assert "No such file" in told
    dump.write_bytes(b"something else")
    rows, told = report(Mapped(perf_map, dump))
    assert rows == ["100.00% [.] told_by_map"]
    assert "is no jitdump" in told
    dump.write_bytes(dump_of(("told_by_dump", IP - 8, CODE_LEN)))
    assert report(Mapped(perf_map, dump)) == (
        ["100.00% [.] told_by_dump"], "")


@pytest.mark.parametrize("lines, name", [
    ("{0:x} 40 with_cr\r\n", "with_cr"),
    ("0x{0:x} 0x40 as_java\n", "as_java"),
    ("{0:x} 40 a_longer_name\n{0:x} 40 reused\n", "reused"),
    ("{0:x} 40 whole\n{0:x} 40 is_being_wri", "whole"),
    ("{0:x} 0 without_size\n", "without_size"),
])
def test_perf_map__name_of_a_line(report, perf_map, tmp_path, lines, name):
    """The dump that the process had is gone."""
    path = Path(f"/tmp/perf-{perf_map}.map")
    path.write_bytes(lines.format(IP - 16).encode())
    rows, _ = report(Mapped(perf_map, tmp_path / "jit-1.dump"))
    assert rows == [f"100.00% [.] {name}"]


@pytest.mark.parametrize("addr, length", [(1, 2**64 - 0x40), (1, 2**40),
                                          (IP - 8, CODE_LEN * 9)])
def test_jitdump__function_longer_than_its_record(report, tmp_path, addr,
                                                  length):
    dump = tmp_path / "jit-1.dump"
    dump.write_bytes(dump_of(("all_there_is", addr, length),
                             ("real", IP - 8, CODE_LEN)))
    assert report(Mapped(7, dump)) == (["100.00% [.] real"], "")
    dump.write_bytes(dump_of(("all_there_is", addr, length)))
    rows, _ = report(Mapped(7, dump))
    assert rows == [f"100.00% [.] {IP:#018x}"]


def test_jitdump__fifo_is_not_opened(report, tmp_path):
    """Who waits for a reader goes on waiting."""
    dump = tmp_path / "jit-1.dump"
    os.mkfifo(dump)
    writer = threading.Thread(target=lambda: os.close(os.open(dump,
                                                              os.O_WRONLY)))
    writer.start()
    _, told = report(Mapped(7, dump))
    is_waiting = writer.is_alive()
    reader = os.open(dump, os.O_RDONLY | os.O_NONBLOCK)
    writer.join()
    os.close(reader)
    assert is_waiting
    assert told == f"perfpair: {dump}: Invalid argument\n"


@pytest.fixture
def jail(tmp_path):
    """Starts processes that wait, each in a root of its own."""
    started = []

    def start(name):
        root = tmp_path / name
        (root / "tmp").mkdir(parents=True)
        (tmp_path / "wait.c").write_text(
            'void _start(void) { for (;;) __asm__ volatile("syscall" : '
            ': "a"(34) : "rcx", "r11", "memory"); }')
        subprocess.run(["gcc", "-nostdlib", "-static", "-o", root / "wait",
                        tmp_path / "wait.c"], check=True)
        started.append(subprocess.Popen(
            ["/wait"], executable="/wait", preexec_fn=lambda: os.chroot(root)))
        return root, started[-1].pid
    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("gcc")
                    or os.uname().machine != "x86_64",
                    reason="needs root, gcc and x86-64")
def test_jitdump__of_one_name_in_two_containers(report, jail):
    dumps, pids = [], []
    name = f"/tmp/jit-{os.getpid()}.dump"
    for function in ("in_one", "in_the_other"):
        root, pid = jail(function)
        dumps.append(Path(f"{root}{name}"))
        dumps[-1].write_bytes(dump_of((function, IP - 8, CODE_LEN)))
        pids.append(pid)
    made = Mapped(pids[0], name, dumps[0].stat().st_ino)
    made.sample(95)
    made.pid = pids[1]
    made.map(0x700000, name, 96, dumps[1].stat().st_ino)
    rows, told = report(made)
    assert (rows, told) == (["75.00% [.] in_the_other", "25.00% [.] in_one"],
                            "")
