"""perfpair buildid-cache: with the entries that it makes out of a recording, perf
names on a machine without the recorded files what it names on the host.  That
machine is a folder with perf and its libraries alone, entered by chroot."""

import os
import re
import shutil
import subprocess

import pytest

from carried_file import without_names
from peer_text import TIP

FIELDS = ["script", "-F", "comm,tid,time,ip,sym,symoff,dso", "--no-inline"]
REPORT = ["report", "--stdio", "--no-children", "-g", "none"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perfpair_record, may_record, workload, home):
    """Programs of each kind, with call chains by frame pointers."""
    folder = tmp_path_factory.mktemp("cached")
    lines = []
    for name, source, *flags in [("pie", "spin", "-O1", "-g0"),
                                 ("static", "spin", "-O1", "-g0", "-static"),
                                 ("fixed", "spin", "-O1", "-g0", "-no-pie"),
                                 ("stripped", "spin", "-O1", "-s"),
                                 ("exported", "spin", "-O1", "-s", "-rdynamic"),
                                 ("thrown", "thrown", "-O2", "-g")]:
        shutil.copy(workload(source, *flags), folder / name)
        lines.append(f"./{name} {6000 if name == 'thrown' else '400 cpu'}")
    path = folder / "t.data"
    done = subprocess.run(
        [perfpair_record, "-e", "cpu-clock", "-F", "1997", "-g",
         "--carry-time", "20s", "-o", path, "--", "sh", "-c",
         "\n".join([*lines, "ls -R /usr/share", "true"])],
        cwd=folder, env=home, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def cache(recorded, perfpair):
    """The cache, and what was said of its making."""
    path = recorded.with_name("names")
    done = subprocess.run([perfpair, "buildid-cache", "--from", recorded,
                           "--dir", path], capture_output=True, text=True,
                          check=True)
    assert done.stderr == ""
    return path, done.stdout


@pytest.fixture(scope="module")
def perf_elsewhere(recorded, cache, perf):
    """perf_elsewhere(CACHE, WORDS, FILE): its output, where it has no files but
    these."""
    if os.geteuid():
        pytest.skip("chroot needs root")
    root = recorded.with_name("root")
    (root / "lib2").mkdir(parents=True)
    (root / "tmp").mkdir()
    shutil.copy(shutil.which(perf), root / "perf")
    libraries = subprocess.run(["ldd", shutil.which(perf)], text=True,
                               check=True, stdout=subprocess.PIPE).stdout
    for path in re.findall(r"(/\S+) \(0x", libraries):
        shutil.copy(path, root / "lib2")
    loader, = (path.name for path in (root / "lib2").glob("ld-*"))
    shutil.copytree(cache[0], root / "names", symlinks=True)

    def run_there(folder, words, path):
        shutil.copy(path, root / "t.data")
        done = subprocess.run(
            ["chroot", root, f"/lib2/{loader}", "--library-path", "/lib2",
             "/perf", "--buildid-dir", folder, *words, "-i", "/t.data"],
            env={"HOME": "/tmp", "LC_ALL": "C", "TZ": "UTC",
                 "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            capture_output=True, text=True, errors="replace", timeout=120)
        if done.returncode < 0:
            pytest.skip("perf 6.1 ends in a signal")
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_there


def host_text(run, perf, home, words, path):
    done = run([perf, *words, "-i", path],
               env={**home, "LC_ALL": "C", "TZ": "UTC"})
    if done.returncode < 0:
        pytest.skip("perf 6.1 ends in a signal")
    assert done.returncode == 0, done.stderr
    return done.stdout


def differing(here, there):
    a, b = here.splitlines(), there.splitlines()
    assert len(a) == len(b) > 1000
    return [(x, y) for x, y in zip(a, b) if x != y]


def test_perf_script__names_what_it_names_on_the_host(
        recorded, perf_elsewhere, run, perf, home):
    here = host_text(run, perf, home, FIELDS, recorded)
    assert differing(here, perf_elsewhere("/names", FIELDS, recorded)) == []
    for name in ("leaf_hash", "do_syscall_64", "Square::area"):
        assert name in here


def rows(text):
    """The lines of a report; not its tip, and not how wide a column is."""
    lines = TIP.sub("", text).splitlines()
    return [" ".join(line.split()) for line in lines
            if line and line[0] != "#"]


def test_perf_report__has_the_rows_of_the_host(recorded, perf_elsewhere, run,
                                               perf, home):
    here = rows(host_text(run, perf, home, REPORT, recorded))
    assert len(here) > 50
    assert rows(perf_elsewhere("/names", REPORT, recorded)) == here


def test_perf_script__lacks_the_names_without_the_cache(
        recorded, perf_elsewhere, run, perf, home):
    """So that the tests above can fail."""
    here = host_text(run, perf, home, FIELDS, recorded)
    there = perf_elsewhere("/nowhere", FIELDS, recorded)
    assert len(differing(here, there)) > len(here.splitlines()) // 4
    assert "leaf_hash" not in there


def entries(cache, name):
    found = [path for path in cache.rglob("elf")
             if path.parent.parent.name == name]
    assert found
    return found[0]


@pytest.mark.parametrize("tool, words", [
    ("nm", []), ("readelf", ["-aW"]), ("objdump", ["-t"]),
    ("gdb", ["-nx", "-batch", "-ex", "info functions leaf_hash"])])
def test_tools__read_the_entries(tool, words, cache, run):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    for name in ("pie", "static", "fixed"):
        path = entries(cache[0], name)
        done = run([tool, *words, path])
        assert (done.returncode, done.stderr) == (0, "")
        assert "leaf_hash" in done.stdout
        assert "arning" not in done.stdout


@pytest.mark.parametrize("name", ["pie", "static", "fixed"])
def test_addr2line__names_what_the_program_has(name, recorded, cache, run):
    """Addresses are those of the program's own symbols."""
    path = entries(cache[0], name)
    symbols = [line.split() for line in run(["nm", path]).stdout.splitlines()]
    own = [line.split() for line in run(
        ["nm", recorded.with_name(name)]).stdout.splitlines()]
    assert symbols
    for symbol in symbols:
        if "@plt" not in symbol[2]:
            assert [symbol[0], symbol[2]] in [
                [words[0], words[-1]] for words in own]
    addr = next(words[0] for words in symbols if words[2] == "leaf_hash")
    done = run(["addr2line", "-f", "-e", path, addr])
    assert done.stdout.split()[0] == "leaf_hash"


def lists(cache, run, perf, perfpair):
    """The entries that ours lists, and those of perf."""
    ours = run([perfpair, "buildid-cache", "-l", "--dir", cache])
    theirs = run([perf, "--buildid-dir", cache, "buildid-cache", "-l"])
    return [set(done.stdout.splitlines()) for done in (ours, theirs)]


def without_vdso(lines):
    return {line for line in lines if not line.endswith(" [vdso]")}


def test_list__is_that_of_perf(cache, run, perf, perfpair):
    """A sample in a vdso, whose entry perf does not list, is a matter of luck."""
    ours, theirs = lists(cache[0], run, perf, perfpair)
    assert without_vdso(ours) == theirs
    assert len(theirs) > 5


def test_list__has_the_vdso(run, perf, perfpair, may_record, tmp_path):
    """perf makes an entry of it and lists all others."""
    cache = tmp_path / "cache"
    run([perf, "--buildid-dir", cache, "record", "-q", "--buildid-all", "-o",
         tmp_path / "p.data", "true"])
    ours, theirs = lists(cache, run, perf, perfpair)
    assert without_vdso(ours) == theirs
    vdso, = ours - theirs
    assert vdso.endswith(" [vdso]")


def test_entries__of_perf_stay(recorded, run, perf, perfpair, home, tmp_path):
    program = recorded.with_name("pie")
    cache = tmp_path / "cache"
    run([perf, "--buildid-dir", cache, "buildid-cache", "-a", program])
    full = entries(cache, "pie")
    before = full.read_bytes()
    for force in ([], ["--force"]):
        done = run([perfpair, "buildid-cache", *force, "--from", recorded,
                    "--dir", cache])
        assert done.returncode == 0
        assert re.search(r"/pie: skipped: the cache has an entry that is not "
                         r"ours$", done.stdout, re.M)
        assert full.read_bytes() == before == program.read_bytes()


def test_names__of_two_recordings_add_up(recorded, cache, run, perfpair,
                                         tmp_path):
    again = tmp_path / "cache"
    shutil.copytree(cache[0], again, symlinks=True)
    before = {path: path.read_bytes() for path in again.rglob("*")
              if path.is_file()}
    done = run([perfpair, "buildid-cache", "--from", recorded, "--dir", again])
    assert done.stdout.replace("added to what was written before",
                               "written") == cache[1]
    assert {path: path.read_bytes() for path in again.rglob("*")
            if path.is_file()} == before


def test_our_reader__prefers_what_the_recording_carries(recorded, run, perfpair,
                                                        perfpair_record,
                                                        tmp_path):
    """A cache filled from another recording takes nothing away, and adds what
    a recording does not carry."""
    symfs, empty = tmp_path / "symfs", tmp_path / "empty"
    for folder in (symfs, empty):
        folder.mkdir()
    short = tmp_path / "short.data"
    done = run([perfpair_record, "-e", "cpu-clock", "-c", "500000", "--carry-time",
                "20s", "-o", short, "--", recorded.with_name("pie"), "100"])
    assert done.returncode == 0
    run([perfpair, "buildid-cache", "--from", short, "--dir",
         symfs / ".debug"])
    words = [perfpair, "script", "--no-inline", "-i"]
    alone = run([*words, recorded, "--symfs", empty]).stdout
    assert run([*words, recorded, "--symfs", symfs]).stdout == alone
    assert "leaf_hash" in alone
    nameless = tmp_path / "nameless.data"
    nameless.write_bytes(without_names(short.read_bytes()))
    there = run([*words, nameless, "--symfs", symfs]).stdout
    assert "leaf_hash" in there
    assert "leaf_hash" not in run([*words, nameless, "--symfs", empty]).stdout


def test_file_without_names__is_said(recorded, run, perfpair, tmp_path):
    path = tmp_path / "bare.data"
    path.write_bytes(without_names(recorded.read_bytes()))
    done = run([perfpair, "buildid-cache", "--from", path, "--dir",
                tmp_path / "cache"])
    assert done.returncode == 1
    assert "it carries no names" in done.stderr


@pytest.mark.parametrize("words, said", [
    ([], "either --from FILE"), (["--from", "x", "-l"], "either --from FILE"),
    (["-a", "x"], "full files are perf's to add"),
    (["--purge-all"], "perf buildid-cache does it")], ids=" ".join)
def test_options__are_refused_with_a_reason(words, said, run, perfpair):
    done = run([perfpair, "buildid-cache", *words])
    assert done.returncode == 2
    assert said in done.stderr


@pytest.fixture(scope="module")
def copies(recorded, perfpair_record, home):
    """The same programs with stack copies; but not the static one, which has no
    .eh_frame_hdr: perf unwinds it with the entries alone."""
    path = recorded.with_name("copies.data")
    lines = [f"./{name} {6000 if name == 'thrown' else '300 cpu'}"
             for name in ("pie", "fixed", "stripped", "thrown")]
    done = subprocess.run(
        [perfpair_record, "-e", "cpu-clock:u", "-F", "997", "--call-graph",
         "dwarf", "--carry-time", "20s", "-o", path, "--", "sh", "-c",
         "\n".join(lines)],
        cwd=recorded.parent, env=home, capture_output=True, text=True,
        timeout=120)
    assert done.returncode == 0, done.stderr
    return path


def outside_plt(text):
    """Without samples in slots of a PLT: perf's libunwind looks at their code,
    which entries do not have."""
    return "\n\n".join(sample for sample in text.split("\n\n")
                       if not re.search(r"@plt\b", sample))


def test_perf_script__unwinds_stack_copies(copies, perf_elsewhere, perfpair,
                                           run, perf, home):
    run([perfpair, "buildid-cache", "--from", copies, "--dir",
         copies.with_name("root") / "frames"])
    here = outside_plt(host_text(run, perf, home, FIELDS, copies))
    there = outside_plt(perf_elsewhere("/frames", FIELDS, copies))
    assert differing(here, there) == []
    assert here.count(" main+") > 100
    names_alone = perf_elsewhere("/names", FIELDS, copies)
    assert names_alone.count(" main+") < here.count(" main+") // 4


@pytest.mark.parametrize("tool, words", [
    ("readelf", ["--debug-dump=frames"]), ("objdump", ["--dwarf=frames"]),
    ("eu-readelf", ["--debug-dump=frames"])])
def test_tools__read_what_unwinds(tool, words, copies, perfpair, run, tmp_path):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    run([perfpair, "buildid-cache", "--from", copies, "--dir", tmp_path / "c"])
    for name in ("pie", "fixed"):
        done = run([tool, *words, entries(tmp_path / "c", name)])
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.count("FDE") >= 4
