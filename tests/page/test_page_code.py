"""The function page's source lines and instructions."""

import re
import shutil
import subprocess

import made_samples
import pytest
from encode_page import USER, Frame, Row, Sample
from page_data import Page
from shown_page import Shown
from test_page_hostile import FLAG, NAMES, shown
from test_page_views import chosen

ROWS = ("return [...document.querySelectorAll(arguments[0] + ' .rows .row:not([hidden])')].sort((a, b) => a.dataset.index - "
        "b.dataset.index).map((r) => [...r.children].map((c) => c.textContent))")
LINES, INSTRUCTIONS = ".listing .grid:first-child", ".listing .grid:last-child"
DOWN, ENTER = "\ue015", "\ue007"


def rows_of(page, name):
    return next(rows for f, rows in page.encoder.code.items() if f.name == name)


def share(part, whole):
    return f"{100 * part / whole:.2f} %" if part else ""


@pytest.mark.parametrize("event", ["cpu-clock", "cycles"])
def test_instructions_and_lines(coded, event):
    page = coded.open(f"v=function&f=recurse&a=1&e={event}", height=2400)
    rows = rows_of(page, "recurse")
    whole = sum(r.counts.get(event, (0, 0))[1] for r in rows)
    assert whole == sum(s.period for s in chosen(page, event) if (made_samples.owner(s) or s).__getattribute__(
        "name" if made_samples.owner(s) else "comm") == "recurse")
    got = page.js(ROWS, INSTRUCTIONS)
    assert [g for g in got if "nearby" in g[3]] == [["", "", "", "25 instructions without samples nearby"]]
    got = [g for g in got if "nearby" not in g[3]]
    assert len(got) == len(rows) == 40
    for r, (part, count, address, text) in zip(rows, got):
        samples, period = r.counts.get(event, (0, 0))
        assert (part, count, address) == (share(period, whole), str(samples) if samples else "", f"{r.address:x}")
        if isinstance(r.target, Frame):
            assert text == "call   → " + r.target.name
        elif r.target is not None:
            assert text == f"jne    ↑ {rows[r.target].address:x}"
        else:
            assert text == r.text
    by = {}
    for r in rows:
        at = by.setdefault((r.file, r.line), [0, 0])
        at[0] += r.counts.get(event, (0, 0))[1]
        at[1] += r.counts.get(event, (0, 0))[0]
    got, file = {}, None
    for part, count, line, text in page.js(ROWS, LINES):
        if not line:
            file = None if text == "no line is known" else text
        if line or file is None:
            got[file, int(line or 0)] = part, count, text
    for (file, line), (period, samples) in by.items():
        part, count, text = got.pop((file, line))
        assert (part, count) == (share(period, whole), str(samples) if samples else "")
        if file == "work.c":
            assert text == f"\twork(step_{line}, size);\t// line {line}"
        elif file:
            assert re.fullmatch(r"[0-9]+ instructions?", text)
    # the lines between and around, of the file whose text is held
    assert {key[0] for key in got} == {"work.c"} and all(v[:2] == ("", "") for v in got.values())
    assert min(k[1] for k in got) >= 77
    assert page.errors() == []


def test_code_by_keyboard(coded):
    page = coded.open("v=function&f=recurse")
    page.key("5")
    assert page.js("return document.querySelector('.listing').offsetParent") is None
    page.key("v")
    assert page.hash().endswith("&a=1&s=self-") or "a=1" in page.hash()
    current = f"document.querySelector('{INSTRUCTIONS} [aria-selected=true]')"
    rows = rows_of(page, "recurse")
    hot = sorted((r for r in rows if r.counts.get("cpu-clock")), key=lambda r: (-r.counts["cpu-clock"][1], r.address))
    assert page.js(f"return {current}.children[2].textContent") == f"{hot[0].address:x}"
    assert page.js("return document.activeElement === document.querySelector(arguments[0])", INSTRUCTIONS)
    # its line is the current one, and its other instructions are marked
    line = f"document.querySelector('{LINES} [aria-selected=true]')"
    assert page.js(f"return {line}.children[2].textContent") == str(hot[0].line)
    marked = page.js("return [...document.querySelectorAll(arguments[0] + ' .mine')].map((r) => r.children[2].textContent)",
                     INSTRUCTIONS)
    assert sorted(marked) == sorted(f"{r.address:x}" for r in rows if (r.file, r.line) == (hot[0].file, hot[0].line))
    page.key("h")
    assert page.js(f"return {current}.children[2].textContent") == f"{hot[1].address:x}"
    whole = sum(r.counts["cpu-clock"][1] for r in hot)
    assert page.text("#live").startswith(share(hot[1].counts["cpu-clock"][1], whole) + ", ")
    # Enter follows a jump, then a call
    page.key("\ue011", *[DOWN] * 4)
    assert page.js(f"return {current}.children[3].textContent").startswith("jne")
    page.key(ENTER)
    assert page.js(f"return {current}.children[2].textContent") == f"{rows[0].address:x}"
    page.key(DOWN, DOWN, ENTER)
    assert page.js("return pp.app.page.name[pp.app.state.fn]") == rows[2].target.name
    assert page.js("return pp.app.state.code") and page.text(".function h2") == rows[2].target.name
    assert page.js(ROWS, INSTRUCTIONS)[0][2] == "1000"
    page.key("v")
    assert page.js("return document.querySelector('.listing').offsetParent") is None
    assert page.js("return document.querySelector('.near').offsetParent") is not None
    assert page.errors() == []


