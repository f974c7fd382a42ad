"""The two Debian packages, as dpkg-buildpackage makes them of debian/.  What
needs a machine of its own, to install and remove them, is in
tests/tools/bare_debian.sh."""

import os
import os
import re
import shutil
import subprocess

import pytest

from common import ROOT

BUILD_S = 900

pytestmark = pytest.mark.builds
# What dpkg-buildpackage takes for granted (build-essential).
ESSENTIAL = {"gcc", "libc6-dev"}


@pytest.fixture(scope="module")
def packages():
    """The folder with what was built, in a minute and a half (changed.py: COSTLY)."""
    for tool in ("dpkg-buildpackage", "dh"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    lacking = subprocess.run(["dpkg-checkbuilddeps", "-Pnocheck"], cwd=ROOT,
                             capture_output=True, text=True)
    if lacking.returncode:
        pytest.skip(lacking.stderr.strip())
    folder = ROOT / "build/packages"
    done = subprocess.run([ROOT / "tests/tools/debian_packages.sh", folder],
                          capture_output=True, text=True, timeout=BUILD_S)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder


def field(run, package, name):
    done = run(["dpkg-deb", "-f", package, name])
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def one(packages, name):
    """The package of this name, of which there is one."""
    (path,) = packages.glob(f"{name}_*.deb")
    return path


def files_of(run, package):
    listed = run(["dpkg-deb", "-c", package]).stdout.splitlines()
    return {line.split()[5][1:] for line in listed if line[0] == "-"}


def test_build_depends_are_those_of_packages_sh():
    script = ". tests/packages.sh; echo $BUILD_PACKAGES"
    listed = set(subprocess.run(["sh", "-c", script], cwd=ROOT, text=True,
                                capture_output=True, check=True).stdout.split())
    control = (ROOT / "debian/control").read_text()
    depends = re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.M)[1]
    names = {line.strip(" ,") for line in depends.splitlines()}
    assert {name for name in names if not re.search("nocheck|debhelper", name)} \
        == listed - ESSENTIAL


def test_version_is_that_of_the_build():
    version = re.search(r"^project\(perfpair VERSION (\S+)",
                        (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    assert (ROOT / "debian/changelog").read_text().startswith(
        f"perfpair ({version}) ")


def test_lintian_finds_nothing(run, packages):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    (changes,) = packages.glob("*.changes")
    done = run(["lintian", "--allow-root", "--fail-on", "error,warning",
                changes])
    assert (done.returncode, done.stdout) == (0, "")


def test_recorder_needs_few_libraries(run, packages):
    depends = field(run, one(packages, "perfpair-record"), "Depends")
    assert set(re.findall(r"(?:^|, )(\S+)", depends)) == \
        {"libc6", "libxxhash0", "libzstd1"}


def test_reader_needs_no_recorder(run, packages):
    reader = one(packages, "perfpair")
    assert "perfpair-record" not in field(run, reader, "Depends")
    assert field(run, reader, "Recommends") == "perfpair-record, libseccomp2"


def test_the_recorder_brings_its_service(run, packages, tmp_path):
    package = one(packages, "perfpair-record")
    unit, = (path for path in files_of(run, package) if "/systemd/" in path)
    run(["dpkg-deb", "-x", package, tmp_path])
    assert "\nExecStart=/usr/bin/perfpair-record --config /etc/perfpair/" \
        "record.conf\n" in (tmp_path / unit[1:]).read_text()
    assert run(["dpkg-deb", "--info", package, "conffiles"]).stdout == \
        "/etc/perfpair/record.conf\n"


def test_pprof_has_a_folder_for_its_path(run, packages, tmp_path):
    """perf_data_converter has a program of that name, too."""
    run(["dpkg-deb", "-x", one(packages, "perfpair"), tmp_path])
    assert [(str(path.relative_to(tmp_path)), os.readlink(path))
            for path in tmp_path.rglob("perf_to_profile")] == [
        ("usr/libexec/perfpair/perf_to_profile", "../../bin/perfpair")]


def test_each_page_is_in_one_package(run, packages):
    """Each command that the reader has got a text, and none is left out."""
    pages = "/usr/share/man/man1/"
    recorder = files_of(run, one(packages, "perfpair-record"))
    reader = files_of(run, one(packages, "perfpair"))
    texts = {f"{pages}{path.stem}.1.gz"
             for path in (ROOT / "docs/man").glob("*.txt")}
    assert {path for path in recorder if path.startswith(pages)} == \
        {pages + "perfpair-record.1.gz"}
    assert {path for path in recorder | reader if path.startswith(pages)} \
        == texts
    assert not recorder & reader


def test_man_reads_the_pages(run, packages, tmp_path):
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    for name, words in (("perfpair-record", "record events into a perf.data"),
                        ("perfpair", "read perf.data recordings")):
        run(["dpkg-deb", "-x", one(packages, name), tmp_path])
        page = tmp_path / f"usr/share/man/man1/{name}.1.gz"
        done = run(["man", "--warnings", "-P", "cat", "-l", page],
                   env={"LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
        assert (done.returncode, done.stderr) == (0, "")
        assert re.search(r"^NAME\n +" + name + r" - " + words, done.stdout,
                         re.M)


@pytest.mark.parametrize("name", ["perfpair-record", "perfpair"])
def test_programs_run(run, packages, tmp_path, name):
    run(["dpkg-deb", "-x", one(packages, name), tmp_path])
    done = run([tmp_path / "usr/bin" / name, "--help"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")
