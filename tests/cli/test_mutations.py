"""Every command over recordings cut at each length and with each byte changed,
under ASan and UBSan: tests/tools/mutate.c."""

import concurrent.futures
import os
import subprocess
import sys

import pytest

from common import ROOT

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import make  # noqa: E402

MUTATE = ROOT / "build" / "asan" / "tests" / "mutate"
# each place, or each so many of the longer ones
STEPS = {"records-le.data": 1, "records-be.pipe": 3, "samples-be.data": 5,
         "samples-le.pipe": 5, "attr64-be.data": 1, "attr144-le.data": 1,
         "compressed-endless-le.data": 1, "compressed-frames-be.data": 3,
         "compressed-nothing-le.pipe": 7, "compressed-second-le.data": 3}
# what a run frees need not be kept from the next one
OPTIONS = "quarantine_size_mb=4:detect_stack_use_after_return=0"


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """{name: (exit code, text)}"""
    if not MUTATE.exists():
        pytest.skip(f"{MUTATE} is not built; tests/run.sh does")
    folder = tmp_path_factory.mktemp("mutations")
    env = dict(os.environ, ASAN_OPTIONS=OPTIONS, HOME=str(folder))

    def run(name):
        return name, subprocess.run(
            [MUTATE, "-s", str(STEPS[name]), folder / name],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", env=env)

    for name, data, _, _ in make.fixtures():
        if name in STEPS:
            (folder / name).write_bytes(data)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {name: (done.returncode, done.stdout)
                for name, done in pool.map(run, STEPS)}


@pytest.mark.parametrize("name", STEPS)
def test_an_answer_or_an_error_each_time(told, name):
    code, text = told[name]
    assert code == 0, text
    assert int(text.split()[0]) > 1000
