"""perfpair stat record and stat report without perf: files that are cut, hostile
or of something else, what a killed recorder leaves, names of files."""

import os
import random
import signal
import subprocess

import pytest

from common import ROOT, until

CORPUS = ROOT / "tests/fuzz/corpus/stat_file"
FILES = sorted(path.name for path in CORPUS.iterdir())


@pytest.fixture
def report(perfpair_record, tmp_path):
    """report(BYTES, WORDS...): stat report of a file with these bytes."""
    def run(data, *words):
        (tmp_path / "file").write_bytes(data)
        return subprocess.run([perfpair_record, "stat", "report", "-i", "file",
                               *words], cwd=tmp_path, capture_output=True,
                              text=True, timeout=30,
                              env=dict(os.environ, LC_ALL="C"))
    return run


@pytest.fixture
def stat(perfpair_record, tmp_path):
    probe = subprocess.run([perfpair_record, "stat", "-e", "task-clock", "true"],
                           capture_output=True, text=True)
    if probe.returncode:
        pytest.skip("nothing may be counted here: " + probe.stderr[:100])

    def run(*words, **more):
        return subprocess.run([perfpair_record, "stat", *words], cwd=tmp_path,
                              capture_output=True, timeout=30,
                              env=dict(os.environ, LC_ALL="C"), **more)
    return run


def test_a_file_is_printed(report):
    done = report((CORPUS / "whole_cpus").read_bytes(), "--per-core")
    assert done.returncode == 0
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[1].startswith(" Performance counter stats for '/usr/bin/perf ")
    assert [line[:9] for line in lines[3:7]] == ["S0-D0-C0 ", "S0-D0-C0 ",
                                                 "S0-D0-C1 ", "S0-D0-C1 "]
    assert [line.split()[2:4] for line in lines[3:7]] == [
        ["256.39", "msec"], ["53", "faults"], ["260.00", "msec"],
        ["4037", "faults"]]


def test_o_names_the_text_of_report(report, tmp_path):
    data = (CORPUS / "whole_cpus").read_bytes()
    expected = report(data).stderr
    assert report(data, "-o", "-").stdout == expected
    done = report(data, "-o", "text")
    assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "text").read_text() == expected


@pytest.mark.parametrize("name", FILES)
def test_whole_rounds_of_a_cut_file_are_printed(report, name):
    """At any place: what is whole is printed, and the status says so."""
    data = (CORPUS / name).read_bytes()
    whole = report(data)
    assert whole.returncode == 0
    shown = 0
    for end in range(0, len(data), 24):
        done = report(data[:end])
        assert done.returncode in (0, 3, 255), (end, done.stderr)
        assert done.returncode == 0 or "perfpair-record: file: " in done.stderr
        if done.returncode == 255:
            assert len(done.stderr.splitlines()) <= 2
        shown += "faults" in done.stderr
    assert shown > 3


def test_intervals_of_a_cut_file_are_those_of_the_whole_one(report):
    data = (CORPUS / "intervals").read_bytes()
    whole = report(data).stderr.splitlines()
    assert len(whole) == 7
    done = report(data[:0x360])                 # two rounds
    assert done.returncode == 3
    # The names are at the end of perf's files.
    assert done.stderr.replace("page-faults", "faults     ").splitlines()[:5] == \
        whole[:5]
    assert "msec" not in done.stderr.splitlines()[5]


@pytest.mark.parametrize("name", FILES)
def test_changed_bytes_never_hurt(report, name):
    """The fuzz target stat_file does this for longer."""
    data = (CORPUS / name).read_bytes()
    chance = random.Random(name)
    for _ in range(150):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(8, len(data))
            changed[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff,
                                         chance.randrange(256)))
        way = chance.choice((["-A"], ["-x,"], ["-j"], ["--per-node"],
                             ["--per-thread"], []))
        done = report(bytes(changed), *way)
        assert done.returncode in (0, 3, 255), done.stderr
        # no control characters of the file on the terminal
        assert not set(done.stderr) & set(map(chr, range(1, 9))), done.stderr


def test_counts_that_belong_nowhere_are_told(report):
    data = bytearray((CORPUS / "pipe").read_bytes())
    at = data.index(bytes([76, 0, 0, 0, 0, 0, 0x30, 0]))
    data[at + 20:at + 24] = (7).to_bytes(4, "little")       # thread 7 of 1
    done = report(bytes(data))
    assert done.returncode == 3
    assert ("file: 1 counts belong to no event, CPU or thread of the file, and "
            "were left out") in done.stderr
    assert "faults" in done.stderr


