"""-C records some CPUs, and what tasks do on the others names their code there:
the maps that a program made, and its name."""

import os
import re

import pytest

# Maps everything on CPU 1, its interpreter included, and works on CPU 0.
WANDERER = """
import os
import sys
import time
import zlib
data = os.urandom(1 << 18)
os.sched_setaffinity(0, {0})
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    zlib.compress(data)
"""


@pytest.fixture
def two_cpus():
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("CPUs 0 and 1 are not both there")


@pytest.fixture
def wanderer(run, perfpair_record, may_record, two_cpus, tmp_path):
    """What the recorder is given that samples CPU 0."""
    (tmp_path / "wanderer.py").write_text(WANDERER)

    def record(*options, seconds=0.6):
        done = run([perfpair_record, "-q", "-e", "cpu-clock", "-C", "0",
                    "-o", "t.data", *options, "--", "taskset", "-c", "1",
                    "/usr/bin/python3", "wanderer.py", seconds])
        assert (done.returncode, done.stderr) == (0, "")
    return record


def samples_of(run, program):
    """(CPU, task, DSO) of each sample: perf's -F for both programs."""
    done = run([program, "script", "-i", "t.data", "-F", "comm,cpu,ip,dso"])
    assert done.returncode == 0, done.stderr
    return [re.match(r"\s*(\S.*?)\s+\[(\d+)\]\s+[0-9a-f]+ \((.*)\)$", line)
            .group(2, 1, 3) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("reader", ["perf", "perfpair"])
def test_code_is_named_that_another_cpu_mapped(run, wanderer, request, reader):
    wanderer()
    samples = samples_of(run, request.getfixturevalue(reader))
    assert {cpu for cpu, *_ in samples} == {"000"}
    of_python = [dso for _, comm, dso in samples if comm == "python3"]
    in_zlib = [dso for dso in of_python if "/libz.so" in dso]
    assert len(in_zlib) > 200
    assert of_python.count("[unknown]") < len(of_python) / 50


def test_perf_finds_maps_of_the_other_cpu(run, wanderer, perf):
    """perf's own test (record_sideband.sh since 6.6)."""
    wanderer()
    maps = run([perf, "script", "-i", "t.data", "--show-mmap-events", "-C",
                "1"]).stdout
    assert maps.count("PERF_RECORD_MMAP2") > 5 and "/libz.so" in maps


def test_a_file_of_its_own_knows_them_too(run, wanderer, perfpair, tmp_path):
    """Each file of a series begins with the maps that there are."""
    wanderer("--switch-output=1s", seconds=2.7)
    files = sorted(tmp_path.glob("t.data.*"))
    assert len(files) > 1
    (tmp_path / "t.data").unlink(missing_ok=True)
    for path in files[1:]:
        path.rename(tmp_path / "t.data")
        dsos = [dso for _, comm, dso in samples_of(run, perfpair)
                if comm == "python3"]
        assert dsos and "[unknown]" not in dsos


def test_report_lists_the_events_that_perf_lists(run, wanderer, perf, perfpair):
    wanderer()
    heads = [re.findall(r"^# Samples.*", run([program, "report", "--stdio",
                                              "-i", "t.data"]).stdout, re.M)
             for program in (perf, perfpair)]
    assert heads[0] == heads[1] and len(heads[0]) == 1
    assert run([perf, "evlist", "-v", "-i", "t.data"]).stdout == \
        run([perfpair, "evlist", "-v", "-i", "t.data"]).stdout