def test_a_click_follows_a_call(coded):
    page = coded.open("v=function&f=recurse&a=1")
    page.js("document.querySelector('.listing .grid:last-child').scrollTop = 0")
    page.frame()
    page.js("[...document.querySelectorAll('.go')].find((g) => g.textContent.startsWith('→')).click()")
    page.frame()
    assert page.js("return pp.app.page.name[pp.app.state.fn]") == rows_of(page, "recurse")[2].target.name


def test_a_line_leads_to_its_hottest_instruction(coded):
    page = coded.open("v=function&f=recurse&a=1")
    rows = [r for r in rows_of(page, "recurse") if (r.file, r.line) == ("work.c", 85)]
    hot = max(rows, key=lambda r: r.counts.get("cpu-clock", (0, 0))[1])
    page.js("[...document.querySelectorAll(arguments[0] + ' .rows .row')].find((r) => r.children[2].textContent === '85').click()",
            LINES)
    page.frame()
    assert page.js("return document.querySelector(arguments[0] + ' [aria-selected=true]').children[2].textContent",
                   INSTRUCTIONS) == f"{hot.address:x}"


def test_what_the_page_does_not_have_is_said(coded):
    page = coded.open("v=function&f=free&a=1")
    assert "they did not fit into the page" in page.text(".about")
    page.open("v=function&f=memcpy&a=1")
    assert "No instructions here: /usr/lib/libc.so.6 is another build" in page.text(".about")
    page.open("v=function&f=main&a=1")
    assert "functions with at least 0.5 % of an event" in page.text(".about")
    page.open("v=function&f=inline_add&a=1")
    assert "in the functions that it is inlined into" in page.text(".about")
    page.open("v=facts")
    assert "120 rows of 3 functions with at least 0.5 % of an event; those of 1 other did not fit" in page.text(".facts")


def test_code_without_lines_has_no_pane_of_source(make_page):
    main = Frame("main", "/bin/x", USER)
    samples = [Sample("cycles", 10**9 + k, 0, "x", 1, 1, 1, [main]) for k in range(9)]
    rows = [Row(k * 4, 0, "nop", None, None, 0, {"cycles": (3, 3)} if k in (5, 50, 90) else {}) for k in range(100)]
    page = make_page(samples, code={main: rows}).open("v=function&f=main&a=1", width=700, height=600)
    assert not page.js("return document.querySelector(arguments[0]).offsetParent", LINES)
    assert page.js("return document.querySelectorAll('.mine').length") == 0
    # the hottest of equals is the first; each is in sight, with rows around it
    for k in (5, 50, 90, 5):
        current = page.js("""const at = document.querySelector('.listing [aria-selected=true]').getBoundingClientRect(),
            all = document.querySelector(arguments[0]).getBoundingClientRect();
            return [document.querySelector('.listing [aria-selected=true]').children[2].textContent, at.top - all.top,
                all.bottom - at.bottom]""", INSTRUCTIONS)
        assert current[0] == f"{k * 4:x}" and current[1] >= 22 and current[2] >= 22, current
        page.key("h")
    page.open("v=function&f=x")
    page.key("v")
    assert page.text("#live") == "the page has no instructions of this function" and "a=1" not in page.hash()


