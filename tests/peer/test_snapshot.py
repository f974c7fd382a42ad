"""What already runs: the records that perf synthesizes at its start and ours
are the same bytes, and so is what both say of the machine."""

import pathlib
import signal
import struct
import subprocess

import pytest

from common import RECORD, until

MMAP, COMM, FORK, MMAP2, NAMESPACES = 1, 3, 7, 10, 16
KERNEL_PID = 0xffffffff


@pytest.fixture(scope="module")
def target(workload):
    """A process with two more threads that lives as long as the module."""
    process = subprocess.Popen([str(workload("threads")), "2", "6000000"])
    tasks = pathlib.Path(f"/proc/{process.pid}/task")
    until(lambda: sum((task / "comm").read_text().startswith("worker-")
                      for task in tasks.iterdir()) == 2)  # their last names
    process.send_signal(signal.SIGSTOP)  # the CPUs are for the recorders
    yield process.pid
    process.kill()
    process.wait()


def records(path):
    data = path.read_bytes()
    off, length = struct.unpack_from("<QQ", data, 40)
    at = off
    while at < off + length:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield kind, data[at:at + size]
        at += size


def has_edata():
    with open("/proc/kallsyms", encoding="ascii") as file:
        return any(line.endswith(" _edata\n") for line in file)


def without_kernel_end(record):
    """On kernels without data symbols in kallsyms the kernel's map ends at
    _etext for perf; ours ends at _edata all the same, by /proc/iomem."""
    if b"[kernel.kallsyms]" not in record or has_edata():
        return record
    return record[:24] + bytes(8) + record[32:]


def as_mmap(record):
    """perf's --buildid-mmap has the build-id in a map of the kernel, too; ours has
    it behind the map, which is MMAP as without that option."""
    kind, misc, size = struct.unpack_from("<IHH", record)
    if kind != MMAP2 or struct.unpack_from("<I", record, 8)[0] != KERNEL_PID:
        return record
    return struct.pack("<IHH", MMAP, misc & 7, size - 32) + record[8:40] + record[72:]


def snapshot(path, pids):
    """The records about those processes that carry no time: the trailer of
    one event, TID and TIME at least, is zero."""
    found = []
    for kind, record in records(path):
        if kind not in (MMAP, COMM, FORK, MMAP2, NAMESPACES):
            continue
        if struct.unpack_from("<I", record, 8)[0] not in pids:
            continue
        if record.endswith(bytes(16)):
            found.append(without_kernel_end(as_mmap(record)).hex())
    return found


def record(recorder, options, out):
    done = subprocess.run(
        [recorder, "-q", "-e", "cpu-clock", *options, "-o", out, "--",
         "sleep", "0.05"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return out


def both(perf, ours, options, folder):
    theirs = record_perf(perf, options, folder / "perf.data")
    return theirs, record(ours, ["-z0", *options], folder / "ours.data")


def record_perf(perf, options, out, build_ids="--buildid-mmap"):
    done = subprocess.run(
        [perf, *RECORD, "-q", "-e", "cpu-clock", build_ids, *options,
         "-o", out, "--", "sleep", "0.05"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("options", [
    [], ["-d"], ["--namespaces"], ["--call-graph", "dwarf"],
], ids=["plain", "data-maps", "namespaces", "stack-copies"])
@pytest.mark.parametrize("scope", ["-a", "-p", "-t"])
def test_the_same_process_in_the_same_bytes(may_record, perf, perfpair_record,
                                            target, scope, options, tmp_path):
    where = {"-a": ["-a"], "-p": ["-p", str(target)],
             "-t": ["-t", str(target)]}[scope]
    theirs, ours = both(perf, perfpair_record, [*where, *options], tmp_path)
    expected = snapshot(theirs, {target, KERNEL_PID})
    threads = {"-a": 3, "-p": 3, "-t": 1}[scope]
    kinds = [struct.unpack_from("<I", bytes.fromhex(r))[0] for r in expected]
    assert kinds.count(COMM) == threads
    assert snapshot(ours, {target, KERNEL_PID}) == expected


def test_the_kernels_maps_are_those_of_no_option(may_record, perf, perfpair_record,
                                                 target, tmp_path):
    expected = snapshot(record_perf(perf, ["-p", str(target)], tmp_path / "perf.data",
                                    "-B"), {KERNEL_PID})
    assert {record[:8] for record in expected} == {"01000000"}
    assert snapshot(record(perfpair_record, ["-z0", "-p", str(target)],
                           tmp_path / "ours.data"), {KERNEL_PID}) == expected


@pytest.mark.parametrize("words", ["no", "task", "mmap", "all"])
def test_synth_leaves_out_the_same(may_record, perf, perfpair_record, target,
                                   words, tmp_path):
    theirs, ours = both(perf, perfpair_record, ["-a", f"--synth={words}"],
                        tmp_path)
    expected = snapshot(theirs, {target, KERNEL_PID})
    kinds = [struct.unpack_from("<I", bytes.fromhex(r))[0] for r in expected]
    assert kinds.count(COMM) == (0 if words == "no" else 3)
    assert snapshot(ours, {target, KERNEL_PID}) == expected


SAME_LINES = ("hostname", "os release", "arch", "nrcpus", "cpudesc", "cpuid",
              "total memory", "sibling", "CPU ", "node0 cpu list",
              "pmu mappings", " L", "memory nodes", "   0 [")


def header_lines(perf, path):
    done = subprocess.run([perf, "report", "--header-only", "-I", "-i", path],
                          capture_output=True, text=True)
    assert done.stderr == ""
    lines = [line[2:] for line in done.stdout.splitlines()]
    # perf has this line on machines whose sysfs lists no caches, too
    return [line for line in lines if line.startswith(SAME_LINES) and
            line != "CPU cache info:"]


def test_the_machine_is_described_alike(may_record, perf, perfpair_record,
                                        tmp_path):
    theirs, ours = both(perf, perfpair_record, ["-a"], tmp_path)
    expected = header_lines(perf, theirs)
    assert len(expected) >= 8
    assert header_lines(perf, ours) == expected
