"""What perf records is printed by both readers: script must come out as the
same text, byte for byte."""

import os

import pytest

from peer_text import same_text


@pytest.mark.parametrize("options", [
    [], ["-G"], ["--ns"], ["-F", "comm,pid,tid,time,event,ip,sym"],
    ["-F", "+pid,-period"], ["-F", "ip,sym,dso"], ["--max-stack", "2"], ["--header"],
], ids=" ".join)
def test_script__prints_what_perf_prints(recording, both, options):
    both("script", "-i", recording, *options)


@pytest.mark.parametrize("options", [
    ["--comms", "spin"], ["--comms", "nobody,getppid,threads"],
    ["--dsos", "libc.so.6,spin"], ["--dsos", "[kernel.kallsyms]"],
    ["-S", "compare,leaf_hash"],
    ["-S", "0xffffffff81000000", "--addr-range", "33554432"],
    ["--pid", "0,1"], ["-G", "--time", "0.5,1000000000"],
    ["--time", "10%/2"], ["--time", "0%-7.7%,50%-60.25%"],
    ["--comms", "spin", "--time", "50%/1", "--dsos", "spin"],
], ids=" ".join)
def test_script__filters_as_perf_does(recording, run, both, perf, options):
    theirs = run([perf, "script", *options, "-i", recording])
    if "no first/last sample time" in theirs.stderr:
        pytest.skip("perf needs the times in the header; ours reads the file")
    both("script", "-i", recording, *options, may_be_empty=True)


def test_script__filters_by_cpu_where_samples_tell_it(recording, run, both,
                                                      perf):
    theirs = run([perf, "script", "-C", "0", "-i", recording])
    if theirs.returncode:
        assert "CPU" in theirs.stderr
        pytest.skip("samples do not tell their CPU")
    both("script", "-C", "0", "-i", recording, may_be_empty=True)


@pytest.mark.parametrize("kind", ["task", "mmap", "switch", "namespace",
                                  "cgroup", "lost", "bpf", "text-poke"])
def test_script__shows_other_records_as_perf_does(recording, both, kind):
    both("script", "-G", f"--show-{kind}-events", "-i", recording)


@pytest.mark.parametrize("options", [
    ["--reltime"], ["--deltatime"], ["-F", "comm,misc,tid,time,event,ip,sym"],
], ids=" ".join)
def test_script__counts_time_as_perf_does(recording, both, options):
    both("script", "--show-task-events", "--show-mmap-events", "-i", recording,
         *options)


def test_script__prints_all_of_a_memory_access(request, recording, both):
    if "memory addresses" not in request.node.name:
        pytest.skip("samples without such fields")
    both("script", "-i", recording, "-F",
         "+tod,+addr,+data_src,+weight,+phys_addr,+data_page_size,"
         "+code_page_size")


def test_script__reads_stdin(recording, run, perf, perfpair, perf_home):
    env = dict(os.environ, HOME=str(perf_home), TZ="UTC", LC_ALL="C",
               PAGER="cat")
    with open(recording, "rb") as data:
        ours = run([perfpair, "script", "-i", "-"], stdin=data, env=env)
    theirs = run([perf, "script", "-i", recording], env=env)
    assert ours.returncode == 0
    same_text(theirs.stdout, ours.stdout)
