#include "report/scrub/scrub.h"

#include "format/records/event_set.h"
#include "report/scrub/scrub_impl.h"

#include <errno.h>
#include <stdlib.h>

/* Refuse stack copies: without them, nothing is left of the calls in user
 * code. */
static int begin(void *ctx, struct pd_reader *reader, struct pd_err *err)
{
	struct rpt_scrub *scrub = ctx;
	const struct pd_trailer *t = pd_reader_trailer(reader);

	scrub->reader = reader;
	if (pd_event_set_has(pd_reader_events(reader), PD_SAMPLE_STACK_USER))
		scrub->result->has_stacks = true;
	for (size_t i = 0; t && i < t->section_nr; i++)
		if (t->sections[i].kind != PD_CARRIED_FILES &&
		    t->sections[i].kind != PD_CARRIED_NAMES &&
		    t->sections[i].kind != PD_CARRIED_JIT &&
		    t->sections[i].kind != PD_CARRIED_IDENTITY &&
		    t->sections[i].kind != PD_CARRIED_ACCOUNT)
			scrub->result->taken_nr[RPT_SCRUB_SECTIONS]++;
	if (scrub->result->has_stacks && !scrub->conf->drop_stacks)
		return pd_err_set(err, -ENOTSUP,
				  "it has copies of stacks, which would be "
				  "removed, and the calls with them: "
				  "'perfpair unwind' makes call chains of "
				  "them first; --drop-stacks goes without");
	return 0;
}

int rpt_scrub(const struct rpt_file_source *source,
	      const struct rpt_scrub_conf *conf,
	      struct rpt_scrub_result *result, struct pd_err *err)
{
	struct rpt_scrub scrub = { .conf = conf, .result = result };
	const struct rpt_repair_edit edit = {
		.ctx = &scrub,
		.makes_formats = true,
		.takes_start = true,
		.begin = begin,
		.event = rpt_scrub_event,
		.record = rpt_scrub_record,
		.sample = rpt_scrub_sample,
		.feature = rpt_scrub_feature,
		.carried = rpt_scrub_carried,
	};
	const struct rpt_repair_conf repair = {
		.path = conf->path,
		.force = conf->force,
		.level = conf->level,
		.max_ratio = conf->max_ratio,
		.edit = &edit,
	};
	int rc;

	*result = (struct rpt_scrub_result){ .has_stacks = false };
	rc = rpt_repair(source, &repair, &result->repair, err);
	pd_buf_release(&scrub.text);
	free(scrub.ranges);
	return rc;
}

/* The table of rules. */

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
