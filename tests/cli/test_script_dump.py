"""script -D: what records say, one by one, in perf's words.  The texts are those
that perf 6.1 prints of the same files."""

import re

import pytest

from made_file import ATTR, File, make

TIMED = make.attr_of(sample_type=1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 7)
TIMELESS = make.attr_of(sample_type=1 << 16 | 1 | 1 << 1)
READ_ALL = make.attr_of(sample_type=ATTR["sample_type"], read_format=1 | 2 | 4 | 16)
READ_SOME = make.attr_of(sample_type=ATTR["sample_type"], read_format=1 | 4)


@pytest.fixture
def dumped(run, perfpair, tmp_path):
    """dumped(file): the lines behind "PERF_RECORD_" or "...", places left out."""
    def dump(file):
        path = tmp_path / "made.data"
        path.write_bytes(file.bytes())
        done = run([perfpair, "script", "-D", "-i", path])
        assert (done.returncode, done.stderr) == (0, "")
        return [re.sub(r"0x\w+ \[0x\w+\]: ", "", line)
                for line in done.stdout.splitlines()
                if "PERF_RECORD_" in line or line.startswith(("...", ":"))]
    return dump


@pytest.mark.parametrize("big_endian", [False, True])
def test_counters_of_a_task(dumped, big_endian):
    file = File(big_endian, (READ_ALL, READ_SOME))
    words = file.e.words
    file.add(8, file.e.pack("II", 5, 6) + words(700, 30, 20, 101, 4), 90)
    file.add(8, file.e.pack("II", 5, 6) + words(800, 31, 102), 95, ident=102)
    assert dumped(file) == [
        "1 90 PERF_RECORD_READ: 5 6 cpu-clock:HG 700", "... time enabled : 30",
        "... time running : 20", "... id           : 101",
        "... lost         : 4", ": unhandled!",
        "1 95 PERF_RECORD_READ: 5 6 cpu-clock:HG 800", "... time enabled : 31",
        "... id           : 102", ": unhandled!"]


@pytest.mark.parametrize("cpus, text", [
    ((0xffff,), "-1"), ((0, 1, 2, 5), "0-2,5"), ((0xffff, 3), "-1,3"),
    ((0xffff, 0, 1), "-1-1"), ((5, 1, 2, 0), "5,1-2,0")])
def test_cpus_of_threads(dumped, cpus, text):
    file = File()
    file.add(74, file.e.pack(f"HH{len(cpus)}H", 0, len(cpus), *cpus)
             + bytes(-(4 + 2 * len(cpus)) % 8))
    assert dumped(file) == [f"0 0 PERF_RECORD_CPU_MAP: {text}"]


def test_what_a_record_does_not_tell(dumped, run, perfpair, tmp_path):
    """-1, where other events' records tell it; that is no time to sort by."""
    file = File(attrs=(TIMED, TIMELESS))
    for attr, ident in ((TIMED, 101), (TIMELESS, 102)):
        file.records.append(file.e.sample(attr, file.ident(100, ident)))
    assert [line for line in dumped(file) if "SAMPLE" in line] == [
        "4294967295 18446744073709551615 PERF_RECORD_SAMPLE(IP, 0x4002): 5/6:"
        " 0x401234 period: 4000 addr: 0",
        "1 100 PERF_RECORD_SAMPLE(IP, 0x4002): 5/6: 0x401234 period: 4000"
        " addr: 0"]
    done = run([perfpair, "script", "-F", "tid,time", "-i",
                tmp_path / "made.data"])
    assert done.stdout == "    6 18446744073.709551: \n    6     0.000000: \n"


