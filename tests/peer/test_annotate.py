"""perfpair annotate beside perf annotate --stdio, row by row: values, addresses
and what jumps and calls lead to.  perf asks objdump, ours capstone, which
spells instructions in another way."""

import os
import re
import shutil
import subprocess

import pytest

C_SOURCE = """#include <stdio.h>
#include <stdlib.h>
static __attribute__((noinline)) unsigned long mix(unsigned long x)
{
	for (int i = 0; i < 50; i++) {
		x ^= x >> 7;
		x *= 0x9e3779b97f4a7c15ul;
		if (x & 1)
			x += i;
	}
	return x;
}
static int compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;
	return x < y ? -1 : x > y;
}
int main(void)
{
	enum { NR = 100000 };
	unsigned long *v = malloc(NR * sizeof(*v)), s = 1;
	for (int r = 0; r < 6; r++) {
		for (int i = 0; i < NR; i++)
			v[i] = s = mix(s);
		qsort(v, NR, sizeof(*v), compare);
	}
	printf("%lu\\n", v[3]);
	return 0;
}
"""
CXX_SOURCE = """#include <cstdio>
#include <vector>
namespace shop {
template <typename T> struct Basket {
	std::vector<T> items;
	__attribute__((noinline)) void fill(T first);
	__attribute__((noinline)) T sum() const;
};
template <typename T> void Basket<T>::fill(T first)
{
	for (int i = 0; i < 20000; i++)
		items.push_back(first / (i + 1));
}
template <typename T> T Basket<T>::sum() const
{
	T all = 0;
	for (const T &item : items)
		all += item * item;
	return all;
}
}
int main()
{
	double all = 0;
	for (int i = 0; i < 1500; i++) {
		shop::Basket<double> basket;
		basket.fill(i);
		all += basket.sum();
	}
	std::printf("%g\\n", all);
}
"""
ROW = re.compile(r"((?: +[\d.]+)+) : +([0-9a-f]+): +(.*)")
OPTIONS = {
    "default": [], "samples": ["-n"], "periods": ["--show-total-period"],
    "bytes": ["--asm-raw"], "no source": ["--no-source"],
    "by number": ["--percent-type", "local-hits"],
    "of all": ["--percent-type", "global-period"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory, perfpair_record, may_record, home):
    """made(NAME): the recording NAME.data in a folder with the programs."""
    if not shutil.which("perf") or not shutil.which("objdump"):
        pytest.skip("perf or objdump is not installed")
    folder = tmp_path_factory.mktemp("annotate")
    (folder / "mixed.c").write_text(C_SOURCE)
    (folder / "basket.cc").write_text(CXX_SOURCE)
    subprocess.run(["cc", "-O2", "-g", "-o", "mixed", "mixed.c"], cwd=folder,
                   check=True)
    subprocess.run(["c++", "-O1", "-g", "-o", "basket", "basket.cc"],
                   cwd=folder, check=True)

    def make(name):
        program = name.partition(".")[0]
        path = folder / f"{name}.data"
        event = ("{cpu-clock,page-faults}" if "group" in name
                 else "{page-faults,cpu-clock}" if "faults" in name else "cpu-clock")
        start = [shutil.which("perf"), "record"] if "perf" in name else [
            perfpair_record, "--carry", "none"]
        if not path.exists():
            subprocess.run([*start, "-q", "-e", event, "-F", "1999", "-o", path,
                            "--", f"./{program}"], cwd=folder, env=home,
                           stdout=subprocess.DEVNULL, check=True)
        return path

    return make


def tables(text):
    """{title: {(values, address): instruction}}, titles counted if equal."""
    found = {}
    for line in text.splitlines():
        title = re.match(r" (?:Percent|Samples|Period) +\|\t(.*)", line)
        row = ROW.match(line)
        if title:
            rows = []
            title = title.group(1)
            found.setdefault(title, []).append(rows)
        elif row:
            rows.append((row.group(1).split(), row.group(2),
                         row.group(3).rstrip()))
    # equal titles: by their first address
    return {(title, rows[0][1]): rows
            for title, lists in found.items() for rows in lists if rows}


def address(text):
    """The address that an instruction leads to, or names by its own address,
    without its name: perf shows aliases of functions that have several."""
    named = re.search(r"^(?:[0-9a-f]{2} )* *(?:bnd )?(?:j|call|loop)\w* +"
                      r"([0-9a-f]+)(?: |$)| # ([0-9a-f]+)", text)
    return named and (named.group(1) or named.group(2))


def both(perfpair, path, env, *options):
    args = [*options, "-i", path]
    texts = [subprocess.run(command, capture_output=True, text=True, env=env,
                            cwd=path.parent, check=True).stdout
             for command in (["perf", "annotate", "--stdio", *args],
                             [perfpair, "annotate", *args])]
    return [tables(text) for text in texts]


def user_tables(found):
    return {key: rows for key, rows in found.items()
            if "[kernel" not in key[0]}


def without_size(program):
    """Where functions start that have no size, as _init: for perf they end at the next
    one, here at the end of their section."""
    lines = subprocess.run(["nm", "-S", program], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return {f"{int(words[0], 16):x}" for words in map(str.split, lines)
            if len(words) == 3 and words[1] in "tT"}


@pytest.mark.parametrize("name, options", [
    pytest.param(name, OPTIONS[title], id=f"{name}-{title}",
                 marks=[pytest.mark.slow] if (i + j) % 2 else [])
    for i, name in enumerate(("mixed.perf", "mixed.ours", "basket.perf",
                              "mixed.perf.group"))
    for j, title in enumerate(OPTIONS)])
def test_rows_are_perfs(made, perfpair, home, name, options):
    perfs, ours = both(perfpair, made(name), home, *options)
    # perf does not show what the group's leader has no samples of
    ours = {key: rows for key, rows in ours.items() if "(0 samples" not in key[0]}
    assert set(ours) == set(perfs)
    row_nr = address_nr = 0
    unknown_nr = 0
    # of all samples of the second event perf prints 0.00 now and then
    value_nr = 1 if "group" in name and options == OPTIONS["of all"] else None
    program = name.partition(".")[0]
    endless = without_size(made(name).parent / program)
    for key, rows in perfs.items():
        mine = ours[key]
        if f" of {program} " in key[0] and key[1] in endless:
            rows = rows[:len(mine)]
        assert [(row[0][:value_nr], row[1]) for row in mine] == \
            [(row[0][:value_nr], row[1]) for row in rows], key
        for row, other in zip(mine, rows):
            row_nr += 1
            # capstone 4 does not know AVX-512BW, as libc's memory functions
            # have it
            if ".byte" in row[2]:
                unknown_nr += 1
            else:
                assert address(row[2]) == address(other[2]), key
                address_nr += address(row[2]) is not None
    assert row_nr > 200
    assert address_nr > row_nr / 20
    assert unknown_nr <= row_nr / 10


def test_a_function_that_only_a_member_has(made, perfpair, run):
    """mix() makes no page-faults, the leader."""
    path = made("mixed.faults")
    (title, rows), = (
        (key[0], rows) for key, rows in
        tables(run([perfpair, "annotate", "-i", path, "mix"]).stdout).items())
    assert "(0 samples" in title
    values = [[float(value) for value in row[0]] for row in rows]
    assert [round(sum(column)) for column in zip(*values)] == [0, 100]
    everything = tables(run([perfpair, "annotate", "-i", path]).stdout)
    assert ["(0 samples" in title for title, _ in everything] == sorted(
        "(0 samples" in title for title, _ in everything)


def test_functions_come_by_their_share(made, perfpair, home):
    path = made("mixed.ours")
    perfs, ours = ([int(re.search(r"\((\d+) samples", title).group(1))
                    for title, _ in found] for found in both(perfpair, path, home))
    assert ours == sorted(ours, reverse=True)
    # functions of equal shares have no order
    assert ours[:2] == perfs[:2]


def test_a_function_by_its_name(made, perfpair, home, run):
    path = made("basket.perf")
    perfs = user_tables(both(perfpair, path, home, "-s",
                             "shop::Basket<double>::sum")[0])
    done = run([perfpair, "annotate", "-i", path,
                "shop::Basket<double>::sum"])
    ours = tables(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(ours) == set(perfs) and len(ours) == 1
    lines = done.stdout.splitlines()
    # its own source, with the numbers of its lines
    for nr, line in enumerate(CXX_SOURCE.splitlines(), 1):
        if "item * item" in line:
            expected = f"         : {nr:<4} {line.expandtabs()}"
    assert expected in lines


def test_the_summary_of_lines_adds_up(made, perfpair, run):
    path = made("mixed.ours")
    done = run([perfpair, "annotate", "-l", "-i", path, "mix"])
    head, _, rest = done.stdout.partition("Percent |")
    shares = re.findall(r"^ +([\d.]+) mixed\.c:(\d+)$", head, re.M)
    assert head.splitlines()[1] == (
        f"Sorted summary for file {path.parent / 'mixed'}")
    assert 95 < sum(float(share) for share, _ in shares) <= 100.05
    by_row = {}
    for share, line in re.findall(
            r"^ +([\d.]+) :.* // mixed\.c:(\d+)$", rest, re.M):
        by_row[line] = by_row.get(line, 0) + float(share)
    # rows below 0.5 % have no line behind them
    for share, line in shares:
        assert by_row.get(line, 0) <= float(share) + 0.05


def test_elsewhere_the_text_is_the_same(made, perfpair, run, tmp_path):
    """All but names of slots that _init covers (report/elf/plt.c)."""
    path = made("mixed.perf")
    carried = tmp_path / "carried.data"
    done = run([perfpair, "carry", "-q", "--lines", "--code", "--source",
                "-o", carried, path])
    assert done.returncode == 0
    here = run([perfpair, "annotate", "-i", carried]).stdout
    os.mkdir(tmp_path / "empty")
    there = run([perfpair, "annotate", "-i", carried, "--symfs",
                 tmp_path / "empty"]).stdout
    lines, others = here.splitlines(), there.splitlines()
    assert len(lines) == len(others) > 300
    for line, other in zip(lines, others):
        if line != other:
            assert re.fullmatch(re.escape(other) + " <[a-z]+@plt>", line)
    assert "x *= 0x9e3779b97f4a7c15ul;" in there


def test_another_file_is_not_disassembled(made, perfpair, run, tmp_path):
    """The program was built anew: its build-id differs."""
    path = made("mixed.perf")
    root = tmp_path / "root"
    place = root / str(path.parent)[1:]
    os.makedirs(place)
    (place / "mixed.c").write_text(C_SOURCE.replace("i < 50", "i < 51"))
    subprocess.run(["cc", "-O2", "-g", "-o", "mixed", "mixed.c"], cwd=place,
                   check=True)
    done = run([perfpair, "annotate", "-i", path, "--symfs", root,
                "--bounds"])
    assert "Disassembly of mixed" not in done.stdout
    assert "mix" not in done.stdout
