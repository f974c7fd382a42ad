"""What perf says of recordings that do not change, out of a table instead of perf:
fixtures/frozen/README.md has the why and the form.

A question is a command line and how its text is compared (the name of the function
that does so: its form).  A peer is asked; there are two of the same kind:
Live is perf on this machine, Remembered the table.
"""

import hashlib
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

from common import ROOT
from peer_text import own_lines_out, same_text, without_hints

FOLDER = ROOT / "fixtures" / "frozen"
ANSWERS = FOLDER / "answers"
# all that either reader asks its environment for
OUR_ENV = {"HOME": "/nonexistent", "TZ": "UTC", "LC_ALL": "C", "COLUMNS": "80",
           "PAGER": "cat", "PERF_CONFIG": "/dev/null"}
ENV = OUR_ENV | {"PATH": "bin"}
# perf asks it about the running machine's debug files, which are those of some build
# or are not there, whatever --symfs says
ADDR2LINE = """#!/bin/sh
while read -r word; do
	echo "??"
	echo "??:0"
done
"""
WITH_KALLSYMS, WITH_SYMFS = {"script", "report", "diff"}, {"annotate"}
DIGITS = 24  # of a digest; nobody makes collisions here
SIGNAL = "perf 6.1 ends in a signal (build-id.c:1010, mostly)"


def plain(text):
    """perf names its own copy of the vdso at random."""
    return re.sub(r"/tmp/perf-vdso\.so-\w{6}", "[vdso]", text)


def timeless(text):
    """Without the time of the file, which is unpacked in each run."""
    return re.sub(r"^# captured on *:.*\n", "", text, flags=re.M)


def digest(data):
    if isinstance(data, str):
        data = data.encode(errors="surrogateescape")
    return hashlib.sha256(data).hexdigest()[:DIGITS]


