"""Stripped Go programs have the names, source lines and inlined calls that they
have unstripped, here and by what a recording carries."""

import os
import re
import shutil
import subprocess

import pytest

from common import program

pytestmark = pytest.mark.skipif(not shutil.which("go"), reason="no go (golang-go)")

SOURCE = """
package main

import "C"
import "sort"

type number interface{ ~int | ~float64 }

type box struct{ v int }

var ints, floats = make([]int, 1000), make([]float64, 1000)

//go:noinline
func sum[T number](of []T) (s T) {
	for _, v := range of {
		s += v * v
	}
	return s
}

func add(s, v int) int {
	for i := 0; i < 3; i++ {
		s = s*31 + v
	}
	return s
}

func twice(s, v int) int { return add(add(s, v), v) }

//go:noinline
func (b *box) mix(n int) {
	for i := 0; i < n; i++ {
		b.v = twice(b.v, i)
	}
}

//export spin
func spin() {
	b := &box{}
	for i := 0; i < 1000; i++ {
		b.mix(50000)
		ints[b.v&511] = func() int { return sum(ints) }()
		for j := 0; j < 50; j++ {
			floats[1] = sum(floats)
		}
		sort.Ints(ints)
	}
}

func main() { spin() }
"""
YIELDS = """
package main

import "runtime"

func main() {
	for i := 0; i < 3000000; i++ {
		runtime.Gosched()
	}
}
"""
CALL = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).spin()"


@pytest.fixture(scope="session")
def perfpair():
    """As users have it, not with --raw-addresses."""
    return program("report", "perfpair")


def as_go_prints(text):
    """The text of an unstripped program: symbols tell types and calling conventions."""
    return re.sub(r"\[go\.shape[^ ]*\]", "[...]", text).replace(".abi0", "")


class Built:
    """A Go program, stripped at path, and below symfs not."""

    def __init__(self, folder, *flags, is_cgo=False, source=SOURCE):
        (folder / "spin.go").write_text(
            source if is_cgo else source.replace('import "C"', ""))
        self.folder, self.path, self.symfs = folder, folder / "spin", folder / "symfs"
        whole = self.symfs / str(self.path)[1:]
        whole.parent.mkdir(parents=True)
        subprocess.run(
            ["go", "build", *flags, "-o", whole, "spin.go"], cwd=folder, check=True,
            env=dict(os.environ, GO111MODULE="off", CGO_ENABLED=str(int(is_cgo)),
                     GOCACHE=str(folder / "cache"), GOFLAGS="", GOPROXY="off"))
        subprocess.run(["strip", "-o", self.path, whole], check=True)

    def record(self, perfpair_record, *words, command=()):
        out = self.folder / f"{words[-1]}.data"
        subprocess.run([perfpair_record, "-q", "-e", "cpu-clock:u", "--carry-time", "20s",
                        "-o", out, *words, "--", *(command or [self.path])], check=True)
        return out


@pytest.fixture(scope="module")
def built(tmp_path_factory, may_record):
    return Built(tmp_path_factory.mktemp("go"))


@pytest.fixture(scope="module")
def recording(built, perfpair_record):
    return built.record(perfpair_record, "-F", "1999", "--no-leaf-callers", "-g")


@pytest.fixture
def script(run, perfpair):
    return lambda data, *words: run([perfpair, "script", "-i", data, *words]).stdout


def names_of(text):
    return set(re.findall(r"^\s+[0-9a-f]+ (\S+)$", text, re.M))


def test_go__names_are_those_of_the_unstripped_program(built, recording, script,
                                                       tmp_path):
    words = "-F", "ip,sym"
    here = script(recording, *words)
    assert {"main.(*box).mix", "main.sum[...]", "main.spin", "main.main",
            "runtime.goexit"} < names_of(here)
    files = re.findall(r" (\S+) \((.*)\)$", script(recording, "-F", "ip,sym,dso"), re.M)
    assert ("main.spin", str(built.path)) in files
    assert ("[unknown]", str(built.path)) not in files
    assert here == as_go_prints(script(recording, *words, "--symfs", built.symfs))
    assert here == script(recording, *words, "--symfs", tmp_path)


