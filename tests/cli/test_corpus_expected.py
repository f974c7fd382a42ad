"""What the projects that the corpus' recordings come from expect of them."""

import gzip
import re
import subprocess

import pytest

from common import CORPUS, program

EXPECTED = CORPUS / "expected"


def expected(suffix):
    if not EXPECTED.is_dir():
        return []
    return sorted(str(path.relative_to(EXPECTED))[:-len(suffix)]
                  for path in EXPECTED.rglob("*" + suffix))


def perfpair(*words):
    done = subprocess.run([program("report", "perfpair"), *map(str, words)],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", expected(".buildids") or [None])
def test_corpus_expected__build_ids(name, corpus):
    want = (EXPECTED / f"{name}.buildids").read_text()
    got = perfpair("buildid-list", "-i", corpus / "files" / name)
    assert sorted(got.split("\n")) == sorted(want.split("\n"))


@pytest.mark.parametrize("name", expected(".pb_text.gz") or [None])
def test_corpus_expected__samples(name, corpus):
    """perf_data_converter's text of each record: ip, thread, time and period of
    every sample."""
    with gzip.open(EXPECTED / f"{name}.pb_text.gz", "rt") as file:
        text = file.read()
    samples = [dict(re.findall(r"\n    (\w+): (\d+)", block)) for block in
               re.findall(r"\n  sample_event \{(.*?)\n  \}", text, re.S)]
    want = sorted((int(s["ip"]), int(s["pid"]), int(s["tid"]))
                  for s in samples)
    assert want
    got = perfpair("script", "-G", "-F", "pid,tid,ip", "-i",
                   corpus / "files" / name)
    lines = [re.split(r"[ /]+", line.strip()) for line in got.splitlines()]
    assert sorted((int(ip, 16), int(pid), int(tid))
                  for pid, tid, ip in lines) == want
