"""cmake --install and the target uninstall: what lies where, and that nothing is
left.  All below a DESTDIR."""

import fcntl
import os
import re
import subprocess

import pytest

from common import ROOT, build_dir

READER = {"bin/perfpair", "libexec/perfpair/perf_to_profile",
          "share/bash-completion/completions/perfpair",
          "share/fish/vendor_completions.d/perfpair.fish",
          *(f"share/perfpair/fleet/{name}.sql"
            for name in ("schema", "cluster", "newer", "duckdb")),
          *(f"share/man/man1/{path.stem}.1"
            for path in (ROOT / "docs/man").glob("*.txt"))}
RECORDER = {"bin/perfpair-record", "lib/systemd/system/perfpair-record.service",
            "share/bash-completion/completions/perfpair-record",
            "share/fish/vendor_completions.d/perfpair-record.fish",
            "share/man/man1/perfpair-record.1"}
LICENCE = "share/doc/perfpair/LICENSE"
READER -= RECORDER
DEBIAN = os.path.exists("/etc/debian_version")


@pytest.fixture
def install(tmp_path):
    """install(PREFIX, OPTION...): the folder that is / then.  What the build knows
    of an installation of its user stays.  One test at a time has the lists."""
    lock = open(build_dir() / "install.lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    lists = {path: path.read_bytes()
             for path in build_dir().glob("install_manifest*.txt")}
    for path in lists:
        path.unlink()

    def install_below(prefix, *options):
        cmake(tmp_path, "--install", build_dir(), "--prefix", prefix, *options)
        return tmp_path
    yield install_below
    for path in build_dir().glob("install_manifest*.txt"):
        path.unlink()
    for path, text in lists.items():
        path.write_bytes(text)
    lock.close()


def cmake(destdir, *words, code=0):
    done = subprocess.run(["cmake", *words], capture_output=True, text=True,
                          env={**os.environ, "DESTDIR": str(destdir)})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def uninstall(destdir, code=0):
    return cmake(destdir, "--build", build_dir(), "--target", "uninstall",
                 code=code)


def files_below(folder):
    return {f"/{path.relative_to(folder)}" for path in folder.rglob("*")
            if path.is_symlink() or not path.is_dir()}


def below(prefix, names):
    return {f"{prefix}/{name}" for name in names}


@pytest.mark.parametrize("prefix, etc, zsh", [
    ("/usr", "/etc", "vendor-completions" if DEBIAN else "site-functions"),
    ("/usr/local", "/usr/local/etc", "site-functions"),
    ("/opt/perfpair", "/opt/perfpair/etc", "site-functions")])
def test_what_is_installed_can_be_removed(install, prefix, etc, zsh):
    root = install(prefix)
    assert files_below(root) == below(prefix, READER | RECORDER | {
        LICENCE, f"share/zsh/{zsh}/_perfpair"}) | {
            f"{etc}/perfpair/record.conf"}
    unit = (root / prefix[1:] / "lib/systemd/system/perfpair-record.service")
    start, *reload = re.findall(r"^Exec\w+=(.*)$", unit.read_text(), re.M)
    assert start == f"{prefix}/bin/perfpair-record --config {etc}/perfpair/record.conf"
    assert reload[0] == f"{start} --dry-run"
    link = root / prefix[1:] / "libexec/perfpair/perf_to_profile"
    assert link.resolve() == root / prefix[1:] / "bin/perfpair"

    uninstall(root)
    assert files_below(root) == set()
    assert [path for path in root.rglob("perfpair")] == []


@pytest.mark.parametrize("component, names", [
    ("recorder", RECORDER | {"etc/perfpair/record.conf"}),
    ("reader", READER | {"share/zsh/site-functions/_perfpair"})])
def test_a_part_alone(install, component, names):
    root = install("/usr/local", "--component", component)
    assert files_below(root) == below("/usr/local", names | {LICENCE})
    uninstall(root)
    assert files_below(root) == set()


def test_changed_options_of_the_service_stay(install):
    conf = install("/usr") / "etc/perfpair/record.conf"
    conf.write_text("freq = 49\n")
    install("/usr")
    assert conf.read_text() == "freq = 49\n"
    assert f"Kept: {conf}, which was changed" in uninstall(conf.parents[2])
    assert files_below(conf.parents[2]) == {"/etc/perfpair/record.conf"}


def test_nothing_is_installed(install, tmp_path):
    assert "nothing is installed out of" in uninstall(tmp_path, code=1)


def test_what_else_lies_there_stays(install):
    root = install("/usr/local")
    mine = root / "usr/local/share/perfpair/mine.sql"
    mine.write_text("")
    uninstall(root)
    assert files_below(root) == {"/usr/local/share/perfpair/mine.sql"}
