"""What `script -F ip` says of recorded stops, against the frames of gdb."""

import lzma
import struct

from common import ROOT

STACKS = ROOT / "fixtures" / "stacks"


def stack_copies(machine, times=1):
    """A recording of fixtures/stacks as bytes; more than once: all its records
    that often, and no features (the machine is told by the registers)."""
    data = lzma.decompress((STACKS / f"{machine}.data.xz").read_bytes())
    if times == 1:
        return data
    start, length = struct.unpack_from("<2Q", data, 40)
    return (data[:48] + struct.pack("<Q", times * length) + data[56:72]
            + bytes(32) + data[104:start]
            + times * data[start:start + length])


def chains_of(text):
    """A list of addresses for each sample."""
    return [[int(line.split()[0], 16) for line in part.split("\n") if line]
            for part in text.split("\n\n") if part.strip()]


def is_chain(ours, theirs, reach):
    """reach: as many of their frames as the copy surely has; there may be more,
    which only has to be true."""
    return ours == theirs[:len(ours)] and \
        len(ours) >= min(reach, len(theirs), 127)


def differences(stops, chains):
    """stops: of (addresses, reach)."""
    assert len(stops) == len(chains)
    return [(nr, [f"{addr:x}" for addr in ours],
             [f"{addr:x}" for addr in theirs], reach)
            for nr, ((theirs, reach), ours) in enumerate(zip(stops, chains), 1)
            if not is_chain(ours, theirs, reach)]
