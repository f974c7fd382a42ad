"""What a recorder leaves that is killed, and two recorders with one -o."""

import contextlib
import ctypes
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import struct
import subprocess

import pytest

from common import ROOT, end, until, until_said

UNIT = ROOT / "install" / "perfpair-record.service.in"
CLOCK = ["-a", "-e", "cpu-clock", "-F", "1999", "-g", "-o", "t.data",
         "--flush-interval", "50ms"]
SLICES = [*CLOCK, "--switch-output=600s"]
BARE = [*SLICES, "--carry", "none", "-B"]  # less to do at idle priority


@pytest.fixture
def start(perfpair_record, may_record, tmp_path):
    """start(ARG...): a recorder that has begun."""
    started = []

    def begin(*args, program=(perfpair_record,), folder=tmp_path,
              words="recording, ", **kw):
        one = subprocess.Popen([*program, *args], cwd=folder, text=True,
                               stderr=subprocess.PIPE, **kw)
        started.append(one)
        one.first = until_said(one, words)
        return one

    yield begin
    for one in started:
        one.kill()
        one.communicate()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def deny_locks():
    """Answer ENOLCK to fcntl(F_OFD_SETLK), as NFS without a lock daemon does."""
    nr, = {"x86_64": [72], "aarch64": [25]}[platform.machine()]
    code = [(0x20, 0, 0, 0), (0x15, 0, 3, nr), (0x20, 0, 0, 24), (0x15, 0, 1, 37),
            (0x06, 0, 0, 0x00050000 | 37), (0x06, 0, 0, 0x7fff0000)]
    text = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(text))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
        os._exit(1)


@pytest.mark.parametrize("options", [SLICES, CLOCK])
def test_a_second_recorder_of_a_file_is_refused(run, perfpair_record, start,
                                                tmp_path, options):
    """It said nothing, and the first one died when it renamed its file; also of a
    first one that is stopped, and of one without --switch-output."""
    first = start(*options)
    for number in (signal.SIGSTOP, signal.SIGCONT):
        first.send_signal(number)
        done = run([perfpair_record, *SLICES, "true"])
        assert done.returncode == 255
        assert done.stderr == \
            "perfpair-record: t.data: another recorder writes it\n"
    assert names(tmp_path) == ["t.data"]
    end(first)
    name, = names(tmp_path)
    assert run([perfpair_record, *CLOCK, "true"]).returncode == 0


def test_an_empty_file_of_another_recorder_stays(run, perfpair_record, start,
                                                 tmp_path):
    first = start(*CLOCK)
    os.truncate(tmp_path / "t.data", 0)
    assert run([perfpair_record, *CLOCK, "true"]).returncode == 255
    assert (tmp_path / "t.data").stat().st_ino == \
        os.stat(f"/proc/{first.pid}/cwd/t.data").st_ino


def test_options_are_tried_beside_the_recorder(run, perfpair_record, start):
    start(*SLICES)
    assert run([perfpair_record, *SLICES, "--dry-run"]).returncode == 0


def test_without_locks_it_records_and_says_so(start, tmp_path):
    if platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("the number of fcntl(2) is not known here")
    first = start(*SLICES, words="not locked", preexec_fn=deny_locks)
    assert first.first == "[ perfpair-record: t.data is not locked against other " \
        "recorders: No locks available ]\n"
    until_said(first)
    end(first)
    name, = names(tmp_path)


LEFT = {}  # bytes by options: one recording serves many tests


def unfinished(start, tmp_path, *args):
    """Leave an unfinished t.data with samples of the kernel; return its bytes."""
    data = tmp_path / "t.data"
    if args not in LEFT:
        LEFT[args] = leave(start, data, *args)
    data.write_bytes(LEFT[args])
    data.chmod(0o600)
    return LEFT[args]


def leave(start, data, *args):
    one = start(*args)
    begun = data.stat().st_size
    with subprocess.Popen(["sh", "-c", "while :; do /bin/true; done"]) as busy:
        until(lambda: data.stat().st_size > begun + 8000, one)
        busy.kill()
    one.kill()
    one.wait()
    return data.read_bytes()


def left(folder):
    return [name for name in names(folder) if name.endswith(".left")]


def adopters(recorder):
    """The ids of its threads that adopt."""
    for task in pathlib.Path(f"/proc/{recorder.pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            if (task / "comm").read_text() == "left-slices\n":
                yield int(task.name)


def until_adopted(recorder, tmp_path):
    """Let what is adopted at idle priority come to its end on a busy machine."""
    def is_done():
        for tid in adopters(recorder):
            with contextlib.suppress(OSError):
                if os.sched_getscheduler(tid) == os.SCHED_IDLE:
                    os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))
                    os.setpriority(os.PRIO_PROCESS, tid, 0)
        return not left(tmp_path)
    until(is_done, recorder)


