"""A recording that carries its names: what report and script print of it on the
host that made it, they print where none of its programs is.  Elsewhere is an
empty folder for --symfs and no kernel symbols, and a Debian of its own."""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess

import pytest

from carried_file import sections, without_names
import common
from peer_text import TIP, same_text

# What is asked of a recording, by report and script alike.
COMMANDS = {
    "script": ["script"],
    "children and chains": ["report", "--stdio", "--children", "-g"],
    "no children": ["report", "--stdio", "--no-children", "-g"],
    "flat": ["report", "--stdio", "--no-children", "-g", "none", "-s",
             "pid,dso,sym"],
    "callers": ["report", "--stdio", "--no-children", "-g",
                "graph,0.1,caller"],
}
JAVA = """public class Hot {
    static int turn(int seed) {
        for (int i = 0; i < 100000; i++) seed = seed * 1103515245 + 12345;
        return seed;
    }
    public static void main(String[] words) {
        int seed = 1;
        for (int i = 0; i < 4000; i++) seed = turn(seed);
        System.out.println(seed);
    }
}
"""
NODE = """function turned(seed) { for (let i = 0; i < 1e5; i++) seed = (seed * 69069 + 1) | 0;
                        return seed; }
let seed = 1; for (let i = 0; i < 1000; i++) seed = turned(seed);"""
PYTHON = "for _ in range(5000): sum(i * i for i in range(999))"
PERL = "my %h; for (1 .. 600) { $h{$_ % 97} .= $_ for 1 .. 9999; %h = () }"


def mirror():
    """Where this Debian's packages come from, or None."""
    for name in ("sources.list.d/debian.sources", "sources.list"):
        path = pathlib.Path("/etc/apt") / name
        found = path.exists() and re.search(
            r"^(?:URIs: *|deb (?:\[[^]]*\] )?)(\S+)", path.read_text(), re.M)
        if found:
            return found[1]
    return None


class Mix:
    """Programs of many kinds, each a line of the shell script that is
    recorded, and what became of their files."""

    def __init__(self, folder, workload):
        self.folder, self.workload, self.lines = folder, workload, []
        self.names = {}  # of programs: a function that has to be named in each

    def program(self, name, source, *flags):
        """A copy of a workload at a path of its own."""
        path = self.folder / name
        shutil.copy(self.workload(source, *flags), path)
        return path

    def compiled(self):
        for name, flags in {"pie": ["-O1", "-g0", "-pie", "-fPIE"],
                            "static": ["-O1", "-g0", "-static"],
                            "fixed": ["-O1", "-g0", "-no-pie"]}.items():
            self.lines.append(f"{self.program(name, 'spin', *flags)} 100 cpu")
            self.names[name] = r"(leaf_\w+|compare)"
        # .dynsym and the PLT are left
        self.lines.append(f"{self.program('stripped', 'spin', '-O1', '-s')} 100 cpu")
        self.lines.append(
            f"{self.program('thrown', 'thrown', '-O2', '-g')} 6000")
        self.names["thrown"] = "Square::area"

    def interpreted(self):
        for name, words in {"python3": ["-c", PYTHON],
                            "perl": ["-e", PERL]}.items():
            if path := shutil.which(name, path="/usr/bin:/bin"):
                self.lines.append(shlex.join([path, *words]))

    def translated(self):
        """Compilers that leave a map of what they compiled."""
        for name, words in {
                "node": ["--perf-basic-prof", "-e", NODE],
                "java": ["-XX:+UnlockDiagnosticVMOptions",
                         "-XX:+DumpPerfMapAtExit", "-XX:+PreserveFramePointer",
                         "-cp", str(self.folder), "Hot"]}.items():
            if path := shutil.which(name):
                self.lines.append(f"{shlex.join([path, *words])} & echo $! "
                                  f">>{self.folder}/maps; wait $!")

    def gone(self):
        """Files that are deleted or replaced while their programs run, which
        are stopped then and are there at the end, and one of another mount
        namespace."""
        other = self.program("other", "getppid")
        for name in ("deleted", "replaced"):
            path = self.program(name, "spin", "-O1")
            self.lines.append(f"{path} 15000 >/dev/null 2>&1 & echo $! "
                              f">>{self.folder}/pids; sleep 0.1")
            self.lines.append(f"rm {path}" if name == "deleted" else
                              f"mv {other} {path}")
            self.lines.append("sleep 0.1; kill -STOP $!")
        inner = self.program("contained", "spin", "-O1")
        self.lines.append(f"unshare -mpf {inner} 100 cpu")
        self.names["contained"] = r"(leaf_\w+|compare)"
        hidden = self.folder / "mnt"
        hidden.mkdir()
        self.lines.append("unshare -mpf sh -c " + shlex.quote(
            f"mount -t tmpfs none {hidden} && cp {inner} {hidden}/hidden && "
            f"{hidden}/hidden 100 cpu"))
        short = self.program("short", "spin", "-O1")
        self.lines.append(f"{short} 100 cpu; rm {short}")

    def end(self):
        """What still runs, and the maps that were left in /tmp."""
        for pid in self.pids_of("pids"):
            with contextlib.suppress(OSError):
                if str(self.folder) in os.readlink(f"/proc/{pid}/exe"):
                    os.kill(int(pid), signal.SIGKILL)
        for pid in self.pids_of("maps"):
            pathlib.Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)

    def pids_of(self, name):
        path = self.folder / name
        return path.read_text().split() if path.exists() else []


