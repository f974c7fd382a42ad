"""Stack copies end where the arguments and the environment of a program begin
(start_stack): nothing of these is in a recording, and chains are the same."""

import contextlib
import os
import re
import signal
import struct
import subprocess
import time

import pytest

from common import RECORD, until, until_said
from peer_text import same_text
from recordings import record_by_perf

# Longer than the vector registers that functions save on the stack.
ENVIRONMENT, ARGUMENT = (
    "-".join(f"{word}{i}" for i in range(12)) for word in ("s3cr3t", "4rgument"))
SECRETS = [ENVIRONMENT.encode(), ARGUMENT.encode()]
MORE_LEN = 8  # argc: perf 6.1 does not read the last word of a copy
SP = 7  # PERF_REG_X86_SP
# FORMAT.md "Samples": bits of one word each in front of the stack copy
IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD = \
    (1 << bit for bit in (16, 0, 1, 2, 3, 6, 9, 7, 8))
CALLCHAIN, REGS_USER, STACK_USER, DATA_SRC = (1 << bit
                                              for bit in (5, 12, 13, 15))
WORDS = IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM_ID | CPU | PERIOD


class Copy:
    """The stack copy of one sample."""

    def __init__(self, data, at, sample_type, mask):
        assert not sample_type & ~(WORDS | CALLCHAIN | REGS_USER | STACK_USER |
                                   DATA_SRC)
        before = bin(sample_type & (IDENTIFIER | IP)).count("1")
        self.pid, self.tid = struct.unpack_from("<2I", data, at + 8 + 8 * before)
        at += 8 + 8 * (bin(sample_type & WORDS).count("1"))
        if sample_type & CALLCHAIN:
            at += 8 + 8 * struct.unpack_from("<Q", data, at)[0]
        abi = struct.unpack_from("<Q", data, at)[0]
        at += 8
        self.sp = self.dyn_len = None
        if abi:
            idx = bin(mask & ((1 << SP) - 1)).count("1")
            self.sp = struct.unpack_from("<Q", data, at + 8 * idx)[0]
            at += 8 * bin(mask).count("1")
        self.len = struct.unpack_from("<Q", data, at)[0]
        self.at = at + 8
        if self.len:
            self.dyn_at = self.at + self.len
            self.dyn_len = struct.unpack_from("<Q", data, self.dyn_at)[0]


def copies_of(data):
    attrs, _, at, data_len = struct.unpack_from("<4Q", data, 24)
    sample_type = struct.unpack_from("<Q", data, attrs + 24)[0]
    mask = struct.unpack_from("<Q", data, attrs + 80)[0]
    end = at + data_len
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == 9:
            copy = Copy(data, at, sample_type, mask)
            if copy.dyn_len is not None:
                yield copy
        at += length


def start_stacks(text):
    return {int(pid): int(start) for pid, start in
            re.findall(r"^(\d+) (\d+)$", text, re.M)}


@pytest.fixture
def plain(perfpair, run, tmp_path):
    """plain(FILE): its bytes, without compression."""
    def of(path):
        out = tmp_path / "plain.data"
        run([perfpair, "repair", "-q", "-f", "-z0", "-o", out, path], check=True)
        return out.read_bytes()
    return of


@pytest.fixture
def start(workload, tmp_path):
    """The words that start a program with secrets in its arguments and its
    environment, which no other command line has; it writes start_stack to a
    file."""
    program = workload("shallow", "-O2", "-g", "-fomit-frame-pointer")
    script = tmp_path / "run.sh"
    script.write_text(f"TOKEN={ENVIRONMENT} TAKEN_OUT=1 exec {program} $1 "
                      f"{ARGUMENT} > {tmp_path}/starts\n")
    return ["/bin/sh", str(script)]


