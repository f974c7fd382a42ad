"""perfpair data convert: what is refused, and that hostile names are JSON."""

import json
import subprocess
import sys

import pytest

from common import ROOT
from made_file import File, make

GEN = ROOT / "fixtures" / "gen"


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gen")
    subprocess.run([sys.executable, "-B", GEN / "make.py", folder], check=True)
    return folder / "samples-le.data"


@pytest.mark.parametrize("words, text", [
    ([], "--to-json OUT says where to write"),
    (["--to-ctf", "x"], "perf's option '--to-ctf' is not here\nperfpair: "
     "CTF is not written; use --to-json"),
    (["--to-json", "x", "--all"], "perf's option '--all' is not here\nperfpair: "
     "JSON has a form for samples only"),
    (["--to-json", "x", "y"], "what is 'y'?"),
])
def test_convert__refuses(run, perfpair, words, text):
    done = run([perfpair, "data", "convert", *words])
    assert done.returncode == 2
    assert done.stderr == f"perfpair: {text}\n"


@pytest.mark.parametrize("times, want", [
    (",", [100, 110, 120, 130]), ("0.000000110,0.000000120", [110, 120]),
    ("0.00000013,", [130]), ("50%-100%", [120, 130])])
def test_convert__times(run, perfpair, tmp_path, times, want):
    (tmp_path / "x.data").write_bytes(File().some().bytes())
    out = tmp_path / "x.json"
    done = run([perfpair, "data", "convert", "--to-json", out, "-i",
                tmp_path / "x.data", "--time", times])
    assert done.returncode == 0, done.stderr
    assert f"({len(want)} samples)" in done.stderr
    assert [sample["timestamp"] for sample in
            json.loads(out.read_text())["samples"]] == want


def test_data__has_one_thing_to_do(run, perfpair):
    assert run([perfpair, "data"]).returncode == 2
    assert run([perfpair, "data", "list"]).returncode == 2
    assert run([perfpair, "data", "convert", "--help"]).stdout.startswith(
        "usage: perfpair data convert --to-json OUT ")


def test_convert__writes_over_nothing_unless_forced(run, perfpair, samples,
                                                    tmp_path):
    out = tmp_path / "out.json"
    out.write_text("mine")
    command = [perfpair, "data", "convert", "-i", samples, "--to-json", out]
    done = run(command)
    assert done.returncode == 1
    assert out.read_text() == "mine"
    assert done.stderr == (f"perfpair: {out}: the file is there already\n"
                           "perfpair: -f overwrites it\n")
    done = run([*command, "--force"])
    assert done.returncode == 0
    assert len(json.loads(out.read_text())["samples"]) == \
        int(done.stderr.split("(")[1].split()[0])


@pytest.mark.parametrize("name, want", [
    (b'a"b\\c\n\t\x01', r'a"b\c\x0a\x09\x01'),
    (b"\xc3\xa4\xe2\x82\xac", "\u00e4\u20ac"),
    (b"a\xff\xc3z", r"a\xff\xc3z"),
    (b"\xed\xa0\x80\xc0\xaf", r"\xed\xa0\x80\xc0\xaf"),
])
def test_convert__makes_any_name_json(run, perfpair, tmp_path, name, want):
    sys.path.insert(0, str(GEN))
    from perf_data import Attr, Encoder
    encoder = Encoder(False)
    attr = Attr(size=128, type=1, sample_type=7, sample_period=1)
    records = encoder.record(3, 0, encoder.pack("II", 5, 5) + name + b"\0") + \
        encoder.record(9, 2, encoder.words(0x1000)
                       + encoder.pack("II", 5, 5) + encoder.words(77))
    (tmp_path / "in.data").write_bytes(
        encoder.plain_file([(attr, (1,))], records))
    done = run([perfpair, "data", "convert", "-i", "in.data", "--to-json",
                "out.json"])
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["samples"] == [{
        "timestamp": 77, "pid": 5, "tid": 5, "comm": want,
        "callchain": [{"ip": "0x1000"}]}]


def test_convert__tells_of_each_sample_what_some_event_records(run, perfpair,
                                                               tmp_path):
    """As perf does: -1 where this one's event does not."""
    attrs = [make.attr_of(sample_type=1 << 16 | 3 | more)
             for more in (1 << 2 | 1 << 7, 0)]
    file = File(attrs=attrs)
    for attr, ident in zip(attrs, (101, 102)):
        file.records.append(file.e.sample(attr, file.ident(100, ident)))
    (tmp_path / "made.data").write_bytes(file.bytes())
    done = run([perfpair, "data", "convert", "-i", "made.data", "--to-json",
                "out.json"])
    assert done.returncode == 0, done.stderr
    samples = json.loads((tmp_path / "out.json").read_text())["samples"]
    assert [(s["timestamp"], s["cpu"]) for s in samples] == [(-1, -1), (100, 1)]


def test_convert__threads_that_have_ended_are_of_their_process(run, perfpair,
                                                               tmp_path):
    """Their number is -1 then, whosever they were."""
    f, path, out = File(), tmp_path / "t.data", tmp_path / "out.json"
    for pid in (5, 7, 5):
        who = dict(f.ident(1), pid=pid, tid=2**32 - 1)
        f.records.append(f.e.sample(f.attrs[0], who))
    path.write_bytes(f.bytes())
    done = run([perfpair, "data", "convert", "-i", path, "--to-json", out])
    assert done.returncode == 0, done.stderr
    assert [(one["pid"], one["tid"])
            for one in json.loads(out.read_text())["samples"]] == [
        (5, -1), (7, -1), (5, -1)]