def files_of(run, perfpair, path):
    """name: what buildid-list says of it."""
    done = run([perfpair, "buildid-list", "--carried", "-v", "-i", path])
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def mix(tmp_path_factory, perfpair_record, may_record, may_unshare, workload,
        home):
    """The recording, made once."""
    folder = tmp_path_factory.mktemp("carried")
    made = Mix(folder, workload)
    if javac := shutil.which("javac"):
        (folder / "Hot.java").write_text(JAVA)
        subprocess.run([javac, "-d", folder, folder / "Hot.java"], check=True)
    made.compiled()
    made.interpreted()
    if shutil.which("javac"):
        made.translated()
    made.gone()
    made.out = folder / "t.data"
    try:
        done = subprocess.run(
            [perfpair_record, "-e", "cpu-clock", "-F", "499", "-g",
             "--carry-time", "20s", "-o", made.out, "--", "sh", "-c",
             "\n".join([*made.lines, "true"])],
            cwd=folder, env=home, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "no names are carried" not in done.stderr
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def host(mix, perfpair, home):
    """host(COMMAND): what is printed here, where only what was deleted is
    missing; asked once."""
    texts = {}

    def print_it(name):
        if name not in texts:
            texts[name] = printed([perfpair, *COMMANDS[name], "--no-inline",
                                   "-i", mix.out], home)
        return texts[name]

    return print_it


def printed(command, env, **kw):
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, **kw)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same_lines(here, elsewhere):
    """Both whole texts, line by line; nothing is sorted or left out."""
    a, b = here.splitlines(), elsewhere.splitlines()
    differ = [(i, x, y) for i, (x, y) in enumerate(zip(a, b), 1) if x != y]
    assert not differ, f"{len(differ)} lines, the first: {differ[0]}"
    assert len(a) == len(b)
    assert len(a) > 20


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Options of a reader that finds nothing here."""
    return ["--symfs", tmp_path_factory.mktemp("empty"), "--kallsyms",
            "/dev/null"]


@pytest.mark.parametrize("name", COMMANDS)
def test_elsewhere__text_is_that_of_the_host(name, mix, host, elsewhere,
                                             perfpair, home):
    same_lines(host(name), printed(
        [perfpair, *COMMANDS[name], "--no-inline", *elsewhere, "-i", mix.out],
        home))


def test_elsewhere__names_are_missing_without_them(mix, host, elsewhere,
                                                   perfpair, home, tmp_path):
    """So that the tests above can fail."""
    cut = tmp_path / "cut"
    cut.write_bytes(without_names(mix.out.read_bytes()))
    text = printed([perfpair, *COMMANDS["script"], *elsewhere, "-i", cut], home)
    assert text.count("[unknown]") > 2 * host("script").count("[unknown]")
    for name in ("leaf_hash", "do_syscall_64"):
        assert name in host("script")
        assert name not in text


@pytest.fixture(scope="session")
def other_debian(tmp_path_factory):
    """A bare Debian 13, or this mirror's stable one."""
    if os.geteuid() or not shutil.which("debootstrap"):
        pytest.skip("debootstrap is not installed, or we are not root")
    url = mirror()
    if not url:
        pytest.skip("no mirror of Debian is known here")
    root = tmp_path_factory.mktemp("debian")
    for suite in ("trixie", "stable"):
        if not os.path.exists(f"/usr/share/debootstrap/scripts/{suite}"):
            continue
        done = subprocess.run(["debootstrap", "--variant=minbase", suite,
                               root, url], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, timeout=400)
        if done.returncode == 0:
            return root
    pytest.skip("debootstrap failed: " + done.stdout.strip()[-100:])


