"""A recording that goes to a pipe has its names in a file of their own
(perfpair-record --carry-file, --carried of the readers)."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from carried_file import sections
from common import until

STREAM = 10  # the section that says which recording the names are of

PERL = ('my %h; for my $i (1..300000) { $h{$i % 977} .= "x" if $i =~ /7/; }'
        'my @s = sort { $a <=> $b } keys %h;')
COMMANDS = {
    "script": ["script"],
    "report": ["report", "--stdio", "-g", "none", "-s", "comm,dso,sym"],
    "chains": ["report", "--stdio", "--children", "-g"],
}


def record(perfpair_record, folder, command, *options, stem="t"):
    """(RECORDING, NAMES, what the recorder said) of a command, piped."""
    out, names = folder / f"{stem}.data", folder / f"{stem}.names"
    with open(out, "wb") as file:
        done = subprocess.run(
            [perfpair_record, "-o", "-", "-e", "cpu-clock", "-F", "999",
             "--carry-time", "20s", *options, "--", *command], cwd=folder, stdout=file,
            stderr=subprocess.PIPE, timeout=120)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    return out, names, said


@pytest.fixture(scope="module")
def program(tmp_path_factory, workload):
    """program(FLAG...): a copy of a workload, of another build-id each time."""
    folder = tmp_path_factory.mktemp("program")

    def build(*flags):
        path = folder / "spin"
        path.unlink(missing_ok=True)
        shutil.copy(workload("spin", *flags), path)
        return path

    return build


@pytest.fixture(scope="module", params=["fp", "dwarf"])
def piped(request, tmp_path_factory, perfpair_record, may_record, program):
    folder = tmp_path_factory.mktemp("piped")
    out, names, said = record(
        perfpair_record, folder,
        ["sh", "-c", f"/usr/bin/perl -e '{PERL}'; {program('-O1')} 100 cpu; "
         "dd if=/dev/zero of=/dev/null bs=1M count=500 status=none"],
        "--call-graph", request.param, "--carry-file", "t.names")
    assert "no names" not in said
    return request.param, out, names


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    return ["--symfs", tmp_path_factory.mktemp("empty"), "--kallsyms",
            "/dev/null"]


def printed(run, command, **kw):
    done = run(command, **kw)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_elsewhere__text_is_that_of_the_host(name, piped, elsewhere, run,
                                             perfpair):
    _, out, names = piped
    here = printed(run, [perfpair, *COMMANDS[name], "--no-inline", "-i", out])
    without = printed(run, [perfpair, *COMMANDS[name], "--no-inline",
                            *elsewhere, "-i", out])
    there = printed(run, [perfpair, *COMMANDS[name], "--no-inline", *elsewhere,
                          "--carried", names, "-i", out])
    assert "leaf_hash" in here and "leaf_hash" not in without
    assert here.splitlines() == there.splitlines()


def test_elsewhere__the_recording_may_come_through_a_pipe(piped, elsewhere, run,
                                                          perfpair):
    _, out, names = piped
    here = printed(run, [perfpair, "script", "--no-inline", "-i", out])
    with open(out, "rb") as file:
        assert here == printed(
            run, [perfpair, "script", "--no-inline", *elsewhere, "--carried",
                  names, "-i", "-"], stdin=file)


@pytest.mark.parametrize("piped", ["fp"], indirect=True)
def test_elsewhere__json_and_diff(piped, elsewhere, run, perfpair, tmp_path):
    _, out, names = piped
    more = [*elsewhere, "--carried", names]
    printed(run, [perfpair, "data", "convert", "-i", out, *more, "--to-json",
                  tmp_path / "json"])
    assert "leaf_hash" in (tmp_path / "json").read_text()
    assert "leaf_hash" in run([perfpair, "diff", *more, out, out]).stdout


@pytest.mark.parametrize("piped", ["dwarf"], indirect=True)
def test_elsewhere__stack_copies_become_chains(piped, elsewhere, run, perfpair,
                                               tmp_path):
    _, out, names = piped
    for text, more in (("here", []),
                       ("there", [*elsewhere[:2], "--carried", names])):
        printed(run, [perfpair, "unwind", "-q", "-i", out, *more, "-o",
                      tmp_path / text])
    here, there = (printed(run, [perfpair, "script", "--no-inline", "-i",
                                 tmp_path / text, *more])
                   for text, more in (("here", []), ("there", elsewhere)))
    assert "leaf_hash" in there and here == there


def test_elsewhere__one_file_again(piped, elsewhere, run, perfpair, tmp_path):
    _, out, names = piped
    one = tmp_path / "one"
    printed(run, [perfpair, "repair", "-q", "-i", out, "--carried", names, "-o",
                  one])
    assert "whole: 0 errors, 0 notes" in printed(run, [perfpair, "check", one])
    here, there = (
        printed(run, [perfpair, "script", "--no-inline", "-i", one, *more])
        for more in ([], elsewhere))
    assert "leaf_hash" in there and here == there
    assert here == printed(run, [perfpair, "script", "--no-inline", "-i", out])
    # of that file, and of no other one
    done = run([perfpair, "repair", "-i", one, "--carried", names, "-o",
                tmp_path / "two"])
    assert done.returncode == 1
    assert "its names are not of this recording" in done.stderr
    assert not (tmp_path / "two").exists()


def test_names__are_a_file_that_others_read(piped, run, perfpair, tmp_path):
    _, _, names = piped
    assert "whole: 0 errors, 0 notes" in printed(run, [perfpair, "check",
                                                       names])
    listed = printed(run, [perfpair, "buildid-list", "--carried", "-i", names])
    assert "/spin" in listed
    assert "[kernel.kallsyms]" in listed
    printed(run, [perfpair, "buildid-cache", "--from", names, "--dir",
                  tmp_path / "cache"])
    assert list((tmp_path / "cache").rglob("elf"))


def test_without_the_option__a_pipe_carries_nothing(
        tmp_path, perfpair_record, may_record, program, run, perfpair):
    out, _, said = record(perfpair_record, tmp_path, [program(), "50", "cpu"])
    assert "names" not in said and "carr" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.data"]
    done = run([perfpair, "report", "--carried", out, "-i", out])
    assert done.returncode == 1
    assert f"option --carried: {out}: it carries no names" in done.stderr


def test_another_recording__lends_names_of_the_same_files_only(
        tmp_path, perfpair_record, may_record, program, elsewhere, run,
        perfpair):
    """Three recordings of one path, where another program stands in the second."""
    made = []
    for stem, flags in (("a", "-O1"), ("b", "-O2"), ("c", "-O1")):
        path = program(flags)
        made.append(record(perfpair_record, tmp_path,
                           ["sh", "-c", f"{path} 100 cpu; find /usr/lib >/dev/null"],
                           "--carry-file", f"{stem}.names", stem=stem))
    outs, names, _ = zip(*made)

    def text(out, lender):
        return printed(run, [perfpair, "report", "--stdio", "-s", "dso,sym",
                             *elsewhere, "--carried", lender, "-i", out])

    assert "leaf_hash" in text(outs[0], names[0])
    assert "leaf_hash" in text(outs[2], names[0])
    assert "leaf_hash" not in text(outs[1], names[0])
    # addresses of the kernel are of one boot: only its own recording's
    assert re.search(r"\[k\] [a-z_]", text(outs[0], names[0]))
    assert "[k] 0xffff" in text(outs[2], names[0])
    assert not re.search(r"\[k\] [a-z_]", text(outs[2], names[0]))


def refused(run, perfpair_record, *options, **kw):
    done = run([perfpair_record, "-e", "cpu-clock", *options, "--", "true"],
               **kw)
    assert done.returncode in (2, 255)
    return done.stderr


def test_refused__what_is_no_file_of_its_own(tmp_path, may_record,
                                             perfpair_record, run):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "kept").write_text("kept")

    def text(path, *more):
        with open(tmp_path / "out", "ab") as out:
            done = subprocess.run(
                [perfpair_record, "-o", "-", "--carry-file", path, *more, "-e",
                 "cpu-clock", "--", "true"], cwd=tmp_path, timeout=30,
                stdout=out, stderr=subprocess.PIPE)
        assert done.returncode in (2, 255)
        return done.stderr.decode()

    assert "it is a pipe" in text("fifo")
    assert "it is a pipe" in text("-")
    assert "it is a pipe" in text("/dev/stdout")
    assert "it is no regular file" in text("/dev/null")
    assert "it is no regular file" in text(tmp_path)
    assert "the recording goes there" in text("out")
    assert "No such file" in text("nowhere/names")
    assert "nothing would be in it" in text("kept", "--carry", "none")
    assert (tmp_path / "out").read_bytes() == b""
    # nothing was recorded: what was there is there again
    subprocess.run([perfpair_record, "-o", "-", "--carry-file", "kept", "-e",
                    "cpu-clock", "--", "/nowhere/program"], cwd=tmp_path,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert (tmp_path / "kept").read_text() == "kept"
    assert "which carries its names itself" in refused(
        run, perfpair_record, "-o", tmp_path / "t.data", "--carry-file",
        tmp_path / "names")
    assert not (tmp_path / "names").exists()


def test_full_disk__costs_names_and_says_so(tmp_path, perfpair_record,
                                            may_record, may_unshare, run,
                                            perfpair):
    """The recording is whole; the recorder fails, since FILE was asked for."""
    small = tmp_path / "small"
    small.mkdir()
    script = (f"mount -t tmpfs -o size=8k none {small} && exec "
              f"{perfpair_record} -o - -z0 --carry-file {small}/names -e "
              f"cpu-clock -F 9999 -g -- /usr/bin/perl -e '{PERL}'")
    with open(tmp_path / "out", "wb") as out:
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], stdout=out,
                              stderr=subprocess.PIPE, timeout=60)
    text = done.stderr.decode()
    assert "names of the first 0.0 MB only" in text
    assert done.returncode == 255
    assert f"{small}/names: " in text and "No space left" in text
    assert ": whole: " in printed(run, [perfpair, "check", tmp_path / "out"])


def test_killed__file_carries_nothing(tmp_path, perfpair_record, may_record,
                                      program, run, perfpair):
    names = tmp_path / "names"
    with open(tmp_path / "out", "wb") as out:
        with subprocess.Popen(
                [perfpair_record, "-o", "-", "--carry-file", names, "-e",
                 "cpu-clock", "--", program(), "3000", "cpu"],
                stdout=out, stderr=subprocess.DEVNULL) as recorder:
            until(names.exists, recorder)
            time.sleep(.3)
            os.kill(recorder.pid, signal.SIGKILL)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["names", "out"]
    done = run([perfpair, "report", "--carried", names, "-i", tmp_path / "out"])
    assert "it carries no names" in done.stderr


@pytest.mark.parametrize("piped", ["fp"], indirect=True)
def test_hostile_file__names_nothing(piped, elsewhere, run, perfpair, tmp_path):
    """Cut and changed: an error, or what it carries is as it was."""
    _, out, names = piped
    data = names.read_bytes()
    bad = tmp_path / "bad"
    whole = printed(run, [perfpair, "script", *elsewhere, "--carried", names,
                          "-i", out])
    none = printed(run, [perfpair, "script", *elsewhere, "-i", out])
    assert whole != none
    stream, = [off for kind, _, off, *_ in sections(data) if kind == STREAM]
    for at in [*range(7, len(data), len(data) // 40), stream]:
        for text in (data[:at],
                     data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1:]):
            bad.write_bytes(text)
            done = run([perfpair, "script", *elsewhere, "--carried", bad, "-i",
                        out])
            assert done.returncode in (0, 1), done.stderr
            if done.returncode:
                assert "option --carried: " in done.stderr
            else:
                assert done.stdout in (whole, none)
