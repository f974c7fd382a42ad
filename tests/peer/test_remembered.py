"""Answers of perf that are remembered count for the question that was asked, about
the files that it was asked about."""

import pytest

from remembered import Remembered, Table, digest, plain

SCRIPT = "recordings/one CPU"


@pytest.fixture
def peer(run, perfpair, frozen, tmp_path):
    """With a table of one answer, to the words of the test's first question."""
    return Remembered(run, perfpair, frozen, Table(tmp_path / "table"), "known")


def learn(peer, text, *words):
    key, question = peer.question("plain", words)
    peer.table.rows[key] = ("ok", digest(text), 1, question)


def test_what_perf_printed_has_to_be_printed(peer, frozen):
    words = ["script", "-i", frozen(SCRIPT)]
    learn(peer, peer.ours(*words).stdout, *words)
    peer.perf = None
    peer.both(*words)
    learn(peer, peer.ours(*words).stdout + " ", *words)
    with pytest.raises(pytest.fail.Exception, match="not what perf 6.1 printed"):
        peer.both(*words)


def test_other_words_are_another_question(peer, frozen):
    words = ["script", "-i", frozen(SCRIPT)]
    learn(peer, "", *words)
    for other in (["--ns", *words[1:]], words[1:2], [*words[1:], "-G"]):
        with pytest.raises(pytest.fail.Exception, match="--ask-perf"):
            peer.answer(plain, "script", *other)
    with pytest.raises(pytest.fail.Exception, match="--ask-perf"):
        peer.answer(test_other_words_are_another_question, *words)


@pytest.mark.parametrize("changed", ["recording", "kallsyms", "version"])
def test_other_files_are_another_question(peer, frozen, changed, tmp_path):
    copy = tmp_path / "copy.data"
    copy.write_bytes(frozen(SCRIPT).read_bytes())
    peer.frozen = type("Set", (), dict(vars(frozen)))()
    peer.frozen.kallsyms = tmp_path / "kallsyms"
    peer.frozen.kallsyms.write_bytes(frozen.kallsyms.read_bytes())
    peer.frozen.words = lambda verb: type(frozen).words(peer.frozen, verb)
    words = ["script", "-i", copy]
    learn(peer, "", *words)
    assert peer.answer(plain, *words).value == digest("")
    if changed == "version":
        peer.table.version = "perf version 6.1.0"
    else:
        path = copy if changed == "recording" else peer.frozen.kallsyms
        path.write_bytes(path.read_bytes() + b"\0")
        peer.frozen.contents.known.clear()
    with pytest.raises(pytest.fail.Exception, match="--ask-perf"):
        peer.answer(plain, *words)


def test_a_file_that_nobody_looks_into_is_refused(peer, frozen):
    with pytest.raises(AssertionError, match="has to be a Path"):
        peer.answer(plain, "script", "-i", str(frozen(SCRIPT)))
