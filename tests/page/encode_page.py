"""encode_page.py: a recording as a page, by the words of report/page/README.md
alone; a second opinion on the encoder in C, and what the viewer is tested with.

    perfpair script -F comm,pid,tid,cpu,time,period,event,ip,sym,dso |
        python3 encode_page.py PAGE PROGRAM [HEAD] >page.html

PAGE and PROGRAM are what report/page/viewer/join.cmake writes, HEAD is JSON with
what else the head shall hold.
"""

import base64
import collections
import html
import json
import re
import sys
import zlib

USER, KERNEL, JIT, INLINED, GUEST, TASK, REST, NAMELESS = range(8)

# One frame of a stack: name and DSO are str, kind one of the above.
Frame = collections.namedtuple("Frame", "name dso kind")
# An instruction: address; how many were left out before it; target: a row's
# number, a Frame that is called, or None; file and line of the source or None;
# counts: {event: (samples, period)}.
Row = collections.namedtuple(
    "Row", "address skipped text target file line counts",
    defaults=(0, "", None, None, 0, {}))
# frames begin with the outermost caller; time is in ns, or None.
Sample = collections.namedtuple(
    "Sample", "event time cpu comm pid tid period frames")

ROOT = Frame("", "", USER)
HEAD_LINE = re.compile(r"(.*?)\s+(-?\d+)/(-?\d+)\s+(?:\[(\d+)\]\s+)?"
                       r"([\d.]+):\s+(\d+)\s+(.*?):\s*$")
FRAME_LINE = re.compile(r"\s+([0-9a-f]+) (.*) \((.*)\)$")


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def column(numbers):
    return varint(len(numbers)) + b"".join(map(varint, numbers))


def gaps(numbers):
    """A column of ascending numbers."""
    return column([n - b - 1 for b, n in zip([-1] + numbers, numbers)])


def text(data):
    return varint(len(data)) + data


def frame_of(symbol, dso):
    """The frame that script's text shows as SYMBOL (DSO)."""
    if dso == "inlined":
        return Frame(symbol, "", INLINED)
    if symbol == "[unknown]":
        name = dso.rsplit("/", 1)[-1]
        return Frame("[unknown]" if dso == "[unknown]" else name, dso, NAMELESS)
    if dso.startswith("[guest"):
        return Frame(symbol, dso, GUEST)
    if dso == "[JIT]" or re.search(r"/(perf-\d+\.map|jitted-\d+-\d+\.so)$", dso):
        return Frame(symbol, dso, JIT)
    if dso.startswith("[") and dso not in ("[vdso]", "[vsyscall]"):
        return Frame(symbol, dso, KERNEL)
    return Frame(symbol, dso, KERNEL if dso.endswith(".ko") else USER)


def read_script(lines):
    """The samples of script's text."""
    samples = []
    frames = []
    for line in lines:
        line = line.rstrip("\n")
        if not line.strip():
            continue
        frame = FRAME_LINE.match(line)
        if frame:
            frames.append(frame_of(frame[2], frame[3]))
            continue
        head = HEAD_LINE.match(line)
        if not head:
            raise ValueError(f"neither sample nor frame: {line!r}")
        frames = []
        seconds, fraction = head[5].split(".")
        time = int(seconds) * 10**9 + int(fraction.ljust(9, "0"))
        samples.append(Sample(
            head[7], time, int(head[4]) if head[4] else None, head[1].strip(),
            int(head[2]), int(head[3]), int(head[6]), frames))
    for sample in samples:
        sample.frames.reverse()
    return samples


class Node:
    def __init__(self):
        self.children = {}
        self.entries = collections.Counter()
        self.periods = collections.Counter()

    def child(self, frame):
        return self.children.setdefault(frame, Node())


