"""How the nodes of a comparison's tree changed, as the page computes it, against
what perfpair diff --children computes in C."""

import json
import random
import subprocess
import sys

import pytest
from shown_page import ROOT, Shown

sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/cli"), str(ROOT / "fixtures/gen")]

import made_file  # noqa: E402
import make  # noqa: E402

# IP TID TIME CALLCHAIN ID CPU
ATTR = make.attr_of(sample_type=1 | 2 | 4 | 32 | 64 | 128)
# samples of a run on the old and on the new side
MEANS = {b"steady": (400, 400), b"grown": (200, 330), b"shrunk": (150, 90), b"fresh": (0, 60), b"gone": (70, 0),
         b"rare": (9, 12)}
OLD, NEW = 4, 3


def write_runs(folder):
    rand = random.Random(7)
    paths = []
    for run in range(OLD + NEW):
        made = made_file.File(attrs=(ATTR,))
        made.ids = [[101, 103]]
        names = [name for name, means in MEANS.items()
                 for _ in range(max(0, round(rand.gauss(means[run >= OLD], means[run >= OLD]**.5 * .6))))]
        rand.shuffle(names)
        at = 1000
        for name in names:
            at += 1000 + rand.randrange(200)
            made.comm(at - 500, name + bytes(8 - len(name)))
            made.records.append(made.e.sample(ATTR, made.ident(at)))
        paths.append(folder / f"{run}.data")
        paths[-1].write_bytes(made.bytes())
    return paths


