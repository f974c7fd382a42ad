"""Real recordings of the corpus: header, evlist and script print what perf 6.1
printed of them.  What differs is pinned below with its reason; a pinned text
that becomes equal fails too, so that the list stays true."""

import gzip
import json
import os
import subprocess

import pytest

from common import CORPUS, program

TEXTS = ["header.txt", "evlist.txt", "script.txt.gz", "script-extra.txt.gz",
         "tasks.txt.gz"]

NAMES = "perf does not find the names that the file has for its events; we do"
SHORT_ATTR = "perf takes the ids behind an old, short attr for its last fields"
NO_EVENT = "a fuzzer's finding without an event: nothing to analyse"
BRANCHES = "perf prints branch stacks though the first event of the type has none"
VDSO = "a vdso without a file: perf shows the offset, we the address"
NO_FRAME = "of a stack copy in a file that is not there perf shows no frame; " \
    "we show where the sample was taken"
NOT_ASKED = "perf adds [unknown] though the field sym was not asked for"
PINNED = {
    ("microsoft__LinuxTracepoints/TestOutput__pipe.data",
     "evlist"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__dwarf.uncompress.data",
     "evlist"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__dwarf.uncompress.data",
     "header"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__dwarf.uncompress.data",
     "script"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__dwarf.uncompress.data",
     "script-extra"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__fp.compress.data~8a9f92c",
     "evlist"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__fp.compress.data~8a9f92c",
     "header"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__fp.compress.data~8a9f92c",
     "script"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__fp.compress.data~8a9f92c",
     "script-extra"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__perf.data",
     "header"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__perf.data",
     "script"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__perf.data",
     "script-extra"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__perfnew.data",
     "evlist"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__perfnew.data",
     "header"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__perfnew.data",
     "script"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__perfnew.data",
     "script-extra"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__report_test.data",
     "evlist"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__report_test.data",
     "header"): NAMES,
    ("openharmony__developtools_hiperf/test__unittest__resource__testdata__report_test.data",
     "script"): NAMES,
    ("google__perf_data_converter/src__quipper__testdata__perf.data.piped.ctx_switch_namespaces-4.14",
     "evlist"): SHORT_ATTR,
    ("google__perf_data_converter/src__quipper__testdata__perf.data.piped.header_features-4.16",
     "evlist"): SHORT_ATTR,
    ("google__perf_data_converter/src__quipper__testdata__perf.data.piped.hw_and_sw-3.4",
     "evlist"): SHORT_ATTR,
    ("google__perf_data_converter/src__quipper__testdata__perf.data.piped.no_attr_ids-4.14",
     "evlist"): SHORT_ATTR,
    ("google__perf_data_converter/src__quipper__testdata__perf.data.piped.target-3.4",
     "evlist"): SHORT_ATTR,
    ("google__perf_data_converter/src__quipper__testdata__perf.data.piped.target.throttled-3.4",
     "evlist"): SHORT_ATTR,
    ("google__perf_data_converter/src__quipper__corpus__poc-6811aac63baf66b46afe603c99b882dfeca9bda96e0c0fc6ba9d807ae9370309",
     "header"): NO_EVENT,
    ("4lineclear__hex-vm/perf.data.old~603ebe6",
     "script-extra"): NO_FRAME,
    ("KDAB__perfparser/tests__auto__perfdata__fork_static_gcc__perf.data.zstd",
     "script-extra"): NO_FRAME,
    ("KDAB__perfparser/tests__auto__perfdata__vector_static_clang__perf.data",
     "script-extra"): NO_FRAME,
    ("danvd__perfparser/tests__auto__perfdata__parallel_static_gcc__perf.data.zstd",
     "script-extra"): NO_FRAME,
    ("KDAB__perfparser/tests__auto__perfdata__contentsize.data",
     "script-extra"): NOT_ASKED,
    ("google__autofdo/testdata__perf-vmlinux.data",
     "script-extra"): BRANCHES,
    ("Mapone__DuckyDuck/resources__perf.data",
     "script-extra"): VDSO,
}

GOLDEN_MAX = 30 << 20


def golden(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" \
        else path.read_bytes()


def cases():
    for meta in sorted((CORPUS / "golden").rglob("meta.json")):
        told = json.loads(meta.read_text())
        if not (told.get("golden_perf") or "").startswith("6.1."):
            continue
        for text in TEXTS:
            run = told.get("runs", {}).get(text.split(".")[0])
            if run and (meta.parent / text).exists():
                yield told["file"], text, run["cmd"]


def tidy(text):
    """The golden texts have no trailing blanks and not the date."""
    lines = [line.rstrip() for line in text.split(b"\n")]
    lines = [line for line in lines if not line.startswith(b"# captured on")]
    while lines and lines[-1] in (b"", b"#"):
        lines.pop()
    return lines


def first_difference(theirs, ours):
    for number, (a, b) in enumerate(zip(theirs, ours), 1):
        if a != b:
            return f"line {number}: {a[:150]!r} is {b[:150]!r}"
    if len(theirs) != len(ours):
        return f"{len(theirs)} lines are {len(ours)}"
    return None


@pytest.mark.parametrize("name, text, command", list(cases()) or [(None,) * 3])
def test_corpus_text(name, text, command, corpus, tmp_path):
    want = golden(corpus / "golden" / name / text)
    if len(want) > GOLDEN_MAX:
        pytest.skip("too long for a test of every day")
    (tmp_path / "empty").mkdir()
    words = command.replace("$C/empty", str(tmp_path / "empty"))
    words = [word for word in words.replace("$C", str(corpus)).split()[1:]
             if word != "--no-itrace"]
    done = subprocess.run(
        [program("report", "perfpair"), *words], capture_output=True,
        timeout=120, cwd=tmp_path,
        env=dict(os.environ, HOME=str(tmp_path), TZ="UTC", LC_ALL="C"))
    got = done.stdout
    if text.startswith("tasks"):  # without the samples between
        got = b"\n".join(line for line in got.split(b"\n")
                         if b"PERF_RECORD_" in line)
    difference = first_difference(tidy(want), tidy(got))
    reason = PINNED.get((name, text.split(".")[0]))
    if reason:
        assert difference, f"equal now, to be unpinned: {reason}"
        pytest.skip(reason)
    assert difference is None, done.stderr.decode(errors="replace")[:300]
