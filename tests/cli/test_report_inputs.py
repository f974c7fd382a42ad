"""Several recordings shown by report as one run on several hosts."""

import gzip
import json
import re
import shutil
import subprocess
import tarfile

import pytest

from made_file import BITS, File, make

CLOCK, TASK_CLOCK, FAULTS = (make.attr_of(sample_type=BITS, config=config)
                             for config in (0, 1, 2))


def recording(path, host, attrs=(CLOCK, FAULTS), comm=b"worker\0\0"):
    """Three samples of the first event, one of the second, of thread 6."""
    made = File(attrs=attrs)
    made.comm(90, comm)
    for time in (100, 110, 120):
        made.sample(time)
    made.sample(130, ident=102, cpu=3)
    if host:
        made.features = {3: made.string(host)}
    path.write_bytes(made.bytes())
    return path


@pytest.fixture
def alpha(tmp_path):
    return recording(tmp_path / "a.data", b"alpha")


@pytest.fixture
def beta(tmp_path):
    return recording(tmp_path / "b.data", b"beta", (TASK_CLOCK, FAULTS))


@pytest.fixture
def rows(run, perfpair):
    """{event: rows of (samples, column ...)} of report."""
    def of(*words):
        done = run([perfpair, "report", "--format", "json", *map(str, words)])
        assert (done.returncode, done.stderr) == (0, "")
        return {event["event"]: sorted(
            tuple(value for key, value in row.items()
                  if key not in ("overhead_pct", "period"))
            for row in event["rows"])
            for event in json.loads(done.stdout)["events"]}
    return of


def test_events_are_matched_by_name(rows, alpha, beta):
    assert rows(alpha, beta, "-s", "host") == {
        "cpu-clock:HG": [(3, "alpha")],
        "page-faults:HG": [(1, "alpha"), (1, "beta")],
        "task-clock:HG": [(3, "beta")],
    }


def test_equal_names_are_one_row_but_ids_are_not(rows, alpha, tmp_path):
    other = recording(tmp_path / "b.data", b"beta")
    clock = "cpu-clock:HG"
    assert rows(alpha, other, "-s", "comm")[clock] == [(6, "worker")]
    assert rows(alpha, other, "-s", "pid")[clock] == [
        (3, "      6:worker"), (3, "      6:worker")]
    assert rows(alpha, other, "-s", "cpu")[clock] == [(3, "001"), (3, "001")]
    assert rows(alpha, other, "-s", "host,pid")[clock] == [
        (3, "alpha", "      6:worker"), (3, "beta", "      6:worker")]


def test_one_process_id_has_two_names_on_two_hosts(rows, alpha, tmp_path):
    other = recording(tmp_path / "b.data", b"beta", comm=b"shell\0\0\0")
    assert rows(alpha, other, "-s", "pid,comm")["cpu-clock:HG"] == [
        (3, "      6:shell", "shell"), (3, "      6:worker", "worker")]


def test_a_file_without_a_host_goes_by_its_name(rows, alpha, tmp_path):
    other = recording(tmp_path / "unnamed.data", None)
    assert rows(alpha, other, "-s", "host")["cpu-clock:HG"] == [
        (3, "alpha"), (3, "unnamed.data")]


def test_files_are_named_before_the_tables(run, perfpair, alpha, beta):
    done = run([perfpair, "report", "-i", str(alpha), "-i", str(beta),
                "-s", "host"])
    assert done.returncode == 0
    assert done.stdout.split("\n")[1:5] == [
        "#", "# 2 recordings as one:", f"#   {alpha} (host alpha)",
        f"#   {beta} (host beta)"]
    heads = run([perfpair, "report", "--header-only", str(alpha), str(beta)])
    lines = heads.stdout.split("\n")
    assert f"# {alpha}:" in lines and f"# {beta}:" in lines
    assert "# hostname : alpha" in lines and "# hostname : beta" in lines


def test_a_word_may_be_a_file(run, perfpair, alpha):
    as_file, as_option = (
        run([perfpair, "report", "--stdio", *map(str, words)]).stdout
        for words in ([alpha], ["-i", alpha]))
    assert as_file == as_option
    assert "worker" in as_option


