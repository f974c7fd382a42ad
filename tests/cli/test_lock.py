"""lock contention on recordings made record by record."""

import pytest

from traced_file import (CALLS, KALLSYMS, LOCK, USER, Traced, stack)

SPIN, READ, WRITE, RT, PERCPU, MUTEX = (1 << bit for bit in range(6))
TO_CALL = stack("rwsem_down_read_slowpath", "down_read", "vm_map", "do_call",
                "entry")


class Locks(Traced):
    def __init__(self, **fields):
        super().__init__(LOCK, with_chains=True, **fields)
        self.kernel()
        self.name(6, b"worker")

    def wait(self, start, end, lock=8, flags=READ, chain=TO_CALL, **more):
        self.begin(start, lock, flags, chain=chain, **more)
        self.end(end, lock, 0, chain=chain, **more)
        return self


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """shown(FILE, WORD..., code=, said=): the lines of its table, as words."""
    (tmp_path / "kallsyms").write_text(KALLSYMS)

    def show(made, *words, code=0, said=""):
        (tmp_path / "t.data").write_bytes(made.bytes())
        done = run([perfpair, "lock", "contention", "-i", "t.data",
                    "--kallsyms", "kallsyms", *words])
        assert (done.returncode, done.stderr) == (
            code, said and f"perfpair: t.data: {said}\n")
        return [line.split() for line in done.stdout.splitlines() if line]
    return show


def row(*cells):
    return [word for cell in cells for word in str(cell).split()]


def test_a_row_for_each_caller(shown):
    made = Locks().wait(1000, 4000).wait(5000, 6000)
    made.wait(7000, 7500, chain=stack("rwsem_down_read_slowpath", "down_read",
                                      "vm_map", "other_call", "entry"))
    assert shown(made) == [
        row("contended total wait max wait avg wait type caller"),
        row(2, "4.00 us", "3.00 us", "2.00 us", "rwsem:R", "do_call+0x11"),
        row(1, "500 ns", "500 ns", "500 ns", "rwsem:R", "other_call+0x11")]


def test_the_first_frames_and_those_of_locks_make_no_rows(shown):
    """schedule() is a lock's own function, wherever it stands."""
    made = Locks().wait(1000, 4000)
    made.wait(5000, 6000, chain=stack("down_read", "rwsem_down_read_slowpath",
                                      "entry", "do_call", "schedule", "entry")
              + (USER, 0))
    assert shown(made)[1:] == [row(2, "4.00 us", "3.00 us", "2.00 us",
                                   "rwsem:R", "do_call+0x11")]


@pytest.mark.parametrize("words, caller", [
    (["--stack-skip", "0"], "vm_map+0x11"),
    (["--stack-skip", "4"], "entry+0x11"),
    (["--stack-skip", "9"], "Unknown"),
    (["--max-stack", "3"], "Unknown")])
def test_where_the_caller_is_looked_for(shown, words, caller):
    assert shown(Locks().wait(1000, 4000), *words)[1][-1] == caller


def test_callers_in_user_space_are_not_the_kernels(shown):
    made = Locks().wait(1000, 4000, chain=(*TO_CALL[:4], USER, 0x401234))
    assert shown(made)[1][-1] == "Unknown"


TYPES = [
    (0, "semaphore"), (SPIN, "spinlock"), (SPIN | READ, "rwlock:R"),
    (SPIN | WRITE, "rwlock:W"), (READ, "rwsem:R"), (WRITE, "rwsem:W"),
    (RT, "rtmutex"), (RT | READ, "rwlock-rt:R"), (RT | WRITE, "rwlock-rt:W"),
    (PERCPU | READ, "pcpu-sem:R"), (PERCPU | WRITE, "pcpu-sem:W"),
    (MUTEX, "mutex"), (64, "unknown")]


def test_types(shown):
    """Each has its row, also at one place."""
    made = Locks()
    for nr, (flags, _) in enumerate(TYPES):
        made.wait(1000 * nr, 1000 * nr + 900 - nr, flags=flags)
    assert [cells[-2] for cells in shown(made)[1:]] == [
        name for _, name in TYPES]


