"""Samples, maps and events that few recordings have.  The texts are those that perf
6.1 prints of the same files."""

import pytest

from made_file import ATTR, File, make

FAR = 2**64 - (1 << 30)


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """shown(bytes, word...): what perfpair WORD... prints of that file."""
    def show(data, *words):
        path = tmp_path / "made.data"
        path.write_bytes(data)
        done = run([perfpair, *words, "-i", path])
        assert done.returncode == 0, done.stderr
        return done.stdout
    return show


def test_a_sample_of_no_cpu(shown):
    file = File()
    for cpu in (2**32 - 1, 7, 1000):
        file.sample(100, cpu=cpu)
    assert shown(file.bytes(), "script", "-F", "tid,cpu") == \
        "    6 [-01] \n    6 [007] \n    6 [1000] \n"


def test_a_branch_that_is_predicted_and_is_not(shown):
    attr = make.attr_of(sample_type=1 << 11, branch_sample_type=8)
    file = File(attrs=(attr,))
    e = file.e
    branches = b"".join(
        e.words(0x10, 0x20) + e.branch_flags(((1, missed), (1, predicted)))
        for missed, predicted in ((0, 0), (1, 0), (0, 1), (1, 1)))
    file.records.append(e.record(9, 2, e.words(4) + branches))
    file.ids = [[101]]
    assert [text.split("/")[2] for text in shown(
        file.bytes(), "script", "-F", "brstack").split()] == list("-MPP")


def test_software_events_without_a_name(shown):
    """perf has a name for none of the later ones."""
    attrs = [make.attr_of(sample_type=ATTR["sample_type"], config=config)
             for config in (9, 10, 11, 12)]
    file = File(attrs=attrs)
    file.ids = [[nr] for nr in range(1, 5)]
    assert shown(file.bytes(), "evlist").split() == [
        "dummy:HG"] + ["unknown-software:HG"] * 3


def test_counts_of_a_pipe_are_named_by_attrs(shown):
    """The record with the event's name is counted, as all others are."""
    file = File()
    e = file.e
    pipe = e.pipe_file([(ATTR, [101])], e.record(
        78, 0, e.words(2, 101) + b"named\0\0\0") + e.sample(
            ATTR, file.ident(100)))
    assert "\ncpu-clock:HG stats:\n" in shown(pipe, "report", "--stats")
    assert " named:" in shown(pipe, "script", "-F", "tid,event")


def map_of(file, name, start, length, misc):
    file.add(1, file.e.pack("IIQQQ", 2**32 - 1 if misc != 2 else 5, 6, start,
                            length, start) + name + bytes(8 - len(name) % 8),
             misc=misc)


def ip_of(file, ip, misc):
    record = bytearray(file.e.sample(ATTR, file.ident(100)))
    record[4:8] = file.e.pack("HH", misc, len(record))
    record[8:16] = file.e.words(ip)
    file.records.append(bytes(record))


def test_the_map_of_a_guests_kernel_is_none_of_the_hosts(shown):
    """perf puts it beside the host's unless it is told of guests."""
    file = File()
    map_of(file, b"[kernel.kallsyms]_text", FAR, 0x1000, 1)
    map_of(file, b"[guest.kernel.kallsyms]_text", FAR + 0x1000, 0x1000, 4)
    for ip in (FAR + 16, FAR + 0x1010):
        ip_of(file, ip, 1)
    assert shown(file.bytes(), "report", "--stdio", "-q", "-s", "dso",
                 "--kallsyms", "/dev/null").split() == [
        "50.00%", "[kernel.kallsyms]", "50.00%", "[unknown]"]


@pytest.mark.parametrize("key, is_read", [("sym", True), ("dso", True),
                                          ("comm", False)])
def test_names_that_nobody_asks_for_are_not_read(run, perfpair, tmp_path, key,
                                                 is_read):
    """Files as wide as names are found, as in perf."""
    file = File()
    map_of(file, b"[kernel.kallsyms]_text", FAR, 0x1000, 1)
    ip_of(file, FAR + 16, 1)
    path = tmp_path / "made.data"
    path.write_bytes(file.bytes())
    done = run([perfpair, "report", "-s", key, "--kallsyms",
                "/dev/null", "-i", path])
    assert "100.00%" in done.stdout
    assert ("/dev/null" in done.stderr) == is_read


def test_maps_with_odd_names(shown):
    """As basename(3) has them."""
    file = File()
    names = (b"", b"/a/b/", b"/", b"c d", b"/e/ .so")
    for nr, name in enumerate(names, 1):
        map_of(file, name, nr * 0x1000, 0x1000, 2)
        ip_of(file, nr * 0x1000 + 16, 2)
    assert sorted(text[10:].strip() for text in shown(
        file.bytes(), "report", "--stdio", "-q", "-s", "dso").splitlines()
        if text) == [".", ".so", "/", "b", "c d"]
