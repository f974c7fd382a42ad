"""The rooms of both programs and of what they share: rooms.txt has their order,
and includes, calls and public headers keep to it."""

import re
import subprocess

import pytest

from common import ROOT, build_dir

LINE = re.compile(r"^([a-z]+):([ a-z]*)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:format|report|record)/[^"]+)"', re.M)
PROGRAMS = {"format": "pd", "record": "rec", "report": "rpt"}


def rooms_of(program):
    """{room: rooms that it may use, itself among them}, lowest first."""
    rooms = {}
    for room, uses in LINE.findall((ROOT / program / "rooms.txt").read_text()):
        rooms[room] = {room}.union(*(rooms[use] for use in uses.split()))
    return rooms


def sources(program, room):
    return sorted((ROOT / program / room).glob("*.[ch]"))


def public_headers(program, room):
    """What the room's CMakeLists.txt names as ENTRY and PUBLIC."""
    text = (ROOT / program / room / "CMakeLists.txt").read_text()
    call = re.search(r"^perfpair_room\((.*?)\)", text, re.M | re.S).group(1)
    return set(re.findall(r"\w+\.h", call))


def includes(path):
    """(program, room, header) of each header of ours; main.c has no room."""
    for name in INCLUDE.findall(path.read_text()):
        program, room, header = name.split("/")
        yield program, room, header


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_folder_is_a_room(program):
    folders = {path.name for path in (ROOT / program).iterdir()
               if path.is_dir()}
    assert folders == set(rooms_of(program))
    assert sorted(path.name for path in (ROOT / program).glob("*.h")) == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_include_runs_up(program):
    wrong = [f"{path.relative_to(ROOT)} includes {other}/{room}/{header}"
             for own, may in rooms_of(program).items()
             for path in sources(program, own)
             for other, room, header in includes(path)
             if other not in ("format", program) or
             other == program and room not in may]
    assert wrong == []


def private_headers_from_elsewhere(program, room, paths):
    return [f"{path.relative_to(ROOT)} includes {other}/{used}/{header}"
            for path in paths for other, used, header in includes(path)
            if (other, used) != (program, room) and
            header not in public_headers(other, used)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_private_headers_are_included_by_their_room_alone(program):
    wrong = private_headers_from_elsewhere(
        program, None, sorted((ROOT / program).glob("*.c")))
    for room in rooms_of(program):
        wrong += private_headers_from_elsewhere(program, room,
                                                sources(program, room))
        wrong += private_headers_from_elsewhere(
            program, room,
            sorted((ROOT / "tests/unit" / program / room).glob("*.[ch]")))
    assert wrong == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_public_headers_are_used_by_another_room(program):
    """What no other room uses any more becomes private again."""
    used = {(room, header)
            for user in PROGRAMS
            for own in [*rooms_of(user), "."]
            for path in sources(user, own)
            for other, room, header in includes(path)
            if other == program and (user, own) != (program, room)}
    unused = [f"{room}/{header}" for room in rooms_of(program)
              for header in public_headers(program, room)
              if (room, header) not in used]
    assert unused == []


def symbols(archive, option):
    done = subprocess.run(["nm", "-P", option, archive], capture_output=True,
                          text=True, check=True)
    return {line.split()[0] for line in done.stdout.splitlines()
            if len(line.split()) > 1}


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_call_runs_up(program):
    """Neither a call nor a variable, by what the libraries define and need."""
    prefix = PROGRAMS[program]
    rooms = rooms_of(program)
    archives = {}
    for room in rooms:
        path = build_dir() / program / room / f"lib{prefix}_{room}.a"
        assert path.is_file(), f"{path.name} is not built"
        archives[room] = path
    home = {name: room for room, path in archives.items()
            for name in symbols(path, "--defined-only")
            if name.startswith((prefix + "_", "sup_"))}
    assert len(home) > 100
    wrong = [f"{room} calls {name} of {home[name]}"
             for room, path in archives.items()
             for name in symbols(path, "-u")
             if name in home and home[name] not in rooms[room]]
    assert wrong == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_rooms_link_what_rooms_txt_says_alone(program):
    """perfpair_rooms() links them: no room's CMakeLists.txt adds another."""
    prefix = PROGRAMS[program]
    wrong = [f"{room}: {name}" for room in rooms_of(program)
             for name in re.findall(
                 rf"\b{prefix}_\w+",
                 (ROOT / program / room / "CMakeLists.txt").read_text())
             if name != f"{prefix}_{room}"]
    assert wrong == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_unit_tests_lie_in_rooms(program):
    rooms = set(rooms_of(program))
    folders = {path.name for path in (ROOT / "tests/unit" / program).iterdir()}
    assert folders <= rooms
    assert not list((ROOT / "tests/unit").glob("test_*.c"))
