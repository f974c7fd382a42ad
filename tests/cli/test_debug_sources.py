"""Names and source lines that come from elsewhere than the program's own symbol
table: .gnu_debugdata, a debuginfod server, DWARF."""

import gzip
import lzma
import os
import re
import shutil
import socket
import subprocess

import pytest

from made_file import File

SOURCE = """\
static volatile int spun;
__attribute__((noinline)) int work(int turns)
{
	for (int i = 0; i < turns; i++)
		spun += i;
	return spun;
}
int main(void) { return work(9) & 1; }
"""
IP = 0x401234  # of every sample that File makes
BUILD_ID = "ab" * 20

pytestmark = pytest.mark.skipif(not shutil.which("gcc"),
                                reason="gcc is not installed")


def tool(*words):
    return subprocess.run([str(word) for word in words], check=True,
                          capture_output=True, text=True).stdout


def offset_of(program, name):
    """Of a function in the file: the text segment lies where it is linked to."""
    found = re.search(rf"^(\w+) \w {name}$", tool("nm", program), re.M)
    return int(found[1], 16)


@pytest.fixture
def full(tmp_path):
    """A program with symbols and debug information."""
    (tmp_path / "work.c").write_text(SOURCE)
    tool("gcc", "-g", "-O0", "-fPIE", "-pie", f"-Wl,--build-id=0x{BUILD_ID}",
         "-o", tmp_path / "full", tmp_path / "work.c")
    return tmp_path / "full"


@pytest.fixture
def stripped(full, tmp_path):
    tool("strip", "-o", tmp_path / "tool", full)
    return tmp_path / "tool"


def put_map(made, program, offset, time):
    e = made.e
    name = str(program).encode() + b"\0"
    made.add(10, e.pack("II", 5, 5) + e.words(IP - 16, 4096, offset - 16)
             + e.pack("II", 0, 0) + e.words(0, 0) + e.pack("II", 5, 2)
             + name + bytes(-len(name) % 8), time, misc=2)


def recording(path, program, offset):
    """Three samples of one address of a program's file."""
    made = File()
    put_map(made, program, offset, 91)
    for time in (100, 110, 120):
        made.sample(time)
    path.write_bytes(made.bytes())
    return path


def cold_recording(path, program, offset):
    """One sample of the program's file, and many of another."""
    made = File()
    put_map(made, program, offset, 91)
    made.sample(100)
    put_map(made, path.with_name("away"), 4096, 200)
    for time in range(300, 500):
        made.sample(time)
    path.write_bytes(made.bytes())
    return path


@pytest.fixture
def report(perfpair, tmp_path):
    """Rows of report, blanks made one, and what it says on stderr."""
    def of(*words, **env):
        done = subprocess.run(
            [perfpair, "report", "-q", *map(str, words)], text=True,
            capture_output=True, timeout=60, check=False,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **env})
        assert done.returncode == 0, done.stderr
        return [" ".join(line.split()) for line in done.stdout.splitlines()
                if line.strip()], done.stderr
    return of


def test_rows_have_source_lines(report, full, tmp_path):
    at = recording(tmp_path / "p.data", full, offset_of(full, "work"))
    assert report("-i", at, "-s", "srcline,sym") == (
        ["100.00% work.c:3 [.] work"], "")
    assert report("-i", at, "-s", "srcfile") == (["100.00% work.c"], "")
    assert report("-i", at, "-F", "overhead,srcline", "--full-source-path") == (
        [f"100.00% {tmp_path}/work.c:3"], "")


def made_up(full):
    """The row of work() without its symbol: its bounds are in .eh_frame."""
    return f"100.00% [.] func_{offset_of(full, 'work'):x}"


def test_lines_that_nothing_tells(report, full, stripped, tmp_path):
    offset = offset_of(full, "work")
    at = recording(tmp_path / "p.data", stripped, offset)
    assert report("-i", at, "-s", "srcline,srcfile") == (
        [f"100.00% tool[{offset:x}]"], "")


def test_symbols_left_in_gnu_debugdata(report, full, stripped, tmp_path):
    symbols, packed = tmp_path / "symbols", tmp_path / "packed"
    tool("objcopy", "--only-keep-debug", full, symbols)
    tool("objcopy", "-S", "--keep-symbol=work", symbols)
    packed.write_bytes(lzma.compress(symbols.read_bytes()))
    at = recording(tmp_path / "p.data", stripped, offset_of(full, "work"))
    (before,), _ = report("-i", at, "-s", "sym")
    assert before == made_up(full)
    tool("objcopy", f"--add-section=.gnu_debugdata={packed}", stripped)
    assert report("-i", at, "-s", "sym") == (["100.00% [.] work"], "")
    # damaged: as if it were not there
    packed.write_bytes(packed.read_bytes()[:-40])
    tool("objcopy", f"--update-section=.gnu_debugdata={packed}", stripped)
    assert report("-i", at, "-s", "sym") == ([before], "")


