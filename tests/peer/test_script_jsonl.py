"""script --format jsonl: the lines of text of the same recording say the same."""

import json
import re

import pytest

FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)( \(inlined\)| \((.*)\))$")


@pytest.fixture
def text(recording, run, perfpair):
    """text(*OPTIONS): the lines of script."""
    def lines(*options):
        done = run([perfpair, "script", "-i", recording, *options])
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
    return lines


@pytest.fixture
def objects(text):
    return lambda *options: [json.loads(line) for line in text("--format", "jsonl", *options)]


@pytest.mark.recordings()
def test_fields_are_those_of_the_text(text, objects):
    samples = objects()
    assert samples and {sample["v"] for sample in samples} == {1}
    times = text("-G", "-F", "time", "--ns")
    assert [f"{sample['time'] // 10**9}.{sample['time'] % 10**9:09}:" for sample in samples] == \
        [line.strip() for line in times]
    assert [sample["comm"] for sample in samples] == \
        [line.strip() for line in text("-G", "-F", "comm")]
    assert [f"{sample['pid']}/{sample['tid']}" for sample in samples] == \
        [line.replace(" ", "") for line in text("-G", "-F", "pid,tid")]
    assert [sample["event"] + ":" for sample in samples] == \
        [line.strip() for line in text("-G", "-F", "event")]


@pytest.mark.recordings(["--max-stack", "3", "--stop-bt", "main"], [],
                        of=["clock with chains", "stack copies", "no build-ids", "raw tracepoint"])
def test_frames_are_those_of_the_text(text, objects, options):
    """With --no-inline: inlined functions stand in frames of any chain here, in text in
    those of stack copies alone."""
    options = [*options, "--no-inline", "-F", "ip,sym,dso"]
    shown = [(frame.get("sym", "[unknown]"), frame.get("dso", "[unknown]"))
             for sample in objects(*options) for frame in sample["chain"]]
    lines = [FRAME.match(" " + line) for line in text(*options) if line]
    assert shown == [(line[2], line[4]) for line in lines]
    assert shown


@pytest.mark.recordings(of=["raw tracepoint", "scheduler of all CPUs"])
def test_tracepoints_have_their_fields(text, objects):
    samples = [sample for sample in objects() if "trace" in sample]
    assert samples
    for sample, line in zip(samples, text("-G", "-F", "trace"), strict=True):
        assert sample["trace"].strip() == line.strip()
    for sample in samples:
        said = dict(re.findall(r"(\w+)=(\S+)", sample["trace"]))
        for name, value in sample["fields"].items():
            if isinstance(value, int) and re.fullmatch(r"-?\d+", said.get(name, "")):
                assert value == int(said[name])


@pytest.mark.recordings(of=["registers"])
def test_registers(text, objects):
    """Each word of the text, "AX:0x1", is a member."""
    samples = objects("-F", "+iregs,+uregs")
    told = [dict(re.findall(r"(\w+):0x([0-9a-f]+)", line))
            for line in text("-G", "-F", "iregs,uregs")]
    for sample, said in zip(samples, told, strict=True):
        regs = {**sample.get("iregs", {}), **sample.get("uregs", {})}
        regs.pop("abi", None)
        assert {name: value[2:] for name, value in regs.items()} == said
    assert any(told)


@pytest.mark.recordings(["-D"], ["--compat"], ["--show-task-events"], ["--header"], ["-F", "+srccode"], ["-F", "+disasm"],
                        of=["page faults"])
def test_refuses_what_is_no_sample(recording, run, perfpair, options):
    done = run([perfpair, "script", "-i", recording, "--format", "jsonl", *options])
    assert (done.returncode, done.stdout) == (2, "")
    assert "each line is one sample in JSON" in done.stderr
