"""A page in use: the mouse over the timelines, the keyboard alone, links."""

import made_samples
import pytest
from test_page_views import check_table, chosen

GUTTER = 190


def drag(page, selector, from_x, to_x, y=30):
    box = page.js("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.left, b.top]", selector)
    for kind, x in (("mousePressed", from_x), ("mouseMoved", (from_x + to_x) / 2), ("mouseMoved", to_x),
                    ("mouseReleased", to_x)):
        page.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": box[0] + x, "y": box[1] + y, "button": "left", "clickCount": 1,
            "buttons": 0 if kind == "mouseReleased" else 1})
    page.frame()


def click(page, selector, x, y, times=1):
    box = page.js("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.left, b.top]", selector)
    for n in range(1, times + 1):
        for kind in ("mousePressed", "mouseReleased"):
            page.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": box[0] + x, "y": box[1] + y, "button": "left", "clickCount": n})
    page.frame()


def strip_x(page, bin_):
    width = page.js("return pp.app.strip.width()")
    return GUTTER + (bin_ + 0.5) * width / page.encoder.time["bins"]


def test_dragging_a_range_narrows_every_view(made):
    page = made.open("v=flame")
    drag(page, ".strip canvas", strip_x(page, 100), strip_x(page, 299))
    assert page.js("return pp.app.state.range") == {"from": 100, "to": 300}
    samples = chosen(page, "cpu-clock", range_=(100, 300))
    weight = sum(s.period for s in samples)
    assert page.js("return pp.app.flame.levels[0][0].weight") == weight
    check_table(page, samples)
    page.key("4")
    assert page.js("return document.querySelector('.calltree .row[aria-level=\"1\"]').children[2].textContent") == f"{len(samples):,}"
    # the link shows the same
    page.open(page.hash()[1:])
    assert page.js("return pp.tot[0]") == weight
    # a double click takes the range away
    click(page, ".strip canvas", strip_x(page, 400), 30, 2)
    assert page.js("return pp.app.state.range") is None


def test_dragging_backwards_and_over_the_edge(made):
    page = made.open("v=table")
    drag(page, ".strip canvas", strip_x(page, 50), 20)
    assert page.js("return pp.app.state.range") == {"from": 0, "to": 51}


def test_browser_goes_back_over_ranges(made):
    page = made.open("v=flame")
    drag(page, ".strip canvas", strip_x(page, 100), strip_x(page, 199))
    drag(page, ".strip canvas", strip_x(page, 300), strip_x(page, 399))
    page.js("history.back()")
    page.until("return pp.app.state.range && pp.app.state.range.from === 100")
    assert page.js("return pp.tot[0]") == sum(s.period for s in chosen(page, "cpu-clock", range_=(100, 200)))


def test_a_long_drag_writes_the_address_seldom(made):
    page = made.open("v=flame")
    page.js("""const real = history.replaceState.bind(history); window.writes = 0;
        history.replaceState = (...a) => { writes++; real(...a); };
        for (let k = 1; k < 400; k++) pp.app.set({range: {from: 0, to: k}}, false);""")
    page.until("return pp.app.later === 0")
    assert page.js("return writes") <= 2
    page.open(page.hash()[1:])
    assert page.js("return pp.app.state.range") == {"from": 0, "to": 399}


def test_rows_of_time(made):
    page = made.open("v=time")
    labels = page.js("return pp.app.rows.rows.map((r) => r.label)")
    assert labels[:4] == ["CPU 0", "CPU 1", "CPU 2", "CPU 3"]
    assert labels[4] == "app 100"
    at = page.js("return pp.app.rows.canvas.getBoundingClientRect().top - "
                 "document.querySelector('.timerows').getBoundingClientRect().top")
    click(page, ".timerows", 60, at + 16 + 18 * 2.5)
    check_table(page, chosen(page, "cpu-clock", cpus={2}))
    click(page, ".timerows", 60, at + 16 + 18 * 4.5)
    check_table(page, chosen(page, "cpu-clock", cpus={2}, tids={100, 101, 102}))
    assert page.hash().count("app:10") == 2
    # the triangle unfolds the threads
    click(page, ".timerows", 10, at + 16 + 18 * 4.5)
    assert page.js("return pp.app.rows.rows.map((r) => r.label)")[5:8] == ["app 100", "app 101", "worker 102"]


