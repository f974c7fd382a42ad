"""tests/run.sh by itself: in a tree with a few tests of its own, and with stubs
of what builds; who records alone."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from common import ROOT, until

CONFTEST = """
def pytest_configure(config):
    for marker in ("builds", "final", "peer", "records", "slow"):
        config.addinivalue_line("markers", marker)
"""
STYLE = "def test_clang_tidy_finds_nothing():\n    pass\n"
RECORDS = """
import pathlib
import time
import pytest
pytestmark = pytest.mark.records

@pytest.mark.parametrize("nr", range(150))
def test_quick(nr):
    pass

def test_long():
    pathlib.Path("at-work").touch()
    time.sleep({seconds})
"""
ONE = "def test_one():\n    pass\n"
SKIPPED = "skipped lanes: those that need browsers"
MACHINES = """#!/bin/sh
echo "skipped arm64: no packages"
exit 77
"""
CTEST = """#!/bin/sh
while [ "$1" != --output-junit ]; do shift; done
echo "<testsuite><testcase classname='u' name='unit'/></testsuite>" >"$2"
"""


@pytest.fixture(scope="module")
def pycache(tmp_path_factory):
    """One folder for what Python compiles in all trees: the library and pytest."""
    return tmp_path_factory.mktemp("pycache")


@pytest.fixture
def tree(tmp_path, pycache):
    """tree(SECONDS): where run.sh is started; its long test takes SECONDS."""
    def make(seconds):
        (tmp_path / "cross").mkdir()
        (tmp_path / "build/machines").mkdir(parents=True)
        (tmp_path / "build/pycache").symlink_to(pycache)
        for name in ("cli", "peer", "page", "fleet", "machines", "truth", "fuzz"):
            (tmp_path / "tests" / name).mkdir(parents=True)
        for name in ("run.sh", "changed.py", "count.py", "watch.py"):
            shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
        (tmp_path / "tests/packages.sh").write_text(
            "install_for() { lacking=' browsers'; }\n")
        (tmp_path / "tests/conftest.py").write_text(CONFTEST)
        (tmp_path / "tests/cli/test_style.py").write_text(STYLE)
        for name in ("readers", "rooms", "layers", "words"):
            (tmp_path / f"tests/cli/test_{name}.py").write_text(ONE)
        (tmp_path / "tests/peer/test_records.py").write_text(
            RECORDS.format(seconds=seconds))
        (tmp_path / "bin").mkdir()
        for path, text in (("bin/cmake", "#!/bin/sh\n"), ("bin/ctest", CTEST),
                           ("tests/fuzz/run.sh", "#!/bin/sh\n"),
                           ("cross/static.sh", "#!/bin/sh\n"),
                           ("tests/machines/machines.sh", MACHINES)):
            (tmp_path / path).write_text(text)
            (tmp_path / path).chmod(0o755)
        return tmp_path
    return make


def started(tree, *lane, watch_s="0.5"):
    env = dict(os.environ, PATH=f"{tree}/bin:{os.environ['PATH']}",
               PERFPAIR_WATCH_S=watch_s)
    env.pop("PERFPAIR_TESTS", None)
    # what is ignored when a shell starts, as under nohup, it cannot trap
    return subprocess.Popen(["env", "--default-signal=INT,TERM,HUP", "sh",
                             "tests/run.sh", *lane], cwd=tree, env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def said(process):
    """Its output, without what somebody else's recorders are told of."""
    out, _ = process.communicate(timeout=300)
    return [line for line in out.splitlines() if not line.startswith("note ")]


def test_run_sh__a_run_says_how_far_it_is(tree):
    process = started(tree(4))
    lines = said(process)
    assert process.returncode == 0
    assert lines[0] == "run     this takes some 15 min"
    assert "skipped arm64: no packages" in lines
    assert lines[-2:] == [f"{SKIPPED} machines",
                          "158 passed, 0 failed, 0 skipped"]
    shown = [line for line in lines if line.startswith("...  ")]
    assert len(shown) >= 5
    told = re.compile(r"\.\.\. +after \d+ s: .*records 9\d%.* at work, some \d+ "
                      r"(min|s) left")
    assert any(map(told.fullmatch, shown)), shown


def test_run_sh__the_next_run_expects_what_this_one_took(tree):
    root = tree(0)
    assert said(started(root, "--fast"))[0] == "run     this takes some 3 min"
    lines = said(started(root, "--fast"))
    assert re.fullmatch(r"run     this takes some \d+ s", lines[0])
    assert lines[-1] == "5 passed, 0 failed, 0 skipped"


def test_run_sh__a_small_change_takes_less(tree):
    root = tree(0)
    (root / "build/results").mkdir()
    done = subprocess.run(["python3", "tests/watch.py", "--machine", "build/results"],
                          cwd=root, env=dict(os.environ, PERFPAIR_IDLE="chromium"),
                          capture_output=True, text=True)
    assert done.stdout.splitlines()[0] == "run     this takes some 10 min"


def test_run_sh__a_second_try_that_is_needed_is_a_defect(tree):
    root = tree(0)
    (root / "tests/peer/test_unsteady.py").write_text(
        "import pathlib\nimport pytest\n\n@pytest.mark.xdist_group('one')\n"
        "@pytest.mark.parametrize('nr', ['a/b', 'c@d'])\ndef test_it(nr):\n"
        "    path = pathlib.Path(f'tried {nr[-1]}')\n"
        "    was_tried = nr == 'a/b' or path.exists()\n    path.touch()\n"
        "    assert was_tried\n")
    process = started(root)
    lines = said(process)
    assert process.returncode == 0
    assert "again   readers: 1 failed" in lines
    at = lines.index("defect  unsteady: readers: tests.peer.test_unsteady.test_it[c@d]")
    assert lines[at + 1].strip() == "assert False"
    assert lines[-1] == "160 passed, 0 failed, 0 skipped"


