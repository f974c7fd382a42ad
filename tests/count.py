"""count.py: adds up the JUnit files of one test run and prints its last lines.

    count.py RESULTS_DIR [FAILED_STEP...]
    count.py --failed FILE.xml      how many failed there, and no more
    pytest -p tests.count --failed-of FILE.xml      tries these alone

Where only the end of a long output is shown, that is what says what went wrong:
skipped tests come first, a few lines of them (all stand in skipped.txt), then
the names of failed tests, then what these said, and last the sums.  A step (a
build, say) that failed without a test failing in its JUnit file counts as one
failure.  What disturbed the tests (notes.txt, by watch.py) stands above the sums,
and what could not be installed (PERFPAIR_LACKING), whose tests were skipped.
What failed in NAME.xml and passed in NAME-again.xml, its second try,
has passed, and is named as a defect.
"""

import collections
import os
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

WIDTH = 150
SKIPS_NR = 5  # reasons that are shown
UNSTEADY_NR = 5
NOTES_NR = 3
TEXT_NR = 28  # lines of all failed tests' texts together
ONE_TEXT_NR = 8


def reason(case):
    skipped = case.find("skipped")
    return (skipped.get("message") or "no reason given").strip()


def said(case):
    """What a failed test said, the most important lines first: the assertion,
    where the test was, the rest; of a unit test what cmocka or a sanitizer said."""
    lines = [line.rstrip() for element in case
             if element.tag in ("failure", "error", "system-out")
             for line in (element.text or "").splitlines()]
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    places = [f"{line} {source.strip()}" for line, source
              in zip(lines, lines[1:])
              if re.match(r"tests/\w+/test_\w+\.py:\d+: in ", line)]
    if errors:
        return errors[:3] + places[-1:] + errors[3:]
    return [line for line in lines
            if re.search(r"ERROR|   LINE   |runtime error", line)] or lines[-4:]


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def cases(path):
    """(name, outcome, element) of each test in a JUnit file; none if a signal ended
    whoever wrote it.  pytest-xdist adds "@GROUP" to names."""
    try:
        found = ElementTree.parse(path).iter("testcase")
    except (FileNotFoundError, ElementTree.ParseError):
        return
    for case in found:
        if not case.get("name"):
            continue  # a signal ended it
        name = re.sub(r"@[^]]*$", "", case.get("name"))
        yield f"{case.get('classname')}.{name}", outcome(case), case


def failed_names(path):
    return {name for name, kind, _ in cases(path) if kind == "failed"}


def pytest_addoption(parser):
    parser.addoption("--failed-of", metavar="FILE", type=pathlib.Path,
                     help="only what failed in this JUnit file")


def pytest_collection_modifyitems(config, items):
    names = failed_names(config.getoption("failed_of"))
    items[:] = [item for item in items if name_of(item.nodeid) in names]


def name_of(nodeid):
    """As cases() has it."""
    path, *names = nodeid.split("::")
    return ".".join([path.removesuffix(".py").replace("/", "."), *names])


def show(line):
    print(line if len(line) <= WIDTH else line[:WIDTH - 3] + "...")


def show_skipped(skipped, results):
    """skipped: names by reason."""
    by_nr = sorted(skipped.items(), key=lambda item: -len(item[1]))
    (results / "skipped.txt").write_text("".join(
        f"{why}\n" + "".join(f"    {name}\n" for name in names)
        for why, names in by_nr))
    for why, names in by_nr[:SKIPS_NR]:
        show(f"skipped {len(names)}: {why.splitlines()[0]}")
    rest = by_nr[SKIPS_NR:]
    if rest:
        print(f"skipped {sum(len(names) for _, names in rest)} for "
              f"{len(rest)} more reasons: {results}/skipped.txt")


def show_unsteady(unsteady):
    """What was said and the place have lines of their own: a second try leaves no
    other trace of the first."""
    for name, case in unsteady[:UNSTEADY_NR]:
        first, *more = said(case) or ["nothing"]
        place = [line for line in more if line.startswith("tests/")]
        show(f"defect  unsteady: {name}")
        for line in [first, *place[:1]]:
            show(f"    {line}")
    if len(unsteady) > UNSTEADY_NR:
        print(f"defect  unsteady: {len(unsteady) - UNSTEADY_NR} more")


def show_failed(failed):
    """All names, then as much of each text as there is room for, those last
    that have most of it."""
    for name, _ in failed:
        print(f"failed  {name}")
    texts = failed[:TEXT_NR // 2]
    for _, case in texts:
        first, *more = said(case) or ["nothing"]
        show(f"{case.get('name')}: {first}")
        for line in more[:min(ONE_TEXT_NR, TEXT_NR // len(texts)) - 1]:
            show(f"    {line}")


def show_notes(results):
    path = results / "notes.txt"
    if path.exists():
        for line in path.read_text().splitlines()[:NOTES_NR]:
            show(f"note    {line}")


def main():
    if sys.argv[1] == "--failed":
        print(len(failed_names(pathlib.Path(sys.argv[2]))))
        return 0
    results = pathlib.Path(sys.argv[1])
    count = {"passed": 0, "failed": 0, "skipped": 0}
    failing_files = set()
    skipped = collections.defaultdict(list)
    failed, unsteady = [], []
    second_tries = set(results.glob("*-again.xml"))
    for path in sorted(set(results.glob("*.xml")) - second_tries):
        again = {name: kind for name, kind, _ in
                 cases(results / f"{path.stem}-again.xml")}
        for name, kind, case in cases(path):
            full = f"{path.stem}: {name}"
            if kind == "failed" and again.get(name) == "passed":
                kind = "passed"
                unsteady.append((full, case))
            count[kind] += 1
            if kind == "failed":
                failing_files.add(path.stem)
                failed.append((full, case))
            elif kind == "skipped":
                skipped[reason(case)].append(full)
    show_skipped(skipped, results)
    show_unsteady(unsteady)
    show_failed(failed)
    for step in sys.argv[2:]:
        if step not in failing_files:
            count["failed"] += 1
            print(f"failed  step {step}")
    show_notes(results)
    if os.environ.get("PERFPAIR_LACKING"):
        print(f"skipped lanes: those that need{os.environ['PERFPAIR_LACKING']}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**count))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
