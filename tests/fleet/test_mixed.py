"""A fleet of which some hosts ran both releases, and some one of them."""

import math
import random
import statistics

import pytest

from made_fleet import Fleet
from page_data import Page
from rows import perfpair
from test_fleet import DIFF, asked, fill, rows_of


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """9 hosts ran A, 8 ran B, 6 of them both."""
    fleet, chance = Fleet(tmp_path_factory.mktemp("mixed"), 0), random.Random(3)
    for host in range(11):
        level = chance.gauss(1, 0.1)
        for side in (0, 1):
            if host not in ((2, 9), (0, 4, 7))[side]:
                fleet.add(f"host-{host}", side, chance, level, False)
    return fleet


def share(at, function):
    """(samples below the function, all samples) of a slice"""
    return (sum(nr for stack, nr in at["counts"].items() if function in stack),
            sum(at["counts"].values()))


def chance(at, function):
    """The variance of the share by chance (diff_estimate.h)."""
    nr, all_nr = share(at, function)
    part = (nr + 2) / (all_nr + 4)
    return part * (1 - part) / (all_nr + 4)


def students_t(p, df):
    """The t that is exceeded in absolute value with probability p."""
    def density(t):
        return math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / \
            math.sqrt(df * math.pi) * (1 + t * t / df) ** (-(df + 1) / 2)

    step, t, area = 1e-4, 0.0, 0.0
    while area < (1 - p) / 2:
        area += step * density(t + step / 2)
        t += step
    return t


def expected(fleet, function):
    """(change, half its interval) in per cent of the partially overlapping
    samples test: Derrick and others, 2017, unequal variances."""
    sides = [{at["host"]: at for at in fleet.slices if at["side"] == side}
             for side in (0, 1)]
    values = [{host: nr / all_nr for host, at in side.items()
               for nr, all_nr in [share(at, function)]} for side in sides]
    nrs = [len(side) for side in sides]
    means = [statistics.mean(side.values()) for side in values]
    errors = [statistics.variance(side.values()) / len(side)
              for side in values]
    both = sorted(set(values[0]) & set(values[1]))
    r = statistics.correlation([values[0][host] for host in both],
                               [values[1][host] for host in both])
    error = sum(errors) - 2 * r * math.sqrt(errors[0] * errors[1]) * \
        len(both) / math.sqrt(nrs[0] * nrs[1])
    weights = [sum(chance(at, function) for at in side.values()) / nr**2
               for side, nr in zip(sides, nrs)]
    welch = sum(weights)**2 / sum(weight**2 / (nr - 1)
                                  for weight, nr in zip(weights, nrs))
    single = sum(nrs) - 2 * len(both)
    df = len(both) - 1 + (welch - len(both) + 1) * single / sum(nrs)
    return (100 * (means[1] - means[0]),
            100 * students_t(0.05, df) * math.sqrt(error))


def check(words, fleet):
    row = rows_of(asked(words, *DIFF, "--children"))
    for function in ("hash", "flush", "parse", "copy"):
        delta, reach = expected(fleet, function)
        at = row[function]
        assert at["delta_pct"] == pytest.approx(delta, abs=1e-6)
        assert at["high_pct"] - at["low_pct"] == pytest.approx(2 * reach,
                                                               rel=1e-3)


def test_mixed__intervals_are_those_of_the_paper(server, mixed):
    fill(server, mixed)
    words = ["--", *server.client]
    check(words, mixed)
    apart = rows_of(asked(words, *DIFF, "--no-pairs"))
    pairs = rows_of(asked(words, *DIFF))
    # flush differs from host to host, and is the same on each
    width = [rows["flush"]["high_pct"] - rows["flush"]["low_pct"]
             for rows in (pairs, apart)]
    assert width[0] < 0.8 * width[1]
    done = perfpair(*DIFF, *words, code=0)
    assert b"scatter of 9 old and 8 new hosts, of a row and of rows like it." \
        in done.stdout
    assert b"# 6 hosts ran both: each is compared with itself.\n" in done.stdout
    assert b"# Compared: share of all. 11 hosts.\n" in done.stdout
    assert not done.stderr


def test_mixed__a_page_says_what_it_compares(server, mixed):
    fill(server, mixed)
    page = Page(perfpair(*DIFF, "--format", "html", "--", *server.client,
                         code=0).stdout.decode())
    assert page.head["pairs"] is False
    warning, = page.head["warnings"]
    assert warning.startswith("6 hosts ran both: the table of changes compares "
                              "them with themselves")


def test_mixed__duckdb_has_the_same(duckdb, mixed):
    check(duckdb(mixed), mixed)
