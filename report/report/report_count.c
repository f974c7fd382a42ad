/* The two passes of a report: tasks and maps, then samples. */
#include "report/report/report_impl.h"

#include "format/file/feature.h"
#include "report/cli/command_options.h"
#include "report/profile/latency_pass.h"
#include "report/profile/profile_threads.h"
#include "report/profile/stitch_pass.h"
#include "report/profile/wait_pass.h"
#include "report/symbols/symbols.h"

#include <errno.h>

static bool may_show_kernel(const struct pd_event_set *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		if (!(events->events[i].attr.flags & PD_ATTR_EXCLUDE_KERNEL))
			return true;
	}
	return false;
}

static struct rpt_profile_branches branches(const struct rpt_report *report)
{
	bool has_types = report->rows_conf.has_branch_types;

	return (struct rpt_profile_branches){
		.is_asked = report->rows_conf.is_branch,
		.by_from = has_types || report->rows_conf.keys.by & RPT_BY_FROM,
		.by_flags = report->rows_conf.keys.branch_flags |
			    (has_types ? RPT_BRANCH_TYPE_FLAGS : 0),
	};
}

static struct rpt_profile_conf profile_conf(const struct rpt_report *report)
{
	return (struct rpt_profile_conf){
		.reader = report->reader,
		.timeline = report->timeline,
		.unwind = report->unwind,
		.by_task = report->rows_conf.keys.by & RPT_BY_TASK,
		.by_cpu = report->rows_conf.keys.by & RPT_BY_CPU,
		.branches = branches(report),
		.history = { report->rows_conf.has_history,
			     report->rows_conf.is_caller_first,
			     report->rows_conf.max_stack },
		.by_raw = report->rows_conf.keys.by &
			  (RPT_BY_TRACE | RPT_BY_FIELD),
		.with_chains = report->rows_conf.chains ||
			       report->args->switches.waits ||
			       report->rows_conf.children ||
			       report->rows_conf.ignored ||
			       report->rows_conf.keys.by & RPT_BY_PARENT,
		.is_stitched = report->args->chains.stitch_lbr,
		.values = report->rows_conf.keys.values,
		.value_nr = report->rows_conf.keys.value_nr,
		.value_conf = { .sockets = &report->filters.sockets,
				.quantum_ns =
					report->args->columns.time_quantum_ns,
				.timeline = report->timeline },
		.is_weight_period = report->args->rows.mem_mode,
		.socket = report->args->rows.is_one_socket
				  ? &report->args->rows.socket
				  : NULL,
		.event_switch =
			rpt_event_switch_is_asked(&report->filters.event_switch)
				? &report->filters.event_switch
				: NULL,
		.blocks = report->blocks,
		.filter = &report->filters.samples,
	};
}

bool rpt_report_leaves_samples(const struct rpt_report *report)
{
	const struct rpt_report_args *args = report->args;

	/* files are fetched for what is counted, and a word that may be a
	 * function's name is looked for there */
	return args->out.output->needs & RPT_OUTPUT_SINGLE &&
	       !args->names.debuginfod.is_asked && !args->rows.is_part_a_word;
}

/* Load tasks and maps; the same pass finds the times that blocks depend on. */
static int load_timeline(struct rpt_report *report, struct pd_err *err)
{
	struct rpt_time_question times;
	int rc;

	rpt_time_question_init(&times, report->reader,
			       &report->filters.samples);
	report->pieces.jobs = report->args->jobs;
	rpt_sample_encoder_init(&report->encoder,
				report->rows_conf.keys.by &
					(RPT_BY_TRACE | RPT_BY_FIELD));
	if (!report->args->switches.off_cpu &&
	    !rpt_report_asks_latency(report) &&
	    !rpt_report_leaves_samples(report))
		rpt_file_chunks_listen(&report->pieces,
				       &report->encoder.listener);
	if (report->block_nr && rpt_time_question_is_open(&times))
		rpt_file_chunks_listen(&report->pieces, &times.listener);
	rc = rpt_timeline_load(report->timeline, report->reader,
			       &report->pieces, err);
	report->pieces.listener_nr = 0;
	if (!rc && report->block_nr)
		report->blocks = rpt_time_blocks_of(&times, report->block_nr);
	return rc;
}

