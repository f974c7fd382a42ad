"""Names of the kernel that runs here are given to recordings of this kernel
only: by the build-id, else by OSRELEASE and ARCH, else by where it lies."""

import json
import os
import subprocess

import pytest

from made_file import BITS, File, make

HERE = os.uname()
OTHER_ARCH = "s390x" if HERE.machine != "s390x" else "x86_64"
WHY = "--kallsyms FILE or -k VMLINUX of that kernel gives names"
KERNEL, USER, NOBODY = 1, 2, 2**32 - 1
MODULE, PROGRAM = 0xffffffffc0000000, 0x400000


@pytest.fixture(scope="module")
def live():
    """Addresses of the kernel that runs here: {name: address}."""
    wanted, found = ("_text", "_stext", "_etext", "schedule"), {}
    with open("/proc/kallsyms", encoding="ascii") as lines:
        for line in lines:
            addr, _, name = line.split()[:3]
            if name in wanted:
                found.setdefault(name, int(addr, 16))
    if not found.get("_etext") or not found.get("schedule"):
        pytest.skip("the kernel hides its addresses")
    return found


class Recorded(File):
    def map(self, misc, pid, start, length, pgoff, name):
        body = (self.e.pack("II", pid, pid) + self.e.words(start, length, pgoff)
                + os.fsencode(name) + bytes(8 - len(os.fsencode(name)) % 8))
        self.records.append(self.e.record(1, misc, body + self.e.trailer(
            make.attr_of(sample_type=BITS), self.ident(0))))
        return self

    def kernel(self, live, end=None):
        return self.map(KERNEL, NOBODY, live["_text"],
                        (end or live["_etext"]) - live["_text"], live["_text"],
                        "[kernel.kallsyms]_text")

    def at(self, misc, *addresses):
        for addr in addresses:
            self.records.append(self.e.record(9, misc, (
                self.e.words(addr) + self.e.pack("II", 5, 6)
                + self.e.words(100, 101) + self.e.pack("II", 1, 0))))
        return self

    def on(self, release, machine):
        self.features = {bit: self.string(text.encode())
                         for bit, text in ((4, release), (6, machine)) if text}
        return self


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """Symbols that report shows, and what it says on stderr."""
    def of(made, *words):
        (tmp_path / "a.data").write_bytes(made.bytes())
        done = run([perfpair, "report", "--raw-addresses", "--format", "json",
                    "-s", "dso,sym",
                    "-i", "a.data", *words])
        assert done.returncode == 0
        rows = json.loads(done.stdout)["events"][0]["rows"]
        return [row["sym" if "sym" in row else "symbol"].split()[-1]
                for row in rows], done.stderr.splitlines()
    return of


def with_sample(live, **kernel):
    return Recorded().kernel(live, **kernel).at(KERNEL, live["schedule"])


def test_this_kernel_has_names(shown, live):
    made = with_sample(live).on(HERE.release, HERE.machine)
    assert shown(made) == (["schedule"], [])


@pytest.mark.parametrize("release, machine", [
    ("6.5.0-foreign", HERE.machine), (HERE.release, OTHER_ARCH),
    ("6.5.0-foreign", ""), ("", OTHER_ARCH)])
def test_another_kernel_has_addresses_and_one_line(shown, live, release,
                                                   machine):
    made = with_sample(live).on(release, machine)
    symbols, told = shown(made)
    assert symbols == [f"{live['schedule']:#x}"]
    assert len(told) == 1 and WHY in told[0] and HERE.release in told[0]
    assert (release or machine) in told[0]


def test_what_lies_where_this_kernel_does_is_this_kernel(shown, live):
    assert shown(with_sample(live)) == (["schedule"], [])


@pytest.mark.parametrize("machine", ["", HERE.machine])
def test_what_lies_elsewhere_is_not(shown, live, machine):
    made = with_sample(live, end=live["_etext"] + 64).on("", machine)
    symbols, told = shown(made)
    assert symbols == [f"{live['schedule']:#x}"]
    assert len(told) == 1 and WHY in told[0]


def test_a_kallsyms_that_is_named_holds(shown, live, tmp_path):
    (tmp_path / "syms").write_text(f"{live['_text']:x} T _text\n"
                                   f"{live['schedule']:x} T theirs\n"
                                   f"{live['schedule'] + 64:x} T next\n")
    made = with_sample(live).on("6.5.0-foreign", OTHER_ARCH)
    assert shown(made, "--kallsyms", "syms") == (["theirs"], [])


def test_several_recordings_of_another_kernel_have_one_line(run, perfpair, live,
                                                           tmp_path):
    """Also the later ones, which share the kernel of the first."""
    words = []
    for name in "abc":
        made = with_sample(live).map(KERNEL, NOBODY, MODULE, 0x1000, 0,
                                     "[nf_nat]").at(KERNEL, MODULE + 16)
        made.on("6.5.0-foreign", HERE.machine)
        (tmp_path / name).write_bytes(made.bytes())
        words += ["-i", name]
    told, = run([perfpair, "report", *words]).stderr.splitlines()
    assert WHY in told and told.endswith(" (in 3 of 3 recordings)")


def test_script_and_convert_say_it_too(run, perfpair, live, tmp_path):
    made = with_sample(live).on("6.5.0-foreign", HERE.machine)
    (tmp_path / "a.data").write_bytes(made.bytes())
    done = run([perfpair, "script", "-i", "a.data"])
    assert "schedule" not in done.stdout and done.stderr.count(WHY) == 1
    done = run([perfpair, "data", "convert", "--to-json", "a.json", "-i",
                "a.data"])
    assert done.stderr.count(WHY) == 1
    assert "schedule" not in (tmp_path / "a.json").read_text()


@pytest.fixture
def module(tmp_path):
    """A file such as a module is, with one function."""
    (tmp_path / "m.c").write_text("int in_module(int x) { return x * 3; }\n")
    subprocess.run(["cc", "-O1", "-c", "-o", tmp_path / "m.ko",
                    tmp_path / "m.c"], check=True)
    return tmp_path / "m.ko"


@pytest.mark.parametrize("release, named", [(HERE.release, True),
                                            ("6.5.0-foreign", False)])
def test_modules_are_of_their_kernel(shown, live, module, release, named):
    made = Recorded().kernel(live).map(KERNEL, NOBODY, MODULE, 0x1000, 0,
                                       module)
    made.at(KERNEL, MODULE + 1).on(release, HERE.machine)
    symbols, told = shown(made)
    assert (symbols == ["in_module"], len(told)) == (named, int(not named))


def test_programs_of_another_machine_have_no_names(shown, tmp_path):
    (tmp_path / "p.c").write_text("int main(void) { for (;;) ; }\n")
    subprocess.run(["cc", "-no-pie", "-Wl,--build-id=none", "-o",
                    tmp_path / "p", tmp_path / "p.c"], check=True)
    listed = subprocess.run(["nm", tmp_path / "p"], check=True, text=True,
                            capture_output=True).stdout
    main = next(int(line.split()[0], 16) for line in listed.splitlines()
                if line.endswith(" T main"))
    text = main & ~0xfff

    def recorded(machine):
        return Recorded().map(USER, 5, text, 0x1000, text - PROGRAM,
                              tmp_path / "p").at(USER, main + 1).on(
                                  "6.5.0-foreign", machine)
    assert shown(recorded(HERE.machine)) == (["main"], [])
    symbols, told = shown(recorded(OTHER_ARCH))
    assert symbols != ["main"]
    assert len(told) == 1 and "another machine" in told[0]
