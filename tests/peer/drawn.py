"""Option sets that are drawn at random, for what nobody thought of: what the
drawers of several commands share (drawn_report.py, drawn_script.py), and how
their tests go on.  PERFPAIR_DRAWN is how many sets a recording gets (5),
PERFPAIR_SEED the seed of the draw."""

import os
import random
import re

import pytest

from peer_text import same_text
from recordings import recipes_by_perf
from redrawn import redraw

SETS_NR = int(os.environ.get("PERFPAIR_DRAWN", "5"))
SEED = int(os.environ.get("PERFPAIR_SEED", "1"))


class Names:
    """What there is to filter by in a recording, out of perf's script."""

    def __init__(self, text):
        self.comms, self.pids, self.tids, self.cpus, self.times, self.events, \
            self.symbols, self.dsos = ([] for _ in range(8))
        line = re.compile(r"^ *(.*?) +(\d+)/(\d+) +(?:\[(\d+)\] )?"
                          r"(?: *(\d+\.\d+):)? +(\S+):")
        place = re.compile(r"^\s*(?:[0-9a-f]+ )?(\S.*?) \(([^()]*)\)$")
        for words in text.splitlines():
            match = line.match(words)
            if match:
                for seen, value in zip((self.comms, self.pids, self.tids,
                                        self.cpus, self.times, self.events),
                                       match.groups()):
                    if value is not None:
                        seen.append(value)
            elif match := place.match(words):
                self.symbols.append(match[1])
                self.dsos.append(match[2])
        self.cpus = [str(int(cpu)) for cpu in self.cpus]
        for name in vars(self):
            setattr(self, name, sorted(set(getattr(self, name))))
        # perf's lists have no quotes
        self.symbols = [name for name in self.symbols if "," not in name
                        and name != "[unknown]" and " " not in name]


class Words:
    """The words of one command line, and what they are drawn by: what a
    recording has (traits), and what there is to filter by (names)."""

    def __init__(self, draw, traits, names):
        self.draw, self.traits, self.names = draw, set(traits), names
        self.words = []

    def maybe(self, chance):
        return self.draw.random() < chance

    def some(self, values, most=3):
        values = list(values)
        self.draw.shuffle(values)
        return values[:self.draw.randint(1, most)]

    def add(self, *words):
        self.words += map(str, words)

    def add_time(self, with_parts=True):
        seen = self.names.times
        one, two = sorted(self.draw.choice(seen) for _ in range(2))
        a, b = sorted(self.draw.sample(range(101), 2))
        texts = [
            f"{one},{two}", f"{one},", f",{two}", f"{a}%-{b}%",
            f"10%/{self.draw.randint(1, 10)}", "25%/1,25%/3", "50%/2",
            f"0%-{a}%,{b}%-100%", f"{one},{one} {two},{two}",
            f"{float(one):.3f},{float(two):.3f}", f"{a}.5%-{b}%"]
        self.add("--time", self.draw.choice(
            [text for text in texts if with_parts or "%" not in text]))


@pytest.fixture(scope="module")
def file_of(request, tmp_path_factory, perf, may_trace, workload, home):
    """file_of(NAME): the path of a recording of the module's FILES, each of
    which is traits, a recipe (its program may have compiler flags), and how its
    samples are changed: (function, branch type), or None."""
    folder = tmp_path_factory.mktemp("drawn")
    record = recipes_by_perf(perf, lambda name: workload(*name.split()), home,
                             folder)

    def path_of(name):
        _, recipe, change = request.module.FILES[name]
        path = folder / f"{name}.changed"
        if change and not path.exists():
            redraw(record(recipe), path, *change)
        return path if change else record(recipe)

    return path_of


def names_of(run, perf, home, path, kind=Names):
    """Not all recordings tell CPUs."""
    fields = "comm,pid,tid,cpu,time,event,ip,sym,dso"
    for keys in (fields, fields.replace("cpu,", "")):
        done = run([perf, "script", "-i", path, "-F", keys], env=home)
        if done.stdout:
            return kind(done.stdout)
    raise AssertionError(done.stderr)


def compare_drawn(name, new_drawer, run_both, comparable):
    """Sets of new_drawer(draw) for the recording of that name; run_both(words)
    tells what perf and perfpair did."""
    draw = random.Random(f"{SEED} {name}")
    compared_nr = 0
    for _ in range(SETS_NR):
        words = new_drawer(draw).draw_set()
        theirs, ours = run_both(words)
        # perf 6.1 ends in a signal now and then; what it refuses, so do we
        if theirs.returncode < 0 or theirs.returncode and ours.returncode > 0:
            continue
        assert (theirs.returncode, ours.returncode) == (0, 0), \
            (words, theirs.stderr, ours.stderr)
        print(*words)
        same_text(comparable(theirs.stdout, words),
                  comparable(ours.stdout, words))
        compared_nr += 1
    assert compared_nr > SETS_NR / 2
