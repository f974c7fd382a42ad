"""-s unit: what runs in a control group, by its path."""

import json

import pytest

import made_file  # noqa: F401  fixtures/gen is found by it
from perf_data import Encoder
from shown import PLAIN, attr_of, ident

E = Encoder(False)
ID = "0123456789abcdef" * 4
PATHS = {
    1: f"/docker/{ID}",
    2: f"/system.slice/docker-{ID}.scope",
    3: "/system.slice/nginx.service",
    4: "/system.slice/nginx.service/workers",
    5: "/user.slice/user-1000.slice/user@1000.service/app.slice/app-a\\x2db-42.scope",
    6: "/plain",
}
SAMPLES = [1, 2, 2, 3, 4, 5, 6, 7, 0]


def recording():
    attr = attr_of(sample_type=PLAIN | 1 << 21)
    data = E.record(3, 0, E.pack("II", 100, 100) + b"fixture\0"
                    + E.trailer(attr, ident(0)))
    for group, path in PATHS.items():
        raw = path.encode() + b"\0"
        data += E.record(19, 0, E.words(group) + raw + bytes(-len(raw) % 8)
                         + E.trailer(attr, ident(0)))
    for nr, group in enumerate(SAMPLES):
        data += E.sample(attr, ident(nr, pid=100, tid=100, cgroup=group))
    return E.plain_file([(attr, (7,))], data)


@pytest.fixture
def rows(run, perfpair, tmp_path):
    def rows(keys, *inputs):
        (tmp_path / "u.data").write_bytes(recording())
        (tmp_path / "v.data").write_bytes(recording())
        words = [word for path in inputs for word in ("-i", path)]
        done = run([perfpair, "report", *words, "--format", "json", "-s", keys])
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["events"][0]["rows"]
    return rows


@pytest.mark.parametrize("inputs", [("u.data",), ("u.data", "v.data")])
def test_units_are_rows(rows, inputs):
    """Two groups of one container, or of one service, are one."""
    assert {row["unit"]: row["samples"] for row in rows("unit", *inputs)} == {
        name: nr * len(inputs) for name, nr in {
            "container 0123456789ab": 3, "nginx.service": 2, "N/A": 2,
            "app-a\\x2db-42.scope": 1, "/plain": 1}.items()}


def test_units_beside_groups(rows):
    assert sorted((row["unit"], row["cgroup"]) for row in rows("unit,cgroup", "u.data")
                  if row["unit"] == "nginx.service") == [
        ("nginx.service", PATHS[3]), ("nginx.service", PATHS[4])]