def test_more_threads_and_cpus_than_counts_are_refused(report):
    data = bytearray((CORPUS / "pipe").read_bytes())
    at = data.index(bytes([74, 0, 0, 0, 0, 0, 0x10, 0]))
    wide = bytes([74, 0, 0, 0, 0, 0, 0x10, 0, 2, 0, 0, 0, 0, 0, 0xff, 0xff])
    threads = 2700
    entry = (1).to_bytes(8, "little") + bytes(16)
    many = (bytes([73, 0, 0, 0, 0, 0]) +
            (16 + 24 * threads).to_bytes(2, "little") +
            threads.to_bytes(8, "little") + entry * threads)
    first = data.index(bytes([73, 0, 0, 0, 0, 0, 0x28, 0]))
    done = report(bytes(data[:first]) + many + wide + bytes(data[at + 16:]))
    assert done.returncode == 255
    assert done.stderr == ("perfpair-record: file: more CPUs, threads and events "
                           "than it has counts of\n")


@pytest.mark.parametrize("data, text", [
    (b"", "file: "), (b"no recording at all, but long enough for a header" * 9,
                      "file: "),
])
def test_what_is_no_file_of_counts_is_refused(report, data, text):
    done = report(data)
    assert done.returncode == 255
    assert done.stderr.startswith("perfpair-record: " + text)


def test_a_recording_of_samples_is_refused(report):
    for path in sorted((ROOT / "tests/fuzz/corpus/commands").iterdir())[:20]:
        data = path.read_bytes()
        if bytes([75, 0, 0, 0]) in data:
            continue
        done = report(data)
        assert done.returncode == 255
        assert done.stderr.startswith("perfpair-record: file: ")


def test_the_file_is_perf_data_and_the_last_one_is_kept(stat, perfpair_record,
                                                         tmp_path):
    # Without -o a pipe takes the file, as with perf.
    assert stat("record", "-e", "faults", "true").stdout.startswith(b"PERFILE2")
    with open(tmp_path / "out", "wb") as out:
        for name in "faults", "task-clock":
            subprocess.run([perfpair_record, "stat", "record", "-e", name,
                            "true"], cwd=tmp_path, stdout=out,
                           stderr=subprocess.DEVNULL, check=True)
    assert b"task-clock" in stat("report").stderr
    assert b"faults" in stat("report", "-i", "perf.data.old").stderr


def test_a_killed_recorder_leaves_its_intervals(stat, perfpair_record, tmp_path):
    process = subprocess.Popen(
        [perfpair_record, "stat", "record", "-o", "file", "-a", "-I", "20", "-e",
         "cpu-clock"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    for _ in range(4):
        process.stderr.readline()
    process.kill()
    printed = process.communicate()[0] or ""
    done = stat("report", "-i", "file")
    assert printed == ""
    assert done.stderr.count(b"cpu-clock") >= 2
    assert b"was not closed" in done.stderr
    assert done.returncode == 3


def test_an_interrupt_ends_the_file(stat, perfpair_record, tmp_path):
    process = subprocess.Popen(
        [perfpair_record, "stat", "record", "-o", "file", "-a", "-e",
         "cpu-clock"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    until((tmp_path / "file").exists, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
    done = stat("report", "-i", "file")
    assert done.returncode == 0
    assert b"cpu-clock" in done.stderr


def test_a_command_that_cannot_run_leaves_no_file(stat, tmp_path):
    done = stat("record", "-o", "file", "-e", "faults", "no-such-command")
    assert done.returncode == 255
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("words, text", [
    (["-r", "3"], "-r does not go with record"),
    (["-n"], "-n does not go with record"),
    (["--append"], "--append does not go with record"),
])
def test_what_makes_no_sense_is_refused(stat, tmp_path, words, text):
    done = stat("record", "-o", "file", *words, "true")
    assert done.stderr.decode().splitlines()[0] == "perfpair-record: " + text
    assert done.returncode == 2
    assert not (tmp_path / "file").exists()


def test_behind_two_dashes_they_are_commands(stat, tmp_path):
    for name in "record", "report":
        (tmp_path / name).write_text("#!/bin/sh\nexit 5\n")
        (tmp_path / name).chmod(0o755)
        done = stat("-e", "faults", "--", "./" + name)
        assert done.returncode == 5
    done = stat("-e", "faults", "--", "report")
    assert b"cannot run 'report'" in done.stderr
