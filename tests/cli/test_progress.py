"""Work over a second has a line on the terminal that is erased at the end."""

import concurrent.futures
import os
import re

import pytest

from made_file import File
from terminal_run import environment, on_terminal

SHOWN = re.compile(r"\rperfpair: reading \(\d+ s\)\x1b\[K")
ERASED = "\r\x1b[K"


# arguments of shown_by_slow(), which all wait at once
SLOW = {
    "plain": ((),),
    "no data": ((), b"x" * 999),
    "output in a file": ((), None, 1),
    "quiet": (("-q",),),
    "errors in a file": ((), None, 2),
}


def shown_by_slow(perfpair, folder, words=(), data=None, file=None):
    """Reads a pipe whose writer takes its time; file: a descriptor that is the
    file "out", no terminal."""
    (folder / "made.data").write_bytes(data or File().some().bytes())
    os.mkfifo(folder / "pipe")
    script = ('(sleep 1.6; cat made.data) > pipe & exec "$@"')
    return on_terminal(
        ["sh", "-c", script, "sh", perfpair, "report", *words, "-i", "pipe"],
        environment(folder, PAGER="cat"), folder,
        files={file: folder / "out"} if file else None)


@pytest.fixture(scope="module")
def slow(perfpair, tmp_path_factory):
    """{name of SLOW: (what was shown, the text of "out")}"""
    base = tmp_path_factory.mktemp("slow")

    def show(name):
        folder = base / name
        folder.mkdir()
        shown = shown_by_slow(perfpair, folder, *SLOW[name])
        out = folder / "out"
        return shown, out.read_text() if out.exists() else None

    with concurrent.futures.ThreadPoolExecutor(len(SLOW)) as pool:
        return dict(zip(SLOW, pool.map(show, SLOW)))


def test_shown_and_erased(slow):
    shown, _ = slow["plain"]
    assert shown.code == 0
    assert SHOWN.match(shown.text)
    before, after = shown.text.rsplit(ERASED, 1)
    assert not SHOWN.sub("", before)
    assert "# Samples: 3" in after


def test_a_message_stands_on_a_line_of_its_own(slow):
    shown, _ = slow["no data"]
    before, after = shown.text.rsplit(ERASED, 1)
    assert not SHOWN.sub("", before)
    assert after.startswith("perfpair: ")
    assert shown.code == 1


def test_shown_while_the_output_is_a_file(slow):
    shown, out = slow["output in a file"]
    assert SHOWN.match(shown.text)
    assert shown.text.endswith(ERASED)
    assert "# Samples: 3" in out and "\x1b" not in out


def test_not_shown_without_a_terminal_or_with_quiet(slow):
    shown, _ = slow["quiet"]
    assert "reading" not in shown.text and ERASED not in shown.text
    shown, errors = slow["errors in a file"]
    assert "reading" not in shown.text and ERASED not in shown.text
    assert errors == ""


def test_not_shown_for_what_is_fast(perfpair, tmp_path):
    (tmp_path / "made.data").write_bytes(File().some().bytes())
    shown = on_terminal([perfpair, "report", "--stdio", "-i", "made.data"],
                        environment(tmp_path, PAGER="cat"), tmp_path)
    assert "reading" not in shown.text and ERASED not in shown.text
