"""Work over a second has a line on the terminal that is erased at the end."""

import os
import re

from made_file import File
from terminal_run import environment, on_terminal

SHOWN = re.compile(r"\rperfpair: reading \(\d+ s\)\x1b\[K")
ERASED = "\r\x1b[K"


def shown_by_slow(perfpair, tmp_path, *words, data=None, **kw):
    """Reads a pipe whose writer takes its time."""
    (tmp_path / "made.data").write_bytes(data or File().some().bytes())
    os.mkfifo(tmp_path / "pipe")
    script = ('(sleep 1.6; cat made.data) > pipe & exec "$@"')
    return on_terminal(["sh", "-c", script, "sh", perfpair, *words, "-i", "pipe"],
                       environment(tmp_path, PAGER="cat"), tmp_path, **kw)


def test_shown_and_erased(perfpair, tmp_path):
    shown = shown_by_slow(perfpair, tmp_path, "report")
    assert shown.code == 0
    assert SHOWN.match(shown.text)
    before, after = shown.text.rsplit(ERASED, 1)
    assert not SHOWN.sub("", before)
    assert "# Samples: 3" in after


def test_a_message_stands_on_a_line_of_its_own(perfpair, tmp_path):
    shown = shown_by_slow(perfpair, tmp_path, "report", data=b"x" * 999)
    before, after = shown.text.rsplit(ERASED, 1)
    assert not SHOWN.sub("", before)
    assert after.startswith("perfpair: ")
    assert shown.code == 1


def test_shown_while_the_output_is_a_file(perfpair, tmp_path):
    shown = shown_by_slow(perfpair, tmp_path, "report",
                          files={1: tmp_path / "out"})
    assert SHOWN.match(shown.text)
    assert shown.text.endswith(ERASED)
    assert "\x1b" not in (tmp_path / "out").read_text()


def test_not_shown_without_a_terminal_or_with_quiet(perfpair, tmp_path, run):
    shown = shown_by_slow(perfpair, tmp_path, "report", "-q")
    assert "reading" not in shown.text and ERASED not in shown.text
    (tmp_path / "pipe").unlink()
    shown = shown_by_slow(perfpair, tmp_path, "report",
                          files={2: tmp_path / "err"})
    assert "reading" not in shown.text and ERASED not in shown.text
    assert (tmp_path / "err").read_text() == ""


def test_not_shown_for_what_is_fast(perfpair, tmp_path):
    (tmp_path / "made.data").write_bytes(File().some().bytes())
    shown = on_terminal([perfpair, "report", "-i", "made.data"],
                        environment(tmp_path, PAGER="cat"), tmp_path)
    assert "reading" not in shown.text and ERASED not in shown.text
