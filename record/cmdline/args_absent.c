/* args_absent.c: the options of perf record that are not here. */
#include "record/cmdline/args.h"

const struct sup_absent rec_absent[] = {
	{ "aio", "threads of their own drain and write: --threads=N" },
	{ "clang-opt", "no BPF programs are compiled here" },
	{ "clang-path", "no BPF programs are compiled here" },
	{ "debuginfod", "symbols are looked up by 'perfpair report'" },
	{ "group", "put the events into braces: -e '{a,b}'" },
	{ "kcore", "use perf record for a copy of the kernel's memory" },
	{ "mmap-flush", "--flush-interval says how soon all is in the file" },
	{ "num-thread-synthesize", "what runs is read by as many threads as it "
				   "takes" },
	{ "proc-map-timeout", "maps of what runs are read to their end" },
	{ "vmlinux", "symbols are looked up by 'perfpair report --vmlinux'" },
	{ 0 },
};
