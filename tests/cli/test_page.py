"""The page of a recording holds what --format folded prints: report/page/README.md."""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from common import CORPUS, program
from golden import GEN
from made_file import File
from page_data import NAMELESS, REST, Page
from safe_text import shown


def report(path, *options, check=True, **more):
    done = subprocess.run(
        [program("report", "perfpair"), "report", "-i", path, *options],
        capture_output=True, stdin=subprocess.DEVNULL, **more)
    if check:
        assert done.returncode in (0, 3), done.stderr
    return done


def page_of(path, *options):
    html = report(path, "--format", "html", *options).stdout.decode()
    return Page(html) if html else None


def folded(path, has_events, *options):
    """{(name, ...): samples} of the stacks whose names are all known."""
    found = collections.Counter()
    for line in report(path, "--format", "folded", "--raw-addresses",
                       *options).stdout.decode(errors="replace").splitlines():
        stack, nr = line.rsplit(" ", 1)
        names = stack.split(";")[has_events:]
        if not any(re.fullmatch("0x[0-9a-f]+|0", name) for name in names):
            found[tuple(n.removesuffix(" (inlined)") for n in names)] += int(nr)
    return found


def stacks(page):
    found = collections.Counter()
    for tree in page.trees:
        for path, nr in tree.stacks().items():
            found[tuple(re.sub("[\r\n]", " ", name.replace(";", ":"))
                        for name, _, _ in path)] += nr
    return found


def check_page(path, *options):
    page = page_of(path, *options)
    if not page:
        assert not report(path, "--format", "folded", *options).stdout
        return None
    for tree, event in zip(page.trees, page.head["events"]):
        assert sum(e[4] for e in tree.entries) == event["samples"]
        assert sum(e[5] for e in tree.entries) == event["total"]
        for node, function in enumerate(tree.function[1:], 1):
            assert page.functions[function][2] != NAMELESS or \
                tree.function[tree.parent[node]] != function
        for _, at_bin, cpu, lane, nr, _ in tree.entries:
            assert at_bin < (page.head["time"] or {"bins": 1})["bins"]
            assert cpu < len(page.head["cpus"])
            assert lane < len(page.head["lanes"])
            assert nr > 0
    found = stacks(page)
    for names, nr in folded(path, len(page.head["events"]) > 1,
                            *options).items():
        assert found[names] == nr, names
    return page


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    subprocess.run([sys.executable, "-B", GEN, folder], check=True)
    return folder / "shown"


def test_generated_files(generated):
    # without branch stacks, which the page does not count
    for path in sorted(generated.glob("*-le.data")):
        check_page(path, "--no-branch-stack")


@pytest.mark.parametrize("path", sorted(
    p.relative_to(CORPUS) for p in CORPUS.glob("files/*/*.data")
    if p.is_file() and p.stat().st_size < 1 << 20), ids=str)
def test_corpus(path):
    check_page(CORPUS / path, "--no-branch-stack")


def test_recorded(perfpair_record, may_record, run, tmp_path):
    path = tmp_path / "t.data"
    run([perfpair_record, "-a", "-g", "-e", "cpu-clock", "-F", "999", "-o",
         path, "--", "sh", "-c", "for i in 1 2 3; do ls -R /usr/include; done"])
    page = check_page(path)
    assert page.head["time"]["bins"] == 2000
    assert {lane["comm"] for lane in page.head["lanes"]} >= {"ls"}
    only = check_page(path, "--comms", "ls")
    assert {names[0] for names in stacks(only)} == {"ls"}
    # half of the time has the samples of these bins
    first = check_page(path, "--time", "0%-50%")
    half = sum(e[4] for e in page.trees[0].entries if e[1] < 1000)
    assert abs(sum(e[4] for e in first.trees[0].entries) - half) <= 3


