"""Runs a program on a terminal of its own (a pty), and types into it."""

import fcntl
import os
import pty
import select
import struct
import termios
import time
from dataclasses import dataclass

import pytest


@dataclass
class Shown:
    text: str     # all that came to the screen
    status: int   # as of waitpid()

    @property
    def code(self):
        return os.waitstatus_to_exitcode(self.status)


def environment(tmp_path, **more):
    """Without what the machine's user wants; a variable of None is not set."""
    env = dict(os.environ, HOME=str(tmp_path), TZ="UTC", LC_ALL="C", TERM="xterm")
    for name in ("PAGER", "PERF_PAGER", "PERFPAIR_PAGER", "LESS", "NO_COLOR",
                 "COLUMNS"):
        env.pop(name, None)
    env.update((name, value) for name, value in more.items() if value is not None)
    return env


def open_terminal():
    """Both ends of a new one, or the test is skipped."""
    try:
        return os.openpty()
    except OSError as error:
        pytest.skip("no pseudo-terminal can be opened here (is devpts mounted?): "
                    f"{error}")


def start(command, env, columns, cwd, files):
    pid, fd = pty.fork()
    if pid == 0:
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ,
                        struct.pack("HHHH", 24, columns, 0, 0))
            os.chdir(cwd)
            for number, path in files.items():
                os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), number)
            os.execvpe(command[0], command, env)
        finally:
            os._exit(126)
    return pid, fd


def on_terminal(command, env, cwd, columns=200, keys=(), files=None, limit=60):
    """Runs the command until it ends.  keys: what to type, the number of a
    signal to send, or a function to call, each when the screen has stood still
    for half a second.  files: paths by descriptor, which are no terminal."""
    command = [str(word) for word in command]
    for end in open_terminal():
        os.close(end)
    pid, fd = start(command, env, columns, cwd, files or {})
    keys, out, last = list(keys), b"", time.time()
    end = last + limit
    while time.time() < end:
        if select.select([fd], [], [], 0.02)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:  # nobody has the terminal any more
                break
            out, last = out + data, time.time()
        elif keys and time.time() - last > 0.5:
            key = keys.pop(0)
            if callable(key):
                key()
            elif isinstance(key, int):
                os.kill(pid, key)
            else:
                os.write(fd, key)
            last = time.time()
    else:
        os.kill(pid, 9)
    os.close(fd)
    return Shown(out.decode().replace("\r\n", "\n"), os.waitpid(pid, 0)[1])
