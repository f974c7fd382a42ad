"""What the programs say to do next, and about code without frame pointers or
without names."""

import json
import pathlib
import re
import signal
import subprocess

import pytest

from terminal_run import environment, on_terminal

HINT = "the code keeps no frame pointers; perfpair-record --call-graph dwarf"
NEXT = "to look at it: perfpair report"
SOURCE = """
__attribute__((noinline)) unsigned inner(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x * 33u + 7u;
	return x;
}
__attribute__((noinline)) unsigned outer(unsigned x)
{
	return inner(x) + inner(x + 1);
}
int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < 100000; i++)
		sum += outer((unsigned)i);
	return sum == 1;
}
"""
THREAD = SOURCE.replace("int main(void)", "#include <pthread.h>\nvoid *work(void *none)")\
    .replace("return sum == 1", "return sum == 1 ? none : 0") + """
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, work, 0);
	return (work(0) != 0) + pthread_join(thread, 0);
}
"""
JIT = """
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	/* mov $1000000000, %eax; 1: dec %eax; jnz 1b; ret */
	static const char code[] = "\\xb8\\x00\\xca\\x9a\\x3b\\xff\\xc8\\x75\\xfc\\xc3";
	char *memory = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(memory, code, sizeof(code));
	((void (*)(void))memory)();
	return 0;
}
"""


@pytest.fixture
def built(tmp_path):
    def build(name, text, *flags):
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run(["gcc", *flags, "-o", tmp_path / name,
                        tmp_path / f"{name}.c"], check=True)
        return tmp_path / name
    return build


def stderr_of(run, perfpair, perfpair_record, program, *words):
    done = run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "2000", *words,
                "-o", "p.data", "--", program])
    assert done.returncode == 0
    return run([perfpair, "report", "-i", "p.data"]).stderr


BARE = ("-O2", "-fomit-frame-pointer")
FRAMED = ("-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")


@pytest.mark.parametrize("flags, words, is_said", [
    (BARE, ["-g"], True), (BARE, ["--call-graph", "dwarf"], False),
    (BARE, [], False), (FRAMED, ["-g"], False)], ids=str)
def test_code_without_frame_pointers(flags, words, is_said, run, perfpair,
                                     perfpair_record, built):
    said = stderr_of(run, perfpair, perfpair_record, built("work", SOURCE, *flags),
                     *words)
    assert (HINT in said) == is_said
    assert HINT not in run([perfpair, "report", "-q", "-i", "p.data"]).stderr


@pytest.mark.parametrize("mode", ["fp", "dwarf"])
def test_stacks_reach_their_roots_without_names(mode, run, perfpair, perfpair_record,
                                                built, tmp_path):
    """In files as distributions strip them, of a thread and of a program."""
    work = built("work", THREAD, *FRAMED, "-pthread")
    run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "2000", "--carry", "none",
         "--call-graph", mode, "-o", "p.data", "--", work], check=True)
    for path in (work, *re.findall(r"(/\S+)", run(["ldd", work]).stdout)):
        there = tmp_path / "root" / str(pathlib.Path(path).resolve())[1:]
        there.parent.mkdir(parents=True, exist_ok=True)
        run(["strip", "-o", there, path], check=True)
    text = run([perfpair, "report", "--format", "json", "-i", "p.data", "--symfs",
                tmp_path / "root"]).stdout
    stacks = json.loads(text)["events"][0]["stacks"]
    assert stacks["samples"] > 50
    assert stacks["rooted"] > stacks["samples"] * 0.9, stacks


def test_code_of_a_jit_compiler_without_names(run, perfpair, perfpair_record,
                                              built):
    said = stderr_of(run, perfpair, perfpair_record, built("jit", JIT, "-O1"))
    assert "code that a JIT compiler or a packed program made and gave no names" \
        in said
    assert "node --perf-basic-prof" in said
    assert "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit" in said


@pytest.fixture
def recorded(tmp_path, perfpair_record):
    def record(*words, **kw):
        return on_terminal([perfpair_record, "-e", "cpu-clock:u", *words, "--",
                            "sh", "-c", "i=0; while [ $i -lt 99999 ]; do "
                            "i=$((i + 1)); done"], environment(tmp_path),
                           tmp_path, **kw)
    return record


def test_the_recorder_says_what_comes_next(recorded, tmp_path):
    shown = recorded()
    assert shown.code == 0
    assert shown.text.count(NEXT) == 1
    assert f"{NEXT}, or perfpair view in the browser ]" in shown.text
    text = recorded("-o", "other.data").text
    assert f"{NEXT} other.data, or perfpair view other.data in" in text
    assert f"{NEXT} FILE, or" in recorded("-o", "two words.data").text


@pytest.mark.parametrize("words", [["-q"], ["--switch-output=1s"]], ids=str)
def test_the_recorder_is_silent(words, recorded):
    assert NEXT not in recorded(*words).text


def test_the_recorder_is_silent_without_a_terminal(recorded, tmp_path):
    recorded(files={2: tmp_path / "err"})
    assert "Captured" in (tmp_path / "err").read_text()
    assert NEXT not in (tmp_path / "err").read_text()


def test_the_recorders_help_has_a_pager(perfpair_record, tmp_path):
    shown = on_terminal([perfpair_record, "--help"],
                        environment(tmp_path, PAGER="head -n 1"), tmp_path)
    assert shown.code == 0 and len(shown.text.splitlines()) == 1
    pager = "sh -c 'until [ -e go ]; do sleep 0.02; done'"
    shown = on_terminal([perfpair_record, "--help"],
                        environment(tmp_path, PAGER=pager), tmp_path,
                        keys=[signal.SIGTERM, (tmp_path / "go").touch])
    assert shown.code == -signal.SIGTERM
