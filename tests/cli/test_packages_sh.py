"""tests/packages.sh by itself, in a PATH where dpkg has nothing and apt-get only
says how it is called."""

import re
import shutil
import subprocess

import pytest

from common import ROOT

TOOLS = ("sh", "env", "date", "grep", "head", "sed")
APT_GET = """#!/bin/sh
echo " $* " >>"$0.log"
case " $* " in
*" -s "*) echo "$SIMULATED" ;;
*" $FAILING "*) echo 'E: Could not get lock F. It is held by process 7' >&2
	exit 100 ;;
*" $UNKNOWN"*) echo 'E: Unable to locate package' >&2; exit 100 ;;
esac
"""
DPKG = """#!/bin/sh
[ "$*" = "-L new" ] && printf '%s\\n' /lib/systemd/system /usr/bin/new.sh \\
	/lib/systemd/system/new.timer /usr/lib/systemd/user/new@.service
"""
STUBS = {"dpkg": DPKG, "find": "#!/bin/sh\necho find \"$@\"\n",
         "dpkg-query": "#!/bin/sh\nexit 1\n", "apt-get": APT_GET,
         "sudo": '#!/bin/sh\necho sudo >>"${0%/*}/apt-get.log"\nexec "$@"\n'}
PACKAGES = {name: words.split() for name, words in re.findall(
    r'^(\w+_PACKAGES)="(.*?)"', (ROOT / "tests/packages.sh").read_text(),
    re.M | re.S)}
FAST = PACKAGES["BUILD_PACKAGES"] + PACKAGES["FAST_PACKAGES"]


@pytest.fixture
def shell(tmp_path):
    """shell(COMMAND, USER, **ENV): what it prints, and the calls of apt-get."""
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    for name, text in STUBS.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)

    def run(command, user=0, without=(), **env):
        for name in without:
            (tmp_path / "bin" / name).unlink()
        (tmp_path / "bin/id").write_text(f"#!/bin/sh\necho {user}\n")
        (tmp_path / "bin/id").chmod(0o755)
        done = subprocess.run(
            ["sh", "-c", f". {ROOT}/tests/packages.sh; {command}"],
            cwd=tmp_path, capture_output=True, text=True,
            env={"PATH": str(tmp_path / "bin"), "FAILING": "none",
                 "UNKNOWN": "none", **env})
        log = tmp_path / "bin/apt-get.log"
        return done, log.read_text().splitlines() if log.exists() else []
    return run


def installed(calls):
    return [word for call in calls if " install " in call and " -s " not in call
            for word in call.split("--no-install-recommends ")[1].split()]


def test_fast_installs_what_it_needs_and_no_more(shell):
    done, calls = shell("install_for --fast")
    assert done.stdout == f"installing: {' '.join(FAST)}\n"
    assert (done.returncode, done.stderr) == (0, "")
    assert installed(calls) == FAST
    assert not {"chromium", "clang", "clickhouse-server", "debhelper",
                "linux-perf", "lintian"} & set(FAST)


def test_all_sets_are_listed_before_the_first_call(shell):
    done, calls = shell("apt_get() { echo \"apt-get $*\"; }; "
                        "unpack_clickhouse() { :; }; install_for --whole")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == \
        3 * ["installing:"] + ["apt-get"] * 4
    assert lines[0].split()[1:] == \
        FAST + PACKAGES["STYLE_PACKAGES"] + PACKAGES["TEST_PACKAGES"]
    assert lines[3] == "apt-get update"


def test_what_the_whole_run_can_do_without(shell):
    """Without a browser it goes on, without a compiler it does not."""
    stub = "unpack_clickhouse() { false; }; "
    done, _ = shell(stub + "install_for --whole; echo rc=$?$lacking",
                    UNKNOWN="python3-selenium")
    assert "no browser can be installed: tests of the page are skipped" \
        in done.stdout
    assert done.stdout.endswith("\nrc=0 browsers ClickHouse\n")


def test_what_no_run_can_do_without(shell):
    done, _ = shell("install_for --whole", UNKNOWN="cmake")
    assert done.returncode == 1
    assert done.stderr == "E: Unable to locate package\n"


def test_no_unit_of_a_new_package_stays_enabled(shell):
    done, _ = shell("add_missing cmake", SIMULATED="Inst old [1] (2 stable)\n"
                    "Inst new (2 stable)\nConf new (2 stable)")
    assert done.stdout.splitlines() == [
        "find /etc/systemd -type l -name new.timer -delete",
        "find /etc/systemd -type l -name new@*.service -delete"]


def test_a_user_calls_apt_get_by_sudo(shell):
    done, calls = shell("install_missing cmake gcc", user=1000)
    assert (done.returncode, done.stdout) == (0, "installing: cmake gcc\n")
    assert calls.count("sudo") == 2  # update, install


HINT = "packages are missing, and sudo does not install them; " \
    "as root: apt-get install cmake gcc\n"


def test_without_root_and_sudo_the_command_is_named(shell):
    done, calls = shell("install_missing cmake gcc", user=1000,
                        without=["sudo"])
    assert (done.returncode, calls) == (1, [])
    assert done.stdout == "installing: cmake gcc\n"
    assert done.stderr == HINT


def test_a_user_who_may_not_use_sudo_is_told_the_command(shell):
    refusing = "sudo() { echo 'you may not' >&2; return 1; }; "
    done, calls = shell(refusing + "install_missing cmake gcc", user=1000)
    assert (done.returncode, calls) == (1, [])
    assert done.stderr == "you may not\n" + HINT


@pytest.mark.parametrize("held", ["update", "install"])
def test_a_lock_is_waited_for(shell, held):
    done, calls = shell("sleep() { FAILING=none; }; install_missing cmake",
                        FAILING=held)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("installing: cmake\n"
                           "waiting: E: Could not get lock F. It is held by "
                           "process 7\n")
    calls = [call for call in calls if " -s " not in call]
    assert all(" DPkg::Lock::Timeout=300 " in call for call in calls)
    assert len([call for call in calls if f" {held} " in call]) == 2


def test_a_lock_that_is_held_for_long(shell):
    clock = "i=0; sleep() { i=$((i + 100)); }; date() { echo $i; }; "
    done, calls = shell(clock + "install_missing cmake", FAILING="update")
    assert done.returncode == 1
    assert "Could not get lock" in done.stderr
    assert len(calls) == 4  # at 0, 100, 200 and 300 s
