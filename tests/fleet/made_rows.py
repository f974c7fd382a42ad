"""made_rows.py: rows that no recording has made, for numbers that are known."""

COLUMNS = ("version, run, slice, start, load, seq, rows, lost, damaged, host, "
           "release, service, labels, cgroup, pod, container, comm, event, "
           "is_clock, time, bin, stack, code, function, weight, number")
FUNCTIONS = {"foo": 1, "bar": 2}
BIN_S = 60


class Rows:
    """The rows of a server, which has none before."""

    def __init__(self, server, functions=FUNCTIONS):
        self.server, self.slice_nr = server, 0
        for table in "samples", "stacks":
            server.ask(f"TRUNCATE TABLE perfpair.{table}")
        for name in functions:
            number = FUNCTIONS[name]
            server.ask("INSERT INTO perfpair.stacks (version, stack, code, "
                       "place, is_self, function, name, level, kind, dso) "
                       f"VALUES (1, {number}, {number}, 0, 1, {number}, "
                       f"'{name}', '.', 'user', 'app')")

    def put(self, host, release, event, counts, lost=0, start=1000):
        """A slice.  counts: samples by function, or by function, task and bin
        of time."""
        self.slice_nr += 1
        rows = []
        for seq, (key, nr) in enumerate(counts.items()):
            name, comm, place = (key, "app", 0) if isinstance(key, str) else key
            code = FUNCTIONS[name]
            rows.append(
                f"(1, 'r', {self.slice_nr}, {start}, 1, {seq}, {len(counts)}, "
                f"{0 if seq else lost}, 0, '{host}', '{release}', '', '', '', "
                f"'', '', '{comm}', '{event}', 0, {start + BIN_S * place}, "
                f"{BIN_S}, {code}, {code}, {code}, {nr}, {nr})")
        self.server.ask(f"INSERT INTO perfpair.samples ({COLUMNS}) VALUES "
                        + ", ".join(rows))
