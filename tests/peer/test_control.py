"""--control and -D: the same commands, answers, lines on stderr and exit status
as perf record, in the same order."""

import os
import select
import signal
import subprocess

import pytest

from common import RECORD

ACK, NAK = b"ack\n\0", b"nak\n\0"


def converse(program, commands, tmp_path, *args):
    """What is answered to each command; the lines on stderr but for the
    summary; the status."""
    for name in ("ctl", "ack"):
        os.mkfifo(tmp_path / name)
    control = os.open(tmp_path / "ctl", os.O_RDWR)
    ack = os.open(tmp_path / "ack", os.O_RDWR | os.O_NONBLOCK)
    with open(tmp_path / "stderr", "w+") as stderr:
        recorder = subprocess.Popen(
            [*program, "--control", "fifo:ctl,ack", "-o", "t.data", *args],
            cwd=tmp_path, stderr=stderr)
        try:
            answers = []
            for command in commands:
                os.write(control, command.encode() + b"\n")
                ready = select.select([ack], [], [], 20)[0]
                answers.append(os.read(ack, 64) if ready else None)
            status = recorder.wait(60)
        finally:
            recorder.kill()
            recorder.wait()
            os.close(control)
            os.close(ack)
            for name in ("ctl", "ack"):
                (tmp_path / name).unlink()
        stderr.seek(0)
        said = [line.rstrip("\n") for line in stderr
                if line.strip() and not line.startswith("[ ")]
    return answers, said, status


@pytest.fixture
def both(perf, perfpair_record, may_record, tmp_path):
    programs = {"perf": [perf, *RECORD, "-B", "-N"],
                "ours": [perfpair_record]}
    return lambda commands, *args: {
        name: converse(program, commands, tmp_path, *args)
        for name, program in programs.items()}


@pytest.mark.parametrize("commands, status", [
    (["ping", "enable", "disable", "stop"], -signal.SIGTERM),
    (["evlist", "evlist -g", "evlist -F", "evlist -vg", "evlist x", "stop"],
     -signal.SIGTERM),
    (["enable cpu-clock", "disable cpu-clock", "enable nope", "enabled",
      "disable ", "stop"], -signal.SIGTERM),
])
def test_commands_are_answered_as_by_perf(both, commands, status):
    found = both(commands, "-D", "-1", "-e", "{cpu-clock,page-faults}:S,cs",
                 "--", "sleep", "60")
    assert found["ours"] == found["perf"]
    assert found["ours"][0] == [ACK] * len(commands)
    assert found["ours"][2] == status


def test_stop_of_a_recording_of_all_cpus(both):
    found = both(["ping", "stop"], "-a", "-e", "cpu-clock")
    assert found["ours"] == found["perf"] == ([ACK, ACK], [], 0)


def test_unknown_command_is_said_and_refused(perfpair_record, may_record,
                                                  tmp_path):
    """perf gives no answer, which leaves whoever waits in the dark."""
    answers, said, _ = converse(
        [perfpair_record], ["frobnicate", "ping", "stop"], tmp_path, "-a", "-e",
        "cpu-clock")
    assert answers == [NAK, ACK, ACK]
    assert said == ["failed: 'frobnicate' is no command"]


def test_descriptors_instead_of_fifos(perfpair_record, may_record, tmp_path):
    command, ack = os.pipe(), os.pipe()
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-a", "-e", "cpu-clock", "-o", "t.data",
         "--control", f"fd:{command[0]},{ack[1]}"], cwd=tmp_path,
        pass_fds=[command[0], ack[1]])
    os.write(command[1], b"ping\n")
    assert os.read(ack[0], 64) == ACK
    os.write(command[1], b"stop\n")
    assert recorder.wait(60) == 0
    for fd in (*command, *ack):
        os.close(fd)


def samples(run, perf, tmp_path):
    done = run([perf, "script", "-i", tmp_path / "t.data", "-F", "time"])
    assert done.returncode == 0
    return len(done.stdout.splitlines())


def test_nothing_is_sampled_while_events_are_off(perfpair_record, may_record,
                                                 workload, perf, run,
                                                 tmp_path):
    """Off, on for a while, off: the maps of what came while it was off are
    known all the same."""
    answers, said, _ = converse(
        [perfpair_record], ["enable", "disable", "stop"], tmp_path, "-D",
        "-1", "-e", "cpu-clock", "--", "sh", "-c",
        "while :; do /bin/true; done")
    assert answers == [ACK] * 3
    assert said == ["Events disabled", "Events enabled", "Events disabled"]
    script = run([perf, "script", "-i", "t.data", "-F", "comm,ip,sym,dso",
                  "--show-mmap-events"])
    assert "PERF_RECORD_MMAP2" in script.stdout


@pytest.mark.parametrize("option, said, status", [
    ("10-20,30-40", ["Events disabled"] + ["Events enabled",
                                           "Events disabled"] * 2, 143),
    ("10", ["Events disabled", "Events enabled"], 0),
    ("-1", ["Events disabled"], 0),
])
def test_delay_says_what_perf_says(run, perf, perfpair_record, may_record,
                                   option, said, status):
    found = []
    for program in ([perf, *RECORD, "-B", "-N"], [perfpair_record]):
        done = run([*program, "-e", "cpu-clock", "-o", "t.data", "-D", option,
                    "sleep", "0.3"])
        found.append(([line for line in done.stderr.splitlines()
                       if line and not line.startswith("[ ")],
                      done.returncode % 256 if done.returncode >= 0
                      else 128 - done.returncode))
    assert found[0] == found[1] == (said, status)


def test_delay_ranges_bound_the_samples(run, perf, perfpair_record, may_record,
                                        tmp_path):
    done = run([perfpair_record, "-q", "-e", "cpu-clock", "-F", "1000", "-o",
                "t.data", "-D", "100-300,600-800", "--", "sh", "-c",
                "while :; do :; done"])
    assert done.returncode == -signal.SIGTERM
    script = run([perf, "script", "-i", "t.data", "-F", "time"])
    times = [float(line.strip(" :")) for line in script.stdout.splitlines()]
    gaps = [b - a for a, b in zip(times, times[1:])]
    assert 0.25 < max(gaps) < 0.6
    assert 0.5 < times[-1] - times[0] < 1.5
