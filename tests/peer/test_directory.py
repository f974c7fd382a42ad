"""Recordings that are directories (perf record --threads, --kcore): read as perf
reads them."""

import subprocess

import pytest

from peer_text import same_report, same_text


@pytest.fixture(scope="module")
def directory(tmp_path_factory, perf, may_record, workload):
    """directory(OPTION...): a recording of all CPUs, a file for each buffer."""
    folder = tmp_path_factory.mktemp("directories")
    made = {}

    def record(*options):
        if options not in made:
            out = folder / f"{len(made)}"
            subprocess.run([perf, "record", "-q", "--threads", *options, "-a",
                            "-e", "cpu-clock", "-F", "500", "-o", out, "--",
                            workload("spin"), "300"],
                           check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=60)
            made[options] = out
        return made[options]

    return record


OPTIONS = [(), ("-g",), ("-z",)]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "".join(o) or "plain")
def test_directory__script(directory, options, perf, perfpair, run):
    path = directory(*options)
    assert (path / "data.0").exists()
    theirs = run([perf, "script", "-i", path])
    ours = run([perfpair, "script", "-i", path])
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert theirs.stdout.count("\n") > 100
    same_text(theirs.stdout, ours.stdout)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "".join(o) or "plain")
def test_directory__report_and_stats(directory, options, perf, perfpair, run):
    path = directory(*options)
    for words in (["--stdio", "-s", "dso,sym", "--no-children", "-g", "none"],
                  ["--stats"]):
        theirs = run([perf, "report", *words, "-i", path])
        ours = run([perfpair, "report", *words, "-i", path])
        assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
        same_report(theirs.stdout, ours.stdout)


def test_directory__check_finds_no_error(directory, perfpair, run):
    done = run([perfpair, "check", directory()])
    assert done.returncode == 0, done.stdout + done.stderr


def test_directory__damage_names_the_file(directory, perfpair, run, tmp_path):
    whole, cut = directory(), tmp_path / "cut"
    cut.mkdir()
    for path in whole.iterdir():
        data = path.read_bytes()
        if path.name == "data.1":
            data = data[:len(data) - 12]
        (cut / path.name).write_bytes(data)
    done = run([perfpair, "script", "-i", cut])
    assert done.returncode == 3
    assert f"{cut}/data.1: at byte " in done.stderr


def test_directory__kallsyms_of_the_recorded_kernel(
        perf, perfpair, may_record, workload, run, tmp_path):
    """What --kcore leaves beside the data names the kernel's functions."""
    out = tmp_path / "kcore"
    (out / "kcore_dir").mkdir(parents=True)
    subprocess.run([perf, "record", "-q", "-a", "-e", "cpu-clock", "-F", "999",
                    "-o", out / "data", "--", workload("spin"), "300"],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)
    with open("/proc/kallsyms") as file:
        lines = [" ".join([*line.split()[:2], "X_" + line.split()[2]])
                 if line.split()[2] not in ("_text", "_stext", "_etext") and
                 "[" not in line else line.rstrip("\n") for line in file]
    (out / "kcore_dir" / "kallsyms").write_text("\n".join(lines) + "\n")
    # bare addresses of other people's programs: report/README.md, "-s sym"
    words = ["report", "--stdio", "-s", "sym", "-d", "[kernel.kallsyms]",
             "--no-children", "-i", out]
    theirs, ours = run([perf, *words]), run([perfpair, *words])
    assert "X_" in theirs.stdout
    same_report(theirs.stdout, ours.stdout)


def test_directory__without_data_is_an_error(perfpair, run, tmp_path):
    done = run([perfpair, "report", "-i", tmp_path])
    assert done.returncode == 1
    assert "the directory has no file 'data'" in done.stderr
