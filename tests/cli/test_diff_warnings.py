"""perfpair diff: warnings about its recordings, and output that fails."""

import json

import pytest

from made_file import ATTR, File

IN_PART, FAILED = 3, 1


@pytest.fixture
def diff(run, perfpair, tmp_path):
    """diff(file, *options): the file compared with itself."""
    def of(file, *options, **how):
        path = tmp_path / "t.data"
        path.write_bytes(file.bytes())
        return run([perfpair, "diff", *options, path, path], **how)
    return of


@pytest.mark.parametrize("lost, samples, total", [(7, 0, 7), (7, 9, 9),
                                                  (7, 3, 7)])
def test_what_two_kinds_of_records_tell_is_lost_once(diff, lost, samples,
                                                     total):
    file = File().some()
    file.add(2, file.e.words(101, lost), 140)
    if samples:
        file.add(13, file.e.words(samples), 150)
    for run_facts, in json.loads(diff(file, "--format", "json").stdout)[
            "sides"]:
        assert run_facts["lost_pct"] == pytest.approx(
            100 * total / (total + 4), abs=1e-3)


def test_a_task_that_cannot_be_read_is_told_of(diff):
    file = File().some()
    assert diff(file).returncode == 0
    file.records.append(file.e.record(3, 0, b""))
    done = diff(file)
    assert done.returncode == IN_PART
    assert "not all of it could be read" in done.stderr


def test_samples_in_the_order_of_the_file_have_no_blocks(diff, tmp_path):
    """As old writers' are, whose other records have no times: what one sees of
    the scatter is then not taken from blocks that hold nothing."""
    independent = "they are taken to be\n# independent"
    assert independent not in diff(File().some()).stdout
    file = File(attrs=[dict(ATTR, flags=ATTR["flags"] & ~(1 << 18))] * 2)
    assert independent in diff(file.some()).stdout


@pytest.mark.parametrize("options, reason", [
    (["--time", "7,8"], "no sample in it is of the times and CPUs asked for"),
    (["--cpu", "63"], "no sample in it is of the times and CPUs asked for"),
    ([], "there are no samples in it"),
])
def test_a_file_without_samples_is_named(diff, tmp_path, options, reason):
    file = File()
    if options:
        file.some()
    done = diff(file, *options)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr.startswith(f"perfpair: {tmp_path / 't.data'}: {reason}")


def program(path, name):
    """Samples of a file that another program has not mapped."""
    file = File()
    file.add(1, file.e.pack("II", 5, 6) + file.e.words(0x400000, 0x10000, 0)
             + name + b"\0", 80, misc=2)
    file.some()
    path.write_bytes(file.bytes())
    return path


@pytest.mark.parametrize("words", [
    [], ["--dsos", "new"], ["--symbols", "main,other"], ["--comms", "worker"],
    ["--pid", "5"], ["--tid", "6"], ["--cpu", "1"], ["--time", ",1"],
], ids=" ".join)
def test_other_programs_are_an_error_but_not_what_a_filter_leaves(
        run, perfpair, tmp_path, words):
    old = program(tmp_path / "old.data", b"/old")
    new = program(tmp_path / "new.data", b"/new")
    done = run([perfpair, "diff", *words, old, new])
    if words:
        assert done.returncode == 0
        assert done.stderr == ("" if words[1] != "main,other" else "".join(
            f"perfpair: {path}: --symbols: no sample is in a function "
            "'main,other'\n" for path in (old, new)))
    else:
        assert (done.returncode, done.stdout) == (FAILED, "")
        assert done.stderr.startswith(
            f"perfpair: {old} and {new} have no symbol in common\n")


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_output_that_fails_has_a_reason(diff, form):
    file = File().some()
    for at in range(500):  # more than what stdout keeps back
        file.add(3, file.e.pack("II", at + 10, at + 10)
                 + b"worker %d" % at + bytes(2), 200 + at)
        who = dict(file.ident(200 + at), pid=at + 10, tid=at + 10)
        file.records.append(file.e.sample(ATTR, who))
    with open("/dev/full", "w") as full:
        done = diff(file, "-s", "comm", "--format", form, stdout=full)
    assert done.returncode == FAILED
    assert done.stderr in (
        "perfpair: No space left on device\n",
        "perfpair: stdout: No space left on device\n",
        "perfpair: stdout: not all of it could be written\n")


def replicate(path, name, samples=3):
    """A recording of its own by its last comm."""
    file = File().some()
    for at in range(samples):
        file.sample(200 + at)
    file.comm(300, name)
    path.write_bytes(file.bytes())
    return path


@pytest.mark.parametrize("copy", ["name", "link", "symlink", "bytes"])
@pytest.mark.parametrize("sides", [("aA", "bc"), ("ab", "cA"), ("a", "Ab")])
def test_one_recording_is_not_two_runs(run, perfpair, tmp_path, copy, sides):
    """A is a once more."""
    paths = {name: replicate(tmp_path / name, name.encode() * 8)
             for name in "abc"}
    again = tmp_path / "again"
    if copy == "name":
        again = paths["a"]
    elif copy == "link":
        again.hardlink_to(paths["a"])
    elif copy == "symlink":
        again.symlink_to(paths["a"])
    else:
        again.write_bytes(paths["a"].read_bytes())
    paths["A"] = again
    old, new = ([paths[name] for name in side] for side in sides)
    done = run([perfpair, "diff", "--old", *old, "--new", *new])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"perfpair: {paths['a']} and {again} are the "
                                  "same recording\n")


def test_different_recordings_and_parts_of_one_are_runs(run, perfpair,
                                                        tmp_path):
    a, b, c, d = (replicate(tmp_path / name, name.encode() * 8)
                  for name in "abcd")
    for words in (["--old", a, b, "--new", c, d], [a, a], [a, a, a],
                  ["--old", a, "--new", a],
                  ["--time", "0%-50%:50%-100%:0%-50%:50%-100%", "--old", a, a,
                   "--new", b, b]):
        done = run([perfpair, "diff", *words])
        assert (done.returncode, done.stderr) == (0, ""), words