def test_run_sh__a_change_is_checked(tree):
    lines = said(started(tree(0), "--change"))
    assert lines[-1] == "4 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP])
def test_run_sh__a_signal_closes_with_its_line(tree, number):
    """What was tested until then counts, and nothing is left at work."""
    root = tree(300)
    process = started(root, watch_s="60")
    for _ in range(300):
        if (root / "at-work").exists():
            break
        time.sleep(0.1)
    assert (root / "at-work").exists()
    process.send_signal(number)
    lines = said(process)
    assert process.returncode == 1
    assert lines[-3] == f"failed  step ended-by-{number.name}"
    passed, failed = re.fullmatch(r"(\d+) passed, (\d+) failed, 0 skipped",
                                  lines[-1]).groups()
    # a worker that is interrupted may take a test with it; others may be through
    assert 150 <= int(passed) < 158 and 1 <= int(failed) <= 2
    left = [path for path in os.listdir("/proc") if path.isdigit()
            and cwd_of(path) == str(root)]
    assert left == []


def cwd_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None


def test_run_sh__a_failed_build_is_told(tree):
    root = tree(0)
    (root / "bin/cmake").write_text("#!/bin/sh\necho no compiler\nexit 1\n")
    process = started(root, "--fast")
    lines = said(process)
    assert process.returncode == 1
    assert "no compiler" in lines
    assert lines[-3:] == ["failed  step build-dev", SKIPPED,
                          "4 passed, 1 failed, 0 skipped"]


def test_run_sh__a_foreign_recorder_is_named(tree, perfpair_record, may_record,
                                             tmp_path):
    """At the start, while it runs, and above the sums; a recorder of the tests'
    own is none."""
    root = tree(0)
    (root / "tests/cli/test_own.py").write_text(
        "import subprocess, time\n\ndef test_own():\n"
        f"    own = subprocess.Popen(['{perfpair_record}', '-q', '-e', "
        "'cpu-clock', '-o', 'own.data', 'sleep', '1'])\n"
        "    assert own.wait() == 0\n")
    env = {key: value for key, value in os.environ.items()
           if key != "PERFPAIR_TESTS"}
    foreign = subprocess.Popen(
        ["setsid", perfpair_record, "-q", "-e", "cpu-clock", "-o",
         tmp_path / "foreign.data", "sleep", "30"], env=env)
    try:
        time.sleep(1)
        process = started(root, "--fast")
        out, _ = process.communicate(timeout=300)
    finally:
        foreign.send_signal(signal.SIGINT)
        foreign.wait(30)
    lines = out.splitlines()
    noted = [line for line in lines if line.startswith("note ")
             and f": {foreign.pid} " in line]
    assert len(noted) == 2
    assert f" {tmp_path}/foreign.data sleep 30" in noted[0]
    assert "own.data" not in out
    assert lines[-1] == "6 passed, 0 failed, 0 skipped"


def test_run_sh__a_chroot_is_named(tree):
    """A folder that is no mount point itself."""
    if os.geteuid():
        pytest.skip("chroot needs root")
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("unshare is not permitted here")
    root = tree(0)
    script = ("set -e; mount -t tmpfs none $1; new=$1/root; mkdir $new; "
              "for name in usr proc dev tests; do mkdir $new/$name; done; "
              "ln -s usr/bin usr/lib usr/lib64 $new; "
              "for name in usr proc dev; do "
              "mount --rbind /$name $new/$name; done; "
              "mount --bind tests $new/tests; "
              "chroot $new /usr/bin/python3 tests/watch.py --machine tests")
    (root / "mount").mkdir()
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh",
                           root / "mount"], cwd=root, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    assert "note    this is a chroot, where unshare(1) fails" in done.stdout


@pytest.mark.parametrize("command, alone", [
    ("perfpair-record -q -g -e cpu-clock:u -o t.data -- sh -c true", False),
    ("strace -f perf record --call-graph fp -p 7", False),
    ("perfpair-record -qa true", True),
    ("unshare -m perfpair-record --cpu=0", True),
    ("perf record -u nobody", True),
    ("setpriv --reuid 65534 perfpair-record true", True),
    ("perf record -e cpu-clock -G some -a", True),
    ("perfpair-record --buildid-mmap true", True),
    ("perfpair-record --config record.conf", True),
    ("perfpair top -F 99", True),
    ("perfpair top -i -", None),
    ("perf report -a", None),
    ("workloads/spin 60", False),
])
def test_lanes__who_records_alone(command, alone, pytestconfig):
    lanes = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests/conftest.py"))
    assert lanes.of_others(["/bin/" + word for word in command.split()[:1]]
                           + command.split()[1:]) is alone


def test_lanes__a_lock_is_not_given_up_beside_ones_own_recorder(
        perfpair_record, alone, tmp_path):
    """Else others could record between its two recorders."""
    data = tmp_path / "own.data"
    own = subprocess.Popen([perfpair_record, "-q", "-e", "cpu-clock", "-o", data,
                            "sleep", "60"])
    try:
        until(data.exists, own)
        with pytest.raises(pytest.fail.Exception, match="needs the fixture alone"):
            alone()
    finally:
        own.terminate()
        own.wait(60)
