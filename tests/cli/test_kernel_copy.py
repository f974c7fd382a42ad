"""Names of the running kernel out of the build-id cache: as perf record leaves
/proc/kallsyms there, but for names that nothing else can tell."""

import os
import re
import subprocess

import pytest

from made_file import File

LINE = re.compile(r"^([0-9a-f]{16}) ([TtWwDdBb]) ([^$\s]\S*)$", re.M)
MADE_UP = "perfpair_made_up"


def build_id_of_notes():
    """Of the kernel that runs, 20 bytes; None: it does not tell."""
    try:
        with open("/sys/kernel/notes", "rb") as file:
            notes = file.read()
    except OSError:
        return None
    at = notes.find(b"\x14\0\0\0\x03\0\0\0GNU\0")
    return notes[at + 12:at + 32] if at >= 0 else None


@pytest.fixture(scope="module")
def kernel():
    """Its build-id, its kallsyms, and the image's symbols: those in front of
    the first module's."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        text = file.read()
    image = text[:text.rfind("\n", 0, text.find("\t")) + 1] \
        if "\t" in text else text
    symbols = [(int(addr, 16), name) for addr, _, name in LINE.findall(image)]
    build_id = build_id_of_notes()
    if not build_id or not dict(map(reversed, symbols)).get("_text"):
        pytest.skip("the kernel hides its addresses, or has no build-id")
    return build_id, text, symbols


def function_of(symbols, nr):
    """A symbol somewhere in the middle, alone at its address, and no other of
    its name."""
    names = [name for _, name in symbols]
    for k in range(nr, len(symbols) - 1):
        addr, name = symbols[k]
        if (symbols[k - 1][0] < addr < symbols[k + 1][0]
                and names.count(name) == 1):
            return addr, name
    raise AssertionError("the kernel has no such symbol")


@pytest.fixture
def cache(tmp_path, kernel):
    """Puts a copy of kallsyms, with some names made up, into the cache."""
    def put(*names):
        build_id, text, _ = kernel
        hexes = build_id.hex()
        folder = tmp_path / ".debug" / ".build-id" / hexes[:2] / hexes[2:]
        folder.mkdir(parents=True)
        for name in names:
            text = re.sub(rf"(?m)^(\w+ \w) {re.escape(name)}$",
                          rf"\1 {MADE_UP}", text)
        (folder / "kallsyms").write_text(text)
    return put


def recording(path, kernel, ip, build_id, moved_by=0, module=None):
    """One sample in the kernel, which lay elsewhere by so much then, or in a
    module that lies at that page."""
    made = File()
    e = made.e
    start = dict(map(reversed, kernel[2]))["_text"] + moved_by
    name = b"[kernel.kallsyms]_text\0\0"
    made.add(10, e.pack("II", 0xffffffff, 0) + e.words(start, 1 << 26, start)
             + bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0")
             + e.pack("II", 5, 2) + name, misc=1 | 1 << 14)
    if module:
        name = module.encode() + b"\0"
        made.add(1, e.pack("II", 0xffffffff, 0)
                 + e.words(ip & ~0xfff, 1 << 16, 0)
                 + name + bytes(-len(name) % 8), misc=1)
    made.sample(100)
    sample = made.records[-1]
    made.records[-1] = (e.pack("IHH", 9, 1, len(sample))
                        + e.words(ip + moved_by) + sample[16:])
    path.write_bytes(made.recorded_here().bytes())
    return path


@pytest.fixture
def names(perfpair, tmp_path):
    """Of a recording's only sample, as report and script show it."""
    def of(at):
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        shown = []
        for words in (["report", "-q", "-s", "sym",
                       "--raw-addresses"], ["script", "-F", "ip,sym"],
                      ["report", "-q", "-s", "sym",
                       "--raw-addresses", "--jobs", "1"]):
            done = subprocess.run([perfpair, *words, "-i", at], env=env,
                                  text=True, capture_output=True, timeout=60,
                                  check=True)
            shown.append(done.stdout.split()[-1])
        return set(shown)
    return of


def test_a_copy_tells_the_names_of_the_image(names, cache, kernel, tmp_path):
    addr, name = function_of(kernel[2], 5000)
    at = recording(tmp_path / "p.data", kernel, addr + 1, kernel[0])
    assert names(at) == {name}
    cache(name)
    assert names(at) == {MADE_UP}


def test_what_is_outside_of_the_image_is_asked_of_the_kernel(
        names, cache, kernel, tmp_path):
    addr, name = kernel[2][-1]
    at = recording(tmp_path / "p.data", kernel, addr, kernel[0])
    cache(name)
    assert names(at) == {name}


def test_modules_are_asked_of_the_kernel(names, cache, kernel, tmp_path):
    found = re.search(r"(?m)^(\w{16}) [tT] (\S+)\t(\[\w+\])$", kernel[1])
    if not found:
        pytest.skip("no module is loaded")
    at = recording(tmp_path / "p.data", kernel, int(found[1], 16), kernel[0],
                   module=found[3])
    cache(found[2])
    assert names(at) == {found[2]}


def test_a_recording_of_another_boot(names, cache, kernel, tmp_path):
    addr, name = function_of(kernel[2], 5000)
    at = recording(tmp_path / "p.data", kernel, addr, kernel[0], 0x200000)
    cache(name)
    assert names(at) == {name}


def test_a_recording_without_build_id(names, cache, kernel, tmp_path):
    """Release and machine in the header say that it was the running one."""
    addr, name = function_of(kernel[2], 5000)
    at = recording(tmp_path / "p.data", kernel, addr, b"")
    cache(name)
    assert names(at) == {MADE_UP}


def test_a_recording_of_another_kernel(names, cache, kernel, tmp_path):
    addr, name = function_of(kernel[2], 5000)
    at = recording(tmp_path / "p.data", kernel, addr, b"\xab" * 20)
    cache(name)
    assert names(at) == {f"0x{addr:016x}", "[unknown]"}


def test_a_copy_that_begins_otherwise(names, cache, kernel, tmp_path):
    addr, name = function_of(kernel[2], 5000)
    at = recording(tmp_path / "p.data", kernel, addr, kernel[0])
    cache(name, kernel[2][0][1])
    assert names(at) == {name}