class Contents:
    """Digests of files and folders, by what is in them."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            if path.is_dir():
                inner = [[name.relative_to(path).as_posix(), self.of(name)]
                         for name in sorted(path.rglob("*")) if name.is_file()]
                self.known[path] = digest(json.dumps(inner))
            else:
                self.known[path] = digest(path.read_bytes())
        return self.known[path]


class Frozen:
    """The frozen set, unpacked as it is asked for."""

    def __init__(self, folder):
        self.folder, self.contents = folder, Contents()
        self.root = folder / "root"
        with tarfile.open(FOLDER / "root.tar.xz") as tar:
            tar.extractall(self.root)
        self.kallsyms = self.root / "kallsyms"
        (folder / "bin").mkdir()
        (folder / "bin" / "addr2line").write_text(ADDR2LINE)
        (folder / "bin" / "addr2line").chmod(0o755)

    def __call__(self, name):
        """The path of a recording: GROUP/name, its blanks as in RECORDINGS."""
        group, _, rest = name.partition("/")
        rest = rest.replace(" ", "-").replace(",", "")
        path = self.folder / group / f"{rest}.data"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            packed = FOLDER / group / f"{rest}.data.xz"
            path.write_bytes(lzma.decompress(packed.read_bytes()))
        return path

    def words(self, verb):
        """What makes a command independent of the machine."""
        if verb in WITH_KALLSYMS:
            return ["--symfs", self.root, "--kallsyms", self.kallsyms]
        return ["--symfs", self.root] if verb in WITH_SYMFS else []


class Table:
    """One file of answers, one line each: key, status, digest, number of lines,
    question."""

    def __init__(self, path):
        self.path, self.version, self.rows, self.asked = path, "", {}, {}
        if not path.exists():
            return
        head, *lines = path.read_text().splitlines()
        self.version = head.removeprefix("# ")
        for line in lines:
            key, status, value, nr, question = line.split(" ", 4)
            self.rows[key] = (status, value, int(nr), question)

    def begin(self, version):
        """Of another perf nothing is known."""
        if version != self.version:
            self.version, self.rows = version, {}

    def write(self):
        """What was asked, and what else is known but of other files."""
        if not self.asked:
            return
        asked = {question for *_, question in self.asked.values()}
        rows = {key: row for key, row in self.rows.items()
                if row[3] not in asked} | self.asked
        lines = sorted((row[3], key, *map(str, row[:3]))
                       for key, row in rows.items())
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text("\n".join(
            [f"# {self.version}", *(" ".join([*line[1:], line[0]])
                                    for line in lines)]) + "\n")


class Answer:
    """What perf printed, or what is known of it.  check(ours): fails unless it is
    what we print."""

    def __init__(self, status, text=None, lines_nr=0, stderr=""):
        self.is_refusal = status == "refused"
        self.status, self.text, self.lines_nr = status, text, lines_nr
        self.stderr = stderr

    def check(self, ours):
        same_text(self.text, ours)


class Known(Answer):
    """ask(): asks perf after all; None without it."""

    def __init__(self, row, ask):
        super().__init__(row[0], lines_nr=row[2])
        self.value, self.ask = row[1], ask

    def check(self, ours):
        if digest(ours) == self.value:
            return
        theirs = self.ask()
        if not theirs:
            pytest.fail("this is not what perf 6.1 printed; where that is installed,"
                        " the test shows the first line that differs")
        same_text(theirs.text, ours)
        pytest.fail("perf prints what we print, but printed something else when it "
                    "was asked for fixtures/frozen: pytest --ask-perf asks anew")


class Peer:
    """What both kinds can do.  Subclasses have ours(WORD...), the process of
    perfpair, and answer(form, WORD...), what perf says."""

    def both(self, *words, may_be_empty=False, form=plain):
        """Neither may complain, but for why nothing is shown, and what they print
        is the same."""
        ours = self.ours(*words)
        assert not without_hints(ours.stderr) or may_be_empty and not ours.stdout
        assert ours.returncode == 0
        text = form(own_lines_out(ours.stdout))
        theirs = self.answer(form, *words)
        assert theirs.lines_nr or may_be_empty
        theirs.check(text)
        return ours.stdout

    def same(self, *words, form=plain, least=1):
        """The same is printed, and so many lines of it; returns our text."""
        ours = self.ours(*words)
        assert ours.returncode == 0, ours.stderr
        text = form(own_lines_out(ours.stdout))
        theirs = self.answer(form, *words)
        assert not theirs.is_refusal, theirs.stderr
        assert theirs.lines_nr >= least
        theirs.check(text)
        return ours.stdout

    def refuses(self, *words):
        return self.answer(plain, *words).is_refusal

    def says(self, what, *words):
        """Whether perf says so on stderr."""
        raise NotImplementedError


def ask(perf, words, form, **kw):
    """perf's answer.  It ends in a signal now and then."""
    for _ in range(2):
        # called by a path it would look for programs there, too
        done = subprocess.run(["perf", *map(str, words)], executable=perf, text=True,
                              errors="surrogateescape", check=False,
                              capture_output=True, timeout=120, **kw)
        if done.returncode >= 0:
            break
    else:
        pytest.skip(SIGNAL)
    text = form(done.stdout)
    return Answer("refused" if done.returncode else "ok", text,
                  len(text.splitlines()), done.stderr)


class Live(Peer):
    def __init__(self, run, perf, perfpair, home):
        self.run, self.perf, self.perfpair = run, perf, perfpair
        self.asked = {}
        self.env = dict(os.environ, HOME=str(home), TZ="UTC", LC_ALL="C",
                        PAGER="cat")

    def ours(self, *words, **kw):
        return self.run([self.perfpair, *words], env=self.env, **kw)

    def answer(self, form, *words):
        if (form, words) not in self.asked:
            self.asked[form, words] = ask(self.perf, words, form, env=self.env)
        return self.asked[form, words]

    def says(self, what, *words):
        return what in self.answer(plain, *words).stderr


