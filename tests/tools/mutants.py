#!/usr/bin/env python3
"""mutants.py [OPTIONS] --stage FOLDERS COMMAND...: which test finds a small mistake.

Draws changes of one line in functions of format/, record/ and report/, evenly over
their rooms: a comparison turned round or off by one, + for -, && for ||, a constant
changed by one, a condition negated, rc that is not returned, a statement that is
missing.  Each is built below build/mutants, tested stage by stage until a test fails,
and taken back; a test that fails then, too, is left out from there on.  A line of the
TSV is: file:line, the line before and after, what found it ("-": nothing; "?": a stage
was cut off or did not run), seconds.

A stage is for mutants of FOLDERS and runs COMMAND in the checkout --tests.  COMMAND is
"unit", the unit tests of the room, "units", all of them, or a shell's, in which {near}
stands for the files of tests that speak most of the mutant's words, {all} for all, these
first:

    mutants.py --stage format,record,report unit --stage report \\
        'timeout -s INT 300 python3 -m pytest -q -x -m "not builds" {near}'

--again TSV tries the mutants of an earlier run, each with the test that found it
first; with --survivors only those that nothing has found.  Files that send signals are
left out, since such a mutant may end any process.
"""

import argparse
import contextlib
import itertools
import math
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"
PROGRAMS = ["perfpair", "perfpair-record", "manuals", "test_tools"]
NEAR = 8  # files
NO_CODE = re.compile(r"/\*[\s\S]*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
                     r"|^[ \t]*#(?:.*\\\n)*.*$", re.M)
SWAPPED = dict(zip("< <= > >= == != + - += -= && ||".split(),
                   "<= < >= > != == - + -= += || &&".split()))
KINDS = [  # what is searched, what stands there instead
    (r"(?<= )(<=|>=|<|>|==|!=)(?= )", SWAPPED.get),
    (r"(?<= )[+-]=?(?= )", SWAPPED.get),
    (r"&&|\|\|", SWAPPED.get),
    (r"(?<![\w.])\d+(?![\w.])", lambda was: str(int(was) + 1)),
    (r"(?<=\bif \().*(?=\)(?: \{)?$)", lambda was: f"!({was})"),
    (r"return rc;", lambda was: "return 0;"),
    (r"(?<=\t)(?!return|goto|break|continue)[a-z_][\w\->.\[\]]*"
     r"(?: [-+|&]?= .*|\(.*\)|\+\+|--);$", lambda was: "{ }"),
]
FOUND = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?:@[\w.-]+)?(?: - .*)?$"
                   r"|^\t *\d+ - (unit_\w+) \(", re.M)
ENDED = re.compile(r"\bpassed\b|no tests ran|No tests were found")
CUT = "?"
OPEN = ("-", CUT)
READ_SOURCES = {"test_style.py", "test_rooms.py", "test_layers.py", "test_words.py"}


def changes(path):
    """A list for each of KINDS: (path, line number, line, the line with a mistake)."""
    text = path.read_text()
    bare = NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text).splitlines()
    found, inside = [[] for _ in KINDS], False
    for nr, (line, code) in enumerate(zip(text.splitlines(), bare)):
        inside = code[:1] == "{" or inside and code[:1] != "}"
        starts = re.search(r"([;:{})]|else)\s*$", bare[nr - 1])
        for (pattern, other), kind in zip(KINDS, found):
            for m in re.finditer(pattern, code):
                new = other(line[m.start():m.end()])
                if inside and "assert" not in code and (starts or new != "{ }") \
                        and m[0].count("(") == m[0].count(")"):
                    kind.append((path, nr + 1, line,
                                 line[:m.start()] + new + line[m.end():]))
    return found


def rooms():
    """The changes of each room, in one list for each kind."""
    folders = {}
    for folder in ("format", "record", "report"):
        for path in sorted((ROOT / folder).glob("**/*.c")):
            if not re.search(r"\bkill\(", path.read_text()):
                folders.setdefault(path.parent, []).append(changes(path))
    for files in folders.values():
        yield [kind for kind in (sum(kind, []) for kind in zip(*files)) if kind]


def drawn(options):
    """For each mutant what may be tried, the first that compiles: (change, what found
    it earlier)."""
    if not options.again:
        rng = random.Random(options.seed)
        found = list(rooms())
        rng.shuffle(found)
        for room in itertools.islice(itertools.cycle(found), options.number):
            yield [(rng.choice(rng.choice(room)), "-") for _ in range(20)]
        return
    for line in options.again.read_text().splitlines():
        place, was, new, found, _ = line.split("\t")
        name, nr = place.split(":")
        old = (ROOT / name).read_text().splitlines()[int(nr) - 1]
        assert old.strip() == was, f"{place} is another line by now"
        if found in OPEN or not options.survivors:
            yield [((ROOT / name, int(nr), old, old.replace(was, new)), found)]


