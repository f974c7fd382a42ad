"""perfpair ab: runs two commands in turn until it is decided which costs more."""

import os
import signal
import subprocess
import time

import pytest


@pytest.fixture
def ab(run, perfpair, perfpair_record, tmp_path, may_record):
    """ab(*WORDS): the finished command, with the recorder of this tree."""
    folder = os.path.dirname(perfpair_record)
    env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}",
               HOME=str(tmp_path))
    return lambda *words: run([perfpair, "ab", *words], env=env)


def test_three_times_the_work_is_decided(ab, run, perfpair, workload, tmp_path):
    """By CPU time, which other work on the machine does not make longer."""
    spin = workload("spin", "-O1", "-g0", "-fno-omit-frame-pointer")
    done = ab("--fail-above", "5", "--seed", "7", "-o", "kept", "-F", "999",
              "-e", "cpu-clock:u", "--old", f"{spin} 60 cpu",
              "--new", f"'{spin}' 180 cpu", "--", "-q")
    first, other, again, _, head = done.stdout.splitlines()[:5]
    assert done.returncode == 4, done.stderr
    assert "perfpair: --fail-above 5: worse: CPU time +" in done.stderr
    assert first.startswith("decided after ") and first.endswith(" CPU time")
    assert other.startswith("wall time of these runs: ")
    assert again == ("seed 7; to look again: perfpair diff --measure count "
                     "--old kept/old-*.data --new kept/new-*.data")
    assert head.startswith("# Compared: number of events. ")
    pairs = int(first.split()[2])
    names = sorted(os.listdir(tmp_path / "kept"))
    assert names == [f"{side}-{nr:02}.data" for side in ("new", "old")
                     for nr in range(1, pairs + 1)]
    done = run(["sh", "-c", f"'{perfpair}' {again.split('perfpair ')[1]}"])
    assert (done.returncode, done.stderr) == (0, "")


def test_what_pairs_do_not_exclude_is_undecided(ab, workload, tmp_path):
    """Two pairs differ by three times the work, whichever side has it, and one does
    not: no limit of 5 % is above or below that."""
    spin = workload("spin", "-O1", "-g0", "-fno-omit-frame-pointer")
    (tmp_path / "uneven.sh").write_text(
        f"echo >>runs; case $(wc -l <runs) in 4|5) ms=90;; *) ms=30;; esac\n"
        f"exec '{spin}' $ms cpu\n")
    words = ["--fail-above", "5", "--pairs", "3", "-F", "999", "-e", "cpu-clock:u",
             "--old", "sh uneven.sh", "--new", "sh uneven.sh"]
    for more, code in ([], 5), (["--undecided", "ok"], 0), (["--undecided", "fail"], 4):
        (tmp_path / "runs").unlink(missing_ok=True)
        done = ab(*words, *more)
        assert done.stdout.startswith("undecided after 3 pairs: "), done.stderr
        assert "perfpair: --fail-above 5: undecided: CPU time " in done.stderr
        assert done.stderr.endswith(f" (exit code {code})\n")
        assert done.returncode == code


def test_a_command_that_fails_ends_it(ab, tmp_path):
    done = ab("--old", "true", "--new", "sh -c 'echo no such input; exit 3'")
    assert (done.returncode, done.stdout) == (1, "")
    assert ("perfpair: 'sh -c 'echo no such input; exit 3'' ended with exit "
            "status 3; what it printed:\n") in done.stderr
    assert "\n  no such input\n" in done.stderr
    assert os.listdir(tmp_path / "perfpair-ab") == []


def test_what_is_finished_is_kept_at_an_interrupt(
        perfpair, perfpair_record, workload, tmp_path, may_record):
    folder = tmp_path / "perfpair-ab"
    spin = workload("spin", "-O1", "-g0", "-fno-omit-frame-pointer")
    env = dict(os.environ, HOME=str(tmp_path), PATH=(
        f"{os.path.dirname(perfpair_record)}:{os.environ['PATH']}"))
    with subprocess.Popen(
            [perfpair, "ab", "--pairs", "200", "--old", f"{spin} 20 cpu",
             "--new", f"{spin} 20 cpu"], stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, cwd=tmp_path, env=env) as child:
        while not ((folder / "old-02.data").exists()
                   or (folder / "new-02.data").exists()):
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out = child.communicate()[0]
    assert child.returncode == 1
    first = out.splitlines()[0]
    assert first.startswith("interrupted, undecided after ")
    pairs = int(first.split()[3])
    assert len(os.listdir(folder)) == 2 * pairs


@pytest.mark.parametrize("words, why", [
    ([], "--old and --new go together"),
    (["--old", "a"], "--old and --new go together"),
    (["./a", "./b"], "what is './a'? A command is one word: "),
    (["--old", "a > b", "--new", "a"],
     "option --old: 'a > b' is not the words of a command"),
    (["--old", "a", "--new", ""],
     "option --new: '' is not the words of a command"),
    (["--old", "a", "--new", "b", "--pairs", "2"],
     "option --pairs: there are 3 to 200"),
    (["--old", "a", "--new", "b", "--measure", "time"],
     "option --measure: 'time' is none of cpu, wall"),
])
def test_wrong_words(run, perfpair, tmp_path, words, why):
    done = run([perfpair, "ab", *words])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"perfpair: {why}")
    assert os.listdir(tmp_path) == []
