"""Every view of a page against numbers counted from its samples one by one."""

import made_samples
import pytest

KEEP = 1e-6


def chosen(page, event, range_=None, cpus=None, tids=None):
    encoder = page.encoder
    return [s for s in encoder.samples if s.event == event
            and (not range_ or range_[0] <= made_samples.bins_of(encoder, s) < range_[1])
            and (cpus is None or s.cpu in cpus) and (tids is None or s.tid in tids)]


def fragment_time(page, range_):
    unit = page.encoder.time["bin_ns"] / 1e9
    return f"t={range_[0] * unit:.7f}-{range_[1] * unit:.7f}"


def table(page):
    return {(r["name"], r["dso"]): r for r in page.js("return pp.topTable()")}


def check_table(page, samples):
    """What the table lists: functions, and tasks that have samples of their own."""
    expected = {}
    for frame, (self_, total, count) in made_samples.by_function(samples).items():
        if frame.kind != 5 or self_:
            expected[frame.name, frame.dso] = (self_, total, count)
    rows = table(page)
    assert {k: (r["self"], r["total"], r["samples"]) for k, r in rows.items()} == expected


SELECTIONS = [
    ("e=cycles", "cycles", {}),
    ("e=cpu-clock", "cpu-clock", {}),
    ("TIME", "cpu-clock", {"range_": (120, 333)}),
    ("e=cycles&TIME", "cycles", {"range_": (499, 500)}),
    ("c=1,3", "cpu-clock", {"cpus": {1, 3}}),
    ("l=app:101", "cpu-clock", {"tids": {101}}),
    ("e=cycles&TIME&c=0&l=app:100,worker:102", "cycles", {"range_": (50, 400), "cpus": {0}, "tids": {100, 102}}),
]


@pytest.mark.parametrize("fragment,event,filters", SELECTIONS)
def test_table_and_tree_of_a_selection(made, fragment, event, filters):
    if "range_" in filters:
        fragment = fragment.replace("TIME", fragment_time(made, filters["range_"]))
    page = made.open("v=table&" + fragment)
    samples = chosen(page, event, **filters)
    assert page.js("return pp.tot[0]") == sum(s.period for s in samples)
    check_table(page, samples)
    whole = sum(s.period for s in page.encoder.samples if s.event == event)
    assert page.text("#share").startswith("" if filters == {} else f"{100 * sum(s.period for s in samples) / whole:.2f} %")
    assert page.errors() == []


def test_rows_of_the_table_are_what_it_says(made):
    page = made.open("v=table")
    whole = page.js("return pp.tot[0]")
    rows = page.js("""return [...document.querySelectorAll('.rows .row:not([hidden])')].map(
        (r) => [...r.children].map((c) => c.textContent))""")
    assert len(rows) >= 15
    by = {(f.name, f.dso): v for f, v in made_samples.by_function(chosen(page, "cpu-clock")).items()}
    for children, self_, count, name, dso in rows:
        mine, total, samples = by[name, dso]
        assert children == f"{total * 100 / whole:.2f} %"
        assert self_ == (f"{mine * 100 / whole:.2f} %" if mine else "")
        assert count == f"{samples:,}"
    own = [by[r[3], r[4]][0] for r in rows]
    assert own == sorted(own, reverse=True)


def test_table_sorts_and_filters(made):
    page = made.open("v=table")
    page.js("document.querySelector('[data-key=name]').click()")
    page.frame()
    names = page.js("return [...document.querySelectorAll('.rows .row:not([hidden])')].map((r) => r.children[3].textContent)")
    assert names == sorted(names) and len(names) > 10
    assert page.js("return document.querySelector('[data-key=name]').getAttribute('aria-sort')") == "ascending"
    page.key("/")
    page.key(*"alloc_")
    names = page.js("return [...document.querySelectorAll('.rows .row:not([hidden])')].map((r) => r.children[3].textContent)")
    assert set(names) <= {"alloc_small", "alloc_large"}
    assert "q=alloc_" in page.hash()


def test_matched_share(made):
    page = made.open("v=flame&q=%5Emalloc%24")
    samples = chosen(page, "cpu-clock")
    hit = [s for s in samples if any(f.name == "malloc" for f in s.frames)]
    assert page.text("#bar output") == f"{100 * len(hit) / len(samples):.2f} % matched, {len(hit):,} samples"


