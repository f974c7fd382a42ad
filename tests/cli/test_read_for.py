"""With whose rights files are read whose names others have chosen: what a user may
not read is not read for him, be the reader root."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from common import until
from made_file import File
from page_data import Page

NOBODY = 65534
IP = 0x401234  # of every sample that File makes
BUILD_ID = "ab" * 20
SECRET = [f"root_only_{i}:x" for i in range(1, 31)]

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be more than others"),
    pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed"),
]

# the line table says that its code is of this line of a file, and the next
SOURCE = """\
static volatile int spun;
#line %d "%s"
__attribute__((noinline)) int work(int turns) { for (int i = 0; i < turns; i++)
	spun += i; return spun; }
int main(void) { return work(9) & 1; }
"""


def tool(*words, **kw):
    return subprocess.run([str(word) for word in words], check=True,
                          capture_output=True, text=True, **kw).stdout


def program_of(folder, named, owner=NOBODY, name="tool", line=7):
    """A program of a user, whose code comes from two lines of the file named."""
    source = folder / f"{name}.c"
    source.write_text(SOURCE % (line, named))
    tool("gcc", "-g", "-O1", "-fPIE", "-pie", f"-Wl,--build-id=0x{BUILD_ID}", "-o",
         folder / name, source)
    source.unlink()
    os.chown(folder / name, owner, owner)
    return folder / name


def recording(path, program, recorded=None):
    """Samples in work() of a program, recorded as that path."""
    offset = int(re.search(r"^(\w+) \w work$", tool("nm", program), re.M)[1], 16)
    made, name = File(), str(recorded or program).encode() + b"\0"
    e = made.e
    made.add(10, e.pack("II", 5, 5) + e.words(IP - 16, 4096, offset - 16)
             + e.pack("II", 0, 0) + e.words(0, 0) + e.pack("II", 5, 2)
             + name + bytes(-len(name) % 8), 91, misc=2)
    for time in (100, 110, 120):
        made.sample(time)
    path.write_bytes(made.bytes())
    return path


@pytest.fixture
def secret(open_folder):
    """A file of root alone, in a folder that is open to all."""
    path = open_folder / "secret"
    path.write_text("\n".join(SECRET) + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def texts(perfpair, open_folder):
    """texts(RECORDING, OPTION...): what of the secret the commands that show source
    show, by command; and what they say on stderr."""
    def of(path, *options, word="root_only"):
        ways = {
            "annotate": ["annotate", "-l", "--stdio", "-i", path],
            "script": ["script", "-F", "ip,sym,srccode", "-i", path],
            "carry": ["carry", "--force", "--source", "-i", path, "-o",
                      open_folder / "carried"],
            "page": ["report", "--format", "html", "--page-code=source", "-i", path],
        }
        shown, said = {}, {}
        for way, words in ways.items():
            done = subprocess.run([perfpair, *map(str, words), *options], text=True,
                                  capture_output=True, timeout=60, check=False)
            assert done.returncode in (0, 3), done.stderr
            text, said[way] = done.stdout, done.stderr
            if way == "carry":
                text = tool(perfpair, "script", "-F", "ip,sym,srccode", "-i",
                            open_folder / "carried", "--symfs", open_folder)
            elif way == "page":
                text = str(Page(text).code.sources)
            shown[way] = word in text
        return shown, said
    return of


EVERYWHERE = dict.fromkeys(("annotate", "script", "carry", "page"), True)
NOWHERE = dict.fromkeys(EVERYWHERE, False)


def test_source_that_the_owner_may_not_read(open_folder, secret, texts):
    """It went into recordings that are given away."""
    program = program_of(open_folder, secret)
    shown, said = texts(recording(open_folder / "r.data", program))
    assert shown == NOWHERE
    for text in said.values():
        assert text.count("left out, as the user whose file or recording names it "
                          f"may not read it: {secret} (of user {NOBODY})") == 1


@pytest.mark.parametrize("owner, mode", [(0, 0o600), (NOBODY, 0o644)])
def test_source_that_the_owner_may_read(open_folder, secret, texts, owner, mode):
    secret.chmod(mode)
    program = program_of(open_folder, secret, owner)
    shown, said = texts(recording(open_folder / "r.data", program))
    assert shown == EVERYWHERE
    assert "left out" not in str(said)


def test_source_in_a_folder_that_the_owner_may_not_enter(open_folder, secret, texts):
    (open_folder / "closed").mkdir(mode=0o700)
    named = secret.rename(open_folder / "closed/open.c")
    named.chmod(0o644)
    program = program_of(open_folder, named)
    assert texts(recording(open_folder / "r.data", program))[0] == NOWHERE


def test_source_for_a_group(open_folder, secret, texts):
    """A user is in the groups of /etc/group, not in that of his file."""
    secret.chmod(0o640)
    os.chown(secret, 0, 42)
    program = program_of(open_folder, secret)
    os.chown(program, NOBODY, 42)
    assert texts(recording(open_folder / "r.data", program))[0] == NOWHERE


def two_programs(path, folder, secret, line):
    """A recording of samples in a program of nobody's, whose code is of a line, and
    in one of root's, whose code is of line 7."""
    made, mapped = File(), 90
    e = made.e
    for program in (program_of(folder, secret, NOBODY, "other", line),
                    program_of(folder, secret, 0, "mine")):
        offset = int(re.search(r"^(\w+) \w work$", tool("nm", program), re.M)[1], 16)
        name = str(program).encode() + b"\0"
        made.add(10, e.pack("II", 5, 5) + e.words(IP - 16, 4096, offset - 16)
                 + e.pack("II", 0, 0) + e.words(mapped, 0) + e.pack("II", 5, 2) + name
                 + bytes(-len(name) % 8), mapped, misc=2)
        made.sample(mapped + 10)
        mapped += 100
    path.write_bytes(made.bytes())
    return path