static bool may_prefetch_kernel(const struct rpt_report *report)
{
	return report->args->jobs != 1 && !report->shared.is_busy &&
	       !report->frames.conf.without_symbols &&
	       may_show_kernel(pd_reader_events(report->reader));
}

/* Return how many addresses a chain is continued by: if it grows from sample to
 * sample, the text grows with the third power of the file (85 KB made for it
 * give 1.9 GB, in perf 6.1 too). */
static uint32_t lost_max(const struct rpt_report *report)
{
	uint32_t nr = report->rows_conf.max_stack;

	return nr > RPT_MAX_STACK ? nr : RPT_MAX_STACK;
}

/* --stitch-lbr */
static int stitch(struct rpt_report *report,
		  const struct rpt_profile_conf *conf, struct pd_err *err)
{
	const struct rpt_stitch_pass pass = {
		.in = { .source = &report->source,
			.reader = report->reader,
			.damage = &report->damage,
			.is_extra = true },
		.timeline = report->timeline,
		.max_stack = report->rows_conf.max_stack,
		.lost_max = lost_max(report),
		.filter = conf->filter,
		.event_switch = conf->event_switch,
	};

	return conf->is_stitched && conf->with_chains
		       ? rpt_stitch_pass(&pass, err)
		       : 0;
}

/* Return whether names may be read ahead: no other thread asks for symbols, and
 * all files of symbols are here. */
static bool may_read_names(const struct rpt_report *report)
{
	return report->args->jobs != 1 && !report->shared.is_busy &&
	       !report->frames.conf.without_symbols &&
	       !report->args->names.debuginfod.is_asked;
}

/* --off-cpu, --wall-clock, --waits */
static int count_off_cpu(struct rpt_report *report, struct pd_err *err)
{
	const bool is_waits = report->args->switches.waits;
	const struct pd_event_set *events = pd_reader_events(report->reader);
	const struct rpt_off_cpu_pass pass = {
		.in = { .source = &report->source,
			.reader = report->reader,
			.damage = &report->profile.damage },
		.tracepoints = report->tracepoints,
		.is_divided = report->args->switches.latency,
		.run_idx = is_waits || report->args->switches.wall_clock
				   ? rpt_off_cpu_run_event(events)
				   : RPT_OFF_CPU_NO_RUNS,
	};

	report->profile.is_latency = pass.is_divided;
	return is_waits ? rpt_wait_pass(&pass, &report->profile, err)
			: rpt_off_cpu_pass(&pass, &report->profile, err);
}

/* --latency without --waits, or a column or filter that needs it */
static int count_latency(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_pass_input in = {
		.source = &report->source,
		.reader = report->reader,
		.damage = &report->profile.damage,
	};

	report->profile.is_latency = report->args->switches.latency;
	return rpt_latency_pass(&in, report->tracepoints, &report->profile,
				err);
}

static int count_samples(struct rpt_report *report,
			 struct rpt_symbol_preload *early, struct pd_err *err)
{
	if (rpt_report_leaves_samples(report))
		return 0;
	if (report->args->switches.off_cpu)
		return count_off_cpu(report, err);
	if (rpt_report_asks_latency(report))
		return count_latency(report, err);
	return rpt_profile_threads_count(
		&report->profile, &report->pieces, &report->encoder,
		may_read_names(report) ? early : NULL, err);
}

int rpt_report_count(struct rpt_report *report, struct pd_err *err)
{
	struct rpt_symbol_preload early = { 0 };
	struct rpt_profile_conf conf;
	int rc;

	rc = load_timeline(report, err);
	conf = profile_conf(report);
	if (!rc)
		rc = stitch(report, &conf, err);
	if (rc)
		return rc;
	if (!report->args->switches.off_cpu)
		rpt_phase_locks_find(report->reader, report->timeline,
				     report->tracepoints, &report->locks);
	rpt_profile_init(&report->profile, &conf);
	report->is_profiled = true;
	if (may_prefetch_kernel(report))
		rpt_symbols_prefetch_kernel(report->symbols);
	rc = count_samples(report, &early, err);
	if (!rc)
		report->order = rpt_profile_order(&report->profile);
	rpt_symbol_preload_end(&early);
	return rc;
}
