"""Recordings of this machine's perf whose samples are given what its CPU cannot
record: sources and weights of memory accesses, transactions, branch stacks.

A recording is taken apart by format/FORMAT.md: samples into their parts by the
bits of sample_type; a function changes the parts, and the file is put together
again with all its records and features, so that both readers find real tasks,
maps and addresses in it."""

import struct

IP, TID, TIME, ADDR, READ, CHAIN, ID, CPU, PERIOD, STREAM, RAW, BRANCHES, \
    REGS_USER, STACK_USER, WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, \
    REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE, CODE_PAGE, \
    WEIGHT_STRUCT = range(25)

ONE_WORD = lambda body, at: 8  # noqa: E731
# in the order in which they stand in a sample, with their lengths
PARTS = [(IDENTIFIER, ONE_WORD), (IP, ONE_WORD), (TID, ONE_WORD),
         (TIME, ONE_WORD), (ADDR, ONE_WORD), (ID, ONE_WORD),
         (STREAM, ONE_WORD), (CPU, ONE_WORD), (PERIOD, ONE_WORD),
         (READ, None),
         (CHAIN, lambda body, at: 8 + 8 * word(body, at)),
         (RAW, lambda body, at: 4 + struct.unpack_from("<I", body, at)[0]),
         (BRANCHES, lambda body, at: 8 + 24 * word(body, at)),
         (REGS_USER, None), (STACK_USER, None), (WEIGHT, ONE_WORD),
         (WEIGHT_STRUCT, ONE_WORD), (DATA_SRC, ONE_WORD),
         (TRANSACTION, ONE_WORD), (REGS_INTR, None), (PHYS_ADDR, ONE_WORD),
         (CGROUP, ONE_WORD), (DATA_PAGE, ONE_WORD), (CODE_PAGE, ONE_WORD)]
SAMPLE = 9
SAMPLE_TYPE_AT, BRANCH_TYPE_AT = 24, 72  # in an attr
FEATURE_BRANCHES = 15


def word(body, at=0):
    return struct.unpack_from("<Q", body, at)[0]


def words(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def take_apart(body, kind):
    parts, at = {}, 0
    for bit, length in PARTS:
        if not kind >> bit & 1:
            continue
        end = at + length(body, at)
        parts[bit] = body[at:end]
        at = end
    assert at == len(body)
    return parts


def records(data):
    at = 0
    while at < len(data):
        kind, misc, length = struct.unpack_from("<IHH", data, at)
        yield kind, misc, data[at + 8:at + length]
        at += length


def redraw(source, target, change, branch_type=0):
    """Writes target, which is source with its samples as change(parts, nr)
    leaves them; branch_type: of branch stacks that it adds."""
    old = source.read_bytes()
    _, header_len, entry_len, attrs_at, attrs_len, data_at, data_len = \
        struct.unpack_from("<7Q", old)
    assert header_len == 104
    bits = int.from_bytes(old[72:104], "little")
    places = [struct.unpack_from("<2Q", old, data_at + data_len + 16 * i)
              for i in range(bits.bit_count())]
    payloads = dict(zip((b for b in range(256) if bits >> b & 1),
                        (old[at:at + length] for at, length in places)))
    kinds = {word(old, attrs_at + i + SAMPLE_TYPE_AT)
             for i in range(0, attrs_len, entry_len)}
    kind, = kinds
    data, nr = b"", 0
    for record, misc, body in records(old[data_at:data_at + data_len]):
        if record == SAMPLE:
            parts = take_apart(body, kind)
            change(parts, nr)
            new_kind = sum(1 << bit for bit in parts)
            body = b"".join(parts[bit] for bit, _ in PARTS if bit in parts)
            nr += 1
        data += struct.pack("<IHH", record, misc, 8 + len(body)) + body
    assert nr
    head = bytearray(old[:data_at])
    for i in range(attrs_at, attrs_at + attrs_len, entry_len):
        head[i + SAMPLE_TYPE_AT:i + SAMPLE_TYPE_AT + 8] = words(new_kind)
        if branch_type:
            head[i + BRANCH_TYPE_AT:i + BRANCH_TYPE_AT + 8] = \
                words(branch_type)
    if branch_type:
        payloads[FEATURE_BRANCHES] = b""
    head[40 + 8:40 + 16] = words(len(data))
    head[72:104] = sum(1 << bit for bit in payloads).to_bytes(32, "little")
    target.write_bytes(bytes(head) + data +
                       features(payloads, data_at + len(data)))
    return target


def features(payloads, at):
    table, behind = b"", b""
    at += 16 * len(payloads)
    for bit in sorted(payloads):
        table += words(at + len(behind), len(payloads[bit]))
        behind += payloads[bit]
    return table + behind