@pytest.fixture
def named(tmp_path):
    """Options that read a recording whose samples lie in `made_here`."""
    made = File(attrs=(CLOCK, FAULTS))
    made.comm(90)
    made.add(1, made.e.pack("IIQQQ", 5, 6, 0, 1 << 40, 0) + b"//anon\0\0", 95)
    made.sample(100)
    path = tmp_path / "named.data"
    path.write_bytes(made.bytes())
    maps = tmp_path / "root" / "tmp"
    maps.mkdir(parents=True)
    (maps / "perf-5.map").write_text(f"0 {1 << 40:x} made_here\n")
    return ["-i", path, "--symfs", tmp_path / "root"]


def test_a_word_may_be_part_of_a_symbol(run, perfpair, named):
    """As in perf."""
    done = run([perfpair, "report", "--stdio", "-s", "sym", *named, "e_her"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "made_here" in done.stdout


@pytest.mark.parametrize("words", [["-"], ["-i", "-"]])
def test_a_dash_is_what_is_piped(perfpair, alpha, tmp_path, words):
    """Also beside a perf.data, which others filter by a word."""
    shutil.copy(alpha, tmp_path / "perf.data")
    with open(alpha, "rb") as piped:
        done = subprocess.run([perfpair, "report", *words], cwd=tmp_path, stdin=piped,
                              capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "worker" in done.stdout) == (0, True), done.stderr


def test_a_recording_without_samples_is_told_first(run, perfpair, tmp_path):
    made = File()
    made.comm(90)
    (tmp_path / "x.data").write_bytes(made.bytes())
    done = run([perfpair, "report", "-i", "x.data", "nowhere"], cwd=tmp_path)
    assert (done.returncode, "nowhere" in done.stderr) == (0, False)
    assert "x.data has no samples" in done.stderr


def test_symfs_may_be_flat(run, perfpair, named):
    """As in perf 7.3."""
    root = named[-1]
    (root / "perf-5.map").write_text(f"0 {1 << 40:x} flat_here\n")
    for layout, name in ("", "made"), (",hierarchy", "made"), (",flat", "flat"):
        done = run([perfpair, "report", "-s", "sym", *named[:-1], f"{root}{layout}"])
        assert f"{name}_here" in done.stdout, done.stderr


@pytest.mark.parametrize("command", [
    ["report"], ["script"], ["annotate"], ["diff"], ["view"], ["unwind"], ["carry"],
    ["export", "--format", "folded"], ["sched", "timehist"], ["lock", "contention"],
    ["data", "convert"]], ids=" ".join)
def test_symfs_is_a_folder(run, perfpair, tmp_path, command):
    """perf shows addresses then, and says nothing."""
    (tmp_path / "file").touch()
    for folder, what in ("none", "none: No such file or directory"), (
            "file,flat", "file is no folder"):
        done = run([perfpair, *command, "--symfs", folder])
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"perfpair: option --symfs: {what}\n"


@pytest.mark.parametrize("command", [
    ["report"], ["view", "-o", "page.html"],
    *(["export", "-o", "page.html", "--format", form] for form in (
        "folded", "pprof", "firefox", "speedscope", "rows", "otlp"))],
    ids=lambda words: " ".join(words[:1] + words[3:]))
@pytest.mark.parametrize("is_there", [False, True], ids=["no file", "a text"])
def test_a_word_that_is_neither_is_an_error(run, perfpair, named, tmp_path,
                                            command, is_there):
    word = tmp_path / "made_hare"
    if is_there:
        word.write_text("text")
    done = run([perfpair, *command, *named, "made_hare"], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"perfpair: made_hare: {'no recording' if is_there else 'No such file or directory'}, "
        f"and no function of {named[1]} has it in its name\n"
        "perfpair: nearest: made_here\n")
    assert not (tmp_path / "page.html").exists()


def test_a_word_is_no_filter_without_a_file(run, perfpair, tmp_path):
    missing = tmp_path / "c.data"
    done = run([perfpair, "report", str(missing)])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"perfpair: {missing}: No such file or directory\n"


@pytest.mark.parametrize("command, suffix", [
    (["gzip", "-c"], "gz"), (["xz", "-c"], "xz"), (["zstd", "-q", "-c"], "zst")])
def test_a_packed_recording_is_read(run, perfpair, alpha, tmp_path, command, suffix):
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]}")
    packed = tmp_path / f"a.{suffix}"
    packed.write_bytes(subprocess.run([*command, alpha], stdout=subprocess.PIPE,
                                      check=True).stdout)
    plain = run([perfpair, "script", "-i", alpha]).stdout
    assert len(plain.splitlines()) == 4
    assert run([perfpair, "script", "-i", packed]).stdout == plain
    # as a word, and out of a pipe
    assert "worker" in run([perfpair, "report", packed], cwd=tmp_path).stdout
    done = subprocess.run(["bash", "-c", f"cat {packed} | {perfpair} script"],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == plain
    # one that is cut, and one that is something else
    packed.write_bytes(packed.read_bytes()[:-20])
    done = run([perfpair, "script", "-i", packed])
    assert (done.returncode, done.stderr) == (
        1, f"perfpair: {packed}: it cannot be unpacked\n")


def test_a_bomb_is_not_unpacked(run, perfpair, tmp_path):
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(bytes(8 << 20)))
    done = run([perfpair, "script", "-i", packed])
    assert (done.returncode, done.stderr) == (
        1, f"perfpair: {packed}: unpacked it is larger than the limit allows\n"
           "perfpair: 'gzip -d', 'xz -d' or 'zstd -d' unpacks it for good\n")


