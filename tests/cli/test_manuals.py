"""Man pages and completion: made by the build out of the option tables, so that
each has what --help has."""

import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess

import pytest

from common import ROOT, build_dir

VERBS = ["ab", "annotate", "buildid-cache", "buildid-list", "carry", "check", "config", "data",
         "diff", "evlist", "export", "fleet", "list", "lock", "record", "repair", "report", "sched",
         "script", "scrub", "stat", "top", "trace", "unwind", "view", "why"]


@pytest.fixture(scope="module")
def docs():
    path = build_dir() / "docs"
    if not (path / "man1/perfpair.1").is_file():
        pytest.fail("the man pages are not built")
    return path


WORDS = ["sched latency", "sched map"]  # with options of their own


def words_of_help(run, perfpair, perfpair_record, verb):
    """The options that --help lists, "-i" and "--input"."""
    command = [perfpair_record] if verb == "record" else [
        perfpair_record, verb] if verb in ("list", "stat") else [
        perfpair, *verb.split(), *{"data": ["convert"], "sched": ["timehist"]}.get(verb, [])]
    text = run([*command, "--help"]).stdout
    lines = re.findall(r"^  (-\S|  )(?:, |  )?(--[\w-]+)?", text, re.M)
    words = {word for line in lines for word in line if word.strip()}
    assert "--help" in words and len(words) > 4
    return words


@pytest.mark.parametrize("verb", VERBS + WORDS)
def test_every_option_is_in_the_man_page(run, perfpair, perfpair_record, docs,
                                         verb):
    name, _, word = verb.partition(" ")
    page = (docs / f"man1/perfpair-{name}.1").read_text().replace("\\-", "-")
    if word:
        page = re.search(rf'^\.SS "Options of {verb}"$.*?(?=^\.S[SH])', page, re.M | re.S)[0]
    entries = "\n".join(re.findall(r"^\.TP\n(.*)$", page, re.M))
    listed = set(re.findall(r"(?<![\w-])(--?[\w-]+)", entries))
    assert words_of_help(run, perfpair, perfpair_record, verb) <= listed


@pytest.mark.parametrize("verb", VERBS + WORDS)
def test_bash_completes_every_option(run, perfpair, perfpair_record, docs, verb):
    script = (f"source {docs}/bash/perfpair; COMP_WORDS=(perfpair {verb} -); "
              f"COMP_CWORD={len(verb.split()) + 1}; _perfpair; "
              "printf '%s\\n' ${COMPREPLY[@]}")
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


# What is completed, and words that are then among those offered, some of many.
VALUES = {
    "perfpair report -s sy": {"symbol", "symoff", "symbol_from"},
    "perfpair report -s pid,symo": {"pid,symoff"},
    "perfpair diff --sort=dso_s": {"dso_size"},
    "perfpair report -F comm_": {"comm_nodigit"},
    "perfpair export --format f": {"firefox", "folded"},
    "perfpair report --percentage a": {"absolute"},
    "perfpair record -e cpu-cl": {"cpu-clock"},
    "perfpair record -e cs,task-c": {"cs,task-clock"},
    "perfpair record --pid ": {"1"},
    "perfpair record -u roo": {"root"},
    "perfpair record -- una": {"uname"},
    "perfpair record -g -- cat /et": {"/etc"},
    "perfpair help re": {"record", "repair", "report"},
    "perfpair sched la": {"latency"},
    "perfpair sched map --color-": {"--color-cpus", "--color-pids"},
    "perfpair lock co": {"contention"},
}


def in_bash(line, docs, env):
    words = re.findall(r"=|[^ =]+|(?<= )$", line)  # as bash has it: COMP_WORDBREAKS
    script = (f"source {docs}/bash/perfpair; COMP_WORDS=({shlex.join(words)}); "
              f"COMP_CWORD={len(words) - 1}; _perfpair; printf '%s\\n' ${{COMPREPLY[@]}}")
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True,
                          env=env).stdout.split()


def in_fish(line, docs, env):
    script = f"source {docs}/fish/perfpair.fish; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True,
                          check=True, env=env)
    assert done.stderr == ""
    return [row.split("\t")[0].split("=")[-1].rstrip("/") for row in done.stdout.splitlines()]


def in_zsh(line, docs, env):
    """It completes at a terminal alone: what it offers stands in the list, or
    in the line itself if it is one."""
    pid, fd = pty.fork()
    if not pid:
        os.execvpe("zsh", ["zsh", "-f", "-i"], env | {"TERM": "dumb"})
    said = b""

    def read_to(end):
        nonlocal said
        while not re.search(end, said):
            assert select.select([fd], [], [], 60)[0], said
            said += os.read(fd, 65536)

    try:
        os.write(fd, f"fpath=({docs}/zsh $fpath); autoload -U compinit; compinit -u -D; LISTMAX=0; "
                     "unsetopt autolist; setopt noautomenu; PS1=; stty columns 200 rows 500; "
                     "bindkey '^X' list-choices; bindkey -s '^Y' '^A: ^Mecho do''ne^M'; "
                     "echo rea''dy\n".encode())
        read_to(rb"ready\r")
        said = b""
        os.write(fd, f"{line}\t\x18\x19".encode())
        read_to(rb"done\r")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)
    return re.split(r"[\s=]+|\x1b\[\S+|\x07", said.decode(errors="replace").replace("/ ", " "))


@pytest.mark.parametrize("line", VALUES)
@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_values_are_completed(docs, perfpair_record, shell, line, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    folder = pathlib.Path(perfpair_record).parent
    env = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    offered = {"bash": in_bash, "fish": in_fish, "zsh": in_zsh}[shell](line, docs, env)
    wanted = VALUES[line]
    assert wanted <= {word.rstrip("/") for word in offered} or (
        shell == "zsh" and {word.split(",")[-1] for word in wanted} <= set(offered))


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