def test_events_of_a_pipe_are_known_one_by_one(run, perfpair, tmp_path):
    """Until the last has come perf goes by the first."""
    file = File(attrs=(TIMELESS, TIMED))
    e = file.e
    (tmp_path / "p").write_bytes(e.pipe_file(
        [(TIMELESS, [101]), (TIMED, [102]), (TIMED, [103])],
        e.record(80, 0, e.words(3) + file.string(b"host"))))
    done = run([perfpair, "script", "-D", "-i", tmp_path / "p"])
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" 0x")[0] if " 0x" in line else line.split(" 0 [")[0]
            for line in done.stdout.splitlines() if "PERF_RECORD_" in line] \
        == ["-1 -1", "0x90 [0x90]: PERF_RECORD_ATTR",
            "0x120 [0x90]: PERF_RECORD_ATTR", "0 0"]


def guests(big_endian):
    """Event 103 is of virtual CPU 3 of the machine that process 77 is."""
    file = File(big_endian, (TIMED, TIMED))
    words = file.e.words
    # Without features, an ID_INDEX at the beginning is that of a recording of
    # ours that was killed.
    file.records.append(file.e.record(68, 0, b""))
    file.add(69, words(3) + words(101, 0, 1, 6) + words(103, 1, 2, 7)
             + words(102, 0, 1, 6) + words(0, 0) + words(77, 3) + words(0, 0))
    for ident in (101, 103, 102):
        file.records.append(file.e.sample(TIMED, file.ident(100, ident)))
    return file


@pytest.mark.parametrize("big_endian", [False, True])
def test_events_of_guests(run, perfpair, tmp_path, big_endian):
    path = tmp_path / "made.data"
    path.write_bytes(guests(big_endian).bytes())
    for fields, lines in (
            ("tid", ["    6 ", "    6 ", "    6 "]),
            ("machine_pid,tid", ["    6 ", "VM:   77     6 ", "    6 "]),
            ("tid,vcpu", ["    6 ", "VCPU:003     6 ", "    6 "])):
        done = run([perfpair, "script", "-F", fields, "-i", path])
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == lines


def test_ids_of_guests(dumped, run, perfpair, tmp_path):
    dumped(guests(False))
    done = run([perfpair, "script", "-D", "-i", tmp_path / "made.data"])
    assert [line for line in done.stdout.splitlines() if " idx: " in line] == [
        " ... id: 101  idx: 0  cpu: 1  tid: 6  machine_pid: 0  vcpu: 0",
        " ... id: 103  idx: 1  cpu: 2  tid: 7  machine_pid: 77  vcpu: 3",
        " ... id: 102  idx: 0  cpu: 1  tid: 6  machine_pid: 0  vcpu: 0"]


def test_fields_of_decoded_samples(run, perfpair, tmp_path):
    """No recorded sample has them; where there is AUX data some would."""
    file = File().some()
    path = tmp_path / "made.data"
    command = [perfpair, "script", "-F", "+synth,+ipc,+callindent", "-i", path]
    path.write_bytes(file.bytes())
    done = run(command)
    assert done.returncode == 0
    assert done.stdout == run([perfpair, "script", "-i", path]).stdout
    file.features = {18: file.e.words(0)}
    path.write_bytes(file.bytes())
    done = run(command)
    assert done.returncode == 2
    assert "synth and ipc are decoded out of AUX data" in done.stderr


def test_fields_that_no_event_has(run, perfpair, tmp_path):
    """Software events have no text of a tracepoint: perf prints no line."""
    path = tmp_path / "some.data"
    path.write_bytes(File().some().bytes())
    done = run([perfpair, "script", "-F", "trace", "-i", path])
    assert (done.returncode, done.stdout) == (0, "")


def test_changes_of_code_come_with_symbols(run, perfpair, tmp_path):
    """KSYMBOL records are shown with TEXT_POKE ones, as in perf."""
    file = File()
    file.add(17, file.e.pack("QIHH", 2**64 - 4096, 120, 2, 0)
             + b"kprobe_page\0", 100)
    path = tmp_path / "some.data"
    path.write_bytes(file.bytes())
    for kind, lines in (("text-poke", 1), ("bpf", 1), ("mmap", 0)):
        done = run([perfpair, "script", f"--show-{kind}-events", "-i", path])
        assert done.stdout.count("type 2 flags 0x0 name kprobe_page") == lines


