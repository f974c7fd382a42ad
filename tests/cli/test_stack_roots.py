"""What is made of the addresses of call chains that are in no map."""

import pathlib
import struct

import pytest

import made_file  # noqa: F401  fixtures/gen is found by it
from perf_data import Encoder
from shown import PLAIN, attr_of, ident

E = Encoder(False)
USER = 2**64 - 512
TRUE, MISSING = pathlib.Path("/usr/bin/true"), pathlib.Path("/nowhere/tool")
ENTRY = struct.unpack_from("<Q", TRUE.read_bytes(), 24)[0]
BASE = 0x400000
ROOT, MIDDLE = BASE + ENTRY + 32, BASE + ENTRY + 0x400
GARBAGE = [0x1, 0x7f0123456789, 0x10]
CHAINS = {
    "whole": [MIDDLE, ROOT],
    "garbage above": [MIDDLE, ROOT, *GARBAGE],
    "ends": [MIDDLE],
    "garbage root": [MIDDLE, GARBAGE[1]],
    "garbage alone": [GARBAGE[1], GARBAGE[0]],
}


def recording(*names, path=TRUE):
    """Samples with those chains; /usr/bin/true is here but has no names."""
    attr = attr_of(sample_type=PLAIN | 1 << 5)

    def record(kind, misc, body):
        return E.record(kind, misc, body + E.trailer(attr, ident(0)))

    raw = bytes(path) + b"\0"
    data = record(3, 0, E.pack("II", 100, 100) + b"fixture\0") + \
        record(10, 2, E.pack("IIQQQ", 100, 100, BASE, 0x10000, 0)
               + E.pack("IIQQII", 0, 0, 0, 0, 5, 2) + raw
               + bytes(-len(raw) % 8))
    for nr, name in enumerate(names):
        chain = CHAINS[name]
        data += E.sample(attr, ident(nr, pid=100, tid=100, ip=chain[0],
                                     chain=[USER, *chain]))
    return E.plain_file([(attr, (7,))], data)


@pytest.fixture
def report(run, perfpair, tmp_path):
    def report(data, *words):
        (tmp_path / "s.data").write_bytes(data)
        done = run([perfpair, "report", "-i", "s.data", *words])
        assert done.returncode == 0, done.stderr
        return done
    return report


def test_addresses_in_no_map_are_one_frame(report):
    data = recording("garbage above", "garbage root", "garbage alone", path=MISSING)
    text = report(data, "--format", "folded").stdout
    assert text.splitlines() == ["fixture;[unknown];[tool] 2", "fixture;[unknown] 1"]
    raw = report(data, "--format", "folded", "--raw-addresses").stdout
    assert "0x10;0x7f0123456789;0x1;" in raw and "[unknown]" not in raw


@pytest.mark.parametrize("order", ["caller", "callee"])
@pytest.mark.parametrize("mode", ["graph", "fractal", "flat", "folded"])
def test_call_graphs(mode, order, report):
    data = recording("garbage root", "garbage above", path=MISSING)
    words = ("--stdio", "-s", "dso,sym", "--no-children", "-g", f"{mode},{order}")
    text = report(data, *words).stdout
    assert text.count("[unknown]") == 1
    assert "0x7f0123456789" not in text
    assert "0x7f0123456789" in report(data, *words, "--raw-addresses").stdout


def rows(text):
    return [line.split()[-1] for line in text.splitlines()
            if line.strip() and not line.startswith("#")]


def test_addresses_in_no_map_are_no_callers(report):
    """But where samples were taken they have rows."""
    data = recording("garbage root", "garbage above", "garbage alone", path=MISSING)
    words = ("--stdio", "-s", "sym", "-g", "none", "--children")
    assert sorted(rows(report(data, *words).stdout)) == \
        ["0x00007f0123456789", "[tool]"]
    assert len(rows(report(data, *words, "--raw-addresses").stdout)) == 6