def test_one_line_named_by_programs_of_two_users(open_folder, secret, texts):
    """The first who may read it counts, whichever is first."""
    shown, said = texts(two_programs(open_folder / "r.data", open_folder, secret, 7))
    assert shown == EVERYWHERE
    assert f"{secret} (of user {NOBODY})" in said["annotate"]


def test_lines_of_one_file_named_by_programs_of_two_users(open_folder, secret, texts):
    path = two_programs(open_folder / "r.data", open_folder, secret, 21)
    assert texts(path, word="root_only_7:")[0] == EVERYWHERE
    assert texts(path, word="root_only_21:")[0] == NOWHERE


@pytest.fixture
def as_other(perfpair, open_folder):
    """as_other(USER, RECORDING): what annotate prints as a user without rights."""
    if not shutil.which("setpriv"):
        pytest.skip("needs setpriv, to become another user")
    program = shutil.copy(perfpair, open_folder)

    def annotate(user, path):
        path.chmod(0o644)
        return subprocess.run(
            ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", program,
             "annotate", "--stdio", "-i", path], text=True, capture_output=True,
            timeout=60, check=True)
    return annotate


@pytest.mark.parametrize("mode, owner, is_shown", [
    (0o600, NOBODY, False), (0o604, NOBODY, True), (0o600, 1, False),
    (0o640, 1, False), (0o604, 1, True)])
def test_source_for_a_reader_without_rights(open_folder, secret, as_other, mode, owner,
                                            is_shown):
    """He cannot take those of user 1, whose program it is, but reads nothing of his
    own to him."""
    program = program_of(open_folder, secret, 1)
    os.chown(secret, owner, owner)
    secret.chmod(mode)
    done = as_other(NOBODY, recording(open_folder / "r.data", program))
    assert ("root_only" in done.stdout) == is_shown
    # and of his own program he reads what he may
    os.chown(program, NOBODY, NOBODY)
    done = as_other(NOBODY, recording(open_folder / "r.data", program))
    assert ("root_only" in done.stdout) == (owner == NOBODY or mode == 0o604)


