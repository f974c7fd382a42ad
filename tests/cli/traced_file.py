"""traced_file.py: recordings of lock and raw_syscalls tracepoints, made record by
record."""

from made_file import File
import shown
import tracing

CHAIN = 1 << 5
KIND = 1 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 10
KERNEL, USER = 2**64 - 128, 2**64 - 512

COMMON = """\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""
# system: tracepoints, of (name, number, fields of (type, name, size, signed))
LOCK = ("lock", (
    ("contention_begin", 408, (("void *", "lock_addr", 8, 0),
                               ("unsigned int", "flags", 4, 0))),
    ("contention_end", 407, (("void *", "lock_addr", 8, 0),
                             ("int", "ret", 4, 1)))))
CALLS = ("raw_syscalls", (
    ("sys_enter", 443, (("long", "id", 8, 1),
                        ("unsigned long", "args[6]", 48, 0))),
    ("sys_exit", 442, (("long", "id", 8, 1), ("long", "ret", 8, 1)))))


def format_of(name, number, fields):
    text, at = f"name: {name}\nID: {number}\nformat:\n{COMMON}", 8
    for kind, field, size, signed in fields:
        text += (f"\tfield:{kind} {field};\toffset:{at};\tsize:{size};"
                 f"\tsigned:{signed};\n")
        at += size
    return text + '\nprint fmt: "%d", REC->common_pid\n'


def formats(e, system, points):
    def text(string):
        return e.words(len(string)) + string.encode()

    return bytes((23, 8, 68)) + b"tracing" + b"0.6\0" \
        + bytes((e.big_endian, 8)) + e.pack("I", 4096) \
        + b"header_page\0" + text(tracing.HEADER_PAGE) \
        + b"header_event\0" + text(tracing.HEADER_EVENT) \
        + e.pack("I", 0) + e.pack("I", 1) + system.encode() + b"\0" \
        + e.pack("I", len(points)) \
        + b"".join(text(format_of(*point)) for point in points) \
        + e.pack("II", 0, 0) + e.words(0)


class Traced(File):
    """Two tracepoints, of LOCK or CALLS, that begin and end something."""

    def __init__(self, what, big_endian=False, with_chains=False, **fields):
        system, points = what
        attrs = [shown.attr_of(**{
            "type": 2, "config": number, "sample_period": 1,
            "sample_type": KIND | CHAIN * with_chains, **fields})
            for _, number, _ in points]
        super().__init__(big_endian, attrs)
        self.points = points
        self.features = {1: formats(self.e, system, points),
                         6: self.string(b"x86_64")}

    def ident(self, time, ident=101, tid=6):
        return {"pid": 5, "tid": tid, "time": time, "id": ident, "cpu": 1,
                "stream_id": 0}

    def name(self, tid, name, time=0):
        self.records.append(self.e.record(
            3, 0, self.e.pack("II", 5, tid) + name.ljust(8, b"\0")
            + self.e.trailer(self.attrs[0], self.ident(time))))

    def lost(self, time, nr=7):
        self.records.append(self.e.record(
            2, 0, self.e.words(101, nr)
            + self.e.trailer(self.attrs[0], self.ident(time))))

    def at(self, idx, time, *values, tid=6, chain=(), raw=None):
        """The sample of one of the two tracepoints."""
        _, number, fields = self.points[idx]
        if raw is None:
            raw = self.e.pack("HBBi", number, 0, 0, tid) + b"".join(
                self.e.pack({(8, 0): "Q", (8, 1): "q", (4, 0): "I",
                             (4, 1): "i"}[size, signed], value)
                for (_, _, size, signed), value in zip(fields, values))
        self.records.append(self.e.sample(self.attrs[idx], dict(
            self.ident(time, self.ids[idx][0], tid), raw=raw, chain=chain)))

    def begin(self, time, *values, **more):
        self.at(0, time, *values, **more)

    def end(self, time, *values, **more):
        self.at(1, time, *values, **more)

    def kernel(self, start=0xffffffff81000000):
        """The kernel's map, for a call chain's names out of KALLSYMS."""
        self.records.append(self.e.record(
            1, 1, self.e.pack("iIQQQ", -1, 0, start, 0x1000000, start)
            + b"[kernel.kallsyms]_text\0\0"
            + self.e.trailer(self.attrs[0], self.ident(0))))


TEXT = 0xffffffff81000000
# functions of 256 bytes, by name their addresses
FUNCTIONS = {name: TEXT + 256 * nr for nr, name in enumerate((
    "_text", "rwsem_down_read_slowpath", "down_read", "vm_map", "do_call",
    "schedule", "other_call", "entry"))}
KALLSYMS = "".join(f"{start:x} T {name}\n"
                   for name, start in FUNCTIONS.items())


def stack(*names):
    """The addresses of a call chain of the kernel."""
    return (KERNEL, *(FUNCTIONS[name] + 0x11 for name in names))
