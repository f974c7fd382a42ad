"""What is drawn where samples are missing: losses and throttled events."""

import made_samples
import pytest

THROTTLES = [{"bin": 100, "bins": 50, "cpu": 1, "event": 0, "times": 3, "ns": 10**8},
             {"bin": 300, "bins": 20, "cpu": 2, "event": 1, "times": 1, "ns": 2 * 10**8},
             {"bin": 0, "bins": 0, "cpu": -1, "event": -1, "times": 2, "ns": 10**6}]


@pytest.fixture(scope="module")
def gaps(make_page):
    return make_page(made_samples.samples(), bins=500, throttles=THROTTLES,
                     losses=[{"bin": 400, "bins": 20, "cpu": 0, "samples": 5}])


def tones(page, canvas, bin_, y):
    """How many pixels of (losses, throttled times) are around a bin's middle."""
    return page.js("""
        const [selector, bin, y] = arguments, canvas = document.querySelector(selector), out = [0, 0];
        const time = selector.includes('strip') ? pp.app.strip : pp.app.rows;
        const data = canvas.getContext('2d').getImageData(Math.round(time.x(bin)) - 3, y - 3, 7, 7).data;
        for (let i = 0; i < data.length; i += 4) {
            // #8a1c1c and #6a3d9a
            out[0] += data[i] > data[i + 2] + 40 && data[i + 1] < 150 ? 1 : 0;
            out[1] += data[i + 2] > data[i + 1] + 60 && data[i] > data[i + 1] + 20 && data[i + 1] < 150 ? 1 : 0;
        }
        return out;""", canvas, bin_, y)


def test_rows_of_cpus(gaps):
    """Each CPU has its own gaps, of the event in sight; the rest of its row has none."""
    page = gaps.open("v=time&e=cpu-clock")
    cpus = page.js("return pp.app.page.head.cpus")
    row = {cpu: 16 + 18 * i + 9 for i, cpu in enumerate(cpus)}
    lost, throttled = tones(page, ".timerows canvas", 125, row[1])
    assert throttled > 5 and lost == 0
    lost, throttled = tones(page, ".timerows canvas", 410, row[0])
    assert lost > 5 and throttled == 0
    for bin_, cpu in ((125, 0), (310, 2), (410, 1)):
        assert tones(page, ".timerows canvas", bin_, row[cpu]) == [0, 0]
    page.open("v=time&e=" + page.encoder.events[1])
    assert tones(page, ".timerows canvas", 310, row[2])[1] > 5
    assert tones(page, ".timerows canvas", 125, row[1]) == [0, 0]


def test_strip_has_a_band_for_each_cpu(gaps):
    page = gaps.open("v=flame&e=cpu-clock")
    n = page.js("return pp.app.page.head.cpus.length")
    seen = [tones(page, ".strip canvas", 125, int(62 * (i + 0.5) / n))[1] > 5 for i in range(n)]
    assert seen == [cpu == 1 for cpu in page.js("return pp.app.page.head.cpus")]


def test_facts_and_notes(gaps):
    page = gaps.open("v=facts")
    notes = page.js("return [...document.querySelectorAll('.notes li')].map((l) => l.textContent)")
    second = page.encoder.events[1]
    assert notes[1:] == ["The kernel throttled cpu-clock 3 times, for 100 ms on CPU 1: it has no samples of these times",
                         f"The kernel throttled {second} 1 time, for 200 ms on CPU 2: it has no samples of these times",
                         "The kernel throttled an event 2 times, for 1.00 ms: it has no samples of these times"]
    cells = page.js("return [...document.querySelectorAll('.facts table')[1].querySelectorAll('td')].map((c) => c.textContent)")
    assert cells[1:5] == ["1", "cpu-clock", "3", "100 ms"]
    assert cells[10:] == ["not known", "not known", "not known", "2", "1.00 ms"]
    assert page.errors() == []


def test_much_code_without_a_name_is_said(make_page):
    """More than a tenth, as no colour in a flame graph says it."""
    nameless = made_samples.OTHERS[2]
    samples = [s._replace(event="cpu-clock", period=10**6, frames=s.frames[:2] + ([nameless] if k % 5 == 0 else []))
               for k, s in enumerate(made_samples.samples(1000, seed=9))]
    part = sum(s.frames[-1:] == [nameless] for s in samples) / 10
    page = make_page(samples).open("v=facts")
    assert page.text(".notes") == f"{part:.2f} % of cpu-clock are in code without a name: libz.so.1 {part:.2f} %"
