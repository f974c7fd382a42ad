"""How the code is written: clang-format and clang-tidy over every C file."""

import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

import changed
from common import ROOT, build_dir


def c_files(*folders):
    listed = changed.git("ls-files", "-z", "--", *folders)
    if listed is None:
        pytest.skip("not a git checkout, or git is not installed")
    return [name for name in listed.split("\0")
            if name.endswith((".c", ".h"))]


def test_clang_format_would_change_nothing():
    if not shutil.which("clang-format"):
        pytest.skip("clang-format is not installed")
    done = subprocess.run(["clang-format", "--dry-run", "-Werror",
                           *c_files("format", "record", "report", "tests")],
                          cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]


def compiled():
    """The compiler's commands of our C files, by name: in the slow lane of all, else of
    what changed (changed.py) and of the bodies of headers that did."""
    database = build_dir() / "compile_commands.json"
    if not database.exists():
        pytest.skip("no compile_commands.json: build the dev preset first")
    names = changed.changed()
    if names is None or os.environ.get("PERFPAIR_LANE") == "--slow":
        names = c_files("format", "record", "report")
    bodies = {re.sub(r"h$", "c", name) for name in names}
    commands = {os.path.relpath(entry["file"], ROOT): entry["command"]
                for entry in json.loads(database.read_text())}
    return {name: commands[name] for name in sorted(bodies & commands.keys())
            if re.match(r"(format|record|report)/", name)}


def test_clang_tidy_finds_nothing():
    """Half a minute of CPU for ten files, half an hour for all."""
    runner = shutil.which("run-clang-tidy")
    if not runner:
        pytest.skip("clang-tidy is not installed")
    chosen = compiled()
    if not chosen:
        return
    done = subprocess.run(
        [runner, "-quiet", "-j", str(os.cpu_count()), "-p", build_dir(),
         *(f"^{re.escape(str(ROOT / name))}$" for name in chosen)],
        cwd=ROOT, capture_output=True, text=True)
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    found = [line for line in text.splitlines()
             if re.search(r": (warning|error):", line)]
    assert done.returncode == 0, "\n".join(found)[:6000]


def test_code_compiles_for_32_bits():
    """uint64_t is no size_t there; tests/tools/build_all.sh links it, in the slow lane."""
    headers = pathlib.Path("/usr/include/x86_64-linux-gnu")
    if not (headers / "gnu/stubs-32.h").exists():
        pytest.skip("libc6-dev-i386 is not installed, or this is no x86_64")
    for name, command in compiled().items():
        words = shlex.split(command)
        kept = [word for word in words if re.match("-[DIWs]", word)]
        system = [word for pair in zip(words, words[1:]) if pair[0] == "-isystem"
                  for word in pair]
        done = subprocess.run(["gcc", "-m32", "-fsyntax-only", "-D_FILE_OFFSET_BITS=64",
                               *kept, *system, "-isystem", headers, name],
                              cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_comments_were_not_broken_by_the_formatter():
    """clang-format 14 wraps a line of a comment that is too long without the
    blank behind the star."""
    broken = [f"{name}:{nr}"
              for name in c_files("format", "record", "report", "tests")
              for nr, line in enumerate((ROOT / name).read_text().splitlines(),
                                        1)
              if re.match(r"\t* \*[^\s/*]", line)]
    assert broken == []


def test_no_function_is_too_long():
    over = []
    for name in c_files("format", "record", "report"):
        start = None
        for nr, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            if line.startswith("{"):
                start = nr
            elif line.startswith("}") and start:
                if nr - start - 1 > 70:
                    over.append(f"{name}:{start}: {nr - start - 1} lines")
                start = None
    assert over == []


def members(body):
    """(members, bools) of a struct's text."""
    listed = re.findall(r"^\t+([^;{}]+);", body, re.M)
    counts = [(1 if "(" in text else text.count(",") + 1, text)
              for text in listed]
    return (sum(nr for nr, _ in counts),
            sum(nr for nr, text in counts if re.match(r"\s*bool\b", text)))


def test_no_struct_is_too_large():
    """25 members and six bools, or a comment before it that says "Large: " and
    why."""
    over = []
    for name in c_files("format", "record", "report"):
        text = (ROOT / name).read_text()
        for found in re.finditer(r"^struct (\w+) \{\n(.*?)^\}", text,
                                 re.S | re.M):
            nr, bools = members(re.sub(r"/\*.*?\*/", "", found[2], flags=re.S))
            comment = text[:found.start()].rstrip().rpartition("/*")[2]
            reason = comment.endswith("*/") and "Large: " in comment
            if (nr > 25 or bools > 6) and not reason:
                over.append(f"{name}: struct {found[1]}: {nr} members, "
                            f"{bools} bools")
    assert over == []


def test_modules_of_tests_have_names_of_their_own():
    """pytest imports them by their plain names."""
    names = collections.Counter(path.name
                                for path in ROOT.glob("tests/*/test_*.py"))
    assert len(names) > 100
    assert [name for name, nr in names.items() if nr > 1] == []
