"""Files that perf 6.1 refuses, since their attrs are of 136 bytes (perf 6.3 and
later) or 144, or since they have records that only 7.2 passes over: they get the
text of the first perf that reads them.  The texts are what perf 6.12 and 7.2 print
of these bytes, but for "p" of private maps: both print "s" for all."""

import pytest

import made_file  # noqa: F401  fixtures/gen is found by it
from features import string
from perf_data import Encoder
from shown import PLAIN, attr_of, ident, machine, tasks

E = Encoder(False)
DATA_SRC, WEIGHTS = 1 << 15, 1 << 24
SIMPLEPERF_DSO = 32770


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """shown(bytes, word...): what perfpair WORD... prints of that file."""
    def show(data, *words):
        path = tmp_path / "made.data"
        path.write_bytes(data)
        done = run([perfpair, *words, "-i", path])
        assert done.returncode == 0, done.stderr
        return done.stdout
    return show


def memory_file(size, arch="x86_64"):
    attr = attr_of(size=size, sample_type=PLAIN | DATA_SRC | WEIGHTS)
    data = tasks(E, attr) + E.sample(attr, ident(1))
    return E.plain_file([(attr, (7,))], data, machine(E, arch))


@pytest.mark.parametrize("size,level", [
    (128, "L1 or LFB/MAB hit"), (136, "LFB/MAB hit"), (144, "LFB/MAB hit")])
def test_memory_levels(size, level, shown):
    """The number of the level says all: LFB/MAB."""
    attr = attr_of(size=size, sample_type=PLAIN | DATA_SRC)
    sample = E.sample(attr, ident(1)).replace(
        E.words(0x68100242), E.words(0x1868100142))
    data = E.plain_file([(attr, (7,))], tasks(E, attr) + sample)
    assert shown(data, "script", "-F", "data_src") == \
        f"      1868100142 |OP LOAD|LVL {level}|SNP None|" \
        "TLB L1 or L2 hit|LCK No|BLK  N/A\n"
    rows = shown(data, "report", "--stdio", "--mem-mode", "-s", "mem")
    assert f"100.00%  {level:{24 if size == 128 else 39}}\n" in rows


def heads(text):
    return next(line for line in text.splitlines()
                if line.startswith("# Overhead"))


def test_retire_latency(shown):
    """On x86 the third number of a weight is the time since the instruction
    before retired."""
    newer = heads(shown(memory_file(136), "report", "--stdio", "--mem-mode"))
    assert newer.endswith("Local INSTR Latency  Local Retire Latency")
    older = heads(shown(memory_file(128), "report", "--stdio", "--mem-mode"))
    assert older.endswith("Local INSTR Latency")
    keys = ["-s", "local_p_stage_cyc,p_stage_cyc,retire_lat,local_retire_lat"]
    assert heads(shown(memory_file(136), "report", "--stdio", *keys)) == \
        "# Overhead  Local Retire Latency  Retire Latency"
    assert "Local Pipeline Stage Cycle" in heads(
        shown(memory_file(136, "ppc64le"), "report", "--stdio", *keys))


def event_lines(text):
    return [line[:line.index(", {")] for line in text.splitlines()
            if "type: " in line]


def events_file(size, features=None):
    events = [(attr_of(size=size, sample_type=PLAIN | 1 << 16, **fields), (id,))
              for id, fields in enumerate((
                  {"type": 1, "config": 1}, {"type": 5},
                  {"type": 0, "config": 1}, {"type": 8, "config": 1}), 50)]
    return E.plain_file(events, tasks(E, events[0][0], id=50), features)


def test_names_of_types(shown):
    """6.12 has the PMU's name, which the file knows better than this machine."""
    pmus = {16: E.pack("I", 2) + E.pack("I", 8) + string(E, "uprobe")
            + E.pack("I", 9) + string(E, "msr")}
    named = event_lines(shown(events_file(136, pmus), "evlist", "-v"))
    assert [line.split("type: ")[-1] for line in named] == [
        "1 (software), size: 136, config: 0x1 (PERF_COUNT_SW_TASK_CLOCK)",
        "5 (breakpoint), size: 136, config: 0",
        "0 (PERF_TYPE_HARDWARE), size: 136, config: 0x1 "
        "(PERF_COUNT_HW_INSTRUCTIONS)",
        "8 (uprobe), size: 136, config: 0x1"]
    without = event_lines(shown(events_file(136), "evlist", "-v"))
    assert without[:3] == named[:3]
    assert without[3].endswith("type: 8, size: 136, config: 0x1")
    newest = event_lines(shown(events_file(144), "evlist", "-v"))
    assert "type: 1 (PERF_TYPE_SOFTWARE), size: 144" in newest[0]
    assert "type: 5 (PERF_TYPE_BREAKPOINT), size: 144" in newest[1]
    newest = event_lines(shown(events_file(144, pmus), "evlist", "-v"))
    assert "type: 1 (PERF_TYPE_SOFTWARE), size: 144" in newest[0]
    assert newest[3].endswith("type: 8 (uprobe), size: 144, config: 0x1")


