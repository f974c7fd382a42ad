"""Option sets of `report` drawn at random: what nobody thought of.  A set is
drawn for a recording by what it has; what is known to differ on purpose
(docs/differences.md) is not drawn together."""

import re

from drawn import Words
from peer_text import TIP, entries, nested

# What a recording has; BARE: bare addresses of several files, several tasks.
CHAINS, STACKS, BRANCHES, MEMORY, TRACED, GROUP, SEVERAL, LEADER, TIMELESS, \
    TRACE_ALONE, PIPE, BARE = (
        "chains", "stacks", "branches", "memory", "traced", "group", "several",
        "leader", "timeless", "trace alone", "pipe", "bare")
PLAIN_KEYS = ["pid", "comm", "dso", "symbol", "sym", "cpu", "cgroup_id",
              "cgroup", "symbol_size", "code_page_size", "transaction",
              "local_weight", "weight", "local_ins_lat", "ins_lat", "time",
              "addr", "socket"]
BRANCH_KEYS = ["dso_from", "dso_to", "symbol_from", "symbol_to", "cycles",
               "addr_from", "addr_to"]
MEMORY_KEYS = ["symbol_daddr", "dso_daddr", "locked", "tlb", "mem", "snoop",
               "symbol_iaddr", "data_page_size", "blocked"]
COLUMNS = ["overhead", "overhead_sys", "overhead_us", "overhead_guest_sys",
           "overhead_guest_us", "sample", "period", "overhead_children"]
# Callers have another one, or none, or each for itself: README
OF_SAMPLES_ALONE = {"time", "socket", "weight", "local_weight", "addr",
                    "ins_lat", "local_ins_lat", "code_page_size", "cgroup_id",
                    "cgroup", "transaction"}
ASKED_FOR = {"--comms": "comm", "--dsos": "dso", "--symbols": "symbol",
             "--pid": "pid", "--tid": "pid"}
PARTNERS = {"symbol": "dso", "addr_from": "dso_from", "addr_to": "dso_to",
            "symbol_from": "dso_from", "symbol_to": "dso_to", "addr": "dso",
            "symbol_daddr": "dso_daddr", "symbol_iaddr": "dso"}
FULL = {"sym": "symbol"}


