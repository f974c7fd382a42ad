"""Names out of files that only a process sees: below /proc/PID/root, as long as
it lives, where they are known to be the recorded ones."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from common import until
from made_file import File

SOURCE = """\
__attribute__((noinline)) void only_inside(void) { for (;;) __asm__("pause"); }
void _start(void)
{
	__asm__ volatile("syscall" : : "a"(34) : "rcx", "r11", "memory");
	only_inside();
}
"""
IP = 0x401234  # of every sample that File makes
BUILD_ID = "cd" * 20

pytestmark = [
    pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed"),
    pytest.mark.skipif(os.geteuid() != 0, reason="chroot needs root"),
    pytest.mark.skipif(os.uname().machine != "x86_64",
                       reason="the program has x86-64 code"),
]


class Mapped(File):
    """A recording of that process: one map, three samples in it."""

    def __init__(self, pid, name, offset, ino=0, build_id=b""):
        super().__init__()
        e, self.pid = self.e, pid
        name = name.encode() + b"\0"
        file = e.pack("IIQQ", 0, 0, ino, 0)
        if build_id:
            file = e.pack("B3x", 20) + build_id
        self.add(10, e.pack("II", pid, pid)
                 + e.words(IP - 16, 4096, offset - 16) + file
                 + e.pack("II", 5, 2) + name + bytes(-len(name) % 8), 91,
                 misc=0x4002 if build_id else 2)
        for time in (100, 110, 120):
            self.sample(time)

    def ident(self, time, ident=101):
        return dict(super().ident(time, ident), pid=self.pid, tid=self.pid)


def tool(*words):
    return subprocess.run([str(word) for word in words], check=True,
                          capture_output=True, text=True).stdout


@pytest.fixture
def jail(tmp_path):
    """A process that waits in a root of its own, where it is /bin/tool."""
    root = tmp_path / "root"
    (root / "bin").mkdir(parents=True)
    (root / "tmp").mkdir()
    (tmp_path / "tool.c").write_text(SOURCE)
    tool("gcc", "-O1", "-nostdlib", "-static", "-Wl,--build-id=0x" + BUILD_ID,
         "-o", root / "bin/tool", tmp_path / "tool.c")
    process = subprocess.Popen(["/bin/tool"], executable="/bin/tool",
                               preexec_fn=lambda: os.chroot(root))
    yield root, process
    process.kill()
    process.wait()


def offset_of(program):
    symbols = tool("nm", program).splitlines()
    at = int(next(s for s in symbols if s.endswith(" only_inside")).split()[0],
             16)
    for line in tool("readelf", "-lW", program).splitlines():
        words = line.split()
        if words[:1] == ["LOAD"] and "E" in words[6:8]:
            return at - int(words[2], 16) + int(words[1], 16)
    raise AssertionError("no code")


@pytest.fixture
def row(perfpair, run, tmp_path):
    def of(made):
        path = tmp_path / "perf.data"
        path.write_bytes(made.bytes())
        done = run([perfpair, "report", "--raw-addresses", "-q", "-i", path,
                    "-s", "sym"])
        assert done.returncode == 0
        return " ".join(done.stdout.split()), done.stderr
    return of


NAMED = "100.00% [.] only_inside"


def test_container__by_build_id_while_it_lives(jail, row):
    root, process = jail
    made = Mapped(process.pid, "/bin/tool", offset_of(root / "bin/tool"),
                  build_id=bytes.fromhex(BUILD_ID))
    assert row(made) == (NAMED, "")
    process.kill()
    process.wait()
    assert row(made)[0].startswith("100.00% [.] 0x")


def test_container__another_build_id_is_not_taken(jail, row):
    root, process = jail
    made = Mapped(process.pid, "/bin/tool", offset_of(root / "bin/tool"),
                  build_id=bytes(20 * [7]))
    text, told = row(made)
    assert text.startswith("100.00% [.] 0x")
    assert "recorded was 0707" in told


def test_container__by_inode_where_another_file_is_here(jail, row):
    """/bin/true is a file of this machine, too."""
    root, process = jail
    os.link(root / "bin/tool", root / "bin/true")
    offset = offset_of(root / "bin/tool")
    ino = (root / "bin/tool").stat().st_ino
    assert row(Mapped(process.pid, "/bin/true", offset, ino)) == (NAMED, "")
    for other in (0, ino + 1):
        text, _ = row(Mapped(process.pid, "/bin/true", offset, other))
        assert "only_inside" not in text


def child_of(pid):
    """The program that it runs, or None as long as there is none."""
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            text = status.read_text()
            if f"\nPPid:\t{pid}\n" in text and text.startswith("Name:\ttool"):
                return int(status.parent.name)
    return None


@pytest.fixture
def container(jail):
    """The same where it has a number of its own: 1."""
    root, _ = jail
    process = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child",
                                "--root", root, "/bin/tool"])
    yield root, until(lambda: child_of(process.pid), process)
    process.kill()
    process.wait()


def test_container__perf_map(container, row):
    root, pid = container
    (root / "tmp/perf-1.map").write_text(f"{IP - 16:x} 40 made_inside\n")
    made = Mapped(pid, "//anon", 0x1000)
    assert row(made) == ("100.00% [.] made_inside", "")


def test_container__perf_map_of_a_process_in_none(jail, row):
    """A chroot alone is none: its process can be any of that number."""
    root, process = jail
    (root / f"tmp/perf-{process.pid}.map").write_text(
        f"{IP - 16:x} 40 made_inside\n")
    text, _ = row(Mapped(process.pid, "//anon", 0x1000))
    assert text.startswith("100.00% [.] 0x")


def test_container__links_do_not_lead_out(jail, row, tmp_path):
    root, process = jail
    tool_path = root / "bin/tool"
    made = Mapped(process.pid, "/bin/link", offset_of(tool_path),
                  build_id=bytes.fromhex(BUILD_ID))
    outside = tmp_path / "outside"
    shutil.copy(tool_path, outside)
    (root / "bin/link").symlink_to(outside)
    assert row(made)[0].startswith("100.00% [.] 0x")
    (root / "bin/link").unlink()
    (root / "bin/link").symlink_to("/bin/tool")
    assert row(made) == (NAMED, "")


def test_container__what_its_user_has_mounted(jail, row, open_folder):
    """A program that root alone may read, with the build-id of the recorded one."""
    root, _ = jail
    shutil.copy(root / "bin/tool", open_folder / "secret")
    (open_folder / "secret").chmod(0o700)
    command = ("mount -t tmpfs none /mnt && touch /mnt/tool && mount -c --bind "
               "secret /mnt/tool && echo mounted && exec sleep 60")
    with subprocess.Popen(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "unshare",
             "-Urm", "sh", "-c", command], cwd=open_folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            if process.stdout.readline() != "mounted\n":
                pytest.skip("no user namespaces here: " + process.stderr.read())
            made = Mapped(process.pid, "/mnt/tool", offset_of(root / "bin/tool"),
                          build_id=bytes.fromhex(BUILD_ID))
            text, said = row(made)
            (open_folder / "secret").chmod(0o755)
            assert row(made) == (NAMED, "")
        finally:
            process.kill()
    assert text.startswith("100.00% [.] 0x")
    assert (f"left out, as the user whose file or recording names it may not read "
            f"it: /proc/{process.pid}/root/mnt/tool (of user 65534)") in said