def test_page_size(perfpair_record, may_record, run, tmp_path):
    path = tmp_path / "t.data"
    run([perfpair_record, "-a", "-g", "-e", "cpu-clock", "-F", "4999", "-o",
         path, "--", "sh", "-c", "for i in 1 2 3; do ls -R /usr/include; done"])
    bare = ("--page-code", "none")  # instructions give way first
    whole = page_of(path, *bare)
    html = report(path, "--format", "html", *bare).stdout
    data = re.search(rb'id="data">([^<]*)<', html)[1]
    size = len(html) - len(data) // 4
    assert whole.head["left_out"] == {"nodes": 0, "samples": 0}
    less = page_of(path, *bare, "--page-size", str(size))
    out = report(path, "--format", "html", *bare, "--page-size", str(size)).stdout
    assert len(out) <= size
    assert less.head["events"] == whole.head["events"]
    left_out = less.head["left_out"]
    tree = less.trees[0]
    rests = [n for n, f in enumerate(tree.function)
             if less.functions[f][2] == REST]
    assert left_out["samples"] == sum(
        e[4] for e in tree.entries if e[0] in rests) > 0
    assert left_out["nodes"] == len(whole.trees[0].parent) - (
        len(tree.parent) - len(rests)) > 0
    # what is left has the samples that it had; names alone may be of several
    before, after = whole.trees[0].stacks(), tree.stacks()
    for frames, nr in after.items():
        if frames[-1][2] != REST:
            assert before[frames] == nr
    done = report(path, "--format", "html", "--page-size", "1k", check=False)
    assert done.returncode == 1
    assert b"--page-size" in done.stderr
    assert not done.stdout


HOSTILE = [b"</script><script>x=1", b"<!--<script>", b"\xe2\x80\xa8 \xe2\x80\xae",
           b"\xff\xfe", b'"\'&<>\0', b"a" * 15, b"\x1b[31m\n;"]


def test_hostile_names_stay_in_the_data(tmp_path):
    path = tmp_path / "t.data"
    made = File()
    for i, name in enumerate(HOSTILE):
        name = name[:15] + b"\0"
        made.comm(90 + 10 * i, name + bytes(-len(name) % 8))
        made.sample(95 + 10 * i)
    path.write_bytes(made.bytes())
    html = report(path, "--format", "html").stdout
    plain = html.split(b'id="data">')
    assert len(plain) == 2
    around = plain[0] + plain[1].split(b"</script>", 1)[1]
    assert re.fullmatch(rb"[!-%'-;=?-~]+", plain[1].split(b"</script>")[0])
    assert b"x=1" not in around and b"\x1b" not in around
    names = {names[0] for names in stacks(Page(html.decode()))}
    assert names == {shown(name[:15].split(b"\0")[0]).decode()
                     .replace(";", ":") for name in HOSTILE}


def test_page_asks_the_network_for_nothing(tmp_path):
    path = tmp_path / "t.data"
    path.write_bytes(File().some().bytes())
    html = report(path, "--format", "html").stdout.decode()
    policy = re.search('http-equiv="?Content-Security-Policy"? content="([^"]*)"',
                       html)[1]
    rules = policy.split("; ")
    for rule in ("default-src", "base-uri", "form-action"):
        assert f"{rule} 'none'" in rules
    assert "http" not in re.sub("http-equiv|http://www.w3.org/2000/svg", "", html)


def test_output_file(tmp_path):
    path = tmp_path / "t.data"
    path.write_bytes(File().some().bytes())
    out = tmp_path / "t.html"
    out.write_text("old")
    for _ in range(2):
        done = report(path, "--format", "html", "-o", out)
        assert not done.stdout
        assert out.read_bytes() == report(path, "--format", "html").stdout
    report(path, "-o", out, "-q")
    assert out.read_bytes() == report(path, "-q").stdout
    done = report(path, "-o", path, check=False)
    assert done.returncode == 2
    assert b"never overwritten" in done.stderr
    assert path.read_bytes() == File().some().bytes()
    done = report(tmp_path / "no.data", "-o", tmp_path / "new", check=False)
    assert done.returncode == 1
    assert not (tmp_path / "new").exists()


def test_view(tmp_path):
    """What view runs is what xdg-open gets; without a display nothing."""
    path = tmp_path / "t.data"
    path.write_bytes(File().some().bytes())
    opener = tmp_path / "xdg-open"
    opener.write_text(f"#!/bin/sh\necho \"$@\" >> {tmp_path}/opened\n")
    opener.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    command = [program("report", "perfpair"), "view", path]
    for display in ({}, {"DISPLAY": ":0"}):
        done = subprocess.run(command, env={**env, **display},
                              stdin=subprocess.DEVNULL,
                              capture_output=True, check=True)
        page = done.stdout.decode().strip()
        assert page.startswith(f"{tmp_path}/perfpair-")
        with open(page, "rb") as f:
            assert f.read() == report(path, "--format", "html").stdout
        assert (tmp_path / "opened").exists() == bool(display)
    assert (tmp_path / "opened").read_text().strip() == page
    folders = len(list(tmp_path.glob("perfpair-*")))
    done = subprocess.run([*command[:2], tmp_path / "no.data"], env=env,
                          cwd=tmp_path, stdin=subprocess.DEVNULL,
                          capture_output=True)
    assert done.returncode == 1
    assert len(list(tmp_path.glob("perfpair-*"))) == folders


