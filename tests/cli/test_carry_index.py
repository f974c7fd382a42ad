"""--carry-index: the symbols of a file are sorted once, and names stay the
same."""

import re
import subprocess

import pytest

FUNCTIONS = 1200
PROGRAM = """
#include <time.h>
static volatile unsigned long sink;
static double now(void)
{{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}
{functions}
static void (*const all[])(double) = {{ {names} }};
int main(void)
{{
	double begin = now();
	for (int i = 0; i < {nr}; i++)
		all[i](begin + 0.002 * (i + 1));
	return 0;
}}
"""
FUNCTION = """
__attribute__((noinline)) void part_{0}(double until)
{{
	while (now() < until)
		for (int i = 0; i < 2000; i++)
			sink += {0};
}}
"""


@pytest.fixture
def program(tmp_path):
    text = PROGRAM.format(
        nr=FUNCTIONS, names=", ".join(f"part_{i}" for i in range(FUNCTIONS)),
        functions="".join(FUNCTION.format(i) for i in range(FUNCTIONS)))
    (tmp_path / "parts.c").write_text(text)
    subprocess.run(["gcc", "-O0", "-Wl,--build-id", "-o", "parts", "parts.c"],
                   check=True, cwd=tmp_path)
    return tmp_path / "parts"


def record(perfpair_record, program, tmp_path):
    """Short slices of a program that goes on to other functions."""
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-F", "499", "-e", "cpu-clock:u",
         "--switch-output=300ms", "--carry-index", "symbols", "-o", "t.data",
         "--", program], cwd=tmp_path)
    assert recorder.wait(timeout=60) == 0
    return sorted(tmp_path.glob("t.data*"))


def symbols(program):
    """The start of each function in the file."""
    lines = subprocess.run(["nm", program], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {row[2]: int(row[0], 16) for row in rows if row[1:2] == ["t"] or
            row[1:2] == ["T"]}


def samples(run, perfpair, path):
    """Addresses in the program, and the names and offsets that they have."""
    out = run([perfpair, "script", "-i", path, "-F", "ip,sym,symoff,dso",
               "--symfs", "."]).stdout
    for ip, name, offset in re.findall(
            r"([0-9a-f]+) ([^\s@]+)\+0x([0-9a-f]+) \(\S*/parts\)", out):
        yield int(ip, 16), name, int(offset, 16)


def test_names_are_those_of_the_file(run, perfpair, perfpair_record,
                                     may_record, program, tmp_path):
    slices = record(perfpair_record, program, tmp_path)
    folder = tmp_path / "symbols"
    made = list(folder.iterdir())
    assert made and folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 and
               path.name.endswith(".symbols") for path in made)
    (tmp_path / "empty").mkdir()
    starts = symbols(program)
    shifts = [ip - offset - starts[name] for path in slices
              for ip, name, offset in samples(run, perfpair, path)]
    assert len(shifts) > 100 and len(set(shifts)) == 1


@pytest.mark.parametrize("mode, text", [
    (0o777, "it is not ours, or others may write to it"), (None, "No such file or directory")])
def test_a_folder_that_is_not_used_is_told_of(run, perfpair_record, may_record,
                                              tmp_path, mode, text):
    folder = "symbols" if mode else "none/symbols"
    if mode:
        (tmp_path / folder).mkdir()
        (tmp_path / folder).chmod(mode)
    done = run([perfpair_record, "-e", "cpu-clock", "--switch-output=1s",
                "--carry-index", folder, "-o", "t.data", "--", "true"])
    assert (f"[ perfpair-record: --carry-index {folder} is not used: {text} ]"
            in done.stderr.splitlines())


def test_what_makes_it_useless_is_told(run, perfpair_record, may_record,
                                       tmp_path):
    command = [perfpair_record, "-e", "cpu-clock", "--carry-index", "symbols"]
    done = run([*command, "-o", "-", "--", "true"], text=False)
    assert (b"[ perfpair-record: --carry-index symbols is not used: a pipe "
            b"carries no names ]" in done.stderr.splitlines())
    done = run([*command, "--budget", "memory=64M", "-o", "t.data", "--",
                "true"])
    assert ("[ perfpair-record: --carry-index symbols is not used: that takes "
            "too much memory ]" in done.stderr.splitlines())
    done = run([*command, "--carry", "none", "-o", "t.data", "--", "true"])
    assert ("[ perfpair-record: --carry-index symbols is not used: --carry none "
            "looks for no names ]" in done.stderr.splitlines())
