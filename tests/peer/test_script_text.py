"""What perf records is printed by both readers: script must come out as the
same text, byte for byte."""

import os
import pathlib
import shutil
import subprocess

import pytest

from common import RECORD, ROOT
from peer_text import same_text
from recordings import record_by_perf
from remembered import plain

FAULTS, CLOCK = "page-faults/period=1/", "cpu-clock/call-graph=fp/"


@pytest.mark.recordings(
    [], ["-G"], ["--ns"], ["-F", "comm,pid,tid,time,event,ip,sym"],
    ["-F", "+pid,-period"], ["-F", "ip,sym,dso"], ["--max-stack", "2"],
    ["--header"], ["-L"], ["--stop-bt", "main,do_syscall_64"], ["--no-inline"],
    ["--stop-bt", "__libc_start_main_impl"],
    ["--stop-bt", "__libc_start_main@@GLIBC_2.34"],
    ["--no-demangle"], ["--show-kernel-path"], ["-F", "+flags,+brstack"],
    ["-F", "+machine_pid,+vcpu,+synth,+ipc,+callindent"],
    ["-F", "-comm,-tid"], ["-F", "hw:comm", "-F", "sw:ip,sym,symoff"],
    ["-G", "-F", "comm,trace,ip"], ["-F", "event,sym"], ["-F", "+flags"],
    ["-F", "-flags"], ["-v"])
def test_script__prints_what_perf_prints(recording, both, options):
    both("script", "-i", recording, *options)


@pytest.mark.recordings(
    ["--comms", "spin"], ["--comms", "nobody,getppid,threads"],
    ["--dsos", "libc.so.6,spin"], ["--dsos", "[kernel.kallsyms]"],
    ["-S", "compare,leaf_hash"],
    ["-S", "0xffffffff81000000", "--addr-range", "33554432"],
    ["--pid", "0,1"], ["-G", "--time", "0.5,1000000000"],
    ["--time", "10%/2"], ["--time", "0%-7.7%,50%-60.25%"],
    ["--comms", "spin", "--time", "50%/1", "--dsos", "spin"])
def test_script__filters_as_perf_does(recording, peer, options):
    words = ["script", *options, "-i", recording]
    if peer.says("no first/last sample time", *words):
        pytest.skip("perf needs the times in the header; ours reads the file")
    peer.both(*words, may_be_empty=True)


@pytest.mark.recordings()
def test_script__filters_by_cpu_where_samples_tell_it(recording, peer):
    words = ["script", "-C", "0", "-i", recording]
    if peer.refuses(*words):
        assert peer.says("CPU", *words)
        pytest.skip("samples do not tell their CPU")
    peer.both(*words, may_be_empty=True)


@pytest.fixture(scope="module")
def recording_with_lines(may_trace, perf, tmp_path_factory, perf_home):
    """Of a program that has debug information."""
    folder = tmp_path_factory.mktemp("lines")
    source = ROOT / "tests/peer/workloads/spin.c"
    subprocess.run(["cc", "-g", "-O1", "-o", folder / "spin", source],
                   check=True)
    done = record_by_perf([perf, *RECORD, "-q", "-g", "-e", "cpu-clock", "-o",
                           str(folder / "perf.data"), "--",
                           str(folder / "spin"), "200", "cpu"], None, perf_home)
    assert done.returncode == 0, done.stderr.decode()
    return folder / "perf.data"


@pytest.mark.parametrize("options", [
    ["-F", "+srcline"], ["-G", "-F", "ip,srcline"],
    ["-G", "-F", "ip,sym,srcline", "--full-source-path"],
    ["-F", "+srccode"], ["-G", "-F", "tid,ip,srcline,srccode"],
], ids=" ".join)
def test_script__tells_source_lines(recording_with_lines, both, options):
    """Of a file with debug information: of others perf, asking addr2line, says
    now nothing and now where in the file it is."""
    both("script", "-i", recording_with_lines, *options, "--dsos", "spin",
         "-S", "compare,leaf_hash", "--max-stack", "1")


# perf dumps COMPRESSED records; ours what is in them
@pytest.mark.recordings(but=["compressed"])
def test_script__dumps_records_as_perf_does(recording, both):
    both("script", "-D", "-G", "-i", recording)
    both("report", "-D", "-i", recording)
    # tasks and files are told of all samples but those of other times
    both("script", "-D", "-i", recording, "--dsos", "spin", "-c", "spin")
    both("script", "-D", "-i", recording, "--tid", "31999", "--time", "5,")


# one event has nothing to switch at
@pytest.mark.recordings(
    ["--switch-on", FAULTS],
    ["--switch-on", FAULTS, "--switch-off", CLOCK],
    ["--switch-on", FAULTS, "--switch-off", CLOCK, "--show-on-off-events"],
    of=["two sample types"])
def test_script__switches_at_events(recording, both, options):
    both("script", "-i", recording, *options)