def test_heat_map_cells_are_the_samples_of_their_time(made):
    page = made.open("v=time")
    unit = page.js("return pp.app.heatMap.unit")
    assert unit == 0.1 or unit == 1
    drag(page, ".heatmap canvas", GUTTER + 3, GUTTER + 3, 2)
    page.js("pp.app.set({range: null})")
    box = page.js("const m = pp.app.heatMap, g = m.geometry(); return [g.wide, g.high, m.cells, m.perColumn, m.columns]")
    wide, high, cells, per_column, columns = box
    assert columns * per_column >= page.encoder.time["bins"]
    drag(page, ".heatmap canvas", GUTTER + wide * 2.5, GUTTER + wide * 4.5, high * cells - 1)
    range_ = page.js("return pp.app.state.range")
    assert range_["from"] == int(2 * per_column) and range_["to"] == int(4 * per_column) + 1


def test_flame_graph_by_keyboard(made):
    page = made.open("v=flame")
    page.key("1", "\ue015")                # down: from the root to its widest child
    first = page.js("return pp.app.state.path.map((f) => pp.app.page.name[f])")
    by = made_samples.by_path(chosen(page, "cpu-clock"))
    widest = max((p for p in by if len(p) == 1), key=lambda p: by[p])
    assert tuple(first) == widest
    said = page.text("#live")
    assert said.startswith(f"{widest[0]}, {100 * by[widest] / by[()]:.2f} %")
    page.key("\ue014")                      # right: the next by weight
    second = page.js("return pp.app.state.path.map((f) => pp.app.page.name[f])")
    assert by[tuple(second)] == sorted((by[p] for p in by if len(p) == 1), reverse=True)[1]
    page.key("\ue012", "\ue007")           # left, Enter
    assert page.js("return pp.app.state.zoom.length") == 1
    assert page.js("return pp.app.flame.levels[1][0].w") == page.js("return pp.app.flame.width()")
    assert "z=" in page.hash()
    page.key("\ue015", "\ue013", "\ue00c")
    assert page.js("return pp.app.state.zoom.length") == 0
    assert page.errors() == []


def test_steps_by_keyboard_and_back(made):
    page = made.open("v=flame&f=recurse")
    all_ = page.js("return pp.tot[0]")
    page.key("d")
    samples = [s for s in chosen(page, "cpu-clock") if not any(f.name == "recurse" for f in s.frames)]
    assert page.js("return pp.tot[0]") == sum(s.period for s in samples)
    assert "x=d:recurse" in page.hash()
    page.key("\ue003")
    assert page.js("return pp.tot[0]") == all_
    page.key("r", "i", "u", "o", "k")
    state = page.js("return pp.app.state")
    assert (state["steps"], state["invert"], state["rising"], state["order"], state["colour"]) == \
        ([{"op": "r", "fn": 0}], True, True, "name", "kind")
    page.open(page.hash()[1:])
    assert page.js("return pp.app.state") == state


def test_search_by_keyboard(made):
    page = made.open("v=flame")
    page.key("/", *"vfs_read", "\ue007")
    assert page.js("return document.activeElement.className") == "flame"
    page.key("n")
    assert page.js("return pp.app.page.name[pp.app.state.fn]") == "vfs_read"
    one = page.js("return pp.app.state.path")
    page.key("n")
    assert page.js("return pp.app.state.path") != one
    page.key("N")
    assert page.js("return pp.app.state.path") == one