def slices(folder):
    return [name for name in names(folder) if name.startswith("t.data.2")]


def adopt(start, tmp_path, *args):
    """Start a recorder that adopts what is there and end it; return the names of
    the adopted slices, and what it said of them."""
    before = set(slices(tmp_path)) - set(left(tmp_path))
    one = start(*args)
    until_adopted(one, tmp_path)
    said = [one.first, *end(one).splitlines(keepends=True)]
    told = [line for line in said if "is what a recorder left that was killed" in line]
    now = [name for name in slices(tmp_path) if name not in before]
    return now[:-1], told


def sample_nr(run, perfpair, path):
    text = run([perfpair, "script", "-F", "time", "-i", str(path)]).stdout
    return text.count(":")


@pytest.mark.parametrize("level", ["-z1", pytest.param("-z0", marks=pytest.mark.slow)])
def test_each_slice_of_a_killed_recorder_is_finished(start, run, perfpair, perf,
                                                     tmp_path, level):
    """Three kills and a restart left one of three files, without names."""
    args = [*SLICES, level, "--on-slice", 'echo "$1" >> told']
    counts = []
    for _ in range(3):
        leave(start, tmp_path / "t.data", *args)
        counts.append(sample_nr(run, perfpair, "t.data"))
    one = start(*args)
    until_adopted(one, tmp_path)
    until(lambda: len((tmp_path / "told").read_text().split()) >= 3, one)
    end(one)
    *adopted, own = slices(tmp_path)
    assert len(adopted) == 3
    assert "killed" not in run([perfpair, "check", own]).stdout
    assert (tmp_path / "told").read_text().split() == [*adopted, own]
    assert names(tmp_path) == [*adopted, own, "told"]
    for name, count in zip(adopted, counts):
        assert run([perfpair, "check", "-q", name]).returncode == 0
        assert sample_nr(run, perfpair, name) == count
        last = run([perfpair, "script", "-F", "time", "-i", name]).stdout.split()[-1]
        for words in ["check"], ["report", "--stdio", "-i"]:
            done = run([perfpair, *words, name])
            told = re.search(r"its recorder was killed: what was not written by "
                             r"([\d.]+) s is missing", done.stdout + done.stderr)
            assert 0 <= float(told[1]) - float(last.strip(":")) < 60
        assert "[kernel.kallsyms]" in run(
            [perfpair, "buildid-list", "--carried", "-i", name]).stdout
        header = run([perfpair, "report", "--header-only", "-i", name]).stdout
        assert "# cmdline : " in header and "# event : name = cpu-clock" in header
        assert "# recorder killed: " in header and "# recorder cpu" not in header
        assert "# hostname : " in header and "# sample duration" in header
        done = run([perf, "report", "--stats", "-i", name])
        assert done.returncode == 0 and f"SAMPLE events: {count:10}" in done.stdout


def test_a_slice_is_named_by_its_last_write(start, tmp_path):
    unfinished(start, tmp_path, *SLICES)
    os.utime(tmp_path / "t.data", (1.5e9, 1.5e9 + 0.25))
    (name,), (told,) = adopt(start, tmp_path, *SLICES)
    assert name.startswith("t.data.20170714") and name.endswith("25")
    assert (tmp_path / name).stat().st_mtime == 1.5e9 + 0.25
    assert name in told


def test_limits_count_adopted_slices(start, tmp_path):
    unfinished(start, tmp_path, *SLICES)
    old = tmp_path / "t.data.2020010101010101"
    old.write_text("old")
    os.utime(old, (1.5e9, 1.5e9))
    one = start(*SLICES, "--max-files", "1")
    until_adopted(one, tmp_path)
    until(lambda: len(slices(tmp_path)) == 1, one)
    assert slices(tmp_path) != [old.name]


def of_another_boot(data):
    at = data.index(b"SLICEMRK")
    return data[:at + 16] + bytes(16) + data[at + 32:]


def test_of_another_boot_the_kernel_has_no_names(start, run, perfpair, tmp_path):
    data = tmp_path / "t.data"
    data.write_bytes(of_another_boot(unfinished(start, tmp_path, *SLICES)))
    (name,), _ = adopt(start, tmp_path, *SLICES)
    assert run([perfpair, "check", "-q", name]).returncode == 0
    carried = run([perfpair, "buildid-list", "--carried", "-i", name]).stdout
    assert carried and "[kernel.kallsyms]" not in carried
    header = run([perfpair, "report", "--header-only", "-i", name]).stdout
    assert "# hostname" not in header and "# cmdline" in header