def test_sizes_of_pages(run, perfpair, tmp_path):
    """A page of a GiB is one of 1024M to perf."""
    sizes = {0: "N/A", 1024: "1024B", 2048: "2K", 4096: "4K", 65536: "64K",
             2 << 20: "2M", 1 << 29: "512M", 1 << 30: "1024M", 2 << 30: "2G"}
    file = File(attrs=[make.attr_of(sample_type=1 | 1 << 22)])
    file.ids = [[101]]
    for size in sizes:
        file.records.append(file.e.record(9, 2, file.e.words(0x1000, size)))
    path = tmp_path / "some.data"
    path.write_bytes(file.bytes())
    done = run([perfpair, "script", "-F", "data_page_size", "-i", path])
    assert done.stdout == "".join(f" {text}\n" for text in sizes.values())


def test_a_dump_in_the_order_of_the_file(run, perfpair, tmp_path):
    """perf has no use for the ends of rounds then."""
    file = File()
    file.sample(300)
    file.add(68, b"")
    file.sample(200)
    path = tmp_path / "some.data"
    path.write_bytes(file.bytes())
    shown = {}
    for option in ("--dump-raw-trace", "--dump-unsorted-raw-trace"):
        done = run([perfpair, "script", option, "-i", path])
        assert (done.returncode, done.stderr) == (0, "")
        shown[option] = re.findall(
            r"(\d+) 0x\w+ \[\w+\]: PERF_RECORD_(\w+(?:: unhandled!)?)",
            done.stdout)
    assert shown["--dump-raw-trace"] == [
        ("0", "FINISHED_ROUND"), ("200", "SAMPLE"), ("300", "SAMPLE")]
    assert shown["--dump-unsorted-raw-trace"] == [
        ("300", "SAMPLE"), ("0", "FINISHED_ROUND: unhandled!"),
        ("200", "SAMPLE")]


def test_samples_of_guests(run, perfpair, tmp_path):
    """perf shows none of them; misc has the letters of all modes whose bits are
    set."""
    attr = make.attr_of(sample_type=1 | 2 | 4)
    file = File(attrs=[attr])
    file.ids = [[101]]
    letters = {0: "", 1: "K", 2: "U", 3: "KUH", 4: None, 5: None}
    for mode in letters:
        file.records.append(file.e.record(9, mode, (
            file.e.words(0x400000 + mode) + file.e.pack("II", 5, 6)
            + file.e.words(100 + mode))))
    path = tmp_path / "some.data"
    path.write_bytes(file.bytes())
    script, dump, report = (run([perfpair, *options, "-i", path]).stdout
                            for options in (["script", "-F", "misc"],
                                            ["script", "-D"],
                                            ["report", "-s", "sym", "-n"]))
    assert script == "".join(f"{text:6}\n" for text in letters.values()
                             if text is not None)
    assert re.findall(r"\.\.\.\.\.\. dso: (.*)", dump) == [
        "[hypervisor]", "<not found>", "<not found>"] + 3 * ["[hypervisor]"]
    assert "# Samples: 6 " in report
    assert sorted(re.findall(r"16\.67%.*(\d)$", report, re.M)) == \
        ["0", "1", "2", "3"]


def test_cpus_of_a_mask_and_a_range(dumped):
    file = File()
    pack = file.e.pack
    file.add(74, pack("HHH4xQQ", 1, 2, 8, 0xd, 1 << 63) + bytes(6))
    file.add(74, pack("HHHI", 1, 1, 4, 0x80000007) + bytes(6))
    file.add(74, pack("HBBHH", 2, 1, 0, 4, 700))
    file.add(74, pack("HBBHH", 2, 0, 0, 4, 4))
    assert [line.rsplit(" ", 1)[1] for line in dumped(file)] == [
        "0,2-3,127", "0-2,31", "-1,4-700", "4"]


