"""changed.py: the files that changed, one a line.

Since the upstream branch, with what is not committed yet; if HEAD is what upstream
has, as in a fresh clone, within the four hours before HEAD's commit.

changed.py --threads: exit code 0 if a C file among them has to do with threads.
changed.py --engines: a line for each folder of tests that asks a browser or databases
        about what has not changed.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITTING_S = 4 * 3600
# {folder of tests: what it asks a browser or databases about}
ENGINES = {"page": r"(report|tests)/page/",
           "fleet": r"(report/(diff|export|fleet|page)|tests/fleet)/"}


def git(*words):
    """What git says, or None if it fails or is not installed."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout.strip()


def base():
    """The commit that the change stands on; None without a history."""
    upstream = git("merge-base", "HEAD", "@{upstream}")
    if upstream and upstream != git("rev-parse", "HEAD"):
        return upstream
    if not git("log", "-1", "--format=%ct"):
        return None
    since = int(git("log", "-1", "--format=%ct")) - SITTING_S
    return git("rev-list", "-1", f"--until={since}", "HEAD") or None


def changed():
    """Paths below ROOT of what changed and is still there; None if that is not
    known (a shallow clone, no checkout)."""
    begin = base()
    if begin is None:
        return None
    names = git("diff", "--name-only", begin) or ""
    names += "\n" + (git("ls-files", "--others", "--exclude-standard") or "")
    return sorted(name for name in set(names.split("\n"))
                  if name and (ROOT / name).exists())


def of(pattern, words=""):
    """Whether a file changed whose path matches and whose text has these words (both
    are regular expressions); also if nobody knows what changed."""
    names = changed()
    return names is None or any(
        re.match(pattern, name) and re.search(words, (ROOT / name).read_text())
        for name in names)


def of_threads():
    """What ThreadSanitizer looks at."""
    return of(r"(format|record|report)/.*\.[ch]$", "pthread|atomic")


def idle_engines():
    """The folders of ENGINES of which nothing changed."""
    return {folder for folder, rooms in ENGINES.items() if not of(rooms)}


if __name__ == "__main__":
    if "--threads" in sys.argv:
        sys.exit(not of_threads())
    if "--engines" in sys.argv:
        for idle in idle_engines():
            print(f"tests/{idle}: what it asks about has not changed")
        sys.exit()
    found = changed()
    if found is None:
        sys.exit("changed.py: there is no history to compare with")
    print(*found, sep="\n")
