"""trace -s on recordings made record by record."""

import ctypes.util

import pytest

from traced_file import CALLS, LOCK, Traced

pytestmark = pytest.mark.skipif(not ctypes.util.find_library("seccomp"),
                                reason="libseccomp is not installed")

MS = 10**6
READ, WRITE, SIGRETURN = 0, 1, 15  # of x86_64


class Calls(Traced):
    def __init__(self, **fields):
        super().__init__(CALLS, **fields)
        self.name(6, b"worker")

    def enter(self, time_ms, number, **more):
        self.begin(time_ms * MS, number, raw=self.e.pack(
            "HBBiq6Q", 443, 0, 0, 6, number, *range(6)), **more)

    def leave(self, time_ms, number, value=0, **more):
        self.end(time_ms * MS, number, value, **more)

    def call(self, start_ms, end_ms, number=READ, value=0, **more):
        self.enter(start_ms, number, **more)
        self.leave(end_ms, number, value, **more)
        return self


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """shown(FILE, WORD..., code=, said=): its lines but for headers."""
    def show(made, *words, code=0, said=""):
        (tmp_path / "t.data").write_bytes(made.bytes())
        done = run([perfpair, "trace", "-s", "-i", "t.data", *words])
        assert (done.returncode, done.stderr) == (
            code, said and f"perfpair: t.data: {said}\n")
        return [line.strip() for line in done.stdout.splitlines()
                if line.strip() and "(msec)" not in line and "--" not in line
                and "stddev" not in line and "Summary" not in line]
    return show


def row(name, nr, errors, *numbers):
    return f"{name:<15} {nr:8} {errors:6} " + " ".join(
        f"{number:9.3f}" for number in numbers[:4]) + f" {numbers[4]:9.2f}%"


def untimed(name, nr, errors=0):
    return f"{name:<15} {nr:8} {errors:6} " + " ".join(4 * ["        -"]) \
        + "          -"


def test_a_table_for_each_thread(shown):
    made = Calls().call(1, 3).call(4, 5).call(6, 11, WRITE)
    made.call(6, 7, WRITE, tid=7)
    assert shown(made) == [
        "worker (6), 6 events, 75.0%", row("write", 1, 0, 5, 5, 5, 5, 0),
        row("read", 2, 0, 3, 1, 1.5, 2, 33.33),
        ":7 (7), 2 events, 25.0%", row("write", 1, 0, 1, 1, 1, 1, 0)]


def test_errors(shown):
    made = Calls().call(1, 2, value=-2).call(3, 4, value=-11)
    made.call(5, 6, value=-11).call(7, 8, value=-512)
    made.call(9, 10, WRITE, -1).call(11, 12, WRITE, 7)
    assert shown(made, "--errno-summary") == [
        "worker (6), 12 events, 100.0%", row("read", 4, 4, 4, 1, 1, 1, 0),
        "ENOENT: 1", "EAGAIN: 2", "(unknown): 1",
        row("write", 2, 1, 2, 1, 1, 1, 0), "EPERM: 1"]


def test_calls_without_a_beginning_have_no_time(shown):
    """perf takes the beginning of another call, or a time of 0."""
    made = Calls()
    made.leave(3, READ)
    made.call(4, 5).leave(7, READ)
    made.leave(8, WRITE)
    assert shown(made)[1:] == [row("read", 3, 0, 1, 1, 1, 1, 0),
                               untimed("write", 1)]


def test_calls_that_end_as_others(shown):
    made = Calls()
    made.enter(1, READ)
    made.leave(3, WRITE)
    assert shown(made)[1:] == [untimed("write", 1)]


def test_calls_without_an_end_do_not_count(shown):
    made = Calls().call(1, 2)
    made.enter(3, READ)
    assert shown(made) == ["worker (6), 3 events, 100.0%",
                           row("read", 1, 0, 1, 1, 1, 1, 0)]


def test_the_return_of_a_handler(shown):
    made = Calls()
    made.enter(1, SIGRETURN)
    made.leave(3, -1)
    made.leave(5, -1)
    assert shown(made)[1:] == [row("rt_sigreturn", 1, 0, 2, 2, 2, 2, 0)]


def test_losses(shown):
    made = Calls()
    made.enter(1, READ)
    made.lost(2 * MS)
    made.leave(3, READ)
    assert shown(made, said="7 records lost in 1 place while recording")[1:] \
        == [untimed("read", 1)]


def test_an_end_without_a_time(shown):
    made = Calls()
    made.enter(1, READ)
    made.records.append(made.e.record(68, 0, b"") * 2)
    made.leave(0, READ)
    assert shown(made)[1:] == [untimed("read", 1)]


@pytest.mark.parametrize("machine, number, name", [
    (b"x86_64", 202, "futex"), (b"aarch64", 98, "futex"),
    (b"i686", 240, "futex"), (b"armv7l", 240, "futex"),
    (b"ppc64le", 221, "futex"), (b"s390x", 238, "futex"),
    (b"riscv64", 98, "futex"), (b"x86_64", 9999, "syscall_9999"),
    (b"unheard", 1, "syscall_1")])
def test_names_are_those_of_the_machine(shown, machine, number, name):
    made = Calls().call(1, 2, number)
    made.features[6] = made.string(machine)
    assert shown(made)[1].split()[0] == name


def test_threads_that_are_renamed(shown):
    made = Calls().call(1, 2)
    made.name(6, b"a\x1bb", time=2 * MS + 1)
    assert shown(made)[0] == "a\\x1bb (6), 2 events, 100.0%"


def test_big_endian(shown):
    made = Calls(big_endian=True).call(1, 2, 4, -9)
    made.features[6] = made.string(b"s390x")
    assert shown(made, "--errno-summary")[1:] == [
        row("write", 1, 1, 1, 1, 1, 1, 0), "EBADF: 1"]


def test_a_recording_of_something_else(shown):
    assert shown(Traced(LOCK), code=1, said=(
        "no system calls were recorded\nperfpair: perfpair-record -a -e "
        "raw_syscalls:sys_enter -e raw_syscalls:sys_exit records them; so does "
        "perf trace record")) == []


@pytest.mark.parametrize("words, said", [
    ([], "trace has the table -s alone"),
    (["record", "ls"], "perf's 'trace record' is not here\nperfpair: "
     "perfpair-record -a -e raw_syscalls:sys_enter"), (["-S"], "perf's option '-S'"),
    (["-s", "-p", "1"], "perf's option '-p'")])
def test_options_that_are_wrong(run, perfpair, words, said):
    done = run([perfpair, "trace", *words])
    assert done.returncode == 2 and said in done.stderr
