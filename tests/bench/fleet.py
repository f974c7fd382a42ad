#!/usr/bin/env python3
"""A fleet of 2,000 hosts in ClickHouse: how fast rows load, how long questions
take, and what a host and day need.

    tests/bench/fleet.py [--hosts N] [--rows N] [--servers N] [--runs N]
        [--slices N] [--recorded DIR]

A minute of this machine at 19 Hz, while compilers run, is recorded for real and
exported; its rows are then those of each host, with other weights, in as many
slices as --rows takes.  Every second host runs release B.  Then as many samples
are recorded as --slices of such slices have, 99 times a second in 6 s each, or
those in DIR are taken, and exported one by one and together.  Needs root, g++,
ClickHouse of Debian, and the release preset."""

import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/fleet")]
from servers import started  # noqa: E402

BUILD = ROOT / "build" / "release"
PERFPAIR = BUILD / "report" / "perfpair"
HOSTS_AT_ONCE = 200  # a server has 2 GB for a query
COPY = """INSERT INTO perfpair.samples_all
SELECT version, run, cityHash64(slice, host_nr, minute), start + 60 * minute,
    load, seq, rows, lost, damaged, concat('host-', toString(host_nr)),
    if(host_nr % 2 = 1, 'B', 'A'), service, labels, cgroup, pod, container,
    comm, event, is_clock, time + 60 * minute, bin, stack, code, function,
    toUInt64(weight * (50 + cityHash64(host_nr, stack, minute) % 100) / 100),
    number
FROM (SELECT *, {first} + arrayJoin(range({nr})) AS host_nr, {minute} AS minute
    FROM perfpair.one)"""


def timed(words, **more):
    """Seconds by the clock, and of the CPU, of a command that must succeed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run([str(word) for word in words], check=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (time.time() - start, after.ru_utime + after.ru_stime
            - before.ru_utime - before.ru_stime)


def medians(runs, words, **more):
    """The medians of both, and the clock's range."""
    seconds = [timed(words, **more) for _ in range(runs)]
    wall, cpu = zip(*seconds)
    return (statistics.median(wall), statistics.median(cpu),
            f"({min(wall):.2f} to {max(wall):.2f})")


def record(path, *options):
    """This machine, while it compiles."""
    busy = subprocess.Popen(
        ["sh", "-c", "while :; do g++ -O2 -c -o /dev/null "
         f"{ROOT}/tests/bench/workloads/dwarf.cc; done"],
        start_new_session=True)
    subprocess.run([BUILD / "record/perfpair-record", "-q", "-a", "-g",
                    *options, "-o", path], check=True)
    subprocess.run(["pkill", "-g", str(busy.pid)], check=False)
    busy.wait()  # its CPU time counts for no command behind it
    return path


def slices_of(folder, args):
    """Many slices, the oldest first."""
    if args.recorded:
        return sorted(args.recorded.iterdir())
    (folder / "slices").mkdir()
    record(folder / "slices/perf.data", "-F", "99", "--switch-output=6s",
           "--duration", f"{6 * args.slices}s")
    return sorted((folder / "slices").iterdir())


def export_many(folder, args, load_wall):
    """One by one and together, beside loading as many rows."""
    paths = slices_of(folder, args)
    words = [PERFPAIR, "export", "--format", "rows"]
    out = ["-o", folder / "many.tsv", "--stacks", folder / "many.stacks.tsv"]
    hidden = {"stderr": subprocess.DEVNULL}
    cpus = {"one by one": [], "together": []}
    for _ in range(args.runs):
        cpus["one by one"].append(sum(
            timed([*words, *out, path], **hidden)[1] for path in paths))
        cpus["together"].append(timed([*words, *out, *paths], **hidden)[1])
    row_nr = (folder / "many.tsv").read_bytes().count(b"\n")
    for name, seconds in cpus.items():
        cpu = statistics.median(seconds)
        million = cpu * 1e6 / row_nr
        print(f"export of {len(paths)} slices, {row_nr} rows, {name}: "
              f"{cpu:.2f} s of CPU ({min(seconds):.2f} to {max(seconds):.2f}), "
              f"{million:.1f} s a million, {million / load_wall:.1f} times "
              "loading them", flush=True)


