"""tests/count.py: what stands at the end of a test run's output, of which CI
shows some thirty lines."""

import subprocess
import sys
from xml.sax.saxutils import escape, quoteattr

import pytest

from common import ROOT

TEXT = """\
tests/peer/test_x.py:9: in test_x
    texts(1)
tests/peer/test_x.py:5: in texts
    assert nr > 3
/usr/lib/python3.11/subprocess.py:550: in run
    raise
E   AssertionError: assert 1 > 3
E    +  where 1 = f()"""


def case(name, inner=""):
    return f"<testcase classname='tests.x' name={quoteattr(name)}>{inner}" \
        "</testcase>"


def failed(name, text=TEXT):
    return case(name, f"<failure message='m'>{escape(text)}</failure>")


def skipped(name, why):
    return case(name, f"<skipped message={quoteattr(why)}/>")


@pytest.fixture
def count(tmp_path):
    """count({FILE: [CASE...]}, STEP...): status and lines."""
    def run(files, *steps):
        for name, made in files.items():
            (tmp_path / f"{name}.xml").write_text(
                f"<testsuites><testsuite>{''.join(made)}</testsuite>"
                "</testsuites>")
        done = subprocess.run([sys.executable, ROOT / "tests/count.py",
                               tmp_path, *steps], capture_output=True, text=True)
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()
    return run


def test_count__all_is_well(count):
    assert count({"a": [case("one"), case("two")],
                  "b": [skipped("three", "no perf")]}) == (
        0, ["skipped 1: no perf", "2 passed, 0 failed, 1 skipped"])


def test_count__a_file_that_a_signal_cut_has_no_tests(count, tmp_path):
    (tmp_path / "cut.xml").write_text("<testsuites><testsuite><testcase na")
    assert count({"a": [case("one")]}, "cut") == (
        1, ["failed  step cut", "1 passed, 1 failed, 0 skipped"])


def test_count__what_failed_is_told_last(count):
    code, lines = count({"a": [case("one"), failed("two[-s x.y]")],
                         "b": [skipped("three", "no perf")]})
    assert code == 1
    assert lines == [
        "skipped 1: no perf",
        "failed  a: tests.x.two[-s x.y]",
        "two[-s x.y]: AssertionError: assert 1 > 3",
        "    +  where 1 = f()",
        "    tests/peer/test_x.py:5: in texts assert nr > 3",
        "1 passed, 1 failed, 1 skipped"]


def test_count__second_tries(count):
    code, lines = count({"a": [failed("one"), failed("two")],
                         "a-again": [case("one"), failed("two")]}, "a", "b")
    assert code == 1
    assert lines[:4] == [
        "defect  unsteady: a: tests.x.one",
        "    AssertionError: assert 1 > 3",
        "    tests/peer/test_x.py:5: in texts assert nr > 3",
        "failed  a: tests.x.two"]
    assert lines[-2:] == ["failed  step b", "1 passed, 2 failed, 0 skipped"]


@pytest.mark.parametrize("nr", [1, 3, 12, 100])
def test_count__the_end_is_short(count, nr, tmp_path):
    """The texts of a hundred failures are not shown, those of some are."""
    long = TEXT + "".join(f"\nE   {i} {'x' * 500}" for i in range(60))
    code, lines = count({
        "a": [failed(f"one[{i}]", long) for i in range(nr)],
        "b": [skipped(f"two[{i}]", f"why {i}") for i in range(50)],
        "c": [failed(f"odd[{i}]") for i in range(30)],
        "c-again": [case(f"odd[{i}]") for i in range(30)]})
    assert code == 1
    end = lines[lines.index(f"failed  a: tests.x.one[{nr - 1}]") + 1:]
    assert len(end) <= 29
    assert end[:2] == ["one[0]: AssertionError: assert 1 > 3",
                       "    +  where 1 = f()"]
    assert end[-1] == f"30 passed, {nr} failed, 50 skipped"
    assert len(lines) <= 23 + nr + len(end)
    assert max(map(len, lines)) <= 150
    assert all(f"why {i}\n    b: tests.x.two[{i}]\n" in
               (tmp_path / "skipped.txt").read_text() for i in range(50))


def test_count__what_disturbed_stands_above_the_sums(count, tmp_path):
    (tmp_path / "notes.txt").write_text("".join(f"a {i}\n" for i in range(9)))
    _, lines = count({"a": [case("one"), "<testcase time='0' />"]})
    assert lines == ["note    a 0", "note    a 1", "note    a 2",
                     "1 passed, 0 failed, 0 skipped"]


def test_count__unit_tests_say_where(count):
    out = "[ RUN      ] f\n[  ERROR   ] --- 0x1 != 0x2\n" \
          "[   LINE   ] --- test_a.c:7: error: Failure!\n[  FAILED  ] f\n"
    _, lines = count({"a": [case("unit_a", "<failure message=''/><system-out>"
                                 f"{out}</system-out>")]})
    assert lines[1:-1] == ["unit_a: [  ERROR   ] --- 0x1 != 0x2",
                           "    [   LINE   ] --- test_a.c:7: error: Failure!"]