def test_debug_file_without_symbols_of_a_program_that_is_gone(
        report, stripped, tmp_path):
    at = recording(tmp_path / "p.data", stripped, 4096)
    (tmp_path / ".debug").mkdir()
    stripped.rename(tmp_path / ".debug" / "tool")
    assert report("-i", at, "-s", "dso,sym") == (
        ["100.00% tool [.] [tool]"], "")


MODULE_START = 0xffffffffc0000000


def kernel_recording(path, maps, ip):
    """One sample in kernel mode."""
    made = File()
    e = made.e
    for start, length, pgoff, name in maps:
        text = str(name).encode() + b"\0"
        made.add(1, e.pack("II", 0xffffffff, 0) + e.words(start, length, pgoff)
                 + text + bytes(-len(text) % 8), misc=1)
    made.sample(100)
    sample = made.records[-1]
    made.records[-1] = (e.pack("IHH", 9, 1, len(sample)) + e.words(ip)
                        + sample[16:])
    path.write_bytes(made.recorded_here().bytes())
    return path


@pytest.mark.parametrize("moved_by", [0, 0x100000])
def test_kernel_lines_are_those_of_vmlinux(report, tmp_path, moved_by):
    (tmp_path / "work.c").write_text(SOURCE.replace("main", "_start"))
    vmlinux, start = tmp_path / "vmlinux", 0x400000 + moved_by
    tool("gcc", "-g", "-O0", "-fno-pie", "-no-pie", "-nostdlib", "-static",
         "-Wl,-Ttext=0x401000", "-Wl,--defsym=_text=0x400000", "-o", vmlinux,
         tmp_path / "work.c")
    at = kernel_recording(
        tmp_path / "p.data",
        [(start, 1 << 20, start, "[kernel.kallsyms]_text")],
        offset_of(vmlinux, "work") + moved_by)
    assert report("-i", at, "-k", vmlinux, "-s", "srcline,sym")[0] == [
        "100.00% work.c:3 [k] work"]


@pytest.mark.parametrize("suffix,pack", [("", bytes), (".gz", gzip.compress),
                                         (".xz", lzma.compress)])
def test_modules_may_be_compressed(report, tmp_path, suffix, pack):
    (tmp_path / "work.c").write_text(SOURCE)
    tool("gcc", "-c", "-O1", "-o", tmp_path / "work.ko", tmp_path / "work.c")
    module = tmp_path / f"made_up.ko{suffix}"
    module.write_bytes(pack((tmp_path / "work.ko").read_bytes()))
    at = kernel_recording(
        tmp_path / "p.data",
        [(0xffffffff81000000, 1 << 24, 0xffffffff81000000,
          "[kernel.kallsyms]_text"), (MODULE_START, 4096, 0, module)],
        MODULE_START)
    assert report("-i", at, "-s", "dso,sym")[0] == [
        "100.00% [made_up] [k] work"]


@pytest.fixture
def served(full, tmp_path):
    """Where a debuginfod server would have the program's debug file."""
    folder = tmp_path / "served" / "buildid" / BUILD_ID
    folder.mkdir(parents=True)
    tool("objcopy", "--only-keep-debug", full, folder / "debuginfo")
    return f"file://{tmp_path}/served"


def has_library():
    return any(os.path.exists(f"{folder}/libdebuginfod.so.1") for folder in
               ("/usr/lib", "/usr/lib64", f"/usr/lib/{os.uname().machine}-linux-gnu"))


needs_library = pytest.mark.skipif(not has_library(),
                                   reason="libdebuginfod is not installed")


@needs_library
def test_debuginfod_where_it_is_asked_for(report, full, stripped, served,
                                          tmp_path):
    at = recording(tmp_path / "p.data", stripped, offset_of(full, "work"))
    (bare,), told = report("-i", at, "-s", "sym", DEBUGINFOD_URLS=served)
    assert (bare, told) == (made_up(full), "")
    named = ["100.00% [.] work"]
    assert report("-i", at, "-s", "sym", f"--debuginfod={served}") == (
        named, "")
    shutil.rmtree(tmp_path / ".cache", ignore_errors=True)
    assert report("-i", at, "-s", "sym", "--debuginfod",
                  DEBUGINFOD_URLS=served) == (named, "")
    assert report("-i", at, "-s", "srcline", "--debuginfod",
                  DEBUGINFOD_URLS=served) == (["100.00% work.c:3"], "")


