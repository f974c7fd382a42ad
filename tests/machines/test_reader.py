"""The reader for arm64, run by qemu-user: it says of made files what the golden texts
say, and of perf's own recordings what the reader of this machine says."""

import lzma
import os
import shutil
import subprocess
import sys
import tarfile

import pytest

from common import ROOT
from golden import CASES, GEN, GOLDEN, command, timeless

pytestmark = [pytest.mark.builds, pytest.mark.slow]

BUILD_S = 3600
FROZEN = ROOT / "fixtures/frozen"
NAMES = ["--symfs", "root", "--kallsyms", "root/kallsyms"]
FIELDS = "comm,pid,tid,time,event,period,ip,sym,symoff,dso"
COMMANDS = [["script", "-F", FIELDS, *NAMES, "-i"],
            ["report", "--stdio", "-q", "-s", "comm,dso,sym", *NAMES, "-i"],
            ["report", "--stats", "-i"],
            ["report", "--header-only", "-I", "-i"],
            ["data", "convert", "--force", "--to-json", "/dev/stdout", "-i"],
            ["check"]]
RECORDINGS = ["compressed", "raw-tracepoint", "registers", "stack-copies",
              "scheduler-of-all-CPUs", "two-sample-types"]


@pytest.fixture(scope="module")
def arm64(tmp_path_factory):
    """What runs the reader of build_all.sh, with the libraries of Debian's arm64."""
    if not shutil.which("qemu-aarch64"):
        pytest.skip("qemu-user is not installed")
    done = subprocess.run([ROOT / "tests/tools/build_all.sh", "arm64"], text=True,
                          capture_output=True, timeout=BUILD_S)
    if done.stdout.startswith("skipped"):
        pytest.skip(done.stdout.splitlines()[0])
    assert done.returncode == 0, done.stdout
    debian = tmp_path_factory.mktemp("debian")
    (debian / "usr").mkdir()
    for folder in ("lib", "usr/lib"):  # not its /dev
        (debian / folder).symlink_to(ROOT / "build/all/debian12" / folder)
    return ["qemu-aarch64", "-L", debian, ROOT / "build/all/arm64/report/perfpair"]


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """A folder with the frozen recordings and what names them, and with made ones."""
    folder = tmp_path_factory.mktemp("read")
    with tarfile.open(FROZEN / "root.tar.xz") as tar:
        tar.extractall(folder / "root")
    for name in RECORDINGS:
        packed = FROZEN / f"recordings/{name}.data.xz"
        (folder / name).write_bytes(lzma.decompress(packed.read_bytes()))
    subprocess.run([sys.executable, "-B", GEN, folder], check=True)
    return folder


def said(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, HOME="/nonexistent", TZ="UTC", LC_ALL="C"))
    assert done.returncode == 0, done
    return timeless(done.stdout)


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("fixture, text", CASES)
def test_made_files_read_the_same(arm64, recordings, fixture, text, order):
    golden = (GOLDEN / f"{fixture}.{text}.txt").read_text()
    assert said([*arm64, *command(fixture, text, order)], recordings / "shown") == golden


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_recordings_read_the_same(arm64, perfpair, recordings, words):
    for name in RECORDINGS:
        here = said([perfpair, *words, name], recordings)
        assert here
        assert said([*arm64, *words, name], recordings) == here, name