@pytest.mark.parametrize("is_packed", [False, True], ids=["tar", "tar.gz"])
def test_a_tar_of_perf_archive_is_told(run, perfpair, alpha, tmp_path, is_packed):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w:gz" if is_packed else "w") as tar:
        tar.add(alpha, "perf.data")
    done = run([perfpair, "report", "-i", path])
    assert done.returncode == 1
    assert done.stderr.splitlines()[1].startswith("perfpair: it is a tar: ")


def test_a_pipe_is_an_input(perfpair, alpha):
    done = subprocess.run(
        ["bash", "-c", f"{perfpair} report --stdio <(cat {alpha}) {alpha}"],
        capture_output=True, text=True, timeout=60, check=False)
    assert "# Samples: 6  of event 'cpu-clock:HG'" in done.stdout, done.stderr


def test_an_error_names_its_file(run, perfpair, alpha, tmp_path):
    missing = tmp_path / "c.data"
    done = run([perfpair, "report", str(alpha), str(missing)])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"perfpair: {missing}: No such file or directory\n"


def stacks(path, bit):
    """A sample with call chains (5) or branches (11), of thread 6."""
    attr = make.attr_of(sample_type=BITS | 1 << bit)
    made = File(attrs=[attr])
    made.ids = [[101]]
    made.comm(90)
    made.records.append(made.e.sample(attr, made.ident(100)))
    path.write_bytes(made.bytes())
    return path


def test_branches_are_shown_where_one_of_them_has_some(run, perfpair, tmp_path):
    chains, branches = (stacks(tmp_path / f"{bit}.data", bit)
                        for bit in (5, 11))
    of_chains, of_branches, *both = (
        set(re.findall("0x[0-9a-f]+", run(
            [perfpair, "report", "--branch-history", "--stdio", "-s", "comm",
             "--no-children", "--raw-addresses", *words]).stdout))
        for words in ([chains], [branches], [chains, branches],
                      [branches, chains]))
    assert "0x402000" in of_chains and "0x2000" in of_branches
    assert both == [of_chains | of_branches] * 2


def test_branch_history_needs_branches_or_chains(run, perfpair, alpha):
    done = run([perfpair, "report", "--branch-history", alpha])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"perfpair: {alpha}: --branch-history: neither branches nor call "
        "chains were recorded (record -b -g)\n")


@pytest.mark.parametrize("words", ["-i /dev/zero", "-i - < /dev/zero",
                                   "-i <(yes)", "-i <(printf x; sleep 1; yes)"])
def test_what_is_no_recording_fills_no_disk(run, perfpair, tmp_path, words):
    """A file of more than 1 MiB would end it."""
    done = run(["bash", "-c", f"TMPDIR={tmp_path} prlimit --fsize=1048576 "
                f"{perfpair} report {words}"], timeout=20)
    assert done.returncode == 1
    assert done.stderr.endswith(": at byte 0x0: this is not a perf.data file\n")
