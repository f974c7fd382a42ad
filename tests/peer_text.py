"""How the text of perf and of perfpair is compared."""

import itertools
import re

TIP = re.compile(r"^(#\n)?# \((Tip: |Cannot load tips.txt file).*\n(#\n)?",
                 re.M)
BRANCH = re.compile(r"^[ |]*-*")
PERCENT = re.compile(r"^ *(\d+\.\d+)%")
# What perf says of any file that says that the kernel lost events.
LOST = re.compile(r"\s*Warning:\s+Processed \d+ (events and lost \d+ chunks!\s+"
                  r"Check IO/CPU overload!|samples and lost [\d.]+%!)\s*")

# What report says of what was recorded; perf has no such words.
HINT = re.compile(r"^perfpair: (.*: (\d+ of \d+ stacks \([\d.]+%\) reach |"
                  r"[\d.]+% of the samples are in (code that a JIT |"
                  r"memory to which the text of )|"
                  r"[\d.]+% of the samples have no function's name, )|"
                  r"'perfpair carry' where these files are |"
                  r"a debug package or --debuginfod ).*\n", re.M)


def own_lines_out(text):
    """Without what our header tells of a recording of perf."""
    return re.sub(r"^# constant period: .*\n", "", text, flags=re.M)


def without_hints(stderr):
    """Messages but for those that say how to record more."""
    return HINT.sub("", stderr)


def without_plt(line):
    """A line of script without names of PLT slots, of which perf 6.1 does not
    know those that lld made (docs/differences.md); browsers have them."""
    return re.sub(r" \S+@plt(\+0x[0-9a-f]+)? \(", " [unknown] (", line)


def same_text(theirs, ours):
    """Equal line by line; what is shown is the first line that differs.  Where
    the vdso has no build-id, perf names a temporary copy of its own vdso, a new
    one each time; we name the [vdso]."""
    theirs = re.sub(r"/tmp/perf-vdso\.so-\w{6}", "[vdso]", theirs)
    ours = own_lines_out(ours)
    pairs = itertools.zip_longest(theirs.splitlines(), ours.splitlines())
    for number, (a, b) in enumerate(pairs, 1):
        # pytest shows no values here, as this is no test
        assert a == b or (b and a == without_plt(b)), \
            f"line {number}\nperf: {a!r}\nours: {b!r}"


def entries(text):
    """A report cut into header lines and rows; what hangs below a row (its
    callchains) belongs to it.  Rows of equal first percentage come in a fixed
    order: perf leaves theirs to its hash tables.  So do the lines of a row's
    callchains, without their branches: siblings of equal weight may change
    places.  Blank lines are counted, not placed, since the last row has more of
    them behind it."""
    out, rows, blank_nr = [], [], 0

    def flush():
        # the empty lines that end a section are no part of its last row
        rows[:] = [(percent, row.rstrip("\n")) for percent, row in rows]
        rows.sort(key=lambda row: (-row[0], row[1]))
        for _, row in rows:
            first, *chains = row.split("\n")
            out.append(first)
            out.extend(sorted(BRANCH.sub("", line) for line in chains))
        rows.clear()

    for line in TIP.sub("", text).splitlines():
        match = PERCENT.match(line)
        if not line.strip():
            blank_nr += 1
        elif match:
            rows.append((float(match[1]), line))
        elif line.startswith("#") or not rows:
            flush()
            out.append(line)
        else:
            rows[-1] = (rows[-1][0], rows[-1][1] + "\n" + line)
    flush()
    return out + [f"{blank_nr} blank lines"]


def same_report(theirs, ours):
    same_text("\n".join(entries(theirs)), "\n".join(entries(ours)))


def nested(text):
    """A hierarchy as lines that are independent of the order of equal rows:
    each row with all that it stands below, and with what hangs below it."""
    head, rows, path = [], [], []

    for line in text.splitlines():
        match = re.match(r" +\d+\.\d+%(?= *\S)", line)
        if match:
            path = [row for row in path if row[0] < match.end()]
            path.append((match.end(), line))
            rows.append([" > ".join(row for _, row in path)])
        elif rows and line.strip() and not line.startswith("#"):
            rows[-1].append(re.sub(r"^[ |]*-*", "", line))
        elif line.strip():
            head.append(line)
    return head + sorted("\n".join([row, *sorted(below)])
                         for row, *below in rows)


def json_of(path):
    """What data convert made, where threads that have ended are those of no
    process: perf takes all for those of the first one's, and does not know PLT
    slots that lld made (docs/differences.md)."""
    text = re.sub(rb',\s+"symbol": "[^"]*@plt"', b"", path.read_bytes())
    return re.sub(rb'"pid": \d+(,\s+"tid": -1,)', rb'"pid": -1\1', text)
