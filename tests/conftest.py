"""Fixtures that every pytest here shares: where the programs are, what this
machine allows, and how to run things."""

import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import changed  # noqa: E402
from common import CORPUS, RECORD, ROOT, program  # noqa: E402
from tmux_terminal import terminal  # noqa: E402,F401


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true",
                     help="rewrite fixtures/golden; review the diff")


# What a test asks for if it records; may_record and may_trace are also what skips it
# on a machine that does not allow it.
RECORDERS = {"perfpair_record", "may_record", "may_trace"}


def pytest_configure(config):
    # by this what a test has started is known when its parent is gone
    os.environ["PERFPAIR_PYTEST"] = str(os.getpid())
    if "PYTEST_XDIST_WORKER" not in os.environ:
        leave_home(config)
    config.addinivalue_line("markers", "builds: needs what run.sh builds beside the "
                            "tests, or builds something itself")
    config.addinivalue_line("markers", "final: run.sh gives it no second try")
    config.addinivalue_line("markers", "peer: asks perf; set by the fixture")
    config.addinivalue_line("markers", "records: records while it runs; set by the "
                            "fixtures it uses")
    config.addinivalue_line("markers", "slow: only run.sh --slow runs it")


def leave_home(config):
    """An empty HOME, so that no ~/.debug and no configuration of the user decides a
    test; npm and ccache keep their places."""
    home = pathlib.Path(os.environ.get("HOME", "/root"))
    for name, path in (("NPM_CONFIG_USERCONFIG", ".npmrc"), ("NPM_CONFIG_CACHE", ".npm"),
                       ("CCACHE_DIR", ".cache/ccache")):
        os.environ.setdefault(name, str(home / path))
    empty = tempfile.TemporaryDirectory(prefix="perfpair-home-")
    config.add_cleanup(empty.cleanup)
    os.environ["HOME"] = empty.name
    os.environ["PERF_CONFIG"] = "/dev/null"  # nor one in /etc


def reached(item, through_shared):
    """The fixtures that a test uses; those that only a fixture of a wider scope uses
    are among them if through_shared."""
    info = item._fixtureinfo
    found, left = set(), list(info.initialnames)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            for fixture in info.name2fixturedefs.get(name, ())[-1:]:
                if through_shared or fixture.scope == "function":
                    left.extend(fixture.argnames)
    return found


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks for groups
def pytest_collection_modifyitems(items):
    """A test records if it asks for a recorder itself.  One that reads what a fixture
    has recorded for many tests does not; such tests stay in one worker, so that this
    is recorded once.  So do those of one browser, of one database, of one file that
    records."""
    idle = set(os.environ.get("PERFPAIR_IDLE", "").split())
    for item in items:
        used = reached(item, through_shared=True)
        costly = used & changed.COSTLY.keys()
        if costly and costly <= idle:
            item.add_marker("slow")
        if "perf" in used:
            item.add_marker("peer")
        if RECORDERS & reached(item, through_shared=False):
            item.add_marker("records")
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
        elif item.get_closest_marker("records"):  # of what is recorded once a session
            item.add_marker(pytest.mark.xdist_group("fresh"))
        elif item.path.parent.name in ("page", "fleet", "machines"):
            item.add_marker(pytest.mark.xdist_group(item.path.parent.name))
        elif RECORDERS & used:
            params = item.callspec.params if hasattr(item, "callspec") else {}
            item.add_marker(pytest.mark.xdist_group(
                str(params.get("recording", item.path.stem))))


class RecordingLock:
    """Held by a test from its first recorder to its end, or to that of its fixtures if
    these recorded.  Recorders of their own tasks share it; whoever records those of
    others has it alone, since it sees what all others do, and perf 6.1 dies of what it
    records while a recorder asks for build-ids (format/FORMAT.md, MMAP2).  Who holds it
    has the priority of those that wait for it."""

    def __init__(self):
        self.file = None
        self.is_alone = False
        self.threads = threading.Lock()
        self.nice = os.getpriority(os.PRIO_PROCESS, 0)

    def take(self, alone):
        with self.threads:  # a second one would wait for the turn behind others
            if self.file and alone and not self.is_alone:
                if "perfpair-record" in {name for _, name in children()}:
                    pytest.fail("records others' tasks beside its own recorder: this "
                                "test needs the fixture alone")
                self.leave()  # two that wait for each other would wait for ever
            if not self.file:
                self.wait(alone)

    def wait(self, alone):
        folder = ROOT / "build"
        folder.mkdir(exist_ok=True)
        # in the order of asking: a lane that records all the time waits, too
        with (folder / "recording.turn").open("a") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            file = (folder / "recording.lock").open("a")
            fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        self.file, self.is_alone = file, alone
        self.renice(0)

    def leave(self):
        if self.file:
            self.renice(self.nice)
            self.file.close()
            self.file = None

    def renice(self, nice):
        """As run.sh does for a lane; root alone may."""
        if self.nice > 0:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, 0, nice)
                pathlib.Path("/proc/self/autogroup").write_text(str(nice))


