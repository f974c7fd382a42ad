"""perfpair diff of two builds of a program: functions that compilers gave other
names are found again, and those that they inlined elsewhere."""

import json
import re
import shutil
import subprocess

import pytest

NOINLINE = "__attribute__((noinline))"

# A template of other arguments, and below it one that has not changed.
TREE = """
#include <stdlib.h>
#include <time.h>
#ifdef NEW
typedef long element;
#else
typedef int element;
#endif
#define NOINLINE """ + NOINLINE + """
static NOINLINE long leaf(long s, long n)
{
	for (long i = 0; i < n; i++)
		s = s * 37 + i;
	return s;
}
template <class T> NOINLINE long fold(T s, long n)
{
	for (long i = 0; i < n; i++)
		s += leaf(s, 400);
	return s;
}
NOINLINE long only_here(long s)
{
	return leaf(s, 4000) + 1;
}
int main(int argc, char **argv)
{
	long s = argc;
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * atol(argv[1]);
	while (clock() < end) {
		s += fold<element>(s, 100) + 1;
		s += fold<char>(s, 30) + 1;
#ifdef NEW
		s += only_here(s) + 1;
#endif
	}
	return s == 42;
}
"""

LIBRARY = NOINLINE + """ static long inner(long s, long n)
{
	for (long i = 0; i < n; i++)
		s = s * 37 + i;
	return s;
}
long lib_mix(long s, long n) { return inner(s, n) + 1; }
"""

# What the two builds differ in goes through OLD and NEW.
PROGRAM = """
#include <stdlib.h>
#include <time.h>
#define NOINLINE """ + NOINLINE + """
#ifdef NEW
#define MERGED
#define SPLIT NOINLINE
typedef long element;
#else
#define MERGED NOINLINE
#define SPLIT
typedef int element;
#endif
extern "C" long lib_mix(long, long);
static NOINLINE long modal(const long *p, long n, long mode)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		s = s * (mode ? 31 : 33) + p[i % 8] * mode;
	return s;
}
template <class T> struct fold {
	T sum = 0;
	NOINLINE long run(long n)
	{
		for (long i = 0; i < n; i++)
			sum = sum * 5 + i;
		return sum;
	}
};
inline MERGED long merged(long s, long n)
{
	for (long i = 0; i < n; i++)
		s = s * 23 + (i ^ s);
	return s;
}
inline SPLIT long split(long s, long n)
{
	for (long i = 0; i < n; i++)
		s = s * 27 + (i ^ s);
	return s;
}
NOINLINE long caller(long n) { return merged(n, n * 5) + split(n + 1, n * 5); }
int main(int argc, char **argv)
{
	long s = argc, p[8] = { 1, 2, 3 };
	fold<element> f;
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * atol(argv[1]);
	while (clock() < end) {
		for (int i = 0; i < 20; i++) {
			s += modal(p, 4000, 3) + f.run(4000);
#ifdef NEW
			s += modal(p, 3, argc);
#endif
			s += lib_mix(s, 4000) + caller(800);
		}
	}
	return s == 42;
}
"""


def build(folder, side, version):
    folder.mkdir()
    (folder / "lib.c").write_text(LIBRARY)
    (folder / "p.cpp").write_text(PROGRAM)
    flags = ["-O2", "-g", f"-D{side}"]
    library = folder / f"libwork.so.{version}"
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", library,
                    "-Wl,-soname," + library.name, folder / "lib.c"], check=True)
    subprocess.run(["g++", *flags, "-o", folder / "p", folder / "p.cpp", library,
                    f"-Wl,-rpath,{folder}"], check=True)
    return folder / "p"


@pytest.fixture(scope="module")
def builds(tmp_path_factory, perfpair_record, home):
    """Recordings of the old and the new build."""
    if not shutil.which("g++"):
        pytest.skip("no g++")
    folder = tmp_path_factory.mktemp("builds")
    files = []
    for side, version in (("OLD", "1.2.3"), ("NEW", "1.3.0")):
        program = build(folder / side, side, version)
        files.append(str(folder / f"{side}.data"))
        subprocess.run([perfpair_record, "-e", "cpu-clock:u", "-F", "4000", "-o",
                        files[-1], "--", program, "400"], check=True,
                       capture_output=True, env=home)
    names = subprocess.run(["nm", folder / "OLD" / "p"], check=True,
                           capture_output=True, text=True).stdout
    assert "_ZL5modalPKlll.constprop.0" in names  # else it shows nothing
    return files


def rows_of(run, perfpair, home, *words):
    done = run([perfpair, "diff", "--format", "json", *words], env=home)
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)["events"][0]["rows"]
    return {row["symbol"]: row for row in rows}


def test_functions_of_another_build_are_the_same(builds, run, perfpair, home):
    rows = rows_of(run, perfpair, home, *builds)
    assert rows["modal"]["match"] == "exact"  # its suffix is never shown
    assert rows["fold<long>::run"]["match"] == "template"
    assert rows["fold<long>::run"]["baseline_symbol"] == "fold<int>::run"
    assert rows["inner"]["match"] == "stem"
    assert rows["inner"]["dso"] == "libwork.so.1.3.0"
    for name in ("modal", "fold<long>::run", "inner"):
        assert rows[name]["baseline_samples"] > 20
        assert rows[name]["new_samples"] > 20


