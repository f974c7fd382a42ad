"""count.py: adds up the JUnit files of one test run and prints its last line.

    count.py RESULTS_DIR [FAILED_STEP...]

Names every failed and every skipped test.  A step (a build, say) that failed
without a test failing in its JUnit file counts as one failure.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def reason(case):
    skipped = case.find("skipped")
    return (skipped.get("message") or "no reason given").strip()


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def main():
    results = pathlib.Path(sys.argv[1])
    count = {"passed": 0, "failed": 0, "skipped": 0}
    failing_files = set()
    for path in sorted(results.glob("*.xml")):
        for case in ElementTree.parse(path).iter("testcase"):
            kind = outcome(case)
            count[kind] += 1
            name = f"{path.stem}: {case.get('classname')}.{case.get('name')}"
            if kind == "failed":
                failing_files.add(path.stem)
                print(f"failed  {name}")
            elif kind == "skipped":
                print(f"skipped {name}: {reason(case)}")
    for step in sys.argv[2:]:
        if step not in failing_files:
            count["failed"] += 1
            print(f"failed  step {step}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**count))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