def test_nameless_code_is_one_frame_of_its_file(tmp_path):
    path = tmp_path / "t.data"
    path.write_bytes(File().some().bytes())
    page = page_of(path)
    kinds = {kind for _, _, kind in page.functions}
    assert NAMELESS in kinds
    assert ("[unknown]", "", NAMELESS) in page.functions


def brief(names):
    """A stack with runs of frames without a name as one: a page has an address
    that calls itself once."""
    return tuple(n for i, n in enumerate(names) if n or not i or names[i - 1])


def test_addresses_without_a_name_when_asked_for(perfpair_record, may_record, run, tmp_path):
    """-g address: each is a frame, as folded stacks have them."""
    path = tmp_path / "perf.data"
    run([perfpair_record, "-q", "-g", "-e", "cpu-clock", "-F", "4999", "-o", path, "--", "sh", "-c",
         "for i in 1 2 3; do sort -R /usr/include/*.h | gzip -9 | sha256sum; done"])
    page = page_of(path, "-g", "address")
    shown = {name for name, _, kind in page.functions if kind == NAMELESS}
    assert len(shown) > 50 and all(re.fullmatch("0x[0-9a-f]+", name) for name in shown)
    lines = report(path, "--format", "folded", "--raw-addresses").stdout.decode().splitlines()
    named = collections.Counter()
    for stack, nr in (line.rsplit(" ", 1) for line in lines):
        names = stack.split(";")[len(page.head["events"]) > 1:]
        named[brief(["" if re.fullmatch("0x[0-9a-f]+|0", n) else n for n in names])] += int(nr)
    found = collections.Counter()
    for names, nr in stacks(page).items():
        found[brief(["" if n in shown else n for n in names])] += nr
    assert found == named


def diff(perfpair, *words):
    done = subprocess.run([perfpair, "diff", *words], capture_output=True,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_comparison(perfpair, tmp_path):
    """The tree has all runs, the table what --format json prints."""
    paths = []
    for run, names in enumerate([b"one one two", b"one two two", b"two", b"one"]):
        made = File()
        made.comm(90)
        for i, name in enumerate(names.split()):
            made.comm(100 + 10 * i, name + bytes(8 - len(name)))
            for at in range(4):
                made.sample(101 + 10 * i + at)
        paths.append(tmp_path / f"{run}.data")
        paths[-1].write_bytes(made.bytes())
    words = ["-s", "comm", "--old", *paths[:2], "--new", *paths[2:]]
    page = Page(diff(perfpair, *words, "--format", "html"))
    assert page.head["diff"] == json.loads(diff(perfpair, *words,
                                                "--format", "json"))
    assert [lane["comm"] for lane in page.head["lanes"]] == \
        [str(path) for path in paths]
    assert len(page.head["recordings"]) == 4
    found = collections.Counter()
    tree = page.trees[0]
    for node, _, _, lane, nr, _ in tree.entries:
        while tree.parent[node]:
            node = tree.parent[node]
        found[lane, page.functions[tree.function[node]][0]] += nr
    assert found == {(0, "one"): 8, (0, "two"): 4, (1, "one"): 4,
                     (1, "two"): 8, (2, "two"): 4, (3, "one"): 4}
    out = tmp_path / "out.html"
    assert not diff(perfpair, *words, "--format", "html", "--output", out)
    assert Page(out.read_text()).head == page.head


def test_view_of_several_files_is_a_comparison(perfpair, tmp_path):
    path, other = tmp_path / "a.data", tmp_path / "b.data"
    for name in path, other:
        name.write_bytes(File().some().bytes())
    env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    for words in ([path, other], ["--old", path, "--new", other]):
        done = subprocess.run([perfpair, "view", *words], env=env,
                              stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=True)
        with open(done.stdout.strip(), encoding="utf-8") as f:
            assert "diff" in Page(f.read()).head


def test_view_without_a_display_says_how_to_fetch_the_page(perfpair, tmp_path):
    (tmp_path / "a.data").write_bytes(File().some().bytes())
    env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}

    def view(*words, **more):
        done = subprocess.run([perfpair, "view", "a.data", *words], env=env | more, cwd=tmp_path,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0
        return done.stdout.strip(), done.stderr

    page, said = view()
    assert re.fullmatch(rf"perfpair: no browser here; elsewhere: ssh \S+ cat {page} > page.html\n",
                        said)
    assert f"cat {tmp_path}/p.html >" in view("-o", "p.html")[1]
    assert view("-o", "a b.html") == ("a b.html", "")  # two shells would split it
    assert "ssh" in view(DISPLAY=":77", PATH="/nowhere")[1]  # has no xdg-open
    opener = tmp_path / "xdg-open"
    opener.write_text("#!/bin/sh\n[ -s \"$1\" ]\n")
    opener.chmod(0o755)
    assert view(DISPLAY=":77", PATH=tmp_path)[1] == ""


def test_view_removes_its_pages_after_a_day(perfpair, tmp_path):
    (tmp_path / "a.data").write_bytes(File().some().bytes())
    env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}

    def folder(name, files, mode=0o700, age_s=90000):
        path = tmp_path / name
        path.mkdir(mode=mode)
        for file in files:
            (path / file).write_text("x")
            os.utime(path / file, (time.time() - age_s,) * 2)
        return path

    gone = folder("perfpair-abcdef", ["page.html"])
    kept = [folder("perfpair-young1", ["page.html"], age_s=80000),
            folder("perfpair-read01", ["page.html"], mode=0o755),
            folder("perfpair-abcdefg", ["page.html"]), folder("other-abcdef", ["page.html"]),
            folder("perfpair-other1", ["other.html"])]
    more = folder("perfpair-more01", ["page.html", "mine"])
    os.utime(folder("real", ["page.html"]))
    (tmp_path / "perfpair-link01").symlink_to("real")
    subprocess.run([perfpair, "view", "a.data"], env=env, cwd=tmp_path, check=True,
                   stdin=subprocess.DEVNULL, capture_output=True)
    assert not gone.exists()
    assert all(len(list(path.iterdir())) == 1 for path in [*kept, tmp_path / "real"])
    assert [path.name for path in more.iterdir()] == ["mine"]