class Drawer(Words):
    def __init__(self, draw, traits, names):
        super().__init__(draw, traits, names)
        self.keys = []
        self.children = CHAINS in self.traits
        self.branch_mode = BRANCHES in self.traits
        self.mem_mode = self.history = self.is_row_filter = False

    def key_text(self, key):
        """Keys can be shortened, as long as no other comes first."""
        kind = self.draw.random()
        short = {"pid": ["pi"], "comm": ["com", "co", "c", "COMM"],
                 "dso": ["ds", "d", "DSO"], "symbol": ["sy", "s", "symb"],
                 "cpu": ["cp"], "cgroup": ["cg"], "time": ["tim", "ti"],
                 "sample": ["samp"], "symbol_size": ["symbol_s"],
                 "overhead": ["overhea", "o"], "period": ["perio", "pe"],
                 "symbol_from": ["symbol_fr"],
                 "transaction": ["tra"], "data_page_size": ["data"]}
        if kind < 0.15 and key in short:
            return self.draw.choice(short[key])
        return key

    def modes(self):
        if MEMORY in self.traits and self.maybe(0.4):
            self.mem_mode = True
            self.add("--mem-mode")
        if BRANCHES in self.traits:
            kind = self.draw.random()
            if kind < 0.2:
                self.add("-b")
            elif kind < 0.45:
                self.add("--no-branch-stack")
                self.branch_mode = False
            elif kind < 0.6 and CHAINS in self.traits:
                self.add("--branch-history")
                self.branch_mode = False
                self.history = True
        if self.branch_mode:
            self.children = False
        if CHAINS in self.traits and self.maybe(0.35):
            self.children = self.maybe(0.2) and not self.branch_mode
            self.add("--children" if self.children else "--no-children")
        self.hierarchy = self.maybe(0.15) and not self.mem_mode \
            and not self.history and PIPE not in self.traits

    def possible_keys(self):
        gone = set()
        keys = list(PLAIN_KEYS) + ["comm", "dso", "symbol"] * 3
        if self.branch_mode:
            keys += BRANCH_KEYS * 2
            # README: where branches are, whose weights they have
            gone |= {"addr", "weight", "local_weight"}
        if self.mem_mode:
            keys += MEMORY_KEYS * 2
        if TRACED in self.traits and not self.children:
            keys += ["trace"] * 3
        if self.children:
            gone |= OF_SAMPLES_ALONE
        if self.history:  # README: source lines
            gone |= {"weight", "local_weight"}
        if TIMELESS in self.traits:
            gone |= {"time"}
        if BARE in self.traits:  # README: of the vdso
            gone |= {"addr_from", "addr_to"}
        if not self.names.cpus:
            gone |= {"cpu", "socket"}
        return [key for key in keys if key not in gone]

    def draw_keys(self):
        if not self.maybe(0.65) and not self.history:
            self.default_keys()
            return
        keys = self.some(dict.fromkeys(self.some(self.possible_keys(), 4)), 4)
        self.keys = [FULL.get(key, key) for key in keys]
        # README: bare addresses of several DSOs
        for key, partner in PARTNERS.items():
            if key in self.keys and partner not in self.keys and \
                    (self.children or BARE in self.traits):
                keys.append(partner)
                self.keys.append(partner)
        if "trace" in keys:  # README: rows that others tell apart
            keys.remove("trace")
            keys.insert(0, "trace")
            if TRACE_ALONE not in self.traits:
                keys = self.keys = ["trace"]
        texts = [self.key_text(key) for key in keys]
        if self.hierarchy:
            if len(texts) > 1 and self.maybe(0.4):
                texts[0], texts[1] = "{" + texts[0], texts[1] + "}"
            self.add("-s", ",".join(texts))
            return
        kind = self.draw.random()
        if self.history or \
                (BARE in self.traits and "symbol" in self.keys and kind < 0.45):
            kind = 1  # README: -F with both; -F alone has source lines
        if "trace" in keys and kind < 0.12:
            kind = 1
        if kind < 0.12:
            self.default_keys()
            self.keys += [FULL.get(key, key) for key in keys]
            self.add("-s", "+" + ",".join(texts))
        elif kind < 0.35:
            columns = [self.key_text(key) for key in self.some(COLUMNS, 4)]
            both = columns + texts
            self.draw.shuffle(both)
            self.add("-F", ",".join(both))
        elif kind < 0.45:
            shown = texts if BARE in self.traits else self.some(texts, 3)
            self.add("-s", ",".join(texts), "-F",
                     ",".join(self.some(COLUMNS, 3) + shown))
        elif kind < 0.5:
            self.add("-s", ",".join(texts), "-F",
                     "+" + ",".join(self.some(COLUMNS, 2)))
        else:
            if self.maybe(0.1):
                texts.insert(self.draw.randrange(len(texts) + 1),
                             self.draw.choice(COLUMNS))
            self.add("-s", ",".join(texts))

    def default_keys(self):
        self.keys = ["comm", "dso", "symbol"]
        if TRACE_ALONE in self.traits:
            self.keys = ["trace"]
        if self.branch_mode:
            self.keys = ["comm", "dso_from", "symbol_from", "symbol_to"]
        if self.mem_mode:
            self.keys = ["dso", "symbol", "local_weight"]

    def graphs(self):
        if CHAINS not in self.traits:
            return
        if self.maybe(0.12):
            self.add("-G")
        if self.maybe(0.15):
            self.add("--max-stack", self.draw.choice([1, 2, 3, 5, 8, 30]))
        if not self.maybe(0.5):
            return
        if self.maybe(0.3):
            self.add("-g", "none")
            return
        words = []
        mode = self.draw.choice(["graph", "fractal", "flat", "folded", ""])
        if mode:
            words.append(mode)
        if self.maybe(0.4):
            words.append(self.draw.choice(["0", "0.5", "2", "10", "33.3"]))
            # which of equal nodes is among the first is left to each reader
            if self.maybe(0.3) and mode not in ("flat", "folded") and \
                    not self.traits & {BARE, STACKS}:
                words.append(self.draw.choice(["1", "2", "5"]))
        for values in (["caller", "callee"], ["function", "address"],
                       ["percent", "period", "count"]):
            if self.maybe(0.3):
                words.append(self.draw.choice(values))
        if BARE in self.traits and "address" in words:
            words.remove("address")  # README: of several processes
        # README: folded counts
        if "count" in words and (mode == "folded" or self.hierarchy):
            words.remove("count")
        self.add("-g", ",".join(words or ["graph"]))

    def names_of(self, name):
        kinds = {"--comms": self.names.comms, "--dsos": self.names.dsos,
                 "--symbols": self.names.symbols, "--pid": self.names.pids,
                 "--tid": self.names.tids}
        return kinds[name]

    def filters(self):
        short = {"--comms": "-c", "--dsos": "-d", "--symbols": "-S"}
        for name, key in ASKED_FOR.items():
            values = self.names_of(name)
            if not values or key not in self.keys or self.branch_mode or \
                    not self.maybe(0.12):
                continue
            # README: first samples decide, of callers and of upper levels
            if name in ("--pid", "--tid") and self.children or \
                    name in ("--comms", "--pid", "--tid") and self.hierarchy:
                continue
            picked = self.some(values)
            if self.maybe(0.1):
                picked.append("31999" if key == "pid" else "no_such")
            self.add(self.draw.choice([name, short.get(name, name)]),
                     ",".join(picked))
        if self.names.cpus and PIPE not in self.traits and self.maybe(0.1):
            self.add(self.draw.choice(["--cpu", "-C"]),
                     self.draw.choice([*self.names.cpus, "0-1", "0,1"]))
        if self.maybe(0.1) and not self.hierarchy and "symbol" in self.keys \
                and "comm" in self.keys and "-F" not in self.words \
                and SEVERAL not in self.traits:
            self.is_row_filter = True
            self.add("--symbol-filter", self.draw.choice(
                ["a", "leaf", "sys", "_", "zzz"]))
        if self.maybe(0.06) and "comm" in self.keys and self.names.cpus \
                and "-F" not in self.words and BARE not in self.traits:
            self.is_row_filter = True
            self.add("--socket-filter", self.draw.choice([0, 0, 1]))
        if self.maybe(0.12) and not self.is_row_filter:
            self.add("--percentage",
                     self.draw.choice(["relative", "absolute"]))
        if self.maybe(0.15):
            self.add("--percent-limit",
                     self.draw.choice([0, 0.5, 1, 3, 10, 60, 101]))
        self.parents()
        self.switches()

    def parents(self):
        if CHAINS not in self.traits or STACKS in self.traits \
                or not self.maybe(0.12):
            return
        self.add("-p", self.draw.choice(
            ["^do_|main", "main", "sys", "leaf", "^x", "sort|hash"]))
        if not self.hierarchy and self.maybe(0.5):
            self.add("-x")

    def switches(self):
        if SEVERAL not in self.traits or LEADER in self.traits \
                or not self.maybe(0.15):
            return
        on, off = (self.draw.choice(self.names.events) for _ in range(2))
        self.add("--switch-on", on)
        self.is_row_filter = True
        if GROUP in self.traits:  # README: a leader without samples
            self.add("--no-group")
        if self.maybe(0.4) and on != off:
            self.add("--switch-off", off)
        if self.maybe(0.3):
            self.add("--show-on-off-events")

    def times(self):
        if self.traits & {TIMELESS, PIPE} or not self.maybe(0.15) \
                or not self.names.times:
            return
        self.add_time()

    def forms(self):
        chances = [(0.12, ["-n"]), (0.1, ["--show-total-period"]),
                   (0.08, ["--show-cpu-utilization"]), (0.06, ["-q"]),
                   (0.05, ["-v"]), (0.06, ["-U"]), (0.05, ["--ns"]),
                   (0.04, ["--header"]), (0.03, ["-I"]), (0.06, ["--group"]),
                   (0.04, ["--no-group"]), (0.04, ["--no-skip-empty"]),
                   (0.04, ["--skip-empty"]), (0.03, ["--no-demangle"]),
                   (0.03, ["--no-inline"]), (0.03, ["-T"]),
                   (0.03, ["-f"]), (0.02, ["-m"])]
        for chance, words in chances:
            if words in (["-I"], ["-q"]) and PIPE in self.traits:
                continue
            if words == ["-U"] and self.traits & {BARE, BRANCHES} or \
                    words == ["--group"] and \
                    (self.traits & {PIPE, BRANCHES} or
                     "--switch-on" in self.words):
                continue
            if self.maybe(chance):
                self.add(*words)
        if TRACED in self.traits and self.maybe(0.2):
            self.add("--raw-trace")
        if self.maybe(0.07) and "time" in self.keys:
            self.add("--time-quantum",
                     self.draw.choice(["1ms", "500us", "10ms", "1s"]))
        if GROUP in self.traits and self.maybe(0.2):
            self.add("--group-sort-idx", self.draw.choice([0, 1, 2, 7]))
        if self.hierarchy:
            self.add("--hierarchy")
        elif self.maybe(0.06) and STACKS not in self.traits:
            self.add("-t", self.draw.choice([",", "|", ";", "\t", "@"]))
        elif self.maybe(0.06):
            self.add("-w", ",".join(str(self.draw.choice([0, 5, 8, 12, 30]))
                                    for _ in range(self.draw.randint(1, 5))))

    def whole(self):
        """What is no table of rows."""
        kind = self.draw.random()
        if PIPE in self.traits:
            return False
        if kind < 0.01:
            self.add("--stats")
        elif kind < 0.02:
            self.add("--tasks")
        elif kind < 0.03:
            self.add("--mmaps")
        elif kind < 0.04:
            self.add("--header-only", *self.some([["-I"], []], 1)[0])
        else:
            return False
        return True

    def draw_set(self):
        if self.whole():
            return self.words
        for part in (self.modes, self.draw_keys, self.graphs, self.filters,
                     self.times, self.forms):
            part()
        return self.words


