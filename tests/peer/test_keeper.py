"""What is gone at the end of a recording has its names: files and JIT maps are
kept while they are there.  Maps of others, links and FIFOs are not believed."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from common import until, until_said

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64",
                                reason="the workload makes code for x86-64")


@pytest.fixture
def recorded(perfpair_record, may_record, perfpair, run, tmp_path):
    """recorded(ACTION): the (command, symbol) that a recording has of what the
    action ran, read without any file of this machine.  It is of our own children:
    beside a browser or a database their files may be more than are held."""
    def record(action):
        with subprocess.Popen(
                [perfpair_record, "-p", str(os.getpid()), "-e", "cpu-clock",
                 "-F", "2000", "--carry-time", "20s", "-o", "t.data"], cwd=tmp_path, stderr=subprocess.PIPE,
                text=True) as process:
            try:
                until_said(process)
                record.recorder = process
                action()
                process.send_signal(signal.SIGINT)
                said = process.communicate(timeout=60)[1]
            finally:
                process.kill()
        assert "no names" not in said
        (tmp_path / "empty").mkdir()
        done = run([perfpair, "report", "--stdio", "--symfs", "empty",
                    "--kallsyms", "/dev/null", "-i", "t.data", "-F", "comm,sym",
                    "-t", ","])
        assert done.returncode == 0, done.stderr
        return [tuple(word.strip() for word in line.split(",", 1))
                for line in done.stdout.splitlines() if "," in line]

    return record


@pytest.fixture
def root():
    if os.geteuid():
        pytest.skip("needs root")


def remove(path):
    pathlib.Path(path).unlink(missing_ok=True)


def holds(process, path):
    """Whether it has a descriptor of the file."""
    for fd in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            if fd.readlink() == path:
                return True
        except FileNotFoundError:
            pass
    return False


def cpu_s(process):
    """The seconds of a CPU that it has had."""
    text = pathlib.Path(f"/proc/{process.pid}/schedstat").read_text()
    return int(text.split()[0]) / 1e9


def test_keeper__deleted_right_after_its_start(recorded, workload, tmp_path):
    path = tmp_path / "goes"

    def action():
        shutil.copy(workload("spin"), path)
        with subprocess.Popen([path, "500", "cpu"]):
            path.unlink()

    assert ("goes", "[.] leaf_hash") in recorded(action)


def test_keeper__replaced_by_another_build(recorded, workload, tmp_path):
    """Both builds have their own names, at the same path."""
    path = tmp_path / "build"

    def action():
        shutil.copy(workload("spin"), path)
        with subprocess.Popen([path, "60000"]) as p:
            until(lambda: holds(recorded.recorder, path), p)
            shutil.copy(workload("threads"), tmp_path / "next")
            (tmp_path / "next").rename(path)
            until(lambda: cpu_s(p) > 0.3, p)
            p.kill()

    rows = recorded(action)
    assert ("build", "[.] leaf_hash") in rows
    assert ("build", "[.] leaf_sort") in rows or ("build", "[.] compare") in rows


def test_keeper__half_a_second_in_a_mount_namespace(recorded, root, workload):
    """Whatever the time since the last look, of which four are in a second."""
    def action():
        started = []
        for i in range(5):
            started.append(subprocess.Popen(
                ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt && cp "
                 f"$0 /mnt/hidden{i} && exec /mnt/hidden{i} 500 cpu",
                 workload("spin")], stderr=subprocess.PIPE, text=True))
            time.sleep(0.06)
        said = "".join(process.communicate()[1] for process in started)
        if "unshare" in said or "mount" in said:
            pytest.skip("no mount namespaces here")

    rows = recorded(action)
    for i in range(5):
        assert (f"hidden{i}", "[.] leaf_hash") in rows


@pytest.mark.parametrize("end", ["remove", "keep"])
def test_keeper__jit_map_that_goes(end, recorded, workload):
    """The program removes its map, or somebody else does after its end."""
    def action():
        # long enough for a keeper that waits for a CPU
        with subprocess.Popen([workload("mapped_code"), "-", "1.5", end]) as p:
            pass
        remove(f"/tmp/perf-{p.pid}.map")

    assert ("mapped_code", f"[.] compiled_{end}") in recorded(action)


def test_keeper__jit_map_in_a_namespace(recorded, root, workload):
    """A pid and a /tmp of its own, which end with it."""
    def action():
        done = subprocess.run(
            ["unshare", "-m", "-p", "-f", "sh", "-c", "exec 3<$0 && mount "
             "-t tmpfs none /tmp && exec /proc/self/fd/3 - 1 keep", workload("mapped_code")], stderr=subprocess.PIPE)
        if b"unshare" in done.stderr or b"mount" in done.stderr:
            pytest.skip("no namespaces here")

    names = [sym for _, sym in recorded(action)]
    assert "[.] compiled_keep" in names


IS_BELIEVED = {"own": True, "root's": True, "other's": False, "link": False,
               "fifo": False}


def leave_map(what, written, path):
    """Such a map of a process of user 65534 at path."""
    if what == "fifo":
        os.mkfifo(path)
        os.chown(path, 65534, 65534)
    elif what == "link":
        os.symlink(written, path)
        os.chown(path, 65534, 65534, follow_symlinks=False)
    else:
        user = {"own": 65534, "root's": 0}.get(what, 1)
        shutil.copy(written, path + ".new")
        os.chown(path + ".new", user, user)
        os.rename(path + ".new", path)


def test_keeper__whose_map_counts(recorded, root, workload, open_folder):
    def action():
        started = {}
        for what in IS_BELIEVED:
            program = shutil.copy(workload("mapped_code"), open_folder / what)
            written = open_folder / f"{what}.map"
            started[what] = subprocess.Popen(
                [program, written, "1.5", "keep"], user=65534, group=65534)
            until(lambda: written.exists() and written.stat().st_size,
                  started[what])
            leave_map(what, written, f"/tmp/perf-{started[what].pid}.map")
        for process in started.values():
            process.wait()
            remove(f"/tmp/perf-{process.pid}.map")

    rows = recorded(action)
    assert {what: (what, "[.] compiled_keep") in rows for what in IS_BELIEVED} \
        == IS_BELIEVED
    assert {comm for comm, _ in rows} >= set(IS_BELIEVED)
