"""Fields that samples do not have, and that are printed all the same: in recordings
with AUX data, whose decoded samples may have them, and in pipes.  The texts are those
of perf 6.1, and so is what is said of others: perf2bolt looks for it."""

import re

import pytest

import made_file  # noqa: F401  fixtures/gen is found by it
from features import string
from perf_data import Encoder
from shown import attr_of, ident, tasks

E = Encoder(False)
IP_TID_TIME, IDENTIFIER, CPU_PERIOD = 7, 1 << 16, 1 << 7 | 1 << 8
AUXTRACE = {18: E.words(0)}
NONE = "         5080021 |OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A"


def recording(more):
    """Two events; the first one's samples have no CPU."""
    events = [(attr_of(sample_type=IP_TID_TIME | IDENTIFIER), (7,)),
              (attr_of(sample_type=IP_TID_TIME | IDENTIFIER | CPU_PERIOD,
                       config=1), (8,))]
    data = tasks(E, events[0][0], id=7) \
        + E.sample(events[0][0], ident(1, id=7)) \
        + E.sample(events[1][0], ident(2, id=8))
    return E.plain_file(events, data, {3: string(E, "host"),
                                       6: string(E, "x86_64"), **more})


@pytest.fixture
def script(run, perfpair, tmp_path):
    def script(more, fields):
        (tmp_path / "made.data").write_bytes(recording(more))
        return run([perfpair, "script", "-F", fields, "-i", "made.data"])
    return script


@pytest.mark.parametrize("fields,text", [
    ("comm,cpu,ip", "         fixture [-01]            401234\n"
                    "            :102 [000]            401234\n"),
    ("ip,addr", "               0           401234\n" * 2),
    ("ip,weight", "               0           401234\n" * 2),
    ("ip,phys_addr", "           401234               0\n" * 2),
    ("ip,data_src", f"{NONE}           401234\n" * 2),
    ("ip,iregs", "           401234\n" * 2),
])
def test_fields_of_decoded_samples(fields, text, script):
    done = script(AUXTRACE, fields)
    assert (done.returncode, done.stdout) == (0, text), done.stderr
    done = script({}, fields)
    assert done.returncode == 1
    name = fields.split(",")[1]
    assert re.search(f"Samples for '.*' event do not have {name.upper()} attribute set. "
                     f"Cannot print '{name}' field.", done.stderr)


@pytest.mark.parametrize("field", ["uregs", "ins_lat", "data_page_size",
                                   "code_page_size"])
def test_fields_that_no_decoded_sample_has(field, script):
    done = script(AUXTRACE, "ip," + field)
    assert done.returncode == 1
    assert f"Cannot print '{field}' field." in done.stderr


@pytest.mark.parametrize("more", [{}, AUXTRACE], ids=["plain", "aux"])
@pytest.mark.parametrize("fields,text", [
    ("ip,insn", "           401234\n" * 2),
    ("ip,insnlen", "           401234 ilen: 0\n" * 2),
    ("comm,ip,insn,insnlen", "         fixture            401234 ilen: 0\n"
                             "            :102            401234 ilen: 0\n"),
])
def test_instructions(fields, text, more, script):
    done = script(more, fields)
    assert (done.returncode, done.stdout) == (0, text), done.stderr


def pipe():
    attr = attr_of(sample_type=IP_TID_TIME | CPU_PERIOD)
    return E.pipe_file([(attr, (7,))], tasks(E, attr)
                       + E.sample(attr, ident(1)) + E.sample(attr, ident(3)))


def rows(text):
    return [line.rstrip() for line in text.splitlines()
            if line and line[0] != "#"]


def test_report_of_pipes(run, perfpair, tmp_path):
    """-g and --mem-mode of what has neither: perf does not know that a pipe has
    none before it is read, and prints the rows that there are."""
    (tmp_path / "p").write_bytes(pipe())
    flat = run([perfpair, "report", "--stdio", "-i", "p"])
    for option in ("-g", "-gcaller"):
        done = run([perfpair, "report", "--stdio", option, "-i", "p"])
        assert done.returncode == 0, done.stderr
        assert rows(done.stdout) == rows(flat.stdout) != []
    done = run([perfpair, "report", "--stdio", "--mem-mode", "-s",
                "locked,snoop,mem", "-i", "p"])
    assert rows(done.stdout) == [
        "   100.00%  N/A     N/A           N/A"], done.stderr
    done = run([perfpair, "report", "--branch-history", "--stdio", "-i", "p"])
    assert done.returncode == 0, done.stderr
    assert len(rows(done.stdout)) == 1
