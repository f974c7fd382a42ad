#!/usr/bin/env python3
"""Prints, for every file of the corpus, which of perf's texts perfpair prints
alike: = equal, x another, . none there; then the totals, and each difference.

usage: corpus_table.py [-v] [PART OF A FILE'S NAME]...
-v: the first line that differs, of each text that does."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from corpus_text import TEXTS, cases  # noqa: E402

NAMES = [text.split(".")[0] for text in TEXTS]


def outcome(case):
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = case.run(pathlib.Path(folder))
        except OSError as error:
            return case, str(error), -1
        return case, case.difference(done.stdout), done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    wanted = [case for case in cases()
              if not args.part or any(p in case.name for p in args.part)]
    table, different = collections.defaultdict(dict), []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, difference, status in pool.map(outcome, wanted):
            table[case.name, case.perf][case.text] = "x" if difference else "="
            if difference:
                different.append((case, difference, status))
    print(" ".join(NAMES))
    for (name, perf), marks in table.items():
        print("".join(marks.get(text, ".") for text in NAMES),
              f"{perf:8}", name)
    for text in NAMES:
        marks = [row[text] for row in table.values() if text in row]
        print(f"{text:15} {marks.count('='):4} of {len(marks)}")
    print(f"all             {len(wanted) - len(different):4} of {len(wanted)}")
    for case, difference, status in different if args.verbose else []:
        print(f"{case.name} {case.text} ({case.perf}, exit {status}):"
              f" {difference}")


if __name__ == "__main__":
    main()