def comparable(text, words):
    """A report by these options without what perf leaves to chance, nor what
    the README says of source lines and inlined rests."""
    text = TIP.sub("", text)
    blanks = " *" if "-v" in words else ""
    text = re.sub(rf"(/tmp/perf-vdso\.so-\w{{6}}|\[vdso\]){blanks}", "[vdso]",
                  text)
    text = text.replace("[...] (inlined)", "[...]")
    text = re.sub(r"\[\.\.\.\] \(calltrace\)$", "[...]", text, flags=re.M)
    text = re.sub(r" (\S+\.[co])?:0(?= \(|;|$)", " ??:0", text, flags=re.M)
    if "address" in " ".join(words) or "--branch-history" in words:
        text = re.sub(r"^(.*--\S+|[ |]*[^\s%]+)( \(inlined\))? \S*:\d+"
                      r"( \(inlined\))?$", r"\1 LINE", text, flags=re.M)
        text = re.sub(r" \S*:\d+(?=;|$)", " LINE", text, flags=re.M)
    text = text.replace("0.00  [  0.0%]", "-".ljust(14))
    text = re.sub(r" (-      -|-) *$", " -", text, flags=re.M)
    if "-t" in words or "-F" in words:
        return "\n".join(sorted(re.sub(r"^[ |]*-*", "", line).rstrip()
                                for line in text.splitlines()))
    if not re.search(r"^[^#\n]", text, re.M):
        # without rows perf makes columns of memory as narrow as their headers
        text = re.sub(r"  +|\.\.+", "  ", text)
    lines = nested(text) if "--hierarchy" in words else entries(text)
    return "\n".join(line.rstrip() for line in lines)
