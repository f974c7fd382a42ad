"""Option sets of `script` drawn at random: what nobody thought of.  A set is
drawn for a recording by what its events sample; what is known to differ on
purpose (docs/differences.md) is not drawn."""

import re

from drawn import Names, Words

# What a recording has besides the bits of its samples; LINES: spin, with debug
# information; ENDS: the header tells the first time and the last; AUX: traces; CPUS: the header tells how many.
PIPE, SEVERAL, CLOCK, LINES, COMPRESSED, ENDS, AUX, CPUS = (
    "pipe", "several", "clock data", "lines", "compressed", "ends", "aux",
    "cpus")
# Fields and what samples must have for them; README: brstackoff of the kernel
FIELDS = {
    "comm": None, "tid": "TID", "pid": "TID", "time": "TIME", "cpu": "CPU",
    "event": None, "trace": "RAW", "ip": "IP", "sym": "IP", "dso": "IP",
    "addr": "ADDR", "symoff": "IP", "period": None, "iregs": "REGS_INTR",
    "uregs": "REGS_USER", "brstack": None, "brstacksym": None, "flags": None, "data_src": "DATA_SRC",
    "weight": "WEIGHT", "phys_addr": "PHYS_ADDR", "misc": None, "tod": CLOCK,
    "data_page_size": "DATA_PAGE_SIZE", "code_page_size": "CODE_PAGE_SIZE",
    "ins_lat": "WEIGHT_STRUCT", "machine_pid": None, "vcpu": None,
    "callindent": None, "synth": None, "ipc": None, "srcline": LINES,
    "srccode": LINES}
DECODED = {"callindent", "synth", "ipc"}
USUAL = ["comm", "tid", "pid", "time", "cpu", "event", "ip", "sym", "dso",
         "symoff", "period"]
NEVER = {"hw": {"trace"}, "sw": {"trace"}, "raw": {"trace"}, "trace": set()}
SHOWN = ["task", "mmap", "switch", "namespace", "cgroup", "lost", "bpf",
         "text-poke", "round"]


class ScriptNames(Names):
    """Samples without call chains have their place in the same line."""

    def __init__(self, text):
        places = re.findall(r"^ *\S.*:\s+([0-9a-f]+ \S.*? \([^()]*\))$", text,
                            re.M)
        super().__init__("\n".join([text, *places]))
        addresses = re.findall(r"^\s+([0-9a-f]{4,16}) ", "\n".join(places)
                               + "\n" + text, re.M)
        self.addresses = sorted(set(addresses))


def traits_of(told, header):
    """Out of perf evlist -v and perf script --header-only: what all events
    sample, their types, and what the file is."""
    events = told.splitlines()
    kinds = [re.search(r"sample_type: ([A-Z_|]+)", line) for line in events]
    bits = [set(kind[1].split("|")) for kind in kinds if kind]
    names = {"0": "hw", "1": "sw", "2": "trace", "4": "raw"}
    types = {names.get((re.search(r" type: (\d+)", line) or "00")[1])
             for line in events} - {None}
    traits = set.intersection(*bits) if bits else set()
    if "WEIGHT_STRUCT" in traits:
        traits.add("WEIGHT")
    texts = {ENDS: "# time of first sample : [^0]", CLOCK: "# reference time:",
             COMPRESSED: "# compressed", CPUS: "# nrcpus online",
             AUX: "# contains AUX area data"}
    return traits | types | {trait for trait, text in texts.items()
                             if re.search(text, header)} | \
        ({SEVERAL} if len(bits) > 1 else set())


