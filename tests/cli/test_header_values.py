"""Values of features that are seldom: perf 6.1's words for them."""

from made_file import ATTR, File
from features import string  # made_file knows where
from perf_data import Attr


def header(run, perfpair, tmp_path, file):
    path = tmp_path / "some.data"
    path.write_bytes(file.bytes())
    return run([perfpair, "report", "--header-only", "-I", "-i", path]).stdout


def test_a_node_without_cpus(run, perfpair, tmp_path):
    """Memory alone."""
    file = File().some()
    file.features[14] = file.e.pack("II", 1, 3) + file.e.words(8, 4) + \
        string(file.e, "")
    assert "# node3 meminfo  : total = 8 kB, free = 4 kB\n" \
        "# node3 cpu list : -1\n" in header(run, perfpair, tmp_path, file)


def test_names_of_clocks(run, perfpair, tmp_path):
    """Those that perf record -k takes."""
    names = {0: "realtime", 1: "monotonic", 4: "monotonic_raw", 7: "boottime",
             11: "tai"}
    for clock in range(13):
        file = File().some()
        file.features[29] = file.e.pack("II", 1, clock) + \
            file.e.words(5 * 10**9, 6 * 10**9)
        name = names.get(clock, "(not found)")
        text = header(run, perfpair, tmp_path, file)
        assert f"# clockid: {name} ({clock})\n" in text
        assert f"(TOD) = 6.000000000 ({name})\n" in text


def test_events_of_one_kind_of_cpu(run, perfpair, tmp_path):
    """The type of the PMU in the upper half of config, and no name told."""
    configs = (0x400000000, 0x400000009, 0xa00000001, 0x40000000c0)
    file = File(attrs=[Attr(ATTR, type=0, config=config) for config in configs])
    file.ids = [[101 + i] for i in range(len(configs))]
    path = tmp_path / "some.data"
    path.write_bytes(file.some().bytes())
    assert run([perfpair, "evlist", "-i", path]).stdout == "".join(
        f"cpu/{name}/:HG\n" for name in ("cycles", "ref-cycles", "instructions",
                                         "unknown-hardware"))
