"""Recorded stack copies of other processors, with the frames that gdb found when
they were recorded (fixtures/stacks)."""

import lzma
import re
import struct

import pytest

from common import ROOT, program
from stack_chains import chains_of, differences

STACKS = ROOT / "fixtures" / "stacks"


def expected(machine):
    """(places in files, how many of them the copy has) of each stop."""
    out = []
    for part in (STACKS / f"{machine}.frames").read_text().split("\n\n"):
        head, *lines = part.strip().splitlines()
        out.append(([int(line.split()[0], 16) for line in lines],
                    int(re.search(r": (\d+) of", head)[1])))
    return out


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize("machine", ["aarch64", "i386"])
def test_stack_copies__frames_are_those_of_gdb(machine, is_told, run, tmp_path):
    """A recorder that was killed leaves no features: none names the machine."""
    path = tmp_path / "perf.data"
    data = lzma.decompress((STACKS / f"{machine}.data.xz").read_bytes())
    if not is_told:
        end = sum(struct.unpack_from("<2Q", data, 40))
        data = data[:72] + bytes(32) + data[104:end]
    path.write_bytes(data)
    done = run([program("report", "perfpair"), "script", "-F", "ip", "--symfs",
                STACKS / machine, "-i", path])
    assert (done.returncode, done.stderr) == (0, "")
    assert not differences(expected(machine), chains_of(done.stdout))
