"""The words of comments, and of what changed (changed.py), before others read them."""

import re
import subprocess

import pytest

import changed
from common import ROOT


@pytest.fixture(scope="module")
def added():
    """(file, line number, text) of each line that the change adds."""
    begin = changed.base()
    if begin is None:
        pytest.skip("there is no history to compare with")
    text = subprocess.run(["git", "diff", "-U0", "--no-color", begin], cwd=ROOT, check=True,
                          stdout=subprocess.PIPE).stdout.decode(errors="replace")
    lines, name, nr = [], None, 0
    for line in text.split("\n"):
        if line.startswith("+++ "):
            name = line[6:]
        elif line.startswith("@@"):
            nr = int(re.search(r"\+(\d+)", line)[1])
        elif line.startswith("+"):
            lines.append((name, nr, line[1:]))
            nr += 1
    return lines


def found(added, names, pattern):
    return [f"{name}:{nr}: {line.strip()}" for name, nr, line in added
            if re.search(names, name) and re.search(pattern, line)]


def test_words__a_comment_names_its_noun():
    pronoun = re.compile(r"/\* (What|Which|Where|Who|Those|That|These|It|They|One of) ")
    files = [path for room in ("format", "record", "report")
             for path in (ROOT / room).rglob("*.[ch]")]
    assert len(files) > 500
    assert [f"{path.relative_to(ROOT)}: {line.strip()}"
            for path in files for line in path.read_text().splitlines()
            if pronoun.search(line)] == []


def test_words__nothing_is_unfinished(added):
    assert found(added, r"\.(c|h|py|sh|md)$",
                 r"\b(TO" r"DO|FIX" r"ME|HA" r"CK|not (yet )?implemen" r"ted)\b") == []


def test_words__lines_of_documents_fit(added):
    assert found(added, r"\.md$", r"^(?!\|).{101,}") == []


def test_words__no_place_of_this_machine_is_named(added):
    assert found(added, ".", re.escape(str(ROOT.parent)) + "/") == []