def test_what_was_inlined_is_found_in_its_caller(builds, run, perfpair, home):
    rows = rows_of(run, perfpair, home, *builds)
    assert rows["merged"]["match"] == "gone"
    assert rows["split"]["match"] == "new"
    into, = rows["merged"]["inlined"]
    out_of, = rows["split"]["inlined"]
    assert (into["relation"], into["symbol"]) == ("inlined into", "caller")
    assert (out_of["relation"], out_of["symbol"]) == ("was inlined into",
                                                      "caller")
    holder = {(it["relation"], it["symbol"]): it["pct"]
              for it in rows["caller"]["inlined"]}
    assert holder == {("holds", "merged"): into["pct"],
                      ("held", "split"): out_of["pct"]}
    # the caller does nothing by itself
    assert into["pct"] == pytest.approx(rows["caller"]["new_share_pct"], abs=1)
    assert out_of["pct"] == pytest.approx(rows["caller"]["baseline_share_pct"], abs=1)


def test_text_tells_where_functions_went(builds, run, perfpair, home):
    text = run([perfpair, "diff", *builds], env=home).stdout
    assert re.search(r"gone .* \[\.\] merged \(inlined into caller: "
                     r"\d+\.\d\d%\)$", text, re.M)
    assert re.search(r"new .* \[\.\] split \(was inlined into caller: "
                     r"\d+\.\d\d%\)$", text, re.M)
    assert re.search(r"\[\.\] caller \((now holds merged|held split): .*, "
                     r"(now holds merged|held split): ", text)
    assert "libwork.so.1.3.0 (was libwork.so.1.2.3)" in text


def test_no_interval_says_nothing_of_it(builds, run, perf, perfpair, home):
    """As perf's table, which knows none of that."""
    text = run([perfpair, "diff", "--no-interval", *builds], env=home).stdout
    theirs = run([perf, "diff", *builds], env=home).stdout
    assert "inlined" not in text
    assert "caller" in text
    assert sorted(text.split()) == sorted(theirs.split())


@pytest.fixture(scope="module")
def trees(tmp_path_factory, perfpair_record, home):
    """Recordings with call chains of the old and the new build of TREE."""
    if not shutil.which("g++"):
        pytest.skip("no g++")
    folder = tmp_path_factory.mktemp("trees")
    (folder / "t.cpp").write_text(TREE)
    files = []
    for side in ("OLD", "NEW"):
        program = folder / side / "tree"  # a name in common: so are symbols
        program.parent.mkdir()
        subprocess.run(["g++", "-O0", f"-D{side}", "-o", program,  # all frames
                        folder / "t.cpp"], check=True)
        files.append(str(folder / f"{side}.data"))
        subprocess.run([perfpair_record, "-g", "-e", "cpu-clock:u", "-F",
                        "4000", "-o", files[-1], "--", program, "400"],
                       check=True, capture_output=True, env=home)
    return files


def test_paths_below_changed_templates_are_the_same(trees, run, perfpair, home):
    """Those whose arguments did not change go first."""
    done = run([perfpair, "diff", "-g", "--format", "json", *trees], env=home)
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)["events"][0]["rows"]

    def caller(row):
        return None if row["caller"] is None else rows[row["caller"]]["symbol"]

    found = {(caller(row), row["symbol"]): row for row in rows}
    fold = found["main", "fold<long>"]
    assert fold["match"] == "template"
    assert fold["baseline_symbol"] == "fold<int>"
    assert found["main", "fold<char>"]["match"] == "exact"
    assert found["fold<long>", "leaf"]["match"] == "exact"
    assert found["only_here", "leaf"]["match"] == "new"
    assert not any(row["match"] == "gone" for row in rows
                   if row["baseline_share_pct"] > 2)
    for row in (fold, found["fold<long>", "leaf"]):
        assert row["baseline_samples"] > 200
        assert row["new_samples"] > 200
    text = run([perfpair, "diff", "-g", *trees], env=home).stdout
    assert re.search(r"^.* {2}fold<long> \(was fold<int>\)$", text, re.M)


def test_folded_counts_of_changed_templates_are_one_line(trees, run, perfpair,
                                                         home):
    text = run([perfpair, "diff", "--format", "folded", *trees],
               env=home).stdout
    lines = [line.rsplit(" ", 2) for line in text.splitlines()]
    assert not any("fold<int>" in path for path, _, _ in lines)
    (old, new), = ((int(old), int(new)) for path, old, new in lines
                   if path.endswith("main;fold<long>;leaf"))
    assert old > 200
    assert new > 200
    data = json.loads(run([perfpair, "diff", "--format", "json", *trees],
                          env=home).stdout)["events"][0]
    assert sum(int(line[1]) for line in lines) == data["baseline_samples"]
    assert sum(int(line[2]) for line in lines) == data["new_samples"]
