"""What ran on machines of other kinds; machines.sh makes and boots them."""

import json
import shutil
import subprocess
import time

import pytest

from common import ROOT

SCRIPT = ROOT / "tests/machines/machines.sh"
ABSENT = 77
MAKE_S, RUN_S = 3600, 3700


def machines():
    """{machine: (architecture, suite)}"""
    rows = (line.split() for line in (SCRIPT.parent / "table.txt").read_text().splitlines())
    return {row[1]: tuple(row[2:4]) for row in rows if row[:1] == ["machine"]}


class Results:
    """What a job left in its folder, as the programs of this machine read it."""

    def __init__(self, folder, programs):
        self.folder = folder
        self.programs = programs
        self.log = (folder / "log.txt").read_text()

    def counts(self, name):
        """[(event, count, percent of the time)] of stat's JSON."""
        lines = (self.folder / f"{name}.json").read_text().splitlines()
        rows = [json.loads(line) for line in lines if line.startswith("{")]
        return [(row["event"], float(row["counter-value"]), row["pcnt-running"])
                for row in rows if "event" in row]

    def text(self, name):
        return (self.folder / name).read_text()

    def run(self, *words):
        return subprocess.run([str(word) for word in words], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)

    def said(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, done
        return done.stdout, done.stderr

    def script(self, program, fields, name):
        """The lines that it prints of a recording."""
        return self.said(program, "script", "-F", fields, "--symfs", self.programs,
                         "-i", f"{name}.data")[0].splitlines()

    def samples(self, perfpair, name):
        """[(event, period, [functions])] of a recording, the leaf first."""
        found = []
        for line in self.script(perfpair, "event,period,ip,sym", name):
            words = line.split()
            if len(words) > 1 and ":" in words[1]:
                found.append((words[1].removesuffix(":"), int(words[0]), words[3:4]))
            elif words:
                found[-1][2].append(words[1])
        return found

    def are_whole(self, perfpair):
        """The names of the recordings, all of which are."""
        names = sorted(path.stem for path in self.folder.glob("*.data"))
        for name in names:
            said, _ = self.said(perfpair, "check", f"{name}.data")
            assert ": whole: 0 errors, 0 notes; " in said.splitlines()[-1], name
        return names

    def as_by_perf(self, perfpair, perf, fields):
        """How many lines of script were compared, none of which differs."""
        nr = 0
        for name in self.are_whole(perfpair):
            ours = self.script(perfpair, fields, name)
            assert self.script(perf, fields, name) == ours, name
            nr += len(ours)
        return nr


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """machine(NAME): what its job left (NAME/job.sh); machine(NAME, "ways"): what that
    job left, and the perf of its suite.  Skips where the machine cannot be made."""
    done = {}

    def boot(name, job):
        options = ["--with-perf"] if job == "ways" else []
        made = subprocess.run([SCRIPT, "make", *options, name], capture_output=True,
                              text=True, timeout=MAKE_S)
        if made.returncode == ABSENT:
            pytest.skip(made.stdout.strip().splitlines()[-1])
        assert made.returncode == 0, made.stdout
        folder = tmp_path_factory.mktemp(name)
        begin = time.monotonic()
        subprocess.run([SCRIPT, "run", *options, name, SCRIPT.parent / job, folder],
                       check=True, timeout=RUN_S)
        results = Results(folder, ROOT / "build/machines" / f"programs-{machines()[name][0]}")
        results.seconds = time.monotonic() - begin
        return results

    def results(name, job=None):
        key = name, job or name
        if key not in done:
            done[key] = boot(*key)
        return done[key]

    return results


@pytest.fixture(scope="session", params=sorted(
    name for name, (arch, _) in machines().items() if arch != "arm64"))
def ways(request, machine):
    """What the ways to record have left on each machine, but for arm64: perf there puts
    callers into chains that are none (docs/differences.md)."""
    arch, suite = machines()[request.param]
    results = machine(request.param, "ways")
    results.name = request.param
    results.has_perf = (results.folder / "perf-version").exists()
    # what the machine had: perf's Debian, and the programs
    results.symfs = ROOT / "build/all" / f"{suite}-{arch}"
    (results.symfs / "job").mkdir(parents=True, exist_ok=True)
    for path in (results.programs / "job").iterdir():
        shutil.copy(path, results.symfs / "job")
    return results
