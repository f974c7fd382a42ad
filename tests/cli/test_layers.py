"""Who may include whom, what the format library may call, and that names are
unique: the table of "Layers" in the style guide, held by machine."""

import collections
import fnmatch
import re
import shutil
import subprocess

import pytest

from common import ROOT, build_dir

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

C_HEADERS = {f"{name}.h" for name in (
    "assert ctype errno float inttypes iso646 limits math stdalign stdarg "
    "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string "
    "time").split()}

# The files that compress and decompress, and nobody else.
ZSTD_FILES = {"zstd_block", "zstd_compress", "zstd_decompress"}
KERNEL_HEADERS_OF_RECORD = ("linux/", "asm/")
ELF_HEADERS = {"elf.h", "libelf.h", "gelf.h", "dwarf.h"}

# Whose names start with what, by the folder of the libraries.
PREFIXES = {"format": "(pd|sup)_", "record": "rec_", "report": "rpt_"}


def sources(layer):
    return sorted(path for path in (ROOT / layer).rglob("*.[ch]"))


def includes_of(path):
    return INCLUDE.findall(path.read_text())


def layer_of(path):
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[1] == "support" else parts[0]


MAY_INCLUDE = {
    "format": {"format"},
    "format/support": {"format", "format/support"},
    "record": {"format", "format/support", "record"},
    "report": {"format", "format/support", "report"},
}


def wrong_quoted(path):
    layer = layer_of(path)
    for mark, name in includes_of(path):
        if mark == "<":
            continue
        if not (ROOT / name).is_file():
            yield f"{path.relative_to(ROOT)}: {name} is not from the root"
            continue
        if layer_of(ROOT / name) not in MAY_INCLUDE[layer]:
            yield f"{path.relative_to(ROOT)} includes {name}"


def wrong_system(path):
    layer, stem = layer_of(path), path.stem
    for mark, name in includes_of(path):
        if mark == '"':
            continue
        bad = False
        if layer == "format":
            bad = name not in C_HEADERS | {"xxhash.h"} and not (
                name == "zstd.h" and stem in ZSTD_FILES) and not (
                name == "elf.h" and path.parent.name == "symtab")
        elif layer in ("report", "format/support"):
            bad = name.startswith("linux/perf_event")
        elif layer == "record":
            bad = name in ELF_HEADERS - {"elf.h"} or name.startswith("elfutils")
        if bad:
            yield f"{path.relative_to(ROOT)} includes <{name}>"


@pytest.mark.parametrize("layer", ["format", "record", "report"])
def test_layers_include_only_what_is_below(layer):
    files = sources(layer)
    assert files
    assert [bad for path in files for bad in wrong_quoted(path)] == []
    assert [bad for path in files for bad in wrong_system(path)] == []


@pytest.mark.parametrize("layer", ["format", "record", "report"])
def test_own_header_comes_first(layer):
    wrong = []
    for path in sources(layer):
        header = path.with_suffix(".h")
        if path.suffix != ".c" or not header.is_file():
            continue
        first = includes_of(path)[:1]
        if first != [('"', str(header.relative_to(ROOT)))]:
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def test_tests_include_no_source_file():
    wrong = [f"{path.name}: {name}" for path in (ROOT / "tests").rglob("*.[ch]")
             for _, name in includes_of(path) if name.endswith(".c")]
    assert wrong == []


def test_headers_have_guards_and_say_what_they_are():
    wrong = []
    for layer in ("format", "record", "report"):
        for path in sources(layer):
            if path.suffix != ".h":
                continue
            text = path.read_text()
            if not text.startswith(f"/* {path.name}: "):
                wrong.append(f"{path.name}: first line")
            if not re.search(r"^#ifndef \w+_H$", text, re.M):
                wrong.append(f"{path.name}: guard")
    assert wrong == []


def test_file_names_are_unique():
    """main.c stands once in each program's folder."""
    count = collections.Counter(
        path.name for layer in ("format", "record", "report")
        for path in sources(layer) if path.name != "main.c")
    assert [name for name, nr in count.items() if nr > 1] == []


