"""made_file.py: a small recording whose parts tests can change one by one."""

import os
import sys

from common import ROOT

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import make  # noqa: E402
from perf_data import Encoder  # noqa: E402

BITS = 1 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7  # IP TID TIME ID CPU
ATTR = make.attr_of(sample_type=BITS)
HEADER_LEN, ENTRY_LEN = 104, 128 + 16


class File:
    """Two events and some records in a plain file; parts to be changed."""

    def __init__(self, big_endian=False, attrs=(ATTR, ATTR)):
        self.e = Encoder(big_endian)
        self.attrs = list(attrs)
        self.ids = [[101, 103], [102]]
        self.records = []
        self.features = {}
        self.tail = b""

    def ident(self, time, ident=101):
        return {"pid": 5, "tid": 6, "time": time, "id": ident, "cpu": 1,
                "stream_id": 0}

    def add(self, kind, body, time=0, misc=0, ident=101):
        if kind < 64:
            body += bytes(-len(body) % 8)
            body += self.e.trailer(ATTR, self.ident(time, ident))
        self.records.append(self.e.record(kind, misc, body))

    def sample(self, time, ident=101, cpu=1):
        who = dict(self.ident(time, ident), cpu=cpu)
        self.records.append(self.e.sample(ATTR, who))

    def comm(self, time, name=b"worker\0\0"):
        self.add(3, self.e.pack("II", 5, 6) + name, time)

    def some(self):
        self.comm(90)
        for time in (100, 110, 120):
            self.sample(time)
        self.add(68, b"")
        self.sample(130, ident=102)
        self.add(68, b"")
        return self

    @property
    def data_off(self):
        return (HEADER_LEN + 8 * sum(map(len, self.ids))
                + len(self.attrs) * ENTRY_LEN)

    def off(self, idx):
        """Where record idx stands."""
        return self.data_off + sum(map(len, self.records[:idx]))

    def bytes(self):
        data = b"".join(self.records)
        whole = self.e.plain_file(list(zip(self.attrs, self.ids)), data)
        if not self.features:
            return whole + self.tail
        bits = 0
        at, table, payloads = len(whole) + 16 * len(self.features), b"", b""
        for bit in sorted(self.features):
            bits |= 1 << bit
            table += self.e.words(at + len(payloads), len(self.features[bit]))
            payloads += self.features[bit]
        words = [bits >> 64 * i & 2**64 - 1 for i in range(4)]
        return (whole[:72] + self.e.words(*words) + whole[104:] + table
                + payloads + self.tail)

    def changed(self, offset, fmt, *values):
        data = bytearray(self.bytes())
        new = self.e.pack(fmt, *values)
        data[offset:offset + len(new)] = new
        return bytes(data)

    def recorded_here(self):
        """By a header that names this machine's kernel."""
        here = os.uname()
        self.features |= {4: self.string(here.release.encode()),
                          6: self.string(here.machine.encode())}
        return self

    def string(self, text):
        return self.e.pack("I", 64) + text + bytes(64 - len(text))
