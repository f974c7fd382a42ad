"""script --compat: each of five programs finds the same tasks, events and frames.

How a program reads is written here from what its parser accepts, as a function
of a sample's lines."""

import re

import pytest

import made_file

USER_MAP = 0x401000


def recording(tmp_path, comms, dso=b"/opt/a b (old)/tool (deleted)"):
    """A sample of each comm, in a file of that name."""
    file = made_file.File()
    file.add(1, file.e.pack("II", 5, 6) + file.e.words(USER_MAP & ~0xfff, 0x1000, 0)
             + dso + b"\0", 1, misc=2)
    for nr, comm in enumerate(comms):
        file.comm(10 + 20 * nr, comm.ljust(8 * (len(comm) // 8 + 1), b"\0"))
        file.sample(20 + 20 * nr)
    path = tmp_path / "c.data"
    path.write_bytes(file.bytes())
    return path


def first_number_after_blank(line):
    """stackcollapse-perf.pl, speedscope: a comm of two characters or more at the
    line's start, which the first number between blanks, or PID/TID, ends."""
    found = re.match(r"(?P<comm>[^\s].+?)\s+(?P<pid>[0-9]+)(/(?P<tid>[0-9]+))?\s",
                     line)
    return found["comm"], int(found["tid"])


def last_number_before_time(line):
    """The Firefox Profiler: the last number at a blank before the last time."""
    head = re.match(r"(.*)\s[0-9.]+:", line)[1].rstrip()
    head = re.sub(r"\s\[[0-9]+\]$", "", head)
    found = re.match(r"(.*)\s([0-9]+)/([0-9]+)$", head)
    return found[1].strip(), int(found[3])


def words(line):
    """inferno: the first word that is a number, or two with a slash."""
    parts = line.split()
    at = next(nr for nr, part in enumerate(parts)
              if nr and re.fullmatch("[0-9]+(/[0-9]+)?", part))
    return " ".join(parts[:at]), int(parts[at].split("/")[1])


READERS = [first_number_after_blank, last_number_before_time, words]


def event_at_end(line):
    """stackcollapse-perf.pl, speedscope: the last word, with a colon."""
    return re.search(r"([^\s]+):\s*$", line)[1]


def event_between_colons(line):
    """inferno: the last word between the colon of the time and the next one."""
    return line.split(":")[1].split()[-1]


def frame(line):
    """All five: the file is the last word in parentheses behind a blank."""
    found = re.fullmatch(r"\s*([0-9a-f]+) (.+) \(([^\s()]*)\)", line)
    return found[2], found[3]


@pytest.fixture
def samples(run, perfpair):
    """samples(path, OPTION...): the lines of each."""
    def samples(path, *options):
        done = run([perfpair, "script", "--compat", "-i", path, *options])
        assert done.returncode == 0 and done.stdout.endswith("\n\n")
        return [text.split("\n") for text in done.stdout[:-2].split("\n\n")]
    return samples


COMMS = {b"x": "x_", b"": "__", b"7z": "_7z", b"Web 12 34": "Web_12_34",
         b"#hash": "_hash", b"{json": "_json", b"[x": "_x", b"a;b": "a:b", b"a:b": "a:b",
         b"kworker/0:1": "kworker/0:1", b"(sd-pam)": "(sd-pam)", b"5/6 [1]": "_5/6_[1]",
         b"1.5: x": "_1.5:_x", b"plain": "plain"}


def test_every_reader_finds_the_same_task(samples, tmp_path):
    found = samples(recording(tmp_path, list(COMMS)))
    assert len(found) == len(COMMS)
    for lines, comm in zip(found, COMMS.values()):
        for reader in READERS:
            assert reader(lines[0]) == (comm, 6), reader.__name__


def test_a_first_line_that_firefox_knows(samples, tmp_path):
    line = samples(recording(tmp_path, [b"{x"]))[0][0]
    assert re.match(r"\S.*?\s+[0-9]+/[0-9]+\s+\[[0-9]+\]\s+[0-9.]+:", line)


def test_the_time_is_the_only_one(samples, tmp_path):
    """flamescope takes the first number before a colon behind a blank."""
    for lines in samples(recording(tmp_path, list(COMMS))):
        times = re.findall(r" +([0-9.]+): ", lines[0])
        assert len(times) == 1 and float(times[0]) < 1


def test_files_are_one_word(samples, tmp_path):
    for lines in samples(recording(tmp_path, [b"plain"])):
        assert [frame(line) for line in lines[1:]] == [
            ("[unknown]", "/opt/a_b_[old]/tool_[deleted]")]


def test_without_a_call_chain_the_address_has_a_line(samples, tmp_path):
    lines, = samples(recording(tmp_path, [b"plain"]))
    assert len(lines) == 2 and lines[1].startswith("\t")


@pytest.mark.parametrize("option", [
    ["-F", "ip"], ["--show-task-events"], ["-D"], ["-L"], ["-G"], ["--deltatime"],
    ["--header"]],
    ids=lambda words: words[0])
def test_what_would_change_the_layout_is_refused(option, run, perfpair, tmp_path):
    path = recording(tmp_path, [b"plain"])
    done = run([perfpair, "script", "--compat", *option, "-i", path])
    assert done.returncode == 2 and not done.stdout
    assert option[0].split("-task")[0] in done.stderr


@pytest.mark.records
def test_events_and_totals_of_a_recording(perfpair_record, may_record, run, perfpair,
                                          samples, tmp_path):
    path = tmp_path / "t.data"
    run([perfpair_record, "-q", "-g", "-e", "cpu-clock:u", "-e", "task-clock", "-F",
         "999", "-o", path, "--", "sh", "-c", "i=0; while [ $i -lt 99999 ]; do "
         "i=$((i+1)); done"])
    found = samples(path)
    names = {event_at_end(lines[0]) for lines in found}
    assert names == {"cpu-clock.u", "task-clock"} == {
        event_between_colons(lines[0]) for lines in found}
    plain = run([perfpair, "script", "-i", path]).stdout
    assert len(found) == plain.count("\n\n")
    for lines in found:
        assert all(len(frame(line)) == 2 for line in lines[1:])


@pytest.mark.records
def test_functions_are_not_cut_or_split(perfpair_record, may_record, run,
                                        samples, tmp_path):
    source = tmp_path / "a.cc"
    source.write_text("""
namespace { struct S { __attribute__((noinline)) long spin(long n) {
	volatile long sum = 0;
	while (n--) sum = sum + n;
	return sum; }
	__attribute__((noinline)) S *operator->() { spin(100000000); spun++; return this; }
	int spun; }; }
int main() { S s; return (int)s->spin(100000000) & 1; }
""")
    run(["g++", "-O1", "-fno-omit-frame-pointer", "-o", tmp_path / "a", source])
    path = tmp_path / "t.data"
    run([perfpair_record, "-q", "-e", "cpu-clock:u", "-g", "-F", "999", "-o", path,
         "--", tmp_path / "a"])
    names = {frame(line)[0] for lines in samples(path) for line in lines[1:]}
    assert {"{anonymous}::S::spin", "{anonymous}::S::operator=>"} <= names
    assert not any("(" in name for name in names)
