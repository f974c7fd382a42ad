"""perfpair unwind, of recordings by perf and by us: no secret is left, perf 6.1
and we show what we showed before, and the file is a fraction of the other."""

import re
import subprocess

import pytest

from common import RECORD
from peer_text import same_text
from recordings import record_by_perf

FLAT = ["report", "--stdio", "--no-children", "-g", "none"]
SECRETS = [b"s3cr3t-on-the-stack", b"s3cr3t-of-the-env", b"s3cr3t-argument"]
RECORDERS = ["perf", "perf -z", "perfpair-record"]


@pytest.fixture(scope="module")
def recordings(may_trace, perf, perfpair_record, workload, home,
               tmp_path_factory):
    """recordings(RECORDER, RUNS): a file; RUNS: as often as it starts itself.
    perf 6.1 loses chains of a program that called exec twice."""
    folder, made = tmp_path_factory.mktemp("copies"), {}

    def of(recorder, is_started=False):
        key = (recorder, is_started)
        path = folder / f"{len(made)}.data"
        program = [str(workload("secretive", "-O2", "-g",
                                "-fomit-frame-pointer")), "800"]
        words = {"perf": [perf, *RECORD, "-B"],
                 "perf -z": [perf, *RECORD, "-B", "-z"],
                 "perfpair-record": [str(perfpair_record)]}[recorder]
        if key not in made:
            command = [*words, "-q", "-e", "cpu-clock", "-F", "500",
                       "--call-graph", "dwarf,8192", "-o", str(path), "--",
                       *program, *(["here"] if is_started else [])]
            if recorder == "perfpair-record":
                done = subprocess.run(command, env=home, timeout=60,
                                      stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
            else:
                done = record_by_perf(command, None, home["HOME"])
            assert done.returncode == 0, done.stderr
            made[key] = path
        return made[key]

    return of


@pytest.fixture
def show(run, home):
    def text(program, path, *words, code=0):
        done = run([program, *words, "-i", path], env=home, timeout=300)
        assert (done.returncode, done.stderr) == (code, ""), words
        return done.stdout
    return text


def without_head(text):
    """perf's head names the file."""
    return "\n".join(line for line in text.splitlines()
                     if not line.startswith("#"))


@pytest.mark.parametrize("recorder", RECORDERS)
def test_unwind__no_secret_is_left(recorder, recordings, perfpair, run,
                                   tmp_path):
    before = recordings(recorder)
    plain = tmp_path / "plain.data"
    assert run([perfpair, "repair", "-q", "-z0", "-o", plain,
                before]).returncode == 0
    assert SECRETS[0] in plain.read_bytes()
    for level in ("0", "3"):
        out, read = tmp_path / f"{level}.data", tmp_path / f"{level}.plain"
        assert run([perfpair, "unwind", "-q", "-z" + level, "-o", out,
                    before]).returncode == 0
        run([perfpair, "repair", "-q", "-z0", "-o", read, out], check=True)
        for secret in SECRETS:
            assert secret not in out.read_bytes() + read.read_bytes()
        done = run([perfpair, "check", out])
        assert done.returncode == 0 and "0 errors, 0 notes" in done.stdout
    plain_len, len_0, len_3 = (
        path.stat().st_size for path in (plain, tmp_path / "0.data",
                                         tmp_path / "3.data"))
    # Ours have neither arguments nor environment: they are short before.
    assert len_0 * (5 if recorder == "perfpair-record" else 10) < plain_len
    assert len_3 * (15 if recorder == "perfpair-record" else 100) < plain_len


@pytest.mark.parametrize("recorder", RECORDERS)
def test_unwind__all_that_we_show_stays(recorder, recordings, perfpair, run,
                                        show, tmp_path):
    before, out = recordings(recorder), tmp_path / "out.data"
    done = run([perfpair, "unwind", "-o", out, before])
    assert (done.returncode, done.stderr) == (0, "")
    # a sample may be taken while a stack is switched
    alone, = re.findall(r" frames; (\d+) copies in which no caller was found",
                        done.stdout)
    assert int(alone) <= 2
    assert out.stat().st_size * 2 < before.stat().st_size
    for words in (["script"], ["script", "--no-inline", "-F", "+srcline"],
                  ["report"], FLAT, ["report", "-G"],
                  ["report", "--no-children", "-s", "sym,srcline"],
                  ["report", "--max-stack", "5"], ["evlist"]):
        texts = [show(perfpair, path, *words) for path in (before, out)]
        same_text(texts[0], texts[1])
    assert "(inlined)" in show(perfpair, out, "script")
    assert "(inlined)" in show(perfpair, out, "report")
    # EVENT_DESC and the attrs say the same
    attr = show(perfpair, out, "evlist", "-v")
    assert "STACK_USER" not in attr and "REGS_USER" not in attr
    assert "sample_stack_user" not in attr and "CALLCHAIN" in attr
    assert "exclude_callchain_user" not in attr
    done = run([perfpair, "unwind", "-o", tmp_path / "again.data", out])
    assert (done.returncode, "nothing to unwind" in done.stderr) == (1, True)
    assert not (tmp_path / "again.data").exists()


@pytest.mark.parametrize("recorder", ["perf", "perfpair-record"])
def test_unwind__perf_shows_the_same(recorder, recordings, perf, perfpair, run,
                                     show, tmp_path):
    """perf 6.1 finds no inlined functions in recorded chains."""
    before, out = recordings(recorder, True), tmp_path / "out.data"
    run([perfpair, "unwind", "-q", "-o", out, before], check=True)
    for words in (FLAT, ["script", "--no-inline"],
                  ["script", "--no-inline", "-F", "+srcline"],
                  ["report", "--stdio", "--no-inline"],
                  ["report", "--stdio", "--no-inline", "-G"]):
        texts = [without_head(show(perf, path, *words))
                 for path in (before, out)]
        same_text(texts[0], texts[1])
        assert "std::__introsort_loop" in texts[1]


def test_unwind__a_repaired_file_stays_unwound(recordings, perfpair, run, show,
                                               tmp_path):
    out, whole = tmp_path / "out.data", tmp_path / "whole.data"
    run([perfpair, "unwind", "-q", "-o", out, recordings("perf")], check=True)
    run([perfpair, "repair", "-q", "-o", whole, out], check=True)
    text = show(perfpair, whole, "script")
    assert "(inlined)" in text
    same_text(show(perfpair, out, "script"), text)
