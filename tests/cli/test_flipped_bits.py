"""One bit of a recording of ours is another one: `check` says so, wherever it
is, or it changed nothing that anybody reads; and who reads it says how many
samples are missing."""

import random
import struct
import subprocess

import pytest

FLIPS_NR = 100


@pytest.fixture(scope="module", params=["-z0", "-z1", "-z0 tracepoints",
                                        "-z1 tracepoints", "-z0 repaired",
                                        "-z1 repaired"])
def recording(request, tmp_path_factory, perfpair_record, perfpair, may_record):
    path = tmp_path_factory.mktemp("flips") / "t.data"
    level, *kind = request.param.split()
    events = ["-e", "sched:sched_process_exec"] if "tracepoints" in kind else []
    subprocess.run([perfpair_record, "-q", "-o", path, level, *events, "-e",
                    "cpu-clock", "-g", "--", "sh", "-c", "ls /; ls /"],
                   check=True, stdout=subprocess.DEVNULL)
    if "repaired" in kind:
        subprocess.run([perfpair, "repair", "-q", "-f", path, "-o", path],
                       check=True)
    return path.read_bytes()


def test_a_flipped_bit_is_found(recording, perfpair, tmp_path):
    draw = random.Random(len(recording))
    path = tmp_path / "t.data"

    def run(*command):
        return subprocess.run([perfpair, *command, "-i", path],
                              capture_output=True)

    path.write_bytes(recording)
    whole = run("check")
    assert whole.returncode == 0
    assert b"not checked" not in whole.stdout
    dumped = run("script", "-D").stdout
    for _ in range(FLIPS_NR):
        bit = draw.randrange(8 * len(recording))
        data = bytearray(recording)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        if run("check").returncode == 0:
            # zstd ignores some bits.
            assert run("script", "-D").stdout == dumped, f"bit {bit}"


READERS = [["report"], ["report", "--time", "50%-100%"],
           ["report", "--stats"], ["script"],
           ["data", "convert", "--force", "--to-json", "/dev/null"]]


def samples_of(data):
    """Where the samples of a plain file are."""
    at, length = struct.unpack_from("<QQ", data, 40)
    end = at + length
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == 9:
            yield at
        at += length


@pytest.mark.parametrize("command", READERS, ids=lambda c: " ".join(c[:2]))
def test_missing_samples_are_told(recording, perfpair, tmp_path, command):
    samples = list(samples_of(recording))
    if not samples:
        pytest.skip("its samples are compressed")
    data = bytearray(recording)
    for at in samples[:2]:
        data[at] ^= 0x40
    path = tmp_path / "t.data"
    path.write_bytes(data)
    done = subprocess.run([perfpair, *command, "-i", path],
                          capture_output=True, text=True)
    assert f"2 of {len(samples)} samples are missing" in done.stderr
    assert done.returncode == 3


@pytest.mark.parametrize("command", [["report"], ["script"], ["evlist"],
                                     ["report", "--stats"]],
                         ids=lambda c: " ".join(c))
def test_a_recording_that_was_killed_is_told(recording, perfpair, tmp_path,
                                             command):
    """As a kill right after a checkpoint leaves it: nothing but the data."""
    at, length = struct.unpack_from("<QQ", recording, 40)
    has_formats = recording[72] & 2
    data = bytearray(recording[:at + length])
    if has_formats:
        pytest.skip("the table entry of formats tells it")
    data[72:104] = bytes(32)
    path = tmp_path / "t.data"
    path.write_bytes(data)
    done = subprocess.run([perfpair, *command, "-i", path],
                          capture_output=True, text=True)
    assert "the recording was not closed" in done.stderr
    assert done.returncode == 3
