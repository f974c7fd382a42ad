"""script of tracepoints whose formats another machine wrote."""

import pytest

from made_file import Encoder  # it knows where the generators are
import shown
import tracing

LONG_LEN_OFF = 15  # magic, version, byte order

FIELDS = """name: fixture_event
ID: 42
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:unsigned long addr;\toffset:8;\tsize:4;\tsigned:0;
\tfield:void * ptr;\toffset:12;\tsize:4;\tsigned:0;
\tfield:size_t len;\toffset:16;\tsize:4;\tsigned:0;
\tfield:unsigned long args[3];\toffset:20;\tsize:12;\tsigned:0;
\tfield:u64 wide;\toffset:32;\tsize:8;\tsigned:0;
\tfield:int level;\toffset:40;\tsize:4;\tsigned:1;
\tfield:__data_loc unsigned long[] more;\toffset:44;\tsize:4;\tsigned:0;

print fmt: """
RAW = (0x80000001, 0xc0001001, 7, 5, 0x90000002, 6, 2**40 + 3, -4)


@pytest.fixture
def text_of(run, perfpair, tmp_path, monkeypatch):
    """text_of(big_endian, print fmt): what script prints of one sample, out of
    the recording of a machine of 32 bits."""
    def of(big_endian, fmt):
        e = Encoder(big_endian)
        monkeypatch.setattr(tracing, "FORMAT", FIELDS + fmt + "\n")
        formats = bytearray(tracing.tracing_data(e))
        formats[LONG_LEN_OFF] = 4
        raw = e.pack("HBBi", 42, 0, 0, 100) + e.pack("IIIIIIQi", *RAW) \
            + e.pack("III", 8 << 16 | 48, 17, 18)
        attr = shown.attr_of(type=2, config=42,
                             sample_type=shown.PLAIN | 1 << 10)
        (tmp_path / "t.data").write_bytes(e.plain_file(
            [(attr, (7,))], e.sample(attr, shown.ident(1, raw=raw)),
            {1: bytes(formats), **shown.machine(e, "mips")}))
        done = run([perfpair, "script", "-F", "trace", "-i", "t.data"])
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()
    return of


@pytest.mark.parametrize("big_endian", [False, True])
def test_longs_of_32_bits(text_of, big_endian):
    assert text_of(big_endian, (
        '"addr=%lx ptr=%p len=%zu arg=%lx wide=%llx level=%d flags=%s sum=%lu",'
        ' REC->addr, REC->ptr, REC->len, REC->args[1], REC->wide, REC->level,'
        ' __print_flags(REC->addr, "|", { 0x80000000UL, "HIGH" },'
        ' { 0x1, "LOW" }), REC->addr + REC->len')) == (
        "addr=80000001 ptr=0xc0001001 len=7 arg=90000002 wide=10000000003 "
        f"level=-4 flags=HIGH|LOW sum={0x80000001 + 7}")


@pytest.mark.parametrize("divisor", ["4", "sizeof(int)"])
def test_elements_are_counted_by_their_length(text_of, divisor):
    """libtraceevent 1.8 writes them as the kernel does."""
    assert text_of(False, (
        '"more=%s", __print_array(__get_dynamic_array(more),'
        f' __get_dynamic_array_len(more) / {divisor}, 4)')) in (
            "more=17 18", "more={0x11,0x12}")


def test_too_many_elements_are_not_printed(text_of):
    assert text_of(False, (
        '"wide=%s", __print_array(__get_dynamic_array(more),'
        ' REC->addr / 4, 4)')) == ""
