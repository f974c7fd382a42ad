"""The modules beside the peer tests are imported by their plain names."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from recordings import both, perf_home, recording  # noqa: E402, F401


@pytest.fixture(scope="session")
def perfpair():
    """perfpair with --raw-addresses, for perf's rows."""
    return str(pathlib.Path(__file__).resolve().parent / "raw_perfpair")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """An environment with one HOME for recording and reporting: perf names the
    vdso only out of the cache that its recorder fills."""
    return dict(os.environ, HOME=str(tmp_path_factory.mktemp("home")),
                TZ="UTC", LC_ALL="C", PAGER="cat")
