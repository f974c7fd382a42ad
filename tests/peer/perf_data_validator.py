"""perf_data_validator.py: what the newest perf (v7.2) asks of a perf.data file
and older ones let pass; written from FORMAT.md, shares no code with format/.

    problems = validate(path)       a list of texts, empty for a good file
    perf_data_validator.py FILE...  prints them, exits 1 where there are any

This machine's byte order only.
"""

import ctypes
import struct
import sys

HEADER_LEN = 104
PIPE_HEADER_LEN = 16
RECORD_MAX = 65535
UNALIGNED_TYPES = {66, 80, 81}
TYPE_MAX = 83  # what perf 6.1 reads; a type beyond stops it
ATTR_LENS = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144}

# Bytes of header and fixed body, the sample_id trailer not counted.
MIN_LEN = {1: 40, 2: 24, 3: 16, 4: 32, 5: 32, 6: 32, 7: 32, 8: 16, 9: 8,
           10: 72, 11: 32, 12: 16, 13: 16, 14: 8, 15: 16, 16: 24, 17: 24,
           18: 24, 19: 16, 20: 20, 21: 16, 64: 8 + 64, 66: 12, 67: 36, 68: 8,
           69: 16, 70: 16, 71: 48, 72: 48, 73: 16, 74: 16, 75: 16, 76: 48,
           77: 24, 78: 24, 79: 32, 80: 16, 81: 9, 82: 8}
# Where a NUL-terminated text starts in the record.
TEXT_OFF = {1: 40, 3: 16, 10: 72, 17: 24, 19: 16}

STRINGS = {3, 4, 5, 6, 8, 9}


class Damage(Exception):
    pass


class Bytes:
    """A bounded reader: numbers in order, no byte beyond the end."""

    def __init__(self, data, what):
        self.data, self.what, self.pos = data, what, 0

    def take(self, length):
        if length > len(self.data) - self.pos:
            raise Damage(f"{self.what} ends too early")
        self.pos += length
        return self.data[self.pos - length:self.pos]

    def u16(self):
        return struct.unpack("=H", self.take(2))[0]

    def u32(self):
        return struct.unpack("=I", self.take(4))[0]

    def u64(self):
        return struct.unpack("=Q", self.take(8))[0]

    def string(self):
        length = self.u32()
        text = self.take(length)
        if not length or length % 64 or b"\0" not in text:
            raise Damage(f"{self.what}: a string of {length} bytes, or "
                         "without NUL")
        return text.split(b"\0")[0].decode(errors="replace")

    def strings(self, limit=1 << 20):
        count = self.u32()
        if count > limit:
            raise Damage(f"{self.what} lists {count}")
        return [self.string() for _ in range(count)]

    def expect(self, holds, text):
        if not holds:
            raise Damage(f"{self.what}: {text}")


def attr(reader, length):
    raw = reader.take(length)
    size = struct.unpack_from("=I", raw, 4)[0]
    reader.expect(size == length, f"attr of {size} in an entry of {length}")
    return raw


def nrcpus(r, ctx):
    ctx["cpus"], online = r.u32(), r.u32()
    r.expect(online <= ctx["cpus"] <= 1 << 20, "online over available")


def event_desc(r, ctx):
    count, length = r.u32(), r.u32()
    r.expect(count == len(ctx["attrs"]), "other events than the attr section")
    for i in range(count):
        r.expect(attr(r, length) == ctx["attrs"][i]["raw"],
                 f"attr {i} is another than in the attr section")
        ids = r.u32()
        r.expect(r.string() != "", f"event {i} has no name")
        found = [r.u64() for _ in range(ids)]
        r.expect(found == ctx["attrs"][i]["ids"], f"ids of event {i} differ")


def cpu_topology(r, ctx):
    r.expect("cpus" in ctx, "comes without NRCPUS")
    for _ in range(2):
        r.expect(len(r.strings()) <= ctx["cpus"], "more lists than CPUs")
    r.take(8 * ctx["cpus"])
    if r.pos < len(r.data):
        r.expect(len(r.strings()) <= ctx["cpus"], "more dies than CPUs")
        r.take(4 * ctx["cpus"])