def test_places_in_a_directory(run, perfpair, tmp_path):
    """Each of its files is told by its name and counts its own bytes."""
    file = File()
    file.comm(90)
    file.features = {24: file.e.words(1)}
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "data").write_bytes(file.bytes())
    parts = [file.e.sample(ATTR, file.ident(time)) for time in (110, 120)]
    (tmp_path / "d" / "data.0").write_bytes(b"".join(parts))
    (tmp_path / "d" / "data.1").write_bytes(
        file.e.sample(ATTR, file.ident(115)))
    done = run([perfpair, "script", "-D", "-i", "d"], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" ")[0] for line in done.stdout.splitlines()
            if ": event: " in line] == [
        f"0x{file.off(0):x}@d/data", "0@d/data.0", "0@d/data.1",
        f"0x{len(parts[0]):x}@d/data.0"]


def test_names_are_whole_however_long(run, perfpair, tmp_path):
    """Of the file, a task, a file that is mapped, and an event."""
    path = tmp_path / "/".join(4 * ["d" * 200]) / "made.data"
    file = File()
    file.comm(90, b"c" * 700 + b"\0")
    file.add(1, file.e.pack("IIQQQ", 5, 6, 0x400000, 0x100000, 0)
             + b"/" + b"m" * 700 + b"\0", 95, misc=2)
    file.add(78, file.e.words(2, 101) + b"n" * 700 + bytes(4))
    file.sample(100)
    path.parent.mkdir(parents=True)
    path.write_bytes(file.bytes())
    done = run([perfpair, "script", "-D", "-i", path])
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert f"{file.off(0):#x}@{path} [{len(file.records[0]):#x}]: event: 3" \
        in lines
    for line in ("... name:  " + 700 * "n", f" ... thread: {700 * 'c'}:6",
                 " ...... dso: /" + 700 * "m"):
        assert line in lines


def test_the_tasks_of_a_report_stand_behind_its_dump(run, perfpair, tmp_path):
    path = tmp_path / "made.data"
    path.write_bytes(File().some().bytes())
    dump, tasks, both, stats = (
        run([perfpair, "report", *words, "-i", path]).stdout
        for words in (["-D"], ["--tasks"], ["-D", "--tasks"],
                      ["-D", "--stats"]))
    assert "PERF_RECORD_SAMPLE" in dump and "ppid" in tasks
    assert both == dump + tasks
    assert stats == dump


EVENT_UPDATE, HEADER_ATTR, STAT, BPF, COMM = 78, 64, 76, 18, 3
DUMP, SHOWN = ["script", "-D"], ["script", "--show-task-events",
                                 "--show-bpf-events"]


@pytest.mark.parametrize("words", [
    DUMP, SHOWN, [*SHOWN, "-D"], ["report", "-D"]], ids=" ".join)
@pytest.mark.parametrize("kind, what, is_head", [
    (COMM, "comm", False), (STAT, "stat", False), (BPF, "bpf", False),
    (EVENT_UPDATE, "event update", False), (EVENT_UPDATE, "event update", True),
    (HEADER_ATTR, "attr", True)])
def test_a_damaged_record_is_one_place(run, perfpair, tmp_path, words, kind,
                                       what, is_head):
    """Whoever reads it: the reader, the timeline, the dump."""
    file, path = File(), tmp_path / "made.data"
    if not is_head:
        file.sample(1)
    file.add(kind, b"\0\0\0\0" if kind >= 64 else b"")
    file.sample(2)
    path.write_bytes(file.bytes())
    done = run([perfpair, *words, "-i", path])
    assert done.returncode == 3
    assert f" {what} record ends too early" in done.stderr
    assert "more such place" not in done.stderr
