"""Fixtures of the tests of fleets: databases and a browser.  Makes tests/common.py
and tests/page/shown_page.py importable by their plain names."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "page")]

from common import ROOT  # noqa: E402
from servers import NEWER, Newer, npm_modules, started  # noqa: E402
from shown_page import open_chromium  # noqa: E402


@pytest.fixture(scope="session")
def start_servers():
    """start_servers(FOLDER, NR): servers of ClickHouse, a cluster if several."""
    return started


@pytest.fixture(scope="module")
def debian(start_servers, tmp_path_factory):
    at, = start_servers(tmp_path_factory.mktemp("server"), 1)
    yield at
    at.stop()


@pytest.fixture(scope="module")
def newer(tmp_path_factory):
    at = Newer(tmp_path_factory.mktemp("newer"))
    yield at
    at.stop()


@pytest.fixture(scope="module", params=["debian", NEWER])
def server(request):
    """ClickHouse 18.16 of Debian 12, and one of its newer versions."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def duckdb(monkeypatch, tmp_path):
    """duckdb(FLEET): words of a client of a database that has the fleet."""
    monkeypatch.setenv("DUCKDB_MODULES",
                       str(npm_modules("@duckdb/node-api")))
    client = ["node", ROOT / "tests/fleet/duckdb.mjs", tmp_path / "fleet.db"]

    def load(fleet):
        subprocess.run(client, cwd=fleet.folder, check=True,
                       input=(ROOT / "report/fleet/duckdb.sql").read_bytes())
        return ["--engine", "duckdb", "--", *client]
    return load


# What npm has of each reader; the last three are hundreds of MB.
ARROW_READERS = {
    "js": ["apache-arrow"], "rust": ["parquet-wasm", "apache-arrow"],
    "duckdb": ["@duckdb/duckdb-wasm"],
    "polars": ["nodejs-polars", "nodejs-polars-linux-x64-gnu"],
    "clickhouse": ["chdb"]}


@pytest.fixture(params=["js", "rust"] + [
    pytest.param(name, marks=pytest.mark.slow)
    for name in ("duckdb", "polars", "clickhouse")])
def arrow_reader(request):
    """arrow_reader(FILE): what one of the readers says of an Arrow stream."""
    folder = npm_modules(*ARROW_READERS[request.param])

    def read(path):
        done = subprocess.run(
            ["node", ROOT / "tests/fleet/arrow_readers.mjs", request.param,
             path], env={**os.environ, "ARROW_MODULES": str(folder)},
            capture_output=True, text=True)
        if "Cannot find module" in done.stderr:
            pytest.skip(f"{request.param}: {done.stderr[-200:]}")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    return read


@pytest.fixture(scope="module")
def chromium():
    browser = open_chromium()
    yield browser
    browser.quit()
