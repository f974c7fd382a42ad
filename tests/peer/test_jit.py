"""Functions of just-in-time compilers, told of by jit-PID.dump: report and script
show without a further step what perf 6.1 shows after `perf inject --jit`."""

import os
import re
import subprocess

import pytest

from common import RECORD
from peer_text import same_report
from recordings import record_by_perf

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64",
                                reason="the workload makes code for x86-64")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perf, workload, home):
    """The recording, what perf made of it, and the folder of the dump."""
    folder = tmp_path_factory.mktemp("jit")
    plain, injected = folder / "plain", folder / "injected"
    done = record_by_perf([perf, *RECORD, "-q", "-k", "1", "-F", "2000", "-e",
                           "cpu-clock", "-o", str(plain), "--",
                           str(workload("jitted")), str(folder)],
                          None, home["HOME"])
    assert done.returncode == 0, done.stderr
    subprocess.run([perf, "inject", "--jit", "-i", plain, "-o", injected],
                   check=True, env=home, capture_output=True)
    for made in folder.glob("jitted-*.so"):
        made.rename(folder / f"was-{made.name}")
    return plain, injected, folder


@pytest.mark.parametrize("more", [[], ["-n", "-s", "sym"],
                                  ["-s", "dso,sym,pid", "--show-total-period"],
                                  ["-F", "overhead,sym"]],
                         ids=lambda more: "_".join(more) or "default")
def test_jit__rows_are_those_after_inject(recorded, more, run, perf, perfpair,
                                          home):
    plain, injected, folder = recorded
    for was in folder.glob("was-*.so"):
        was.rename(folder / was.name[4:])
    try:
        theirs = run([perf, "report", "--stdio", "-i", injected, *more],
                     env=home)
    finally:
        for made in folder.glob("jitted-*.so"):
            made.rename(folder / f"was-{made.name}")
    ours = run([perfpair, "report", "--stdio", "-i", plain, *more], env=home)
    assert ours.stderr == ""
    for name in ("first", "second", "third"):
        assert re.search(rf"\[\.\] {name}\b", ours.stdout)
    same_report(theirs.stdout, ours.stdout)


def test_jit__script_names_them_at_their_times(recorded, run, perfpair, home):
    plain, _, _ = recorded
    done = run([perfpair, "script", "-i", plain, "-F", "ip,sym"], env=home)
    names = re.findall(r" (first|second|third)$", done.stdout, re.M)
    assert names.index("third") > max(
        at for at, name in enumerate(names) if name == "first")
    assert "second" in names[names.index("third"):]


def test_jit__dump_that_is_gone_or_cut(recorded, run, perfpair, home):
    plain, _, folder = recorded
    dump, = folder.glob("jit-*.dump")
    whole = dump.read_bytes()
    command = [perfpair, "report", "-q", "-i", plain, "-s", "sym"]
    try:
        # a program that still runs may have written half a record
        for length in (40, 41, 60, len(whole) - 1):
            dump.write_bytes(whole[:length])
            done = run(command, env=home)
            assert (done.returncode, done.stderr) == (0, "")
            assert ("second" in done.stdout) == (length > 60)
        dump.write_bytes(whole[:40] + b"\0\0\0\0\7\0\0\0" + whole[48:])
        assert "is damaged" in run(command, env=home).stderr
        dump.write_bytes(b"something else")
        assert "is no jitdump" in run(command, env=home).stderr
        dump.unlink()
        done = run(command, env=home)
        assert done.returncode == 0
        assert done.stderr == f"perfpair: {dump}: No such file or directory\n"
    finally:
        dump.write_bytes(whole)


def test_jit__times_of_another_clock(tmp_path, run, perf, perfpair, workload,
                                     home):
    """perf inject gives up; here all names count from the dump's map on, the
    later ones over the earlier."""
    done = record_by_perf([perf, *RECORD, "-q", "-F", "2000", "-e",
                           "cpu-clock", "-o", str(tmp_path / "data"), "--",
                           str(workload("jitted")), str(tmp_path)],
                          None, home["HOME"])
    assert done.returncode == 0, done.stderr
    text = run([perfpair, "report", "-q", "-i", tmp_path / "data", "-s",
                "sym"], env=home).stdout
    assert "third" in text and "second" in text
    assert "first" not in text
