"""The sections of carried names in a recording (format/FORMAT.md, "Carried names"), for
the tests that cut and change them."""

import struct

FOOTER_LEN, SECTION_LEN, SECTIONS_MAX = 32, 48, 12


def sections(data):
    """(kind, flags, offset, length, plain length, hash, 0) of each: the last
    that stands in the body of the trailer, behind their number."""
    body_end = len(data) - FOOTER_LEN
    for nr in range(1, SECTIONS_MAX + 1):
        start = body_end - nr * SECTION_LEN
        if struct.unpack_from("<Q", data, start - 8)[0] == nr:
            return [struct.unpack_from("<2I5Q", data, start + i * SECTION_LEN)
                    for i in range(nr)]
    return []


def without_names(data):
    """The file as it was before its names were appended: cut at its first
    trailer."""
    return data[:min(section[2] for section in sections(data))]