def test_lines_of_a_recording(open_folder, secret, perfpair, texts):
    """The recording is nobody's, and says itself which lines its samples hit."""
    program = program_of(open_folder, secret, 0)
    tool(perfpair, "carry", "--lines", "--code", "-i",
         recording(open_folder / "r.data", program), "-o", open_folder / "given")
    program.unlink()
    assert texts(open_folder / "given")[0] == EVERYWHERE
    os.chown(open_folder / "given", NOBODY, NOBODY)
    shown, said = texts(open_folder / "given")
    assert shown == NOWHERE
    assert f"{secret} (of user {NOBODY})" in said["script"]
    # what came through a pipe is anybody's
    with (open_folder / "given").open("rb") as pipe:
        done = subprocess.run(f"cat | {perfpair} script -F ip,sym,srccode -i -",
                              shell=True, stdin=pipe, capture_output=True, text=True)
    assert "root_only" not in done.stdout
    assert f"{secret} (of anybody)" in done.stderr


@pytest.mark.parametrize("way", ["plain", "link", "dots"])
def test_source_stays_below_symfs(open_folder, secret, texts, way):
    """The whole of it is root's."""
    root = open_folder / "root"
    (root / "src").mkdir(parents=True)
    named = {"plain": secret, "link": "/src/link.c",
             "dots": "/src/../../secret"}[way]
    (root / "src/link.c").symlink_to(secret)
    program = program_of(root, named, 0)
    path = recording(open_folder / "r.data", program, "/tool")
    assert texts(path, "--symfs", root)[0] == NOWHERE
    if way == "plain":
        inside = root / str(secret)[1:]
        inside.parent.mkdir(parents=True)
        shutil.copy(secret, inside)
        assert texts(path, "--symfs", root)[0] == EVERYWHERE


def test_symfs_links_lead_to_what_is_below_it(open_folder, perfpair):
    """An absolute link there is one of that system, not of this one."""
    root = open_folder / "root"
    (root / "bin").mkdir(parents=True)
    program_of(root / "bin", "/none.c", 0, "real")
    (root / "tool").symlink_to("/bin/real")
    path = recording(open_folder / "r.data", root / "bin/real", "/tool")
    text = tool(perfpair, "report", "-q", "-i", path, "-s", "sym", "--symfs", root)
    assert text.split() == ["100.00%", "[.]", "work"]


@pytest.fixture
def debug_file(open_folder):
    """A stripped program of nobody's, and its debug file, root's alone."""
    (open_folder / "closed").mkdir(mode=0o700)
    program = program_of(open_folder, "/none.c")
    debug = open_folder / "closed/tool.debug"
    tool("objcopy", "--only-keep-debug", program, debug)
    path = recording(open_folder / "r.data", program)
    tool("strip", program)
    tool("objcopy", f"--add-gnu-debuglink={debug}", program)
    os.chown(program, NOBODY, NOBODY)
    (open_folder / "tool.debug").symlink_to(debug)
    return path, program, debug


def named(perfpair, path, *options, **kw):
    done = subprocess.run([perfpair, "report", "-q", "-i", path, "-s", "sym", *options],
                          capture_output=True, timeout=60, check=False, **kw)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().split()[-1], done.stderr.decode()


@pytest.mark.parametrize("way", ["closed", "open", "owned", "root", "pipe", "symfs"])
def test_mapped_file_that_the_owner_may_not_read(perfpair, open_folder, way):
    """A recording can name any file: root's names of it are not for its owner."""
    program = program_of(open_folder, "/none.c", NOBODY if way == "owned" else 0)
    program.chmod(0o755 if way == "open" else 0o700)
    path = recording(open_folder / "r.data", program)
    if way != "root":
        os.chown(path, NOBODY, NOBODY)
    options = ["--symfs", "/"] if way == "symfs" else []
    given = {"input": path.read_bytes()} if way == "pipe" else {}
    name, said = named(perfpair, "-" if given else path, *options, **given)
    assert (name == "work") == (way != "closed"), said
    assert (f"{program} (of user {NOBODY})" in said) == (way == "closed")


def test_debug_file_that_the_owner_may_not_read(perfpair, debug_file):
    path, program, debug = debug_file
    name, said = named(perfpair, path)
    assert name != "work"
    assert f"{program.parent}/tool.debug (of user {NOBODY})" in said
    debug.parent.chmod(0o755)
    assert named(perfpair, path) == ("work", "")


