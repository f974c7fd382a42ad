"""On a terminal, commands for reading go through a pager; nowhere else."""

import shutil
import signal

import pytest

from made_file import File
from terminal_run import environment, on_terminal

SECOND = 10**9
ALTERED = "sed s/^/paged:/"


@pytest.fixture
def screen(perfpair, tmp_path):
    """screen(WORD..., keys=, columns=, files=, VARIABLE=...)"""
    made = File()
    made.comm(90)
    for cpu in range(200):
        made.sample(100 + cpu, cpu=cpu % 50)
    (tmp_path / "perf.data").write_bytes(made.bytes())

    def run(*words, keys=(), columns=200, files=None, **env):
        return on_terminal([perfpair, *words], environment(tmp_path, **env),
                           tmp_path, columns, keys, files)
    return run


@pytest.mark.parametrize("words", [
    ("report", "--stdio"), ("script",), ("evlist",), ("buildid-list",), ("help",),
    ("diff", "perf.data", "perf.data"), ("report", "--help"),
    ("check", "--help"), ("perf.data", "--stdio"), ("-i", "perf.data", "--stdio"),
    ("-p", "report"), ("--paginate", "check"),
], ids=" ".join)
def test_paged(words, screen):
    plain = screen(*words, PAGER="cat")
    shown = screen(*words, PERFPAIR_PAGER=ALTERED)
    assert shown.code == plain.code
    lines = [line for line in shown.text.splitlines()
             if line.startswith("paged:")]
    assert "paged:" not in plain.text
    assert len(lines) >= len(plain.text.splitlines()) - 1  # a message
    assert "\n".join(line[6:] for line in lines) in plain.text


@pytest.mark.parametrize("words", [
    ("--no-pager", "report"), ("report", "--no-pager"), ("check",),
    ("report", "-o", "out"), ("nosuch",), ("report", "--nosuch"),
    ("report", "-i", "nosuch"),
], ids=" ".join)
def test_not_paged(words, screen):
    assert "paged:" not in screen(*words, PERFPAIR_PAGER=ALTERED).text


def test_no_pager_behind_two_dashes_is_a_word(screen):
    shown = screen("report", "--", "--no-pager", PERFPAIR_PAGER=ALTERED)
    assert "--no-pager: No such file or directory" in shown.text


@pytest.mark.parametrize("env, is_paged", [
    (dict(PERFPAIR_PAGER=ALTERED, PERF_PAGER="nosuch", PAGER="nosuch"), True),
    (dict(PERF_PAGER=ALTERED, PAGER="nosuch"), True),
    (dict(PAGER=ALTERED), True),
    (dict(PAGER=""), False),
    (dict(PAGER="cat"), False),
    (dict(PAGER="nosuch"), False),
    (dict(PAGER="/nosuch/less -R"), False),
    (dict(PAGER=ALTERED, TERM="dumb"), False),
    (dict(PAGER="cat | " + ALTERED), True),
])
def test_which_pager(env, is_paged, screen):
    shown = screen("report", "--stdio", **env)
    assert shown.code == 0
    assert ("paged:" in shown.text) == is_paged
    assert "# Samples: 200" in shown.text


def test_output_to_a_file_is_the_same(screen, run, perfpair, tmp_path):
    screen("report", files={1: tmp_path / "shown"}, PAGER=ALTERED)
    piped = run([perfpair, "report", "-i", "perf.data"])
    assert (tmp_path / "shown").read_text() == piped.stdout


def test_standard_input_is_the_commands(screen, tmp_path):
    shown = screen("report", "-i", "-", files={0: tmp_path / "perf.data"},
                   PAGER=ALTERED)
    assert shown.code == 0
    assert "paged:# Samples: 200" in shown.text


def test_less_shows_a_screen_and_is_quit(screen):
    if not shutil.which("less"):
        pytest.skip("less is not here")
    shown = screen("report", "--stdio", "-s", "cpu", keys=[b"q"], columns=80)
    assert shown.code == 0
    assert "# Samples: 200" in shown.text
    assert "(Tip: " not in shown.text  # the last line
    shown = screen("report", "--stdio", "-s", "comm")  # less than a screen
    assert shown.code == 0
    assert "(Tip: " in shown.text


def test_quitting_early_is_quiet(screen):
    shown = screen("script", "-i", "perf.data", PAGER="head -n 1")
    assert shown.code == 0
    assert len(shown.text.splitlines()) == 1


@pytest.fixture(scope="module")
def long_data(tmp_path_factory):
    made = File()
    for time in range(100, 20000):
        made.sample(time)
    path = tmp_path_factory.mktemp("long") / "long.data"
    path.write_bytes(made.bytes())
    return path


def test_quitting_before_a_long_output_ends(perfpair, long_data, tmp_path):
    shown = on_terminal([perfpair, "script", "-i", long_data],
                        environment(tmp_path, PAGER="head -n 1"), tmp_path)
    assert shown.code == 0
    assert len(shown.text.splitlines()) == 1


@pytest.mark.parametrize("signo", [signal.SIGINT, signal.SIGTERM])
def test_signal_while_writing(signo, perfpair, long_data, tmp_path):
    """What is written stays in the pager; then the program dies of the signal."""
    pager = "sh -c 'until [ -e go ]; do sleep 0.02; done; tail -c 9'"
    shown = on_terminal([perfpair, "script", "-i", long_data],
                        environment(tmp_path, PAGER=pager),
                        tmp_path, keys=[signo, (tmp_path / "go").touch])
    assert shown.code == -signo
    assert len(shown.text.strip()) == 9


def test_exit_code_and_message_come_behind_the_pager(screen, tmp_path):
    data = (tmp_path / "perf.data").read_bytes()
    (tmp_path / "cut.data").write_bytes(data[:-100])
    plain = screen("--no-pager", "report", "-i", "cut.data")
    shown = screen("report", "--stdio", "-i", "cut.data", PAGER=ALTERED)
    assert plain.code == shown.code == 3
    first, *rest = shown.text.split("\nperfpair: ")
    assert rest and "paged:# Samples" in first
    assert "perfpair: " + rest[0].split("\n")[0] in plain.text
    assert "paged:" not in "".join(rest)


def test_message_without_output(screen):
    shown = screen("report", "-i", "nosuch")
    assert shown.code == 1
    assert shown.text == "perfpair: nosuch: No such file or directory\n"


@pytest.mark.parametrize("words", [("perf.data",), ("-i", "perf.data"),
                                   ("--input=perf.data", "-s", "cpu"),
                                   ("perf.data", "-s", "cpu")], ids=" ".join)
def test_a_file_alone_is_reported(words, screen, run, perfpair):
    alone = run([perfpair, *words])
    asked = run([perfpair, "report", *words])
    assert alone.returncode == 0
    assert alone.stdout == asked.stdout
    assert "# Samples: 200" in alone.stdout


def test_a_name_that_is_no_file_is_an_unknown_command(run, perfpair):
    done = run([perfpair, "nosuch"])
    assert done.returncode == 2
    assert "nosuch" in done.stderr
