"""Several files at one path, and one build-id in several files: each has its own
names, on the host and elsewhere, on each kind of file system."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

import pytest

from common import until_said

ELSEWHERE = ["--symfs", ".", "--kallsyms", "/dev/null"]
LOOP_LEN = 128 << 20  # btrfs wants 109 MiB
LOOKED, REST = 0.8, 800  # s, ms: by then a file was looked at
HELD = f"sleep {LOOKED}; wait"
MS, LONGER = 60, 200  # of CPU that a program takes; with its start


@pytest.fixture
def root():
    if os.geteuid():
        pytest.skip("needs root")


def of_build(workload, word, *flags):
    """A build of its own build-id; all have their function at one address."""
    return workload("named", "-O1", "-g0", f"-DWORK=work_{word}",
                    f"-DSEED={1_000_003 + sum(word.encode())}u", *flags)


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE,
                           text=True, check=True).stdout
    return re.search(r"Build ID: (\w+)", notes)[1]


@contextlib.contextmanager
def mounted(where, *words):
    done = subprocess.run(["mount", *words, where], stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        pytest.skip("it cannot be mounted here: " + done.stderr.strip())
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", where], check=True)


@contextlib.contextmanager
def on(kind, folder):
    """A folder on a new file system of that kind; None if there is none here."""
    folder = folder / kind
    place = folder / "fs"
    place.mkdir(parents=True)
    words = {"tmpfs": ["-t", "tmpfs", "none"],
             "overlay": ["-t", "overlay", "none", "-o",
                         ",".join(f"{key}dir={folder}/{key}"
                                  for key in ("lower", "upper", "work"))]}
    for name in ("lower", "upper", "work"):
        (folder / name).mkdir()
    make = shutil.which(f"mkfs.{kind}")
    if kind not in words and not make:
        yield None
        return
    if kind not in words:
        image = folder / "image"
        with open(image, "wb") as file:
            file.truncate(LOOP_LEN)
        subprocess.run([make, "-q", image], check=True,
                       stdout=subprocess.DEVNULL)
        words[kind] = ["-t", kind, "-o", "loop", image]
    with mounted(place, *words[kind]):
        yield place


class Recorded:
    """A recording of what a shell script runs, begun after the script said
    that it is ready; what is asked of it."""

    def __init__(self, run, perfpair, path):
        self.run, self.perfpair, self.path = run, perfpair, path

    def of(self, path):
        return Recorded(self.run, self.perfpair, path)

    def printed(self, *words, elsewhere=False):
        words = [self.perfpair, *words, *(ELSEWHERE if elsewhere else [])]
        if self.path not in words:
            words += ["-i", self.path]
        done = self.run(words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def names(self, comms, elsewhere=False):
        """{command: the functions work_* in which its samples were taken}"""
        found = {comm: set() for comm in comms}
        for line in self.printed("script", "-F", "comm,ip,sym", "--no-inline",
                                 elsewhere=elsewhere).splitlines():
            if words := re.match(r"\s*(\S+)\s+[0-9a-f]+ (work_\w+|\[unknown\])?",
                                 line):
                found.get(words[1], set()).add(words[2])
        return {comm: names - {None} for comm, names in found.items()}

    def named_by_id(self, wanted):
        """The functions that the file of a build-id has in a cache for perf."""
        self.printed("buildid-cache", "--dir", "cache", "--from", self.path)
        link = self.path.parent / "cache" / ".build-id" / wanted[:2] / wanted[2:]
        text = subprocess.run(["nm", link / "elf"], text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        return set(re.findall(r"\bwork_\w+", text))

    def carried(self):
        return self.printed("buildid-list", "--carried", "-v")


@pytest.fixture
def recorded(perfpair_record, may_record, perfpair, run, tmp_path):
    """recorded(SCRIPT, BEFORE): of the script, which runs when the recording has
    begun, and of what the script BEFORE started in the background."""
    (tmp_path / "empty").mkdir(exist_ok=True)

    def record(script, before="", options=()):
        with subprocess.Popen(
                ["sh", "-c", f"{before}\necho ready; read go\n{script}\ntrue"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                cwd=tmp_path) as shell:
            assert shell.stdout.readline() == "ready\n"
            children = pathlib.Path(
                f"/proc/{shell.pid}/task/{shell.pid}/children").read_text()
            pids = ",".join([str(shell.pid), *children.split()])
            with subprocess.Popen(
                    [perfpair_record, "-e", "cpu-clock", "-F", "999", "-p", pids,
                     "--carry-time", "20s", "-o", "t.data", *options], stderr=subprocess.PIPE,
                    text=True, cwd=tmp_path) as recorder:
                try:
                    until_said(recorder)
                    shell.communicate("go\n", timeout=120)
                    recorder.send_signal(signal.SIGINT)
                    said = recorder.communicate(timeout=60)[1]
                finally:
                    recorder.kill()
        assert shell.returncode == 0
        assert "no names" not in said
        return Recorded(run, perfpair, tmp_path / "t.data")

    return record


def stopped(run, name="early"):
    """Started before the recording; the script lets it go on in it."""
    return [f"{run} & early=\"$early $!\"",
            f"until [ $(cat /proc/$!/comm) = {name} ]; do sleep 0.005; done",
            "kill -STOP $!"]


def lists(got):
    """[what is said of each carried file of that path]"""
    return re.findall(r"^[0-9a-f ]{40} \d+/\d+ \S+/fs/app.*\n(?:  # .*\n)*",
                      got.carried(), re.M)


FILE_SYSTEMS = ["ext4", "tmpfs", "overlay", "btrfs"]


def test_identity__programs_that_are_upgraded(root, recorded, workload, tmp_path):
    """By mv, and by rm and cp, on each kind of file system, while they run.  One of
    the builds runs from before the recording on, and again in it."""
    builds = {word: of_build(workload, word) for word in ("one", "two", "three")}
    with contextlib.ExitStack() as mounts:
        apps = {kind: place / "app" for kind in FILE_SYSTEMS
                if (place := mounts.enter_context(on(kind, tmp_path)))}
        for path in apps.values():
            shutil.copy(builds["one"], path)

        def each(words):
            return [words.format(kind=kind, app=app, **builds)
                    for kind, app in apps.items()]

        def run(i):
            return [*each(f"{{app}} {MS} {{kind}}{i} 60000 & rest=\"$rest $!\""),
                    f"sleep {LOOKED}"]

        got = recorded("\n".join([
            "kill -CONT $early", *run(1),
            *each("cp {two} {app}2; mv {app}2 {app}"), *run(2),
            *each("rm {app}; cp {three} {app}"), *run(3), "kill $rest; wait"]),
            before="\n".join(line for kind, app in apps.items() for line in
                             stopped(f"{app} {LONGER} {kind}0", f"{kind}0")))
        wanted = {f"{kind}{i}": {f"work_{word}"} for kind in apps
                  for i, word in enumerate(("one", "one", "two", "three"))}
        assert len(wanted) >= 8
        assert got.names(wanted) == wanted
    assert got.names(wanted, elsewhere=True) == wanted
    assert len(lists(got)) == 3 * len(apps)


def in_container(mount, program, name, rest=REST):
    return f"unshare -m sh -c '{mount} && exec {program} {LONGER} {name} {rest}'"


def overlaid(folder, name):
    for kind in ("upper", "work"):
        (folder / f"{name}-{kind}").mkdir()
    return (f"mount -t overlay none {folder}/fs -o lowerdir={folder}/lower,"
            f"upperdir={folder}/{name}-upper,workdir={folder}/{name}-work")


def test_identity__containers_of_one_image(root, recorded, workload, may_unshare,
                                           tmp_path):
    """Each has a device of its own, and one file; one of them has another."""
    for name in ("fs", "lower"):
        (tmp_path / name).mkdir()
    shutil.copy(of_build(workload, "one"), tmp_path / "lower" / "app")
    mounts = {name: overlaid(tmp_path, name)
              for name in ("early", "first", "second", "other")}
    shutil.copy(of_build(workload, "two"), tmp_path / "other-upper" / "app")
    runs = {name: in_container(mount, f"{tmp_path}/fs/app", name)
            for name, mount in mounts.items()}
    got = recorded("\n".join(["kill -CONT $early", *(f"{runs[name]} &" for name
                                                     in ("first", "second", "other")),
                              HELD]),
                   before="\n".join(stopped(runs["early"])))
    wanted = {name: {"work_two" if name == "other" else "work_one"}
              for name in mounts}
    assert got.names(wanted) == wanted
    assert got.names(wanted, elsewhere=True) == wanted
    assert sorted(text.count("# in records as") for text in lists(got)) == [1, 2]


def test_identity__two_containers(root, recorded, workload, may_unshare,
                                  tmp_path):
    """Their programs stand at one path, each on its own; tables and pages tell
    their functions apart, which stand at one address of it."""
    (tmp_path / "fs").mkdir()
    runs = {}
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        shutil.copy(of_build(workload, name), tmp_path / name / "app")
        runs[name] = in_container(f"mount --bind {tmp_path}/{name} {tmp_path}/fs",
                                  f"{tmp_path}/fs/app", name)
    got = recorded("\n".join(["kill -CONT $early", runs["two"] + " &",
                              runs["three"] + " &", HELD]),
                   before="\n".join(stopped(runs["one"], "one")))
    wanted = {name: {f"work_{name}"} for name in runs}
    assert got.names(wanted) == wanted
    assert got.names(wanted, elsewhere=True) == wanted
    for words in (["report", "--stdio", "-g", "none", "-s", "sym"],
                  ["diff", got.path, got.path], ["report", "--format", "folded"]):
        text = got.printed(*words, elsewhere=True)
        assert set(re.findall(r"\bwork_(?:one|two|three)\b", text)) == \
            {f"work_{name}" for name in runs}, words
    for words in (["repair"], ["scrub", "--keep", "comms,paths,files"], ["carry"]):
        new = tmp_path / words[0]
        got.printed(*words, "-o", new, got.path)
        assert got.of(new).names(wanted, elsewhere=True) == wanted, words


def forged(workload, honest, place, breaks=False):
    """A program of somebody else's, which has the build-id of the honest one;
    maybe one whose table of symbols cannot be read."""
    path = place / "forged"
    shutil.copy(of_build(workload, "forged",
                         f"-Wl,--build-id=0x{build_id(honest)}"), path)
    if breaks:
        data = bytearray(path.read_bytes())
        at, = struct.unpack_from("<Q", data, 40)  # e_shoff
        for i in range(struct.unpack_from("<H", data, 60)[0]):
            if struct.unpack_from("<I", data, at + i * 64 + 4)[0] == 2:
                struct.pack_into("<Q", data, at + i * 64 + 32, 1 << 40)
        path.write_bytes(data)
    os.chown(path, 65534, 65534)
    return path


@pytest.mark.parametrize("when, where, breaks", [
    ("before", "elsewhere", False), ("before", "same path", True),
    ("in it", "elsewhere", True), ("in it", "same path", False)])
def test_identity__a_forged_build_id(when, where, breaks, root, recorded,
                                     workload, may_unshare, open_folder,
                                     tmp_path):
    """The forged program runs first, and is removed before the end.  Nobody's
    names get to the honest one's samples, and it loses none."""
    honest = open_folder / "app"
    shutil.copy(of_build(workload, "honest"), honest)
    path = forged(workload, honest, open_folder, breaks)
    run = f"{path} {20_000 if when == 'before' else MS} forged"
    if where == "same path":
        run = in_container(f"mount --bind {path} {honest}", honest, "forged",
                           20_000 if when == "before" else REST)
    early = [f"{run} >/dev/null & echo $! >forged.pid", *stopped(f"{honest} {LONGER} early")]
    wanted_id = build_id(honest)
    got = recorded("\n".join(["kill -CONT $early",
                              *([] if when == "before" else [run]),
                              f"{honest} {MS} honest", f"sleep {LOOKED}",
                              f"rm {path}" if where == "same path" else
                              f"rm {honest} {path}"]),
                   before="\n".join(early if when == "before" else early[1:]))
    if when == "before":  # it is there to be read until here
        with contextlib.suppress(ProcessLookupError):
            os.kill(int((tmp_path / "forged.pid").read_text()), signal.SIGKILL)
    wanted = {"early": {"work_honest"}, "honest": {"work_honest"}}
    assert got.names(wanted) == wanted
    assert got.names(wanted, elsewhere=True) == wanted
    own = {"forged": {"[unknown]" if breaks else "work_forged"}}
    if (when, where) != ("before", "same path"):  # nothing tells them apart
        assert got.names(own) == own
        assert got.names(own, elsewhere=True) == own
    assert got.named_by_id(wanted_id) == {"work_honest"}


def test_identity__of_a_file_that_was_not_seen(root, recorded, workload,
                                               may_unshare, tmp_path):
    """A container is gone before its file can be read: its samples have no names
    of the host's file at that path, which has the table's build-id."""
    (tmp_path / "fs").mkdir()
    app = tmp_path / "fs" / "app"
    shutil.copy(of_build(workload, "one"), app)
    mount = (f"mount -t tmpfs none {tmp_path}/fs && "
             f"cp {of_build(workload, 'two')} {app}")
    got = recorded(f"""
        unshare -m sh -c '{mount} && exec {app} 20 short'
        {app} {MS} stays""")
    for elsewhere in (False, True):
        names = got.names(["short", "stays"], elsewhere)
        assert names["stays"] == {"work_one"}
        assert names["short"] and names["short"] <= {"[unknown]", "work_two"}