def test_waits_within_waits(shown):
    """An interrupt waits for another lock."""
    made = Locks()
    made.begin(1000, 8, READ, chain=TO_CALL)
    made.wait(2000, 2500, lock=16)
    made.end(4000, 8, 0)
    assert shown(made)[1][:3] == row(2, "3.50 us")


def test_a_mutex_begins_twice(shown):
    made = Locks()
    made.begin(1000, 8, MUTEX | SPIN, chain=TO_CALL)
    made.begin(2000, 8, MUTEX, chain=TO_CALL)
    made.end(4000, 8, 0)
    assert shown(made)[1][:3] == row(1, "3.00 us")


def test_what_has_no_end_has_no_time(shown):
    made = Locks().wait(1000, 4000)
    made.begin(5000, 8, READ, chain=TO_CALL)
    assert shown(made)[1] == row(2, "3.00 us", "3.00 us", "3.00 us", "rwsem:R",
                                 "do_call+0x11")


def test_what_has_no_beginning_is_left_out(shown):
    made = Locks()
    made.end(500, 8, 0)
    assert shown(made.wait(1000, 4000), said=(
        "1 wait that had begun before the recording, or whose beginning was "
        "lost, is left out"))[1][:3] == row(1, "3.00 us")


def test_a_wait_with_losses_has_no_time(shown, perfpair, run, tmp_path):
    made = Locks()
    made.begin(1000, 8, READ, chain=TO_CALL)
    made.lost(2000)
    made.end(4000, 8, 0)
    made.begin(4500, 16, READ, chain=TO_CALL)
    made.lost(4600)
    made.wait(5000, 5500, lock=16)
    (tmp_path / "t.data").write_bytes(made.bytes())
    done = run([perfpair, "lock", "contention", "-i", "t.data", "-t"])
    assert "14 records lost in 2 places while recording\n" in done.stderr
    assert "2 waits in which records were lost have no time\n" in done.stderr
    assert done.stdout.splitlines()[2].split() == row(
        3, "500 ns", "500 ns", "500 ns", 6, "worker")


def test_an_end_without_a_time(shown):
    made = Locks()
    made.begin(1000, 8, READ, chain=TO_CALL)
    made.records.append(made.e.record(68, 0, b"") * 2)
    made.end(0, 8, 0)
    assert shown(made, said="1 wait in which records were lost has no time"
                 )[1][:3] == row(1, "0 ns")


def test_threads(shown):
    made = Locks().wait(1000, 4000).wait(2000, 9000, tid=7)
    assert shown(made, "-t") == [
        row("contended total wait max wait avg wait pid comm"),
        row(1, "7.00 us", "7.00 us", "7.00 us", 7, ":7"),
        row(1, "3.00 us", "3.00 us", "3.00 us", 6, "worker")]


def test_idle_tasks_of_all_cpus(shown):
    """They have one number."""
    made = Locks()
    ident = made.ident
    for cpu, begin, end in ((0, 1000, 4000), (1, 2000, 9000)):
        made.ident = lambda *args, cpu=cpu: dict(ident(*args), cpu=cpu)
        made.wait(begin, end, tid=0)
    assert shown(made)[1][:5] == row(2, "10.00 us", "7.00 us")


@pytest.mark.parametrize("words, header, first", [
    (["-k", "contended"], "contended total wait max wait avg wait",
     row(2, "2.00 us", "1.00 us", "1.00 us")),
    (["-k", "avg_wait"], "contended total wait max wait avg wait",
     row(1, "9.00 us", "9.00 us", "9.00 us")),
    (["-k", "wait_min", "-F", "contended"], "contended min wait",
     row(1, "9.00 us")),
    (["-F", "wait_min,contended,wait_max", "-k", "wait_max"],
     "min wait contended max wait", row("9.00 us", 1, "9.00 us"))])
