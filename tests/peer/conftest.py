"""The modules beside the peer tests are imported by their plain names."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from recordings import (both, kind, peer, perf_home, recipe_by_perf,  # noqa: E402, F401
                        recorded_by_perf, recorded_recipe, recording, set_pairs)
from remembered import answers, frozen, remembered  # noqa: E402, F401


def pytest_addoption(parser):
    parser.addoption("--ask-perf", action="store_true",
                     help="asks perf for fixtures/frozen/answers anew")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "recordings(SET..., of=NAMES, but=NAMES, fresh=True): sets of "
        "options, each with several recordings (recordings.py)")


    config.addinivalue_line(
        "markers", "cases([(NAME, ...)...]): each with the frozen recording of that "
        "name, some with a fresh one (recordings.py)")


def pytest_generate_tests(metafunc):
    set_pairs(metafunc)


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
