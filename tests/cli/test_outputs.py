"""Where the programs write: what is no regular file is neither replaced nor
filled by mistake, and nothing is written through somebody else's link."""

import os
import shutil
import signal
import stat
import subprocess
import threading

import pytest

from test_check import FIXTURES

NAME = next(name for name in FIXTURES if name.startswith("records"))
PRECIOUS = "precious\n"


@pytest.fixture
def victim(tmp_path):
    """A file that nobody asked to write to; it holds what it held."""
    path = tmp_path / "victim"
    path.write_text(PRECIOUS)
    yield path
    assert path.read_text() == PRECIOUS


@pytest.fixture
def given(tmp_path):
    (tmp_path / "t.data").write_bytes(FIXTURES[NAME])


@pytest.fixture
def node(tmp_path):
    """node(KIND, MINOR...): a device of its own, or the test is skipped."""
    def make(kind, major, minor):
        path = tmp_path / "node"
        try:
            os.mknod(path, kind | 0o600, os.makedev(major, minor))
        except PermissionError:
            pytest.skip("no device may be made here")
        return path
    return make


WRITERS = {
    "repair": ["repair", "-q", "-f", "t.data", "-o"],
    "json": ["data", "convert", "-f", "-i", "t.data", "--to-json"],
}


@pytest.fixture(params=WRITERS)
def writer(request, perfpair, given):
    return [perfpair, *WRITERS[request.param]]


def test_device_stays_one(writer, node, run):
    null = node(stat.S_IFCHR, 1, 3)
    assert run([*writer, null]).returncode == 0
    assert stat.S_ISCHR(null.lstat().st_mode)


def test_stdout_gets_what_a_file_gets(writer, tmp_path):
    """What is said beside it goes to stderr."""
    words = [word for word in writer if word != "-q"]
    done = subprocess.run([*words, "/dev/stdout"], cwd=tmp_path,
                          capture_output=True, check=True)
    subprocess.run([*words, "file"], cwd=tmp_path, check=True)
    assert done.stdout == (tmp_path / "file").read_bytes()
    assert done.stderr


def test_fifo_gets_what_a_file_gets(writer, run, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE)
    # it opens the FIFO once somebody writes, and we write once it reads
    with open(fifo, "wb"):
        done = run([*writer, fifo])
    read = reader.communicate(timeout=60)[0]
    assert (done.returncode, stat.S_ISFIFO(fifo.lstat().st_mode)) == (0, True)
    assert run([*writer, "file"]).returncode == 0
    assert read == (tmp_path / "file").read_bytes()


