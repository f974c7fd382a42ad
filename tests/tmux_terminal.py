"""A shell on a terminal that tmux shows: keys are typed, and what is to be seen is
read."""

import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from common import program
from terminal_run import open_terminal

IS_HERE = pytest.mark.skipif(
    not shutil.which("tmux") or not shutil.which("pgrep"),
    reason="tmux or pgrep (procps) is not installed")


class Terminal:
    """A shell in tmux, without the settings of whoever runs this."""

    def __init__(self, folder, columns=100, lines=24):
        self.words = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(lines),
                  f"env -u NO_COLOR PS1='$ ' "
                  f"PATH={os.path.dirname(program('report', 'perfpair'))}:"
                  f"{os.path.dirname(program('record', 'perfpair-record'))}:"
                  f"$PATH sh")
        self.wait(lambda text: "$" in text)

    def tmux(self, *words):
        return subprocess.run([*self.words, *words], capture_output=True,
                              text=True, check=True).stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def text(self):
        return self.tmux("capture-pane", "-p")

    def lines(self):
        return self.text().splitlines()

    def wait(self, is_there, seconds=20):
        """Return the screen once it shows what is waited for."""
        if isinstance(is_there, str):
            words = is_there

            def is_there(text):
                return words in text
        end = time.monotonic() + seconds
        while not is_there(text := self.text()):
            assert time.monotonic() < end, text
            time.sleep(0.05)
        return text

    def run(self, command):
        self.keys("clear", "Enter")
        self.wait(lambda text: "clear" not in text)
        self.keys(command, "Enter")

    def leave(self):
        """Quit, and see the shell with a terminal as it was."""
        self.keys("q")
        # what is typed before the shell asks for it is discarded
        self.wait(lambda text: "h: keys" not in text and
                  text.rstrip().endswith("$"))
        self.is_as_before()

    def is_as_before(self):
        """See that the shell has a terminal that shows what is typed."""
        self.keys("stty -a", "Enter")
        text = self.wait("icanon")
        assert re.search(r"(?<!-)icanon", text)
        assert re.search(r"(?<!-)\becho\b", text)
        assert self.tmux("display-message", "-p",
                         "#{cursor_flag} #{alternate_on}").split() == ["1", "0"]


@pytest.fixture
def terminal(tmp_path):
    for end in open_terminal():
        os.close(end)
    made = Terminal(tmp_path)
    yield made
    server = pathlib.Path("/proc", made.tmux("display-message", "-p", "#{pid}").strip())
    made.tmux("kill-server")
    end = time.monotonic() + 10
    while server.exists() and time.monotonic() < end:
        time.sleep(0.01)


def rows(lines):
    return [re.sub(r"^[+ -] +", "", line).rstrip() for line in lines
            if re.match(r"[+ -] +\d+\.\d+%", line)]
