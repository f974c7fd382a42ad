"""The recorder as a service: --config, --on-slice, bounds of the disk, and what
it tells a service manager."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

from common import ROOT, until, until_said

UNIT = ROOT / "install" / "perfpair-record.service.in"
CONF = ROOT / "install" / "record.conf"
# nohup, from which tests may have been started, ignores SIGHUP
HANGUP = ["env", "--default-signal=HUP"]
CLOCK = ["-a", "-e", "cpu-clock", "-F", "99", "-o", "t.data"]


@pytest.fixture
def record(run, perfpair_record, may_record):
    return lambda *args, **kw: run([perfpair_record, *args], **kw)


def slices(folder):
    return sorted(path.name for path in folder.glob("t.data.2*"))


@pytest.mark.parametrize("text, told", [
    ("freq = 49\nfreqency = 9\n",
     "c.conf:2: unknown option '--freqency=9'"),
    ("\n# a comment\nfreq = x\n", "c.conf:3: -F 'x' is not understood"),
    ("-F 49\n", "c.conf:1: '-F 49' is no option's long name without its "
     "dashes"),
    ("sleep 3\n", "c.conf:1: 'sleep 3' is no option's long name without its "
     "dashes"),
    ("= 3\n", "c.conf:1: '' is no option's long name without its dashes"),
    ("help\n", "c.conf:1: 'help' is not for a file"),
    ("version\n", "c.conf:1: 'version' is not for a file"),
    ("config = c.conf\n", "c.conf:1: --config is not the first option"),
    ("x" * 70000, "--config: c.conf: File too large"),
])
def test_config_errors_name_the_line(run, perfpair_record, tmp_path, text,
                                     told):
    (tmp_path / "c.conf").write_text(text)
    done = run([perfpair_record, "--config", "c.conf", "true"])
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == f"perfpair-record: {told}"


def test_config_comes_first(run, perfpair_record):
    done = run([perfpair_record, "-a", "--config", "/dev/null", "true"])
    assert done.returncode == 2
    assert "--config is not the first option" in done.stderr
    done = run([perfpair_record, "--config=nosuch", "true"])
    assert "--config: nosuch: No such file or directory" in done.stderr


def test_config_is_what_the_command_line_changes(record, run, perfpair,
                                                 tmp_path):
    (tmp_path / "c.conf").write_text(
        "  event =  cpu-clock \nfreq=49\n#freq = 3\nall-cpus\n"
        "output = t.data\nno-buildid\n")
    assert record("--config=c.conf", "-F", "199", "true").returncode == 0
    text = run([perfpair, "evlist", "-v", "-i", "t.data"]).stdout
    assert "sample_freq } = 199" in text or "sample_freq }: 199" in text, text
    assert text.startswith("cpu-clock")


def test_each_finished_file_is_told_once(perfpair_record, may_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, *CLOCK, "--switch-output=1s", "--on-slice",
         'test -s "$1" && echo "$1" >> told; '
         'test "$NOTIFY_SOCKET" = "" || touch wrong'], cwd=tmp_path,
        env=dict(os.environ, NOTIFY_SOCKET="/nosuch"), stderr=subprocess.PIPE,
        text=True)
    until(lambda: slices(tmp_path), recorder)
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate(timeout=60)[1]
    assert recorder.returncode == -signal.SIGINT
    assert (tmp_path / "told").read_text().split() == slices(tmp_path)
    assert len(slices(tmp_path)) >= 2
    assert not (tmp_path / "wrong").exists()
    assert "--on-slice:" not in said


def test_a_command_that_hangs_is_ended(record, tmp_path):
    start = time.monotonic()
    done = record(*CLOCK, "--timestamp-filename", "--on-slice",
                  "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done",
                  "--on-slice-time", "500ms", "--", "true")
    assert done.returncode == 0
    assert time.monotonic() - start > 2.5  # and 2 s until SIGKILL
    name, = slices(tmp_path)
    assert f"--on-slice: the command took too long for {name}\n" in done.stderr
    assert "--on-slice: 0 commands failed, 1 took too long" in done.stderr
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not pathlib.Path(f"/proc/{pid}").exists())


def test_a_command_that_fails_is_told(record, tmp_path):
    done = record(*CLOCK, "--timestamp-filename", "--on-slice", "exit 3",
                  "--", "true")
    name, = slices(tmp_path)
    assert done.returncode == 0
    assert f"--on-slice: the command failed for {name}\n" in done.stderr


def test_no_slice_is_forgotten_if_the_recorder_is_killed(perfpair_record,
                                                         may_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, *CLOCK, "--switch-output", "--on-slice",
         'while [ ! -e go ]; do sleep 0.02; done; echo "$1" >> told'],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until_said(recorder)
    for nr in (1, 2):
        recorder.send_signal(signal.SIGUSR2)
        until(lambda: len(slices(tmp_path)) == nr, recorder)
    recorder.kill()
    recorder.wait()
    told = tmp_path / "told"
    assert not told.exists()
    (tmp_path / "go").touch()
    until(lambda: told.exists() and len(told.read_text().split()) == 2)
    assert told.read_text().split() == slices(tmp_path)


def test_a_second_signal_does_not_wait(perfpair_record, may_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, *CLOCK, "--timestamp-filename", "--on-slice",
         "echo $$ > begun; exec sleep 30"], cwd=tmp_path,
        stderr=subprocess.PIPE, text=True)
    until_said(recorder)
    recorder.send_signal(signal.SIGINT)
    begun = tmp_path / "begun"
    pid = int(until(lambda: begun.exists() and begun.read_text(), recorder))
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait(25) == -signal.SIGINT
    os.kill(pid, signal.SIGKILL)


def test_bounds_of_the_disk(record, tmp_path):
    old = tmp_path / "t.data.2020010101010101"
    old.write_bytes(bytes(1 << 20))
    os.utime(old, (time.time() - 3600,) * 2)
    (tmp_path / "t.data.mine").write_bytes(bytes(1 << 20))
    done = record(*CLOCK, "--timestamp-filename", "--max-files-age", "2h",
                  "true")
    assert old.exists() and len(slices(tmp_path)) == 2
    done = record(*CLOCK, "--timestamp-filename", "--max-files-size", "1M",
                  "true")
    assert done.returncode == 0 and not old.exists()
    assert len(slices(tmp_path)) == 2 and (tmp_path / "t.data.mine").exists()
    first, second = (tmp_path / name for name in slices(tmp_path))
    os.utime(first, (time.time() - 3600,) * 2)
    record(*CLOCK, "--timestamp-filename", "--max-files-age", "30m", "true")
    assert not first.exists() and second.exists()
    assert len(slices(tmp_path)) == 2


class Manager:
    """A service manager's socket, and the messages that came, with times."""

    def __init__(self, name):
        self.at = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.at.bind(name.replace("@", "\0", 1))
        self.at.settimeout(0.02)
        self.env = dict(os.environ, NOTIFY_SOCKET=name)
        self.came = []

    def listen(self, process):
        has_ended = False
        while not has_ended:
            has_ended = process.poll() is not None
            with contextlib.suppress(TimeoutError):
                while True:
                    text = self.at.recv(1000).decode()
                    self.came.append((time.monotonic(), text))

    def times_of(self, text):
        return [at for at, what in self.came if text in what.split("\n")]


