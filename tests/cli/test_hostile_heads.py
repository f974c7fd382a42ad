"""Files with changed bytes: header, events, counts, tasks and JSON end with an
exit code that was agreed on, and what is written as JSON is JSON."""

import json
import random
import sys

import pytest

from common import ROOT
from made_file import File

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import make  # noqa: E402

COMMANDS = (["report", "--stats"], ["report", "--mmaps"],
            ["report", "--header-only", "-I"], ["evlist", "-v"],
            ["evlist", "--trace-fields"], ["buildid-list"],
            ["data", "convert", "--force", "--to-json", "out.json"])
NAMES = ("shown/features-le.data", "shown/features-be.data",
         "shown/text-poke-le.data", "records-le.data", "records-be.pipe")
SOME = {name: data for name, data, *_ in
        [*make.fixtures(), *make.shown_fixtures()] if name in NAMES}


def changed(data, rand):
    data = bytearray(data[:rand.choice((len(data), rand.randrange(len(data))))])
    for _ in range(rand.randint(0, 6) if data else 0):
        data[rand.randrange(len(data))] = rand.choice(
            (0, 1, 127, 128, 255, rand.randrange(256)))
    return bytes(data)


@pytest.mark.parametrize("times", [3, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_changed_anywhere(run, perfpair, tmp_path, name, times):
    rand = random.Random(name)
    for _ in range(times):
        (tmp_path / "in.data").write_bytes(changed(SOME[name], rand))
        for command in COMMANDS:
            done = run([perfpair, *command, "-i", "in.data"], text=False,
                       timeout=60)
            assert done.returncode in (0, 1, 3), (command, done.stderr)
            if command[0] == "data" and done.returncode != 1:
                json.loads((tmp_path / "out.json").read_bytes())


def test_a_name_commands_no_terminal(run, perfpair, tmp_path):
    data = SOME["shown/features-le.data"]
    assert b"fixture" in data
    (tmp_path / "in.data").write_bytes(
        data.replace(b"fixture", b"f\033[2J\x9b\x07"))
    for command in COMMANDS[:-1]:
        done = run([perfpair, *command, "-i", "in.data"], text=False)
        assert done.returncode == 0
        assert not set(done.stdout) & set(b"\033\x07"), command
    shown = run([perfpair, "report", "--header-only", "-i", "in.data"],
                text=False).stdout
    assert b"# hostname : f\\x1b[2J\\x9b\\x07\n" in shown


@pytest.mark.parametrize("words", [
    ["report"], ["report", "-s", "dso,comm,sym"], ["report", "--hierarchy"],
    ["diff", "-s", "comm", "in.data"], ["script"],
    ["script", "--show-task-events"], ["script", "-D"]])
def test_a_task_commands_no_terminal(run, perfpair, tmp_path, words):
    f = File()
    f.comm(90, b"\033]0;\x07\xc3\xb6\0")
    for time in range(100, 200, 10):
        f.sample(time)
    (tmp_path / "in.data").write_bytes(f.bytes())
    files = ["in.data"] if words[0] == "diff" else ["-i", "in.data"]
    done = run([perfpair, *words, *files], text=False)
    assert done.returncode == 0
    assert b"\\x1b]0;\\x07\xc3\xb6" in done.stdout
    assert not set(done.stdout) & set(b"\033\x07")


def test_a_file_commands_no_terminal(run, perfpair, tmp_path):
    """Too long a name is told, too."""
    f = File()
    name = b"/\033]0;\x07" + 300 * b"x"
    f.add(1, f.e.pack("II", 5, 6) + f.e.words(0x400000, 0x10000, 0)
          + name + bytes(8 - len(name) % 8), 95, misc=2)
    for time in range(100, 200, 10):
        f.sample(time)
    (tmp_path / "in.data").write_bytes(f.bytes())
    done = run([perfpair, "report", "-i", "in.data"], text=False)
    assert done.returncode == 0
    assert b"\\x1b]0;\\x07xxx" in done.stdout
    assert b"\\x1b]0;\\x07xxx" in done.stderr
    assert not set(done.stdout + done.stderr) & set(b"\033\x07")
