"""The command lines that both recorders are tried with.

Each recipe is (name, options, workload): options go to `perf record` and to
perfpair-record alike; the workload is a program of tests/peer/workloads with
its arguments, or None for one that is attached to with -p (see PID).
"""

PID = "{pid}"  # replaced by the process that is attached to

# By CPU time: on a busy machine 300 ms go by after a few samples.
SPIN = ("spin", "300", "cpu")
GETPPID = ("getppid", "5000")
THREADS = ("threads", "4", "150", "cpu")

RECIPES = [
    ("software clock", ["-e", "cpu-clock"], SPIN),
    ("page faults", ["-e", "page-faults", "-c", "1", "-d"], SPIN),
    ("tracepoint", ["-e", "syscalls:sys_enter_getppid", "-R"], GETPPID),
    ("two tracepoints", ["-a", "-m", "2048", "-e", "sched:sched_switch",
                         "-e", "raw_syscalls:sys_enter"], GETPPID),
    ("group", ["-e", "{cpu-clock,task-clock}"], SPIN),
    ("group sampled by its leader",
     ["-e", "{cpu-clock,page-faults}:S"], SPIN),
    ("two sample types", ["-e", "cpu-clock/call-graph=fp/,page-faults/period=1/"],
     SPIN),
    ("callchains", ["-g", "-e", "cpu-clock"], SPIN),
    # not of the programs of others: where these keep no frame pointers their
    # chains are garbage, of which perf makes rows twice (docs/differences.md)
    ("callchains of all CPUs", ["-a", "-g", "--kernel-callchains", "-e",
                                "cpu-clock"], SPIN),
    ("dwarf stacks", ["-e", "cpu-clock", "-F", "500", "--call-graph", "dwarf"],
     SPIN),
    ("all CPUs", ["-a", "-e", "cpu-clock"], SPIN),
    # without it there, CPU 0 may have nothing to do
    ("one CPU", ["-C", "0", "-e", "cpu-clock"], (*SPIN, "cpu", "first")),
    ("attached", ["-p", PID, "-e", "cpu-clock"], ("threads", "4", "100000")),
    ("threads", ["-e", "cpu-clock", "-s"], THREADS),
    ("uncompressed", ["-z0", "-e", "cpu-clock", "-g"], SPIN),
    ("user only", ["--all-user", "-e", "cpu-clock", "-T"], SPIN),
]


def options_for_perf(options):
    """perf has no -z0: plain is its default."""
    return [word for word in options if word != "-z0"]


def own_rows(kind, name, words=()):
    """The options of report that leave the workload's rows of a fresh recording of
    whole CPUs, if rows have a task: perf splits those of other people's programs,
    which come and go, and shows the names of some later than it filters by them.  Of
    rows without a task, which the workload shares with others, perf's --comms leaves
    all or nothing.  We count what -U leaves out of others, and perf does not."""
    is_by_task = "+cpu" in words or not {"-s", "-F"}.intersection(words) or \
        any(word.startswith("+") for word in words)
    return ["--comms", "spin"] if kind == "fresh" and "CPU" in name and \
        is_by_task and "-U" not in words else []
