"""Code of just-in-time compilers in recordings that carry their names: what a
jitdump told of is named elsewhere as on the host, at the times at which it was there,
and when the dump and the perf map are gone.  Dumps of others are not believed."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

from carried_file import without_names
from peer_text import without_hints

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64",
                                reason="the workload makes code for x86-64")
COMMANDS = [["script"], ["report", "--stdio", "-g", "none"],
            ["report", "--stdio", "-g", "none", "-s", "pid,dso,sym"],
            ["script", "-F", "comm,time,ip,sym,dso"]]
JITTED = {"first", "second", "third"}
NODE = """const end = Date.now() + 600;
function turned(seed) { for (let i = 0; i < 1e5; i++) seed = (seed * 69069 + 1) | 0;
                        return seed; }
let seed = 1; while (Date.now() < end) seed = turned(seed);"""


@pytest.fixture
def record(perfpair_record, may_record, home, tmp_path):
    """record(SHELL, OPTION...): the recording of what a shell runs."""
    def run(line, *options):
        done = subprocess.run(
            [perfpair_record, *options, "-e", "cpu-clock", "-F", "2000", "-g",
             "--carry-time", "20s", "-o", "t.data", "--", "sh", "-c", line],
            cwd=tmp_path, env=home, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, timeout=60)
        assert "no names" not in done.stderr
        if done.returncode and re.search("unshare|mount", done.stderr):
            pytest.skip("no namespaces here")
        assert done.returncode == 0, done.stderr
        return tmp_path / "t.data"

    return run


@pytest.fixture
def printed(perfpair, run, tmp_path):
    """printed(WORD..., elsewhere=): what a reader says, which has the files of
    this machine or none."""
    (tmp_path / "empty").mkdir()

    def read(*words, elsewhere=False):
        more = ["--symfs", "empty", "--kallsyms",
                "/dev/null"] if elsewhere else []
        done = run([perfpair, *words, *more])
        assert (done.returncode, without_hints(done.stderr)) == (0, "")
        return done.stdout

    return read


def functions(text):
    return set(re.findall(r"(?:\[[.k]\]|\t +[0-9a-f]+) (.+?)(?: \(|\+0x|\s*$)", text,
                          re.M))


def same_as_with_the_dump(path, printed):
    """Of a file without names, this host's reader needs the dump."""
    bare = path.with_name("bare.data")
    bare.write_bytes(without_names(path.read_bytes()))
    texts = []
    for command in COMMANDS:
        carried = printed(*command, "-i", path)
        assert printed(*command, "-i", bare) == carried
        texts.append(carried)
    return texts


@pytest.mark.parametrize("clock", [["-k", "mono"], []],
                         ids=["times", "no_times"])
def test_jitdump__names_are_those_of_the_host(clock, record, printed, workload,
                                              tmp_path):
    path = record(f"{workload('jitted')} .", *clock)
    dump, = tmp_path.glob("jit-*.dump")
    here = same_as_with_the_dump(path, printed)
    told = functions(here[1])
    assert told >= (JITTED if clock else {"second", "third"})
    assert ("first" in told) == bool(clock)
    for other in (b"", b"something else", None):
        if other is None:
            dump.unlink()
        else:
            dump.write_bytes(other)
        assert [printed(*command, "-i", path)
                for command in COMMANDS] == here
    assert [printed(*command, "-i", path, elsewhere=True)
            for command in COMMANDS] == here


def test_jitdump__that_is_removed_before_the_end(record, printed, workload,
                                                 tmp_path):
    path = record(f"{workload('jitted')} . 4; rm jit-*.dump", "-k", "mono")
    assert not list(tmp_path.glob("jit-*.dump"))
    assert functions(printed("report", "--stdio", "-g", "none", "-i", path,
                             elsewhere=True)) >= JITTED


def test_jitdump__in_namespaces_of_its_own(record, printed, workload, tmp_path):
    """A pid and a folder that end with the program."""
    if os.geteuid():
        pytest.skip("needs root")
    (tmp_path / "private").mkdir()
    path = record("unshare -mpf sh -c " + shlex.quote(
        f"mount -t tmpfs none private && exec {workload('jitted')} private 8"),
        "-k", "mono")
    assert functions(printed("report", "--stdio", "-g", "none", "-i", path,
                             elsewhere=True)) >= JITTED


