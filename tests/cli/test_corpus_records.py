"""Every file of the corpus through pd_reader: as many records of each type as
perf counts, whole and in pieces."""

import re
import subprocess

import pytest

from common import CORPUS, program

# Files that no perf reads: what is in them was counted by hand, record headers
# walked to the end of the file.
KILLED = {
    "BU-DiSC__Qu-ART/perf.data~26a47a7": 4,
    "Mapone__DuckyDuck/resources__perf.data.old": 109,
    "hkAlice__VelvetSlim/perf.data.old~5ec8704": 119,
    "js4ngu__riscv-gnu-toolchain/test__perf.data": 8460,
}

# Records of simpleperf's own (types from 32768 up), which perf does not count.
OF_SIMPLEPERF = {
    "simpleperf__testdata__perf_with_callchain_record.data": 40,
    "simpleperf__testdata__perf_with_failed_unwinding_debug_info.data": 1,
}

# perf 6.1 does not get past its TRACING_DATA ("unexpected end of event stream"):
# what lies behind is counted by hand.
BEHIND_TRACING_DATA = {
    "KDAB__perfparser/tests__auto__perfdata__probe.data.stream": {
        "MMAP": 112, "MMAP2": 8, "COMM": 2, "EXIT": 1, "SAMPLE": 1,
        "TIME_CONV": 1, "FINISHED_ROUND": 1},
}

# A fuzzer's finding without a single event: nothing to analyse.
NO_EVENT = "poc-6811aac63baf66b46afe603c99b882dfeca9bda96e0c0fc6ba9d807ae"


def files():
    if not CORPUS.is_dir():
        return []
    return sorted(str(p.relative_to(CORPUS / "files"))
                  for p in (CORPUS / "files").rglob("*") if p.is_file())


def golden_counts(name):
    """{type: records} of `perf report --stats`; None where perf has none."""
    stats = CORPUS / "golden" / name / "stats.txt"
    if not stats.exists():
        return None
    counts = {}
    for line in stats.read_text().splitlines():
        row = re.match(r"\s*(\S+) events:\s*(\d+)", line)
        if row:
            counts[row[1]] = int(row[2])
        elif counts and line.endswith("stats:"):
            break
    for name in ("TOTAL", "COMPRESSED", "COMPRESSED2"):
        counts.pop(name, None)
    return counts or None


def count(*args):
    done = subprocess.run([program("tests", "pd_count"), *map(str, args)],
                          capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.returncode in (0, 1)
    return done.stdout


def by_type(text):
    notes = ("event", "damage", "error", "disorder", "nameless")
    return {line.split()[0]: int(line.split()[1])
            for line in text.splitlines() if not line.startswith(notes)}


@pytest.mark.parametrize("name", files() or [None])
def test_corpus_records(name, corpus):
    path = corpus / "files" / name
    text = count(path)
    ours = by_type(text)

    assert count(path, 65536) == text, "in pieces it is another file"
    assert "disorder" not in text
    if name in KILLED:
        assert sum(ours.values()) == KILLED[name]
        assert "damage 1 0 the recording was not closed" in text
        return
    golden = golden_counts(name)
    if golden is None or NO_EVENT in name:
        return  # that it answers is all that is known of it
    base = name.split("/")[1].split("~")[0]
    assert ours.pop("other", 0) == OF_SIMPLEPERF.get(base, 0)
    golden.update(BEHIND_TRACING_DATA.get(name, {}))
    assert ours == golden


@pytest.mark.parametrize("name", files() or [None])
def test_corpus_cut(name, corpus, tmp_path):
    """Cut in the middle of the data, what comes before the cut is there."""
    whole = (corpus / "files" / name).read_bytes()
    cut = tmp_path / "cut.data"
    cut.write_bytes(whole[:len(whole) // 2])
    all_counts, cut_counts = by_type(count(corpus / "files" / name)), {}
    text = count(cut)
    if not text.startswith("error"):
        cut_counts = by_type(text)
    for record_type, nr in cut_counts.items():
        assert nr <= all_counts.get(record_type, 0) + 1, record_type
