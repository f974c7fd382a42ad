"""rows.py: reads what perfpair export --format rows writes."""

import struct
import subprocess

from common import program

SAMPLES = (("version", "B"), ("run", "s"), ("slice", "Q"), ("start", "I"),
           ("load", "Q"), ("seq", "I"), ("rows", "I"), ("lost", "Q"),
           ("damaged", "B"), ("host", "s"), ("release", "s"),
           ("service", "s"), ("labels", "s"), ("cgroup", "s"), ("pod", "s"),
           ("container", "s"), ("comm", "s"), ("event", "s"),
           ("is_clock", "B"), ("time", "I"), ("bin", "I"), ("stack", "Q"),
           ("code", "Q"), ("function", "Q"), ("weight", "Q"), ("number", "Q"))
STACKS = (("version", "B"), ("stack", "Q"), ("code", "Q"), ("place", "I"),
          ("is_self", "B"), ("function", "Q"), ("name", "s"), ("level", "s"),
          ("kind", "s"), ("dso", "s"), ("path", "s"), ("build_id", "s"),
          ("offset", "Q"))
ESCAPES = {ord(letter): ord(char)
           for letter, char in zip("tnrbf0\\", "\t\n\r\b\f\0\\")}


def perfpair(*words, code=None):
    done = subprocess.run([program("report", "perfpair"), *words],
                          capture_output=True, stdin=subprocess.DEVNULL)
    if code is None:
        assert done.returncode in (0, 3), done.stderr
    else:
        assert done.returncode == code, (done.returncode, done.stderr)
    return done


def unescaped(field):
    """By ClickHouse's documentation of TabSeparated."""
    text, at = bytearray(), 0
    while at < len(field):
        if field[at] == ord("\\"):
            at += 1
            text.append(ESCAPES[field[at]])
        else:
            text.append(field[at])
        at += 1
    return bytes(text)


def of_tsv(data, columns):
    assert not data or data.endswith(b"\n")
    rows = []
    for line in data.splitlines(keepends=True):
        fields = line[:-1].split(b"\t")
        assert len(fields) == len(columns)
        rows.append({name: unescaped(field) if kind == "s" else int(field)
                     for (name, kind), field in zip(columns, fields)})
    return rows


def of_rowbinary(data, columns):
    rows, at = [], 0
    while at < len(data):
        row = {}
        for name, kind in columns:
            if kind != "s":
                row[name] = struct.unpack_from("<" + kind, data, at)[0]
                at += struct.calcsize("<" + kind)
                continue
            length = shift = 0
            while True:
                byte, at = data[at], at + 1
                length |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            row[name], at = data[at:at + length], at + length
        rows.append(row)
    assert at == len(data)
    return rows


def export(path, folder, *options, form="tsv"):
    """The rows of both tables."""
    samples, stacks = folder / "samples", folder / "stacks"
    perfpair("export", "--format", "rows", "--rows", form, "-i", path, "-o",
             samples, "--stacks", stacks, *options)
    read = of_tsv if form == "tsv" else of_rowbinary
    return (read(samples.read_bytes(), SAMPLES),
            read(stacks.read_bytes(), STACKS))