@pytest.mark.parametrize("owner, is_believed", [
    (65534, True), (0, True), (1, False)])
def test_jitdump__whose_counts(owner, is_believed, record, printed, workload,
                               tmp_path):
    """The program is nobody's; the file that it writes to need not be."""
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv")
    folder = pathlib.Path("/tmp") / f"jit-{os.getpid()}"
    folder.mkdir()
    try:
        shutil.copy(workload("jitted"), folder)
        folder.chmod(0o755)
        path = record(
            f"cd {folder}; sh -c 'touch jit-$$.dump; chmod 666 jit-$$.dump; "
            f"chown {owner} jit-$$.dump; exec setpriv --reuid 65534 --regid "
            "65534 --clear-groups ./jitted . 4'", "-k", "mono")
        told = functions(printed("script", "-i", path, elsewhere=True))
        assert told >= JITTED if is_believed else not told & JITTED
        listed = printed("buildid-list", "--carried", "-i", path)
        assert is_believed != ("could not be read" in listed)
    finally:
        shutil.rmtree(folder)


def test_node__jitdump(record, printed, tmp_path):
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    (tmp_path / "hot.js").write_text(NODE)
    path = record("node --perf-prof hot.js", "-k", "mono")
    dump, = tmp_path.glob("jit-*.dump")
    here = same_as_with_the_dump(path, printed)
    dump.unlink()
    assert [printed(*command, "-i", path, elsewhere=True)
            for command in COMMANDS] == here
    assert "JS:*turned " in here[0]


def test_node__perf_map_that_is_removed(record, printed, tmp_path):
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    (tmp_path / "hot.js").write_text(NODE)
    path = record("node --perf-basic-prof hot.js & wait $!; "
                  "rm /tmp/perf-$!.map")
    assert "JS:*turned " in printed("script", "-i", path, elsewhere=True)


def test_buildid_cache__writes_a_perf_map(record, workload, run, perfpair,
                                          tmp_path):
    """Which has no times: of two functions at one address the last one."""
    path = record(f"{workload('jitted')} .", "-k", "mono")
    done = run([perfpair, "buildid-cache", "--from", path, "--dir", "cache",
                "--perf-maps", "maps"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "of pid" in done.stdout and "written, 3 names" in done.stdout
    written, = (tmp_path / "maps").iterdir()
    dump, = tmp_path.glob("jit-*.dump")
    assert written.name == f"perf-{dump.name[4:-5]}.map"
    lines = [line.split() for line in written.read_text().splitlines()]
    at = int(lines[0][0], 16)
    assert lines == [[f"{at + off:x}", "a", name] for off, name in (
        (0, "third"), (256, "second"), (512, "second"))]


def test_sections__are_listed_kept_and_hidden(record, printed, workload, run,
                                              perfpair, tmp_path):
    path = record(f"{workload('jitted')} .", "-k", "mono")
    listed = printed("buildid-list", "--carried", "-v", "-i", path)
    codes = re.findall(r" jit    (.*)", listed)
    assert codes == ["first", "second", "third", "function 1, moved"]
    names = re.compile(rf" ({'|'.join(JITTED)})$", re.M)
    script = names.findall(printed("script", "-F", "ip,sym", "-i", path,
                                   elsewhere=True))
    assert len(script) > 100
    for command in (["repair"], ["scrub", "-q"]):
        assert run([perfpair, *command, "-i", path, "-o",
                    f"{command[0]}.data"]).returncode == 0
        assert script == names.findall(
            printed("script", "-F", "ip,sym", "-i", f"{command[0]}.data",
                    elsewhere=True))
        assert printed("check", "-q", "-i", f"{command[0]}.data") == ""
    run([perfpair, "scrub", "-q", "--hide", "symbols", "-i", path, "-o",
         "hidden.data"])
    hidden = (tmp_path / "hidden.data")
    text = printed("buildid-list", "--carried", "-v", "-i", hidden)
    assert not {"first", "second", "third"} & set(re.findall(r"\w+", text))
    assert len(re.findall(r" jit    x\w+$", text, re.M)) == 3