def export(path, folder, runs):
    samples, stacks = folder / "samples.tsv", folder / "stacks.tsv"
    wall, cpu, _ = medians(runs, [
        PERFPAIR, "export", "--format", "rows", "-i", path, "-o", samples,
        "--stacks", stacks])
    row_nr = samples.read_bytes().count(b"\n")
    print(f"a slice: {path.stat().st_size} bytes; {row_nr} rows of samples, "
          f"{samples.stat().st_size} bytes; {stacks.read_bytes().count(10)} of "
          f"stacks, {stacks.stat().st_size} bytes; export {wall:.3f} s, "
          f"{cpu:.3f} s of CPU", flush=True)
    return samples, stacks, row_nr, cpu


def fill(server, samples, stacks, args, row_nr):
    server.ask("CREATE TABLE perfpair.one AS perfpair.samples ENGINE = Log")
    server.ask("INSERT INTO perfpair.one FORMAT TabSeparated",
               samples.read_bytes())
    server.ask("INSERT INTO perfpair.stacks_all FORMAT TabSeparated",
               stacks.read_bytes())
    slices = max(1, round(args.rows / row_nr / args.hosts))
    for minute in range(slices):
        for first in range(0, args.hosts, HOSTS_AT_ONCE):
            nr = min(HOSTS_AT_ONCE, args.hosts - first)
            subprocess.run([*server.client, "--insert_distributed_sync", "1",
                            "--query", COPY.format(first=first, nr=nr,
                                                   minute=minute)], check=True)


def load_rate(server, folder, export_cpu, row_nr, runs):
    """A million rows into an empty table, as a loader gives them."""
    path, copy_nr = folder / "million.tsv", 1_000_000
    with open(path, "wb") as out:
        subprocess.run([*server.client, "--query", "SELECT * FROM "
                        f"perfpair.samples LIMIT {copy_nr} FORMAT TabSeparated"],
                       stdout=out, check=True)
    server.ask("CREATE TABLE perfpair.loaded AS perfpair.samples")
    walls = []
    for _ in range(runs):
        server.ask("TRUNCATE TABLE perfpair.loaded")
        with open(path, "rb") as rows:
            walls.append(timed([*server.client, "--query", "INSERT INTO "
                                "perfpair.loaded FORMAT TabSeparated"],
                               stdin=rows)[0])
    wall = statistics.median(walls)
    print(f"loading {copy_nr} rows, {path.stat().st_size / 1e6:.0f} MB: "
          f"{wall:.2f} s; the export of as many took "
          f"{export_cpu * copy_nr / row_nr:.0f} s of CPU on their hosts",
          flush=True)
    return wall


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--slices", type=int, default=60)
    parser.add_argument("--recorded", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        servers = started(folder, args.servers)
        try:
            samples, stacks, row_nr, cpu = export(
                record(folder / "slice.data", "-F", "19", "--duration", "60s"),
                folder, args.runs)
            fill(servers[0], samples, stacks, args, row_nr)
            export_many(folder, args, load_rate(servers[0], folder, cpu,
                                                row_nr, args.runs))
            ask(servers[0], servers, args.runs)
        finally:
            for server in servers:
                server.stop()


def ask(server, servers, runs):
    all_nr = int(server.ask("SELECT count() FROM perfpair.samples_all"))
    held = sum(int(one.ask("SELECT sum(bytes) FROM system.parts WHERE active "
                           "AND database = 'perfpair' AND table = 'samples'"))
               for one in servers)
    print(f"{all_nr} rows on {len(servers)} servers, {held} bytes on disk, "
          f"{held / all_nr:.1f} a row", flush=True)
    questions = {
        "sums by function of two releases": [
            *server.client, "--query", "SELECT function, sum(release = 'A' ? "
            "weight : 0), sum(release = 'B' ? weight : 0) FROM "
            "perfpair.samples_all GROUP BY function FORMAT Null"]}
    words = ["--cluster", "--", *server.client]
    for name, more in (("fleet diff", ["diff", "--old", "release=A", "--new",
                                       "release=B"]),
                       ("fleet top", ["top"]), ("fleet hosts", ["hosts"]),
                       ("fleet top --format folded",
                        ["top", "--format", "folded"])):
        questions[name] = [PERFPAIR, "fleet", *more, *words]
    for name, words in questions.items():
        wall, cpu, limits = medians(runs, words, stdout=subprocess.DEVNULL)
        print(f"{name}: {wall:.2f} s {limits}, {cpu:.2f} s of CPU of the "
              "client and ours", flush=True)


if __name__ == "__main__":
    main()
