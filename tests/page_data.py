"""Reads the data of a page: report/page/README.md."""

import base64
import json
import re
import zlib

TASK, REST, NAMELESS = 5, 6, 7  # kinds of functions


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
        self.entry_nr = r.column()
        bins, cpus, lanes, samples, periods = (r.column() for _ in range(5))
        assert sum(self.entry_nr) == len(bins) == len(samples)
        assert len(cpus) == len(lanes) == len(bins)
        self.entries = []  # (node, bin, cpu, lane, samples, period)
        at = 0
        for node, nr in enumerate(self.entry_nr):
            last = 0
            for i in range(at, at + nr):
                last += bins[i]
                self.entries.append((
                    node, last, cpus[i], lanes[i], samples[i] + 1,
                    periods[i] if periods else period * (samples[i] + 1)))
            at += nr

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


class Page:
    def __init__(self, html):
        text = re.search(
            r'<script type="text/plain" id="data">([^<]*)</script>', html)
        r = Reader(zlib.decompress(base64.b64decode(text[1]), -15))
        self.head = json.loads(r.text())
        names, last = [], b""
        for _ in range(r.varint()):
            shared = r.varint()
            last = last[:shared] + r.text()
            names.append(last.decode(errors="replace"))
        assert names[0] == ""
        name, dso, kind = r.column(), r.column(), r.column()
        assert len(name) == len(dso) == len(kind)
        number, self.functions = 0, []  # (name, dso, kind)
        for i, gap in enumerate(name):
            number += gap
            self.functions.append((names[number], names[dso[i]], kind[i]))
        self.trees = [Tree(r, self.functions, event["period"])
                      for event in self.head["events"]]
        assert r.at == len(r.data)
