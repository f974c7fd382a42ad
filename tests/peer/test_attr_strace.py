"""What reaches the kernel is what perf hands to it for the same command line.

Both programs run under strace; of each perf_event_open(2) the whole attr, pid,
cpu, group and flags are compared, in order, failed attempts included.  perf's
probes of the kernel and the ring of its BPF side thread are left out: they
carry no event of the command line.  DELIBERATE lists every field in which we
differ on purpose; docs/differences.md gives the reasons at length.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

# field: (our value where perf has none, why)
DELIBERATE = {
    "watermark": ("1", "one wake-up per many records"),
    "wakeup_watermark": (None, "bytes per wake-up, follows from -m"),
}
# of the period, over 1 s / frequency (record/event/clock_period.h)
CLOCK_ROOM = 1.04

FULL_TRACK = ("mmap", "mmap2", "comm", "comm_exec", "task", "ksymbol")

# Whole command lines, as after "perf record".
COMMANDS = [
    "true",
    "-a true",
    "-a --all-user true",
    "-F 99 -g true",
    "-e cycles:u true",
    "-e cpu-clock true",
    "-e cpu-clock -a true",
    "-e cpu-clock -C 0 true",
    "-e cpu-clock -C 0-1 true",
    "-e cpu-clock -p PID -- sleep 0.1",
    "-e cpu-clock -t PID -- sleep 0.1",
    "-e cpu-clock -p PID,THREADED -- sleep 0.1",
    "-e cpu-clock -p THREADED -- sleep 0.1",
    "-e cpu-clock -p THREADED --per-thread -- sleep 0.1",
    "-e cpu-clock --per-thread true",
    "-e cpu-clock,page-faults --per-thread true",
    "-e cpu-clock -i true",
    "-e cpu-clock -a -i true",
    "-e cpu-clock -n true",
    "-e cpu-clock -s true",
    "-e cpu-clock -d true",
    "-e cpu-clock -d -a true",
    "-e cpu-clock -T -P true",
    "-e cpu-clock -c 1000000 true",
    "-e cpu-clock -c 1000000 -a true",
    "-e cpu-clock -F 99 -a true",
    "-e cpu-clock -F max true",
    "-e cpu-clock -F 10000000 true",
    "-e cpu-clock -W -R true",
    "-e cpu-clock --sample-cpu true",
    "-e cpu-clock --sample-identifier true",
    "-e cpu-clock --all-user true",
    "-e cpu-clock --all-kernel -a true",
    "-e cpu-clock -g true",
    "-e cpu-clock -g -a true",
    "-e cpu-clock -g --kernel-callchains true",
    "-e cpu-clock -g --user-callchains true",
    "-e cpu-clock --call-graph fp true",
    "-e cpu-clock --call-graph dwarf true",
    "-e cpu-clock --call-graph dwarf,4096 -a true",
    "-e cpu-clock --call-graph lbr true",
    "-e cpu-clock -b true",
    "-e cpu-clock -j any_call,u true",
    "-e cpu-clock -k mono true",
    "-e cpu-clock -k CLOCK_MONOTONIC_RAW -a true",
    "-e cpu-clock --switch-events true",
    "-e cpu-clock --switch-events -a true",
    "-e cpu-clock --namespaces true",
    "-e cpu-clock --all-cgroups -a true",
    "-e cpu-clock --phys-data --data-page-size --code-page-size true",
    "-e cpu-clock --transaction --running-time true",
    "-e cpu-clock -D 10 -- sleep 0.1",
    "-e cpu-clock -a -D 10 -- sleep 0.1",
    "-e cpu-clock --no-bpf-event true",
    "-e cpu-clock --no-buffering true",
    "-e cpu-clock --buildid-mmap -a true",
    "-e cpu-clock,page-faults -F 99 -g true",
    "-e cpu-clock -e page-faults -e cs -a true",
    "-e {cpu-clock,page-faults} true",
    "-e {cpu-clock,page-faults} -a true",
    "-e {cpu-clock,page-faults}:S true",
    "-e {cpu-clock:u,page-faults:k}:S -a true",
    "-e {cpu-clock/period=100000/,page-faults}:S -g true",
    "-e {cpu-clock:u,page-faults}:k true",
    "-e {cpu-clock:D,page-faults}:e true",
    "-e cpu-clock:S,page-faults true",
    "-e cpu-clock:uppp true",
    "-e cpu-clock:P true",
    "-e cpu-clock:kI true",
    "-e cpu-clock/period=50000/u true",
    "-e cpu-clock/freq=50,call-graph=fp/,page-faults/period=1/ true",
    "-e cpu-clock/call-graph=dwarf,stack-size=1024/ true",
    "-e cpu-clock/time=0/,page-faults true",
    "-e cpu-clock/no-inherit/ true",
    "-e cpu-clock/max-stack=5/ true",
    "-e software/config=1,period=100000/ true",
    "-e 1:0:u true",
    "-e mem:0x1000:rw true",
    "-e mem:0x1000/8:w:u -c 3 true",
    "-e dummy,cpu-clock -a true",
    "-e bpf-output true",
]

TRACEPOINTS = [
    "-e sched:sched_switch true",
    "-e sched:sched_switch -a true",
    "-e sched:sched_switch -g -a true",
    "-e sched:sched_switch -c 2 true",
    "-e sched:sched_sw* true",
    "-e cpu-clock,sched:sched_switch -a true",
    "-e sched:sched_switch:u -e sched:sched_wakeup true",
    "-e {sched:sched_switch,page-faults}:S -a true",
    "-e sched:sched_switch/call-graph=dwarf/ -a true",
    "-e syscalls:sys_enter_getppid --per-thread true",
]

CALL = re.compile(r"(\d+) +perf_event_open\(\{(.*)\}, (-?\d+), (-?\d+), "
                  r"(-?\d+), (\S+)\) = (-?\d+)(?: (\w+))?")


def attr_fields(body):
    """{"type": "PERF_TYPE_...", ...} without what is 0."""
    body = re.sub(r"/\*.*?\*/", "", body)
    fields = {}
    for part in re.split(r", (?=[a-z_0-9]+=)", body):
        name, value = part.split("=", 1)
        if value.strip() not in ("0", ""):
            fields[name] = value.strip()
    return fields


def is_event(attr):
    """Whether this is an event of the command line, not a probe."""
    return ("sample_id_all" in attr
            and "PERF_FORMAT_LOST" in attr.get("read_format", "")
            and attr.get("wakeup_watermark") != "1")


def opens(trace, known_pids):
    """One tuple an open: (attr, pid, cpu, group, flags, errno)."""
    result = []
    place = {}
    workload = None
    for line in trace.read_text().splitlines():
        call = CALL.match(line)
        if not call:
            continue
        attr = attr_fields(call[2])
        pid = int(call[3])
        if not is_event(attr):
            continue
        if pid > 0 and pid not in known_pids:
            workload = workload or pid
            assert pid == workload
            pid = "workload"
        group = place.get(int(call[5]), int(call[5]))
        if int(call[7]) >= 0:
            place[int(call[7])] = f"open {len(result)}"
        result.append((attr, pid, int(call[4]), group, call[6], call[8]))
    return result


def straced(folder, name, program, arguments, known_pids):
    """What a program opens.  Only that call stops it."""
    trace = folder / f"{name}.trace"
    env = dict(os.environ, HOME=str(folder), TZ="UTC", LC_ALL="C")
    subprocess.run(["strace", "-f", "--seccomp-bpf", "-v", "-s", "256", "-e",
                    "trace=perf_event_open", "-o", trace, *program, "-o",
                    folder / f"{name}.data", *arguments], cwd=folder, env=env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   timeout=120)
    return opens(trace, known_pids)


def with_frequency(attr, theirs):
    """A clock event of ours, with the frequency that its period was chosen for."""
    clock = attr.get("config") in ("PERF_COUNT_SW_CPU_CLOCK",
                                   "PERF_COUNT_SW_TASK_CLOCK")
    if clock and "sample_period" in attr and theirs.get("freq"):
        nearest = 10 ** 9 // int(theirs["sample_freq"])
        assert nearest <= int(attr["sample_period"]) <= nearest * CLOCK_ROOM
        attr["sample_freq"], attr["freq"] = theirs["sample_freq"], theirs["freq"]
        del attr["sample_period"]
    return attr


def without_leaf_words(attr):
    """With -g on x86-64 ours has registers and some stack in the ring, of which the
    file keeps addresses of code alone."""
    if attr.get("sample_stack_user") == "0x40":
        del attr["sample_stack_user"], attr["sample_regs_user"]
        attr["sample_type"] = attr["sample_type"].replace(
            "|PERF_SAMPLE_REGS_USER|PERF_SAMPLE_STACK_USER", "")
    return attr


def without_deliberate(open_):
    """Takes our deliberate fields out of an attr of ours."""
    attr = without_leaf_words(dict(open_[0]))
    for field, (value, _reason) in DELIBERATE.items():
        if field in attr and value in (None, attr[field]):
            del attr[field]
    return (attr, *open_[1:])


def without_other_cpus(mine, listed):
    """Without what follows tasks on the CPUs that -C does not list: perf does
    so since 6.6."""
    others = [open_ for open_ in mine if open_[2] not in listed]
    assert {cpu for _, _, cpu, *_ in others} == \
        os.sched_getaffinity(0) - listed
    for attr, *_ in others:
        assert attr["config"] == "PERF_COUNT_SW_DUMMY"
        assert all(field in attr for field in FULL_TRACK)
    return [open_ for open_ in mine if open_[2] in listed]


@pytest.fixture(scope="module")
def strace(perf):
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    probe = subprocess.run(["strace", "-f", "true"],
                           stderr=subprocess.PIPE, text=True)
    if probe.returncode:
        pytest.skip("strace is not permitted here: "
                    + probe.stderr.strip()[:100])


@pytest.fixture(scope="module")
def targets():
    """Two processes to attach to, one of them with three threads."""
    code = ("import threading, time\n"
            "for _ in range(2):\n"
            "    threading.Thread(target=time.sleep, args=(600,),"
            " daemon=True).start()\n"
            "print('up', flush=True)\n"
            "time.sleep(600)\n")
    plain = subprocess.Popen(["sleep", "600"])
    threaded = subprocess.Popen([sys.executable, "-c", code],
                                stdout=subprocess.PIPE, text=True)
    assert threaded.stdout.readline() == "up\n"
    yield {"PID": plain.pid, "THREADED": threaded.pid}
    for process in (plain, threaded):
        process.kill()
        process.wait()


def threads_of(pid):
    return [int(task.name)
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]


@pytest.fixture(scope="module")
def opened(request, tmp_path_factory, perf, perfpair_record, strace, targets, alone):
    """{command: a future, done, of (perf's opens, ours)} of the chosen tests.  Several
    run at a time: perf waits for a second at its end."""
    alone()
    known = {tid for pid in targets.values() for tid in threads_of(pid)}

    def both(command):
        folder = tmp_path_factory.mktemp("opens")
        for name, pid in targets.items():
            command = command.replace(name, str(pid))
        # -B: perf reads files at its end for their build-ids
        bare = [] if "--buildid-mmap" in command else ["-B"]
        return [straced(folder, name, program, [*bare, *command.split()], known)
                for name, program in (("perf", [perf, "record"]),
                                      ("ours", [perfpair_record]))]

    chosen = [item.callspec.params["command"] for item in request.session.items
              if item.path == request.path and "opened" in item.fixturenames]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        done = {command: pool.submit(both, command) for command in chosen}
    return done


def check_same(opened, command):
    theirs, mine = opened[command].result()
    assert theirs, "perf opened nothing"
    mine = [without_deliberate(open_) for open_ in mine]
    if "-C" in command.split():
        mine = without_other_cpus(mine, {cpu for _, _, cpu, *_ in theirs})
    if "--buildid-mmap" in command:
        theirs = [without_deliberate(open_) for open_ in theirs]
    mine = [(with_frequency(attr, other[0]), *rest)
            for (attr, *rest), other in zip(mine, theirs)] + mine[len(theirs):]
    if any(open_[5] == "EOPNOTSUPP" for open_ in theirs):
        # Nothing can be recorded; what is tried after that says nothing.
        mine, theirs = mine[:1], theirs[:1]
    assert mine == theirs


@pytest.mark.parametrize("command", [
    pytest.param(command, marks=[pytest.mark.slow] if i % 2 and i > 20 else [])
    for i, command in enumerate(COMMANDS)])
def test_attr_is_perfs(may_record, opened, command):
    check_same(opened, command)


@pytest.mark.parametrize("command", TRACEPOINTS)
def test_tracepoint_attr_is_perfs(may_trace, opened, command):
    check_same(opened, command)


@pytest.mark.parametrize("command", ["true", "-a true"])
def test_build_ids_are_asked_for(tmp_path, strace, may_record,
                                 perfpair_record, command):
    """With --buildid-mmap exactly the tracking event asks."""
    mine = straced(tmp_path, "ours", [perfpair_record],
                   ["--buildid-mmap", "-e", "cpu-clock", *command.split()],
                   set())
    for attr, *_ in mine:
        tracks = all(field in attr for field in FULL_TRACK)
        assert (attr.get("build_id") == "1") == tracks
    assert any("build_id" in attr for attr, *_ in mine)


# Spellings whose names perf may write otherwise than typed.
SPELLINGS = [
    "", "cycles", "cycles:u", "cycles:pp", "cycles:P", "cpu-clock:u",
    "cpu-clock:", "cs,faults:k", "{cpu-clock:u,cs}:k", "cpu-clock//",
    "cpu-clock/period=100000/u", "cpu-clock/name=foo/", "software/config=1/",
    "mem:0x1000:rw:u", "mem:0x1000/4:w", "1:0:u",
]


def names(run, tmp_path, perf, program, options):
    data = tmp_path / "names.data"
    done = run([*program, "-q", "-o", data, *options, "true"])
    assert done.returncode == 0, done.stderr
    listed = run([perf, "evlist", "-i", data])
    return [line for line in listed.stdout.splitlines()
            if not line.startswith("#")]


@pytest.mark.parametrize("system_wide", [[], ["-a"], ["-a", "--all-user"]])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_names_are_perfs(run, tmp_path, may_record, perf, perfpair_record,
                         spelling, system_wide):
    options = system_wide + (["-e", spelling] if spelling else [])
    mine = names(run, tmp_path, perf, [perfpair_record], options)
    # -B: perf 6.1 now and then ends in an assertion of its build-id cache;
    # --no-bpf-event: it waits for a second for none.
    theirs = names(run, tmp_path, perf,
                   [perf, "record", "-B", "--no-bpf-event"], options)
    assert mine == theirs
