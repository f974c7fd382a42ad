"""The generator in fixtures/gen and the reader agree on every record: both
wrote from FORMAT.md and share no code."""

import subprocess
import sys

import pytest

from common import ROOT, program

GEN = ROOT / "fixtures" / "gen" / "make.py"


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fixtures")
    subprocess.run([sys.executable, "-B", GEN, folder], check=True)
    return folder


def manifest_names():
    """Those of shown/ have golden texts instead (test_golden.py)."""
    lines = (ROOT / "fixtures" / "MANIFEST").read_text().splitlines()
    names = [line.split("\t")[0] for line in lines]
    return [name for name in names if not name.startswith("shown/")]


def test_manifest_is_what_the_generator_makes():
    if sys.byteorder != "little":
        pytest.skip("the checksums do not depend on it, but were made on "
                    "little endian")
    made = subprocess.run([sys.executable, "-B", GEN, "--manifest"],
                          check=True, capture_output=True, text=True).stdout
    assert made == (ROOT / "fixtures" / "MANIFEST").read_text()


@pytest.mark.parametrize("name", manifest_names())
def test_reader_and_generator_agree(name, generated):
    done = subprocess.run([program("tests", "pd_native"), generated / name],
                          capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout == (generated / f"{name}.expected").read_text()


@pytest.mark.parametrize("name", ["records-le.data", "records-be.pipe",
                                  "samples-be.data", "samples-le.pipe"])
def test_a_cut_file_never_ends_in_a_signal(name, generated, tmp_path):
    whole = (generated / name).read_bytes()
    cut = tmp_path / "cut.data"
    for length in range(0, len(whole), max(1, len(whole) // 150)):
        cut.write_bytes(whole[:length])
        done = subprocess.run([program("tests", "pd_native"), cut],
                              capture_output=True)
        assert done.returncode in (0, 1), length
