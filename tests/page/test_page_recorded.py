"""The page of a real recording, as perfpair writes it, against perfpair's own
table of the same filter."""

import json
import re
import subprocess

import pytest
from shown_page import Shown

INLINED, TASK, NAMELESS = 3, 5, 7


@pytest.fixture(scope="module")
def recorded(chromium, perfpair, perfpair_record, may_record, tmp_path_factory):
    """(page, report): a recording of some seconds of work; report runs perfpair."""
    folder = tmp_path_factory.mktemp("recorded")
    data, html = folder / "perf.data", folder / "page.html"
    work = "for i in 1 2 3 4 5 6; do ls -R /usr/include | sort -r | gzip -9 | sha256sum; done"
    subprocess.run([perfpair_record, "-q", "-a", "-g", "-e", "cpu-clock", "-F", "1999", "-o", data, "--", "sh", "-c", work],
                   check=True, stdout=subprocess.DEVNULL)

    def report(*options):
        done = subprocess.run([perfpair, "report", "-i", data, *options], stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True)
        assert done.returncode in (0, 3)
        return done.stdout

    html.write_text(report("--format", "html"))
    return Shown(chromium, html, None), report


def reported(report, *options):
    """[(symbol, file, period, samples, period with callees)] of functions with a name."""
    events = json.loads(report("--format", "json", "--children", "-s", "sym,dso", *options))["events"]
    return [(r["symbol"], r["dso"], r["period"], r["samples"], r["children_period"]) for r in events[0]["rows"]
            if not re.match(r"0x|\[unknown\]|[0-9a-f]{16}$", r["symbol"])]


def by_name(rows):
    """{(symbol, file): [rows, period, samples, period with callees]}: functions that
    differ in their parameters alone are one in the page."""
    out = {}
    for name, dso, *numbers in rows:
        sums = out.setdefault((name, dso), [0, 0, 0, 0])
        sums[:] = [sums[0] + 1] + [a + b for a, b in zip(sums[1:], numbers)]
    return out


def check_rows(page, expected):
    """Inlined functions are rows of their own in the page only."""
    rows, kinds = page.js("""const {page} = pp.app, kinds = {};
        for (let f = 1; f < page.functions; f++)
            (kinds[page.name[f]] ??= []).push(page.kind[f]);
        return [pp.topTable(), kinds];""")
    plain = {name for name, of in kinds.items()
             if not {INLINED, TASK, NAMELESS} & set(of) and not re.match("func_[0-9a-f]+$", name)}
    shown = by_name(r for r in ((r["name"], r["dso"], r["self"], r["samples"], r["total"]) for r in rows) if r[0] in plain)
    expected = by_name(r for r in expected if r[0] in plain)
    assert shown.keys() == expected.keys()
    for key, (number, *sums) in expected.items():
        # callers of several of them count once in the page
        assert shown[key][1:] == sums or number > 1 and shown[key][1:3] == sums[:2], key
    assert len(expected) > 5
    return len(expected)


def test_table_is_that_of_the_report(recorded):
    page, report = recorded
    page.open("v=table")
    assert check_rows(page, reported(report)) > 100
    assert page.errors() == []


@pytest.mark.parametrize("share", [(0.1, 0.35), (0.5, 0.6), (0.9, 1)])
def test_a_range_is_that_of_report_time(recorded, share):
    page, report = recorded
    page.open("v=table")
    time = page.js("return pp.app.page.head.time")
    from_, to = (int(s * time["bins"]) for s in share)
    page.js("pp.app.set({range: {from: arguments[0], to: arguments[1]}})", from_, to)
    page.frame()
    # to the last ns of the last bin
    begin, end = (f"{ns // 10**9}.{ns % 10**9:09d}" for ns in (
        time["first_ns"] + from_ * time["bin_ns"], time["first_ns"] + to * time["bin_ns"] - 1))
    check_rows(page, reported(report, "--time", f"{begin},{end}"))


def test_a_cpu_is_that_of_report(recorded):
    page, report = recorded
    page.open("v=table&c=0")
    check_rows(page, reported(report, "-C", "0"))


def test_events_without_samples_are_not_offered(recorded):
    """perfpair-record -a has an event that only carries records of tasks."""
    page = recorded[0].open()
    assert page.js("return pp.app.page.head.events.map((e) => e.samples > 0)") == [True, False]
    assert page.js("return [...document.querySelectorAll('select option')].map((o) => o.textContent)") == ["cpu-clock"]