def nearest(path, tests):
    """The files of tests, those first that speak most of this file's words."""
    words = {path.parent.name, *path.stem.split("_")}
    texts = {name: name.read_text() for name in sorted(tests.glob("tests/*/test_*.py"))
             if name.name not in READ_SOURCES}
    weights = {word: math.log(len(texts) / (1 + sum(word in text for text in
                                                    texts.values()))) for word in words}

    def speaks(name):
        return sum(weight * (min(texts[name].count(word), 9) + 20 * (word in name.stem))
                   for word, weight in weights.items())
    return [str(name.relative_to(tests)) for name in sorted(texts, key=speaks,
                                                            reverse=True)]


def said(command, folder=ROOT, left_out=()):
    """The exit code and the output of a command; what it leaves running is ended."""
    env = dict(os.environ, PERFPAIR_BUILD=str(BUILD), PYTEST_ADDOPTS=" ".join(
        f"--deselect {shlex.quote(test)}" for test in left_out))
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        process = subprocess.Popen(command, shell=True, cwd=folder, env=env, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            rc = process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        out.seek(0)
        return rc, out.read()


def built(targets):
    return said(f"ninja -C {BUILD} {' '.join(targets)}")[0] == 0


def failed(command, path, tests, left_out, test=None):
    """The test that fails in a stage, or None; TEST alone runs if it is given."""
    if command in ("unit", "units"):
        room = str(path.parent.relative_to(ROOT)) if command == "unit" else "**"
        names = [test.replace("unit_", "test_")] if test else \
            [name.stem for name in ROOT.glob(f"tests/unit/{room}/test_*.c")]
        if not names or not built(names):
            return None
        chosen = "|".join(names).replace("test_", "unit_")
        not_chosen = "|".join(name for name in left_out if name.startswith("unit_"))
        command = f"ctest --test-dir {BUILD} --timeout 60 -R '^({chosen})$' " \
            f"-E '^({not_chosen})$'"
    files = [test] if test else nearest(path, tests)
    near = sorted(files[:NEAR], key=lambda name: "cli" not in name)  # short ones first
    for word, names in (("{near}", near), ("{all}", files)):
        command = command.replace(word, shlex.join(names))
    out = said(command, tests, left_out)[1]
    if found := FOUND.search(out):
        return found[1] or found[2]
    return None if ENDED.search(out) and "KeyboardInterrupt" not in out else CUT


def finder(change, known, options, left_out):
    """The test that finds the change; "-" if none does, or "?" if a stage was cut off
    or did not run; None if it does not compile."""
    path, nr, _, new = change
    lines = path.read_text().split("\n")
    commands = [command for folders, command in options.stage
                if path.relative_to(ROOT).parts[0] in folders.split(",")]
    runs = [(command, known) for command in commands
            if known not in OPEN and
            command.startswith("unit") == known.startswith("unit_")]

    def made(lines):
        path.write_text("\n".join(lines))
        return built(PROGRAMS)

    mistaken = lines[:nr - 1] + [new] + lines[nr:]
    is_cut = False
    try:
        if not made(mistaken):
            return None
        for command, test in runs + [(command, None) for command in commands]:
            while found := failed(command, path, options.tests, left_out, test):
                if found == CUT:
                    is_cut = True
                    break
                if not made(lines):
                    sys.exit(f"{path} does not build without a mistake")
                if not failed(command, path, options.tests, [], found):
                    return found
                left_out.append(found)
                print(f"left out, since it fails without a mistake: {found}", flush=True)
                made(mistaken)
        return CUT if is_cut else "-"
    finally:
        path.write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", nargs=2, action="append", required=True)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--tests", type=pathlib.Path, default=ROOT)
    parser.add_argument("--again", type=pathlib.Path)
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--tsv", type=pathlib.Path, default=BUILD / "mutants.tsv")
    options = parser.parse_args()
    options.tests = options.tests.resolve()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    left_out, rows = [], []
    if said(f"cmake --preset dev -B {BUILD}")[0] or not built(PROGRAMS):
        sys.exit("the tree does not build")
    for tried in drawn(options):
        for change, known in tried:
            start = time.monotonic()
            found = finder(change, known, options, left_out)
            if found:
                break
        path, nr, was, new = change
        rows.append("\t".join((f"{path.relative_to(ROOT)}:{nr}", was.strip(),
                               new.strip(), found or "does not compile",
                               f"{time.monotonic() - start:.0f}")))
        print(len(rows), rows[-1].replace("\t", " | "), flush=True)
        options.tsv.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