def test_go__lines_are_those_of_the_unstripped_program(built, recording, script):
    words = "-F", "ip,sym,srcline"
    here = script(recording, *words)
    assert len(set(re.findall(r"spin\.go:\d+", here))) > 5
    assert here == as_go_prints(script(recording, *words, "--symfs", built.symfs))


def test_go__inlined_calls_are_those_of_debug_information(built, perfpair_record,
                                                          script):
    """And so are the callers, though call frame information is stripped, too."""
    data = built.record(perfpair_record, "-F", "499", "--call-graph", "dwarf,4096")
    words = "-F", "ip,sym"
    here = script(data, *words)
    assert here == as_go_prints(script(data, *words, "--symfs", built.symfs))
    chains = [re.findall(r"^\s+\w+ (.*)$", sample, re.M)
              for sample in re.split(r"\n\n+", here)]
    assert sum(chain[:6] == [
        "main.add (inlined)", "main.twice (inlined)", "main.(*box).mix", "main.spin",
        "main.main", "runtime.main"] for chain in chains) > 10


def test_go__a_stack_ends_at_a_switch_of_stacks(tmp_path, perfpair_record, may_record,
                                                script):
    """What lies beyond runtime.mcall on its stack is of calls that have returned."""
    built = Built(tmp_path, source=YIELDS)
    data = built.record(perfpair_record, "-F", "1999", "--call-graph", "dwarf,4096")
    for words in ((), ("--symfs", built.symfs)):
        chains = [re.findall(r"^\s+\w+ (.*)$", sample, re.M) for sample in re.split(
            r"\n\n+", script(data, "-F", "ip,sym", *words))]
        switches = [chain for chain in chains if "runtime.mcall" in chain]
        assert len(switches) > 20
        assert {chain[-1] for chain in switches} == {"runtime.mcall"}


def test_go__report_says_which_callers_are_missing(built, recording, run, perfpair):
    """Leaves have no frame, so that frame pointers lead to the caller of their caller."""
    said = run([perfpair, "report", "-i", recording]).stderr
    assert re.search(r" \d+% of the samples of Go programs lack the function's caller", said)
    said = run([perfpair, "report", "-i", built.folder / "dwarf,4096.data"]).stderr
    assert "Go programs" not in said


def test_go__carry_adds_the_lines(built, recording, run, perfpair, script, tmp_path):
    carried = tmp_path / "c.data"
    run([perfpair, "carry", "-i", recording, "-o", carried])
    words = "-F", "ip,sym,srcline"
    assert script(carried, *words, "--symfs", tmp_path) == script(recording, *words)


@pytest.mark.slow
@pytest.mark.parametrize("mode, command", [
    ("exe", ()), ("pie", ()), ("c-shared", ("/usr/bin/python3", "-c", CALL))])
def test_go__linked_by_another_linker(tmp_path, perfpair_record, may_record, script, mode,
                                      command):
    built = Built(tmp_path, f"-buildmode={mode}", is_cgo=True)
    data = built.record(perfpair_record, "-F", "1999", "--no-leaf-callers", "-g",
                        command=command and (*command, built.path))
    words = "-F", "ip,sym,dso,srcline"

    def places(*more):
        return re.findall(rf"^\s+[0-9a-f]+ (\S+\.\S+) \({built.path}\)\n *(.*)$",
                          as_go_prints(script(data, *words, *more)), re.M)
    here = places()
    assert {"main.(*box).mix", "main.sum[...]", "main.spin"} < {name for name, _ in here}
    assert here == places("--symfs", built.symfs)
    words = "-F", "ip,sym,dso"
    names = script(data, *words)
    assert f"[unknown] ({built.path})" not in names
    assert script(data, *words, "--symfs", tmp_path) == names
