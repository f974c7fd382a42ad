"""Reads slices of Chrome's trace event format (JSON), and checks that they are
such as speedscope and the Firefox Profiler pair: in order and nested."""

import collections
import decimal
import json

CPUS = "CPUs"


class Slice:
    def __init__(self, begin, end, outer):
        self.name = begin["name"]
        self.start_ns, self.end_ns = ns(begin["ts"]), ns(end["ts"])
        self.category = begin.get("cat")
        self.outer = outer  # the name of the slice around it

    def length_ns(self):
        return self.end_ns - self.start_ns

    def __repr__(self):
        return f"{self.name} {self.start_ns}-{self.end_ns} in {self.outer}"


def ns(micros):
    return int(micros * 1000)


class Trace:
    def __init__(self, data):
        file = json.loads(data, parse_float=decimal.Decimal)
        self.slices = collections.defaultdict(list)  # by (pid, tid)
        self.processes, self.threads = {}, {}
        opened, last_ns = collections.defaultdict(list), {}
        for event in file["traceEvents"]:
            track = event["pid"], event["tid"]
            if event["ph"] == "M":
                if event["name"] == "process_name":
                    self.processes[event["pid"]] = event["args"]["name"]
                elif event["name"] == "thread_name":
                    self.threads[track] = event["args"]["name"]
                continue
            assert ns(event["ts"]) >= last_ns.get(track, 0)
            last_ns[track] = ns(event["ts"])
            assert "args" not in event  # speedscope: a part of the name
            if event["ph"] == "B":
                opened[track].append(event)
                continue
            assert event["ph"] == "E"
            begin = opened[track].pop()
            assert begin["name"] == event["name"]
            assert ns(begin["ts"]) < ns(event["ts"])
            outer = opened[track][-1]["name"] if opened[track] else None
            self.slices[track].append(Slice(begin, event, outer))
        assert not any(opened.values())
        assert set(self.threads) == set(self.slices)
        assert {pid for pid, _ in self.slices} == set(self.processes)
        for slices in self.slices.values():
            for outer in {s.outer for s in slices}:
                at_ns = 0
                for part in sorted((s for s in slices if s.outer == outer),
                                   key=lambda s: s.start_ns):
                    assert part.start_ns >= at_ns  # they do not overlap
                    at_ns = part.end_ns

    def of_task(self, tid):
        """[(name of the task, what it did, start, end)]"""
        return sorted(
            ((s.outer, s.name, s.start_ns, s.end_ns)
             for (pid, of), slices in self.slices.items()
             if of == tid and self.processes[pid] != CPUS
             for s in slices if s.outer), key=lambda row: row[2])

    def of_cpu(self, cpu):
        """[(name of the task, start, end)]"""
        return sorted(
            ((s.name, s.start_ns, s.end_ns)
             for (pid, of), slices in self.slices.items()
             if of == cpu and self.processes[pid] == CPUS for s in slices),
            key=lambda row: row[1])

    def run_ns(self):
        """{tid: ns on a CPU}"""
        found = collections.Counter()
        for (pid, tid), slices in self.slices.items():
            if self.processes[pid] != CPUS:
                found[tid] += sum(s.length_ns() for s in slices
                                  if s.name == "on CPU")
        return +found