@needs_library
def test_debuginfod_in_script(perfpair, run, full, stripped, served, tmp_path):
    at = recording(tmp_path / "p.data", stripped, offset_of(full, "work"))
    command = [perfpair, "script", "-i", at, "-F", "ip,sym"]
    assert "work" not in run(command).stdout
    done = run([*command, f"--debuginfod={served}"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == 3 * [f"{IP:x}", "work"]
    lines = run([perfpair, "script", "-i", at, "-F", "ip,srcline",
                 f"--debuginfod={served}"]).stdout
    assert lines.count("work.c:3") == 3


@needs_library
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_debuginfod_does_not_choose_source_files(perfpair, run, stripped, full, served,
                                                 open_folder, tmp_path, mode):
    """A server's file names any: what anybody may read is shown."""
    named = open_folder / "work.c"
    (tmp_path / "work.c").rename(named)
    named.chmod(mode)
    tool("gcc", "-g", "-O0", "-fPIE", "-pie", f"-Wl,--build-id=0x{BUILD_ID}", "-o",
         full, named)
    tool("strip", "-o", stripped, full)
    tool("objcopy", "--only-keep-debug", full,
         tmp_path / "served/buildid" / BUILD_ID / "debuginfo")
    at = recording(tmp_path / "p.data", stripped, offset_of(full, "work"))
    done = run([perfpair, "script", "-i", at, "-F", "ip,srccode",
                f"--debuginfod={served}"])
    assert ("|3 " in done.stdout) == (mode == 0o644)
    assert (f"{named} (of anybody)" in done.stderr) == (mode == 0o600)


@needs_library
def test_debuginfod_says_what_did_not_come(report, full, stripped, tmp_path):
    at = recording(tmp_path / "p.data", stripped, offset_of(full, "work"))
    (tmp_path / "served").mkdir()
    (row,), told = report("-i", at, "-s", "sym",
                          f"--debuginfod=file://{tmp_path}/served")
    assert row == made_up(full)
    assert told == "perfpair: debuginfod: no server has 1 of 1 files\n"


def export(run, perfpair, folder, *words):
    """The names in the stacks of the files, and what it says."""
    done = run([perfpair, "export", "--format", "rows", "-o",
                folder / "samples", "--stacks", folder / "stacks", *words])
    assert done.returncode == 0, done.stderr
    return (folder / "stacks").read_text(), done.stderr


@needs_library
def test_debuginfod_for_slices_of_an_export(perfpair, run, full, stripped,
                                            served, tmp_path):
    """A file with few samples in one has many in another."""
    offset = offset_of(full, "work")
    cold = cold_recording(tmp_path / "cold.data", stripped, offset)
    hot = recording(tmp_path / "hot.data", stripped, offset)
    stacks, told = export(run, perfpair, tmp_path, f"--debuginfod={served}",
                          cold, hot)
    assert "\twork\t" in stacks
    assert f"func_{offset:x}" not in stacks
    assert told == ""


@needs_library
def test_debuginfod_asks_once_for_slices_of_an_export(perfpair, run, full,
                                                      stripped, tmp_path):
    slices = [recording(tmp_path / f"{i}.data", stripped,
                        offset_of(full, "work")) for i in range(4)]
    (tmp_path / "served").mkdir()
    _, told = export(run, perfpair, tmp_path,
                     f"--debuginfod=file://{tmp_path}/served", *slices)
    assert told == "perfpair: debuginfod: no server has 1 of 1 files\n"


@needs_library
def test_debuginfod_ends_with_its_time(report, full, stripped, tmp_path):
    at = recording(tmp_path / "p.data", stripped, offset_of(full, "work"))
    with socket.create_server(("127.0.0.1", 0)) as silent:  # never accepts
        port = silent.getsockname()[1]
        (row,), told = report("-i", at, "-s", "sym", "--debuginfod-limit=100ms",
                              f"--debuginfod=http://127.0.0.1:{port}/")
    assert row == made_up(full)
    assert told == ("perfpair: debuginfod: the time was over: 1 file not "
                    "fetched (--debuginfod-limit)\n")


def test_debuginfod_without_a_server(perfpair, run, full, tmp_path, monkeypatch):
    monkeypatch.delenv("DEBUGINFOD_URLS", raising=False)
    at = recording(tmp_path / "p.data", full, offset_of(full, "work"))
    done = run([perfpair, "report", "-i", str(at), "--debuginfod"])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("perfpair: option --debuginfod: no server is named, "
                           "neither there nor in DEBUGINFOD_URLS\n")
