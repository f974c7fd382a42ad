"""A fault of each kind of tools/fault_trial.py, always the same ones, with the rights of
the systemd unit; hundreds are for a change of the recorder that matters, by hand."""

import subprocess
import sys

import pytest

from common import ROOT, build_dir


@pytest.mark.slow
def test_fault_trial__a_fault_of_each_kind(perfpair_record, perfpair, perf, may_record,
                                           may_unshare, run):
    if run(["losetup", "-f"]).returncode:
        pytest.skip("there are no loop devices here")
    # takes the lock of those that record
    subprocess.run([perfpair_record, "--version"], check=True, stdout=subprocess.DEVNULL)
    done = run([sys.executable, ROOT / "tests/tools/fault_trial.py", "--seed", "34",
                "--faults", "9", "--unit", "--build", build_dir()])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n9 faults, " in done.stdout