def record_it(words, how, command, run, starts):
    """Record the command in that way.  It ends by itself after 400 ms; what runs
    before its recorder is there runs on for that long."""
    if how == "command":
        run([*words, "--", *command, "400"], check=True)
        return
    with contextlib.ExitStack() as ending:
        if how != "-a during":
            victim = ending.enter_context(subprocess.Popen(
                [*command, "60000"], start_new_session=True))
            ending.callback(os.killpg, victim.pid, signal.SIGKILL)
            until(lambda: starts.exists() and
                  len(start_stacks(starts.read_text())) == 2, victim)
        who = ["-p", str(victim.pid)] if how == "-p before" else ["-a"]
        recorder = subprocess.Popen([*words, *who], stderr=subprocess.PIPE,
                                    text=True)
        until_said(recorder)
        if how == "-a during":
            run([*command, "400"], check=True)
        else:
            time.sleep(0.4)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)


@pytest.mark.parametrize("more", [[], ["-z0"], ["-z0", "--spill-size", "0"],
                                  ["--overwrite"]], ids=" ".join)
@pytest.mark.parametrize("how", ["command", "-p before", "-a before",
                                 "-a during"])
def test_own_stack__copies_end_at_start_stack(how, more, perfpair,
                                              perfpair_record, may_record, start,
                                              plain, run, tmp_path):
    path = tmp_path / "perf.data"
    record_it([perfpair_record, *more, "-m", "16M", "-e", "cpu-clock", "-F",
               "2000", "--call-graph", "dwarf,8192", "-o", str(path)],
              how, start, run, tmp_path / "starts")
    starts = start_stacks((tmp_path / "starts").read_text())
    assert len(starts) == 2
    data = plain(path)
    for secret in SECRETS:
        assert secret not in path.read_bytes() and secret not in data
    copies = [copy for copy in copies_of(data) if copy.pid in starts]
    own = [copy for copy in copies
           if copy.pid == copy.tid and copy.sp <= starts[copy.pid]]
    ended = [copy for copy in own
             if copy.sp + copy.dyn_len == starts[copy.pid] + MORE_LEN]
    assert len(copies) > len(own) > 20
    # all but those of the loader, which are deep, and of the shell
    assert len(ended) > 0.9 * len(own) - 20
    if how == "-a during" and "--overwrite" in more:
        return  # its maps are overwritten
    done = run([perfpair, "script", "-F", "tid,ip,sym", "--pid",
                ",".join(map(str, starts)), "-i", path])
    assert done.returncode == 0
    chains = [text for text in done.stdout.split("\n\n") if " main\n" in text]
    assert len(chains) > 20
    assert all(text.rstrip().endswith(" _start") for text in chains)


def test_own_stack__the_end_is_not_needed_to_unwind(perf, may_trace, perfpair,
                                                    home, start, run, tmp_path):
    """A recording by perf, before and after its copies are ended there.  Up to
    8 KiB of nothing lie between start_stack and the arguments, by chance; where
    that is a page without memory, a copy ends before them: once more, then."""
    path, ended = tmp_path / "perf.data", tmp_path / "ended.data"
    for _ in range(20):
        done = record_by_perf(
            [perf, *RECORD, "-q", "-B", "-m", "16M", "-e", "cpu-clock", "-F",
             "2000", "--call-graph", "dwarf,24576", "-o", str(path), "--",
             *start, "400"], None, home["HOME"])
        assert done.returncode == 0, done.stderr
        data, nr = bytearray(path.read_bytes()), 0
        if all(secret in data for secret in SECRETS):
            break
    starts = start_stacks((tmp_path / "starts").read_text())
    assert all(secret in data for secret in SECRETS)
    for copy in list(copies_of(data)):
        own_len = starts.get(copy.pid, 0) - copy.sp + MORE_LEN
        if 0 <= own_len < copy.dyn_len:
            data[copy.at + own_len:copy.at + copy.len] = \
                bytes(copy.len - own_len)
            struct.pack_into("<Q", data, copy.dyn_at, own_len)
            nr += 1
    assert nr > 20
    ended.write_bytes(data)
    for reader in (perf, perfpair):
        texts = [run([reader, "script", "-F", "comm,tid,time,ip,sym,dso", "-i",
                      of], env=home).stdout for of in (path, ended)]
        # a chain that misses these has gone astray, into the arguments, too
        kept = [pair for pair in zip(*(text.split("\n\n") for text in texts))
                if re.search(r" (main|start_thread) ", pair[0])]
        assert len(kept) > 20
        same_text(*("\n\n".join(side) for side in zip(*kept)))
