"""Fixtures of the tests of fleets: databases and a browser.  Makes tests/common.py
and tests/page/shown_page.py importable by their plain names."""

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "page")]

from common import ROOT  # noqa: E402
from servers import started  # noqa: E402
from shown_page import open_chromium  # noqa: E402


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    at, = started(tmp_path_factory.mktemp("server"), 1)
    yield at
    at.stop()


@pytest.fixture(scope="module")
def duckdb_modules(tmp_path_factory):
    """A folder with npm's @duckdb/node-api, or the test is skipped."""
    folder = ROOT / "build/npm-duckdb"
    if not (folder / "node_modules/@duckdb/node-api").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"name": "none"}')
        try:
            done = subprocess.run(["npm", "install", "--no-audit",
                                   "--no-fund", "@duckdb/node-api"],
                                  cwd=folder, capture_output=True, text=True,
                                  timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"no npm package @duckdb/node-api: {error}")
        if done.returncode:
            pytest.skip("no npm package @duckdb/node-api: "
                        + done.stderr[-200:])
    return folder


@pytest.fixture
def duckdb(duckdb_modules, monkeypatch, tmp_path):
    """duckdb(FLEET): words of a client of a database that has the fleet."""
    monkeypatch.setenv("DUCKDB_MODULES", str(duckdb_modules))
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
