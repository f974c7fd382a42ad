"""hosts.py: recordings of made-up hosts, which all run one small program."""

import random
import subprocess
import sys

from common import ROOT

sys.path.insert(0, str(ROOT / "tests" / "cli"))

from made_file import File, make  # noqa: E402
from perf_data import Attr  # noqa: E402

# IP TID TIME ID CPU PERIOD CALLCHAIN
BITS = 1 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 5
HOSTNAME = 3
BASE = 0x400000
SPAN_NS = 10**9
FUNCTIONS = ["main", "parse", "hash", "render", "copy", "flush", "rare"]


def build(folder, functions=FUNCTIONS, name="app", padding=0):
    """A program with these functions; padding moves all of them."""
    folder.mkdir(exist_ok=True)
    source, path = folder / f"{name}.c", folder / name
    parts = [f"int pad[{padding + 1}] = {{1}};"
             f"void padding(void) {{ {'pad[0]++;' * padding} }}"]
    parts += [f"__attribute__((noinline)) void {f}(void) {{ {'pad[0]++;' * 20} }}"
              for f in functions if f != "main"]
    parts.append("int main(void) { return pad[0]; }")
    source.write_text("\n".join(parts))
    subprocess.run(["cc", "-O1", "-no-pie", "-o", path, source], check=True)
    return path


def symbols(path):
    lines = subprocess.run(["nm", path], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return {words[2]: int(words[0], 16) for words in map(str.split, lines)
            if len(words) == 3}


def put_map(file, path, start, build_id):
    name = str(path).encode()
    which = (file.e.pack("BBH", len(build_id), 0, 0) + build_id.ljust(20, b"\0")
             if build_id else file.e.pack("II", 8, 1) + file.e.words(77, 0))
    file.add(10, file.e.pack("II", 5, 5) + file.e.words(start, 0x100000, 0)
             + which + file.e.pack("II", 5, 2) + name
             + bytes(8 - len(name) % 8), 60, misc=1 << 14 if build_id else 0)


def record(path, host, app, counts, seed=1, start_ns=1000, period=250007,
           comm="app", lost=0, build_id=b"", cold=None):
    """Write a recording of that host: counts has samples by stack, a tuple of
    functions from the root.  build_id is that of the app, or of the file cold,
    which is mapped without samples."""
    attr = Attr(make.attr_of(sample_type=BITS))
    file = File(attrs=[attr, attr])
    where = symbols(app)
    file.add(3, file.e.pack("II", 5, 5) + comm.encode()
             + bytes(8 - len(comm.encode()) % 8), 50)
    put_map(file, app, BASE, b"" if cold else build_id)
    if cold:
        put_map(file, cold, BASE + 0x1000000, build_id)
    order = [stack for stack, nr in counts.items() for _ in range(nr)]
    random.Random(seed).shuffle(order)
    for at, stack in enumerate(order):
        ips = [where[f] + 4 for f in reversed(stack)]
        body = (file.e.words(ips[0]) + file.e.pack("II", 5, 5)
                + file.e.words(start_ns + SPAN_NS * at // len(order), 101)
                + file.e.pack("II", 1, 0) + file.e.words(period)
                + file.e.words(len(ips) + 1, 2**64 - 512, *ips))
        file.records.append(file.e.record(9, 2, body))
    if lost:
        file.add(2, file.e.words(101, lost), start_ns + SPAN_NS + 1000)
    file.features[HOSTNAME] = file.string(host.encode())
    path.write_bytes(file.bytes())
    return path
