"""The sections of carried names in a recording (format/FORMAT.md, "Carried names"), for
the tests that cut and change them."""

import struct

FOOTER_LEN, SECTION_LEN = 32, 48


def section_table(data):
    """The offset of the number of sections in the body of the trailer, and that
    number; 0 of a body that ends before it, or without a trailer."""
    if not data.endswith(b"PAIRTRIL"):
        return 0, 0
    end = len(data) - FOOTER_LEN
    at = end - struct.unpack_from("<Q", data, end)[0] + 72
    # the frames, losses, rates (behind the rest of the cost) and sums
    for skipped, item_len in (0, 64), (0, 32), (56, 24), (8, 32):
        at += skipped
        at += 8 + item_len * struct.unpack_from("<Q", data, at)[0]
    return at, struct.unpack_from("<Q", data, at)[0] if at < end else 0


def sections(data):
    """(kind, flags, offset, length, plain length, hash, 0) of each."""
    at, nr = section_table(data)
    return [struct.unpack_from("<2I5Q", data, at + 8 + i * SECTION_LEN)
            for i in range(nr)]


def without_names(data):
    """The file as it was before its names were appended: cut at its first
    trailer."""
    return data[:min(section[2] for section in sections(data))]
