"""The viewer's modules: types, size, what the joiner needs of them, and what they
must not use."""

import re
import shutil
import subprocess

import pytest

import encode_page
from shown_page import VIEWER

MODULES = sorted(VIEWER.glob("*.js"))
MOST_BYTES = 62 * 1024


def top_names(text):
    return re.findall(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", text, re.M)


def test_page_and_viewer_are_small(viewer):
    page, program = viewer
    assert len(page.encode()) + len(encode_page.block(program.encode())) <= MOST_BYTES


def test_types(npm_tools):
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    done = subprocess.run(
        [node, npm_tools / "typescript/bin/tsc", "--checkJs", "--allowJs", "--strict", "--noEmit", "--target", "es2022",
         "--module", "es2022", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable",
         "--typeRoots", VIEWER, *MODULES], stdout=subprocess.PIPE, text=True)
    assert done.stdout == ""


def test_joined_program_is_a_script(viewer, tmp_path):
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    (tmp_path / "program.js").write_text(viewer[1])
    subprocess.run([node, "--check", tmp_path / "program.js"], check=True)


def test_each_module_is_joined_once_after_what_it_imports():
    joined = re.search(r"set\(MODULES ([^)]*)\)", (VIEWER / "join.cmake").read_text())[1].split()
    assert sorted(joined) == [m.stem for m in MODULES]
    late = []
    for module in MODULES:
        for name in re.findall(r"^import .* from '\./(\w+)\.js';$", module.read_text(), re.M):
            if joined.index(name) > joined.index(module.stem):
                late.append((module.stem, name))
    assert late == []


def test_modules_keep_what_the_joiner_needs():
    seen = {}
    for module in MODULES:
        text = module.read_text()
        for name in top_names(text):
            assert seen.setdefault(name, module.stem) == module.stem, f"{name} is in {seen[name]} and {module.stem}"
        for line in text.split("\n"):
            if "import" in line and re.match(r"\s*import\b", line):
                assert re.fullmatch(r"import \{ [\w, ]+ \} from '\./\w+\.js';", line), line
            if re.match(r"\s*export\b", line):
                assert re.match(r"export (async |)(const|function|class) \w", line), line
            # a cast at the start of a line would go with the comments
            assert not re.match(r"\s*/\*.*\*/.*\S", line) or line.rstrip().endswith("*/"), line
            assert line.count("`") % 2 == 0, "a text over several lines: " + line


@pytest.mark.parametrize("word", [
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "createContextualFragment", "srcdoc",
    "eval(", "new Function(", "fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(",
    "Worker(", "localStorage", "webgl", "https:"])
def test_viewer_does_not_use(viewer, word):
    assert word not in viewer[0] + viewer[1]


def test_policy_of_the_page(viewer):
    assert re.findall(r'Content-Security-Policy" content="([^"]*)"', viewer[0]) == [
        "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'unsafe-inline'; "
        "style-src 'unsafe-inline'; img-src data: blob:"]
    assert "http:" not in viewer[0]
    # the name of SVG is the only address
    assert re.findall(r"http:[^']*", viewer[1]) == ["http://www.w3.org/2000/svg"]


def test_files_are_short():
    for module in MODULES:
        assert len(module.read_text().split("\n")) <= 500, module