def test_other_options_say_nothing_of_the_file(start, run, perfpair, tmp_path):
    unfinished(start, tmp_path, *SLICES)
    (name,), _ = adopt(start, tmp_path, *SLICES, "-e", "dummy")
    assert run([perfpair, "check", "-q", name]).returncode == 0
    header = run([perfpair, "report", "--header-only", "-i", name]).stdout
    assert "# hostname" in header and "# cmdline" not in header


def old_owner(path):
    if os.geteuid():
        pytest.skip("needs root")
    os.chown(path, 65534, 65534)


NOT_ADOPTED = {
    "another user's": old_owner,
    "others may write": lambda path: path.chmod(0o622),
    "two names": lambda path: os.link(path, path.with_name("other")),
    "another name": lambda path: path.write_bytes(
        path.read_bytes().replace(path.read_bytes()[
            path.read_bytes().index(b"SLICEMRK") + 32:][:8], bytes(8))),
    "another version": lambda path: path.write_bytes(
        path.read_bytes().replace(b"SLICEMRK\1", b"SLICEMRK\2")),
    "no mark": lambda path: path.write_bytes(
        path.read_bytes().replace(b"SLICEMRK", b"SLICEMRL")),
    "cut in its start": lambda path: os.truncate(path, 300),
    "something else": lambda path: path.write_text("my notes"),
}


@pytest.mark.parametrize("change", NOT_ADOPTED.values(), ids=NOT_ADOPTED)
def test_what_is_not_ours_is_moved_aside(start, tmp_path, change):
    unfinished(start, tmp_path, *SLICES)
    change(tmp_path / "t.data")
    content = (tmp_path / "t.data").read_bytes()
    end(start(*SLICES))
    assert (tmp_path / "t.data.old").read_bytes() == content
    assert len(slices(tmp_path)) == 1


@pytest.mark.parametrize("first, then", [(CLOCK, SLICES), (SLICES, CLOCK)])
def test_without_switch_output_nothing_is_adopted(start, tmp_path, first, then):
    content = unfinished(start, tmp_path, *first)
    end(start(*then))
    assert (tmp_path / "t.data.old").read_bytes() == content


def test_a_link_is_not_followed(start, tmp_path):
    unfinished(start, tmp_path, *SLICES)
    (tmp_path / "t.data").rename(tmp_path / "aside")
    content = (tmp_path / "aside").read_bytes()
    (tmp_path / "t.data").symlink_to("aside")
    end(start(*SLICES))
    assert os.readlink(tmp_path / "t.data.old") == "aside"
    assert (tmp_path / "aside").read_bytes() == content


def test_without_locks_nothing_is_adopted(start, tmp_path):
    content = unfinished(start, tmp_path, *SLICES)
    end(start(*SLICES, preexec_fn=deny_locks))
    assert (tmp_path / "t.data.old").read_bytes() == content


def put_left(tmp_path, contents, owner=None):
    """Files of these bytes, as if they waited to be adopted."""
    for nr, content in enumerate(contents):
        path = tmp_path / f"t.data.20200101010101{nr:02}.left"
        path.write_bytes(content)
        path.chmod(0o600)
        if owner:
            os.chown(path, owner, owner)