def test_a_page_without_code_has_no_word_of_it(made):
    page = made.open("v=function&f=recurse&a=1")
    assert page.js("return [...document.querySelectorAll('.about button')].every((b) => !b.offsetParent)")
    assert "nstructions" not in page.js("return document.querySelector('.function').innerText")
    assert page.js("return document.querySelector('.near').offsetParent") is not None


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_in_code(coded, npm_tools, artefacts, dark):
    page = coded.open("v=function&f=recurse&a=1&t=1-3", dark=dark)
    page.browser.save_screenshot(str(artefacts / f"code-{'dark' if dark else 'light'}.png"))
    page.browser.execute_cdp_cmd("Runtime.evaluate", {"expression": (npm_tools / "axe-core/axe.min.js").read_text()})
    found = page.browser.execute_async_script("""
        const done = arguments[0];
        axe.run({resultTypes: ['violations']}).then((r) => done(r.violations.map((v) =>
            [v.id, v.nodes.map((n) => n.html.slice(0, 100) + ' ' + n.failureSummary).slice(0, 3)])), (e) => done(String(e)))""")
    assert found == []


def test_hostile_code(make_page):
    names = [n for n in NAMES if n]
    main = Frame("main", "/bin/x", USER)
    samples = [Sample("cycles", 10**9 + k, 0, "x", 1, 1, 1, [main]) for k in range(len(names))]
    rows = [Row(k * 4, 0, n, None, names[-k - 1], k + 1, {"cycles": (1, 1)}) for k, n in enumerate(names)]
    sources = {names[-k - 1]: {k + 1: "\t" + n} for k, n in enumerate(names)}
    page = make_page(samples, code={main: rows}, sources=sources,
                     cut_code={"problems": [["x", f"<img src=x onerror={FLAG}>"]]})
    page.open("v=function&f=main&a=1", height=3000)
    page.key("h", ENTER, "v", "v")
    texts = [r[3].strip() for r in page.js(ROWS, INSTRUCTIONS)]
    cut = [shown(n) if len(shown(n)) < 300 else None for n in names]
    assert all(c is None or c.strip() in texts for c in cut)
    assert len(texts) == len(names) and max(map(len, texts)) < 400
    lines = [r[3].strip() for r in page.js(ROWS, LINES)]
    assert all(c is None or lines.count(c.strip()) >= 1 for c in cut)
    assert page.js("return window.__hostile") is None
    assert page.js("return document.querySelectorAll('script').length") == 4
    assert page.js("return document.querySelectorAll('img, iframe, object, embed, link, base, svg').length") == 0
    assert page.errors() == []


PROGRAM = r"""
#include <stdio.h>

static unsigned table[4096];

__attribute__((noipa)) unsigned step(unsigned seed)
{
	seed = seed * 1664525 + 1013904223;
	return seed * 0x2c1b3c6d ^ seed;
}

__attribute__((noipa)) unsigned fill(unsigned seed)
{
	for (unsigned i = 0; i < 4096; i++)
		table[i] = seed = step(seed) % 1000003;
	return seed;
}

__attribute__((noipa)) unsigned mix(unsigned sum)
{
	for (unsigned i = 0; i < 4096; i++)
		if (table[i] % 7 > 3) /* </script><b>odd */
			sum += table[i] / 3;
		else
			sum ^= table[i];
	return sum;
}

int main(void)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < 20000; i++)
		sum = mix(fill(sum));
	printf("%u\n", sum);
	return 0;
}
"""


