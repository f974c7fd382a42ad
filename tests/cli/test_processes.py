"""Whose process a thread is of."""

import json
import subprocess

import pytest

from made_file import File  # fixtures/gen is found by it
from page_data import Page
from perf_data import Encoder
from pprof_profile import Profile
from shown import PLAIN, attr_of, ident

E = Encoder(False)
NAMES = {100: "java", 101: "GC Thread#3", 102: "Attach API wait", 200: "sh"}
THREADS = [(100, 100), (100, 101), (100, 102), (200, 200), (300, 301)]


def recording(threads=THREADS):
    """A process of three threads; one that changes its name; a thread of a process
    that no record is about."""
    attr = attr_of(sample_type=PLAIN)

    def record(kind, body, nr=0):
        return E.record(kind, 0, body + E.trailer(attr, ident(nr)))

    def comm(pid, tid, name, nr=0):
        raw = name.encode() + b"\0"
        return record(3, E.pack("II", pid, tid) + raw + bytes(-len(raw) % 8), nr)

    data = b"".join(comm(tid if tid == 200 else 100, tid, name)
                    for tid, name in NAMES.items())
    for nr, (pid, tid) in enumerate(threads):
        data += E.sample(attr, ident(nr, pid=pid, tid=tid))
    data += comm(200, 200, "renamed", 10)
    data += E.sample(attr, ident(11, pid=200, tid=200))
    return E.plain_file([(attr, (7,))], data)


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """The lines of what a command prints of the recording."""
    def shown(*words):
        (tmp_path / "p.data").write_bytes(recording())
        done = run([perfpair, *words, "-i", "p.data"])
        assert done.returncode == 0, done.stderr
        return [line for line in done.stdout.splitlines()
                if line.strip() and not line.startswith("#")]
    return shown


def rows(lines):
    return sorted(" ".join(line.split()) for line in lines)


def test_tgid_is_the_process_by_its_last_name(shown):
    assert rows(shown("report", "-q", "-s", "tgid")) == [
        "16.67% 300::300", "33.33% 200:renamed", "50.00% 100:java"]


def test_comm_nodigit_is_one_for_all_numbers(shown):
    """As in perf 7.3."""
    lines = shown("report", "-q", "-s", "comm_nodigit", "-H")
    assert "33.33% :<N>" not in rows(lines)
    assert [row for row in rows(lines) if "<N>" in row] == [
        "16.67% :<N>", "16.67% GC Thread#<N>"]


def test_comm_nodigit_in_diff(run, perfpair, tmp_path):
    for name, comm in ("old.data", b"worker-17"), ("new.data", b"worker-3"):
        made = File()
        made.comm(90, comm.ljust(16, b"\0"))
        made.sample(100)
        made.sample(110)
        (tmp_path / name).write_bytes(made.bytes())
    text = run([perfpair, "diff", "-s", "comm_nodigit", "--format", "csv", "old.data",
                "new.data"], cwd=tmp_path).stdout
    assert text.count("worker-<N>") == 1


def test_tgid_looks_as_in_perf(run, perfpair, tmp_path):
    (tmp_path / "p.data").write_bytes(recording())
    lines = run([perfpair, "report", "-s", "tgid", "-i",
                 "p.data"]).stdout.splitlines()
    assert "# Overhead     Tgid:Command" in lines
    assert "    50.00%      100:java   " in lines
    lines = run([perfpair, "report", "-s", "tgid,pid", "--hierarchy", "-i",
                 "p.data"]).stdout.splitlines()
    assert "#    Overhead  Tgid:Command / Pid:Command" in lines
    assert lines[11:15] == ["    50.00%     100:java   ", "       16.67%     100:java           ",
                            "       16.67%     101:GC Thread#3    ",
                            "       16.67%     102:Attach API wait"]


def test_a_thread_id_of_two_processes(run, perfpair, tmp_path):
    (tmp_path / "p.data").write_bytes(recording([(100, 50)] * 3 + [(200, 50)] * 4))
    text = run([perfpair, "report", "-q", "-s", "tgid", "-i", "p.data"]).stdout
    assert rows(text.split("\n"))[-2:] == ["37.50% 100:java", "62.50% 200:renamed"]


def test_process_is_by_the_name_at_the_time(shown):
    assert rows(shown("report", "-q", "-s", "process")) == [
        "16.67% :300", "16.67% renamed", "16.67% sh", "50.00% java"]
    assert rows(shown("report", "-q", "-s", "process,comm"))[-1] == \
        "16.67% sh sh"


