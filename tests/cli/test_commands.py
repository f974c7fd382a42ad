"""The program's own words: commands, versions, exit codes, wrong options."""

import pytest

COMMANDS = ["report", "script", "evlist", "buildid-list"]


def test_help__lists_every_command(run, perfpair):
    done = run([perfpair, "help"])
    assert done.returncode == 0
    for name in [*COMMANDS, "annotate", "carry", "check", "data", "diff", "repair", "record",
                 "unwind", "help", "version"]:
        assert f"\n  {name} " in done.stdout
    assert run([perfpair, "--help"]).stdout == done.stdout


def test_version__names_the_program(run, perfpair):
    assert run([perfpair, "--version"]).stdout.startswith("perfpair version ")


def test_no_command__is_a_usage_error(run, perfpair):
    assert run([perfpair]).returncode == 2
    done = run([perfpair, "repotr"])
    assert done.returncode == 2
    assert done.stderr == ("perfpair: unknown command 'repotr'\n"
                           "perfpair: nearest: report, repair\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_option__is_named_and_exits_2(run, perfpair, command):
    done = run([perfpair, command, "--quux"])
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "perfpair: unknown option '--quux'\n"
        f"perfpair: 'perfpair {command} --help' lists the options\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command__goes_to_stdout(run, perfpair, command):
    done = run([perfpair, command, "--help"])
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith(f"usage: perfpair {command} ")
    assert "--input FILE" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_file__exits_1(run, perfpair, command):
    done = run([perfpair, command, "-i", "nothing.data"])
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("perfpair: nothing.data: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_another_kind_of_file__exits_1(run, perfpair, command, tmp_path):
    (tmp_path / "x.data").write_bytes(b"GIF89a" + bytes(200))
    done = run([perfpair, command, "-i", "x.data"])
    assert done.returncode == 1
    assert done.stderr.startswith("perfpair: x.data: at byte 0x0: ")


@pytest.mark.parametrize("words", [
    ["evlist", "a.data", "b.data"],
    ["check", "-i", "a.data", "b.data"],
    ["repair", "-o", "c.data", "a.data", "b.data"],
    ["unwind", "-o", "c.data", "a.data", "b.data"],
    ["carry", "-o", "c.data", "a.data", "b.data"],
], ids=" ".join)
def test_two_files_where_one_is_read__exit_2(run, perfpair, words):
    done = run([perfpair, *words])
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(
        "perfpair: one file at a time: 'b.data'\n")


def test_record__runs_the_recorder_in_path(run, perfpair, tmp_path):
    import os
    fake = tmp_path / "bin"
    fake.mkdir()
    (fake / "perfpair-record").write_text("#!/bin/sh\necho \"$@\"\nexit 7\n")
    (fake / "perfpair-record").chmod(0o755)
    done = run([perfpair, "record", "-a", "--", "sleep", "1"],
               env=dict(os.environ, PATH=f"{fake}:{os.environ['PATH']}"))
    assert done.stdout == "-a -- sleep 1\n"
    assert done.returncode == 7


@pytest.mark.parametrize("fields, text", [
    ("comm,quux", "--fields: there is no field 'quux'"),
    ("tp:comm", "--fields: no event type is named 'tp'"),
    ("hw:trace", "--fields: 'trace' is not for hw events"),
])
def test_script__names_the_wrong_field(run, perfpair, fields, text):
    done = run([perfpair, "script", "-F", fields])
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == f"perfpair: {text}"


def test_script__names_the_wrong_list(run, perfpair):
    done = run([perfpair, "script", "--pid", "1,x"])
    assert done.returncode == 2
    assert done.stderr == "perfpair: --pid: '1,x' is no list of numbers\n"


@pytest.mark.parametrize("words, option", [
    (["diff", "--fail-above", "nan"], "--fail-above"),
    (["diff", "--percent-limit", "inf"], "--percent-limit"),
    (["diff", "--per", "calls=inf:1"], "--per"),
    (["report", "--percent-limit", "nan"], "--percent-limit"),
    (["report", "-g", "graph,0.5,1e20"], "--call-graph"),
    (["report", "-g", "nan"], "--call-graph"),
])
def test_numbers_that_are_none(run, perfpair, words, option):
    done = run([perfpair, *words])
    assert done.returncode == 2
    assert f"option {option}: " in done.stderr