@pytest.mark.parametrize("level", ["-z1", "-z0"])
def test_a_slice_cut_anywhere_is_finished_up_to_there(start, run, perfpair,
                                                      tmp_path, level):
    """A crash of the machine leaves any part of it; zeros, too."""
    whole = unfinished(start, tmp_path, *BARE, level)
    (tmp_path / "t.data").unlink()
    begin = whole.index(b"SLICEMRK") + 48
    cuts = [begin, begin + 1,
            *range(begin + 100, len(whole), (len(whole) - begin) // 7),
            len(whole) - 1]
    put_left(tmp_path, [*(whole[:cut] for cut in cuts),
                        whole[:cuts[-3]] + bytes(5000), whole + whole[-3000:]])
    adopted, told = adopt(start, tmp_path, *BARE, level)
    assert len(adopted) == len(told) == len(cuts) + 2
    counts = []
    for name in adopted:
        done = run([perfpair, "check", "-q", name])
        assert done.returncode == 0, (name, done.stdout)
        counts.append(sample_nr(run, perfpair, name))
    assert counts[:-2] == sorted(counts[:-2])
    assert counts[0] == 0 < counts[-3] and counts[-2] < counts[-3] <= counts[-1]


def test_an_adoption_that_was_killed_goes_on(start, run, perfpair, tmp_path):
    """Behind the records stands a part of the end, and the header is the old one."""
    before = unfinished(start, tmp_path, *SLICES)
    count = sample_nr(run, perfpair, "t.data")
    (name,), _ = adopt(start, tmp_path, *SLICES)
    after = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    data = struct.unpack("QQ", after[40:56])
    parts = range(sum(data), len(after), (len(after) - sum(data)) // 3)
    first = after.index(b"PAIRTRIL") + 8
    put_left(tmp_path, [*(before[:104] + after[104:part] for part in parts),
                        after[:first], after[:-1], after])
    adopted, _ = adopt(start, tmp_path, *SLICES)
    assert len(adopted) == len(parts) + 3
    for name in adopted:
        assert run([perfpair, "check", "-q", name]).returncode == 0
        assert sample_nr(run, perfpair, name) == count
        assert "[kernel.kallsyms]" in run(
            [perfpair, "buildid-list", "--carried", "-i", name]).stdout
    assert (tmp_path / adopted[-1]).read_bytes() == after


def test_without_room_for_its_end_a_slice_stays_as_it_is(start, run, perfpair,
                                                        tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(content), len(content)))

    one = start(*SLICES, "-F", "20000", "-z0")
    until(lambda: (tmp_path / "t.data").stat().st_size > 3000000, one)
    one.kill()
    one.wait()
    content = (tmp_path / "t.data").read_bytes()
    count = sample_nr(run, perfpair, "t.data")
    second = start(*SLICES, preexec_fn=limit)
    until_adopted(second, tmp_path)
    told = end(second)
    name = slices(tmp_path)[0]
    assert f"{name} is what a recorder left that was killed" in told
    assert "; it stays without an end: writing: File too large" in told
    assert (tmp_path / name).stat().st_size <= len(content)
    assert sample_nr(run, perfpair, name) == count


def test_the_unit_adopts_with_its_rights_at_idle_priority(perfpair_record, may_record,
                                                          run, perfpair, start,
                                                          open_folder):
    if os.geteuid():
        pytest.skip("root alone may become another user")
    shutil.copy(perfpair_record, open_folder)
    found, = re.findall(r"^AmbientCapabilities=(.*)$", UNIT.read_text(), re.M)
    rights = ",".join(["-all", *("+" + name.lower().removeprefix("cap_")
                                 for name in found.split())])
    unit = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
            "--inh-caps", rights, "--ambient-caps", rights, "--bounding-set", rights,
            "--no-new-privs", open_folder / "perfpair-record"]
    first = start(*SLICES, program=unit, folder=open_folder)
    data = open_folder / "t.data"
    begun = data.stat().st_size
    until(lambda: data.stat().st_size > begun + 1000, first)
    first.kill()
    first.wait()
    # what is in it that it must read first
    put_left(open_folder, 5 * [data.read_bytes()], owner=65534)
    second = start(*SLICES, program=unit, folder=open_folder)
    # a thread that it starts has its name at first
    tid = min(until(lambda: list(adopters(second)), second))
    until(lambda: os.sched_getscheduler(tid) == os.SCHED_IDLE, second)
    until(lambda: os.getpriority(os.PRIO_PROCESS, tid) == 19, second)
    until(lambda: run(["ionice", "-p", str(tid)]).stdout == "idle\n", second)
    until_adopted(second, open_folder)
    end(second)
    name = slices(open_folder)[-2]
    assert run([perfpair, "check", "-q", open_folder / name]).returncode == 0
    assert "[kernel.kallsyms]" in run(
        [perfpair, "buildid-list", "--carried", "-i", open_folder / name]).stdout


def test_the_last_room_of_a_disk_is_the_recordings(start, run, perfpair, tmp_path):
    """The end that is adopted for a slice took it, and the recording failed."""
    if os.geteuid():
        pytest.skip("root alone may mount")
    content = unfinished(start, tmp_path, *SLICES)
    disk = tmp_path / "disk"
    disk.mkdir()
    if run(["mount", "-t", "tmpfs", "-o", "size=4M", "tmpfs", disk]).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        put_left(disk, [content])
        (disk / "fill").write_bytes(bytes(3300000))
        one = start(*SLICES, folder=disk)
        until_adopted(one, disk)
        told = end(one)
        name, _ = slices(disk)
        assert (disk / name).read_bytes() == content
    finally:
        run(["umount", disk])
    assert "killed" in told and \
        "; it stays without an end: No space left on device ]" in told
