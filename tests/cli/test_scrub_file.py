"""perfpair scrub of made recordings, in both byte orders: what is left out, what
is hidden, what stays; and what it refuses."""

import re

import pytest

from made_file import ATTR, BITS, File, make

MADE, FAILED, USAGE = 0, 1, 2
FIXTURES = {name: data for name, data, _, _ in make.fixtures()}
WORD = b"QZJXWVKY"
HIDDEN = re.compile(rb"x[0-9a-f]{12}")
ORDERS = pytest.mark.parametrize("big", [False, True], ids=["le", "be"])


@pytest.fixture
def scrub(run, perfpair, tmp_path):
    """scrub(bytes, *options): the new file's bytes, uncompressed, and what was
    said."""
    def of(data, *options):
        (tmp_path / "t.data").write_bytes(data)
        done = run([perfpair, "scrub", "-z0", "-f", "-o", "new.data", *options,
                    "t.data"])
        assert (done.returncode, done.stderr) == (MADE, "")
        assert (tmp_path / "t.data").read_bytes() == data
        return (tmp_path / "new.data").read_bytes(), done.stdout
    return of


@pytest.mark.parametrize("name", FIXTURES)
def test_every_fixture_is_as_sound_as_its_repair(run, perfpair, scrub, name):
    new, said = scrub(FIXTURES[name], "--drop-stacks")
    assert said.count("new.data: ") >= 3
    for text in (b"twenty bytes of raw", b"a copy of the user stack",
                 b"sixteen of trace"):
        assert text not in new
    run([perfpair, "repair", "-z0", "-o", "fixed.data", "t.data"])
    checked = [run([perfpair, "check", path]).returncode
               for path in ("new.data", "fixed.data")]
    assert checked[0] == checked[1]


def texts(file):
    """A file with the word in every text of a record."""
    e = file.e
    word = WORD + bytes(8)
    file.comm(90, word)
    file.add(1, e.pack("IIQQQ", 5, 6, 0x1000, 0x1000, 0) + b"/tmp/" + word, 91)
    file.add(10, e.pack("IIQQQIIQQII", 5, 6, 0x1000, 0x1000, 0, 8, 1, 2, 3, 5,
                        2) + b"/home/" + word, 92)
    file.add(17, e.pack("QIHH", 0x5000, 16, 1, 0) + word, 93)
    file.add(19, e.pack("Q", 77) + b"/" + word, 94)
    file.add(20, e.pack("QHH", 0x5000, 8, 8) + 2 * WORD + bytes(4), 95)
    file.add(73, e.pack("QQ", 1, 5) + word)
    file.add(78, e.pack("QQ", 2, 101) + word)
    file.sample(100)
    return file


@ORDERS
def test_no_text_of_a_record_stays(run, perfpair, scrub, big):
    data = texts(File(big)).bytes()
    assert data.count(WORD) == 9
    new, said = scrub(data)
    assert WORD not in new
    hidden = HIDDEN.findall(new)
    assert len(hidden) == 7 and len(set(hidden)) == 1
    assert "hidden: 2 paths; 2 names of files in such paths; 2 names of tasks; " \
        "1 paths of cgroups; 1 names of BPF programs" in said
    assert "removed: 2 records of unknown types, or useless" in said
    kept, _ = scrub(data, "--keep", "comms,paths", "--keep=cgroups,bpf")
    assert kept.count(WORD) == 6


@ORDERS
def test_features_that_tell_of_the_host_are_left_out(scrub, big):
    file = File(big).some()
    string = file.e.pack("I", 64) + WORD + bytes(56)
    file.features = {3: string, 4: string[:4] + b"6.1" + bytes(5) + WORD
                     + bytes(48), 11: file.e.pack("I", 1) + string,
                     17: file.e.pack("I", 1) + string + file.e.pack("II", 0, 2),
                     99: WORD}
    assert file.bytes().count(WORD) == 5
    new, said = scrub(file.bytes())
    assert WORD not in new  # nor what stood behind the end of a string
    assert b"(none)" in new and b"6.1" in new
    assert "1 command lines of the recorder; 1 host names" in said


@ORDERS
def test_words_of_chains_that_are_no_code_are_left_out(scrub, big):
    attr = make.attr_of(sample_type=BITS | 1 << 5)
    file = File(big, (attr,))
    file.ids = [[101, 103]]
    e = file.e
    file.add(1, e.pack("IIQQQ", 5, 6, 0x1000, 0x1000, 0) + b"/bin/a\0\0", 91)
    user, kernel = 2 ** 64 - 512, 2 ** 64 - 128
    chain = [kernel, 0x777, user, 0x1234, 0x5A5A5A5A5A5A, 0x1FFF]
    file.records.append(e.record(9, 2, e.pack(
        "QIIQQII7Q", 0x1234, 5, 6, 100, 101, 1, 0, len(chain), *chain)))
    new, said = scrub(file.bytes())
    assert e.pack("6Q", *chain[:4], 0, 0x1FFF) in new
    assert "1 entries of call chains outside of code" in said
    new, said = scrub(file.bytes(), "--keep=words")
    assert e.pack("6Q", *chain) in new


def test_stack_copies_are_refused(run, perfpair, tmp_path):
    name = next(name for name in FIXTURES if name == "samples-le.data")
    (tmp_path / "t.data").write_bytes(FIXTURES[name])
    done = run([perfpair, "scrub", "t.data", "-o", "new.data"])
    assert done.returncode == FAILED
    assert "perfpair unwind" in done.stderr and "--drop-stacks" in done.stderr
    assert not (tmp_path / "new.data").exists()


def test_the_input_is_never_overwritten(run, perfpair, tmp_path):
    data = File().some().bytes()
    (tmp_path / "t.data").write_bytes(data)
    (tmp_path / "link").symlink_to("t.data")
    for out in ("t.data", "./t.data", "link"):
        done = run([perfpair, "scrub", "-f", "t.data", "-o", out])
        assert done.returncode == USAGE
        assert "is the input" in done.stderr
    assert (tmp_path / "t.data").read_bytes() == data


@pytest.mark.parametrize("options, text", [
    (["--keep", "comm"], "'comm' is not one of addresses, words, paths"),
    (["--keep", "stacks"], "'stacks' is not one of"),
    (["--hide", "comms"], "'comms' is not one of symbols"),
    (["--keep", ""], "'' is not one of"),
])
def test_words_that_are_none(run, perfpair, options, text):
    done = run([perfpair, "scrub", *options, "-o", "new.data", "t.data"])
    assert done.returncode == USAGE and text in done.stderr


def test_a_key_that_is_none(run, perfpair, tmp_path):
    (tmp_path / "key").write_bytes(b"short")
    (tmp_path / "t.data").write_bytes(File().some().bytes())
    done = run([perfpair, "scrub", "--key=key", "-o", "new.data", "t.data"])
    assert done.returncode == FAILED
    assert "a key has at least 16 bytes" in done.stderr
    assert not (tmp_path / "new.data").exists()


@ORDERS
def test_cut_at_every_byte(run, perfpair, tmp_path, big):
    data = texts(File(big)).bytes()
    for length in range(0, len(data), 37):
        (tmp_path / "t.data").write_bytes(data[:length])
        done = run([perfpair, "scrub", "-q", "-f", "-o", "new.data", "t.data"])
        assert done.returncode in (MADE, FAILED)
        if done.returncode == MADE:
            assert WORD not in (tmp_path / "new.data").read_bytes()
