"""perfpair export --format arrow as others read it: Arrow's own library in
JavaScript, arrow-rs, DuckDB, polars and ClickHouse (which has that of C++)."""

import collections
import subprocess

from arrow_table import Arrow
from common import program
from many_rows import many_rows


def test_readers_find_the_same_rows(arrow_reader, tmp_path):
    many_rows(tmp_path / "in.data")
    path = tmp_path / "out.arrows"
    subprocess.run([program("report", "perfpair"), "export", "--format",
                    "arrow", "-i", tmp_path / "in.data", "-o", path], check=True)
    arrow = Arrow(path.read_bytes())
    assert len(arrow.batches) > 1
    found = arrow_reader(path)
    assert found["rows"] == len(arrow.rows)
    for name in "period", "tid":
        assert int(found[name]) == sum(row[name] for row in arrow.rows)
    for name, counts in zip(("sym", "comm", "stack"), found["columns"]):
        assert counts == collections.Counter(
            row.get(name, "null") for row in arrow.rows), name


def test_readers_take_a_stream_without_rows(arrow_reader, tmp_path):
    many_rows(tmp_path / "in.data", rows_nr=0)
    path = tmp_path / "out.arrows"
    subprocess.run([program("report", "perfpair"), "export", "--format",
                    "arrow", "-i", tmp_path / "in.data", "-o", path], check=True)
    assert arrow_reader(path)["rows"] == 0