def test_a_hostile_name_of_a_type_is_left_out(shown):
    pmus = {16: E.pack("I", 1) + E.pack("I", 8) + string(E, "\x1b[2Jx")}
    assert event_lines(shown(events_file(136, pmus), "evlist", "-v"))[
        3].endswith("type: 8, size: 136, config: 0x1")


@pytest.mark.parametrize("name,shown_name", [
    ("sched:sched_switch:u", " (sched:sched_switch)"), ("mine", "")])
def test_name_of_a_tracepoint(name, shown_name, shown):
    attr = attr_of(size=136, type=2, config=0x174)
    desc = E.pack("II", 1, 136) + E.attr(attr) + E.pack("I", 1) \
        + string(E, name) + E.words(7)
    data = E.plain_file([(attr, (7,))], tasks(E, attr),
                        {3: string(E, "host"), 12: desc})
    assert f"config: 0x174{shown_name}, {{" in shown(data, "evlist", "-v")
    assert f"config = 0x174{shown_name}, {{" in shown(
        data, "report", "--header-only", "-I")


def family_file(size):
    attr = attr_of(size=size)

    def task(pid, ppid, name):
        return E.record(7, 0, E.pack("IIIIQ", pid, ppid, pid, ppid, 5)
                        + E.trailer(attr, ident(0))) + \
            E.record(3, 0, E.pack("II", pid, pid) + name.ljust(8, b"\0")
                     + E.trailer(attr, ident(0)))

    data = task(300, 1, b"late") + task(290, 1, b"early") + \
        task(310, 290, b"child") + tasks(E, attr)
    return E.plain_file([(attr, (7,))], data, machine(E, "x86_64"))


def test_tasks(shown):
    """Siblings by their numbers; what has no parent one blank to the right."""
    def tree(size):
        text = shown(family_file(size), "report", "--tasks")
        return [line.split("|")[1] for line in text.splitlines()[1:]]

    assert tree(136) == tree(144) == [
        "swapper", " :1", "  early", "   child", "  late", " fixture",
        "  fixture"]
    assert tree(128) == ["swapper", ":1", " early", "  child", " late",
                         "fixture", " fixture"]


def test_maps(shown):
    newer = shown(family_file(136), "report", "--mmaps")
    assert "      100      100       -1 | fixture\n" + " " * 33 + \
        "400000-410000 r-xp 00000000 555 /bin/fixture\n" in newer


def old_simpleperf(hostname):
    attr = attr_of(size=112)
    data = tasks(E, attr) + E.sample(attr, ident(1)) + \
        E.record(SIMPLEPERF_DSO, 0, E.words(5) + b"/data/x\0")
    features = {6: string(E, "aarch64")}
    if hostname:
        features[3] = string(E, "host")
    return E.plain_file([(attr, (7,))], data, features)


def test_old_files_of_simpleperf(shown):
    """Without a feature of simpleperf's own: 6.1 ends at the record of its own
    type.  7.2 has the modifiers of exclude_guest only if they are set."""
    assert shown(old_simpleperf(False), "evlist") == "cpu-clock\n"
    assert shown(old_simpleperf(True), "evlist") == "cpu-clock:HG\n"


OLD = "GrapheneOS__platform_system_extras/simpleperf__testdata__" \
    "perf_with_callchain_record.data"


def test_a_real_file_of_simpleperf_without_its_features(
        run, perfpair, corpus, tmp_path):
    """The same recording as an older simpleperf would have closed it: each text
    is that of the file as it is."""
    path = corpus / "files" / OLD
    data = bytearray(path.read_bytes())
    data[72 + 16:72 + 32] = bytes(16)  # features 128 to 255: last in the table
    (tmp_path / "old.data").write_bytes(data)
    for words in (["evlist", "-v"], ["script"], ["report", "--stats"]):
        whole = run([perfpair, *words, "-i", path])
        old = run([perfpair, *words, "-i", tmp_path / "old.data"])
        assert whole.returncode == old.returncode == 0
        assert old.stdout == whole.stdout