@pytest.fixture(scope="module")
def program(perfpair, perfpair_record, may_record, tmp_path_factory):
    """(folder, run): a recording of the program above; run runs perfpair there."""
    folder = tmp_path_factory.mktemp("program")
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    (folder / "mix.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-g", "-O1", "-o", "mixer", "mix.c"], cwd=folder, check=True)
    subprocess.run([perfpair_record, "-q", "-g", "-e", "cpu-clock", "-F", "4999", "-o", "perf.data", "--", "./mixer"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def run(*words):
        done = subprocess.run([perfpair, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True)
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    return folder, run


def annotated(run, name, *options):
    """[(share as printed, address, samples)] of perfpair annotate."""
    rows = {}
    for option in ("", "-n"):
        text = run("annotate", *options, "--stdio", *([option] if option else []), name)
        for value, address in re.findall(r"^\s*([\d.]+) :\s+([0-9a-f]+):", text, re.M):
            rows.setdefault(address, []).append(value)
    return rows


@pytest.mark.parametrize("name", ["mix", "fill"])
def test_shares_are_those_of_annotate(chromium, program, name):
    folder, run = program
    run("report", "--format", "html", "-o", "page.html")
    page = Shown(chromium, folder / "page.html", None).open(f"v=function&f={name}&a=1", height=2400)
    expected = annotated(run, name)
    got = page.js(ROWS, INSTRUCTIONS)
    assert len(got) == len(expected) > 5
    for part, count, address, _ in got:
        share_, samples = expected[address]
        assert (part or "0.00 %") in (f"{float(share_):.2f} %", "< 0.01 %")
        assert int(count.replace(",", "") or 0) == int(float(samples))
    self_ = page.js("return pp.app.functions().selfSamples[pp.app.state.fn]")
    assert sum(int(g[1].replace(",", "") or 0) for g in got) == self_ > 100
    # lines have numbers, but no text: it was not asked for
    lines = page.js(ROWS, LINES)
    assert lines[0][3] == "mix.c" and all(re.fullmatch(r"\d+ instructions?", r[3]) for r in lines if r[2])
    assert page.errors() == []


def test_source_is_there_if_asked_for(chromium, program):
    folder, run = program
    html = run("report", "--format", "html", "--page-code", "source")
    (folder / "source.html").write_text(html)
    page = Shown(chromium, folder / "source.html", None).open("v=function&f=mix&a=1", height=2400)
    text = PROGRAM.split("\n")
    for _, _, line, shown_ in page.js(ROWS, LINES):
        assert not line or shown_ == text[int(line) - 1]
    assert page.js("return document.querySelectorAll('b').length") < 10
    plain = Page(run("report", "--format", "html"))
    # the dynamic linker's files stand beside ours if a sample hit it
    assert str(folder) not in repr(plain.code.__dict__) and "mix.c" in plain.code.files
    assert not any(plain.code.sources)
    assert "</script><b>odd" in repr(Page(html).code.sources)
    assert Page(run("report", "--format", "html", "--page-code", "none")).code is None


def test_jumps_and_calls_lead_somewhere(chromium, program):
    folder, run = program
    run("report", "--format", "html", "-o", "calls.html")
    page = Page((folder / "calls.html").read_text())
    number = {f[0]: i for i, f in enumerate(page.functions) if f[2] == USER}
    rows = page.code.of[number["mix"]]
    jumps = [r for r in rows if r["target"]]
    assert jumps and all(r["target"] & 1 for r in jumps)
    assert all((r["target"] - 1) // 2 < len(rows) and re.fullmatch(r"j\w+", r["text"]) for r in jumps)
    calls = [r for r in page.code.of[number["fill"]] if r["target"] and not r["target"] & 1]
    assert [(r["text"].rstrip("q"), r["target"] // 2 - 1) for r in calls] == [("call", number["step"])]
    shown_ = Shown(chromium, folder / "calls.html", None).open("v=function&f=fill&a=1", height=2400)
    shown_.js("[...document.querySelectorAll('.go')].find((g) => g.textContent === '→ step').click()")
    shown_.frame()
    assert shown_.text(".function h2") == "step"
    assert shown_.js(ROWS, INSTRUCTIONS)[-1][3].startswith("ret")


def test_a_recording_elsewhere(program, tmp_path):
    """What perfpair carry put into it is shown where the program is not."""
    folder, run = program
    here = Page(run("report", "--format", "html", "--page-code", "source"))
    run("carry", "--code", "--lines", "--source", "-i", "perf.data", "-o", "carried.data")
    moved = folder / "mixer.moved"
    (folder / "mixer").rename(moved)
    (folder / "mix.c").rename(folder / "mix.c.moved")
    try:
        there = Page(run("report", "-i", "carried.data", "--format", "html", "--page-code", "source"))
        bare = Page(run("report", "--format", "html"))
    finally:
        moved.rename(folder / "mixer")
        (folder / "mix.c.moved").rename(folder / "mix.c")

    def of(page, name):
        at = next(i for i, f in enumerate(page.functions) if f[0] == name)
        return [(r["address"], r["text"], r["target"] & 1, r["samples"]) for r in page.code.of.get(at, [])]

    for name in ("mix", "fill"):
        assert of(here, name) == of(there, name) != []
        assert of(bare, name) == []
    assert len(there.code.sources[there.code.files.index("mix.c")]) > 5
    # the kernel's code is missing for another reason
    why = {bare.functions[number][0]: text for number, text in bare.head["code"]["problems"]}
    assert all("no file here has it" in why[name] for name in ("mix", "fill"))
