"""Fixtures of the tests of the page: a browser, and pages to show in it."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import encode_page  # noqa: E402
import made_samples  # noqa: E402
from shown_page import ROOT, Shown, join_viewer, open_chromium  # noqa: E402

@pytest.fixture(scope="session")
def viewer(tmp_path_factory):
    return join_viewer(tmp_path_factory.mktemp("viewer"))


@pytest.fixture(scope="session")
def npm_tools():
    """The folder of the npm packages that tests use, or the test is skipped."""
    folder = ROOT / "build/npm"
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    if not (folder / "node_modules/axe-core").exists():
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, "typescript@5",
                               "axe-core@4"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            pytest.skip("npm installs nothing here: " + done.stdout.strip()[-100:])
    return folder / "node_modules"


@pytest.fixture(scope="session")
def chromium():
    """One headless browser for all tests."""
    browser = open_chromium()
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def make_page(chromium, viewer, tmp_path_factory):
    """Makes a page of samples and shows it."""
    folder = tmp_path_factory.mktemp("pages")
    pages = []

    def make(samples, **head):
        encoder = encode_page.Encoder(samples, **head)
        path = folder / f"{len(pages)}.html"
        path.write_text(encode_page.page(*viewer, encoder))
        pages.append(path)
        return Shown(chromium, path, encoder)

    return make


@pytest.fixture(scope="session")
def made(make_page):
    """The page of the samples by seed, with losses and warnings."""
    return make_page(
        made_samples.samples(), bins=500, title="made <b>samples</b>", recordings=[[["host", "<i>vm</i>"]]],
        warnings=["2 stacks were cut"], left_out={"nodes": 0, "samples": 0},
        losses=[{"bin": 100, "bins": 20, "cpu": 2, "samples": 40}, {"bin": 300, "bins": 5, "cpu": -1, "samples": 2}])


@pytest.fixture(scope="session")
def coded(make_page):
    """The page of the samples by seed, with instructions of three functions and
    the source of two."""
    samples = made_samples.samples()
    functions = [f for f in made_samples.USERS + made_samples.LIBRARY if f.name in ("recurse", "leaf", "malloc")]
    lines = {n: f"\twork(step_{n}, size);\t// line {n}" for n in range(60, 110)}
    return make_page(samples, bins=500, code=made_samples.listings(samples, functions), sources={"work.c": lines},
                     cut_code={"left_out": ["free"], "problems": [["memcpy", "/usr/lib/libc.so.6 is another build"]]})


@pytest.fixture(scope="session")
def artefacts():
    folder = pathlib.Path(os.environ.get("PAGE_SHOTS", ROOT / "build/results/page"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