def test_range_by_keyboard(made):
    page = made.open("v=table")
    page.key("{", "{")
    assert page.js("return pp.app.state.range") == {"from": 188, "to": 313}
    page.key("]")
    assert page.js("return pp.app.state.range") == {"from": 251, "to": 376}
    page.key("[", "[", "[", "[", "[")
    assert page.js("return pp.app.state.range.from") == 0


def test_call_tree_by_keyboard(made):
    page = made.open("v=facts")
    page.key("4", "\ue011")                 # Home
    tree = "document.querySelector('.calltree')"
    current = f"{tree}.querySelector('[aria-selected=true]')"
    assert page.js(f"return document.activeElement === {tree}")
    assert page.js(f"return {current}.getAttribute('aria-level')") == "1"
    assert page.js(f"return {tree}.getAttribute('aria-activedescendant') === {current}.id")
    page.key("\ue015")
    assert page.js(f"return {current}.getAttribute('aria-level')") == "2"
    was = page.js(f"return {current}.getAttribute('aria-expanded')")
    page.key("\ue012" if was == "true" else "\ue014")
    assert page.js(f"return {current}.getAttribute('aria-expanded')") != was
    # what is chosen here is chosen in the flame graph
    path = page.js("return pp.app.state.path")
    page.key("1")
    assert page.js("return pp.app.flame.selected") == page.js("return pp.app.selectedNode()") != 0
    assert page.js("return pp.app.state.path") == path


def test_tabs_and_help(made):
    page = made.open("v=flame")
    for key, view in zip("654321", ("facts", "function", "tree", "time", "table", "flame")):
        page.key(key)
        assert page.js("return pp.app.state.view") == view
        assert page.js("return document.querySelector('[role=tab][aria-selected=true]').id") == "tab-" + view
    page.key("?")
    assert page.js("return document.querySelectorAll('dialog[open] dt').length") > 15
    page.key("\ue00c")
    assert page.js("return document.querySelector('dialog')") is None


def test_save_folded(made):
    page = made.open("v=flame&e=cycles&c=1")
    text = page.js("return foldedStacks(pp.app)")
    expected = {}
    for s in chosen(page, "cycles", cpus={1}):
        stack = ";".join(f.name.replace(";", ":") for f in made_samples.whole_stack(s))
        expected[stack] = expected.get(stack, 0) + 1
    got = {}
    for line in text.rstrip("\n").split("\n"):
        stack, count = line.rsplit(" ", 1)
        got[stack] = got.get(stack, 0) + int(count)
    assert got == expected
    assert page.js("return flameSvg(pp.app)").count("<rect") == page.js("return pp.app.flame.levels.flat().length")


@pytest.mark.parametrize("fragment", ["v=flame", "v=table", "v=time", "v=tree", "v=function&f=recurse", "v=facts",
                                      "v=flame&q=malloc&t=1-3&x=r"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(made, npm_tools, fragment, dark):
    page = made.open(fragment, dark=dark)
    assert page.axe(npm_tools) == []


def test_function_page_by_keyboard(made):
    page = made.open("v=function&f=recurse")
    callers, callees = page.js("const v = pp.app.views[4]; return [v.callers.host, v.callees.host]")
    page.js("arguments[0].focus()", callees)
    page.key("\ue015")                      # down: what it calls most
    kids = page.js("const f = pp.app.views[4].callees; return f.tree.below(0, 0).kids.map((k) => f.tree.total(k))")
    assert page.js("const f = pp.app.views[4].callees; return f.tree.total(f.selected)") == max(kids)
    assert page.text("#live") != ""
    page.js("arguments[0].focus()", callers)
    page.key("\ue013")                      # up: who calls it most
    assert page.text("#live").startswith("main")
    page.key("\ue007")
    assert page.js("return pp.app.page.name[pp.app.state.fn]") == "main"
    assert page.js("return pp.app.state.view") == "function"
