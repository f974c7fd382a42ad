"""What a recorder holds open of the programs that it names: what stands at its path for
three seconds at most, nothing on a mount that a user made, and the rest for as long as
its process lives and a moment longer.  Names are there all the same."""

import contextlib
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time

import pytest

from common import until, until_said

pytestmark = [pytest.mark.records,
              pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]
HELD_MAX = 64


class Recorder:
    def __init__(self, process, folder):
        self.process, self.folder = process, folder

    def descriptors(self):
        """(its file, the id of its mount, its path) of each."""
        found = []
        for path in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                info = (path.parent.parent / "fdinfo" / path.name).read_text()
                mount = int(info.split("mnt_id:")[1].split()[0])
                found.append((os.stat(path), mount, os.readlink(path)))
        return found

    def holds_mount(self, mount):
        return any(mount == held for _, held, _ in self.descriptors())

    def holds_file(self, file):
        return any(os.path.samestat(file, held) for held, _, _ in self.descriptors())

    def until_it_has_read(self):
        """The follower has read records, and the files that they hit, three times: it
        ran and sleeps again.  If others use all CPUs, each takes a while."""
        def cpu_ns():
            for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    if (task / "comm").read_text() == "follower\n" and \
                            " S " in (task / "stat").read_text():
                        return int((task / "schedstat").read_text().split()[0])
            return 0

        for _ in range(3):
            before = cpu_ns()
            until(lambda: cpu_ns() > before, self.process)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == -signal.SIGINT, said
        assert "no names" not in said


@pytest.fixture
def recorder(perfpair_record, may_record, tmp_path):
    (tmp_path / "out").mkdir()
    with subprocess.Popen(
            [perfpair_record, "-a", "-g", "-e", "cpu-clock", "-F", "499",
             "--flush-interval", "200ms", "-o", "out/t.data"],
            cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            until_said(process)
            yield Recorder(process, tmp_path)
        finally:
            process.kill()


@pytest.fixture
def symbols(perfpair, run, tmp_path):
    """symbols(comm): of the recording, without any file of this machine."""
    def read(comm):
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = run([perfpair, "report", "--stdio", "-g", "none", "--symfs", "empty",
                    "--comms", comm, "-i", "out/t.data", "-F", "sym"])
        assert done.returncode == 0, done.stderr
        return done.stdout

    return read


def mount_id(point, pid="self"):
    for line in pathlib.Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
        words = line.split()
        if words[4] == str(point):
            return int(words[0])
    return None


@pytest.fixture
def mounted(tmp_path):
    point = tmp_path / "mt"
    point.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "none", point],
                      stderr=subprocess.DEVNULL).returncode:
        pytest.skip("nothing can be mounted here")
    yield point
    subprocess.run(["umount", "-l", point], stderr=subprocess.DEVNULL)


def test_held__nothing_of_a_mount_whose_program_ran(recorder, mounted, workload,
                                                    symbols):
    mount = mount_id(mounted)
    program = shutil.copy(workload("spin"), mounted / "passes")
    with subprocess.Popen([program, "60000"], stdout=subprocess.DEVNULL) as process:
        recorder.until_it_has_read()
        process.kill()
    until(lambda: not recorder.holds_mount(mount), recorder.process)
    # another recorder on this machine may hold it
    subprocess.run(["umount", "-l", mounted], check=True)
    assert len(recorder.descriptors()) < HELD_MAX
    recorder.end()
    assert "leaf_hash" in symbols("passes")


@pytest.mark.parametrize("when", ["at once", "later"])
def test_held__a_deleted_program_while_it_lives(when, recorder, workload, symbols,
                                                tmp_path):
    program = pathlib.Path(shutil.copy(workload("spin"), tmp_path / "deleted"))
    file = program.stat()
    with subprocess.Popen([program, "60000"], stdout=subprocess.DEVNULL) as process:
        if when == "later":
            recorder.until_it_has_read()
            until(lambda: not recorder.holds_file(file), recorder.process)
        program.unlink()
        recorder.until_it_has_read()
        process.kill()
    until(lambda: not recorder.holds_file(file), recorder.process)
    recorder.end()
    assert "leaf_hash" in symbols("deleted")


def test_held__nothing_of_a_mount_that_a_user_made(recorder, workload, symbols,
                                                   open_folder):
    program = shutil.copy(workload("spin"), open_folder / "users")
    with subprocess.Popen(
            ["unshare", "-Ur", "-m", "sh", "-c", "mount -t tmpfs none /mnt && cp "
             f"{program} /mnt && exec /mnt/users 60000"], user=65534, group=65534,
            extra_groups=[], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as process:
        def is_there():
            if process.poll() is not None:
                pytest.skip("users make no mounts here")
            with contextlib.suppress(OSError):
                return os.readlink(f"/proc/{process.pid}/exe") == "/mnt/users"

        until(is_there)
        mount = mount_id("/mnt", process.pid)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            seen = [recorder.descriptors() for _ in range(50)]
            # a file that is being read is no file that is held
            assert not all(any(mount == held for _, held, _ in one) for one in seen)
        recorder.until_it_has_read()
        process.kill()
    until(lambda: not recorder.holds_mount(mount), recorder.process)
    recorder.end()
    assert "leaf_hash" in symbols("users")


@pytest.mark.skipif(os.uname().machine != "x86_64",
                    reason="the workload makes code for x86-64")
@pytest.mark.parametrize("end", ["of_its_process", "of_the_map"])
def test_held__a_perf_map_but_no_folder(end, recorder, workload, symbols):
    with subprocess.Popen([workload("mapped_code"), "-", "60", "keep"]) as process:
        path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
        try:
            until(lambda: path.exists() and path.stat().st_size)
            file = path.stat()
            until(lambda: recorder.holds_file(file), recorder.process)
            recorder.until_it_has_read()
            assert not [held for held, _, name in recorder.descriptors()
                        if stat.S_ISDIR(held.st_mode)
                        and name not in ("/proc", str(recorder.folder / "out"))]
            if end == "of_the_map":
                path.unlink()
                until(lambda: not recorder.holds_file(file), recorder.process)
        finally:
            process.kill()
            path.unlink(missing_ok=True)
    until(lambda: not recorder.holds_file(file), recorder.process)
    recorder.end()
    assert "compiled_keep" in symbols("mapped_code")