@pytest.mark.parametrize("fragment,inverted", [("", False), ("&i=1", True)])
def test_frames_of_the_flame_graph(made, fragment, inverted):
    """Each drawn frame is as wide as its stack's share, and with the grey blocks
    the children of a frame and its own samples fill it."""
    page = made.open("v=flame&e=cycles" + fragment)
    weights = made_samples.by_path(chosen(page, "cycles"), inverted)
    frames = page.js("""
        const {app} = pp, tree = app.tree(), out = [];
        const path = (id) => id === 0 ? [] : [...path(tree.parent(id)), app.page.name[tree.func(id)]];
        for (const level of app.flame.levels)
            for (const r of level)
                out.push([path(r.id), r.w, r.rest, r.weight]);
        return out;""")
    width = page.js("return pp.app.flame.width()")
    whole = weights[()]
    below = {}
    for path, w, rest, weight in frames:
        assert abs(w - width * weight / whole) < 0.01
        if rest:
            below[tuple(path)] = below.get(tuple(path), 0) + weight
        elif path:
            # malloc is in two files: one path of names, two frames
            if "malloc" not in path:
                assert weight == weights[tuple(path)], path
            below[tuple(path[:-1])] = below.get(tuple(path[:-1]), 0) + weight
    for path, weight in below.items():
        assert weight <= weights[path]
    assert below[()] == pytest.approx(whole, abs=KEEP)
    drawn = page.js("return pp.drawn")
    assert drawn["frames"] == sum(not f[2] for f in frames)
    assert drawn["frames"] > 100


def test_call_tree_rows(made):
    page = made.open("v=tree")
    weights = made_samples.by_path(chosen(page, "cpu-clock"))
    page.js("document.querySelector('.calltree').focus()")
    rows = page.js("""
        const rows = pp.app.views[3].list, tree = pp.app.tree();
        const path = (id) => id === 0 ? [] : [...path(tree.parent(id)), pp.app.page.name[tree.func(id)]];
        return rows.map((r) => [path(r.id), tree.total(r.id), r.level])""")
    assert rows[0] == [[], weights[()], 1]
    assert len(rows) > 10
    for path, total, level in rows:
        assert level == len(path) + 1
        if "malloc" not in path:
            assert total == weights[tuple(path)]


def test_function_page(made):
    page = made.open("v=function&f=recurse")
    samples = chosen(page, "cpu-clock")
    mine, total, count = next(v for f, v in made_samples.by_function(samples).items() if f.name == "recurse")
    whole = sum(s.period for s in samples)
    assert f"{100 * total / whole:.2f} % with what it calls" in page.text(".about p")
    assert f"{100 * mine / whole:.2f} % itself" in page.text(".about p")
    callers, callees = {}, {}
    for s in samples:
        names = [f.name for f in made_samples.whole_stack(s)]
        if "recurse" not in names:
            continue
        first = names.index("recurse")
        callers[names[first - 1]] = callers.get(names[first - 1], 0) + s.period
        callee = names[first + 1] if first + 1 < len(names) else "the function itself"
        callees[callee] = callees.get(callee, 0) + s.period
    lists = page.js("""return [...document.querySelectorAll('.near')].map((l) => [...l.children].map(
        (li) => [li.children[1].textContent, li.children[0].textContent]))""")
    for shown, expected in zip(lists, (callers, callees)):
        got = {}
        for name, share in shown:
            got[name] = got.get(name, 0) + float(share.rstrip(" %"))
        assert got.keys() == expected.keys()
        for name, weight in expected.items():
            assert got[name] == pytest.approx(100 * weight / total, abs=0.011)
    assert sum(callers.values()) == total


def without(samples, change):
    """Samples with the stacks that change makes of theirs, None: dropped."""
    out = []
    for s in samples:
        stack = change(made_samples.whole_stack(s))
        if stack is not None:
            out.append((s.period, [f.name for f in stack]))
    return out


def weigh(stacks):
    paths = {}
    for period, names in stacks:
        for n in range(len(names) + 1):
            key = ">".join(names[:n])
            paths[key] = paths.get(key, 0) + period
    return paths


def named(stack, name):
    return [i for i, f in enumerate(stack) if f.name == name]


def focus(stack):
    at = named(stack, "recurse")
    return stack[at[0]:] if at else None


def folded(stack):
    out = []
    for frame in stack:
        if frame in out:
            out = out[:out.index(frame) + 1]
        else:
            out.append(frame)
    return out


STEPS = [
    ("f:recurse", focus),
    ("d:recurse", lambda s: None if named(s, "recurse") else s),
    ("m:recurse", lambda s: [f for f in s if f.name != "recurse"]),
    ("c:recurse", lambda s: s[:named(s, "recurse")[0] + 1] if named(s, "recurse") else s),
    ("r", folded),
    ("f:recurse;m:leaf;c:free", lambda s: (lambda t: t and [f for f in (
        t[:named(t, "free")[0] + 1] if named(t, "free") else t) if f.name != "leaf"])(focus(s))),
]


@pytest.mark.parametrize("fragment,change", STEPS, ids=[s[0] for s in STEPS])
def test_steps(made, fragment, change):
    page = made.open("v=tree&x=" + fragment)
    # two files have a malloc: they are one path here, as in what is expected
    got = page.js("""
        const {n, func, parent} = pp.D, path = new Array(n), out = {};
        for (let i = 0; i < n; i++) {
            const name = pp.app.page.name[func[i]];
            path[i] = i && parent[i] ? path[parent[i]] + '>' + name : name;
            if (pp.tot[i])
                out[path[i]] = (out[path[i]] || 0) + pp.tot[i];
        }
        return out;""")
    assert got == weigh(without(chosen(page, "cpu-clock"), change))


