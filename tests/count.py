"""count.py: adds up the JUnit files of one test run and prints its last line.

    count.py RESULTS_DIR [FAILED_STEP...]
    count.py --failed FILE.xml      names what failed there, and no more

Says how many tests were skipped for each reason, and names every failed test,
last, with the end of what it said.  A step (a build, say) that failed without a
test failing in its JUnit file counts as one failure.  What failed in NAME.xml
and passed in NAME-again.xml, its second try, is named and has passed.
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def reason(case):
    skipped = case.find("skipped")
    return (skipped.get("message") or "no reason given").strip()


def said(case):
    """The last lines of a failed test's text."""
    text = "\n".join(element.text or "" for element in case
                     if element.tag in ("failure", "error"))
    return "".join(f"    {line[:200]}\n" for line in text.splitlines()[-8:])


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def cases(path):
    """(name, outcome, element) of each test in a JUnit file."""
    if path.exists():
        for case in ElementTree.parse(path).iter("testcase"):
            yield f"{case.get('classname')}.{case.get('name')}", outcome(case), case


def main():
    if sys.argv[1] == "--failed":
        for name, kind, _ in cases(pathlib.Path(sys.argv[2])):
            if kind == "failed":
                print(f"FAILED  {name}", flush=True)
        return 0
    results = pathlib.Path(sys.argv[1])
    count = {"passed": 0, "failed": 0, "skipped": 0}
    failing_files = set()
    skipped = collections.defaultdict(list)
    failed = []
    second_tries = set(results.glob("*-again.xml"))
    for path in sorted(set(results.glob("*.xml")) - second_tries):
        again = {name: kind for name, kind, _ in
                 cases(results / f"{path.stem}-again.xml")}
        for name, kind, case in cases(path):
            full = f"{path.stem}: {name}"
            if kind == "failed" and again.get(name) == "passed":
                kind = "passed"
                print(f"unsteady {full}: failed at first, passed by itself")
            count[kind] += 1
            if kind == "failed":
                failing_files.add(path.stem)
                failed.append(f"failed  {full}\n{said(case)}")
            elif kind == "skipped":
                skipped[reason(case)].append(full)
    for why, names in skipped.items():
        print(f"skipped {len(names)} (the first is {names[0]}): {why}")
    print("".join(failed), end="")
    for step in sys.argv[2:]:
        if step not in failing_files:
            count["failed"] += 1
            print(f"failed  step {step}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**count))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
