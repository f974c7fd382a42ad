"""One bit of a recording of ours is another one: `check` says so, wherever it
is, or it changed nothing that anybody reads."""

import random
import subprocess

import pytest

FLIPS_NR = 100


@pytest.fixture(scope="module", params=["-z0", "-z1", "-z0 tracepoints",
                                        "-z1 tracepoints"])
def recording(request, tmp_path_factory, perfpair_record, may_record):
    path = tmp_path_factory.mktemp("flips") / "t.data"
    level, *kind = request.param.split()
    events = ["-e", "sched:sched_process_exec"] if kind else []
    subprocess.run([perfpair_record, "-q", "-o", path, level, *events, "-e",
                    "cpu-clock", "-g", "--", "sh", "-c", "ls /; ls /"],
                   check=True, stdout=subprocess.DEVNULL)
    return path.read_bytes()


def test_a_flipped_bit_is_found(recording, perfpair, tmp_path):
    draw = random.Random(len(recording))
    path = tmp_path / "t.data"

    def run(*command):
        return subprocess.run([perfpair, *command, "-i", path],
                              capture_output=True)

    path.write_bytes(recording)
    assert run("check").returncode == 0
    dumped = run("script", "-D").stdout
    for _ in range(FLIPS_NR):
        bit = draw.randrange(8 * len(recording))
        data = bytearray(recording)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        if run("check").returncode == 0:
            # zstd ignores some bits.
            assert run("script", "-D").stdout == dumped, f"bit {bit}"