def test_facts_and_what_stands_in_front(made):
    page = made.open("v=flame")
    assert page.text("#notes").startswith("! 42 samples were lost: 1.04 % of all")
    page.js("document.querySelector('#notes button').click()")
    page.frame()
    notes = page.js("return [...document.querySelectorAll('.notes li')].map((l) => l.textContent)")
    assert notes == ["42 samples were lost: 1.04 % of all", "2 stacks were cut"]
    cells = page.js("return [...document.querySelectorAll('.facts td')].map((c) => c.textContent)")
    clock = [s for s in page.encoder.samples if s.event == "cpu-clock"]
    assert cells[:3] == ["2.00 s to 2.40 s", "2", "40"]
    assert cells[6:10] == ["cpu-clock", f"{len(clock):,}", "1.33 s", "1.00 ms"]
    assert cells[13] == "differs"
    assert "<i>vm</i>" in page.text(".facts dl")


def test_unknown_parts_of_a_link_are_said(made):
    page = made.open("v=flame&f=nosuch&c=77&zz=1&t=9-3&x=q:work")
    said = page.text("#unknown")
    for part in ("the function nosuch", "CPU 77", "zz=1", "the time 9-3", "the step q:work"):
        assert part in said


def test_samples_without_times_and_cpus(make_page):
    samples = [s._replace(time=None, cpu=None) for s in made_samples.samples(300, seed=5)]
    page = make_page(samples)
    for view in ("flame", "table", "time", "tree", "function", "facts"):
        page.open("v=" + view)
        assert page.errors() == []
    assert "The samples have no times" in page.text(".notes")
    check_table(page, [s for s in samples if s.event == page.encoder.events[0]])
    page.key("1", "[", "{", "}")
    assert page.js("return pp.app.state.range") is None and page.errors() == []


def test_one_sample(make_page):
    page = make_page(made_samples.samples(1))
    for view in ("flame", "table", "time", "tree", "function", "facts"):
        page.open("v=" + view)
        page.key("{", "{", "]")
        assert page.errors() == []
    assert page.js("return pp.tot[0]") == page.encoder.samples[0].period


def test_a_stack_deeper_than_the_window_and_many_threads(make_page):
    one = made_samples.samples(1)[0]
    deep = one._replace(period=one.period * 999, frames=[made_samples.USERS[k % 3] for k in range(3000)])
    many = [one._replace(time=one.time + k, pid=k, tid=k, comm=f"t{k % 500}") for k in range(3000)]
    page = make_page([deep] + many, lanes=3000)
    page.open("v=flame&up=1")
    assert page.js("return pp.app.flame.levels.length") == 3002
    assert page.js("return pp.app.flame.host.scrollTop") > 50000
    page.open("v=time")
    assert page.js("return pp.app.rows.rows.length") == 400
    page.open("v=tree")
    assert page.js("return document.querySelectorAll('.calltree .row').length") < 100
    assert page.errors() == []


def test_a_process_has_its_name_without_its_first_thread(make_page):
    one = made_samples.samples(1)[0]._replace(pid=7, tid=8, comm="GC Thread#3")
    page = make_page([one, one._replace(pid=9, tid=9, comm="sh")], processes={7: "java"})
    page.open("v=time")
    labels = page.js("return pp.app.rows.rows.map((r) => r.label)")
    assert sorted(labels[-2:]) == ["java 7", "sh 9"]


@pytest.mark.parametrize("fragment", ["", "&i=1", "&o=name", "&z=app;main"])
def test_grey_blocks_stand_for_all_that_is_not_drawn(made, fragment):
    """In a narrow window frames are left out; what is drawn below each frame is
    as wide as what it calls, but for half a pixel."""
    page = made.open("v=flame&e=cycles" + fragment, width=420, height=700)
    wrong = page.js("""
        const {flame} = pp.app, {tree} = flame, wrong = [], below = new Map(), whole = tree.total(flame.zoom);
        for (const level of flame.levels)
            for (const r of level) {
                const up = r.rest ? r.id : tree.parent(r.id);
                below.set(up, (below.get(up) || 0) + r.w);
            }
        for (const level of flame.levels.slice(tree.depth(flame.zoom)))
            for (const r of level) {
                const calls = (tree.total(r.id) - tree.self(r.id)) * flame.width() / whole;
                if (!r.rest && Math.abs((below.get(r.id) || 0) - calls) > 0.5)
                    wrong.push([pp.app.page.name[tree.func(r.id)], below.get(r.id), calls]);
            }
        return wrong;""")
    assert wrong == []
    drawn = page.js("return pp.drawn")
    assert drawn["blocks"] > 20 and drawn["merged"] > drawn["blocks"]
    counted = page.js("return pp.app.flame.levels.flat().reduce((sum, r) => sum + r.rest, 0)")
    assert counted <= drawn["merged"]
