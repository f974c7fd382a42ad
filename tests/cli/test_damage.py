"""Damage costs what is damaged: the records behind it are shown, stderr says
where and how much, the exit code is 3."""

import subprocess
import sys

import pytest

from common import ROOT

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import make  # noqa: E402
import zstd_frame  # noqa: E402
from perf_data import Encoder  # noqa: E402

ATTR = make.attr_of(sample_type=1 | 2 | 4)
SAMPLE, ROUND, COMPRESSED = 9, 68, 81
E = Encoder(False)


def sample(nr):
    return E.record(SAMPLE, 2, E.words(0x401000) + E.pack("II", 5, 5)
                    + E.words(nr * 10 ** 9))


def samples(first, nr=5):
    return b"".join(sample(first + i) for i in range(nr))


def packed(payload):
    return E.record(COMPRESSED, 0, payload, False)


def whole_frame(plain):
    return packed(zstd_frame.head() + zstd_frame.raw(plain, True))


def endless(plains):
    """A COMPRESSED record for each, of one frame that never ends."""
    return [packed((b"" if i else zstd_frame.head()) + zstd_frame.raw(plain))
            for i, plain in enumerate(plains)]


def seconds(first, nr=5):
    return [f"{first + i}.000000" for i in range(nr)]


@pytest.fixture(params=["file", "pipe"])
def shown(request, perfpair, tmp_path):
    """data -> (times that script shows, stderr), where the exit code is 3."""
    def run(data):
        events = [(ATTR, (1,))]
        path = tmp_path / "damaged.data"
        path.write_bytes(E.plain_file(events, data) if request.param == "file"
                         else E.pipe_file(events, data))
        done = subprocess.run([perfpair, "script", "-F", "time", "-i", path],
                              capture_output=True, text=True)
        assert done.returncode == 3, done.stderr
        assert "at byte 0x" in done.stderr
        return [line.strip().rstrip(":") for line in done.stdout.split("\n")
                if line.strip()], done.stderr

    return run


def test_bytes_between_records(shown):
    times, text = shown(samples(1) + b"\xff" * 24 + samples(6))
    assert times == seconds(1, 10)
    assert "24 bytes passed over" in text


def test_a_record_that_says_it_has_no_length(shown):
    times, text = shown(samples(1) + E.pack("IHH", SAMPLE, 2, 0)
                        + sample(6)[8:] + samples(7))
    assert times == seconds(1) + seconds(7)
    assert "32 bytes passed over" in text


def test_a_frame_of_ours_that_is_damaged(shown):
    bad = bytearray(whole_frame(samples(6)))
    bad[14] = 0xff  # the block's type and length
    times, text = shown(whole_frame(samples(1)) + bytes(bad)
                        + whole_frame(samples(11)))
    assert times == seconds(1) + seconds(11)
    assert f"{len(bad)} bytes passed over" in text


def test_a_record_around_a_frame_that_has_no_length(shown):
    """The records behind it are found; those in it too, as its block is raw."""
    bad = bytearray(whole_frame(samples(6)))
    bad[6:8] = bytes(2)
    times, text = shown(whole_frame(samples(1)) + bytes(bad)
                        + whole_frame(samples(11)) + E.record(ROUND, 0, b"")
                        + samples(16) + E.record(ROUND, 0, b""))
    assert times == seconds(1, 20)
    assert f"{8 + 6 + 3} bytes passed over" in text  # up to the text


def test_a_stream_of_perf_that_is_damaged(shown):
    """What follows in it cannot be read; what is not compressed can."""
    parts = endless([samples(1), samples(6), samples(11), samples(16)])
    bad = bytearray(parts[1])
    bad[8] = 0xff  # the block's type and length
    times, text = shown(parts[0] + bytes(bad) + parts[2]
                        + E.record(ROUND, 0, b"") + samples(21) + parts[3])
    assert times == seconds(1) + seconds(21)
    lost = len(bad) + len(parts[2]) + len(parts[3])
    assert "the rest of its frame is lost" in text
    assert f"{lost} bytes in 3 places passed over" in text


def test_text_in_a_stream_that_is_damaged(shown):
    """The next record of the text is found."""
    bad = bytearray(samples(1, 12))
    bad[5 * 32 + 6:5 * 32 + 8] = bytes(2)  # the length of a record
    times, text = shown(b"".join(endless([bytes(bad[:100]), bytes(bad[100:]),
                                          samples(13)])))
    assert times == seconds(1) + seconds(7, 11)
    assert "32 bytes passed over" in text


def test_damaged_samples_are_told_by_the_first_in_the_file(perfpair, tmp_path):
    """Not by the first in time, which one of several threads meets."""
    def raw(time, raw_len):
        return E.record(SAMPLE, 2, E.words(0x401000) + E.pack("II", 5, 5)
                        + E.words(time) + E.pack("II", raw_len, 0))

    events = [(make.attr_of(sample_type=1 | 2 | 4 | 1 << 10), (1,))]
    path = tmp_path / "raw.data"
    path.write_bytes(E.plain_file(events, raw(9000, 96) + b"".join(
        raw(100 + i, 4) for i in range(3000)) + raw(5, 96)))
    first = len(E.plain_file(events, b""))
    for jobs in "123":
        done = subprocess.run([perfpair, "script", "-F", "time", "--jobs", jobs,
                               "-i", path], capture_output=True, text=True)
        assert done.stdout.count("\n") == 3000
        assert f"at byte {first + 36:#x}: sample ends" in done.stderr, jobs


def test_what_is_unknown_is_no_damage(perfpair, tmp_path):
    """A type of record and bits of an attr that nobody has yet."""
    path = tmp_path / "unknown.data"
    attr = make.attr_of(sample_type=1 | 2 | 4 | 1 << 40)
    attr["flags"] |= 1 << 60
    path.write_bytes(E.plain_file(
        [(attr, (1,))], samples(1) + E.record(40, 0, bytes(16))
        + E.record(200, 0, bytes(8)) + samples(6)))
    done = subprocess.run([perfpair, "script", "-F", "time", "-i", path],
                          capture_output=True, text=True)
    assert done.stdout.count(":") == 10


@pytest.mark.parametrize("option", ["--tasks", "--mmaps", "--stats"])
def test_a_report_that_needs_no_samples(perfpair, tmp_path, option):
    path = tmp_path / "damaged.data"
    path.write_bytes(E.plain_file([(ATTR, (1,))], samples(1) + b"\xff" * 24
                                  + samples(6)))
    done = subprocess.run([perfpair, "report", option, "-i", path],
                          capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr.count("at byte 0x") == 1
    assert "24 bytes passed over" in done.stderr
    assert "more such place" not in done.stderr
