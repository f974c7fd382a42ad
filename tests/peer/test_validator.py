"""What perfpair-record writes keeps the newest perf's stricter rules; and the
validator that says so does find what is wrong."""

import struct

import pytest

from perf_data_validator import validate

RECORDINGS = {
    "clock": ["-e", "cpu-clock", "-g"],
    "plain": ["-z0", "-e", "{cpu-clock,page-faults}:S"],
    "two": ["-e", "cpu-clock", "-e", "page-faults", "-d"],
    "dwarf": ["-e", "cpu-clock", "--call-graph", "dwarf"],
    "everywhere": ["-a", "-e", "cpu-clock", "-e", "context-switches"],
}
WORK = ["--", "find", "/usr/share/doc", "-name", "x*"]


@pytest.fixture
def record(run, perfpair_record, may_record, tmp_path):
    def to_file(*options):
        done = run([perfpair_record, "-q", "-o", tmp_path / "rec.data",
                    *options, *WORK])
        assert done.returncode == 0, done.stderr
        return tmp_path / "rec.data"
    return to_file


@pytest.mark.parametrize("name", RECORDINGS)
def test_recording_keeps_the_rules(name, record):
    assert validate(record(*RECORDINGS[name])) == []


def test_tracepoints_keep_the_rules(record, may_trace):
    assert validate(record("-e", "sched:sched_switch", "-R")) == []


def test_pipe_keeps_the_rules(run, perfpair_record, may_record, tmp_path):
    with open(tmp_path / "pipe.data", "wb") as out:
        done = run([perfpair_record, "-q", "-o", "-", "-e", "cpu-clock",
                    "--", "true"], stdout=out)
    assert done.returncode == 0, done.stderr
    assert validate(tmp_path / "pipe.data") == []


def changed(path, offset, value):
    data = bytearray(path.read_bytes())
    data[offset:offset + len(value)] = value
    path.write_bytes(data)
    return validate(path)


def test_validator_finds_what_is_wrong(record):
    path = record("-e", "cpu-clock")
    whole = path.read_bytes()
    data_off, data_len = struct.unpack_from("=QQ", whole, 40)
    table = data_off + data_len
    before = bin(struct.unpack_from("=Q", whole, 72)[0] & 0b111).count("1")

    assert "feature 27: mmap_len 4095" in changed(
        path, data_off + 16 + 16, struct.pack("=I", 4095))
    path.write_bytes(whole)
    assert "attr and data sections overlap" in changed(
        path, 24, struct.pack("=Q", data_off))
    path.write_bytes(whole)
    assert any("feature 3" in text for text in changed(
        path, table + 16 * before + 8, struct.pack("=Q", 3)))
    path.write_bytes(whole)
    assert any("of 4 bytes" in text for text in changed(
        path, data_off + 6, struct.pack("=H", 4)))
    path.write_bytes(whole[:table - 3])
    assert validate(path) == ["a section goes beyond the file"]
