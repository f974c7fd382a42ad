"""Names with control characters, newlines, marks of direction and bytes that are
no UTF-8: each output shows them in one line, and no row is forged."""

import gzip
import json
import re

import pytest

from made_file import File
from safe_text import UNSAFE, shown

FORGED = b"x\n 99.99%  sshd\xe2\x80\xae\x9b\t\x1b[2J\x07\xc3\xb6"
COMM = b"c\n1\xe2\x80\xae\x9b\t\xc2\x9b\x1b\xc3\xb6"
KERNEL = 0xffffffff81000000
EVENT = b"cpu-clock\nforged\x1b"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A name of each kind, and a sample in each file."""
    f = File()
    f.features = {3: f.string(b"host\n" + COMM), 11: f.e.pack("I", 2)
                  + f.string(b"cmd\n") + f.string(FORGED[:40])}
    f.comm(90, COMM + b"\0")
    f.add(1, f.e.pack("II", 5, 6) + f.e.words(0x400000, 0x10000, 0)
          + b"/" + FORGED + b"\0", 95, misc=2)
    f.add(17, f.e.words(0x401200) + f.e.pack("IHH", 0x100, 1, 0)
          + b"bpf_prog_" + FORGED + b"\0", 96)
    f.add(19, f.e.words(7) + b"/" + FORGED + b"\0", 97)
    for time in range(100, 200, 10):
        f.sample(time)
    path = tmp_path_factory.mktemp("names") / "in.data"
    path.write_bytes(f.bytes())
    return path


def lines_are_safe(out):
    text = out.decode()  # is UTF-8
    for line in text.split("\n"):
        assert not UNSAFE.search(line.replace("\t", "")), line
    return text


@pytest.mark.parametrize("words, rows", [
    (["report", "-s", "comm,dso,sym"], r"\d+\.\d\d% .*"),
    (["report", "-s", "comm,dso,sym", "-t,"], r"\d+\.\d\d%,.*"),
    (["report", "--format", "csv"], r'"cpu-clock.*'),
    (["report", "--format", "folded"], r".* \d+"),
    (["report", "--hierarchy"], None),
    (["report", "--header"], r"\d+\.\d\d% .*"),
    (["report", "--tasks"], None), (["report", "--mmaps"], None),
    (["report", "-T"], r"\d+\.\d\d% .*"),
    (["script", "--show-task-events", "--show-mmap-events",
      "--show-cgroup-events", "--show-bpf-events"], r".*\d+\.\d+: .*"),
    (["script", "-D"], None), (["buildid-list"], r".+"), (["evlist", "-v"], None),
    (["check"], None)])
def test_a_name_makes_no_line(run, perfpair, made, words, rows):
    done = run([perfpair, *words, "-i", made], text=False)
    assert done.returncode == 0, done.stderr
    text = lines_are_safe(done.stdout)
    lines_are_safe(done.stderr)
    assert not re.search(r"^\s*(99\.99%|1\\|forged)", text, re.M)
    if rows:
        wanted = {"report": 1, "script": 14, "buildid-list": 1}[words[0]]
        found = [line for line in text.splitlines()
                 if re.fullmatch(rf"\s*{rows}", line)]
        assert len(found) == wanted, text
    if words[0] in ("report", "script") and "--mmaps" not in words:
        assert shown(COMM).decode() in text


def test_data_has_the_same_names(run, perfpair, made, tmp_path):
    done = run([perfpair, "report", "--format", "json", "-i", made], check=True)
    row, = json.loads(done.stdout)["events"][0]["rows"]
    assert (row["comm"], row["dso"]) == (shown(COMM).decode(),
                                         shown(FORGED).decode())
    done = run([perfpair, "script", "--format", "jsonl", "-i", made], check=True, text=False)
    samples = [json.loads(line) for line in lines_are_safe(done.stdout).splitlines()]
    assert len(samples) == 10
    assert {(sample["comm"], sample["chain"][0]["dso"]) for sample in samples} == \
        {(shown(COMM).decode(), "/" + shown(FORGED).decode())}
    run([perfpair, "export", "--format", "pprof", "-i", made, "-o",
         tmp_path / "x.pb.gz"], check=True)
    profile = gzip.decompress((tmp_path / "x.pb.gz").read_bytes())
    assert shown(FORGED) in profile and FORGED not in profile
    assert shown(COMM) in profile and COMM not in profile
    run([perfpair, "report", "--format", "html", "-i", made, "-o",
         tmp_path / "x.html"], check=True)
    page = (tmp_path / "x.html").read_bytes().decode()
    assert "\u202e" not in page and "\x9b" not in page
    run([perfpair, "export", "--format", "rows", "-i", made, "-o",
         tmp_path / "x.tsv", "--stacks", tmp_path / "x.stacks"], check=True)
    lines_are_safe((tmp_path / "x.tsv").read_bytes())
    assert shown(FORGED).replace(b"\\", b"\\\\") in \
        (tmp_path / "x.stacks").read_bytes()


def test_messages_are_one_line_each(run, perfpair, tmp_path):
    path = tmp_path / "no\nperfpair: forged\x1b"
    done = run([perfpair, "report", "-i", path])
    assert done.returncode == 1
    assert done.stderr == (f"perfpair: {shown(str(path))}: No such file or "
                           "directory\n")


def test_a_function_makes_no_row(run, perfpair, perfpair_record, may_record,
                                 workload, tmp_path):
    """A name of an ELF file may be any bytes; it is carried as it is."""
    program = tmp_path / "evil"
    data = workload("spin", "-O1").read_bytes()
    assert data.count(b"\0compare\0") >= 1
    program.write_bytes(data.replace(b"\0compare\0", b"\0c\n99 %\x1b\0"))
    program.chmod(0o755)
    run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "1000", "-o",
         tmp_path / "t.data", "--", program, "200"], check=True)
    commands = [["report"], ["script"], ["report", "--format", "csv"]]
    for words in commands + commands[::-1]:
        done = run([perfpair, *words, "-i", tmp_path / "t.data"], text=False)
        text = lines_are_safe(done.stdout)
        assert "c\\x0a99 %\\x1b" in text
        assert not re.search(r"^99", text, re.M)
        if words == commands[-1]:  # then what is carried
            program.unlink(missing_ok=True)