def numa(r, _):
    count = r.u32()
    r.expect(count <= 4096, f"{count} nodes")
    for _node in range(count):
        r.take(20)
        r.string()


def pmus(r, _):
    count = r.u32()
    r.expect(count <= 4096, f"{count} PMUs")
    for _pmu in range(count):
        r.u32()
        r.expect(r.string() != "", "a PMU has no name")


def groups(r, ctx):
    for _ in range(r.u32()):
        r.string()
        leader, members = r.u32(), r.u32()
        r.expect(members >= 2 and leader + members <= len(ctx["attrs"]),
                 f"group {leader}+{members} is not among the events")


def caches(r, _):
    r.expect(r.u32() == 1, "version is not 1")
    for _cache in range(r.u32()):
        r.take(16)
        for _text in range(3):
            r.string()


def sample_time(r, _):
    first, last = r.u64(), r.u64()
    r.expect(first <= last, f"{first} is after {last}")


def memory(r, _):
    r.expect(r.u64() == 1, "version is not 1")
    r.u64()
    for _node in range(r.u64()):
        r.u64()
        bits, again = r.u64(), r.u64()
        r.expect(bits == again, "two lengths of one set")
        r.take((bits + 63) // 64 * 8)


def compressed(r, ctx):
    _version, kind, _level, _ratio, ctx["mmap_len"] = (r.u32()
                                                       for _ in range(5))
    r.expect(kind == 1, "is not zstd")
    r.expect(ctx["mmap_len"] >= 4096 and ctx["mmap_len"] % 4096 == 0,
             f"mmap_len {ctx['mmap_len']}")


def clock_data(r, _):
    r.expect(r.u32() == 1, "version is not 1")
    r.take(20)


def build_ids(r, _):
    while r.pos < len(r.data):
        r.u32()
        r.u16()
        length = r.u16()
        r.expect(length >= 36 and length % 8 == 0, f"record of {length}")
        body = r.take(length - 8)
        r.expect(0 < body[24] <= 20, f"build-id of {body[24]} bytes")
        r.expect(b"\0" in body[28:], "name without NUL")


def tracing_data(r, _):
    r.expect(r.take(10) == b"\x17\x08\x44tracing", "no tracing magic")
    r.pos = len(r.data)


FEATURES = {
    1: tracing_data, 2: build_ids, 7: nrcpus, 10: lambda r, _: r.u64(),
    11: lambda r, _: r.strings(), 12: event_desc, 13: cpu_topology, 14: numa,
    15: lambda r, _: None, 16: pmus, 17: groups, 20: caches, 21: sample_time,
    22: memory, 23: lambda r, _: r.u64(), 27: compressed, 29: clock_data,
}
FEATURES.update({bit: lambda r, _: r.string() for bit in STRINGS})


class Area(ctypes.Structure):
    """ZSTD_inBuffer and ZSTD_outBuffer, which look alike."""

    _fields_ = [("at", ctypes.c_void_p), ("len", ctypes.c_size_t),
                ("pos", ctypes.c_size_t)]


class Stream:
    """libzstd's decompressor: the zstd program hands out whole blocks of its
    own only, and here it matters which record yields what."""

    def __init__(self):
        self.lib = ctypes.CDLL("libzstd.so.1")
        self.lib.ZSTD_createDStream.restype = ctypes.c_void_p
        self.lib.ZSTD_decompressStream.restype = ctypes.c_size_t
        self.lib.ZSTD_decompressStream.argtypes = [
            ctypes.c_void_p, ctypes.POINTER(Area), ctypes.POINTER(Area)]
        self.lib.ZSTD_isError.argtypes = [ctypes.c_size_t]
        self.stream = ctypes.c_void_p(self.lib.ZSTD_createDStream())
        self.room = ctypes.create_string_buffer(1 << 20)

    def feed(self, payload):
        """(plain text of the payload, whether it ends its frame)."""
        held = ctypes.create_string_buffer(payload, len(payload))
        taken = Area(ctypes.addressof(held), len(payload), 0)
        plain = b""
        while True:
            given = Area(ctypes.addressof(self.room), len(self.room), 0)
            left = self.lib.ZSTD_decompressStream(
                self.stream, ctypes.byref(given), ctypes.byref(taken))
            if self.lib.ZSTD_isError(left):
                raise Damage("zstd cannot decode it")
            plain += self.room.raw[:given.pos]
            if left == 0 and taken.pos < taken.len:
                raise Damage("a frame ends inside a COMPRESSED record")
            if taken.pos == taken.len and given.pos < given.len:
                return plain, left == 0


class Validator:
    def __init__(self, data):
        self.data, self.problems = data, []
        self.ctx = {"attrs": []}
        self.stream = None
        self.plain = b""  # of the frame that is open

    def complain(self, text):
        if len(self.problems) < 50:
            self.problems.append(text)

    def guard(self, function, *args):
        try:
            function(*args)
        except Damage as damage:
            self.complain(str(damage))

    def file(self):
        magic, size = struct.unpack_from("=8sQ", self.data)
        if magic != b"PERFILE2":
            raise Damage("no magic of this byte order")
        if size == PIPE_HEADER_LEN:
            self.records(PIPE_HEADER_LEN, len(self.data), True)
            return
        if size != HEADER_LEN:
            raise Damage(f"header of {size}")
        (entry, attr_off, attr_len, self.data_off, self.data_len, types_off,
         types_len, *bitmap) = struct.unpack_from("=11Q", self.data, 16)
        self.bits = [bit for bit in range(256)
                     if bitmap[bit // 64] >> bit % 64 & 1]
        self.sections(attr_off, attr_len, types_off, types_len)
        self.attrs(entry, attr_off, attr_len)
        if self.bits:
            self.features()
        self.records(self.data_off, self.data_off + self.data_len, False)

    def sections(self, attr_off, attr_len, types_off, types_len):
        end = self.data_off + self.data_len
        if min(attr_off, self.data_off) < HEADER_LEN:
            self.complain("a section begins inside the header")
        if attr_off < end and self.data_off < attr_off + attr_len:
            self.complain("attr and data sections overlap")
        if attr_off + attr_len > len(self.data) or end > len(self.data):
            raise Damage("a section goes beyond the file")
        if types_off or types_len:
            self.complain("the section of event types is not empty")
        if not self.data_len:
            self.complain("data section of 0 bytes")

    def attrs(self, entry, off, length):
        if entry - 16 not in ATTR_LENS or length % entry:
            raise Damage(f"attr entries of {entry} in {length} bytes")
        if entry - 16 > 128:
            self.complain(f"attrs of {entry - 16}: perf 6.1 refuses the file")
        for at in range(off, off + length, entry):
            r = Bytes(self.data[at:at + entry], "attr section")
            raw = attr(r, entry - 16)
            ids_off, ids_len = r.u64(), r.u64()
            if ids_len % 8 or ids_off + ids_len > len(self.data):
                raise Damage("ids beyond the file")
            ids = struct.unpack_from(f"={ids_len // 8}Q", self.data, ids_off)
            self.ctx["attrs"].append({"raw": raw, "ids": list(ids)})

    def features(self):
        table = self.data_off + self.data_len
        for i, bit in enumerate(self.bits):
            off, length = struct.unpack_from("=QQ", self.data, table + 16 * i)
            if bit not in FEATURES:
                self.complain(f"feature {bit} is not expected of us")
            elif off + length > len(self.data):
                self.complain(f"feature {bit} goes beyond the file")
            else:
                self.guard(self.feature, bit, self.data[off:off + length])
        if 3 not in self.bits:
            self.complain("no HOSTNAME")

    def feature(self, bit, payload, padded=False):
        r = Bytes(payload, f"feature {bit}")
        FEATURES[bit](r, self.ctx)
        left = len(payload) - r.pos
        if left >= (8 if padded else 1):
            raise Damage(f"feature {bit}: {left} bytes too many")

    def records(self, at, end, is_pipe):
        while at < end:
            if end - at < 8:
                raise Damage(f"at {at:#x}: {end - at} bytes are no record")
            kind, misc, size = struct.unpack_from("=IHH", self.data, at)
            if size < 8 or size > end - at:
                raise Damage(f"at {at:#x}: record {kind} of {size} bytes")
            record = self.data[at:at + size]
            self.record(record, at)
            if kind == 64:
                self.header_attr(record)
            elif kind == 80:
                self.guard(self.header_feature, record)
            elif kind == 81:
                self.compressed_record(record[8:], at)
            at += size
            if kind == 66 and is_pipe:
                at += struct.unpack_from("=I", record, 8)[0]
        if self.plain:
            self.complain("the last frame is not ended")

    def record(self, record, at):
        kind, misc, size = struct.unpack_from("=IHH", record)
        where = f"at {at:#x}: record {kind}"
        if size % 8 and kind not in UNALIGNED_TYPES:
            self.complain(f"{where} of {size} bytes")
        if kind not in MIN_LEN:
            self.complain(f"{where}: perf 6.1 does not know the type")
        elif size < MIN_LEN[kind]:
            self.complain(f"{where} of {size} bytes, not {MIN_LEN[kind]}")
        elif kind in TEXT_OFF and b"\0" not in record[TEXT_OFF[kind]:]:
            self.complain(f"{where}: text without NUL")

    def header_attr(self, record):
        length = struct.unpack_from("=I", record, 12)[0]
        self.guard(lambda: attr(Bytes(record[8:], "HEADER_ATTR"), length))
        ids = record[8 + length:]
        if len(ids) % 8:
            self.complain("HEADER_ATTR with part of an id")
        self.ctx["attrs"].append({
            "raw": record[8:8 + length],
            "ids": list(struct.unpack(f"={len(ids) // 8}Q", ids))})

    def header_feature(self, record):
        bit = struct.unpack_from("=Q", record, 8)[0]
        payload = record[16:]
        if not payload:
            return  # ends the features of a pipe
        if bit not in FEATURES:
            raise Damage(f"feature {bit} is not expected of us")
        self.feature(bit, payload, padded=True)

    def compressed_record(self, payload, at):
        """A frame ends at the end of a record only; each yields something."""
        self.stream = self.stream or Stream()
        plain, ended = self.stream.feed(payload)
        if "mmap_len" not in self.ctx:
            self.complain(f"at {at:#x}: COMPRESSED before its feature")
        elif len(plain) > self.ctx["mmap_len"]:
            self.complain(f"at {at:#x}: {len(plain)} plain bytes")
        if not plain:
            self.complain(f"at {at:#x}: COMPRESSED record without plain text")
        self.plain += plain
        if ended:
            self.plain_records(self.plain, at)
            self.plain = b""

    def plain_records(self, plain, at):
        pos = 0
        while pos < len(plain):
            if len(plain) - pos < 8:
                self.complain(f"at {at:#x}: a frame ends inside a record")
                return
            size = struct.unpack_from("=H", plain, pos + 6)[0]
            if size < 8 or size > len(plain) - pos:
                self.complain(f"at {at:#x}: a frame ends inside a record")
                return
            self.record(plain[pos:pos + size], at)
            pos += size


def validate(path):
    with open(path, "rb") as file:
        validator = Validator(file.read())
    validator.guard(validator.file)
    return validator.problems


if __name__ == "__main__":
    failed = False
    for name in sys.argv[1:]:
        for problem in validate(name):
            print(f"{name}: {problem}")
            failed = True
    sys.exit(failed)
