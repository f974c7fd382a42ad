"""The page for who uses no mouse, sees no colours, or wants less of both: every view
by keyboard, high contrast, no motion; comparisons, too."""

import base64

import made_samples
import pytest

DOWN, UP, LEFT, RIGHT, ENTER, TAB, END = "\ue015", "\ue013", "\ue012", "\ue014", "\ue007", "\ue004", "\ue010"


@pytest.fixture(scope="module")
def compared(make_page):
    samples, head = made_samples.comparison()
    return make_page(samples, bins=256, **head)


@pytest.fixture(scope="module")
def silent(make_page):
    return make_page(made_samples.samples(), bins=500, warnings=["2 stacks were cut"],
                     throttles=[{"bin": 100, "bins": 50, "cpu": 1, "event": 0, "times": 3, "ns": 10**8}],
                     losses=[{"bin": 400, "bins": 20, "cpu": 0, "samples": 5}])


@pytest.mark.parametrize("fragment", ["v=changes", "v=changes&q=%5C(new", "v=flame", "v=table", "v=time", "v=tree", "v=facts",
                                      "v=function&f=recurse"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_in_a_comparison(compared, npm_tools, fragment, dark):
    assert compared.open(fragment, dark=dark).axe(npm_tools) == []


@pytest.mark.parametrize("fragment", ["v=facts", "v=time"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_where_samples_are_missing(silent, npm_tools, fragment, dark):
    assert silent.open(fragment, dark=dark).axe(npm_tools) == []


def active(page):
    return page.js("""const e = document.activeElement, label = e.getAttribute('aria-label') || e.textContent;
        return e === document.body ? '' : [e.tagName.toLowerCase(), e.getAttribute('role') || '', label.slice(0, 40)].join(' ')""")


@pytest.mark.parametrize("view", ["flame", "table", "time", "tree", "function&f=recurse", "facts", "changes"])
def test_tab_goes_through_every_view(compared, view):
    """From the top to the view's own place and out of it again, with a visible focus."""
    page = compared.open("v=" + view)
    seen = []
    for _ in range(60):
        page.key(TAB)
        at = active(page)
        if not at and seen:
            break
        outline = page.js("const s = getComputedStyle(document.activeElement); return s.outlineStyle !== 'none' || s.boxShadow !== 'none'")
        assert outline or not at, at
        seen.append(at)
    assert not at, "the focus does not come out again"
    assert any(s.startswith("select") for s in seen) and any(s.startswith("button tab") for s in seen)
    # one tab stop for all tabs, arrows go from one to the next
    assert sum(s.startswith("button tab") for s in seen) == 1
    places = {"flame": "flame graph", "table": "functions", "time": "samples by CPU", "tree": "call tree", "facts": "facts",
              "changes": "changes", "function": "callers of the function"}
    assert any(places[view.split("&")[0]] in s for s in seen), seen


def test_table_by_keyboard(compared):
    page = compared.open("v=table")
    page.js("pp.app.focusView()")
    page.key(DOWN, DOWN)
    name = page.js("return pp.app.page.name[pp.app.state.fn]")
    assert name in page.text(".row[aria-selected=true]") and page.text("#live").startswith(name)
    page.key(ENTER)
    assert page.js("return pp.app.state.view") == "function"
    assert name in page.text(".about h2")


def test_changes_by_keyboard(compared):
    page = compared.open("v=changes")
    page.js("pp.app.focusView()")
    page.key(DOWN)
    first = page.text("#live")
    assert first == "recurse, +60.0 ms, more than chance"
    page.key(DOWN, DOWN)
    assert page.text("#live") == "free, +2.00 ms, no more than chance"
    page.key(ENTER)
    assert page.js("return pp.app.state.view") == "function" and page.text(".about h2").startswith("free")
    assert page.errors() == []


def test_buttons_of_matches_by_keyboard(compared):
    page = compared.open("v=changes")
    page.js("document.querySelector('.about button').focus()")
    assert page.js("return document.activeElement.textContent") == "1 only new"
    page.key(ENTER)
    assert page.js("return pp.app.state.query") == "\\(new"
    assert page.js("return document.querySelectorAll('.changes .rows .row:not([hidden])').length") == 1
    page.key("/", "\ue00c")
    page.key("\ue00c")
    assert page.js("return pp.app.state.query") == ""


def test_rows_of_time_by_keyboard(silent):
    page = silent.open("v=time")
    page.js("pp.app.focusView()")
    all_ = page.js("return pp.tot[0]")
    page.key(DOWN, ENTER)
    assert page.js("return pp.app.state.cpus") == [1] and "CPU 1" in page.text("#live")
    page.key(UP, " ")
    assert page.js("return pp.app.state.cpus") == [0, 1]
    page.key(ENTER, ENTER)
    assert page.js("return pp.app.state.cpus") == [] and page.js("return pp.tot[0]") == all_
    rows = page.js("return pp.app.rows.rows.map((r) => r.open)")
    at = rows.index(False)
    page.key(*[DOWN] * at, RIGHT)
    assert page.js("return pp.app.rows.rows.length") > len(rows)
    page.key(LEFT)
    assert page.js("return pp.app.rows.rows.length") == len(rows)


def test_facts_by_keyboard(silent):
    page = silent.open("v=facts", height=400)
    page.js("pp.app.focusView()")
    page.key(END)
    page.until("return document.querySelector('.facts').scrollTop > 0")


def test_forced_colours_keep_the_pictures(compared, artefacts):
    """High contrast: what is drawn keeps its colours, chosen rows have an outline."""
    page = compared.open("v=changes")
    bars = "return [...document.querySelectorAll('.changes .bar, .makeup .bar')].map((b) => getComputedStyle(b).backgroundColor)"
    before = page.js(bars)
    page.media(forced_colors="active")
    assert page.js(bars) == before and len(set(before)) >= 3
    page.js("pp.app.focusView()")
    page.key(DOWN)
    assert page.js("return getComputedStyle(document.querySelector('.row[aria-selected=true]')).outlineStyle") == "solid"
    page.browser.save_screenshot(str(artefacts / "changes-forced.png"))
    page.key("1")
    page.browser.save_screenshot(str(artefacts / "flame-forced.png"))
    assert page.js("""const c = document.querySelector('.flame canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return new Set(new Uint32Array(d.buffer)).size""") > 5


def test_nothing_moves_by_itself(compared):
    """So prefers-reduced-motion has nothing to take away."""
    page = compared.open("v=changes")
    for key in "1234567":
        page.key(key)
        assert page.js("return document.getAnimations().length") == 0
        moving = page.js("""return [...document.querySelectorAll('*')].filter((e) => { const s = getComputedStyle(e);
            return s.transitionDuration !== '0s' || s.animationName !== 'none' || s.scrollBehavior === 'smooth'; }).length""")
        assert moving == 0


@pytest.mark.parametrize("view", ["changes", "flame"])
def test_a_comparison_printed(compared, artefacts, view):
    page = compared.open("v=" + view, dark=True)
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    page.js("window.dispatchEvent(new Event('beforeprint'))")
    page.frame()
    assert page.js("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.js("return getComputedStyle(document.querySelector('#nav')).display") == "none"
    shown = ".changes .bar" if view == "changes" else ".flame canvas"
    assert page.js("return document.querySelector(arguments[0]).getBoundingClientRect().height", shown) > 5
    if view == "changes":
        assert page.js("return getComputedStyle(document.querySelector('.changes .bar')).printColorAdjust") == "exact"
    pdf = page.browser.execute_cdp_cmd("Page.printToPDF", {"landscape": True})["data"]
    (artefacts / f"printed-{view}.pdf").write_bytes(base64.b64decode(pdf))
    page.js("window.dispatchEvent(new Event('afterprint'))")


@pytest.mark.parametrize("view", ["changes", "flame", "time", "facts"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pictures_of_a_comparison(compared, artefacts, view, dark):
    page = compared.open("v=" + view, dark=dark)
    page.browser.save_screenshot(str(artefacts / f"compared-{view}-{'dark' if dark else 'light'}.png"))
    assert page.js("return document.documentElement.scrollWidth") <= 1400
    assert page.errors() == []