def test_fifo_that_nobody_reads(writer, run, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    done = run([*writer, "fifo"])
    assert done.returncode == 1
    assert "fifo: nobody reads this FIFO" in done.stderr


def test_block_device_is_refused(writer, node, run):
    block = node(stat.S_IFBLK, 7, 200)
    done = run([*writer, block])
    assert done.returncode == 1 and "is a block device" in done.stderr
    assert stat.S_ISBLK(block.lstat().st_mode)


def test_link_is_not_written_through(writer, victim, run, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(victim)
    done = run([*writer, link])
    assert done.returncode == 1 and "is a link" in done.stderr
    assert link.is_symlink()


def test_stdout_by_a_link(writer, run, tmp_path):
    (tmp_path / "out").symlink_to("/proc/self/fd/1")
    with open(tmp_path / "got", "wb") as got:
        assert run([*writer, "out"], stdout=got).returncode == 0
    assert (tmp_path / "out").is_symlink()
    assert run([*writer, "file"]).returncode == 0
    assert (tmp_path / "got").read_bytes() == (tmp_path / "file").read_bytes()


def test_failed_json_leaves_what_was_there(perfpair, given, run, tmp_path):
    (tmp_path / "old.json").write_text(PRECIOUS)
    data = (tmp_path / "t.data").read_bytes()
    (tmp_path / "t.data").write_bytes(data[:50])
    done = run([perfpair, "data", "convert", "-f", "-i", "t.data", "--to-json",
                "old.json"])
    assert done.returncode == 1
    assert (tmp_path / "old.json").read_text() == PRECIOUS


@pytest.fixture
def record(run, perfpair_record, may_record):
    return lambda *args, **kw: run([perfpair_record, "-e", "cpu-clock", *args,
                                    "--", "true"], **kw)


def test_record_into_a_fifo(record, perfpair, run, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    done = record("-o", "fifo")
    assert done.returncode == 255
    assert "fifo: nobody reads this FIFO" in done.stderr
    reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE)
    with open(fifo, "wb"):
        done = record("-o", "fifo")
    (tmp_path / "got").write_bytes(reader.communicate(timeout=60)[0])
    assert done.returncode == 0 and stat.S_ISFIFO(fifo.lstat().st_mode)
    assert run([perfpair, "check", "got"]).returncode == 0


def test_record_to_stdout_by_a_link(record, perfpair, run, tmp_path):
    (tmp_path / "out").symlink_to("/proc/self/fd/1")
    with open(tmp_path / "got", "wb") as got:
        assert record("-o", "out", stdout=got).returncode == 0
    assert (tmp_path / "out").is_symlink()
    assert run([perfpair, "check", "got"]).returncode == 0


def test_record_to_devices(record, node, tmp_path):
    null = node(stat.S_IFCHR, 1, 3)
    assert record("-o", null).returncode == 0
    assert stat.S_ISCHR(null.lstat().st_mode)
    null.unlink()
    block = node(stat.S_IFBLK, 7, 200)
    done = record("-o", block)
    assert done.returncode == 255 and "is a block device" in done.stderr
    assert stat.S_ISBLK(block.lstat().st_mode)


@pytest.mark.parametrize("what", ["link", "mode", "owner"])
def test_record_fills_nothing_that_others_have(what, record, tmp_path):
    """An empty file that somebody else can read, or has by another name."""
    out, other = tmp_path / "t.data", tmp_path / "other"
    out.touch(0o600)
    with open(out, "rb") as held:
        if what == "link":
            os.link(out, other)
        elif what == "mode":
            out.chmod(0o644)
        elif os.geteuid():
            pytest.skip("needs root, to give a file away")
        else:
            os.chown(out, 65534, 65534)
        assert record("-o", "t.data").returncode == 0
        assert held.read() == b""
    assert not (tmp_path / "t.data.old").exists()
    assert out.stat().st_size and out.stat().st_mode & 0o777 == 0o600


def test_record_fills_an_empty_file_of_ours(record, tmp_path):
    out = tmp_path / "t.data"
    out.touch(0o600)
    inode = out.stat().st_ino
    assert record("-o", "t.data").returncode == 0
    assert (out.stat().st_ino, out.stat().st_size > 0) == (inode, True)


def test_record_while_a_link_comes_and_goes(record, victim, tmp_path):
    """Whoever may write to the folder switches the output to a link."""
    out, spare = tmp_path / "t.data", tmp_path / "spare"
    ended = threading.Event()

    def switch():
        while not ended.is_set():
            spare.symlink_to(victim)
            spare.rename(out)
            spare.touch(0o600)
            spare.rename(out)

    switcher = threading.Thread(target=switch)
    switcher.start()
    try:
        codes = {record("-q", "-o", "t.data").returncode for _ in range(40)}
    finally:
        ended.set()
        switcher.join()
    assert codes <= {0, 255}
    assert victim.read_text() == PRECIOUS


def test_folder_that_is_removed_meanwhile(perfpair_record, may_record, run,
                                          tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    done = run([perfpair_record, "-e", "cpu-clock", "-o", "gone/t.data", "--",
                "rm", "-r", "gone"])
    assert done.returncode == 255
    assert "gone/t.data: was removed, or its folder was" in done.stderr
    assert "Captured and wrote" not in done.stderr


BUSY = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"


def test_file_that_may_not_grow(perfpair_record, perfpair, may_record, run,
                                tmp_path):
    """ulimit -f: as a full disk, not a death without a word."""
    if not shutil.which("prlimit"):
        pytest.skip("prlimit is not installed")
    done = run(["prlimit", "--fsize=20000", perfpair_record, "-z0", "-e",
                "cpu-clock", "-F", "20000", "-o", "t.data", "--", "sh", "-c",
                BUSY])
    assert done.returncode == 255
    assert "t.data: writing: File too large" in done.stderr
    assert "ulimit -f" in done.stderr
    assert 0 < (tmp_path / "t.data").stat().st_size <= 20000
    assert run([perfpair, "script", "-i", "t.data"]).returncode in (0, 3)


def test_command_has_its_own_signals(perfpair_record, may_record, run):
    """What the recorder ignores, the command does not."""
    done = run([perfpair_record, "-q", "-e", "cpu-clock", "-o", "t.data", "--",
                "grep", "SigIgn", "/proc/self/status"])
    ignored = int(done.stdout.split()[1], 16)
    assert ignored & (1 << (signal.SIGXFSZ - 1)) == 0


def test_ring_without_memory_is_no_limit(perfpair_record, may_record, run,
                                         tmp_path):
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    words = [perfpair_record, "-e", "cpu-clock", "-o", "t.data", "--", "true"]
    run(["strace", "-y", "-o", "trace", "-e", "trace=mmap", *words])
    calls = (tmp_path / "trace").read_text().splitlines()
    last = [nr for nr, call in enumerate(calls, 1) if "perf_event" in call][-1]
    done = run(["strace", "-o", "trace", "-e",
                f"inject=mmap:error=ENOMEM:when={last}", *words])
    assert done.returncode == 0
    assert "rings of 256 KiB, not 512: the kernel is short of memory" in \
        done.stderr
    assert "locked memory" not in done.stderr