@pytest.fixture(scope="session")
def moved(other_debian):
    """moved(COMMAND, FILE): in there with our reader and the libraries that it
    needs, and nothing else of this machine."""
    place = other_debian / "reader"
    place.mkdir()
    perfpair = common.program("report", "perfpair")
    shutil.copy(perfpair, place)
    libraries = subprocess.run(["ldd", perfpair], text=True, check=True,
                               stdout=subprocess.PIPE).stdout
    for path in re.findall(r"(/\S+) \(0x", libraries):
        shutil.copy(path, place)
    loader, = [path.name for path in place.glob("ld-*")] or [None]
    start = [f"/reader/{loader}", "--library-path", "/reader"] if loader else []

    def run_there(words, path):
        shutil.copy(path, place / "t.data")
        if words[0] == "report":  # as raw_perfpair does here
            words = ["report", "--raw-addresses", *words[1:]]
        return printed(["chroot", other_debian, *start, "/reader/perfpair",
                        *words, "-i", "/reader/t.data"],
                       {"TZ": "UTC", "LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    return run_there


@pytest.mark.slow  # half a minute of debootstrap
@pytest.mark.parametrize("name", COMMANDS)
def test_other_debian__text_is_that_of_the_host(name, mix, host, moved):
    here, there = host(name), moved([*COMMANDS[name], "--no-inline"], mix.out)
    if "report" in COMMANDS[name]:
        assert len(here) > 1000
    same_lines(here, there)


def test_programs__are_named(mix, host):
    """Each kind by a function of its own, in samples of its own."""
    text = host("flat")
    for program, function in mix.names.items():
        assert re.search(rf" {program} +\[\.\] {function}\b", text), program
    assert re.search(r"\[kernel.kallsyms\] +\[k\] \w", text)


@pytest.mark.parametrize("tool, function", [("node", r"turned\b"),
                                            ("java", r"Hot(\.|::)turn\b")])
def test_jit__functions_have_the_names_of_its_map(tool, function, mix, elsewhere,
                                                  perfpair, home):
    """The process has ended: its map is left in /tmp."""
    if not shutil.which(tool) or not shutil.which("javac"):
        pytest.skip(f"{tool} is not installed")
    text = printed([perfpair, "report", "--stdio", "-g", "none", "-s", "sym",
                    *elsewhere, "-i", mix.out], home)
    assert re.search(function, text)


@pytest.mark.parametrize("name", ["deleted", "replaced"])
def test_files_that_are_gone__are_read_while_their_process_runs(
        name, mix, elsewhere, perfpair, home):
    """Through /proc/PID/map_files, which has the mapped file itself."""
    text = printed([perfpair, "report", "--stdio", "-g", "none", "-s", "dso,sym",
                    *elsewhere, "-i", mix.out], home)
    assert re.search(rf" {name} +\[\.\] (leaf_\w+|compare)", text)


@pytest.mark.parametrize("name", ["short", "hidden"])
def test_files_that_are_gone__are_never_named_wrongly(name, mix, run, perfpair):
    """Gone with their process before the end of the recording: their names are
    carried or the reason why they are not."""
    lines = [line for line in files_of(run, perfpair, mix.out).splitlines()
             if re.search(rf"/{name}(:|$)", line)]
    assert lines
    for line in lines:
        named, hit = map(int, re.search(r" (\d+)/(\d+) /", line).groups())
        assert hit > 0
        assert named == hit or line.endswith(": it was gone before it could be read")


@pytest.fixture(scope="module")
def stripped_of_names(mix):
    """The same recording as it was before it got its names."""
    path = mix.out.with_name("without.data")
    path.write_bytes(without_names(mix.out.read_bytes()))
    return path


@pytest.mark.parametrize("words", [
    ["script"], ["report", "--stdio", "-g", "none"],
    ["report", "--stdio", "--no-children", "-g", "none", "-s", "dso,sym"]],
    ids=" ".join)
def test_perf__reads_it_silently(words, mix, stripped_of_names, run, perf, home):
    """The same text as without the names."""
    with_names, without = [
        run([perf, *words, "--no-inline", "-i", path], env=home)
        for path in (mix.out, stripped_of_names)]
    if with_names.returncode < 0 or without.returncode < 0:
        pytest.skip("perf 6.1 ends in a signal (build-id.c:1010, mostly)")
    assert with_names.returncode == without.returncode == 0
    assert with_names.stderr == without.stderr
    assert "arning" not in with_names.stderr
    same_text(TIP.sub("", with_names.stdout), TIP.sub("", without.stdout))


def test_perf__injects_it_silently(mix, stripped_of_names, run, perf, home):
    texts = []
    for at, path in enumerate((mix.out, stripped_of_names)):
        done = run([perf, "inject", "-i", path, "-o", f"{at}.data"], env=home)
        if done.returncode < 0:
            pytest.skip("perf 6.1 ends in a signal")
        assert (done.returncode, done.stderr) == (0, "")
        texts.append(run([perf, "script", "--no-inline", "-i", f"{at}.data"],
                         env=home).stdout)
    same_text(*texts)


@pytest.fixture
def limited(run, perfpair, perfpair_record, may_record, workload, tmp_path):
    """limited(OPTION...): the bytes of the sections of a recording with that
    limit, and what is listed."""
    def record(*options):
        done = run([perfpair_record, "-q", *options, "-e", "cpu-clock", "-g",
                    "-o", "t.data", "--", "sh", "-c",
                    f"{workload('spin')} 100 cpu; "
                    "python3 -c 'sum(range(999999))'"])
        assert (done.returncode, done.stderr) == (0, "")
        checked = run([perfpair, "check", "-i", "t.data"])
        assert checked.returncode == 0, checked.stdout
        assert "leaf_hash" in run([perfpair, "report", "--stdio", "-i",
                                   "t.data"]).stdout
        data = (tmp_path / "t.data").read_bytes()
        return (sum(section[3] for section in sections(data)),
                files_of(run, perfpair, "t.data"))

    return record


def test_limits__of_bytes(limited):
    """The hottest keep their names; at last not even the files are listed."""
    whole, _ = limited()
    assert whole > 1500
    for most in (whole // 2, 700, 100):
        length, listed = limited("--carry-size", str(most))
        assert length <= most
        assert ("a limit" in listed) == (most > 100)


def test_limits__of_time(limited):
    """What there was no time for has no names, and says why."""
    _, listed = limited("--carry-time", "1us")
    named = re.findall(r" (\d+)/\d+ /", listed)
    assert set(named) <= {"0"}
