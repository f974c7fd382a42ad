"""Who called the function of a sample with -g, by exact count: in
leaves.c each function is called by one other function alone."""

import collections
import json
import pathlib
import platform
import subprocess

import pytest

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="callers of leaves are found by words on x86_64 alone")

SOURCE = pathlib.Path(__file__).parent / "programs" / "leaves.c"
KINDS = ["short", "chain", "again", "signal", "memory", "clock"]
LOST_KINDS = ["large", "code"]  # beyond the bytes that are kept; without information
CALLERS = {
    "short_leaf": {"short_calls", "large_calls"}, "short_calls": {"once"},
    "chain_leaf": {"chain_inner"}, "chain_inner": {"chain_calls"}, "chain_calls": {"once"},
    "again_leaf": {"again_calls"}, "again_calls": {"again_calls", "once"},
    "signal_leaf": {"signal_calls"}, "signal_calls": {"(restorer)"},
    "memchr": {"memory_calls"}, "memory_calls": {"once"},
    "(vdso)": {"clock_gettime"}, "clock_gettime": {"clock_calls", "main"},
    "clock_calls": {"once"}, "(plt)": {"memory_calls", "clock_calls", "main"},
}
LOST = {"large_calls": {"once"}, "(code)": {"code_calls"}}
# what every chain of the program goes on with
OUTER = {"main"}
WIDTHS = ["-a", "", "--per-thread"]
RATES = [99, 999, 1999, 4000]


@pytest.fixture(scope="session")
def leaves(tmp_path_factory):
    out = tmp_path_factory.mktemp("leaves") / "leaves"
    subprocess.run(["gcc", "-O1", "-g0", "-fno-omit-frame-pointer", "-no-pie", "-o", out,
                    SOURCE], check=True)
    return out


def name_of(line):
    """Of a frame: what it is called here."""
    name, dso = line.split(None, 1)[1].rsplit(" (", 1)
    name = name.split("+")[0]
    if "vdso" in dso:
        return "(vdso)"
    if name.endswith("@plt"):
        return "(plt)"
    for what in ("memchr", "clock_gettime"):
        if name.lstrip("_").startswith(what):
            return what
    if name == "[unknown]":
        return "(restorer)" if "libc" in dso else "(code)"
    return name


def chains(run, perfpair, *words):
    done = run([perfpair, "script", "-i", "t.data", "--no-inline", "--comm", "leaves",
                "-F", "ip,sym,dso", *words])
    assert done.returncode == 0, done.stderr
    for part in done.stdout.split("\n\n"):
        lines = [line for line in part.splitlines() if line.strip()]
        if lines:
            yield [name_of(line) for line in lines]


def record_and_count(run, perfpair, record, leaves, wide, rate, ms):
    """The samples by their function, and those of them with its true caller."""
    done = run([record, "-q", "-g", "-e", "cpu-clock:u", "-F", str(rate),
                *wide.split(), "-o", "t.data", "--", leaves, str(ms), *KINDS, *LOST_KINDS])
    assert done.returncode == 0, done.stderr
    samples, right = collections.Counter(), collections.Counter()
    for names in chains(run, perfpair):
        samples[names[0]] += 1
        right[names[0]] += bool({**CALLERS, **LOST}.get(names[0], set()) & set(names[1:2]))
        # what is not found is left out, and no other function is put in
        if names[0] in LOST:
            assert names[1] in LOST[names[0]] | {"once"} | OUTER, names
    return samples, right


CASES = [("", 1999)] + [
    pytest.param(wide, rate, marks=pytest.mark.slow) for wide in WIDTHS for rate in RATES]


@pytest.mark.usefixtures("may_record")
@pytest.mark.parametrize("wide, rate", CASES)
def test_leaves__callers_are_right(wide, rate, leaves, run, perfpair, perfpair_record):
    samples, right = record_and_count(run, perfpair, perfpair_record, leaves, wide, rate,
                                      max(120, 90000 // rate))
    # on some machines an interrupt hardly ever comes upon so short a leaf
    for name in ("chain_leaf", "again_leaf", "signal_leaf", "memchr", "(vdso)"):
        assert samples[name] > 5, samples
    found, all_of = (sum(counts[name] for name in CALLERS) for counts in (right, samples))
    print(f"{wide or 'task'} {rate}: {found} of {all_of}", dict(samples), dict(right))
    assert found >= 0.99 * all_of, (samples, right)


DEEP = """
static volatile unsigned sum;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 9; i++) sum += i; }
__attribute__((noinline)) int down(int left)
{
	if (left)
		return down(left - 1) + 1;
	for (int i = 0; i < 6000000; i++)
		leaf();
	return 0;
}
int main(void) { return down(300) != 300; }
"""


@pytest.mark.usefixtures("may_record")
def test_leaves__a_chain_that_the_kernel_cuts_keeps_its_leaf(run, perfpair, perfpair_record,
                                                              tmp_path):
    """Views that begin with callers show 127 addresses."""
    (tmp_path / "deep.c").write_text(DEEP)
    run(["gcc", "-O1", "-fno-omit-frame-pointer", "-momit-leaf-frame-pointer",
         "-fno-optimize-sibling-calls", "-o", "deep", "deep.c"], check=True)
    run([perfpair_record, "-q", "-g", "-e", "cpu-clock:u", "-F", "1999", "-o", "t.data", "--",
         tmp_path / "deep"], check=True)
    leaves = collections.Counter()
    for line in run([perfpair, "report", "-i", "t.data", "--format", "folded"]
                    ).stdout.splitlines():
        stack, nr = line.rsplit(" ", 1)
        leaves[stack.rsplit(";", 1)[-1]] += int(nr)
    rows = json.loads(run([perfpair, "report", "-i", "t.data", "--format", "json", "-s", "sym"]
                          ).stdout)["events"][0]["rows"]
    assert leaves["leaf"] > 20
    assert leaves == {row["symbol"]: row["samples"] for row in rows if row["samples"]}
