"""The golden texts of fixtures/golden: which command shows which fixture."""

from common import ROOT

GOLDEN = ROOT / "fixtures" / "golden"
GEN = ROOT / "fixtures" / "gen" / "make.py"

SHOW_ALL = [f"--show-{kind}-events" for kind in (
    "task", "mmap", "switch", "namespace", "cgroup", "lost", "bpf",
    "text-poke")]
REGS = ["script", "-F", "comm,tid,time,ip,uregs"]

# fixture: {golden text: command}
COMMANDS = {
    "features": {"header": ["report", "--header-only", "-I"],
                 "evlist": ["evlist", "-v"], "groups": ["evlist", "-g"],
                 "buildid-list": ["buildid-list"],
                 "json": ["data", "convert", "--force", "--to-json",
                          "/dev/stdout"]},
    "intr-regs": {"script": ["script", "-F", "comm,tid,time,ip,iregs"]},
    "breakpoints": {"evlist": ["evlist", "-v"], "script": ["script"]},
    "memory": {"script": ["script", "-F",
                          "+addr,+data_src,+weight,+phys_addr,+data_page_size,"
                          "+code_page_size"],
               "evlist": ["evlist", "-v"]},
    "weights": {"script": ["script", "-F", "+weight,+ins_lat"],
                "evlist": ["evlist", "-v"]},
    "stat": {"stats": ["report", "--stats"], "script": ["script"],
             "header": ["report", "--header-only"]},
    "spe": {"stats": ["report", "--stats"], "evlist": ["evlist", "-v"]},
    "text-poke": {"stats": ["report", "--stats"],
                  "script": ["script", *SHOW_ALL]},
    "version1": {"script": ["script"], "evlist": ["evlist", "-v"],
                 "header": ["report", "--header-only"]},
    "no-bitmap": {"script": ["script"], "evlist": ["evlist", "-v"],
                  "header": ["report", "--header-only"]},
    "long": {"stats": ["report", "--stats"],
             "report": ["report", "--stdio", "-q", "-s", "pid,dso"]},
    "tracepoint": {"script": ["script"],
                   "evlist": ["evlist", "--trace-fields"],
                   "fields": ["script", "-F", "comm,time,trace"]},
    "family": {"tasks": ["report", "--tasks"], "mmaps": ["report", "--mmaps"]},
    "directory": {"stats": ["report", "--stats"], "script": ["script"]},
}
for arch in ("x86_64", "aarch64", "ppc64le", "s390x", "riscv64", "mips64",
             "loongarch64", "x86_64-32", "i686-32", "armv7l-32", "aarch64-32"):
    COMMANDS[f"regs-{arch}"] = {"script": REGS}

CASES = [(fixture, text) for fixture, texts in COMMANDS.items()
         for text in texts]

# What perf 6.1 prints otherwise, and why we do not follow.
OURS = {
    ("features", "header"): "perf 6.1 does not know the bits from 32 on",
    ("regs-riscv64", "script"): "perf 6.1 calls them all unknown",
    ("regs-loongarch64", "script"): "perf 6.1 calls them all unknown",
}


def command(fixture, text, order):
    return [*COMMANDS[fixture][text], "-i", f"{fixture}-{order}.data"]


def timeless(text):
    """Without the line that depends on the day."""
    return "".join(
        line for line in text.splitlines(keepends=True)
        if not line.strip().startswith(("# captured on", '"captured-on"')))