RECORDING = RecordingLock()
PAIRS = {("perf", "record"), ("perf", "top"), ("perf", "trace"), ("perfpair", "top")}
# The options of a recorder of tasks that are not its own, or of their build-ids.
OF_OTHERS = re.compile(
    r"-[A-Za-z]*[aCGu].*|--(all-cpus|cpu|uid|cgroup|for-each-cgroup|config|buildid).*")


def of_others(words):
    """Whether the recorder that this command starts records the tasks of others, or is
    another user's, all of whose recorders share what one user may lock; None if it
    starts none."""
    words = [os.fsdecode(word) for word in words]
    names = [os.path.basename(word) for word in words]
    for i, pair in enumerate(zip(names, [*names[1:], ""])):
        if pair == ("perfpair", "top") and "-i" in words:
            return None  # it reads what a recorder writes
        if pair == ("go", "build"):
            return False  # perf has no names of Go's compiler, and would be compared
        if pair[0] == "perfpair-record" or pair in PAIRS:
            return pair[1] == "top" or "setpriv" in names[:i] or any(
                OF_OTHERS.fullmatch(word) for word in words[i + 1:])
    if "workloads" in pathlib.PurePath(words[0]).parts:
        return False  # what is to be recorded is not for others' eyes either
    return None


def before_start(event, args):
    if event == "subprocess.Popen" and not isinstance(args[1], (str, bytes)):
        alone = of_others(args[1])
        if alone is not None:
            RECORDING.take(alone)


sys.addaudithook(before_start)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol():
    yield
    RECORDING.leave()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item):
    """A test that reads what its fixtures have recorded lets others record."""
    yield
    if not item.get_closest_marker("records") and \
            not {name for _, name in children()} & {"perfpair-record", "perf"}:
        RECORDING.leave()


def text_of(path):
    """Empty if the thread or the process has ended."""
    with contextlib.suppress(OSError):
        return path.read_text()
    return ""


def children():
    """(pid, name) of each process that this one has started."""
    for path in pathlib.Path("/proc/self/task").glob("*/children"):
        for pid in text_of(path).split():
            if name := text_of(pathlib.Path(f"/proc/{pid}/comm")).strip():
                yield int(pid), name


@pytest.fixture(autouse=True)
def no_recorder_is_left(request):
    """What a failed test leaves behind would be the end of the next ones: while
    a recorder asks for build-ids, perf 6.1 dies of what it records itself
    (format/FORMAT.md, MMAP2)."""
    yield
    if "perfpair_record" not in request.fixturenames:
        return
    for pid, name in children():
        if name == "perfpair-record":
            os.kill(pid, signal.SIGKILL)


def started_here():
    """{pid: parent} of all processes that a test has started."""
    mark = f"PERFPAIR_PYTEST={os.getpid()}".encode()
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (path / "environ").read_bytes().split(b"\0"):
                stat = (path / "stat").read_text().rpartition(")")[2].split()
                found[int(path.name)] = int(stat[1])
    return found


@pytest.fixture(autouse=True, scope="module")
def no_orphan_is_left(request):
    """What keeps a CPU busy would disturb the tests of other files.  Chromium's
    crash handler leaves its parent on purpose."""
    yield
    pids = started_here()
    for pid, parent in pids.items():
        if parent in pids or parent == os.getpid():
            continue
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"chrom" not in words:
                os.kill(pid, signal.SIGKILL)
                warnings.warn(f"{request.node.nodeid} left a process: "
                              f"{words.replace(bytes(1), b' ').decode()}")


