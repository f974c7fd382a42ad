"""Reads the data of a page: report/page/README.md."""

import base64
import json
import re
import zlib

TASK, REST, NAMELESS = 5, 6, 7  # kinds of functions


def unpacked(text):
    """The bytes of a block of the page."""
    return zlib.decompress(base64.b64decode(text, validate=True), -15)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self):
        length = self.varint()
        self.at += length
        assert self.at <= len(self.data)
        return self.data[self.at - length:self.at]

    def column(self):
        return [self.varint() for _ in range(self.varint())]


class Tree:
    """One event: nodes in preorder, and for each node its own samples."""

    def __init__(self, r, functions, period):
        callee_nr = r.column()
        gaps = iter(r.column())
        callees = []
        for nr in callee_nr:
            row, last = [], -1
            for _ in range(nr):
                last += next(gaps) + 1
                row.append(last)
            callees.append(row)
        child_nr = r.column()
        which = r.column()
        self.functions = functions
        self.parent, self.function = [0], [0]
        open_nodes = [[0, child_nr[0], -1]]  # node, children left, last which
        for gap, nr in zip(which, child_nr[1:]):
            while not open_nodes[-1][1]:
                open_nodes.pop()
            top = open_nodes[-1]
            top[1] -= 1
            top[2] += gap + 1
            self.parent.append(top[0])
            self.function.append(callees[self.function[top[0]]][top[2]])
            open_nodes.append([len(self.parent) - 1, nr, -1])
        bins, cpus, lanes = r.column(), r.column(), r.column()
        assert len(bins) == len(cpus) == len(lanes)
        for i in range(1, len(bins)):
            bins[i] += bins[i - 1]
        cells = list(zip(bins, cpus, lanes))
        assert cells == sorted(set(cells))
        self.entry_nr = r.column()
        which = r.column()
        samples, periods = r.column(), r.column()
        assert sum(self.entry_nr) == len(which) == len(samples)
        self.entries = []  # (node, bin, cpu, lane, samples, period)
        for node, nr in enumerate(self.entry_nr):
            first = len(self.entries)
            for cell in ascending(which[first:first + nr]):
                count = samples[len(self.entries)] + 1
                self.entries.append((
                    node, *cells[cell], count,
                    periods[len(self.entries)] if periods else period * count))

    def stacks(self):
        """{(name, ...): samples}, the root left out."""
        found = {}
        for node, _, _, _, nr, _ in self.entries:
            path = []
            while node:
                path.append(self.functions[self.function[node]])
                node = self.parent[node]
            path = tuple(reversed(path))
            found[path] = found.get(path, 0) + nr
        return found


def ascending(numbers):
    out, last = [], -1
    for gap in numbers:
        last += gap + 1
        out.append(last)
    return out


def names_of(r):
    names, last = [], b""
    for _ in range(r.varint()):
        shared = r.varint()
        assert shared <= len(last)
        last = last[:shared] + r.text()
        names.append(last.decode(errors="replace"))
    assert names[0] == ""
    return names


class Code:
    """The instructions of functions, and lines of their source."""

    def __init__(self, r, head):
        texts = names_of(r)
        self.files = [texts[i] for i in r.column()]
        functions = ascending(r.column())
        rows, self.behind, starts = (r.column() for _ in range(3))
        skipped, steps, words, targets, files, lines = (r.column() for _ in range(6))
        counts = []
        for event in head["events"]:
            samples, periods = r.column(), r.column()
            counts.append((samples, periods or [nr * event["period"] for nr in samples]))
        self.sources = [{} for _ in self.files]
        if head["code"]["source"]:
            held, numbers = r.column(), iter(r.column())
            for source, nr in zip(self.sources, held):
                for line in ascending([next(numbers) for _ in range(nr)]):
                    source[line] = r.text().decode(errors="replace")
        self.of = {}  # function: [{address, ...}, ...]
        at = 0
        for function, nr, address in zip(functions, rows, starts):
            listed, line = [], 0
            for i in range(at, at + nr):
                address += steps[i]
                line += -(lines[i] + 1) // 2 if lines[i] & 1 else lines[i] // 2
                listed.append({
                    "address": address, "skipped": skipped[i], "text": texts[words[i]], "target": targets[i],
                    "file": self.files[files[i] - 1] if files[i] else None, "line": line,
                    "samples": [c[0][i] for c in counts], "period": [c[1][i] for c in counts]})
            self.of[function] = listed
            at += nr
        assert at == len(steps) == len(words) == len(targets) == len(files) == len(lines)


class Page:
    def __init__(self, html):
        text = re.search(
            r'<script type="text/plain" id="data">([^<]*)</script>', html)
        r = Reader(unpacked(text[1]))
        self.head = json.loads(r.text())
        names = names_of(r)
        name, dso, kind = r.column(), r.column(), r.column()
        assert len(name) == len(dso) == len(kind)
        number, self.functions = 0, []  # (name, dso, kind)
        for i, gap in enumerate(name):
            number += gap
            self.functions.append((names[number], names[dso[i]], kind[i]))
        self.trees = [Tree(r, self.functions, event["period"])
                      for event in self.head["events"]]
        self.code = Code(r, self.head) if "code" in self.head else None
        assert r.at == len(r.data)
