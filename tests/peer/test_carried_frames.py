"""Stack copies are unwound on a machine that has none of the files: what the
recording carries of them gives the same call chains."""

import subprocess

import pytest

from carried_file import sections

REGEX = """
#include <regex>
#include <sstream>
#include <stdexcept>
static long count(const std::string &s)
{
	std::regex r("([a-z]+)=([0-9]+)");
	long n = 0;
	for (std::sregex_iterator i(s.begin(), s.end(), r), e; i != e; ++i)
		n += i->length(2);
	if (n % 3 == 0)
		throw std::runtime_error(s);
	return n;
}
int main()
{
	long n = 0;
	for (int k = 0; k < 600; k++) {
		std::ostringstream o;
		for (int i = 0; i < 40; i++)
			o << "key=" << i * k << ";";
		try {
			n += count(o.str());
		} catch (const std::exception &) {
			n++;
		}
	}
	return n == 0;
}
"""
PYTHON = ("import json\n"
          "d = {str(i): [i] * 5 for i in range(2000)}\n"
          "for i in range(10): json.loads(json.dumps(d))\n")
PERL = ('my %h; for my $i (1..300000) { $h{$i % 977} .= "x" if $i =~ /7/; }'
        'my @s = sort { $a <=> $b } keys %h;')
COMMANDS = {
    "python": ["/usr/bin/python3", "-c", PYTHON],
    "perl": ["/usr/bin/perl", "-e", PERL],
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory, workload):
    """programs(NAME): the words of a command."""
    folder = tmp_path_factory.mktemp("programs")

    def words(name):
        if name in COMMANDS:
            return COMMANDS[name]
        if not name.startswith("c++"):
            return [str(workload(name)), "200"]
        out = folder / "regex"
        if not out.exists():
            source = folder / "regex.cc"
            source.write_text(REGEX)
            static = ["-static"] if name == "c++ static" else []
            subprocess.run(["g++", "-O1", *static, "-o", out, source],
                           check=True)
        return [str(out)]

    return words


@pytest.fixture(scope="module")
def record(tmp_path_factory, perfpair_record, may_record):
    """record(COMMAND, OPTION...): a recording with stack copies."""
    folder = tmp_path_factory.mktemp("frames")

    def recorded(command, *options):
        out = folder / f"{len(list(folder.iterdir()))}.data"
        done = subprocess.run(
            [perfpair_record, "-q", "-e", "cpu-clock", "-F", "2000",
             "--call-graph", "dwarf", "--carry-time", "20s", *options, "-o",
             out, "--", *command],
            capture_output=True, text=True, timeout=60)
        assert out.exists(), done.stderr
        return out

    return recorded


def printed(run, command, *options):
    done = run([*command, "--no-inline", *options])
    assert done.returncode == 0, done.stderr
    return done.stdout


def carried_kinds(path):
    """The kinds of the sections that the file's trailer lists."""
    return {section[0] for section in sections(path.read_bytes())}


@pytest.mark.parametrize("name", ["c++", "c++ static", "spin", "signals",
                                  *COMMANDS])
def test_chains_are_the_same_without_the_files(name, record, programs, run,
                                               perfpair, tmp_path):
    path = record(programs(name))
    empty = tmp_path / "empty"
    empty.mkdir()
    for command in ("script", "report"):
        words = [perfpair, command, "-i", path]
        here = printed(run, words)
        assert here.count("\n") > 50
        assert printed(run, [*words, "--symfs", empty, "--kallsyms",
                             "/dev/null"]) == here


def test_without_the_information_chains_end(record, programs, run, perfpair,
                                            tmp_path):
    """So that the test above is known to test something."""
    words = [perfpair, "script", "-i",
             record(programs("c++"), "--carry", "names")]
    there = printed(run, [*words, "--symfs", tmp_path])
    assert there.count("main") * 2 < printed(run, words).count("main")


def test_a_list_says_what_is_carried(record, programs):
    found = {what: carried_kinds(record(programs("spin"), "--carry", what))
             for what in ("none", "names", "cfi", "names,cfi")}
    assert found == {"none": set(), "names": {1, 2, 9, 11}, "cfi": {1, 2, 3, 9, 11},
                     "names,cfi": {1, 2, 3, 9, 11}}


def test_frames_are_carried_only_with_words_of_the_stack(record, programs):
    path = record(programs("spin"), "--call-graph", "fp", "--no-leaf-callers")
    assert carried_kinds(path) == {1, 2, 9, 11}


@pytest.mark.parametrize("kind, what", [(2, "the text of carried names"),
                                        (3, "carried call frame information")])
def test_a_section_that_is_damaged_is_lost_alone(kind, what, record, programs,
                                                 run, perfpair, tmp_path):
    data = bytearray(record(programs("c++")).read_bytes())
    offset, = [s[2] for s in sections(data) if s[0] == kind]
    data[offset + 5] ^= 1
    path = tmp_path / "t.data"
    path.write_bytes(data)
    checked = run([perfpair, "check", "-i", path])
    assert checked.returncode == 3
    assert f"at byte {offset:#x}: {what} does not have its checksum" in \
        checked.stdout
    done = run([perfpair, "script", "--no-inline", "-i", path, "--symfs",
                tmp_path, "--kallsyms", "/dev/null"])
    assert what in done.stderr
    assert ("std::" in done.stdout) == (kind == 3)
    frames = [block.count("/regex)") for block in done.stdout.split("\n\n")]
    assert (max(frames) > 3) == (kind == 2)
    repaired = tmp_path / "r.data"
    run([perfpair, "repair", "-i", path, "-o", repaired])
    assert carried_kinds(repaired) == {1, 2, 3, 9, 11} - {kind}
    assert run([perfpair, "check", "-i", repaired]).returncode == 0


@pytest.mark.parametrize("text", ["name", "names,", "", "none,cfi"])
def test_a_word_that_is_nothing_is_named(text, run, perfpair_record):
    done = run([perfpair_record, "--carry", text, "true"])
    assert done.returncode == 2
    assert "--carry" in done.stderr