def test_folded(shown):
    words = ("report", "--format", "folded")
    assert sorted(shown(*words, "--labels", "process,comm")) == [
        ":300;:301;[unknown] 1", "java;Attach API wait;[unknown] 1",
        "java;GC Thread#3;[unknown] 1", "java;java;[unknown] 1",
        "renamed;renamed;[unknown] 1", "sh;sh;[unknown] 1"]
    assert "java;[unknown] 3" in shown(*words, "--labels", "process")
    assert shown(*words, "--labels", "none") == ["[unknown] 6"]
    assert sorted(shown(*words)) == sorted(shown(*words, "--labels", "comm"))


def test_folded_has_no_place_for_other_labels(run, perfpair, tmp_path):
    (tmp_path / "p.data").write_bytes(recording())
    done = run([perfpair, "report", "--format", "folded", "--labels", "tid", "-i",
                "p.data"])
    assert done.returncode == 2 and "other labels have no place" in done.stderr


@pytest.fixture
def exported(perfpair, tmp_path):
    def exported(form, *words):
        (tmp_path / "p.data").write_bytes(recording())
        return subprocess.run([perfpair, "export", "--format", form, *words,
                               tmp_path / "p.data"], capture_output=True, check=True).stdout
    return exported


COMMS = sorted([(":300", ":301"), ("java", "Attach API wait"), ("java", "GC Thread#3"),
                ("java", "java"), ("renamed", "renamed"), ("sh", "sh")])


def test_pprof(exported):
    profile = Profile(exported("pprof", "--labels", "process,comm"))
    assert sorted((s.labels["process"], s.labels["comm"])
                  for s in profile.samples) == COMMS
    only = Profile(exported("pprof", "--labels", "process"))
    assert sorted((s.labels["process"], s.values[0]) for s in only.samples) == [
        (":300", 1), ("java", 3), ("renamed", 1), ("sh", 1)]


def test_speedscope(exported):
    file = json.loads(exported("speedscope", "--labels", "process,comm"))
    names = [frame["name"] for frame in file["shared"]["frames"]]
    assert sorted(tuple(names[at] for at in stack[:2])
                  for stack in file["profiles"][0]["samples"]) == COMMS


def test_firefox(exported):
    threads = json.loads(exported("firefox", "--labels", "process"))["threads"]
    assert sorted((t["processName"], t["name"]) for t in threads) == [
        both for both in COMMS if both[0] != "sh"]  # a track has its last name
    threads = json.loads(exported("firefox"))["threads"]
    assert not any("processName" in thread for thread in threads)


def test_rows_are_of_many_hosts(perfpair, tmp_path):
    (tmp_path / "p.data").write_bytes(recording())
    done = subprocess.run([perfpair, "export", "--format", "rows", "--labels", "process",
                           "--stacks", tmp_path / "s", tmp_path / "p.data"],
                          capture_output=True)
    assert done.returncode == 2 and b"not told apart by process" in done.stderr


def test_page(perfpair, tmp_path, run):
    (tmp_path / "p.data").write_bytes(recording())
    head = Page(run([perfpair, "report", "--format", "html", "-i",
                     "p.data"]).stdout).head
    assert sorted((lane["pid"], lane["tid"], lane["comm"], lane.get("process"))
                  for lane in head["lanes"]) == [
        (100, 100, "java", "java"), (100, 101, "GC Thread#3", "java"),
        (100, 102, "Attach API wait", "java"), (200, 200, "renamed", "renamed"),
        (300, 301, None, None)]


@pytest.mark.parametrize("names, comms", [
    ("java", ["Attach API wait", "GC Thread#3", "java"]), ("sh", ["sh"]),
    ("renamed,:300", [":301", "renamed"])])
def test_filter(names, comms, shown):
    """Of a process that changes its name only the samples of that time."""
    script = shown("script", "-F", "comm", "--process", names)
    assert sorted(line.strip() for line in script) == comms
    folded = shown("report", "--format", "folded", "--process", names)
    assert sorted(line.split(";")[0] for line in folded) == comms
    assert len(shown("report", "-q", "-s", "comm", "--process", names)) == len(comms)


def test_filter_that_nothing_passes(run, perfpair, tmp_path):
    (tmp_path / "p.data").write_bytes(recording())
    done = run([perfpair, "report", "--process", "jav", "-i", "p.data"])
    assert "--process: no process is named 'jav'" in done.stderr
    assert "nearest: java" in done.stderr
