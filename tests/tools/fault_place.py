"""Where fault_trial.py tries the recorder: a disk, mounts and a control group of its own,
the programs that run beside it, a service manager that listens, and helpers."""

import collections
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DISK_LEN = 32 << 20
VARIANTS = 6


def call(*words, **kw):
    return subprocess.run([str(word) for word in words], check=True, **kw)


def until(condition, seconds):
    """Whether condition() came true in time."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def outside(lo, hi, ranges):
    """The length of what no range has of [lo, hi]."""
    length = 0
    for begin, end in sorted(ranges):
        length += max(0, min(begin, hi) - lo)
        lo = max(lo, min(end, hi))
    return length + hi - lo


def sample_times(text):
    """{CPU: times} of perfpair script -F cpu,time."""
    found = collections.defaultdict(list)
    for cpu, at in re.findall(r"\[(\d+)\]\s+([\d.]+):", text):
        found[int(cpu)].append(float(at))
    return found


def many_sections(data):
    """e_shnum 0: the number stands in the first section, 33 million."""
    at, = struct.unpack_from("<Q", data, 0x28)
    struct.pack_into("<H", data, 0x3c, 0)
    struct.pack_into("<Q", data, at + 0x20, 1 << 25)
    return data


def long_sections(data):
    """Symbols and notes of 2 GiB, all of it a hole."""
    at, = struct.unpack_from("<Q", data, 0x28)
    for nr in range(struct.unpack_from("<H", data, 0x3c)[0]):
        if struct.unpack_from("<I", data, at + 64 * nr + 4)[0] in (2, 7, 11):
            struct.pack_into("<2Q", data, at + 64 * nr + 0x18, 1 << 30, 2 << 30)
    return data


class Manager(threading.Thread):
    """A service manager's socket, and the messages that came, with times."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.at, self.came = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), []
        self.at.bind(str(path))
        path.chmod(0o666)
        self.start()

    def run(self):
        while True:
            text = self.at.recv(2000).decode(errors="replace")
            self.came.append((time.monotonic(), text))

    def since(self, begin, word):
        return [at for at, text in list(self.came) if at >= begin and word in text]


class Place:
    """A folder with the disk, a tmpfs of programs, a mount point, and a control group;
    undo removes all of it."""

    def __init__(self, undo):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="perfpair-trial-"))
        undo.callback(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.disk, self.apps, self.mount = (self.folder / name
                                            for name in ("disk", "apps", "mount"))
        for path in (self.disk, self.apps, self.mount):
            path.mkdir()
        (self.folder / "image").touch()
        os.truncate(self.folder / "image", DISK_LEN)
        call("mkfs.ext4", "-q", "-m0", self.folder / "image")
        # a loop device that goes with its mount
        call("mount", "-o", "loop,noatime", self.folder / "image", self.disk)
        undo.callback(call, "umount", self.disk)
        self.disk.chmod(0o777)
        call("mount", "-t", "tmpfs", "-o", "size=256M", "trial", self.apps)
        undo.callback(call, "umount", "-l", self.apps)
        undo.callback(subprocess.run, ["umount", "-l", self.mount],  # if a fault was ended
                      stderr=subprocess.DEVNULL)
        groups = pathlib.Path("/sys/fs/cgroup")
        is_v1 = (groups / "memory").is_dir()
        if not is_v1:
            (groups / "cgroup.subtree_control").write_text("+memory")
        self.group = groups / ("memory" if is_v1 else "") / f"perfpair-trial-{os.getpid()}"
        self.group.mkdir()
        undo.callback(self.group.rmdir)
        self.limit = self.group / ("memory.limit_in_bytes" if is_v1 else "memory.max")

    def make_programs(self, chance):
        """Variants of one program, whose functions have names of their own, and such as
        take the time and the space of others."""
        source = (ROOT / "tests/tools/fault_app.c").read_text()
        names = ["".join(chance.choices("abcdefgh", k=60000)) for _ in range(60)]
        aliases = "".join(f'__asm__(".globl {name}\\n.set {name}, work_0");\n'
                          for name in names)
        self.variants = [self.folder / f"app{nr}" for nr in range(VARIANTS)]
        self.bombs = [self.apps / name for name in ("aliases", "many", "long")]
        for nr, path in enumerate([*self.variants, self.bombs[0]]):
            # WEIGHT: code of its own, and so a build-id of its own
            call("gcc", "-O1", f"-DWORK=work_{nr % VARIANTS}", f"-DWEIGHT={nr + 2}",
                 "-x", "c", "-o", path, "-", text=True,
                 input=source + (aliases if nr == VARIANTS else ""))
        for path, change in zip(self.bombs[1:], (many_sections, long_sections)):
            path.write_bytes(change(bytearray(self.variants[0].read_bytes())))
            os.truncate(path, 4 << 30)
            path.chmod(0o755)
