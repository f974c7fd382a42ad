"""Stack copies through code that was generated: what is known of it is how its
program made it (peer/workloads/generated.c), whose true stack each sample has.
No frame is made up, and the stacks reach their root, here and elsewhere."""

import os
import re
import shutil
import subprocess

import pytest

from common import program

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64",
                                reason="the workload makes code for x86-64")
TRUTH = ["main", "host_a", "outer", "host_b", "inner", "loop"]
GENERATED = {"outer", "inner", "loop"}
ROOTS = {"_start", "__clone3", "clone3", "__GI___clone3", "thread_start"}
NODE = """const until = 600;  // ms of a CPU
function leaf(n) { let s = n; for (let i = 0; i < 3000; i++) s = s * 31 | 0; return s; }
function sorted(list) { return list.slice().sort((a, b) => a - b)[1]; }
function text(n) { return ("a" + n).replace(/[0-9]+/g, m => "<" + m + ">"); }
function called(f) { return f(); }
const list = Array.from({length: 90}, (_, i) => i * 7919 % 1000);
while (process.cpuUsage().user / 1000 < until) {
  called(() => leaf(7)); called(() => sorted(list)); called(() => text(12));
}"""


@pytest.fixture
def record(perfpair_record, may_record, tmp_path):
    def of(*command, options=()):
        path = tmp_path / "perf.data"
        subprocess.run([perfpair_record, "-q", "-F", "2000", "-k", "mono",
                        "--carry-time", "20s", "-e", "cpu-clock:u",
                        "--call-graph", "dwarf,8192", *options, "-o", path,
                        "--", *command],
                       check=True, timeout=60, cwd=tmp_path,
                       stdout=subprocess.DEVNULL)
        return path
    return of


@pytest.fixture
def generated(record, workload, tmp_path):
    """generated(KIND): a recording of such code."""
    name = workload("generated", "-O1", "-fomit-frame-pointer")
    return lambda kind, **more: record(name, kind, tmp_path, **more)


@pytest.fixture
def stacks(run, tmp_path):
    """stacks(FILE): each sample's frames, outermost first, as (name, DSO); and
    what is told on stderr."""
    (tmp_path / "empty").mkdir()

    def of(path, elsewhere=False):
        more = ["--symfs", "empty"] if elsewhere else []
        done = run([program("report", "perfpair"), "script", "--no-inline",
                    "-F", "ip,sym,dso", "-i", path, *more])
        assert done.returncode == 0
        frames = [re.findall(r"^\t +[0-9a-f]+ (.+?) \(([/[].+)\)$", part,
                             re.M)[::-1]
                  for part in done.stdout.split("\n\n")]
        return [chain for chain in frames if chain], done.stderr
    return of


def is_generated(dso):
    return dso.startswith(("/tmp/perf-", "/memfd:")) or \
        re.search(r"/code$|/jitted-", dso)


def in_truth(chain):
    """What the program's own functions are in a chain, of which those without a
    name are called as their kind."""
    return [name if name in TRUTH else "generated" for name, dso in chain
            if name in TRUTH or is_generated(dso)]


def whole(kind):
    known = kind not in ("bare", "file")
    return TRUTH if known else ["generated" if name in GENERATED else name
                                for name in TRUTH]


@pytest.mark.parametrize("kind", ["map", "bare", "memfd", "file", "dump",
                                  "cfi", "cfi0"])
def test_generated__stacks_are_the_true_ones(kind, generated, stacks, tmp_path):
    path = generated(kind)
    for elsewhere in (False, True):
        if elsewhere:
            for made in [*tmp_path.glob("jit-*.dump"), *tmp_path.glob("code")]:
                made.unlink()
        chains, told = stacks(path, elsewhere)
        assert "perf-" not in told
        looping = [chain for chain in chains
                   if len(in_truth(chain)) > 1 or is_generated(chain[-1][1])]
        # a page of the first functions may have to be read when they begin
        whole_nr = sum(in_truth(chain) == whole(kind) for chain in looping)
        assert whole_nr > max(100, 0.98 * len(looping))
        for chain in looping:
            seen = in_truth(chain)
            assert chain[0][0] == "_start"
            assert seen == whole(kind)[:len(seen)]


def test_generated__no_caller_is_made_up(generated, stacks):
    """The frame pointer leads to a word that points into a function of the
    program, but not behind a call. Elsewhere its code is not there, but what it
    would have to return to is on the stack."""
    path = generated("none")
    for elsewhere in (False, True):
        chains, _ = stacks(path, elsewhere)
        looping = [chain for chain in chains if chain[-1][0] == "loop"]
        assert len(looping) > 100
        assert {len(chain) for chain in looping} == {1}


def test_generated__functions_that_begin_and_end(generated, stacks):
    """A function without a frame yet, or no more, may be left to its caller's
    caller, but never to one that is none."""
    chains, _ = stacks(generated("entry"))
    chains = [in_truth(chain) for chain in chains
              if set(in_truth(chain)) & GENERATED]
    assert len(chains) > 100
    for chain in chains:
        at = iter(TRUTH)
        assert all(name in at for name in chain)
    at_root = [chain for chain in chains if chain[0] == "main"]
    assert len(at_root) > 0.9 * len(chains)


def test_generated__unwind_keeps_them(generated, stacks, run, tmp_path):
    path = generated("cfi")
    before = stacks(path)
    run([program("report", "perfpair"), "unwind", "-q", "-i", path, "-o",
         "unwound.data"], check=True)
    assert stacks("unwound.data") == before
    run([program("report", "perfpair"), "scrub", "-q", "-i", "unwound.data",
         "-o", "scrubbed.data"], check=True)
    for made in tmp_path.glob("jit-*.dump"):
        made.unlink()
    scrubbed, _ = stacks("scrubbed.data", True)
    assert [in_truth(chain) for chain in scrubbed] == \
        [in_truth(chain) for chain in before[0]]


def test_generated__carry_none_and_names_have_no_frames(generated, stacks,
                                                        tmp_path):
    path = generated("cfi", options=["--carry", "names"])
    for made in tmp_path.glob("jit-*.dump"):
        made.unlink()
    chains, _ = stacks(path)
    assert {tuple(in_truth(chain)) for chain in chains
            if "loop" in in_truth(chain)} == {("loop",)}


@pytest.mark.parametrize("options", [["--perf-basic-prof"], ["--perf-prof"],
                                     ["--perf-prof",
                                      "--perf-prof-unwinding-info"]],
                         ids=["map", "dump", "cfi"])
def test_node__stacks_reach_their_root(options, record, stacks, tmp_path):
    """What calls what is known of the functions of the program."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    (tmp_path / "hot.js").write_text(NODE)
    path = record("node", *options, "hot.js")
    for elsewhere in (False, True):
        chains, told = stacks(path, elsewhere)
        assert "perf-" not in told
        chains = [chain for chain in chains
                  if any(is_generated(dso) for _, dso in chain)]
        assert len(chains) > 100
        rooted = [chain for chain in chains if chain[0][0] in ROOTS]
        assert len(rooted) > 0.95 * len(chains)
        assert any("JS:" in name for chain in rooted for name, _ in chain)
        for names in ([name for name, _ in chain] for chain in chains):
            for i, name in enumerate(names):
                if not re.match(r"JS:.(leaf|sorted|text) ", name):
                    continue
                callers = [name for name in names[:i] if "JS:" in name]
                # an interpreted one has no code of its own
                assert not callers or re.search(
                    r"JS:.(called)? \S*hot.js:|JS:. \S*hot.js:1:1$",
                    callers[-1])