@pytest.fixture(scope="module")
def compare(chromium, perfpair, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    made_file.ATTR, before = ATTR, made_file.ATTR
    paths = write_runs(folder)
    made_file.ATTR = before

    def compare(*options, old=paths[:OLD], new=paths[OLD:]):
        words = [perfpair, "diff", "-s", "comm", *options, "--old", *old, "--new", *new, "--format"]
        html, rows = (subprocess.run([*words, form], capture_output=True, stdin=subprocess.DEVNULL, check=True).stdout
                      for form in ("html", "json"))
        path = folder / "page.html"
        path.write_bytes(html)
        return Shown(chromium, path, None), json.loads(rows)

    return compare


def tasks(page):
    """{task: [low, high, p, kind, weight]} of the nodes below the root."""
    return page.js("""
        const {at, kind} = pp.app.nodes(), {shape} = pp.app.shape(), w = pp.app.weights(), out = {};
        for (let i = 1; i < shape.n; i++)
            if (!shape.parent[i]) {
                const m = at(i);
                out[pp.app.page.name[shape.func[i]]] = [m.low, m.high, m.p, kind[i], w.total[i], m.was.value, m.now.value];
            }
        return out;""")


KINDS = {(False, "exact"): 0, (True, "new"): 3, (True, "gone"): 4}


@pytest.mark.parametrize("measure", ["share", "wall", "count"])
def test_intervals_and_marks_are_those_of_c(compare, measure):
    page, diff = compare("--children", "--measure", measure)
    assert diff["variance"] == "between runs"
    page.open("v=flame")
    found, end = tasks(page), "_pct" if measure == "share" else ""
    rows = diff["events"][0]["rows"]
    assert {r["comm"] for r in rows} == set(found) == {name.decode() for name in MEANS}
    for r in rows:
        low, high, p, kind, _, was, now = found[r["comm"]]
        assert [low, high, was, now] == pytest.approx([r[k + end] for k in ("low", "high", "baseline", "new")], rel=1e-7, abs=1e-6)
        assert p == pytest.approx(r["p_value"], rel=1e-6)
        assert kind == KINDS.get((r["significant"], r["match"]), 1 if r["delta" + end] > 0 else 2), r["comm"]
    assert sum(r["significant"] for r in rows) >= 4 and not all(r["significant"] for r in rows)
    assert page.errors() == []


def test_the_interval_of_the_whole_is_that_of_c(compare):
    page, diff = compare("--measure", "count")
    event = diff["events"][0]
    page.open("v=changes")
    label, change = page.js("const l = document.querySelector('.makeup li:last-child'); return [l.children[0].textContent, l.children[1].textContent]")
    old = sum(r["baseline"] for r in event["rows"])
    whole = sum(r["delta"] for r in event["rows"])
    numbers = [old * event["total_low_pct"] / 100, old * event["total_high_pct"] / 100]
    shown = [*label.removeprefix("the whole: ").split(" to "), change]
    for text, number in zip(shown, [*numbers, whole]):
        value, unit = text.replace("−", "-").split()
        assert float(value) * {"ns": 1, "µs": 1e3, "ms": 1e6}[unit] == pytest.approx(number, rel=6e-3)
    # each bar begins where the one above ends, the last is all of them
    bars = page.js("""return [...document.querySelectorAll('.makeup li')].map((l) => {
        const b = l.querySelector('.bar').getBoundingClientRect(), t = l.children[1].textContent; return [b.left, b.right, t[0]]; })""")
    zero = page.js("return document.querySelector('.makeup .zero').getBoundingClientRect().left")
    ends = [zero]
    for left, right, sign in bars[:-1]:
        start, end = (left, right) if sign == "+" else (right, left)
        assert start == pytest.approx(ends[-1], abs=2.5)
        ends.append(end)
    start, end = (bars[-1][0], bars[-1][1]) if bars[-1][2] == "+" else (bars[-1][1], bars[-1][0])
    assert [start, end] == pytest.approx([zero, ends[-1]], abs=2.5)


def test_the_flame_graph_is_the_new_runs_and_what_vanished(compare):
    page, diff = compare("--measure", "count")
    page.open("v=flame")
    found = tasks(page)
    rows = {r["comm"]: r for r in diff["events"][0]["rows"]}
    for name, (_, _, _, kind, weight, *_) in found.items():
        assert weight == pytest.approx(rows[name]["new_period"] if kind != 4 else rows[name]["baseline_period"] * NEW / OLD)
    assert page.js("return pp.tot[0]") == pytest.approx(sum(v[4] for v in found.values()))
    assert "vanished" in page.text("#share")
    # with other colours it is all runs
    page.key("k")
    assert page.js("return pp.tot[0]") == sum(r["new_period"] + r["baseline_period"] for r in rows.values())
    assert page.text("#share") == ""
    # a part of the time has a part of the change
    page.open("v=flame&t=0-50")
    half = tasks(page)["grown"]
    assert half[5] + half[6] == pytest.approx((found["grown"][5] + found["grown"][6]) / 2, rel=0.1)
    assert half[3] == 1 and half[0] > 0


def test_labels_legend_and_tip_have_signs(compare):
    page, _ = compare("--measure", "share")
    page.open("v=flame")
    names = page.js("""const {flame} = pp.app, out = {};
        for (const r of flame.levels[1])
            out[pp.app.page.name[flame.tree.func(r.id)]] = flame.hooks.name(flame.tree.func(r.id), r.id);
        return out;""")
    assert names["grown"] == "+ grown" and names["gone"] == "− gone" and names["fresh"] == "+ fresh" and names["rare"] == "rare"
    swatches = page.js("return [...document.querySelectorAll('#legend span')].map((s) => [s.textContent, s.firstChild.style.background.includes('gradient')])")
    assert {text.split(" ", 1)[0] for text, lined in swatches if lined} == {"+", "−"}
    page.js("const {flame} = pp.app; flame.hooks.onHover(flame.levels[1][0], 200, 200)")
    assert "old " in page.text("#tip") and " to " in page.text("#tip")
    page.key("\ue015", "\ue015")
    assert "old " in page.text("#live")


def test_lines_are_drawn_over_what_changed(compare):
    """More rises, less falls, so that no colour is needed."""
    page, _ = compare("--measure", "share")
    page.open("v=flame&o=name")
    slopes = page.js("""const {flame} = pp.app, out = {}, g = flame.canvas.getContext('2d');
        for (const r of flame.levels[1]) {
            if (r.rest || r.w < 60)
                continue;
            const d = g.getImageData(Math.round(r.x + r.w) - 34, flame.yOf(1) + 1, 28, 16).data, dark = (x, y) => d[(y * 28 + x) * 4] + d[(y * 28 + x) * 4 + 1];
            let up = 0, down = 0;
            for (let y = 1; y < 16; y++)
                for (let x = 1; x < 27; x++) {
                    up += Math.abs(dark(x, y) - dark(x + 1, y - 1));
                    down += Math.abs(dark(x, y) - dark(x - 1, y - 1));
                }
            out[pp.app.page.name[flame.tree.func(r.id)]] = up === down ? 0 : up < down ? 1 : -1;
        }
        return out;""")
    assert slopes["grown"] == 1 and slopes["shrunk"] == -1


def test_one_file_a_side(chromium, perfpair, compare, tmp_path):
    page, _ = compare("--measure", "count")
    folder = page.path.parent
    path = tmp_path / "one.html"
    path.write_bytes(subprocess.run([perfpair, "diff", "-s", "comm", "--format", "html", folder / "0.data", folder / "6.data"],
                                    capture_output=True, stdin=subprocess.DEVNULL, check=True).stdout)
    one = Shown(chromium, path, None).open("v=flame")
    found = tasks(one)
    assert found["grown"][3] == 5 and found["shrunk"][3] == 6 and found["rare"][3] == 0
    assert "one run a side" in one.text("#legend")
    one.key("7")
    assert "not tested" in one.text(".about")
    assert one.errors() == []
