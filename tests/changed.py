"""changed.py: the files that changed, one a line.

Since the upstream branch, or that of the clone, with what is not committed yet; if
HEAD is what upstream has, as in a fresh clone, within the four hours before HEAD's
commit.

changed.py --threads: exit code 0 if a C file among them has to do with threads.
changed.py --idle: the costly fixtures that nothing changed for.
"""

import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITTING_S = 4 * 3600
PAGE = r"(report|tests)/page/"
FLEET = r"(report/(diff|export|fleet)|tests/fleet)/"
# {fixture: what its tests are about}: the whole run leaves them to --slow if none of
# it changed
COSTLY = {"chromium": PAGE, "firefox": PAGE, "duckdb": FLEET, "server": FLEET,
          "arrow_reader": r"report/export/|tests/fleet/.*arrow",
          "start_servers": FLEET, "npm_tools": PAGE,
          "arm_program": r"(report/(unwind|elf|events|timeline)|format/(base|records|symtab)|"
                         r"fixtures/stacks)/|tests/peer/test_unwound_by_gdb",
          "static_recorder": r"cross/|(.*/)?CMakeLists.txt$",
          "machine": r"(record|format/(base|file|records)|tests/machines)/",
          "packages": r"debian/|install/|docs/|(.*/)?CMakeLists.txt$"}


def git(*words):
    """What git says, or None if it fails or is not installed."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout.strip()


def base():
    """The commit that the change stands on; None without a history."""
    for upstream in ("@{upstream}", "origin/HEAD"):
        found = git("merge-base", "HEAD", upstream)
        if found and found != git("rev-parse", "HEAD"):
            return found
    if not git("log", "-1", "--format=%ct"):
        return None
    since = int(git("log", "-1", "--format=%ct")) - SITTING_S
    return git("rev-list", "-1", f"--until={since}", "HEAD") or None


@functools.cache
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


def idle():
    """The fixtures of COSTLY that nothing changed for."""
    return {name for name, rooms in COSTLY.items() if not of(rooms)}


if __name__ == "__main__":
    if "--threads" in sys.argv:
        sys.exit(not of_threads())
    if "--idle" in sys.argv:
        print(*sorted(idle()))
        sys.exit()
    found = changed()
    if found is None:
        sys.exit("changed.py: there is no history to compare with")
    print(*found, sep="\n")