class Remembered(Peer):
    """mode: "known" asks perf about nothing, "ask" about everything that it writes
    into the table, "again" about everything that it compares with the table."""

    def __init__(self, run, perfpair, frozen, table, mode):
        self.run, self.perfpair = run, perfpair
        self.frozen, self.table, self.mode = frozen, table, mode
        self.perf = shutil.which("perf")

    def all_words(self, words):
        verb, *rest = words
        return [verb, *self.frozen.words(verb), *rest]

    def as_typed(self, words):
        """Files of the set by their names in it, as both are shown them."""
        return [word.relative_to(self.frozen.folder)
                if isinstance(word, pathlib.Path) and
                word.is_relative_to(self.frozen.folder) else word
                for word in self.all_words(words)]

    def ours(self, *words, **kw):
        done = self.run([self.perfpair, *self.as_typed(words)],
                        env=dict(os.environ, **OUR_ENV), cwd=self.frozen.folder, **kw)
        done.stdout = timeless(done.stdout)
        return done

    def question(self, form, words):
        """(key, question): the first of all that the answer depends on, the
        second for people."""
        exact, shown = [], []
        for word in self.all_words(words):
            if isinstance(word, pathlib.Path):
                exact.append(["file", self.frozen.contents.of(word)])
            else:
                assert not str(word).startswith((str(ROOT), "/tmp/")), \
                    f"a file has to be a Path, or its contents are not asked: {word}"
                exact.append(str(word))
        for word in words:
            shown.append(word.name if isinstance(word, pathlib.Path) else str(word))
        key = json.dumps([self.table.version, ENV, ADDR2LINE, form, exact])
        return digest(key)[:16], json.dumps([form, *shown])[1:-1]

    def asked(self, form, words):
        """What perf says of the frozen set now."""
        return ask(self.perf, self.as_typed(words),
                   lambda text: form(timeless(text)), env=ENV,
                   cwd=self.frozen.folder)

    def row(self, name, words, told):
        """The row of a question; told(): what perf's answer would put into it."""
        if self.mode == "ask":
            self.table.begin(version(self.perf))
        key, question = self.question(name, words)
        if self.mode == "ask":
            self.table.asked[key] = self.table.rows[key] = (*told(), question)
        row = self.table.rows.get(key)
        if not row:
            pytest.fail(f"{self.table.path.name} has no answer of perf 6.1 to this "
                        f"question about these files; pytest --ask-perf asks it: "
                        f"{question}")
        if self.mode == "again":
            assert (*told(), question) == row, f"{version(self.perf)} says something " \
                f"else than {self.table.version} did"
        return row

    def answer(self, form, *words):
        assert form.__name__ != "<lambda>", "a form needs a name"

        def told():
            theirs = self.asked(form, words)
            return theirs.status, digest(theirs.text), theirs.lines_nr

        return Known(self.row(form.__name__, words, told),
                     lambda: self.asked(form, words) if self.perf else None)

    def says(self, what, *words):
        def told():
            theirs = self.asked(plain, words)
            return theirs.status, "yes" if what in theirs.stderr else "no", 0

        return self.row(f"says {what}", words, told)[1] == "yes"


def version(perf):
    assert perf, "--ask-perf needs perf"
    return subprocess.run([perf, "--version"], capture_output=True, text=True,
                          check=True).stdout.strip()


def mode_of(config):
    if config.getoption("--ask-perf"):
        assert not config.getoption("numprocesses", None), \
            "--ask-perf writes tables: one process"
        return "ask"
    if os.environ.get("PERFPAIR_LANE") == "--slow" and shutil.which("perf"):
        return "again"
    return "known"


@pytest.fixture(scope="session")
def frozen(tmp_path_factory):
    """frozen(GROUP/NAME): a recording of the frozen set."""
    return Frozen(tmp_path_factory.mktemp("frozen"))


@pytest.fixture(scope="module")
def answers(request):
    """The table of a test module."""
    table = Table(ANSWERS / request.module.__name__)
    yield table
    table.write()


@pytest.fixture
def remembered(request, run, perfpair, frozen, answers):
    """perfpair, and what perf is known to print, of files that do not change."""
    return Remembered(run, perfpair, frozen, answers, mode_of(request.config))