def test_cache_of_somebody_else(perfpair, debug_file, open_folder):
    """Such as that of the one who typed sudo, whose HOME it is."""
    path, program, debug = debug_file
    (open_folder / "tool.debug").unlink()
    entry = open_folder / f".debug/.build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}"
    entry.mkdir(parents=True)
    (entry / "debug").symlink_to(debug)
    os.chown(open_folder / ".debug", NOBODY, NOBODY)
    env = dict(os.environ, HOME=str(open_folder))
    assert named(perfpair, path, env=env)[0] != "work"
    os.chown(open_folder / ".debug", 0, 0)
    assert named(perfpair, path, env=env) == ("work", "")


def test_vmlinux_of_somebody_else_in_the_working_directory(perfpair, open_folder):
    """Its build-id is known to all; its names were shown."""
    source = open_folder / "work.c"
    source.write_text("void work(void) {} void _start(void) { work(); }\n")
    tool("gcc", "-O0", "-fno-pie", "-no-pie", "-nostdlib", "-static",
         "-Wl,-Ttext=0x401000", "-Wl,--defsym=_text=0x400000",
         f"-Wl,--build-id=0x{BUILD_ID}", "-o", open_folder / "vmlinux", source)
    made, name = File(), b"[kernel.kallsyms]_text\0\0"
    e = made.e
    made.add(10, e.pack("II", 0xffffffff, 0) + e.words(0x400000, 1 << 20, 0x400000)
             + e.pack("B3x", 20) + bytes.fromhex(BUILD_ID) + e.pack("II", 5, 2)
             + name, misc=0x4001)
    made.sample(100)
    ip = int(re.search(r"^(\w+) T work$", tool("nm", open_folder / "vmlinux"),
                       re.M)[1], 16)
    sample = made.records[-1]
    made.records[-1] = e.pack("IHH", 9, 1, len(sample)) + e.words(ip) + sample[16:]
    path = open_folder / "r.data"
    path.write_bytes(made.recorded_here().bytes())
    assert named(perfpair, path, cwd=open_folder) == ("work", "")
    os.chown(open_folder / "vmlinux", NOBODY, NOBODY)
    assert named(perfpair, path, cwd=open_folder)[0] != "work"


SHARED = """\
struct shared { int first_field, second_field, third_field; char buffer_of_bytes[40]; };
static inline __attribute__((always_inline)) int shared_inline(
	volatile struct shared *the_thing, int times_of_it)
{
	int the_result = 0, another_variable = times_of_it;
	for (int the_index = 0; the_index < times_of_it; the_index++)
		the_result += the_thing->first_field * another_variable;
	return the_result;
}
static volatile struct shared thing;
__attribute__((noinline)) int work(int turns) { return shared_inline(&thing, turns); }
int main(void) { return work(9) & 1; }
"""


@pytest.fixture
def shared(open_folder):
    """A recording of a program of nobody's, and the debug file that it shares with
    another one, which has the name of a function."""
    if not shutil.which("dwz"):
        pytest.skip("dwz is not installed")
    (open_folder / "shared.c").write_text(SHARED)
    for name in ("one", "two"):
        tool("gcc", "-g", "-O1", "-gdwarf-4", "-fPIE", "-pie", "-o",
             open_folder / name, open_folder / "shared.c")
    tool("dwz", "-m", "alt.debug", "one", "two", cwd=open_folder)
    os.chown(open_folder / "one", NOBODY, NOBODY)
    path = recording(open_folder / "r.data", open_folder / "one")
    return path, open_folder / "alt.debug"


def annotated(perfpair, path, *options):
    done = subprocess.run([perfpair, "annotate", "--stdio", "-i", path, *options],
                          text=True, capture_output=True, timeout=20, check=True)
    assert "work():" in done.stdout
    return "shared_inline():" in done.stdout, done.stderr


