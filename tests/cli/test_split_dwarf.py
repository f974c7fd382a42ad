"""Source lines of programs whose debug information is split (-gsplit-dwarf):
the line tables stay in the program, below units that are skeletons."""

import json
import os
import shutil
import subprocess

import pytest

from made_file import File

SOURCE = """\
static int step(int x)
{
	return x * 3;
}

int work(int x)
{
	return step(x) + 1;
}

int main(void)
{
	return work(2);
}
"""
LINES = {"step": 2, "work": 7, "main": 12}


def symbols(program):
    listed = subprocess.run(["nm", program], check=True, text=True,
                            capture_output=True).stdout
    found = {line.split()[2]: int(line.split()[0], 16)
             for line in listed.splitlines() if len(line.split()) == 3}
    return {name: found[name] for name in LINES}


def recording(program, addresses):
    made = File()
    start = min(addresses) & ~0xfff
    name = os.fsencode(program)
    made.add(1, made.e.pack("II", 5, 5) + made.e.words(
        start, 0x1000, start - 0x400000) + name + bytes(8 - len(name) % 8),
        90, 2)
    for addr in addresses:
        made.records.append(made.e.record(9, 2, (
            made.e.words(addr) + made.e.pack("II", 5, 6)
            + made.e.words(100, 101) + made.e.pack("II", 1, 0))))
    return made.bytes()


@pytest.fixture(params=["gcc -gdwarf-4", "gcc -gdwarf-5", "clang -gdwarf-4",
                        "clang -gdwarf-5"])
def program(request, tmp_path):
    compiler, version = request.param.split()
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    (tmp_path / "main.c").write_text(SOURCE)
    subprocess.run([compiler, version, "-gsplit-dwarf", "-O0", "-no-pie", "-o",
                    "main", "main.c"], cwd=tmp_path, check=True)
    assert list(tmp_path.glob("*.dwo"))
    return tmp_path / "main"


@pytest.fixture
def lines(run, perfpair, tmp_path):
    """Source lines by symbol."""
    def of(path):
        (tmp_path / "a.data").write_bytes(
            recording(path, list(symbols(path).values())))
        done = run([perfpair, "report", "--format", "json", "-s",
                    "sym,srcline", "-i", "a.data"], timeout=30)
        assert done.returncode == 0
        rows = json.loads(done.stdout)["events"][0]["rows"]
        return {row["symbol"].split()[-1]: row["srcline"] for row in rows}
    return of


EXPECTED = {name: f"main.c:{line}" for name, line in LINES.items()}


def test_lines_are_found(lines, program):
    assert lines(program) == EXPECTED


def test_what_is_called_dwo_is_not_waited_for(lines, program, tmp_path):
    """Its name and folder are told by the program, which is anybody's."""
    for dwo in tmp_path.glob("*.dwo"):
        dwo.unlink()
        os.mkfifo(dwo)
    assert lines(program) == EXPECTED
