"""perfpair scrub of real recordings: words that were planted wherever a
recording may take them from are in none of the new file's bytes, plain or
compressed; perf reads it silently; reports have the same rows."""

import os
import pathlib
import re
import shutil
import socket
import struct
import time

import pytest

from peer_text import LOST
from perf_data_validator import Damage, Stream

COMPRESSED = 81
HEX = re.compile(r"x[0-9a-f]{12}")
WORD = "QZJXWVKY"  # nothing else has it


def plain_text(data):
    """All that the file says: its bytes, the text of its COMPRESSED records, and
    that of every zstd frame (the carried sections)."""
    off, size = struct.unpack_from("<QQ", data, 40)
    parts, stream, at = [data], Stream(), off
    while at < off + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == COMPRESSED:
            parts.append(stream.feed(data[at + 8:at + length])[0])
        at += length
    trailer = data[off + size:]
    for match in re.finditer(rb"\x28\xb5\x2f\xfd", trailer):
        frame, found = Stream(), b""
        try:
            for byte in range(match.start(), len(trailer)):
                text, is_end = frame.feed(trailer[byte:byte + 1])
                found += text
                if is_end:
                    break
        except Damage:
            pass
        parts.append(found)
    return b"".join(parts)


@pytest.fixture
def cgroup():
    """A cgroup whose name has the word; None where there can be none."""
    mounts = [line.split()[1] for line in open("/proc/mounts")
              if line.split()[2] == "cgroup2"]
    path = f"{mounts[0] if mounts else '/proc'}/GROUP{WORD}"
    try:
        os.mkdir(path)
    except OSError:
        yield None
        return
    yield path
    os.rmdir(path)


@pytest.fixture
def planted(run, perfpair_record, may_record, workload, tmp_path, cgroup):
    """planted(*options): the path of a recording of a program with the word in
    its path, arguments, environment, name, stack and cgroup."""
    del may_record
    folder = tmp_path / f"DIR{WORD}"
    folder.mkdir()
    program = folder / f"FILE{WORD}"
    shutil.copy(workload("secrets"), program)

    def of(*options):
        env = dict(os.environ, HOME=str(tmp_path), SECRET=f"ENV{WORD}")
        enter = f"echo $$ > {cgroup}/cgroup.procs; " if cgroup else ""
        done = run([perfpair_record, "-q", "-F", "999", "-e", "cpu-clock",
                    *options, "-o", "in.data", "--", "sh", "-c",
                    f"{enter}{program} {WORD}"], env=env)
        assert done.returncode == 0, done.stderr
        return tmp_path / "in.data"
    return of


def scrub(run, perfpair, tmp_path, *options):
    done = run([perfpair, "scrub", *options, "in.data", "-o", "out.data"])
    assert (done.returncode, done.stderr) == (0, "")
    assert run([perfpair, "check", "out.data"]).returncode == 0
    return plain_text((tmp_path / "out.data").read_bytes()), done.stdout


def secrets_in(text):
    return set(re.findall(rb"[A-Z]+" + WORD[:4].encode(), text))


OPTIONS = {
    "chains": ["-g"],
    "compressed": ["-g", "-z"],
    "stacks": ["-z", "--call-graph", "dwarf,16384"],
    "all": ["-g", "-d", "--phys-data", "-I", "--user-regs", "--all-cgroups",
            "--namespaces"],
}


@pytest.mark.records
def test_when_it_was_recorded_is_not_told(run, perfpair, planted, tmp_path):
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text()
    boot = bytes.fromhex(boot.replace("-", ""))
    before = time.time_ns()
    data = planted().read_bytes()
    wall, mono = struct.unpack("<QQ", data[data.rindex(boot) - 16:data.rindex(boot)])
    assert before < wall < time.time_ns()
    assert 0 < time.monotonic_ns() - mono < time.time_ns() - before
    assert boot not in scrub(run, perfpair, tmp_path)[0]
    run([perfpair, "repair", "in.data", "-o", "whole.data"])
    assert boot in (tmp_path / "whole.data").read_bytes()


