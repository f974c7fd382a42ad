"""perfpair annotate: what it refuses, and says when there is nothing to show."""

import os
import subprocess

import pytest

SOURCE = """__attribute__((noinline)) unsigned work(unsigned nr)
{
	volatile unsigned sum = 1;
	for (unsigned i = 0; i < nr; i++)
		sum = sum * 3 + i;
	return sum;
}
int main(void) { return work(200000000u) == 7; }
"""


@pytest.mark.parametrize("option, hint", [
    (["--objdump", "objdump"], "no program is asked: capstone disassembles"),
    (["--tui"], "perfpair view opens a page"),
    (["--stdio2"], "'--stdio' is the only form"),
    (["-M", "gnu"], "att"),
    (["--percent-type", "local"], "global-hits"),
    (["--percent-limit", "x"], "percent-limit"),
    (["-n", "--show-total-period"], "do not go together"),
    (["a", "b"], "b"),
])
def test_a_wrong_option_is_named(run, perfpair, option, hint):
    done = run([perfpair, "annotate", *option])
    assert (done.returncode, done.stdout) == (2, "")
    assert hint in done.stderr


@pytest.fixture(scope="module")
def worked(tmp_path_factory, perfpair_record, may_record):
    """A recording of a program whose debug information names the source as
    work.c in its folder."""
    folder = tmp_path_factory.mktemp("worked")
    (folder / "work.c").write_text(SOURCE)
    subprocess.run(["cc", "-O1", "-g", "-o", "work", "work.c"], cwd=folder,
                   check=True)
    subprocess.run([perfpair_record, "-q", "-e", "cpu-clock", "-o", "w.data",
                    "--", "./work"], cwd=folder, check=True)
    return folder


@pytest.mark.records
def test_no_samples_in_a_symbol(worked, run, perfpair):
    path = worked / "w.data"
    done = run([perfpair, "annotate", "-i", path, "no_such_function"])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"perfpair: {path}: no samples in no_such_function\n")
    done = run([perfpair, "annotate", "-i", path, "wor"])
    assert (done.returncode, done.stderr) == (1, (
        f"perfpair: {path}: no samples in wor\n"
        "perfpair: there are samples in 'work'\n"))


@pytest.mark.records
def test_source_that_is_no_regular_file_is_not_opened(worked, run, perfpair):
    """A FIFO would wait for ever."""
    source = worked / "work.c"
    source.unlink()
    os.mkfifo(source)
    try:
        done = subprocess.run([perfpair, "annotate", "-i", worked / "w.data",
                               "work"], capture_output=True, text=True,
                              timeout=20)
    finally:
        source.unlink()
        source.write_text(SOURCE)
    assert done.returncode == 0
    assert f" : 5    {source}:5\n" in done.stdout
    assert "sum * 3" not in done.stdout


@pytest.mark.records
def test_source_elsewhere_is_found_by_its_prefix(worked, run, perfpair,
                                                 tmp_path):
    parts = len(worked.parts) - 1
    (tmp_path / "work.c").write_text("".join(
        f"moved {nr}\n" for nr in range(1, 9)))
    done = run([perfpair, "annotate", "-i", worked / "w.data", "--prefix",
                tmp_path, "--prefix-strip", str(parts), "work"])
    assert done.returncode == 0
    assert " : 5    moved 5\n" in done.stdout


@pytest.mark.records
def test_colours_only_if_asked(worked, run, perfpair):
    command = [perfpair, "annotate", "-i", worked / "w.data", "work"]
    plain = run(command).stdout
    assert "\033" not in plain
    coloured = run([*command, "--stdio-color", "always"]).stdout
    assert "\033[31m" in coloured
    assert coloured.replace("\033[31m", "").replace("\033[32m", "").replace(
        "\033[m", "") == plain


@pytest.mark.records
def test_a_program_that_is_gone_says_what_helps(worked, run, perfpair,
                                                tmp_path):
    done = run([perfpair, "annotate", "-i", worked / "w.data", "--symfs",
                tmp_path, "work"])
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{worked / 'work'}: work: no code: " in done.stderr
    assert "perfpair carry --code" in done.stderr
    done = run([perfpair, "annotate", "-i", worked / "w.data", "--symfs",
                tmp_path, "--skip-missing", "work"])
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.records
def test_percent_limit_leaves_out_functions(worked, run, perfpair):
    command = [perfpair, "annotate", "-q", "-i", worked / "w.data"]
    every = run(command).stdout.count("Disassembly of")
    heavy = run([*command, "--percent-limit", "50"]).stdout
    assert heavy.count("Disassembly of") == 1 <= every
    assert "Disassembly of work for" in heavy
