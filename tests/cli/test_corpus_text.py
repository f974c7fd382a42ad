"""Real recordings of the corpus: perfpair prints what perf printed of them, the
first perf that reads each.  What differs is pinned below with its reason; a
pinned text that becomes equal fails too, so that the list stays true."""

import pytest

from corpus_text import cases

PIPE_EVLIST = "perf evlist ends at the first feature of a pipe, with the " \
    "events and names that it has until then: often none"
SHORT_ATTR = "perf takes the ids behind an old, short attr for its last fields"
CRASH = "perf 6.1 crashes over the header of a file of hiperf"
STOPS = "perf stops amid the file, over what a pipe's TRACING_DATA is followed by"
UNKNOWN = "perf 7.2 passes over records of unknown types without counting them"
NO_CAPS = "perf 6.12 forgets what CPU_PMU_CAPS said where PMU_CAPS lists nothing"
PINNED = {
    ("Avyukth__frankentui", "perf.data~110f4ed", "header"): NO_CAPS,
    ("google__perf_data_converter", "piped.ctx_switch_namespaces-4.14",
     "evlist"): PIPE_EVLIST,
    ("google__perf_data_converter", "piped.header_features-4.16",
     "evlist"): PIPE_EVLIST,
    ("google__perf_data_converter", "piped.no_attr_ids-4.14",
     "evlist"): PIPE_EVLIST,
    ("microsoft__LinuxTracepoints", "TestOutput__pipe.data",
     "evlist"): PIPE_EVLIST,
    ("google__perf_data_converter", "piped.hw_and_sw-3.4",
     "evlist"): SHORT_ATTR,
    ("google__perf_data_converter", "piped.target-3.4", "evlist"): SHORT_ATTR,
    ("google__perf_data_converter", "piped.target.throttled-3.4",
     "evlist"): SHORT_ATTR,
    ("openharmony__developtools_hiperf", "", "header"): CRASH,
    ("KDAB__perfparser", "probe.data.stream", "stats"): STOPS,
    ("microsoft__LinuxTracepoints", "TestOutput__pipe.data", "stats"): STOPS,
    ("KDAB__perfparser", "probe.data.stream", "evlist"): PIPE_EVLIST,
    ("google__perf_data_converter", "poc-62e91c", "stats"): UNKNOWN,
    ("google__perf_data_converter", "poc-7bef7f", "stats"): UNKNOWN,
}
GOLDEN_MAX = 30 << 20
ALL = list(cases())


OWN_TYPES = "records of simpleperf's own types: perf passes over them or " \
    "ends there, we dump them"
FUZZED = "a fuzzer's finding: perf ends at its first record, we say what is " \
    "wrong with it"
PINNED.update({
    ("GrapheneOS__platform_system_extras", "perf_with_callchain_record.data",
     "records"): OWN_TYPES,
    ("GrapheneOS__platform_system_extras", "perf_with_failed_unwinding",
     "records"): OWN_TYPES,
    ("google__perf_data_converter", "poc-62e91c", "records"): FUZZED,
    ("google__perf_data_converter", "poc-7bef7f", "records"): FUZZED,
})


def reason_of(case):
    for (project, part, text), reason in PINNED.items():
        if case.name.startswith(project) and part in case.name and \
                text == case.text:
            return reason
    return None


@pytest.mark.parametrize("case", ALL or [None],
                         ids=[f"{case.name}-{case.text}" for case in ALL])
def test_corpus_text(case, corpus, tmp_path):
    if case.path.stat().st_size > GOLDEN_MAX:
        pytest.skip("too long for a test of every day")
    done = case.run(tmp_path)
    difference = case.difference(done.stdout)
    reason = reason_of(case)
    if reason:
        assert difference, f"equal now, to be unpinned: {reason}"
        pytest.skip(reason)
    assert difference is None, done.stderr.decode(errors="replace")[:300]


def test_enough_of_the_texts_are_equal(corpus):
    """The reach: 95 of 100 texts."""
    different = [case for case in ALL if reason_of(case)]
    assert len(different) < 0.05 * len(ALL)
