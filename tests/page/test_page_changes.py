"""The page of a comparison: the rows of the diff as they were computed, and its
runs as rows of time."""

import made_samples
import pytest


@pytest.fixture(scope="module")
def compared(make_page):
    samples, head = made_samples.comparison()
    page = make_page(samples, bins=256, **head)
    return page


def rows(page):
    return page.js("""return [...document.querySelectorAll('.changes .rows .row:not([hidden])')].map((r) =>
        [r.dataset.tone, ...[0, 1, 2, 6, 7].map((k) => r.children[k].textContent)])""")


def test_rows(compared):
    page = compared.open("")
    assert page.js("return pp.app.state.view") == "changes"
    assert rows(page) == [
        ["more", "200 ms", "260 ms", "+60.0 ms", "recurse", "/usr/bin/app"],
        ["less", "100 ms", "70.0 ms", "−30.0 ms", "leaf", "/usr/bin/app"],
        ["noise", "50.0 ms", "52.0 ms", "+2.00 ms", "free", "/usr/lib/libc.so.6"],
        ["more", "", "30.0 ms", "+30.0 ms", "memcpy  (new)", "/usr/lib/libc.so.6"]]
    said = page.text(".about")
    assert "The whole changed by +3.25 %, between +1.50 % and +5.00 %." in said
    assert "3 of 4 functions changed by more than chance: together +60.0 ms; all others +2.00 ms." in said
    assert page.text("#title") == "old.1.data and 1 more → new.1.data and 1 more"
    assert page.errors() == []


def test_intervals_stand_about_zero(compared):
    page = compared.open("v=changes")
    boxes = page.js("""return [...document.querySelectorAll('.changes .rows .row:not([hidden])')].map((r) => {
        const at = (s) => { const b = r.querySelector(s).getBoundingClientRect(); return [b.left, b.right]; };
        return [at('.zero')[0], at('.bar'), at('.span')]; })""")
    scale = (boxes[0][1][1] - boxes[0][0]) / 6e7
    for (zero, bar, span), row in zip(boxes, compared.encoder.head["diff"]["events"][0]["rows"]):
        change = row["delta"]
        assert (bar[1] - zero if change > 0 else bar[0] - zero) == pytest.approx(change * scale, abs=1.5)
        assert span[0] - zero == pytest.approx(row["low"] * scale, abs=1.5)
        assert span[1] - zero == pytest.approx(row["high"] * scale, abs=1.5)


def test_sorting_searching_and_choosing(compared):
    page = compared.open("v=changes")
    page.js("document.querySelector('.changes [data-key=change]').click()")
    page.frame()
    assert [r[4] for r in rows(page)] == ["recurse", "memcpy  (new)", "free", "leaf"]
    page.key("/", *"^re", "\ue007")
    assert [r[4] for r in rows(page)] == ["recurse"]
    page.js("document.querySelector('.changes .rows .row').click()")
    page.frame()
    assert page.js("return pp.app.page.name[pp.app.state.fn]") == "recurse"


def test_runs_are_the_rows_of_time_and_narrow(compared):
    page = compared.open("v=time")
    assert page.js("return pp.app.rows.rows.map((r) => r.label)") == [
        "old, 2 runs", "old.1.data", "old.2.data", "new, 2 runs", "new.1.data", "new.2.data"]
    page.js("pp.app.rows.press(3, false, false)")
    page.frame()
    assert page.js("return pp.tot[0]") == 10**6 * sum(s.tid >= 2 for s in compared.encoder.samples)


def test_colours_by_change(compared):
    page = compared.open("v=flame&k=change")
    kinds = page.js("const k = pp.app.changeKinds(), out = {}; k.forEach((v, f) => { if (v) out[pp.app.page.name[f]] = v; });"
                    "return out")
    assert kinds == {"recurse": 1, "leaf": 2, "memcpy": 3}
    page.key("k")
    assert page.hash() == "#v=flame&k=dso"
    page.key("k", "k")
    assert page.hash() == "#v=flame"        # by change, if nothing else is said


def test_pages_of_one_recording_have_no_changes(made):
    page = made.open("v=changes&k=change")
    assert page.js("return document.querySelectorAll('[role=tab]').length") == 6
    assert "the view changes" in page.text("#unknown") and "the colours change" in page.text("#unknown")


def test_a_selection_is_said_not_to_narrow_the_rows(compared):
    page = compared.open("v=changes")
    assert "whole runs" not in page.text(".about")
    page.key("{")
    assert "do not narrow" in page.text(".about") or "does not narrow" in page.text(".about")
