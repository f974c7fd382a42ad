"""made_fleet.py: slices of hosts that ran one of two releases, whose numbers are
known."""

import random

import hosts
from rows import perfpair


class Fleet:
    """Recordings and their rows; release B spends more on hash."""

    def __init__(self, folder, host_nr, both=False, slow=(), runs=1):
        self.folder, self.slices = folder, []
        self.apps = [hosts.build(folder / "binA"),
                     hosts.build(folder / "binB", padding=30)]
        chance = random.Random(5)
        for host in range(host_nr):
            level = chance.gauss(1, 0.1)
            for side in (0, 1) if both else (host % 2,):
                self.add(f"host-{host}", side, chance, level,
                         host in slow and side == 1)

    def add(self, host, side, chance, level, is_slow):
        means = {("main", "parse"): 300, ("main", "hash"): 100 + 20 * side,
                 ("main", "render"): 75, ("main", "render", "copy"): 50,
                 ("main", "flush"): 20 * level, ("main",): 12}
        if is_slow:
            means[("main", "hash")] += 250
        counts = {stack: max(0, round(chance.gauss(mean, 0.04 * mean)))
                  for stack, mean in means.items()}
        if chance.random() < 0.3:
            counts[("main", "parse", "rare")] = 3
        name = f"{host}-{'AB'[side]}"
        path = hosts.record(self.folder / f"{name}.data", host,
                            self.apps[side], counts, seed=len(self.slices))
        self.slices.append({"side": side, "host": host, "path": path,
                            "counts": counts,
                            **self.export(path, name, "AB"[side])})

    def export(self, path, name, release):
        samples = self.folder / f"{name}.samples.tsv"
        stacks = self.folder / f"{name}.stacks.tsv"
        perfpair("export", "--format", "rows", "-i", path, "--label",
                 f"release={release}", "--label", "service=shop", "--label",
                 "zone=eu", "-o", samples, "--stacks", stacks)
        return {"samples": samples, "stacks": stacks}

    def data(self, table):
        return b"".join(at[table].read_bytes() for at in self.slices)

    def paths(self, side):
        return [at["path"] for at in self.slices if at["side"] == side]

    def load(self, server, suffix="", tables=("stacks", "samples")):
        for table in tables:
            server.ask(f"INSERT INTO perfpair.{table}{suffix} "
                       "FORMAT TabSeparated", self.data(table))
