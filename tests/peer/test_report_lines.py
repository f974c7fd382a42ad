"""Source lines in rows and call graphs, against perf, which asks addr2line(1)."""

import re
import subprocess

import pytest

from common import RECORD
from peer_text import same_report
from recordings import record_by_perf

VIEWS = [
    ["-g", "none", "-s", "srcline"],
    ["-g", "none", "-s", "srcfile,sym"],
    ["-g", "none", "-s", "srcline,sym", "-n"],
    ["-g", "caller,address", "-s", "sym"],
    ["-g", "caller,srcline", "-s", "sym"],
    ["-g", "callee,srcline", "-s", "dso"],
    ["-g", "callee,address,count", "-s", "comm"],
]

SOURCE = """\
#include <stdlib.h>
static volatile unsigned long sink;
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
	x ^= x << 13;
	return x ^ x >> 7;
}
__attribute__((noinline)) static unsigned long inner(unsigned long x)
{
	for (int i = 0; i < 500; i++)
		x = mix(x) * 3;
	sink += x;
	return x;
}
__attribute__((noinline)) static unsigned long outer(unsigned long nr)
{
	unsigned long sum = 1;

	while (nr--)
		sum += inner(nr) + inner(sum);
	return sum;
}
int main(int argc, char **argv)
{
	outer(argc > 1 ? strtoul(argv[1], NULL, 0) : 1);
	return 0;
}
"""


@pytest.fixture(scope="module")
def record(may_record, perf, perf_home, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lines")
    (folder / "lines.c").write_text(SOURCE)

    def record(program, flags, words):
        subprocess.run(["gcc", "-g", "-O1", *flags, "-o", program, "lines.c"],
                       cwd=folder, check=True)
        path = folder / f"{program}.data"
        done = record_by_perf([perf, *RECORD, "-q", "-e", "cpu-clock:u", *words,
                               "-o", str(path), str(folder / program), "60000"],
                              None, perf_home)
        assert done.returncode == 0, done.stderr
        return path
    return record


@pytest.fixture(scope="module")
def lines_data(record):
    """A static program: the lines of a libc depend on who has its debug files."""
    return record("static", ["-static", "-fno-omit-frame-pointer"],
                  ["-F", "500", "-g"])


@pytest.fixture(scope="module")
def stacks_data(record):
    return record("shared", [], ["-F", "100", "--call-graph", "dwarf,4096"])


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: "_".join(view[1:]))
def test_report_lines__are_those_of_perf(view, lines_data, perf, perfpair, run,
                                         perf_home):
    words = ["report", "--stdio", "--no-children", "-i", str(lines_data), *view]
    theirs, ours = (run([program, *words], env={"HOME": str(perf_home),
                                                "PATH": "/usr/bin:/bin"})
                    for program in (perf, perfpair))
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert "lines.c" in theirs.stdout
    # of functions without a line addr2line names the object file, if it can
    same_report(re.sub(r" \S+\.[co]:0$", " ??:0", theirs.stdout, flags=re.M),
                ours.stdout)


def test_script_lines__of_inlined_calls(stacks_data, perf, perfpair, run,
                                        perf_home):
    words = ["script", "-i", str(stacks_data), "-F", "ip,sym,srcline"]
    theirs, ours = (re.findall(r"^(.*\n  lines\.c:.*)$", run(
        [program, *words], env={"HOME": str(perf_home),
                                "PATH": "/usr/bin:/bin"}).stdout, re.M)
                    for program in (perf, perfpair))
    assert len(theirs) >= 9
    assert ours == theirs


ONE_LINE = """
volatile unsigned long n;
__attribute__((noinline)) void light(long c) { while (c--) n++; } \
__attribute__((noinline)) void heavy(long c) { while (c--) n++; }
int main(void) { light(30000000); heavy(300000000); return 0; }
"""


@pytest.mark.parametrize("limit", ["0", "50"])
def test_functions_on_one_line_have_their_own_names(limit, may_trace, perf,
                                                    perfpair, run, home,
                                                    tmp_path):
    """As a node of a call graph they are one; each row says which it has."""
    (tmp_path / "one.c").write_text(ONE_LINE.replace("\\\n", ""))
    run(["gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-o",
         str(tmp_path / "one"), str(tmp_path / "one.c")])
    path = str(tmp_path / "perf.data")
    done = record_by_perf([perf, *RECORD, "-q", "-g", "-e", "cpu-clock:u",
                           "-F", "1000", "-o", path, "--",
                           str(tmp_path / "one")], None, home["HOME"])
    assert done.returncode == 0, done.stderr
    words = ["report", "--stdio", "-i", path, "--no-children", "-s", "sym",
             "-g", f"caller,{limit},srcline"]
    theirs, ours = (run([reader, *words], env=home, timeout=300).stdout
                    for reader in (perf, perfpair))
    named = re.findall(r"^ *-+(\w+) one\.c", ours, re.M)
    assert named == re.findall(r"^ *-+(\w+) one\.c", theirs, re.M)
    assert named == (["heavy", "light"] if limit == "0" else ["heavy"])
