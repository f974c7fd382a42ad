"""perfpair export --format otlp: what protoc decodes, against report."""

import collections
import json
import shutil
import subprocess

import pytest

from otlp_profile import Otlp
from test_export import (CORPUS, export, generated, is_address, own, perfpair,
                         pprof, recorded, report_rows)

pytestmark = pytest.mark.skipif(not shutil.which("protoc"),
                                reason="no protoc (protobuf-compiler)")
__all__ = ["generated", "recorded"]


def otlp(path, folder, *options):
    return Otlp(export(path, "otlp", *options), folder)


def check(path, folder, *options):
    """Totals of each event, and each named function's own period, against
    report's rows; all stacks against pprof's."""
    profile = otlp(path, folder, *options)
    counts = pprof(path, *options)
    shown = [name for name, _ in counts.types[1::2]]
    rows = report_rows(path, *options)
    assert [name for name, _ in profile.types()[::2]] == shown
    assert profile.types() == [
        pair for samples, periods in zip(counts.types[::2], counts.types[1::2])
        for pair in (periods, samples)]
    for i, name in enumerate(shown):
        period, of_rows = rows[name]
        stacks = profile.stacks(2 * i)
        assert sum(stacks.values()) == sum(of_rows.values())
        assert options or sum(stacks.values()) == period
        for (comm, symbol), value in of_rows.items():
            if not is_address(symbol) and not symbol.startswith("["):
                assert own(stacks)[comm, symbol] == value
        assert stacks == counts.stacks(2 * i + 1)
        assert profile.stacks(2 * i + 1) == counts.stacks(2 * i)
    return profile


def test_generated_files(generated, tmp_path):
    for path in sorted(generated.glob("*-le.data")):
        check(path, tmp_path)


@pytest.mark.parametrize("path", sorted(
    p.relative_to(CORPUS) for p in CORPUS.glob("files/*/*.data")
    if p.is_file() and p.stat().st_size < 1 << 20), ids=str)
def test_corpus(path, tmp_path):
    check(CORPUS / path, tmp_path)


def test_recorded(recorded, tmp_path):
    profile = check(recorded, tmp_path)
    assert profile.types() == [("cpu-clock", "nanoseconds"),
                               ("samples", "count")]
    assert profile.profiles[0]["duration"][0] > 0
    assert profile.scope["name"] == ["perfpair"]
    only = check(recorded, tmp_path, "--comms", "ls")
    assert {names[0] for names in only.stacks(0)} == {"ls"}


def test_files_and_frames(recorded, tmp_path):
    profile = otlp(recorded, tmp_path)
    assert profile.files() == {name: build_id for name, build_id in
                               pprof(recorded).files.values() if name}
    kinds = collections.Counter()
    for location in profile.tables["locations"][1:]:
        file = profile.text(profile.tables["mappings"][
            location["mapping"][0] if location["mapping"] else 0], "filename")
        kinds[file.startswith("[kernel"), profile.attributes_of(location).get(
            "profile.frame.type")] += 1
    assert kinds[True, "kernel"] and kinds[False, "native"]
    assert not kinds[True, "native"]


def test_labels(recorded, tmp_path):
    profile = otlp(recorded, tmp_path, "--labels", "pid,tid,cpu,host")
    by_cpu = collections.Counter()
    of_task, others = {"process.pid", "thread.id"}, {"cpu.logical_number", "host.name"}
    seen = set()
    for sample in profile.profiles[0]["samples"]:
        attributes = profile.attributes_of(sample)
        # a task that has exited, and still has to switch away, has no tid
        assert set(attributes) | of_task == of_task | others
        seen.update(attributes)
        by_cpu[attributes["cpu.logical_number"]] += sample["values"][0]
    text = perfpair("report", "-i", recorded, "--format", "json", "-s", "cpu",
                    "--no-children").stdout
    assert by_cpu == {int(row["cpu"]): row["period"] for row in
                      json.loads(text)["events"][0]["rows"]}
    assert seen == of_task | others
    assert 0 in by_cpu  # an attribute whose value is the default
    processes = otlp(recorded, tmp_path, "--labels", "process")
    assert "ls" in {processes.attributes_of(sample)["process.executable.name"]
                    for sample in processes.profiles[0]["samples"]}
    bare = otlp(recorded, tmp_path, "--labels", "none")
    assert not any(s["attributes"] for s in bare.profiles[0]["samples"])


def test_addresses(recorded, tmp_path):
    profile = otlp(recorded, tmp_path, "-g", "address")
    assert all(location["address"] for location in profile.tables["locations"]
               if location["mapping"])
    assert own(profile.stacks(0)) == own(otlp(recorded, tmp_path).stacks(0))


def test_names_that_are_no_utf8(perfpair_record, may_record, tmp_path):
    """protoc complains of a string that is no UTF-8."""
    program = tmp_path.joinpath(b"\xff\xc3(\xe2".decode(errors="surrogateescape"))
    shutil.copy("/bin/dd", program)

    subprocess.run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "9999",
                    "-o", tmp_path / "t.data", "--", program, "if=/dev/zero",
                    "of=/dev/null", "bs=1", "count=200000"],
                   check=True, capture_output=True)
    profile = otlp(tmp_path / "t.data", tmp_path)
    assert {names[0] for names in profile.stacks(0)} == {r"\xff\xc3(\xe2"}
    assert str(tmp_path / r"\xff\xc3(\xe2") in profile.files()
