"""Names that would be markup, script or a trap for the eye: they are shown as
text, and nothing of them runs."""

import pytest
from encode_page import NAMELESS, USER, Frame, Sample

FLAG = "window.__hostile=1"
NAMES = [
    f"<script>{FLAG}</script>", f"</script><script>{FLAG}</script>", f"<img src=x onerror={FLAG}>",
    f"</title><script>{FLAG}</script>", f"'\"><svg onload={FLAG}>", f"`${{{FLAG}}}`", f"javascript:{FLAG}",
    "line\u2028para\u2029end", "abc\u202egnp.exe", "a\u2066b\u2069c", "nul\0byte\x1b[31mred\x7f", "&lt;b&gt;&amp;",
    "@DATA@", "@PROGRAM@", "@TITLE@", "__proto__", "constructor", "hasOwnProperty", "a;b;c", "x" * 65536,
    "</script " + "y" * 100, "<!--", "]]>", "%00%ff%", "e=1&v=facts#", "\ud7ff\ue000\ufffd", "😀 emoji 漢字", "",
    " ", "(.*)*$", "\\",
]


def shown(name):
    """The name as report/page/viewer/data.js writes it out."""
    out = ""
    for c in name:
        n = ord(c)
        hidden = n < 32 or 127 <= n < 160 or n in (0x61c, 0xfeff) or 0x200b <= n <= 0x200f or 0x2028 <= n <= 0x202e \
            or 0x2060 <= n <= 0x2069
        out += f"<U+{n:04X}>" if hidden else c
    return out


@pytest.fixture(scope="module")
def hostile(make_page):
    samples = []
    for k, name in enumerate(NAMES):
        for event in ("cycles", FLAG + "</script>"):
            frames = [Frame("main", "/bin/" + NAMES[-k], USER), Frame(name, NAMES[(k * 7) % len(NAMES)], USER),
                      Frame(NAMES[k - 1], name, NAMELESS)]
            samples.append(Sample(event, 10**9 + k * 10**6, k % 2, name[:15], k + 1, k + 1, 1 + k, frames))
    return make_page(samples, title=NAMES[3], recordings=[[[NAMES[0], NAMES[1]], ["x", NAMES[19]]]],
                     warnings=[NAMES[2], NAMES[7]])


@pytest.mark.parametrize("view", ["flame", "table", "time", "tree", "function", "facts"])
def test_no_name_becomes_markup(hostile, view):
    page = hostile.open(f"v={view}&f=main&q=%3Cscript")
    for script in ("pp.app.step('f')", "pp.app.set({query: ''})", "pp.app.set({invert: true})", "pp.app.nextMatch(1)",
                   "pp.app.set({steps: [], invert: false})", "pp.app.flame.host.dispatchEvent("
                   "new MouseEvent('mousemove', {clientX: 60, clientY: 260}))"):
        page.js(script)
        page.frame()
    assert page.js("return window.__hostile") is None
    assert page.js("return document.querySelectorAll('script').length") == 4
    assert page.js("return document.querySelectorAll('img, iframe, object, embed, link, base, form:not([method=dialog])').length") == 0
    assert page.js("return [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => "
                   "/^on/i.test(a.name)).length") == 0
    assert page.errors() == []


def test_every_name_is_shown_as_it_is_written(hostile):
    page = hostile.open("v=table")
    got = {r["name"] for r in page.js("return pp.topTable()")}
    assert got >= {shown(n) for n in NAMES}
    rows = page.js("return [...document.querySelectorAll('.rows .row:not([hidden])')].map((r) => r.children[3].textContent)")
    assert all(len(r) < 400 for r in rows)
    assert page.js("return document.title") == NAMES[3]
    assert page.text("#title") == NAMES[3]


def test_a_link_to_each_name_comes_back(hostile):
    page = hostile.open("v=table")
    lost = page.js("""
        const {app} = pp, lost = [];
        for (let f = 1; f < app.page.functions; f++) {
            const back = app.names.find(app.names.text(f));
            if (back !== f && !(app.page.name[back] === app.page.name[f] && app.page.dso[back] === app.page.dso[f]))
                lost.push([app.page.name[f].slice(0, 50), back]);
        }
        return lost;""")
    assert lost == []


def test_the_page_reaches_nothing(hostile):
    page = hostile.open("v=flame")
    said = page.browser.execute_async_script("""
        const done = arguments[0];
        fetch('http://127.0.0.1:1/').then(() => done('reached'), (e) => done(String(e)));""")
    assert said.startswith("TypeError")
    assert any("Content Security Policy" in e for e in page.errors())
