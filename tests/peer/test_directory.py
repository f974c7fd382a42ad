"""Recordings that are directories (perf record --threads, --kcore): read as perf
reads them."""

import pytest

from common import RECORD
from peer_text import same_report, same_text
from recordings import record_by_perf


@pytest.fixture(scope="module")
def directory(tmp_path_factory, perf, may_record, workload, perf_home):
    """directory(OPTION...): a recording on all CPUs, a file for each buffer.  Of
    one program: names of whatever else runs here may be gone, or be made up by
    a compiler, as perf sees it."""
    folder = tmp_path_factory.mktemp("directories")
    made = {}

    def record(*options):
        if options not in made:
            out = folder / f"{len(made)}"
            done = record_by_perf(
                [perf, *RECORD, "-q", "--threads", *options, "-e", "cpu-clock",
                 "-F", "500", "-o", str(out), "--", str(workload("threads")),
                 "4", "100", "cpu"], None, perf_home)
            assert done.returncode == 0, done.stderr
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
    # a CPU may have had nothing to do
    last = max(path for path in whole.glob("data.*") if path.stat().st_size)
    for path in whole.iterdir():
        data = path.read_bytes()
        if path == last:
            data = data[:len(data) - 12]
        (cut / path.name).write_bytes(data)
    done = run([perfpair, "script", "-i", cut])
    assert done.returncode == 3
    assert f"{cut}/{last.name}: at byte " in done.stderr


def test_directory__kallsyms_of_the_recorded_kernel(
        perf, perfpair, may_record, workload, perf_home, run, tmp_path):
    """What --kcore leaves beside the data names the kernel's functions."""
    out = tmp_path / "kcore"
    (out / "kcore_dir").mkdir(parents=True)
    done = record_by_perf(
        [perf, *RECORD, "-q", "-a", "-e", "cpu-clock", "-F", "999", "-o",
         str(out / "data"), "--", str(workload("spin")), "300", "cpu"], None,
        perf_home)
    assert done.returncode == 0, done.stderr
    with open("/proc/kallsyms") as file:
        lines = [" ".join([*line.split()[:2], "X_" + line.split()[2]])
                 if line.split()[2] not in ("_text", "_stext", "_etext") and
                 "[" not in line else line.rstrip("\n") for line in file]
    (out / "kcore_dir" / "kallsyms").write_text("\n".join(lines) + "\n")
    # bare addresses of other people's programs: docs/differences.md, "-s sym"
    words = ["report", "--stdio", "-s", "sym", "-d", "[kernel.kallsyms]",
             "--no-children", "-i", out]
    theirs, ours = run([perf, *words]), run([perfpair, *words])
    assert "X_" in theirs.stdout
    same_report(theirs.stdout, ours.stdout)


def test_directory__without_data_is_an_error(perfpair, run, tmp_path):
    done = run([perfpair, "report", "-i", tmp_path])
    assert done.returncode == 1
    assert "the directory has no file 'data'" in done.stderr
