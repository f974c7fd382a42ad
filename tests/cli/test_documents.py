"""Documents name files that are there: links, paths, and the modules that tables of files list."""

import re

from common import ROOT

FOLDERS = ("", "record", "report", "format")


def documents():
    return [path for path in ROOT.rglob("*.md")
            if not re.match(r"\.|build$", path.relative_to(ROOT).parts[0])]


def rooms():
    return {path.parent.name for folder in FOLDERS[1:] for path in (ROOT / folder).glob("*/CMakeLists.txt")}


def is_there(base, path):
    """True for a file or folder, by its whole name, a pattern, or without the suffix."""
    return any(next((base / folder).glob(name), None) for folder in FOLDERS for name in (path, path + ".*"))


def test_links_lead_to_files():
    links = [(document, link) for document in documents()
             for link in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()) if "://" not in link]
    assert len(links) > 15
    assert [(str(document), link) for document, link in links if not (document.parent / link).exists()] == []


def test_links_within_a_document_lead_to_headings():
    for document in documents():
        text = document.read_text()
        headings = {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-")
                    for line in re.findall(r"^#+ (.*)$", text, re.M)}
        assert [link for link in re.findall(r"\]\(#([^)]+)\)", text) if link not in headings] == [], document


def test_paths_lead_to_files():
    """`record/event`, `tests/run.sh`, `ring/output`: what begins with a folder of the tree or a room."""
    tops = rooms() | {path.name for path in ROOT.iterdir() if path.is_dir()} - {"build"}
    paths = [(document, re.sub("NAME|FOLDER|ROOM", "*", path)) for document in documents()
             if document.name != "CHANGELOG.md"
             for path in re.findall(r"`([\w-]+(?:/[\w.*-]+)+)/?`", document.read_text()) if path.split("/")[0] in tops]
    assert len(paths) > 100
    assert sorted((str(document), path) for document, path in paths
                  if not is_there(ROOT, path) and not is_there(document.parent, path)) == []


def test_named_sources_are_there():
    """`loss_table.h`, wherever it lies."""
    there = {path.name for folder in (*FOLDERS[1:], "tests", "docs", "fixtures")
             for path in (ROOT / folder).rglob("*.[ch]")}
    named = {(document, name) for document in documents() if document.name != "CHANGELOG.md"
             for name in re.findall(r"`(\w+\.[ch])`", document.read_text()) if "NAME" not in name}
    assert len(named) > 30
    assert sorted((str(document), name) for document, name in named if name not in there) == []


def test_documents_that_sources_name_are_there():
    named = {(path, document) for folder in (*FOLDERS[1:], "tests", "install", "debian")
             for path in (ROOT / folder).rglob("*")
             if path.suffix in (".c", ".h", ".py", ".sh", ".txt", ".in")
             for document in re.findall(r"\b((?:docs|record|report|format|tests|fixtures)/[\w/]+\.md)\b",
                                        path.read_text(errors="replace"))}
    assert len(named) > 10
    assert sorted((str(path), document) for path, document in named if not (ROOT / document).is_file()) == []


def test_tables_of_files_list_modules():
    """The first cells of tables that begin with "| file | does |": modules, and rooms."""
    there = {path.stem for folder in FOLDERS[1:] for path in (ROOT / folder).rglob("*.[ch]")} | rooms()
    listed = [(document, name) for document in documents()
              for table in re.findall(r"^\| file \| does \|\n\|---\|---\|\n((?:\|.*\n)+)", document.read_text(), re.M)
              for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert len(listed) > 80
    assert sorted((str(document), name) for document, name in listed if name not in there) == []
