"""Reads a profile of pprof: profile.proto of github.com/google/pprof."""

import collections
import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def numbers(data):
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def fields(data):
    """{field: [value]} of a message."""
    at, found = 0, collections.defaultdict(list)
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
            assert at <= len(data)
        else:
            assert key & 7 == 0
        found[key >> 3].append(value)
    return found


def one(message, field):
    assert len(message[field]) <= 1
    return message[field][0] if message[field] else 0


class Sample:
    def __init__(self, profile, message):
        self.locations = numbers(one(message, 1))
        self.values = numbers(one(message, 2))
        self.labels = {}
        for label in map(fields, message[3]):
            self.labels[profile.text(one(label, 1))] = (
                profile.text(one(label, 2)) if label[2] else one(label, 3))


class Profile:
    def __init__(self, data):
        top = fields(gzip.decompress(data))
        self.texts = top[6]
        assert self.texts[0] == b""
        self.types = [(self.text(one(m, 1)), self.text(one(m, 2)))
                      for m in map(fields, top[1])]
        self.files = {one(m, 1): (self.text(one(m, 5)), self.text(one(m, 6)))
                      for m in map(fields, top[3])}
        self.functions = {
            one(m, 1): (self.text(one(m, 2)), self.text(one(m, 4)))
            for m in map(fields, top[5])}
        self.locations = {  # (file, address, [(function, line)]), inlined first
            one(m, 1): (one(m, 2), one(m, 3),
                        [(one(line, 1), one(line, 2))
                         for line in map(fields, m[4])])
            for m in map(fields, top[4])}
        self.samples = [Sample(self, fields(m)) for m in top[2]]
        self.default_type = self.text(one(top, 14))
        self.duration_ns = one(top, 10)
        assert 0 not in self.functions and 0 not in self.locations
        for file, _, lines in self.locations.values():
            assert not file or file in self.files
            assert all(function in self.functions for function, _ in lines)

    def text(self, number):
        return self.texts[number].decode(errors="replace")

    def names(self, sample):
        """The functions of a sample, callers first."""
        return tuple(reversed([
            self.functions[function][0] for location in sample.locations
            for function, _ in self.locations[location][2]]))

    def stacks(self, column=0):
        """{(comm, name, ...): value}"""
        found = collections.Counter()
        for sample in self.samples:
            if sample.values[column]:
                found[(sample.labels["comm"],) + self.names(sample)] += \
                    sample.values[column]
        return found
