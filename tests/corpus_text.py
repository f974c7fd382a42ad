"""The golden texts of the corpus: what perf printed of each file, and whether
perfpair prints the same."""

import gzip
import json
import os
import re
import subprocess

from common import CORPUS, program
from peer_text import entries

TEXTS = ["header.txt", "evlist.txt", "stats.txt", "script.txt.gz",
         "script-extra.txt.gz", "tasks.txt.gz", "records.txt.gz", "report.txt",
         "report-commdso.txt"]

# where the command of a text stands in meta.json, if not under its own name
RUNS = {"records": "dump"}
RECORDS_NR = 6000  # lines of records.txt

TIP = re.compile(rb"#\n# \(Tip: .*\n#\n\Z")  # the golden texts have none


class Case:
    """One text of one file."""

    def __init__(self, folder, told, text):
        self.name = told["file"]
        self.text = text.split(".")[0]
        self.perf = told["golden_perf"]
        self.path = folder / text
        self.command = told["runs"][RUNS.get(self.text, self.text)]["cmd"]

    def golden(self):
        data = self.path.read_bytes()
        return gzip.decompress(data) if self.path.suffix == ".gz" else data

    def run(self, folder):
        """What perfpair prints, run in folder, which is empty."""
        (folder / "empty").mkdir(exist_ok=True)
        words = self.command.replace("$C/empty", str(folder / "empty"))
        words = [word for word in words.replace("$C", str(CORPUS)).split()[1:]
                 if word != "--no-itrace"]
        if words[0] == "report":
            words.insert(1, "--raw-addresses")
        return subprocess.run(
            [program("report", "perfpair"), *words], capture_output=True,
            timeout=120, cwd=folder,
            env=dict(os.environ, HOME=str(folder), TZ="UTC", LC_ALL="C"))

    def difference(self, got):
        """None, or a line that tells the first difference."""
        theirs, ours = self.golden(), got
        if self.text == "tasks":  # without the samples between
            ours = b"\n".join(line for line in ours.split(b"\n")
                              if b"PERF_RECORD_" in line)
        if self.text == "records":
            theirs, ours = records_of_dumps(theirs, ours)
        if self.text.startswith("report"):
            theirs, ours = by_rows(theirs), by_rows(TIP.sub(b"", ours))
        return first_difference(tidy(theirs), tidy(ours))


def cases(texts=None):
    """Every golden text there is, in the order of files."""
    for meta in sorted((CORPUS / "golden").rglob("meta.json")):
        told = json.loads(meta.read_text())
        for text in texts or TEXTS:
            if told.get("golden_perf") and (meta.parent / text).exists() and \
                    RUNS.get(text.split(".")[0], text.split(".")[0]) in \
                    told.get("runs", {}):
                yield Case(meta.parent, told, text)


def records_of_dumps(theirs, ours):
    """What each record says, without its bytes; as many as the golden text,
    which ends after a number of lines, has."""
    is_cut = theirs.count(b"\n") >= RECORDS_NR
    theirs, ours = ([line for line in text.split(b"\n")
                     if b": PERF_RECORD_" in line] for text in (theirs, ours))
    if is_cut:
        ours = ours[:len(theirs)]
    return b"\n".join(theirs), b"\n".join(ours)


def by_rows(text):
    """Rows of equal weight in an order of their own (peer_text.py)."""
    lines = entries(text.decode(errors="replace"))[:-1]  # no blank lines
    return "\n".join(lines).encode()


def tidy(text):
    """The golden texts have no trailing blanks, not the date, and nothing of what is
    wrong with a constant period."""
    lines = [line.rstrip() for line in text.split(b"\n")]
    lines = [line for line in lines
             if not line.startswith((b"# captured on", b"# constant period"))]
    while lines and lines[-1] in (b"", b"#"):
        lines.pop()
    return lines


def first_difference(theirs, ours):
    for number, (a, b) in enumerate(zip(theirs, ours), 1):
        if a != b:
            return f"line {number}: {a[:150]!r} is {b[:150]!r}"
    if len(theirs) != len(ours):
        return f"{len(theirs)} lines are {len(ours)}"
    return None