@pytest.mark.parametrize("abstract", [False, True])
def test_a_service_manager_is_told(perfpair_record, may_record, tmp_path,
                                   abstract):
    manager = Manager(f"@perfpair-{os.getpid()}" if abstract
                      else str(tmp_path / "notify"))
    manager.env["WATCHDOG_USEC"] = "200000"
    process = subprocess.Popen(
        [perfpair_record, "-q", *CLOCK, "--switch-output"], cwd=tmp_path,
        env=manager.env)
    listener = threading.Thread(target=manager.listen, args=[process])
    listener.start()
    try:
        until(lambda: manager.times_of("READY=1"), process)
        process.send_signal(signal.SIGUSR2)
        until(lambda: any(re.fullmatch(
            r"STATUS=recording: 99 Hz, \d+\.\d\d % CPU, \d+ lost, 1 files, "
            r"\d+ MB", what) for _, what in manager.came), process)
        until(lambda: len(manager.times_of("WATCHDOG=1")) >= 2, process)
    finally:
        process.terminate()
        listener.join()
    ready, = manager.times_of("READY=1")
    stopping, = manager.times_of("STOPPING=1")
    assert ready < stopping and manager.came[0][0] == ready


@pytest.mark.parametrize("more", [{}, {"WATCHDOG_USEC": "x"},
                                  {"WATCHDOG_USEC": "200000",
                                   "WATCHDOG_PID": "1"}])