# perf can write no file for an event with a slash
@pytest.mark.recordings([], ["-D"], but=["two sample types"])
def test_script__writes_a_file_per_event(request, recording, both, options):
    folder = recording.parent / "dumped"  # the texts have its path
    folder.mkdir(exist_ok=True)
    copy = pathlib.Path(shutil.copy(recording, folder))

    def dumped(text):
        """The files, which are taken away, and what was printed before."""
        paths = sorted(folder.glob("*.dump"))
        assert paths
        said = text.split("[ perf script: Wrote")[0]
        if "compressed" in request.node.name:
            said = ""
        found = [said] + [path.name + "\n" + path.read_text(errors="replace")
                          for path in paths]
        for path in paths:
            path.unlink()
        return "\n".join(found)

    both("script", "--per-event-dump", *options, "-i", copy, form=dumped)


@pytest.mark.recordings(
    ["-F", "comm,symoff"], ["-F", "comm,srcline"], ["-F", "+comm,tid"],
    ["-F", ""], ["-F", "nothing"], ["--switch-on", "nothing"],
    ["--time", "1"], ["-C", "x"])
def test_script__refuses_what_perf_refuses(recording, peer, options):
    if recording.read_bytes()[8] == 16 and options[-1] in ("comm,symoff", "comm,srcline"):
        pytest.skip("in pipes ip and sym are shown without being asked for")
    words = ["script", *options, "-i", recording]
    assert peer.refuses(*words)
    ours = peer.ours(*words)
    # the recording lacks an event; all else is wrong for any
    assert ours.returncode == (1 if options[0] == "--switch-on" else 2)
    assert ours.stdout == ""
    assert options[0] in ours.stderr or "--" in ours.stderr


@pytest.mark.recordings(
    ["-F", "brstackdisasm"], ["-F", "brstackinsn"], ["-F", "metric"],
    ["--itrace=i"], ["--insn-trace"], ["-s", "x.py"], ["--dlfilter", "x.so"],
    ["--xed"], ["--guestmount", "/"], ["-l"], fresh=False)
def test_script__says_what_it_cannot(recording, peer, options):
    ours = peer.ours("script", "-i", recording, *options)
    assert (ours.returncode, ours.stdout) == (2, "")
    # what is wrong and, of options that perf has, what to do instead
    assert len(ours.stderr.splitlines()) in (1, 2)


@pytest.mark.recordings(*([f"--show-{kind}-events"] for kind in (
    "task", "mmap", "switch", "namespace", "cgroup", "lost", "bpf", "text-poke")))
def test_script__shows_other_records_as_perf_does(recording, both, options):
    both("script", "-G", *options, "-i", recording)


@pytest.mark.recordings(
    ["--reltime"], ["--deltatime"], ["-F", "comm,misc,tid,time,event,ip,sym"])
def test_script__counts_time_as_perf_does(recording, both, options):
    both("script", "--show-task-events", "--show-mmap-events", "-i", recording,
         *options)


@pytest.mark.recordings(of=["memory addresses"])
def test_script__prints_all_of_a_memory_access(recording, both):
    both("script", "-i", recording, "-F",
         "+tod,+addr,+data_src,+weight,+phys_addr,+data_page_size,"
         "+code_page_size")


@pytest.mark.recordings(
    [], ["-G", "--show-task-events", "--show-mmap-events", "--show-lost-events"],
    ["-F", "hw:+srcline", "-F", "sw:+srcline", "--dsos", "spin"])
def test_script__prints_the_same_by_any_number_of_threads(recording, peer, options):
    one, three = (peer.ours("script", "--jobs", jobs, "-i", recording, *options)
                  for jobs in ("1", "3"))
    assert one.returncode == three.returncode == 0
    assert one.stdout == three.stdout


@pytest.mark.recordings()
def test_script__reads_stdin(recording, peer):
    with open(recording, "rb") as data:
        ours = peer.ours("script", "-i", "-", stdin=data)
    assert ours.returncode == 0
    peer.answer(plain, "script", "-i", recording).check(plain(ours.stdout))


def test_script__modules_that_a_table_has_as_programs(corpus, run, perf,
                                                      perfpair):
    """Only those that it has as the kernel's are shown by their paths."""
    path = corpus / "files" / "Mapone__DuckyDuck" / "resources__perf.data"
    theirs, ours = (run([program, "script", "-i", path, "-F", "ip,dso"]).stdout
                    for program in (perf, perfpair))
    assert "([i915])" in theirs
    same_text(theirs, ours)


def test_script__finds_the_copy_of_kallsyms_below_symfs(recording_with_lines, run,
                                                        perfpair, perf_home):
    """perf 6.1 does with --symfs / alone (docs/differences.md)."""
    if not (perf_home / ".debug" / "[kernel.kallsyms]").exists():
        pytest.skip("perf could not fill ~/.debug (build-id.c:1010)")
    env = dict(os.environ, HOME=str(perf_home))
    words = ["script", "-i", recording_with_lines, "-F", "ip,sym,symoff,dso"]
    plain, below = ([line for line in run([perfpair, *words, *more],
                                          env=env).stdout.splitlines()
                     if "[kernel.kallsyms]" in line]
                    for more in ([], ["--symfs", perf_home]))
    assert any("do_syscall_64+" in line for line in plain)
    assert below == plain
