"""A recording of so many samples that an Arrow stream of them has several blocks,
with names of any bytes; samples in a map, in none, and with many call chains."""

import sys

from common import ROOT

sys.path[:0] = [str(ROOT / "fixtures/gen"), str(ROOT / "tests/cli")]

import make  # noqa: E402
from made_file import File  # noqa: E402

BITS = 1 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8
# IP TID TIME CALLCHAIN ID CPU PERIOD
ATTR = make.attr_of(sample_type=BITS)
COMMS = [b"a;b\xff\0\0\0\0", b"\xc3\xb6\n'\"\\\0\0", b"worker\0\0"]
SYMBOLS = [b"main", b"operator;\xfe(x)", b"\xe2\x80\xaef"]
ROWS_OF_BLOCK = 65536
KERNEL, USER = 0xffffffff81000000, 0x400000


def add_names(f):
    """The kernel's functions, each of 4 KiB, by records of their own."""
    for i, name in enumerate(SYMBOLS):
        body = f.e.words(KERNEL + 0x1000 * i) + f.e.pack("IHH", 0x1000, 1, 0)
        f.add(17, body + name + b"\0", 50 + i)
    f.add(1, f.e.pack("II", 5, 6) + f.e.words(USER, 0x100000, 0)
          + b"/no/such;file\0", 60, misc=2)


def chain_of(i):
    """Of 40 words, so that what is remembered of chains is too much for one
    block; some are in no map, or have a mark that nobody knows."""
    if i % 8 == 7:
        return [0x1000 + i]
    if i % 8 == 6:
        return [2**64 - 100, 0x1000]
    kernel = [KERNEL + 0x1000 * (i % 3) + i // 3 % 0x1000, KERNEL + i % 3 * 0x1000]
    return [2**64 - 128, *kernel, 2**64 - 512, *range(USER + i, USER + i + 36)]


def many_rows(path, rows_nr=70000, has_long_chains=True):
    f = File(attrs=[ATTR, ATTR])
    for i, name in enumerate(COMMS):
        f.add(3, f.e.pack("II", 5, 6 + i) + name, 40 + i)
    add_names(f)
    for i in range(rows_nr):
        chain = chain_of(i) if has_long_chains else chain_of(i)[:3]
        at = next(ip for ip in chain if ip < 2**64 - 4096)
        f.records.append(f.e.sample(ATTR, {
            "ip": at, "pid": 5, "tid": 6 + i % 3, "time": 1000 + 10 * i,
            "id": 101 + i % 2, "cpu": i % 4, "period": i + 1, "chain": chain}))
    path.write_bytes(f.bytes())