class Encoder:
    """What a page holds of some samples."""

    def __init__(self, samples, bins=2000, lanes=64, code=None, sources=None, cut_code=(), processes=(), **head):
        """code: {Frame: [Row, ...]}; sources: {file: {line: text}}; cut_code: what
        head["code"] has, too, with names in place of numbers."""
        self.samples = samples
        self.code, self.sources = code, sources
        self.events = list(dict.fromkeys(s.event for s in samples))
        times = [s.time for s in samples if s.time is not None]
        self.time = None
        if times:
            first, span = min(times), max(times) - min(times) + 1
            bins = min(bins, span)
            bin_ns = -(-span // bins)
            self.time = {"first_ns": first, "span_ns": span,
                         "bins": -(-span // bin_ns), "bin_ns": bin_ns}
        self.cpus = sorted({-1 if s.cpu is None else s.cpu for s in samples})
        self.choose_lanes(lanes)
        for lane in self.lanes:
            if lane["pid"] in processes:
                lane["process"] = processes[lane["pid"]]
        self.trees = [self.tree(event) for event in self.events]
        frames = {ROOT}
        for tree in self.trees:
            self.collect(tree, frames)
        names = {b""} | {f.name.encode() for f in frames} \
            | {f.dso.encode() for f in frames}
        self.names = sorted(names)
        number = {name: i for i, name in enumerate(self.names)}
        self.functions = sorted(frames, key=lambda f: (
            number[f.name.encode()], number[f.dso.encode()], f.kind))
        # the root is before all others, whatever their names
        self.functions.remove(ROOT)
        self.functions.insert(0, ROOT)
        self.number = number
        self.id = {f: i for i, f in enumerate(self.functions)}
        self.head = {
            "version": 3, "program": "encode_page.py", "title": "a recording",
            "recordings": [[]], "warnings": [], "time": self.time, "cpus": self.cpus,
            "lanes": self.lanes, "losses": [],
            "left_out": {"nodes": 0, "samples": 0},
            "events": [self.event_head(e) for e in self.events], **head}
        if code is not None:
            number = {f.name: i for i, f in enumerate(self.functions)}
            cut_code = dict(cut_code)
            self.head["code"] = {
                "least_pct": 0.5, "source": sources is not None,
                "left_out": [number[n] for n in cut_code.get("left_out", [])],
                "problems": [[number[n], why] for n, why in cut_code.get("problems", [])]}

    def choose_lanes(self, limit):
        """The busiest threads; what is left of a process and of all others."""
        count = collections.Counter((s.comm, s.pid, s.tid) for s in self.samples)
        order = [thread for thread, _ in count.most_common()]
        kept = order[:limit]
        self.lane = {thread: i for i, thread in enumerate(kept)}
        self.lanes = [dict(zip(("comm", "pid", "tid"), t)) for t in kept]
        if len(order) > limit:
            self.lanes.append({"comm": "", "pid": -1, "tid": -1})
            for thread in order[limit:]:
                self.lane[thread] = limit

    def event_head(self, event):
        periods = [s.period for s in self.samples if s.event == event]
        one = periods[0] if len(set(periods)) == 1 else 0
        return {"name": event, "samples": len(periods), "total": sum(periods),
                "unit": "ns" if "clock" in event else "events", "period": one}

    def tree(self, event):
        root = Node()
        for s in self.samples:
            if s.event != event:
                continue
            node = root.child(Frame(s.comm, "", TASK))
            for frame in s.frames:
                node = node.child(frame)
            when = 0 if s.time is None else \
                (s.time - self.time["first_ns"]) // self.time["bin_ns"]
            cpu = self.cpus.index(-1 if s.cpu is None else s.cpu)
            key = when, cpu, self.lane[s.comm, s.pid, s.tid]
            node.entries[key] += 1
            node.periods[key] += s.period
        return root

    def collect(self, tree, frames):
        todo = [tree]
        while todo:
            node = todo.pop()
            frames.update(node.children)
            todo.extend(node.children.values())

    def name_bytes(self, names):
        out = [varint(len(names))]
        before = b""
        for name in names:
            shared = 0
            while shared < min(len(name), len(before)) \
                    and name[shared] == before[shared]:
                shared += 1
            out += [varint(shared), text(name[shared:])]
            before = name
        return b"".join(out)

    def function_bytes(self):
        names = [self.number[f.name.encode()] for f in self.functions]
        return column([n - b for n, b in zip(names, [0] + names)]) \
            + column([self.number[f.dso.encode()] for f in self.functions]) \
            + column([f.kind for f in self.functions])

    def preorder(self, tree):
        """(function, node, function of the parent), parents first."""
        todo = [(0, tree, None)]
        while todo:
            function, node, parent = todo.pop()
            yield function, node, parent
            for child in sorted(((self.id[f], n, function)
                                 for f, n in node.children.items()),
                                key=lambda c: -c[0]):
                todo.append(child)

    def event_bytes(self, tree, head):
        nodes = list(self.preorder(tree))
        callees = [set() for _ in self.functions]
        for function, _, parent in nodes:
            if parent is not None:
                callees[parent].add(function)
        callees = [sorted(c) for c in callees]
        rank = [{f: i for i, f in enumerate(c)} for c in callees]
        gaps = [f - b - 1 for c in callees for b, f in zip([-1] + c, c)]
        which = []
        for function, node, _ in nodes:
            # of a child as it is seen from its parent, in preorder of all
            node.sorted = sorted(self.id[f] for f in node.children)
            before = -1
            for child in node.sorted:
                frame = self.functions[child]
                node.children[frame].gap = rank[function][child] - before - 1
                before = rank[function][child]
        which = [node.gap for _, node, parent in nodes if parent is not None]
        cells = sorted({key for _, node, _ in nodes for key in node.entries})
        place = {cell: i for i, cell in enumerate(cells)}
        places, samples, periods = [], [], []
        for _, node, _ in nodes:
            keys = sorted(node.entries)
            numbers = [place[key] for key in keys]
            places += [n - b - 1 for b, n in zip([-1] + numbers, numbers)]
            samples += [node.entries[key] - 1 for key in keys]
            periods += [node.periods[key] for key in keys]
        bins = [cell[0] for cell in cells]
        return column([len(c) for c in callees]) + column(gaps) \
            + column([len(n.children) for _, n, _ in nodes]) + column(which) \
            + column([b - a for a, b in zip([0] + bins, bins)]) \
            + column([cell[1] for cell in cells]) + column([cell[2] for cell in cells]) \
            + column([len(n.entries) for _, n, _ in nodes]) + column(places) \
            + column(samples) + column([] if head["period"] else periods)

    def target_number(self, target):
        if target is None:
            return 0
        return 2 * self.id[target] + 2 if isinstance(target, Frame) else 2 * target + 1

    def code_bytes(self):
        if self.code is None:
            return b""
        order = sorted(self.code, key=self.id.get)
        lists = [self.code[f] for f in order]
        rows = [r for rows in lists for r in rows]
        files = sorted({r.file for r in rows if r.file})
        texts = sorted({b""} | {r.text.encode() for r in rows} | {f.encode() for f in files})
        steps, lines = [], []
        for one in lists:
            before = one[0]
            steps += [b.address - a.address for a, b in zip([before] + one, one)]
            numbers = [r.line for r in one]
            for a, b in zip([0] + numbers, numbers):
                lines.append(2 * (b - a) if b >= a else 2 * (a - b) - 1)
        out = self.name_bytes(texts) + column([texts.index(f.encode()) for f in files]) \
            + gaps([self.id[f] for f in order]) + column([len(one) for one in lists]) \
            + column([0 for _ in lists]) + column([one[0].address for one in lists]) \
            + column([r.skipped for r in rows]) + column(steps) \
            + column([texts.index(r.text.encode()) for r in rows]) \
            + column([self.target_number(r.target) for r in rows]) \
            + column([files.index(r.file) + 1 if r.file else 0 for r in rows]) + column(lines)
        for event, head in zip(self.events, self.head["events"]):
            counts = [r.counts.get(event, (0, 0)) for r in rows]
            out += column([nr for nr, _ in counts])
            out += column([] if head["period"] else [period for _, period in counts])
        if self.sources is not None:
            held = [sorted(self.sources.get(f, {})) for f in files]
            out += column([len(h) for h in held])
            numbers = [gaps(h)[len(varint(len(h))):] for h in held]
            out += varint(sum(map(len, held))) + b"".join(numbers)
            out += b"".join(text(self.sources[f][n].encode()) for f, h in zip(files, held) for n in h)
        return out

    def bytes(self):
        events = [self.event_bytes(t, h)
                  for t, h in zip(self.trees, self.head["events"])]
        return text(json.dumps(self.head).encode()) + self.name_bytes(self.names) \
            + self.function_bytes() + b"".join(events) + self.code_bytes()


def deflated(data):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def block(data):
    """The bytes deflated, as base64."""
    return base64.b64encode(deflated(data)).decode()


def page(template, program, encoder):
    """The page out of the texts of join.cmake."""
    words = {"TITLE": html.escape(encoder.head["title"]), "PROGRAM": block(program.encode()),
             "DATA": block(encoder.bytes())}
    return re.sub("@(TITLE|PROGRAM|DATA)@", lambda word: words[word[1]], template)


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    lines = sys.stdin.buffer.read().decode("utf-8", "replace").split("\n")
    head = json.loads(read_text(sys.argv[3])) if len(sys.argv) > 3 else {}
    encoder = Encoder(read_script(lines), **head)
    sys.stdout.write(page(read_text(sys.argv[1]), read_text(sys.argv[2]), encoder))


if __name__ == "__main__":
    main()
