"""perf's files of settings: which are read, what of them, and any bytes."""

import os
import random

import pytest

from made_file import BITS, File, make

REPORT = ["report", "--stdio", "-s", "sym"]


@pytest.fixture
def config(run, perfpair, tmp_path):
    """config(WORDS..., text=FILE, **ENVIRONMENT): perfpair where ~/.perfconfig
    is that, and no other file is read."""
    def ask(*words, text=None, **env):
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            (tmp_path / ".perfconfig").write_bytes(data)
        clean = {name: value for name, value in os.environ.items()
                 if name != "PERF_CONFIG"}
        return run([perfpair, *words], env={
            **clean, "HOME": str(tmp_path), "LC_ALL": "C",
            "PERF_CONFIG_NOSYSTEM": "1", **env})
    return ask


def listed(done):
    assert done.returncode == 0
    return done.stdout.splitlines()


def test_the_syntax_is_gits(config):
    done = config("config", "-l", text="""# a comment
[a] ; another
\tone = 1 # one
 two=" x # y "
three
[b.c]  # dots
\t four\t=\tf o  u r   ; all
 five = a\\
b
 six = "a\\"b\\\\"
[d "e f"]
 seven-7_=
[a]
 one = uno""")
    assert listed(done) == ["a.one=uno", "a.two= x # y ", "a.three=true",
                            "b.c.four=f o  u r", "b.c.five=ab", 'b.c.six=a"b\\',
                            "d.e f.seven-7_="]
    assert done.stderr == (
        "perfpair: 7 of them perfpair does not follow: perfpair-config(1) "
        "lists those that it does\n")


@pytest.mark.parametrize("text, line", [
    ("= 1", 1), ("[a]\n=1", 2), ("[a", 1), ("[]", 1), ("[a]\n\n1a = 1", 3),
    ("[a]\nb c", 2), ("[a]\nb = \"c\n", 2), ("[a]\nb = \\x", 2), ("[a\n]", 1),
    ("[a]\nb = \x01", 2), ("[a]\n" + "b" * 200, 2), ('[a "b', 1),
    ("[a]\nb = " + "c" * 2000, 2), ("[a] [b] c\n\0", 2)])
def test_the_rest_of_a_wrong_file_is_not_read(config, tmp_path, text, line):
    done = config("config", "-l", text="[first]\nkey = 1\n" + text +
                  "\n[last]\nkey = 1\n")
    assert "first.key=1" in listed(done) and "last.key=1" not in listed(done)
    assert done.stderr.startswith(
        f"perfpair: {tmp_path}/.perfconfig: line {line + 2} is not "
        "understood: what follows is not read\n")


def test_any_bytes_are_a_file(config):
    chance = random.Random(41)
    parts = [b"[", b"]", b"report", b"children", b"=", b'"', b"\\", b"\n", b" ",
             b"\t", b"#", b";", b"\0", b"\xff", b"\r\n", b".", b"a" * 500, b"-"]
    for _ in range(60):
        text = b"".join(chance.choices(parts, k=chance.randrange(200)))
        assert config("config", "-l", text=text).returncode == 0


def test_whose_file_and_how_long(config, tmp_path):
    done = config("config", "-l", text="[a]\nb = 1\n" + "#" * 65536)
    assert done.stderr == (f"perfpair: {tmp_path}/.perfconfig: not read: it is "
                           "longer than 64 KiB\n")
    (tmp_path / ".perfconfig").unlink()
    os.mkfifo(tmp_path / ".perfconfig")
    assert "not read: it is no file\n" in config("config", "-l").stderr
    (tmp_path / ".perfconfig").unlink()
    (tmp_path / ".perfconfig").write_text("[a]\nb = 1\n")
    if os.geteuid():
        pytest.skip("only root gives files away")
    os.chown(tmp_path / ".perfconfig", 12345, -1)
    done = config("config", "-l")
    assert (done.stdout, done.stderr) == (
        "", f"perfpair: {tmp_path}/.perfconfig: not read: it is another "
        "user's\n")


def test_which_files_are_read(config, tmp_path):
    (tmp_path / "other").write_text("[b]\nc = 2\n")
    config("version", text="[a]\nb = 1\n")
    other = {"PERF_CONFIG": str(tmp_path / "other")}
    assert listed(config("config", "-l")) == ["a.b=1"]
    assert listed(config("config", "-l", "--user")) == ["a.b=1"]
    assert listed(config("config", "-l", "--system")) == []
    assert listed(config("config", "-l", **other)) == ["b.c=2"]
    assert listed(config("config", "-l", PERF_CONFIG="/dev/null")) == []
    assert listed(config("config", "-l", PERF_CONFIG_NOGLOBAL="1")) == []
    for words in ["--no-config", "config", "-l"], ["config", "-l", "--no-config"]:
        assert listed(config(*words)) == []
    assert listed(config("config", "a.b", "a.c")) == ["a.b=1"]
    for words in [], ["a.b=2"], ["-l", "--user", "--system"]:
        assert config("config", *words).returncode == 2


def test_options_go_before_settings(config, tmp_path):
    made = File(attrs=(make.attr_of(sample_type=BITS),))
    made.comm(90)
    made.sample(100)
    (tmp_path / "t.data").write_bytes(made.bytes())
    text = "[report]\nchildren = no\nsort_order = pid\npercent-limit = x\n"
    done = config("report", "-v", "-i", "t.data", text=text)
    assert "Pid:Command" in done.stdout
    path = tmp_path / ".perfconfig"
    assert done.stderr.startswith(
        f"perfpair: {path}: report.percent-limit = x is not understood\n"
        f"perfpair: {path}: report.children = no\n"
        f"perfpair: {path}: report.sort_order = pid\n")
    plain = config(*REPORT, "-i", "t.data", PERF_CONFIG="/dev/null").stdout
    assert config(*REPORT, "--children", "-i", "t.data").stdout == plain
    for words in ["--format", "csv"], ["--no-config"]:
        assert config("report", *words, "-i", "t.data").stdout == config(
            "report", *words, "-i", "t.data", PERF_CONFIG="/dev/null").stdout