class Drawer(Words):
    def fields_had(self):
        return [name for name, needs in FIELDS.items()
                if (needs is None or needs in self.traits) and
                not (name in DECODED and AUX in self.traits)]

    def few_fields(self, most, of_type=None):
        had = [name for name in self.fields_had()
               if name not in NEVER.get(of_type, ())]
        usual = [name for name in USUAL if name in had]
        picked = dict.fromkeys(self.some(usual * 2 + had, most))
        if self.maybe(0.03):
            picked[self.draw.choice([name for name in FIELDS
                                     if FIELDS[name] not in (CLOCK, LINES)
                                     and name not in DECODED])] = None
        return list(picked)

    def whole_list(self, of_type=None):
        picked = self.few_fields(9, of_type)
        if "symoff" in picked and "sym" not in picked and self.maybe(0.95):
            picked.append("sym")
        if {"srcline", "srccode"} & set(picked):
            picked.append("ip")
        return ",".join(picked)

    def changes(self, of_type=None):
        sign = lambda: "+" if self.maybe(0.6) else "-"  # noqa: E731
        return ",".join(sign() + name for name in self.few_fields(4, of_type))

    def fields(self):
        if not self.maybe(0.7):
            return
        one = self.draw.choice([self.whole_list, self.changes])
        types = sorted(self.traits & set(NEVER))
        if not types or self.maybe(0.7):
            self.add(self.draw.choice(["-F", "--fields"]), one())
            if self.maybe(0.1):
                self.add("-F", self.changes())
            elif types and self.maybe(0.1):
                of_type = self.draw.choice(types)
                self.add("-F", f"{of_type}:{self.changes(of_type)}")
            return
        for of_type in self.some(types):
            self.add("-F", f"{of_type}:{one(of_type)}")

    def filters(self):
        short = {"--comms": "-c", "--symbols": "-S", "--cpu": "-C"}
        names = self.names
        for name, values, other in (
                ("--comms", names.comms, "no_such"),
                ("--dsos", names.dsos, "no_such"),
                ("--symbols", names.symbols, "no_such"),
                ("--pid", names.pids, "31999"),
                ("--tid", names.tids, "31999")):
            if not values or not self.maybe(0.1):
                continue
            picked = [value for value in self.some(values) if "," not in value]
            if name == "--dsos":
                picked = [self.draw.choice([path, path.rsplit("/", 1)[-1]])
                          for path in picked]
            if self.maybe(0.1):
                picked.append(other)
            if picked:
                self.add(self.draw.choice([name, short.get(name, name)]),
                         ",".join(picked))
        if self.names.addresses and "--symbols" not in self.words and \
                "-S" not in self.words and self.maybe(0.07):
            self.add("-S", "0x" + self.draw.choice(self.names.addresses))
            if self.maybe(0.7):
                self.add("--addr-range",
                         self.draw.choice([1, 16, 4096, 1 << 25]))
        if self.names.cpus and CPUS in self.traits and self.maybe(0.1):
            self.add(self.draw.choice(["--cpu", "-C"]),
                     self.draw.choice([*self.names.cpus, "0-1", "0,1"]))

    def switches(self):
        if SEVERAL not in self.traits or PIPE in self.traits or \
                not self.names.events or not self.maybe(0.15):
            return
        on, off = (self.draw.choice(self.names.events) for _ in range(2))
        self.add("--switch-on", on)
        if self.maybe(0.5) and on != off:
            self.add("--switch-off", off)
        if self.maybe(0.4):
            self.add("--show-on-off-events")

    def chains(self):
        for chance, words in (
                (0.2, ["-G"]), (0.03, ["--hide-call-graph"]),
                (0.12, ["--no-inline"]), (0.04, ["--inline"]),
                (0.15, ["--max-stack",
                        self.draw.choice([1, 2, 3, 5, 8, 30, 127])]),
                (0.04, ["--stitch-lbr"])):
            if self.maybe(chance):
                self.add(*words)
        if self.names.symbols and self.maybe(0.1):
            self.add("--stop-bt", ",".join(self.some(self.names.symbols)))

    def has_open_times(self):
        """README: not with --reltime, and what has none in its header"""
        text = self.words[-1] if "--time" in self.words else ""
        return "%" in text or text.startswith(",") or text.endswith(",") or \
            (text and ENDS not in self.traits)

    def times(self):
        if self.names.times and PIPE not in self.traits and self.maybe(0.15):
            self.add_time(with_parts=ENDS in self.traits)
        kind = self.draw.random()
        if kind < 0.1 and not self.has_open_times():
            self.add("--reltime")
        elif kind < 0.2:
            self.add("--deltatime")
        if self.maybe(0.15):
            self.add("--ns")

    def other_records(self):
        if not self.maybe(0.3):
            return
        kinds = self.some(SHOWN, 4)
        if "round" in kinds and PIPE in self.traits:
            kinds.remove("round")
        if "round" in kinds:
            self.name_nothing()
        for kind in kinds:
            self.add(f"--show-{kind}-events")

    def name_nothing(self):
        """README: in the order of the file, names are those of their times."""
        self.words = ["-F", self.draw.choice(["tid,time", "period", "pid"])]

    def forms(self):
        chances = [(0.06, ["-v"]), (0.06, ["--no-demangle"]),
                   (0.03, ["--demangle"]), (0.03, ["--demangle-kernel"]),
                   (0.06, ["--show-kernel-path"]), (0.12, ["-L"]),
                   (0.03, ["-f"]), (0.05, ["--full-source-path"]),
                   (0.03, ["--no-itrace"]), (0.02, ["--no-verbose"]),
                   (0.02, ["--no-ns"]), (0.02, ["--no-hide-call-graph"]),
                   (0.02, ["--kallsyms", "/proc/kallsyms"])]
        if PIPE not in self.traits:
            chances += [(0.04, ["--header"]), (0.03, ["-I"]),
                        (0.02, ["--header-only"])]
        for chance, words in chances:
            if self.maybe(chance):
                self.add(*words)
        if AUX in self.traits:
            self.add("--no-itrace")
        if self.traits & {COMPRESSED, PIPE, AUX} or \
                re.search(r"--show-\S+-events", " ".join(self.words)):
            return  # README: -D
        if self.maybe(0.04):
            self.add("-D")
        elif self.maybe(0.02):
            self.name_nothing()
            self.add("--dump-unsorted-raw-trace")

    def draw_set(self):
        for part in (self.fields, self.filters, self.switches, self.chains,
                     self.times, self.other_records, self.forms):
            part()
        if {"srcline", "srccode"} & set(re.findall(r"\w+",
                                                   " ".join(self.words))):
            self.add("--dsos", "spin", "-S", "compare,leaf_hash",
                     "--max-stack", 1)
        return self.spelled()

    def spelled(self):
        """Options and their arguments in one word, or in two."""
        words, out = self.words, []
        for word in words:
            last = out[-1] if out else ""
            if word.startswith("-") or not self.maybe(0.15) or \
                    not last.startswith("-"):
                out.append(word)
            elif last.startswith("--"):
                out[-1] += "=" + word
            else:
                out[-1] += word
        return out


def comparable(text, words):
    """Where the vdso has no build-id, perf names a copy of its own."""
    if "--dump-unsorted-raw-trace" in words:  # see name_nothing()
        text = re.sub(r"^ \.\.\.(\.\.\. dso| thread): .*", "", text,
                      flags=re.M)
    return re.sub(r"/tmp/perf-vdso\.so-\w{6}", "[vdso]", text)