def test_keys_and_columns(shown, words, header, first):
    made = Locks().wait(1000, 2000).wait(3000, 4000)
    made.wait(10000, 19000, chain=stack("_text", "_text", "_text", "entry"))
    table = shown(made, *words)
    assert table[0] == row(header, "type caller")
    assert table[1][:len(first)] == first
    assert shown(made, "-q", "-E", "1", *words) == table[1:2]


def test_call_chains(run, perfpair, tmp_path):
    (tmp_path / "kallsyms").write_text(KALLSYMS)
    (tmp_path / "t.data").write_bytes(Locks().wait(1000, 4000).bytes())
    assert run([perfpair, "lock", "contention", "-vi", "t.data", "--kallsyms",
                "kallsyms"]).stdout.splitlines()[3:5] == [
        "\t\t\t0xffffffff81000111  rwsem_down_read_slowpath+0x11",
        "\t\t\t0xffffffff81000211  down_read+0x11"]


UNITS = [
    (10**15, "   277.78 h  "), (60 * 10**9, "     1.00 m  "),
    (999999999, "     1.00 s  "), (18355, "    18.35 us "),
    (1000, "     1.00 us "), (999, "      999 ns ")]


def test_units(run, perfpair, tmp_path):
    """As perf has them, who divides in single precision."""
    made = Locks()
    for nr, (ns, _) in enumerate(UNITS):
        made.wait(nr, nr + ns, tid=nr + 10)
    (tmp_path / "t.data").write_bytes(made.bytes())
    lines = run([perfpair, "lock", "contention", "-tqi", "t.data"]).stdout
    assert [line[:50] for line in lines.splitlines()] == [
        "         1 " + text * 3 for _, text in UNITS]


def test_big_endian(shown):
    class Big(Traced):
        pass
    made = Big(LOCK, big_endian=True, with_chains=True)
    made.kernel()
    Locks.wait(made, 1000, 4000)
    assert shown(made)[1] == row(1, "3.00 us", "3.00 us", "3.00 us", "rwsem:R",
                                 "do_call+0x11")


def test_a_recording_of_something_else(shown):
    assert shown(Traced(CALLS), code=1, said=(
        "no waits for locks were recorded\nperfpair: perfpair-record -a -g -e "
        "lock:contention_begin -e lock:contention_end records them (Linux 5.19 "
        "and later); so does perf lock record")) == []


def test_short_samples(shown):
    made = Locks().wait(1000, 4000)
    made.at(0, 5000, raw=b"\x98\1\0\0")
    assert shown(made, code=3, said="1 sample could not be read")[1][0] == "1"


@pytest.mark.parametrize("words, said", [
    (["-k", "no"], "-k takes contended, wait_total, wait_max, wait_min or "
     "avg_wait, not 'no'"),
    (["-F", "contended,no"], "-F takes a list of contended, wait_total, "
     "wait_max, wait_min or avg_wait, not 'no'"),
    (["-b"], "perf's option '-b' is not here"),
    (["--max-stack", "9999"], "--max-stack is at most 1024, not 9999")])
def test_options_that_are_wrong(run, perfpair, words, said):
    done = run([perfpair, "lock", "contention", *words])
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize("word, hint", [
    ("report", "perf lock report, info and script read our recordings, too"),
    ("record", "perfpair-record -a -g -e lock:contention_begin -e "
     "lock:contention_end records")])
def test_only_contention(run, perfpair, word, hint):
    done = run([perfpair, "lock", word])
    assert done.returncode == 2
    assert "lock has the command 'contention' alone" in done.stderr
    assert hint in done.stderr
    assert "usage: perfpair lock contention" in run(
        [perfpair, "lock", "--help"]).stdout.lower()


def test_options_in_front(run, perfpair, tmp_path):
    (tmp_path / "t.data").write_bytes(Locks().wait(1000, 4000).bytes())
    behind = run([perfpair, "lock", "contention", "-i", "t.data"])
    assert behind.returncode == 0
    assert run([perfpair, "lock", "-i", "t.data",
                "contention"]).stdout == behind.stdout
