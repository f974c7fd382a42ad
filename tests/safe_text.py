"""safe_text.py: names as every output shows them (format/support/safe_text.h)."""

import re

UNSAFE = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e"
                    "\u2066-\u2069\udc80-\udcff]")


def shown(name):
    """A str, or bytes of any kind."""
    if isinstance(name, bytes):
        return shown(name.decode(errors="surrogateescape")).encode()
    return UNSAFE.sub(lambda found: "".join(
        f"\\x{byte:02x}" for byte in
        found[0].encode(errors="surrogateescape")), name)
