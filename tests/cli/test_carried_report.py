"""What report says of files whose names a recording could not carry."""

import re
import shutil

ELSEWHERE = ("--symfs", ".", "--kallsyms", "/dev/null")


def record(run, perfpair_record, program, *options, turns="300000"):
    run([perfpair_record, "-q", "-e", "cpu-clock", "-F", "5000", *options,
         "-o", "t.data", "--", program, turns])


def warnings(run, perfpair, tmp_path):
    (tmp_path / "empty").mkdir(exist_ok=True)
    return run([perfpair, "report", "-i", "t.data", "--stdio",
                *ELSEWHERE]).stderr


def lines_without_names(run, perfpair, perfpair_record, program, tmp_path,
                        turns="300000"):
    """With less and less room first the names of some files are left out, then
    the list of files, too."""
    for size in (2000, 1500, 1200, 1000, 800, 700, 600, 500, 400, 300, 200):
        record(run, perfpair_record, program, "--carry-size", str(size),
               turns=turns)
        said = [line for line in
                warnings(run, perfpair, tmp_path).splitlines()
                if "--carry-size" in line]
        if said:
            return said
    return []


def test_samples_without_names_are_said_in_one_line(
        run, perfpair, perfpair_record, may_record, workload, tmp_path):
    said = lines_without_names(run, perfpair, perfpair_record,
                               workload("getppid"), tmp_path)
    assert len(said) == 1
    found = re.fullmatch(
        r"perfpair: t\.data: (\d+\.\d)% of the samples (?:are|have no function's "
        r"name,) in (\d+) files?(?: without symbols)?: "
        r"(.*a limit of --carry-size or --carry-time was reached\))(, \.\.\.)?",
        said[0])
    assert found and 0 < float(found[1]) <= 100
    assert int(found[2]) >= found[3].count("(") >= 1


def test_names_of_files_do_not_reach_the_terminal_as_they_are(
        run, perfpair, perfpair_record, may_record, workload, tmp_path):
    program = tmp_path / "a\x1b[31mb"
    shutil.copy(workload("spin"), program)
    said = lines_without_names(run, perfpair, perfpair_record, str(program),
                               tmp_path, "100")
    assert len(said) == 1
    assert "\x1b" not in said[0] and r"a\x1b[31mb" in said[0]


def test_nothing_is_said_if_all_names_are_carried(
        run, perfpair, perfpair_record, may_record, workload, tmp_path):
    record(run, perfpair_record, workload("getppid"))
    assert "--carry-size" not in warnings(run, perfpair, tmp_path)


def test_nothing_is_said_of_a_recording_that_carries_none(
        run, perfpair, perfpair_record, may_record, workload, tmp_path):
    record(run, perfpair_record, workload("getppid"), "--carry", "none")
    assert "--carry-size" not in warnings(run, perfpair, tmp_path)