def test_a_watchdog_of_others_is_not_fed(perfpair_record, may_record, tmp_path,
                                         more):
    manager = Manager(str(tmp_path / "notify"))
    manager.env.update(more)
    process = subprocess.Popen([perfpair_record, "-q", *CLOCK, "--", "sh", "-c",
                                "env > env; sleep 0.3"], cwd=tmp_path,
                               env=manager.env)
    manager.listen(process)
    assert manager.times_of("READY=1") and not manager.times_of("WATCHDOG=1")
    assert not re.search("NOTIFY_SOCKET|WATCHDOG", (tmp_path / "env").read_text())


def frequencies(folder, perfpair, run):
    """Of the finished files, in their order."""
    found = []
    for name in slices(folder):
        text = run([perfpair, "evlist", "-F", "-i", str(folder / name)]).stdout
        found += re.findall(r"^cpu-clock: sample_freq=(\d+)", text)
    return found


def children(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_a_reload_takes_the_options_as_they_are(perfpair_record, may_record,
                                                perfpair, run, tmp_path):
    manager = Manager(str(tmp_path / "notify"))
    manager.env["WATCHDOG_USEC"] = "2000000"
    conf = tmp_path / "c.conf"
    options = ("all-cpus\nevent = cpu-clock\noutput = t.data\nquiet\n"
               "switch-output = 60s\non-slice = sleep 0.2; echo \"$1\" >> told\n")
    conf.write_text(options + "freq = 99\n")
    process = subprocess.Popen([*HANGUP, perfpair_record, "--config", "c.conf"],
                               cwd=tmp_path, env=manager.env, text=True,
                               stderr=subprocess.PIPE)
    listener = threading.Thread(target=manager.listen, args=[process])
    listener.start()
    try:
        until(lambda: len(manager.times_of("READY=1")) == 1)
        conf.write_text(options + "freq = many\n")
        process.send_signal(signal.SIGHUP)
        until(lambda: manager.times_of(
            "STATUS=recording, not reloaded: c.conf:7: -F 'many' is not "
            "understood"))
        assert not slices(tmp_path)
        conf.write_text(options + "freq = 199\n")
        process.send_signal(signal.SIGHUP)
        until(lambda: len(manager.times_of("READY=1")) == 2)
        conf.write_text(options + "freq = 299\n")
        for _ in range(3):  # while it starts again, too
            process.send_signal(signal.SIGHUP)
        until(lambda: len(manager.times_of("READY=1")) >= 3)
        # once their commands have ended those of before are reaped: left are
        # that of --on-slice, and who tries
        told = tmp_path / "told"
        until(lambda: told.exists() and len(children(process.pid)) == 2 and
              sorted(told.read_text().split()) == slices(tmp_path), process)
        assert not manager.times_of("STOPPING=1")
    finally:
        process.terminate()
        listener.join()
    assert process.returncode == -signal.SIGTERM
    assert len(manager.times_of("RELOADING=1")) >= 2
    assert len(manager.times_of("STOPPING=1")) == 1
    assert manager.times_of("WATCHDOG=1")
    found = frequencies(tmp_path, perfpair, run)
    assert found[:2] == ["99", "199"] and set(found[2:]) == {"299"}
    assert sorted(told.read_text().split()) == slices(tmp_path)
    assert "not reloaded" in process.stderr.read()


def test_a_stop_waits_for_commands_of_before_a_reload(perfpair_record, may_record,
                                                      tmp_path):
    manager = Manager(str(tmp_path / "notify"))
    (tmp_path / "c.conf").write_text(
        "all-cpus\nevent = cpu-clock\noutput = t.data\nquiet\n"
        "switch-output = 60s\naffinity = cpu\n"
        "on-slice = while [ ! -e go ]; do sleep 0.02; done; "
        "taskset -pc $$ >> told; echo \"$1\" >> told\n")
    process = subprocess.Popen([*HANGUP, perfpair_record, "--config", "c.conf"],
                               cwd=tmp_path, env=manager.env)
    listener = threading.Thread(target=manager.listen, args=[process])
    listener.start()
    try:
        until(lambda: len(manager.times_of("READY=1")) == 1)
        process.send_signal(signal.SIGHUP)
        until(lambda: len(manager.times_of("READY=1")) == 2)
        process.send_signal(signal.SIGHUP)
        process.terminate()  # wins
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        (tmp_path / "go").touch()
        process.wait(30)
        told = (tmp_path / "told").read_text()
    finally:
        process.kill()
        listener.join()
    assert len(slices(tmp_path)) == 2
    assert all(name in told for name in slices(tmp_path))
    all_cpus = subprocess.run(["taskset", "-pc", str(os.getpid())], text=True,
                              capture_output=True).stdout.split(": ")[1]
    assert told.count(all_cpus) == 2  # none has the recorder's own affinity
    assert len(manager.times_of("READY=1")) == 2
    assert manager.times_of("STOPPING=1")


class Service:
    """A recorder with a file of options and a manager that listens to it."""

    ALWAYS = ["all-cpus", "event = cpu-clock", "freq = 199", "output = t.data",
              "quiet"]

    def __init__(self, folder, program, *options):
        self.folder, self.conf = folder, folder / "c.conf"
        self.manager = Manager(str(folder / "notify"))
        (folder / "notify").chmod(0o666)
        self.write(*options)
        self.process = subprocess.Popen(
            [*HANGUP, *program, "--config", "c.conf"], cwd=folder,
            env=self.manager.env, text=True, stderr=subprocess.PIPE)
        self.listener = threading.Thread(target=self.manager.listen,
                                         args=[self.process])
        self.listener.start()
        until(lambda: self.manager.times_of("READY=1"))

    def write(self, *options):
        self.conf.write_text("\n".join([*self.ALWAYS, *options, ""]))

    def reload(self, *options):
        self.write(*options)
        self.process.send_signal(signal.SIGHUP)

    def is_refused(self, *options):
        """Return why."""
        begin = time.monotonic()
        self.reload(*options)
        told = []

        def is_told():
            told[:] = [what for at, what in self.manager.came if at > begin
                       and what.startswith("STATUS=recording, not reloaded")]
            return told
        until(is_told)
        assert self.process.poll() is None
        assert not [at for at in self.manager.times_of("RELOADING=1")
                    if at > begin]
        return told[0].removeprefix("STATUS=recording, not reloaded: ")

    def is_reloaded(self, *options):
        nr = len(self.manager.times_of("READY=1"))
        self.reload(*options)
        until(lambda: len(self.manager.times_of("READY=1")) > nr)

    def stop(self):
        self.process.terminate()
        self.listener.join(30)
        self.process.kill()
        return self.process.stderr.read()


@pytest.fixture
def service(perfpair_record, may_record, tmp_path):
    """service(OPTION...): a recorder in tmp_path, which the test may replace."""
    started = []

    def start(*options, program=(perfpair_record,), folder=tmp_path):
        started.append(Service(folder, program, *options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def sample_times(run, perfpair, path):
    text = run([perfpair, "script", "-F", "time", "-i", str(path)]).stdout
    return [float(line.strip(" :")) for line in text.splitlines()]


REFUSED = [
    (["event = no-such-event"], "c.conf:6: unknown event 'no-such-event'"),
    (["event = sched:nosuch"], "c.conf:6: "),
    (["pid = 999999999"], "no process has the id 999999999"),
    (["cgroup = nosuch"], "nosuch: No such file or directory"),
    (["output = /nonexistent/t"], "/nonexistent/t: No such file or directory"),
    (["output = c.conf/t"], "c.conf/t: Not a directory"),
    (["control = fifo:nosuch"], "--control: nosuch: No such file"),
    (["cpu = 9999"], "CPU 9999 "),
    (["nonsense"], "c.conf:6: unknown option '--nonsense'"),
    (["x" * 70000], "--config: c.conf: File too large"),
]


def test_a_reload_that_cannot_be_had_leaves_no_trace(service, run, perfpair,
                                                     tmp_path):
    """The recording goes on in one file; nothing is run, renamed or removed by
    what was tried."""
    old = [f"u.data.202001010101010{i}" for i in range(3)]
    for name in [*old, "u.data"]:
        (tmp_path / name).write_text(name)
    one = service("freq = 1999", "clockid = mono", "switch-output = 600s",
                  "on-slice = echo \"$1\" >> told")
    for options, told in REFUSED:
        why = one.is_refused(
            "output = u.data", "switch-output = 1s", "max-files = 1",
            "on-slice = touch wrong", *options) if "c.conf:6" not in told \
            else one.is_refused(*options)
        assert told in why
    # of on-slice, and who tries, each without a child
    assert [children(pid) for pid in children(one.process.pid)] == [[], []]
    refused_s = time.monotonic()
    time.sleep(0.2)
    said = one.stop()
    assert one.process.returncode == -signal.SIGTERM
    assert said.count("not reloaded: the recording goes on with its options"
                      ) == len(REFUSED)
    assert not one.manager.times_of("RELOADING=1")
    assert len(one.manager.times_of("READY=1")) == 1
    name, = slices(tmp_path)
    assert (tmp_path / "told").read_text().split() == [name]
    times = sample_times(run, perfpair, tmp_path / name)
    assert len(times) > 400 and times[-1] > refused_s
    assert run([perfpair, "check", "-q", name]).returncode == 0
    for left in [*old, "u.data"]:
        assert (tmp_path / left).read_text() == left
    assert not (tmp_path / "wrong").exists()


def test_a_reload_that_was_refused_can_be_mended(service, run, perfpair,
                                                 tmp_path):
    one = service("switch-output = 600s")
    assert one.is_refused("pid = 999999999")
    one.is_reloaded("switch-output = 600s", "freq = 99")
    assert len(one.manager.times_of("RELOADING=1")) == 1
    one.stop()
    assert frequencies(tmp_path, perfpair, run) == ["199", "99"]


@pytest.mark.slow  # CPUs are looked at each ten seconds
def test_a_cpu_that_comes_is_recorded(service, perfpair_record, perfpair, run, may_unshare,
                                      tmp_path):
    """As by a reload.  The list of CPUs is a file of the test's."""
    if os.cpu_count() < 2:
        pytest.skip("needs two CPUs")
    online = tmp_path / "online"
    online.write_text("0\n")
    one = service("switch-output = 600s", program=[
        "unshare", "-m", "sh", "-c", 'mount --bind online /sys/devices/system/cpu/online && '
        'exec "$@"', "sh", perfpair_record])
    online.write_text("0-1\n")
    until(lambda: len(one.manager.times_of("READY=1")) == 2, one.process)
    time.sleep(0.5)
    assert "CPU 1 came online: recording again on those that are" in one.stop()
    cpus = [set(run([perfpair, "script", "-F", "cpu", "-i", name]).stdout.split())
            for name in slices(tmp_path)]
    assert cpus == [{"[000]"}, {"[000]", "[001]"}]


def test_a_control_fifo_is_not_the_trials(service, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    one = service("control = fifo:fifo")
    for _ in range(3):
        assert one.is_refused("control = fifo:fifo", "pid = 999999999")
    one.reload("control = fifo:fifo", "pid = 999999999")
    (tmp_path / "fifo").write_text("stop\n")  # while it is tried
    assert one.process.wait(20) == 0


@pytest.mark.parametrize("script, told", [
    ("kill -9 $$", "signal 9 ended the process that tried the options"),
    ("exit 9", "the process that tried the options ended with 9"),
    ("echo perfpair-record: too old >&2; exit 2", "too old"),
    (None, "the program cannot be executed again"),
])
def test_a_trial_that_dies_is_a_refusal(service, perfpair_record, tmp_path,
                                        script, told):
    program = tmp_path / "perfpair-record"
    shutil.copy(perfpair_record, program)
    one = service(program=[program])
    program.unlink()
    if script:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    assert one.is_refused() == told


def test_a_trial_that_hangs_holds_nothing_up(service, perfpair_record, tmp_path,
                                             run, perfpair):
    program = tmp_path / "perfpair-record"
    shutil.copy(perfpair_record, program)
    one = service("switch-output = signal", program=[program])
    program.unlink()
    program.write_text("#!/bin/sh\ntrap '' TERM\necho $$ > pid\n"
                       "exec sleep 1000\n")
    program.chmod(0o755)
    one.reload()
    until((tmp_path / "pid").exists)
    for nr in (1, 2):
        one.process.send_signal(signal.SIGUSR2)
        until(lambda: len(slices(tmp_path)) == nr, one.process)
    begin = time.monotonic()
    one.stop()
    assert time.monotonic() - begin < 30  # else stop() killed it
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not os.path.exists(f"/proc/{pid}"))
    for name in slices(tmp_path):
        assert run([perfpair, "check", "-q", name]).returncode == 0


def test_without_a_manager_a_hangup_ends_the_recording(perfpair_record, may_record,
                                                       tmp_path):
    (tmp_path / "c.conf").write_text("all-cpus\nevent = cpu-clock\n")
    process = subprocess.Popen([*HANGUP, perfpair_record, "--config", "c.conf"],
                               cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert "recording" in process.stderr.readline()
    process.send_signal(signal.SIGHUP)
    assert process.wait(20) == -signal.SIGHUP


def test_without_a_manager_reload_takes_the_options_again(
        perfpair_record, may_record, tmp_path, run, perfpair):
    """runit, s6 and a container's first process tell no socket; nohup(1), which
    ignores SIGHUP, is not what --reload means."""
    conf = tmp_path / "c.conf"
    conf.write_text("\n".join(Service.ALWAYS[:-1] + ["reload", "switch-output = 600s"]))
    process = subprocess.Popen(["nohup", perfpair_record, "--config", "c.conf"],
                               cwd=tmp_path, stderr=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until_said(process)
    conf.write_text(conf.read_text() + "\nnonsense\n")
    process.send_signal(signal.SIGHUP)
    assert "c.conf:7: unknown option '--nonsense'" in until_said(process, "c.conf")
    conf.write_text(conf.read_text().replace("\nnonsense\n", "\nfreq = 99\n"))
    process.send_signal(signal.SIGHUP)
    until_said(process, "recording, ")
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert frequencies(tmp_path, perfpair, run) == ["199", "99"]


@pytest.mark.parametrize("args", [["--reload", "-a"],
                                  ["--config", "c.conf", "--reload", "true"],
                                  ["--config", "c.conf", "--reload", "--control",
                                   "fd:3"]])
def test_reload_needs_a_file_of_options(run, perfpair_record, tmp_path, args):
    (tmp_path / "c.conf").write_text("all-cpus\n")
    done = run([perfpair_record, *args])
    assert done.returncode == 2
    assert "--reload without --config, with a command or with --control fd:N" in \
        done.stderr


def rights_of_the_unit():
    found, = re.findall(r"^AmbientCapabilities=(.*)$", UNIT.read_text(), re.M)
    assert f"\nCapabilityBoundingSet={found}\n" in UNIT.read_text()
    return ",".join(["-all", *("+" + name.lower().removeprefix("cap_")
                               for name in found.split())])


def test_the_unit_records_with_its_rights(perfpair_record, may_record, perfpair,
                                          run, open_folder):
    """As another user than root, with the unit's capabilities and options."""
    if os.geteuid():
        pytest.skip("root alone may become another user")
    for path in (perfpair_record, CONF):
        shutil.copy(path, open_folder)
    rights = rights_of_the_unit()
    done = subprocess.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
         "--inh-caps", rights, "--ambient-caps", rights, "--bounding-set",
         rights, "--no-new-privs", "./perfpair-record", "--config",
         "record.conf", "-F", "499", "--switch-output=1s", "--duration", "1900ms",
         "--on-slice", "grep ^CapEff: /proc/self/status > rights"],
        cwd=open_folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    files = sorted(open_folder.glob("perf.data.2*"))
    assert len(files) >= 2
    for path in files:
        assert run([perfpair, "check", "-q", str(path)]).returncode == 0
        assert path.stat().st_mode & 0o777 == 0o600
    assert (open_folder / "rights").read_text().split() == ["CapEff:", "0" * 16]
    rows = run([perfpair, "report", "-s", "comm,dso,sym", "-g", "none", "-i",
                str(files[0])]).stdout
    assert "[k] " in rows


def test_the_unit_reloads_with_its_rights(service, perfpair_record, perfpair,
                                          run, open_folder):
    """What is tried has no more rights than the recording that would follow."""
    if os.geteuid():
        pytest.skip("root alone may become another user")
    (open_folder / "roots").mkdir(0o755)
    shutil.copy(perfpair_record, open_folder)
    rights = rights_of_the_unit()
    one = service("switch-output = 600s", folder=open_folder, program=[
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
        "--inh-caps", rights, "--ambient-caps", rights, "--bounding-set",
        rights, "--no-new-privs", open_folder / "perfpair-record"])
    for options, told in [
            (["output = roots/t"], "roots/t: Permission denied"),
            (["realtime = 50"], "real-time priority 50: Operation not perm"),
            (["pid = 999999999"], "no process has the id 999999999")]:
        assert one.is_refused(*options).startswith(told)
    one.is_reloaded("switch-output = 600s", "freq = 99")
    assert one.is_refused("output = roots/t")
    one.is_reloaded("switch-output = 600s", "freq = 49")
    one.stop()
    assert frequencies(open_folder, perfpair, run) == ["199", "99", "49"]


def test_the_unit_is_one(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "perfpair-record.service"
    unit.write_text(UNIT.read_text().replace("@bin@/perfpair-record",
                                             "/bin/true")
                    .replace("Documentation=", "#"))
    done = subprocess.run(["systemd-analyze", "verify", unit], text=True,
                          capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_command_leaves_running_ends_with_it(record, tmp_path):
    record(*CLOCK, "--timestamp-filename", "--on-slice",
           "sleep 1000 & echo $! > left", "--", "true")
    left = (tmp_path / "left").read_text().strip()
    until(lambda: not os.path.exists(f"/proc/{left}") or
          "\nState:\tZ" in open(f"/proc/{left}/status").read())
