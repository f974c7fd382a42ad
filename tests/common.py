"""Where things are, for conftest.py and for tests that need it by name.

Not in conftest.py: each folder has one, and `import conftest` finds any."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"


def build_dir():
    """The build under test: PERFPAIR_BUILD, or the dev preset's."""
    return pathlib.Path(os.environ.get("PERFPAIR_BUILD", ROOT / "build" / "dev"))


def program(folder, name):
    path = build_dir() / folder / name
    if not path.exists():
        pytest.fail(f"{path} is not built")
    return str(path)
