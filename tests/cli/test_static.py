"""perfpair-record as one static file, for this machine and for arm64."""

import platform
import shutil
import subprocess

import pytest

from common import ROOT

BUILD_S = 1800

pytestmark = pytest.mark.builds


def built(arch):
    """The path of the static program; the test skips where what it needs is
    not here."""
    if arch != platform.machine() and \
            not shutil.which(f"{arch}-linux-gnu-gcc"):
        pytest.skip(f"gcc-{arch}-linux-gnu is not installed")
    done = subprocess.run([ROOT / "cross/static.sh", arch], text=True,
                          capture_output=True, timeout=BUILD_S)
    if done.returncode and "apt" in done.stderr:
        pytest.skip("the libraries for arm64 cannot be fetched: "
                    + done.stderr[-200:])
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def static_recorder():
    return built(platform.machine())


def test_static_for_this_machine(run, may_record, perf, static_recorder, tmp_path):
    needed = run(["readelf", "-d", "-l", static_recorder]).stdout
    assert "NEEDED" not in needed and "INTERP" not in needed
    done = run([static_recorder, "-q", "-a", "-e", "cpu-clock", "-o", "t.data",
                "--duration", "300ms"])
    assert (done.returncode, done.stderr) == (0, "")
    script = run([perf, "script", "-i", "t.data"])
    assert (script.returncode, script.stderr) == (0, "")
    done = run([static_recorder, "-e", "cpu-clock", "-o", "s.data", "true"], env={})
    assert done.returncode == 0, done.stderr


@pytest.fixture
def arm64(run):
    if not shutil.which("qemu-aarch64"):
        pytest.skip("qemu-user is not installed")
    program = built("aarch64")
    return lambda *args: run(["qemu-aarch64", program, *args])


def test_static_for_arm64(arm64):
    """As far as it goes without a kernel of its own: qemu-user has no perf
    events."""
    assert arm64("--help").stdout.startswith("usage: perfpair-record ")
    done = arm64("-e", "cpu-clock", "-Iax", "true")
    assert done.returncode == 2
    assert "aarch64 has no register 'ax'" in done.stderr
    done = arm64("-e", "{cpu-clock,page-faults}:S", "-Ix0,pc", "-o", "t.data",
                 "true")
    assert done.returncode == 255
    assert done.stderr.startswith("perfpair-record: ")