@pytest.fixture(scope="session")
def may_unshare():
    """Skips where no mount namespace can be made: not as root, or in a chroot,
    whose / is no mount point."""
    done = subprocess.run(["unshare", "-m", "true"], stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        pytest.skip("unshare is not permitted here: " + done.stderr.strip())


@pytest.fixture(autouse=True)
def no_recording_is_left_here():
    """A perf.data in the working directory is the default input of tests that
    expect none."""
    path = pathlib.Path("perf.data").absolute()
    had_one = path.exists()
    yield
    if path.exists() and not had_one:
        path.unlink()
        pytest.fail(f"the test left {path}")


@pytest.fixture(scope="session")
def perfpair():
    return program("report", "perfpair")


@pytest.fixture(scope="session")
def perfpair_record():
    return program("record", "perfpair-record")


@pytest.fixture(scope="session")
def perf():
    """Debian's perf, or the test is skipped."""
    path = shutil.which("perf")
    if not path:
        pytest.skip("perf is not installed")
    return path


@pytest.fixture(scope="session")
def may_record(tmp_path_factory, perf):
    """Skips where this machine does not let us record system-wide.  -B: with
    build-ids perf 6.1 aborts now and then."""
    out = tmp_path_factory.mktemp("probe") / "probe.data"
    probe = subprocess.run(
        [perf, *RECORD, "-q", "-B", "-a", "-e", "cpu-clock", "-o", out, "true"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if probe.returncode:
        pytest.skip("perf record -a is not permitted here: "
                    + probe.stdout.strip()[:100])


@pytest.fixture(scope="session")
def may_trace(may_record, perf, tmp_path_factory):
    """Skips where tracepoints cannot be recorded (perf mounts tracefs)."""
    out = tmp_path_factory.mktemp("probe") / "trace.data"
    probe = subprocess.run(
        [perf, *RECORD, "-q", "-B", "-e", "syscalls:sys_enter_getppid", "-o", out,
         "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if probe.returncode:
        pytest.skip("tracepoints are not permitted here: "
                    + probe.stdout.strip()[:100])


@pytest.fixture(scope="session")
def alone():
    """alone(): from here to the test's end no other lane records.  For what records
    others' tasks beside a recorder of its own ones."""
    return lambda: RECORDING.take(alone=True)


@pytest.fixture(scope="session")
def corpus():
    if not CORPUS.is_dir():
        pytest.skip("the corpus ../shared/corpus is not here")
    return CORPUS


def compile_c(tmp_path_factory, name, flags=("-O1", "-g0")):
    """Builds tests/peer/workloads/NAME.c or .cc once a session and for each set
    of flags; its path."""
    out = tmp_path_factory.getbasetemp() / "workloads" / "".join(flags) / name
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        source = next((ROOT / "tests/peer/workloads").glob(f"{name}.c*"))
        compiler = "g++" if source.suffix == ".cc" else "gcc"
        subprocess.run([compiler, *flags, "-o", out, source, "-lpthread"],
                       check=True)
    return out


@pytest.fixture(scope="session")
def workload(tmp_path_factory):
    """workload(NAME): the path of a compiled program of peer/workloads."""
    return lambda name, *flags: compile_c(tmp_path_factory, name,
                                          flags or ("-O1", "-g0"))


@pytest.fixture
def open_folder():
    """A folder for other users.  It is not below pytest's, which each pytest
    that this user starts closes to others."""
    with tempfile.TemporaryDirectory(prefix="perfpair-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        yield folder


@pytest.fixture
def run(tmp_path):
    """run(COMMAND, **kw): the finished process, its output as text; the
    working directory is the test's own, HOME too, so that no ~/.debug and no
    perf config of the machine decides a test."""
    env = dict(os.environ, HOME=str(tmp_path), TZ="UTC", LC_ALL="C",
               PAGER="cat")

    def run_in_tmp(command, **kw):
        kw.setdefault("timeout", 300)
        kw.setdefault("cwd", tmp_path)
        kw.setdefault("env", env)
        if kw.setdefault("text", True):  # names in changed files may be any bytes
            kw.setdefault("errors", "surrogateescape")
        return subprocess.run([str(word) for word in command],
                              stdout=kw.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE, **kw)

    return run_in_tmp
