"""Man pages and completion: made by the build out of the option tables, so that
each has what --help has."""

import re
import shutil
import subprocess

import pytest

from common import ROOT, build_dir

VERBS = ["annotate", "buildid-cache", "buildid-list", "carry", "check", "data", "diff",
         "evlist", "export", "fleet", "list", "lock", "record", "repair", "report", "sched",
         "script", "scrub", "stat", "top", "trace", "unwind", "view"]


@pytest.fixture(scope="module")
def docs():
    path = build_dir() / "docs"
    if not (path / "man1/perfpair.1").is_file():
        pytest.fail("the man pages are not built")
    return path


def words_of_help(run, perfpair, perfpair_record, verb):
    """The options that --help lists, "-i" and "--input"."""
    command = [perfpair_record] if verb == "record" else [
        perfpair_record, verb] if verb in ("list", "stat") else [
        perfpair, verb, *{"data": ["convert"], "sched": ["timehist"]}.get(verb, [])]
    text = run([*command, "--help"]).stdout
    lines = re.findall(r"^  (-\S|  )(?:, |  )?(--[\w-]+)?", text, re.M)
    words = {word for line in lines for word in line if word.strip()}
    assert "--help" in words and len(words) > 5
    return words


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_in_the_man_page(run, perfpair, perfpair_record, docs,
                                         verb):
    page = (docs / f"man1/perfpair-{verb}.1").read_text().replace("\\-", "-")
    entries = "\n".join(re.findall(r"^\.TP\n(.*)$", page, re.M))
    listed = set(re.findall(r"(?<![\w-])(--?[\w-]+)", entries))
    assert words_of_help(run, perfpair, perfpair_record, verb) <= listed


@pytest.mark.parametrize("verb", VERBS)
def test_bash_completes_every_option(run, perfpair, perfpair_record, docs, verb):
    script = (f"source {docs}/bash/perfpair; COMP_WORDS=(perfpair {verb} -); "
              "COMP_CWORD=2; _perfpair; printf '%s\\n' ${COMPREPLY[@]}")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                          check=True)
    assert done.stderr == ""
    assert words_of_help(run, perfpair, perfpair_record,
                         verb) == set(done.stdout.split())


def test_bash_completes_commands(docs):
    script = (f"source {docs}/bash/perfpair; COMP_WORDS=(perfpair re); "
              "COMP_CWORD=1; _perfpair; printf '%s\\n' ${COMPREPLY[@]}")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                          check=True)
    assert set(done.stdout.split()) == {"record", "repair", "report"}


@pytest.mark.parametrize("shell, file", [("zsh", "zsh/_perfpair"),
                                         ("fish", "fish/perfpair.fish")])
def test_other_shells_can_parse_theirs(docs, shell, file):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n", docs / file], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr


def test_man_finds_nothing_to_warn_of(docs):
    if not shutil.which("man") or not shutil.which("groff"):
        pytest.skip("man and groff are not installed")
    done = subprocess.run(["man", "--warnings", "-l",
                           *sorted((docs / "man1").glob("*.1"))],
                          capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                               "MANWIDTH": "100"})
    assert done.returncode == 0
    assert done.stderr == ""


def test_every_command_has_a_page_of_text():
    texts = {path.stem for path in (ROOT / "docs/man").glob("*.txt")}
    assert texts == {"perfpair", *(f"perfpair-{verb}" for verb in VERBS)}
