"""What ran on machines of other kinds; machines.sh makes and boots them."""

import json
import pathlib
import subprocess

import pytest

from common import ROOT

SCRIPT = ROOT / "tests/machines/machines.sh"
ABSENT = 77
MAKE_S, RUN_S = 1800, 240


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

    def said(self, *words):
        done = subprocess.run([str(word) for word in words], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
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
    """machine(NAME): what its job left (NAME/job.sh); skips where the machine cannot
    be made."""
    done = {}

    def boot(name):
        made = subprocess.run([SCRIPT, "make", name], capture_output=True, text=True,
                              timeout=MAKE_S)
        if made.returncode == ABSENT:
            pytest.skip(made.stdout.strip().splitlines()[-1])
        assert made.returncode == 0, made.stdout
        folder = tmp_path_factory.mktemp(name)
        subprocess.run([SCRIPT, "run", name, pathlib.Path(__file__).parent / name,
                        folder], check=True, timeout=RUN_S)
        return Results(folder, ROOT / "build/machines" / name)

    def results(name):
        if name not in done:
            done[name] = boot(name)
        return done[name]

    return results