@pytest.mark.parametrize("option", [["-o", "p.html"], ["-op.html"], ["--output", "p.html"],
                                    ["--outp=p.html"]], ids=" ".join)
@pytest.mark.parametrize("files", [["a.data"], ["a.data", "b.data"],
                                   ["--old", "a.data", "--new", "b.data"]], ids=" ".join)
@pytest.mark.parametrize("is_first", [True, False])
def test_view_writes_where_it_is_told(perfpair, tmp_path, option, files, is_first):
    for name in "a.data", "b.data":
        (tmp_path / name).write_bytes(File().some().bytes())
    words = [*option, *files] if is_first else [*files, *option]
    env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    done = subprocess.run([perfpair, "view", *words], env=env, cwd=tmp_path,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "p.html\n"), done.stderr
    page = Page((tmp_path / "p.html").read_text())
    assert ("diff" in page.head) == (len(files) > 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.data", "b.data", "p.html"]


def test_view_shows_pages_alone(perfpair, tmp_path):
    path = tmp_path / "a.data"
    path.write_bytes(File().some().bytes())
    for files in [path], [path, path]:
        done = subprocess.run([perfpair, "view", "--format", "json", *files], cwd=tmp_path,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--format" in done.stderr


@pytest.mark.parametrize("words, said", [
    (["--off-cpu"], "unknown option '--off-cpu'"), (["--no-interval"], "is for text")])
def test_view_of_several_files_takes_the_options_of_diff(perfpair, tmp_path, words, said):
    """It showed them as one run if diff did not know an option."""
    path = tmp_path / "a.data"
    path.write_bytes(File().some().bytes())
    done = subprocess.run([perfpair, "view", *words, path, path], cwd=tmp_path,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "several files are compared" in done.stderr


LONG = "int main(void)\n{\n\tvolatile unsigned x = 1;\n" + "\tif (x == 7) {\n" + "\tx = x * 3 + 5;\n" * 600 + \
    "\t}\n\tfor (unsigned i = 0; i < 60000000; i++)\n\t\tx = x * 5 + 1;\n\treturn 0;\n}\n"


def code_of(page, name):
    at = next(i for i, f in enumerate(page.functions) if f[0] == name and f[2] == 0)
    return page.code.of.get(at, [])


@pytest.fixture(scope="module")
def coded(perfpair_record, may_record, tmp_path_factory):
    """Two recordings of one program, whose main is long and mostly cold."""
    folder = tmp_path_factory.mktemp("coded")
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    (folder / "long.c").write_text(LONG)
    subprocess.run(["gcc", "-g", "-O0", "-o", folder / "long", folder / "long.c"], check=True)
    for name in ("a.data", "b.data"):
        subprocess.run([perfpair_record, "-q", "-g", "-e", "cpu-clock", "-F", "4999", "-o", folder / name, "--",
                        folder / "long"], check=True)
    return folder


def test_instructions_of_several_recordings_add_up(coded):
    one, two = (page_of(coded / f) for f in ("a.data", "b.data"))
    both = page_of(coded / "a.data", "-i", coded / "b.data")
    sums = {}
    for page in (one, two):
        for row in code_of(page, "main"):
            sums[row["address"]] = sums.get(row["address"], 0) + row["samples"][0]
    got = {row["address"]: row["samples"][0] for row in code_of(both, "main")}
    assert {a: n for a, n in got.items() if n} == {a: n for a, n in sums.items() if n}
    own = sum(e[4] for e in both.trees[0].entries if both.functions[both.trees[0].function[e[0]]][0] == "main")
    assert sum(got.values()) == own > 100


def test_cold_instructions_are_left_out(coded):
    page = page_of(coded / "a.data")
    rows = code_of(page, "main")
    assert len(rows) < 300 < 600 < sum(r["skipped"] for r in rows)
    hot = [i for i, r in enumerate(rows) if r["samples"][0]]
    assert all(min(abs(i - h) for h in hot) <= 40 for i in range(len(rows)))
    # addresses jump over what is left out, and a loop's jump finds its row
    assert rows[0]["skipped"] > 600
    back = [r for r in rows if r["target"] & 1 and rows[(r["target"] - 1) // 2]["address"] < r["address"]]
    assert len(back) == 1 and back[0]["text"].startswith("j") and " " not in back[0]["text"]


def test_page_code(coded):
    path = coded / "a.data"
    assert page_of(path, "--page-code", "none").code is None
    plain, source = page_of(path), page_of(path, "--page-code=source")
    assert not plain.head["code"]["source"] and not any(plain.code.sources)
    # the dynamic linker's files stand beside ours if a sample hit it
    assert plain.code.files == source.code.files
    lines = source.code.sources[source.code.files.index("long.c")]
    text = LONG.split("\n")
    assert len(lines) >= 4
    assert all(line == text[n - 1] for n, line in lines.items())
    assert code_of(plain, "main") == code_of(source, "main")
    assert str(coded) not in json.dumps(plain.head["code"])
    done = report(path, "--format", "html", "--page-code", "all", check=False)
    assert done.returncode == 2 and b"--page-code" in done.stderr


def test_instructions_have_an_eighth_of_the_page(coded, perfpair_record, may_record, run, tmp_path):
    path = tmp_path / "t.data"
    run([perfpair_record, "-g", "-e", "cpu-clock", "-F", "4999", "-o", path, "--", "sh", "-c",
         "for i in 1 2 3; do ls -R /usr/include | sort | gzip -9 | md5sum; done"])
    for recording in (coded / "a.data", path):
        whole = page_of(recording)
        bare = len(report(recording, "--format", "html", "--page-code", "none").stdout)
        rows = sum(map(len, whole.code.of.values()))
        assert rows > 10 and whole.head["code"]["left_out"] == []
        # hardly more than a viewer: an eighth of it has room for few instructions
        out = report(recording, "--format", "html", "--page-size", str(bare + 100), check=False)
        less = Page(out.stdout.decode())
        assert len(out.stdout) <= bare + 100
        left_out = less.head["code"]["left_out"]
        assert len(less.code.of) + len(left_out) + (less.head["left_out"]["nodes"] > 0) * 99 >= len(whole.code.of)
        assert not set(left_out) & set(less.code.of)
        # what stays is what has most samples, of functions that still have nodes
        drawn = {less.functions[f] for tree in less.trees for f in tree.function[1:]}
        kept = [sum(r["samples"][0] for r in rows) for rows in less.code.of.values()]
        sums = sorted((sum(r["samples"][0] for r in rows) for f, rows in whole.code.of.items()
                       if whole.functions[f] in drawn), reverse=True)
        assert sorted(kept, reverse=True) == sums[:len(kept)]