@pytest.mark.records
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_no_planted_word_is_left(run, perf, perfpair, planted, tmp_path, options):
    data = planted(*options).read_bytes()
    before = secrets_in(plain_text(data))
    assert {b"FILEQZJX", b"COMMQZJX", b"DIRQZJX"} <= before
    text, said = scrub(run, perfpair, tmp_path, "--drop-stacks")
    assert WORD[:5].encode() not in text
    assert socket.gethostname().encode().ljust(64, b"\0") not in text
    shown = run([perf, "report", "--header-only", "-i", "out.data"]).stdout
    assert "# hostname : (none)" in shown and "# cmdline" not in shown
    assert "1 command lines of the recorder; 1 host names" in said
    if "--call-graph" in options:
        assert b"STACKQZJX" in before
        assert re.search(r"removed: \d+ stack copies", said)
    theirs = run([perf, "script", "-i", "out.data"])
    assert (theirs.returncode, LOST.sub("", theirs.stderr)) == (0, "")
    assert (tmp_path / "in.data").read_bytes() == data


@pytest.mark.records
def test_no_string_of_a_tracepoint_is_left(run, perf, perfpair, may_trace,
                                           planted, tmp_path):
    del may_trace
    data = planted("-e", "syscalls:sys_enter_openat", "-R").read_bytes()
    assert b"COMMQZJX" in secrets_in(plain_text(data))
    text, said = scrub(run, perfpair, tmp_path)
    assert WORD[:5].encode() not in text
    assert b"filename" not in text  # a field of the format
    assert "raw data of tracepoints" in said
    names = run([perfpair, "evlist", "-i", "out.data"]).stdout
    assert "syscalls:sys_enter_openat" in names
    theirs = run([perf, "script", "-i", "out.data"])
    assert (theirs.returncode, LOST.sub("", theirs.stderr)) == (0, "")
    assert "sys_enter_openat" in theirs.stdout


@pytest.mark.records
def test_a_cgroup_s_name_is_hidden(run, perfpair, planted, tmp_path, cgroup):
    if not cgroup:
        pytest.skip("no cgroup can be made here")
    before = plain_text(planted("--all-cgroups").read_bytes())
    assert f"/GROUP{WORD}".encode() in before
    text, _ = scrub(run, perfpair, tmp_path)
    assert WORD[:5].encode() not in text
    shown = run([perfpair, "script", "--show-cgroup-events", "-i", "out.data"])
    assert re.search(r"cgroup: \d+ /x[0-9a-f]{12}\n", shown.stdout)


@pytest.mark.records
def test_reports_have_the_same_rows(run, perfpair, planted, tmp_path):
    planted("-g")
    scrub(run, perfpair, tmp_path)
    rows = []
    for path in ("in.data", "out.data"):
        done = run([perfpair, "report", "--no-children", "-g", "none", "--stdio",
                    "-s", "comm,dso,sym", "-i", path, "--symfs", tmp_path,
                    "--kallsyms", "/dev/null"])
        lines = [line.split() for line in done.stdout.splitlines()
                 if "%" in line and not line.startswith("#")]
        rows.append(sorted((line[0], *line[3:]) for line in lines))
    assert rows[0] == rows[1]
    assert any("work" in row for row in rows[0])


@pytest.mark.records
def test_names_of_functions_can_be_hidden(run, perfpair, planted, tmp_path):
    planted("-g")
    text, said = scrub(run, perfpair, tmp_path)
    assert b"\0work\0" in text or b"work\0" in text
    text, said = scrub(run, perfpair, tmp_path, "-f", "--hide", "symbols")
    assert b"work\0" not in text
    assert "names of functions" in said.split("hidden:")[1].split("\n")[0]


@pytest.mark.records
def test_a_key_makes_two_runs_match(run, perfpair, planted, tmp_path):
    planted("-g")
    (tmp_path / "key").write_bytes(os.urandom(32))
    names = []
    for options in (["--key", "key"], ["-f", "--key", "key"], ["-f"]):
        text, _ = scrub(run, perfpair, tmp_path, *options)
        names.append(set(HEX.findall(text.decode("latin-1"))))
    assert names[0] == names[1] and len(names[0]) >= 3
    assert not names[0] & names[2]