def test_named_paragraphs_of_the_format_are_there():
    text = (ROOT / "format/FORMAT.md").read_text()
    there = set(re.findall(r"^## (.*)$", text, re.M))
    named = {(path.name, re.sub(r"\s+(\* )?", " ", name))
             for layer in ("format", "record", "report")
             for path in sources(layer)
             for name in re.findall(r'FORMAT\.md\s+(?:\* )?"([^"]+)"',
                                    path.read_text())}
    assert len(named) > 40
    assert sorted((file, name) for file, name in named
                  if name not in there) == []


def modules(layer):
    """Names of files; what is inside a module (_impl.h) counts as that."""
    return {path: path.stem.removesuffix("_impl") for path in sources(layer)}


def names_in(text):
    return re.findall(r"`([\w*]+)(?:\.h)?`", text)


def test_readme_of_the_format_names_every_module():
    """`name`, or by a pattern: `name_*`."""
    names = names_in((ROOT / "format/README.md").read_text())
    assert sorted(module for module in modules("format").values()
                  if not any(fnmatch.fnmatch(module, name) for name in names)
                  ) == []


def nm(archive, *options):
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    path = next(build_dir().rglob(archive), None)
    if path is None:
        pytest.fail(f"{archive} is not built")
    done = subprocess.run(["nm", "-P", *options, path], capture_output=True,
                          text=True, check=True)
    return {line.split()[0] for line in done.stdout.splitlines()
            if len(line.split()) > 1}


# Memory and strings, compression, hashes; what the compiler itself calls.
FORMAT_MAY_CALL = re.compile(
    r"(pd_|ZSTD_|XXH)\w+|_GLOBAL_OFFSET_TABLE_"
    r"|(m|c|re)alloc|reallocarray|free"
    r"|mem(chr|cmp|cpy|move|set|mem|rchr)"
    r"|str(n?len|n?dup|chr|rchr|n?cmp|spn|cspn|str|toul+|tol+|tod)"
    r"|v?snprintf|qsort|bsearch|__assert_fail|__stack_chk_fail"
    r"|__popcountdi2|__(isoc23_)?strto\w+"
    r"|__(asan|ubsan|tsan|sanitizer|sancov)_\w+")


def format_archives():
    """All rooms but support, which is not the format."""
    return sorted(path for path in (build_dir() / "format").rglob("*.a")
                  if path.name != "libpd_support.a")


def test_format_library_does_no_io():
    calls = set().union(*(nm(path.name, "-u") for path in format_archives()))
    assert "memcpy" in calls or "__asan_memcpy" in calls
    assert sorted(name for name in calls
                  if not FORMAT_MAY_CALL.fullmatch(name)) == []


def test_format_library_has_no_variables():
    """What can be written to lies in .data or .bss; tables with pointers, which
    only the loader writes, in .data.rel.ro."""
    done = subprocess.run(["readelf", "-SW", *format_archives()],
                          capture_output=True, text=True, check=True)
    if ".asan" in done.stdout or "asan_" in done.stdout:
        pytest.skip("the sanitizer's own variables are in the way")
    found = re.findall(r"\] (\.t?(?:data|bss)(?:\.[\w.]+)?) +\w+ +[0-9a-f]+ "
                       r"[0-9a-f]+ ([0-9a-f]+)", done.stdout)
    assert found
    assert [name for name, length in found
            if int(length, 16) and not name.startswith(".data.rel.ro")] == []


@pytest.mark.parametrize("folder", PREFIXES)
def test_public_names_have_their_prefix(folder):
    archives = sorted((build_dir() / folder).rglob("*.a"))
    assert archives
    names = {name for archive in archives
             for name in nm(archive.name, "-g", "--defined-only")
             if not name.startswith(("__asan", "__odr", "__sancov"))
             and not name.endswith(".o:") and "[" not in name}
    assert names
    assert sorted(name for name in names
                  if not re.match(PREFIXES[folder], name)) == []


def static_functions(path):
    return re.findall(r"^static (?:inline )?[\w *]*?\b(\w+)\([^;]*?\)\n\{",
                      path.read_text(), re.M | re.S)


def test_headers_define_a_function_once():
    """A static inline function of a header is everywhere: its name is
    unique."""
    count = collections.Counter(
        name for layer in ("format", "record", "report")
        for path in sources(layer) if path.suffix == ".h"
        for name in static_functions(path))
    assert [name for name, nr in count.items() if nr > 1] == []
