"""perfpair-record --max-samples: exactly so many samples, of all events."""

import re
import signal

import pytest

LIMIT = 301
BUSY = ["sh", "-c", "while :; do :; done"]
SAID = (f"[ perfpair-record: sample limit reached ({LIMIT}), stopping session "
        "]")


@pytest.fixture
def record(run, perfpair_record, may_record):
    """record(ARG...): a limited recording of two clocks into t.data."""
    return lambda *args, **kw: run(
        [perfpair_record, "-e", "cpu-clock:u,task-clock:u", "-F", "5000",
         "--max-samples", str(LIMIT), "-o", "t.data", *args], **kw)


def samples(run, perfpair, path):
    """The samples of a file that nothing is wrong with."""
    done = run([perfpair, "check", path])
    assert (done.returncode, done.stderr) == (0, "")
    return run([perfpair, "script", "-i", path]).stdout.count("-clock:u:")


@pytest.mark.parametrize("args", [
    ["-z1"],
    ["-z0"],
    ["-z9"],
    ["-z1", "--call-graph", "dwarf"],
    ["-z0", "--call-graph", "dwarf"],
    ["-z1", "--threads=2", "-m", "4"],
    ["-z0", "--threads=cpu", "-m", "4"],
    ["--flush-interval", "10ms"],
], ids="_".join)
def test_the_recording_ends_with_the_last_sample(args, record, run, perfpair,
                                                 perf):
    done = record(*args, "--", *BUSY)
    assert done.returncode == 0
    assert SAID in done.stderr.splitlines()
    assert f"({LIMIT} samples)" in done.stderr
    assert "lost" not in done.stderr
    assert samples(run, perfpair, "t.data") == LIMIT
    told = run([perf, "report", "-i", "t.data", "--stdio"])
    assert told.stderr == ""
    counts = re.findall(r"^# Samples: (\d+)  of event", told.stdout, re.M)
    assert sum(int(count) for count in counts) == LIMIT


def test_a_command_that_ends_first_keeps_its_status(record, run, perfpair):
    """All is drained at the end: other records are, too, and stay."""
    done = record("--carry", "none", "-m", "4M", "--flush-interval", "60s",
                  "--", "sh", "-c",
                  "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; "
                  "/bin/true; exit 7")
    assert done.returncode == 7
    assert f"({LIMIT} samples)" in done.stderr
    assert samples(run, perfpair, "t.data") == LIMIT
    dump = run([perfpair, "report", "-D", "-i", "t.data"]).stdout
    assert dump.count(" PERF_RECORD_EXIT(") == 2


def test_all_files_share_it(record, run, perfpair, tmp_path):
    done = record("-z0", "--switch-output=8K", "--", *BUSY)
    assert done.returncode == 0
    assert SAID in done.stderr.splitlines()
    counts = [samples(run, perfpair, path.name)
              for path in tmp_path.glob("t.data.*")]
    assert len(counts) > 1
    assert sum(counts) == LIMIT


def test_a_pipe_has_no_more(record, run, perfpair, tmp_path):
    with open(tmp_path / "piped", "wb") as out:
        done = record("-o", "-", "--", *BUSY, stdout=out)
    assert done.returncode == 0
    assert samples(run, perfpair, "piped") == LIMIT


def test_a_signal_ends_it_before(record, run, perfpair):
    done = record("--", "sh", "-c", "kill -TERM $PPID; exec sleep 9")
    assert done.returncode == -signal.SIGTERM
    assert "limit" not in done.stderr
    assert samples(run, perfpair, "t.data") < LIMIT


@pytest.mark.parametrize("args, what", [
    (["--max-samples", "0"], "--max-samples 0 would record nothing"),
    (["--max-samples", "some"], "--max-samples: 'some' is not a number"),
    (["--max-samples", "9", "-n"], "--max-samples with -n, which takes none"),
    (["--max-samples", "9", "--overwrite"],
     "--max-samples keeps the first samples, --overwrite the last"),
    (["--max-samples", "9", "-e", "cpu-clock/overwrite/"],
     "--max-samples keeps the first samples, --overwrite the last"),
])
def test_what_it_does_not_go_with(run, perfpair_record, args, what):
    done = run([perfpair_record, *args, "--", "true"])
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == f"perfpair-record: {what}"


def test_counts_have_no_samples(run, perfpair_record):
    done = run([perfpair_record, "stat", "--max-samples", "9", "true"])
    assert done.returncode != 0
    assert "unknown option '--max-samples'" in done.stderr
