"""Every command over recordings cut at each length and with each byte changed,
under ASan and UBSan: tests/tools/mutate.c."""

import concurrent.futures
import os
import subprocess
import sys

import pytest

from common import ROOT

pytestmark = pytest.mark.builds

GEN = ROOT / "fixtures" / "gen" / "make.py"
# both have the sanitizers
MUTATE = next((path for path in (ROOT / "build/fuzz/tests/mutate",
                                 ROOT / "build/asan/tests/mutate")
               if path.exists()), ROOT / "build/asan/tests/mutate")
# With run.sh --slow each place, or each so many of the longer ones, which takes
# four minutes of both CPUs and much longer beside other work; else a ninth of them.
STEPS = {"records-le.data": 1, "records-be.pipe": 5, "samples-be.data": 7,
         "samples-le.pipe": 7, "attr64-be.data": 1, "attr144-le.data": 1,
         "compressed-endless-le.data": 2, "compressed-frames-be.data": 5,
         "compressed-nothing-le.pipe": 7, "compressed-second-le.data": 5,
         "shown/features-le.data": 3, "shown/memory-be.data": 3,
         "shown/stat-be.data": 3, "shown/text-poke-le.data": 3,
         "shown/version1-be.data": 1, "shown/regs-x86_64-le.data": 3}
# what a run frees need not be kept from the next one
OPTIONS = "quarantine_size_mb=4:detect_stack_use_after_return=0"


COARSER = 9  # odd: each byte of a word has its turn


def mutations(tmp_path_factory, coarser):
    """{name: (exit code, text)}"""
    if not MUTATE.exists():
        pytest.skip(f"{MUTATE} is not built; tests/run.sh does")
    folder = tmp_path_factory.mktemp("mutations")
    env = dict(os.environ, ASAN_OPTIONS=OPTIONS, HOME=str(folder))

    def run(name):
        return name, subprocess.run(
            [MUTATE, "-s", str(STEPS[name] * coarser), folder / name],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", env=env)

    subprocess.run([sys.executable, "-B", GEN, folder], check=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {name: (done.returncode, done.stdout)
                for name, done in pool.map(run, STEPS)}


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    return mutations(tmp_path_factory, COARSER)


@pytest.fixture(scope="session")
def told_of_all(tmp_path_factory):
    return mutations(tmp_path_factory, 1)


@pytest.mark.parametrize("name", STEPS)
def test_an_answer_or_an_error_each_time(told, name):
    code, text = told[name]
    assert code == 0, text
    assert text.endswith(" runs\n") and int(text.split()[0]) > 500


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_an_answer_or_an_error_at_all_places(told_of_all, name):
    code, text = told_of_all[name]
    assert code == 0, text
    assert text.endswith(" runs\n") and int(text.split()[0]) > 5000
