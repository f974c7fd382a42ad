"""The page in Firefox ESR: it opens, its numbers are those of Chromium, and nothing
is an error."""

import firefox_page
import made_samples
import pytest

NUMBERS = """
    const {app} = pp, all = app.weights().total[0], part = pp.select(100, 300), match = pp.search('^m');
    app.set({query: ''});
    return {all, part, match, table: pp.topTable().slice(0, 50), drawn: pp.drawn.frames,
        levels: app.flame.levels.map((l) => l.length), unknown: document.getElementById('unknown').textContent};"""
CHANGES = """
    const {at, kind} = pp.app.nodes();
    return [[...kind], [1, 2, 3, 5, 8].map((i) => { const m = at(i); return [m.low, m.high, m.p]; }),
        [...document.querySelectorAll('.changes .rows .row:not([hidden])')].map((r) => r.textContent),
        document.querySelector('.about').textContent];"""
# of the canvas in sight how many colours there are
COLOURS = """
    const canvas = document.querySelector(arguments[0]), g = canvas.getContext('2d');
    return new Set(new Uint32Array(g.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;"""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    if not firefox_page.binary():
        pytest.skip("firefox-esr is not installed")
    browser = firefox_page.Firefox(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


def close(ours, theirs):
    """Equal but for the last digits of what is divided."""
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    if isinstance(ours, float) or isinstance(theirs, float):
        return ours == pytest.approx(theirs, rel=1e-9)
    return ours == theirs


def test_numbers_are_those_of_chromium(made, firefox):
    firefox.open(made.path, "v=flame")
    found = firefox.js(NUMBERS)
    made.open("v=flame")
    expected = made.js(NUMBERS)
    # letters are of another width, but frames are not
    assert found == expected
    assert found["all"] > found["part"] > 0 and found["drawn"] > 20 and found["unknown"] == ""
    assert firefox.errors() == []


@pytest.mark.parametrize("view", ["flame", "table", "time", "tree", "function&f=recurse", "facts"])
def test_every_view_opens(made, firefox, view):
    firefox.open(made.path, "v=" + view)
    assert firefox.js("return document.querySelector('[aria-selected=true]').id") == "tab-" + view.split("&")[0]
    canvas = {"flame": ".flame canvas", "time": ".timerows canvas"}.get(view, ".strip canvas")
    assert firefox.js(COLOURS, canvas) > 5
    assert firefox.js("return document.querySelector('#view').innerText.length > 20 || document.querySelectorAll('#view canvas').length > 0")
    assert firefox.errors() == []


def test_comparison_is_that_of_chromium(make_page, firefox):
    samples, head = made_samples.comparison()
    page = make_page(samples, bins=256, **head)
    firefox.open(page.path, "v=changes")
    page.open("v=changes")
    assert close(firefox.js(CHANGES), page.js(CHANGES))
    assert len(firefox.js(CHANGES)[2]) == 4
    assert firefox.errors() == []


def test_the_network_is_refused(made, firefox):
    firefox.open(made.path)
    # in a script of the page: the sandbox of Marionette has another policy
    firefox.js("""
        const script = document.createElement('script');
        script.textContent = "fetch('http://127.0.0.1:9/').then(() => 'read', String).then((t) => window.__fetched = t)";
        document.body.append(script);""")
    for _ in range(100):
        fetched = firefox.js("return window.__fetched || ''")
        if fetched:
            break
    assert "NetworkError" in fetched
    assert any("Content-Security-Policy" in error for error in firefox.errors(everything=True))
