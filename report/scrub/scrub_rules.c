/* The table of rules. */
#include "report/scrub/scrub.h"

const struct rpt_scrub_rule rpt_scrub_rules[RPT_SCRUB_KIND_NR] = {
	[RPT_SCRUB_STACKS] = { .name = "stacks",
			       .what = "stack copies and registers of users" },
	[RPT_SCRUB_REGISTERS] = { .name = "registers",
				  .what = "sets of registers" },
	[RPT_SCRUB_RAW] = { .name = "raw", .what = "raw data of tracepoints" },
	[RPT_SCRUB_ADDRESSES] = { .name = "addresses",
				  .what = "addresses of data",
				  .may_keep = true },
	[RPT_SCRUB_WORDS] = { .name = "words",
			      .what = "entries of call chains outside of "
				      "code",
			      .may_keep = true },
	[RPT_SCRUB_TRACES] = { .name = "traces",
			       .what = "records of hardware tracers" },
	[RPT_SCRUB_FORMATS] = { .name = "formats",
				.what = "texts that describe tracepoints" },
	[RPT_SCRUB_CMDLINE] = { .name = "cmdline",
				.what = "command lines of the recorder" },
	[RPT_SCRUB_HOSTNAME] = { .name = "hostname", .what = "host names" },
	[RPT_SCRUB_PROGRAMS] = { .name = "programs",
				 .what = "descriptions of BPF programs and "
					 "their types" },
	[RPT_SCRUB_SECTIONS] = { .name = "sections",
				 .what = "carried sections other than names "
					 "(unwind tables, lines, code, "
					 "source)" },
	[RPT_SCRUB_RECORDS] = { .name = "records",
				.what = "records of unknown types, or useless "
					"without the above" },
	[RPT_SCRUB_FEATURES] = { .name = "features",
				 .what = "features of unknown types" },
	[RPT_SCRUB_PATHS] = { .name = "paths",
			      .what = "paths",
			      .plain = "system folders, names of the kernel",
			      .action = RPT_SCRUB_HIDE,
			      .may_keep = true },
	[RPT_SCRUB_FILES] = { .name = "files",
			      .what = "names of files in such paths",
			      .action = RPT_SCRUB_HIDE,
			      .may_keep = true },
	[RPT_SCRUB_COMMS] = { .name = "comms",
			      .what = "names of tasks",
			      .plain = "threads of the kernel, well-known "
				       "programs",
			      .action = RPT_SCRUB_HIDE,
			      .may_keep = true },
	[RPT_SCRUB_CGROUPS] = { .name = "cgroups",
				.what = "paths of cgroups",
				.plain = "the root, well-known slices",
				.action = RPT_SCRUB_HIDE,
				.may_keep = true },
	[RPT_SCRUB_BPF] = { .name = "bpf",
			    .what = "names of BPF programs and of code that "
				    "the kernel made",
			    .plain = "those that the kernel numbers",
			    .action = RPT_SCRUB_HIDE,
			    .may_keep = true },
	[RPT_SCRUB_EVENTS] = { .name = "events",
			       .what = "names of events and groups",
			       .plain = "those of perf and of the kernel",
			       .action = RPT_SCRUB_HIDE,
			       .may_keep = true },
	[RPT_SCRUB_SYMBOLS] = { .name = "symbols",
				.what = "names of functions",
				.action = RPT_SCRUB_KEEP,
				.may_hide = true },
};

void rpt_scrub_conf_init(struct rpt_scrub_conf *conf)
{
	for (unsigned i = 0; i < RPT_SCRUB_KIND_NR; i++)
		conf->actions[i] = rpt_scrub_rules[i].action;
}
