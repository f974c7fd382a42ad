"""Fixtures of the tests of fleets: databases and a browser.  Makes tests/common.py
and tests/page/shown_page.py importable by their plain names."""

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


@pytest.fixture(scope="module")
def chromium():
    browser = open_chromium()
    yield browser
    browser.quit()
