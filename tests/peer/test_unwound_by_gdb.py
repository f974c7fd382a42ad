"""Call chains out of stack copies of processors that this machine is not:
programs run under qemu, gdb stops them at many places and tells the frames;
`script` finds the same frames in a recording made of registers and stacks."""

import subprocess
import sys

import pytest

from common import ROOT
from stack_chains import chains_of, differences

sys.path.insert(0, str(ROOT / "fixtures" / "stacks"))

from stacks import missing_tools, reach, recording, shown, \
    trampoline, watch as watch_code  # noqa: E402

WORKLOADS = ROOT / "tests" / "peer" / "workloads"
COPY_LEN = 32768
STEPS = [1, 3, 7, 20, 61]
BREAKS = {
    "thrown": [["dive", 4], ["__cxa_throw", 2], ["_Unwind_RaiseException", 2],
               ["_Unwind_Resume", 3], ["__cxa_end_catch", 1],
               ["std::basic_string<char, std::char_traits<char>, "
                "std::allocator<char> >::_M_construct", 2],
               ["compare", 2], ["Square::area", 2]],
    "raised": [["turn", 12], ["deepen", 8], ["compare", 3], ["handler", 1],
               ["inner_handler", 2], ["run", 1], ["end", 1]],
}
BUILDS = {
    "plain": ["-O2"],
    "no frame pointers": ["-O2", "-fomit-frame-pointer"],
    "static": ["-O2", "-fomit-frame-pointer", "-static"],
    "signed": ["-O2", "-fomit-frame-pointer", "-static",
               "-mbranch-protection=standard"],
    "not optimized": ["-O0", "-mbranch-protection=pac-ret+leaf+b-key"],
}


@pytest.fixture
def frames_of(perfpair, run, tmp_path):
    """frames_of(STOPS, MAPS): what script makes of these stops."""
    def show(stops, maps, machine="aarch64"):
        path = tmp_path / "perf.data"
        path.write_bytes(recording(machine, maps, stops, COPY_LEN))
        done = run([perfpair, "script", "--no-inline", "-F", "ip", "-i",
                    path])
        assert (done.returncode, done.stderr) == (0, "")
        return chains_of(done.stdout)

    return show


@pytest.fixture(scope="module")
def arm_program(tmp_path_factory):
    """arm_program(NAME, BUILD): a program for aarch64; skips without its compiler."""
    missing = missing_tools("aarch64")
    if missing:
        pytest.skip(f"not installed: {' '.join(missing)}")
    folder = tmp_path_factory.mktemp("aarch64")

    def build(name, flags):
        source = next(WORKLOADS.glob(f"{name}.c*"))
        compiler = "g++" if source.suffix == ".cc" else "gcc"
        subprocess.run([f"aarch64-linux-gnu-{compiler}", "-g1", *flags, "-o",
                        folder / name, source], check=True)
        return folder / name

    return build


def watch(program, folder, cpu):
    """Stops and maps; where signal handlers return to counts as a vdso, of which
    there is no file."""
    stops, maps = watch_code(
        "aarch64", [program, "20"], folder, BREAKS[program.name], STEPS,
        COPY_LEN, cpu)
    return stops, maps + trampoline(stops, "[vdso]")


def expected(stops, maps):
    return [([shown(addr, maps) for addr, _, _ in stop["frames"]], reach(stop, COPY_LEN, 8))
            for stop in stops]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", BREAKS)
def test_unwound_by_gdb__aarch64(name, build, arm_program, frames_of,
                                 tmp_path):
    program = arm_program(name, BUILDS[build])
    stops, maps = watch(program, tmp_path, "cortex-a72")
    assert len(stops) > 60
    assert not differences(expected(stops, maps), frames_of(stops, maps))


@pytest.mark.parametrize("name", BREAKS)
def test_unwound_by_gdb__signed_return_addresses(name, arm_program, frames_of,
                                                 tmp_path):
    """gdb 13 does not learn from qemu 7.2 which bits the signatures take: it is
    asked where the same program runs on a processor that signs nothing."""
    program = arm_program(name, BUILDS["signed"])
    plain, signed = (watch(program, tmp_path, cpu)
                     for cpu in ("cortex-a72", "max,sve=off"))
    sps = [[stop["frames"][0][2] for stop in stops]
           for stops, _ in (plain, signed)]
    assert sps[0] == sps[1]
    assert plain[0] != signed[0]
    # the first frame may be another instruction of the same function
    theirs = [(addrs[1:], nr - 1) for addrs, nr in expected(*plain)]
    ours = [chain[1:] for chain in frames_of(signed[0], plain[1])]
    assert not differences(theirs, ours)


def test_unwound_by_gdb__frames_of_vectors(arm_program, frames_of, tmp_path):
    """Their size is in a register of its own, VG.  Not at the ends of functions:
    there GCC 12 tells of an offset to an expression, which libdw refuses."""
    machine = "aarch64 with SVE"
    program = arm_program("vectors", ["-O2", "-static", "-march=armv8-a+sve"])
    stops, maps = watch_code(machine, [program], tmp_path,
                             [["add_up", 7], ["turn", 2]], [1, 2, 3], COPY_LEN)
    assert len(stops) > 20
    assert not differences(expected(stops, maps),
                           frames_of(stops, maps, machine))
