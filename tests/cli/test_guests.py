"""Maps and tasks of guests are none of the host's: `perf kvm --host --guest
record` tells of both, and one kernel often lies where the other does."""

import pytest

from made_file import BITS, File, make

KERNEL, MODULE, PROGRAM = 0xffffffff81000000, 0xffffffffc0000000, 0x400000
HOST_KERNEL, USER, GUEST_KERNEL, GUEST_USER = 1, 2, 4, 5
NOBODY = 2**32 - 1
HOST_ID, GUEST_ID = 101, 102


class Host(File):
    """A host's kernel, module and program (pid 5), and samples of them."""

    def map(self, misc, pid, start, name, time=0, ident=HOST_ID):
        body = (self.e.pack("II", pid, pid) + self.e.words(start, 0x10000, 0)
                + name + bytes(8 - len(name) % 8))
        self.add(1, body, time, misc, ident)

    def add(self, kind, body, time=0, misc=0, ident=HOST_ID):
        body += bytes(-len(body) % 8)
        body += self.e.trailer(make.attr_of(sample_type=BITS),
                               self.ident(time, ident))
        self.records.append(self.e.record(kind, misc, body))

    def maps(self):
        self.map(HOST_KERNEL, NOBODY, KERNEL, b"[kernel.kallsyms]_text")
        self.map(HOST_KERNEL, NOBODY, MODULE, b"/lib/modules/6/ext4.ko")
        self.map(USER, 5, PROGRAM, b"/bin/qemu", 80)
        self.comm(81, b"qemu\0\0\0\0")
        return self

    def guest_maps(self):
        self.map(GUEST_KERNEL, 0, KERNEL, b"[guest.kernel.kallsyms]_text")
        self.map(GUEST_KERNEL, 0, MODULE, b"/lib/modules/5/xfs.ko")
        self.map(GUEST_USER, 5, PROGRAM, b"/bin/inside", 82)
        return self

    def samples(self):
        for nr, (misc, ip) in enumerate([
                (HOST_KERNEL, KERNEL), (HOST_KERNEL, MODULE), (USER, PROGRAM),
                (GUEST_KERNEL, KERNEL), (GUEST_USER, PROGRAM)]):
            self.records.append(self.e.record(9, misc, (
                self.e.words(ip + 16) + self.e.pack("II", 5, 6)
                + self.e.words(100 + nr, HOST_ID) + self.e.pack("II", 1, 0))))
        return self



@pytest.fixture
def rows(run, perfpair, tmp_path):
    def of(made):
        (tmp_path / "kvm.data").write_bytes(made.bytes())
        done = run([perfpair, "report", "-q", "--stdio", "-s", "comm,dso",
                    "-i", "kvm.data"])
        assert done.returncode == 0
        return sorted(tuple(line.split()) for line in done.stdout.splitlines()
                      if line)
    return of


EXPECTED = [("20.00%", "qemu", "[ext4]"),
            ("20.00%", "qemu", "[kernel.kallsyms]"),
            ("20.00%", "qemu", "qemu")]


def test_a_host_alone(rows):
    assert rows(Host().maps().samples()) == EXPECTED


@pytest.mark.parametrize("order", [(Host.maps, Host.guest_maps),
                                   (Host.guest_maps, Host.maps)])
def test_maps_of_a_guest_are_apart(rows, order):
    made = Host()
    for step in order:
        step(made)
    assert rows(made.samples()) == EXPECTED


def test_records_with_ids_of_a_guest_are_apart(rows):
    """As perf inject --guest-data writes them: ID_INDEX tells whose they are,
    COMM and FORK have no other mark.  (It is not the first record: that would
    be the beginning of a recording that was killed.)"""
    made = Host().maps()
    entries = made.e.words(HOST_ID, 0, 1, 5, GUEST_ID, 0, 1, 5)
    guests = made.e.words(0, 0, 4711, 0)
    made.records.insert(1, made.e.record(69, 0, made.e.words(2) + entries
                                         + guests))
    made.add(3, made.e.pack("II", 5, 6) + b"inside\0\0", 83, 0, GUEST_ID)
    made.map(USER, 5, PROGRAM, b"/bin/inside", 84, GUEST_ID)
    assert rows(made.samples()) == EXPECTED


def build_id(made, misc, pid, byte, name):
    body = made.e.pack("I", pid) + bytes([byte] * 20) + bytes([20, 0, 0, 0])
    name += bytes(64 - len(name))
    return made.e.record(0, misc | 1 << 15, body + name)


@pytest.mark.parametrize("misc, pid, is_host", [
    (GUEST_USER, 77, False), (GUEST_KERNEL, 77, False), (USER, NOBODY, True)])
def test_a_guests_build_id_is_not_the_hosts(run, perfpair, tmp_path, misc, pid,
                                            is_host):
    """Both have a file of that name."""
    made = Host().maps().samples()
    made.features = {2: build_id(made, misc, pid, 0xab, b"/bin/qemu")}
    (tmp_path / "kvm.data").write_bytes(made.bytes())
    done = run([perfpair, "buildid-list", "-H", "-i", "kvm.data"])
    assert done.returncode == 0 and "/bin/qemu" in done.stdout
    assert ("abab" in done.stdout) == is_host