@pytest.mark.parametrize("place", ["beside", "absolute", "by build-id"])
def test_alternate_debug_file(shared, perfpair, open_folder, place):
    path, alt = shared
    options = []
    if place != "beside":
        root = open_folder / "root"
        root.mkdir()
        new = root / "alt.debug"
        if place == "by build-id":
            ident = re.search(r"Build ID: (\w+)", tool("readelf", "-n", alt))[1]
            new = root / f"usr/lib/debug/.build-id/{ident[:2]}/{ident[2:]}.debug"
        else:
            # as long as it was
            tool("objcopy", "--dump-section", f".gnu_debugaltlink={root}/link",
                 open_folder / "one")
            link = (root / "link").read_bytes().partition(b"\0")[2]
            (root / "link").write_bytes(b"/alt.debug\0" + link)
            tool("objcopy", f"--update-section=.gnu_debugaltlink={root}/link",
                 open_folder / "one")
        new.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(alt, new)
        program = root / str(open_folder / "one")[1:]
        program.parent.mkdir(parents=True)
        shutil.copy(open_folder / "one", program)
        options = ["--symfs", root]
    assert annotated(perfpair, path, *options) == (True, "")


def test_alternate_debug_file_that_the_owner_may_not_read(shared, perfpair):
    path, alt = shared
    alt.chmod(0o600)
    shown, said = annotated(perfpair, path)
    assert not shown and f"{alt} (of user {NOBODY})" in said


@pytest.mark.parametrize("what", ["fifo", "none", "another's"])
def test_alternate_debug_file_that_is_none(shared, perfpair, open_folder, what):
    """libdw opened a FIFO, and waited."""
    path, alt = shared
    alt.unlink()
    if what == "fifo":
        os.mkfifo(alt)
    elif what == "another's":
        shutil.copy(open_folder / "two", alt)
    assert annotated(perfpair, path) == (False, "")


def test_recording_of_files_in_a_folder(open_folder, secret, perfpair):
    """A link there led to any file, whose bytes script -D shows."""
    folder = open_folder / "perf.data"
    folder.mkdir()
    (folder / "data").write_bytes(File().some().bytes())
    (folder / "data.0").symlink_to(secret)
    done = subprocess.run([perfpair, "script", "-D", "-i", folder], text=True,
                          capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (1, "")
    assert "one of its files is a link" in done.stderr


# Whoever has a user namespace of his own mounts what he may not read.
MOUNTED = """\
mount -t tmpfs none /tmp && touch /tmp/perf-1.map &&
mount -c --bind secret.map /tmp/perf-1.map && echo mounted && exec ./jit - 60 none
"""


def child_of(pid):
    return until(lambda: open(f"/proc/{pid}/task/{pid}/children").read().split())[0]


@pytest.fixture
def mounted_map(open_folder, workload):
    """The pid of nobody's process, at whose perf map a file of root's alone is."""
    if not shutil.which("setpriv"):
        pytest.skip("needs setpriv, to become another user")
    secret = open_folder / "secret.map"
    secret.write_text("0 7fffffffffff root_only\n")
    secret.chmod(0o600)
    shutil.copy(workload("mapped_code"), open_folder / "jit")
    with subprocess.Popen(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
             "unshare", "-Urmpf", "--kill-child", "sh", "-c", MOUNTED],
            cwd=open_folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True) as process:
        try:
            if process.stdout.readline() != "mounted\n":
                pytest.skip("no user namespaces here: " + process.stderr.read())
            pid = child_of(process.pid)
            yield pid
            os.kill(int(pid), signal.SIGKILL)
            process.wait()
        finally:
            process.kill()


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="it makes code for x86-64")
def test_perf_map_that_a_user_has_mounted(mounted_map, perfpair_record, may_record,
                                          perfpair, open_folder):
    """Its lines were carried as names, and shown."""
    at = open_folder / "t.data"
    tool(perfpair_record, "-p", mounted_map, "-e", "cpu-clock", "-F", "999",
         "--duration", "300ms", "-o", at)
    carried = tool(perfpair, "buildid-list", "--carried", "-v", "-i", at)
    assert (f" of pid {mounted_map}: its perf map could not be read, or is another "
            "user's") in carried
    assert "root_only" not in carried
    rows = subprocess.run([perfpair, "report", "-i", at, "-s", "comm,sym"], text=True,
                          capture_output=True, check=True)
    assert "jit" in rows.stdout
    assert "root_only" not in rows.stdout
