#!/usr/bin/env python3
"""draw_rooms.py [-o SVG] [--table]: the rooms of both programs and of what they
share with the includes and calls between them, as a drawing for
docs/architecture.md.

An arrow runs from a room to each room below that it uses directly: one that no
other used room leads to. All use base. Its width is the number of includes. Calls are read
from the libraries of the dev build, if they are there (nm), and an arrow is
dashed if it stands for includes of types alone. --table prints files and lines
of each room instead, and the files that are far longer than the others."""

import argparse
import pathlib
import re
import subprocess
import sys
import xml.sax.saxutils

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE = re.compile(r"^([a-z]+):([ a-z]*)\t*#? ?(.*)$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"(\w+)/(\w+)/\w+\.h"', re.M)
PREFIX = {"format": "pd", "record": "rec", "report": "rpt"}
LONG = {".c": 500, ".h": 150}
BOX_W, BOX_H, GAP_X, GAP_Y, MARGIN = 124, 44, 20, 46, 16


class Room:
    def __init__(self, program, name, what):
        self.program, self.name, self.what = program, name, what
        paths = [path for path in (ROOT / program / name).iterdir()
                 if path.suffix in (".c", ".h")]
        texts = [path.read_text() for path in paths]
        self.files = len(paths)
        self.lines = sum(len(text.splitlines()) for text in texts)
        self.long = [(len(text.splitlines()), path)
                     for path, text in zip(paths, texts)
                     if len(text.splitlines()) > LONG[path.suffix]]
        self.includes = {}
        for text in texts:
            for folder, used in INCLUDE.findall(text):
                if folder == program and used != name:
                    self.includes[used] = self.includes.get(used, 0) + 1
        self.calls = set()
        self.level = self.column = 0


def rooms_of(program):
    """Lowest first."""
    text = (ROOT / program / "rooms.txt").read_text()
    return {name: Room(program, name, what)
            for name, _, what in LINE.findall(text)}


def nm(path, option):
    done = subprocess.run(["nm", "-P", option, path], capture_output=True,
                          text=True, check=True)
    return {line.split()[0] for line in done.stdout.splitlines()
            if len(line.split()) > 1}


def read_calls(program, rooms, build):
    """False: the libraries are not built."""
    paths = {name: build / program / name /
             f"lib{PREFIX[program]}_{name}.a" for name in rooms}
    if not all(path.is_file() for path in paths.values()):
        return False
    home = {symbol: name for name, path in paths.items()
            for symbol in nm(path, "--defined-only")}
    for name, path in paths.items():
        rooms[name].calls = {home[symbol] for symbol in nm(path, "-u")
                             if symbol in home} - {name}
    return True


def all_used(rooms, name):
    """Every room that name leads to."""
    direct = set(rooms[name].includes) | rooms[name].calls
    return direct.union(*(all_used(rooms, used) for used in direct))


def direct_uses(rooms, name):
    """What no other used room leads to; base, which all use, is not drawn."""
    used = (set(rooms[name].includes) | rooms[name].calls) - {"base"}
    return [one for one in used
            if not any(one in all_used(rooms, other) for other in used - {one})]


def place(rooms):
    """A room stands one level below the lowest that uses it; returns how many
    stand on each level, 0 the highest."""
    for name, room in reversed(rooms.items()):
        for use in direct_uses(rooms, name):
            rooms[use].level = max(rooms[use].level, room.level + 1)
    width = {}
    rooms["base"].level = 1 + max(room.level for room in rooms.values())
    for room in rooms.values():
        room.column = width.get(room.level, 0)
        width[room.level] = room.column + 1
    return width


def box(x, y, room):
    label = xml.sax.saxutils.escape(room.what)
    return (f'<g><title>{label}</title><rect x="{x}" y="{y}" width="{BOX_W}" '
            f'height="{BOX_H}" rx="6" class="room"/>'
            f'<text x="{x + BOX_W / 2}" y="{y + 19}" class="name">{room.name}'
            f'</text><text x="{x + BOX_W / 2}" y="{y + 35}" class="size">'
            f'{room.files} files, {room.lines:,} lines</text></g>')


def arrow(start, end, nr, is_called):
    (x1, y1), (x2, y2) = start, end
    middle = (y1 + y2) / 2
    dash = "" if is_called else ' stroke-dasharray="5 4"'
    return (f'<path d="M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2 - 5}" '
            f'class="use" stroke-width="{min(1 + nr / 12, 5):.1f}"{dash}/>')


def draw(program, rooms, left):
    """(elements, width, height): highest room at the top."""
    width = place(rooms)
    levels, widest = max(width) + 1, max(width.values())
    total = widest * (BOX_W + GAP_X) - GAP_X
    at = {}
    for name, room in rooms.items():
        row = width[room.level] * (BOX_W + GAP_X) - GAP_X
        at[name] = (left + (total - row) / 2 + room.column * (BOX_W + GAP_X),
                    3 * MARGIN + room.level * (BOX_H + GAP_Y))
    parts = [f'<text x="{left + total / 2}" y="{2 * MARGIN}" class="title">'
             f'{program}/</text>']
    for name, room in rooms.items():
        for use in direct_uses(rooms, name):
            start = (at[name][0] + BOX_W / 2, at[name][1] + BOX_H)
            end = (at[use][0] + BOX_W / 2, at[use][1])
            parts.append(arrow(start, end, room.includes.get(use, 0),
                               use in room.calls))
    parts += [box(*at[name], room) for name, room in rooms.items()]
    x, y = at["base"]
    parts.append(f'<text x="{x + BOX_W / 2}" y="{y - 8}" class="size">'
                 'used by all</text>')
    return parts, total, 3 * MARGIN + levels * (BOX_H + GAP_Y)


STYLE = """
.room { fill: #eef3f8; stroke: #5b7a99; }
.name { font: bold 14px sans-serif; text-anchor: middle; fill: #1d2b38; }
.size { font: 11px sans-serif; text-anchor: middle; fill: #54616d; }
.title { font: bold 16px sans-serif; text-anchor: middle; fill: #1d2b38; }
.use { fill: none; stroke: #8aa2b8; marker-end: url(#tip); }
"""


def svg(programs):
    parts, left, height = [], MARGIN, 0
    for program, rooms in programs.items():
        more, width, high = draw(program, rooms, left)
        parts += more
        left += width + 3 * MARGIN
        height = max(height, high)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {left:.0f} {height:.0f}">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" markerUnits="userSpaceOnUse" markerWidth="9" '
        'markerHeight="9" refX="2" refY="4.5" orient="auto">'
        '<path d="M0 0 L9 4.5 L0 9 z" fill="#8aa2b8"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>",
        ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", help="the drawing (stdout)")
    parser.add_argument("--table", action="store_true",
                        help="files and lines of each room instead")
    parser.add_argument("--build", type=pathlib.Path,
                        default=ROOT / "build/dev")
    args = parser.parse_args()
    programs = {program: rooms_of(program) for program in PREFIX}
    if args.table:
        for program, rooms in programs.items():
            for room in rooms.values():
                print(f"{program}/{room.name:<11}{room.files:>4} files"
                      f"{room.lines:>7} lines  {room.what}")
        long = [found for rooms in programs.values()
                for room in rooms.values() for found in room.long]
        for lines, path in sorted(long, reverse=True):
            print(f"{path.relative_to(ROOT)}: {lines} lines")
        return 0
    for program, rooms in programs.items():
        if not read_calls(program, rooms, args.build):
            print(f"{args.build}: not built, so calls are left out",
                  file=sys.stderr)
    text = svg(programs)
    if args.output:
        pathlib.Path(args.output).write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
