"""What the kernel (Linux 6.18) writes wrong where several record at once: the
records of a BPF program that is loaded are longer for the second listener by
the trailer of the first."""

import re

import pytest

LOADS_NR = 4
CPU_CLOCK = ["-a", "-e", "cpu-clock", "-F", "50"]


@pytest.fixture
def three(run, perf, perfpair_record, may_record, workload, tmp_path):
    """three(PROGRAMS[, EVENTS]): t0.data, t1.data ... of recorders beside each other,
    while BPF programs are loaded."""
    load = workload("bpf_load")
    probe = run([load, 1])
    if probe.returncode:
        pytest.skip(probe.stdout.strip())

    def record(programs, events=CPU_CLOCK):
        """Each runs the next one as its command."""
        command = [load, LOADS_NR]
        for i, program in enumerate(programs):
            command = [*program, *events, "-o", f"t{i}.data", "--",
                       *command]
        done = run(command)
        assert done.returncode == 0, done.stderr
        return [tmp_path / f"t{i}.data" for i in range(len(programs))]

    return record


def bpf_lines(run, program, path):
    done = run([program, "script", "-i", path, "--show-bpf-events"])
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if "neighbour" in line]


def test_ours_are_written_as_they_ought_to_be(run, perf, perfpair,
                                              perfpair_record, three):
    for path in three(3 * [[perfpair_record, "-q"]]):
        checked = run([perfpair, "check", "-i", path])
        assert "whole: 0 errors" in checked.stdout
        ours, perfs = (bpf_lines(run, program, path)
                       for program in (perfpair, perf))
        assert len(ours) == len(perfs) == 2 * LOADS_NR
        for line in (*ours, *perfs):
            assert re.search(r"bpf_load +\d+ \[\d+\] +[1-9]\d*\.\d+: ", line)


def test_the_first_event_may_have_shorter_trailers(run, perf, perfpair,
                                                   perfpair_record, three):
    """The records are those of the dummy behind it."""
    without = ["-a", "-e", "cpu-clock/time=0/", "-F", "50"]
    for path in three(2 * [[perfpair_record, "-q"]], without):
        checked = run([perfpair, "check", "-i", path])
        assert "whole: 0 errors" in checked.stdout
        assert len(bpf_lines(run, perf, path)) == 2 * LOADS_NR


def test_those_of_others_are_read_and_repaired(run, perf, perfpair, three):
    """-B: build-ids of BPF programs are asked of the file system."""
    for path in three(3 * [[perf, "record", "-q", "-B"]]):
        checked = run([perfpair, "check", "-i", path])
        assert "whole: 0 errors" in checked.stdout
        rounds = re.search(r"(\d+) FINISHED_ROUND", checked.stdout)[1]
        assert len(bpf_lines(run, perfpair, path)) == 2 * LOADS_NR
        mended = path.with_suffix(".mended")
        done = run([perfpair, "repair", "-i", path, "-o", mended])
        assert done.returncode == 0, done.stderr
        checked = run([perfpair, "check", "-i", mended])
        assert f"{rounds} FINISHED_ROUND" in checked.stdout
        assert len(bpf_lines(run, perf, mended)) == 2 * LOADS_NR
