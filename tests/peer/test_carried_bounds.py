"""Functions that have no symbol are one row each, by the bounds that
.eh_frame tells, with the file and with what the recording carries of it."""

import re
import subprocess

import pytest

from common import program

SOURCE = """
#include <stdlib.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void odd(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}
__attribute__((noinline)) static void even(long n)
{
	for (long i = 0; i < n; i++)
		sum ^= i;
}
int main(void)
{
	for (int i = 0; i < 400; i++)
		(i & 1 ? odd : even)(500000);
}
"""


@pytest.fixture(scope="session")
def perfpair():
    """As users have it, not with --raw-addresses."""
    return program("report", "perfpair")


@pytest.fixture(scope="module")
def recording(tmp_path_factory, perfpair_record, may_record):
    """(the recording of a stripped program, {name: offset} of its functions)"""
    folder = tmp_path_factory.mktemp("bounds")
    (folder / "t.c").write_text(SOURCE)
    path = folder / "t"
    subprocess.run(["gcc", "-O1", "-o", path, folder / "t.c"], check=True)
    listed = subprocess.run(["nm", path], capture_output=True, text=True,
                            check=True).stdout
    # a PIE's code has its offset in the file as its address
    offsets = {name: int(addr, 16) for addr, name in
               re.findall(r"^(\w+) t (odd|even)$", listed, re.M)}
    assert len(offsets) == 2
    subprocess.run(["strip", path], check=True)
    out = folder / "t.data"
    subprocess.run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "2000", "-g",
                    "--carry-time", "20s", "-o", out, "--", path], check=True)
    return out, offsets


@pytest.fixture
def texts(recording, run, perfpair, tmp_path):
    """texts(COMMAND...): what it prints with the files and without."""
    (tmp_path / "empty").mkdir()

    def both(*words):
        found = []
        for more in ((), ("--symfs", tmp_path / "empty", "--kallsyms",
                          "/dev/null")):
            done = run([perfpair, *words, *more])
            assert done.returncode == 0, done.stderr
            found.append(done.stdout)
        return found

    return both


def test_report_has_a_row_for_each_function(recording, texts):
    path, offsets = recording
    words = ("report", "-i", path, "--no-children", "-g", "none", "-s",
             "dso,sym")
    here, there = texts(*words)
    assert there == here
    for offset in offsets.values():
        assert len(re.findall(rf"\bfunc_{offset:x}$", here, re.M)) == 1
    rows = re.findall(r"^ +[\d.]+%  t +\[\.\] (\S+)", here, re.M)
    assert all(row.startswith("func_") for row in rows), rows


def test_raw_addresses_are_shown(recording, texts):
    here, there = texts("report", "-i", recording[0], "--no-children", "-g", "none",
                        "-s", "dso,sym", "--raw-addresses")
    assert there == here and "func_" not in here
    assert len(re.findall(r"\bt +\[\.\] 0x0", here)) >= 2


def test_script_shows_offsets_in_functions(recording, texts):
    path, offsets = recording
    here, there = texts("script", "-i", path, "--bounds", "-F", "ip,sym,symoff,dso")
    assert there == here
    found = {int(offset, 16) for offset in
             re.findall(r"func_(\w+)\+0x\w+ \(\S*/t\)", here)}
    assert found >= set(offsets.values())


def test_diff_compares_functions_by_them(recording, texts):
    path, offsets = recording
    here, there = texts("diff", "--bounds", path, path)
    assert there == here
    assert all(f"func_{offset:x}" in here for offset in offsets.values())


def test_diff_knows_functions_without_the_option(recording, texts):
    path, offsets = recording
    here, there = texts("diff", path, path)
    assert there == here and "func_" not in here
    assert all(re.search(rf"\b0x0+{offset:x}\b", here)
               for offset in offsets.values())


def test_the_list_shows_bounds(recording, run, perfpair):
    path, offsets = recording
    listed = run([perfpair, "buildid-list", "--carried", "-v", "-i", path]).stdout
    starts = {int(start, 16) for start in
              re.findall(r"^ +(\w+) +\w+ bounds *$", listed, re.M)}
    assert starts >= set(offsets.values())
