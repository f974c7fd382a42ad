#include "report/report/report.h"

#include "report/report/report_impl.h"
#include "report/events/event_name.h"
#include "report/timeline/timeline.h"
#include "report/events/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return the sample bits that any of the events has. */
static uint64_t all_sample_bits(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	uint64_t bits = 0;

	for (size_t i = 0; i < events->nr; i++)
		bits |= events->events[i].attr.sample_type;
	return bits;
}

static size_t tracepoint_nr(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++)
		nr += events->events[i].attr.type == PD_TYPE_TRACEPOINT;
	return nr;
}

static void set_tracepoints(struct rpt_report *report)
{
	if (!tracepoint_nr(report->reader))
		return;
	rpt_tracepoints_load(&report->tracepoints, report->reader,
			     &report->damage);
	if (report->tracepoints && report->args->events.is_raw_trace)
		rpt_tracepoints_show_raw(report->tracepoints);
	report->rows_conf.tracepoints = report->tracepoints;
	report->view.columns.tracepoints = report->tracepoints;
	report->view.columns.events = pd_reader_events(report->reader);
}

/* Return whether rows are of branches by default, as in perf: the file says
 * that it has branch stacks, and call chains are not made of copies of the
 * stack (perf 6.12: nor of branches). */
static bool is_branch_file(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	bool is_6_1 = pd_event_set_needed_perf(events) == PD_PERF_6_1;
	struct pd_cursor c;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		if ((attr->sample_type & PD_SAMPLE_STACK_USER) ||
		    (!is_6_1 &&
		     (attr->branch_sample_type & PD_BRANCH_CALL_STACK)))
			return false;
	}
	return !pd_reader_header(reader)->is_pipe &&
	       pd_reader_feature(reader, PD_FEATURE_BRANCH_STACK, &c);
}

static bool is_power_file(const struct pd_reader *reader)
{
	struct pd_str arch = pd_reader_string(reader, PD_FEATURE_ARCH);

	return arch.len >= 3 && !memcmp(arch.ptr, "ppc", 3);
}

/* Return the RPT_SHAPE_* of the recording. */
static unsigned shape_of(const struct pd_reader *reader)
{
	size_t event_nr = pd_reader_events(reader)->nr;
	uint64_t bits = all_sample_bits(reader);
	unsigned shape = 0;

	if (bits & PD_SAMPLE_CALLCHAIN)
		shape |= RPT_SHAPE_CHAINS;
	if (bits & PD_SAMPLE_BRANCH_STACK)
		shape |= RPT_SHAPE_BRANCHES;
	if (bits & PD_SAMPLE_DATA_SRC)
		shape |= RPT_SHAPE_DATA_SRC;
	if (is_power_file(reader))
		shape |= RPT_SHAPE_POWER;
	if (is_branch_file(reader))
		shape |= RPT_SHAPE_BY_BRANCH;
	if (pd_reader_header(reader)->is_pipe)
		shape |= RPT_SHAPE_PIPE;
	else if (event_nr && tracepoint_nr(reader) == event_nr)
		shape |= RPT_SHAPE_TRACE;
	return shape;
}

/* -b, --no-branch-stack */
static int set_branch(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;

	if (args->branches.has_history || args->branches.is_given)
		report->shape &= ~(unsigned)RPT_SHAPE_BY_BRANCH;
	if (!args->branches.is_given || args->branches.has_history)
		return 0;
	if (args->branches.are_counted)
		report->shape |= RPT_SHAPE_BY_BRANCH;
	if (args->branches.are_counted &&
	    !(report->shape & RPT_SHAPE_BRANCHES)) {
		pd_err_set(err, -ENODATA, "-b: no branches were recorded");
		pd_err_hint(err, "perfpair record -b takes them down, where "
				 "the CPU can");
		return -ENODATA;
	}
	return 0;
}

static void set_unwind(struct rpt_report *report)
{
	struct pd_str arch = pd_reader_string(report->reader, PD_FEATURE_ARCH);

	if (all_sample_bits(report->reader) & PD_SAMPLE_STACK_USER)
		report->unwind =
			rpt_unwind_new(rpt_arch_of(arch.ptr, arch.len));
}

/* Return whether stack copies may be unwound, or were, in any of several
 * recordings. */
static bool may_unwind(const struct rpt_report *report)
{
	const struct pd_event_set *events = pd_reader_events(report->reader);
	bool may = report->unwind || report->args->input_nr > 1;

	for (size_t i = 0; i < events->nr && !may; i++)
		may = events->events[i].is_unwound;
	return may;
}

/* Set the host to that of the file, or else to the file's name. */
static void set_host(struct rpt_report *report)
{
	const char *slash = strrchr(report->args->input, '/');
	const char *file = slash ? slash + 1 : report->args->input;
	struct pd_str name =
		pd_reader_string(report->reader, PD_FEATURE_HOSTNAME);

	report->host = rpt_alloc_safe(name.len ? name.ptr : file,
				      name.len ? name.len : strlen(file),
				      SUP_SAFE_NAME);
}

/* --off-cpu, --wall-clock: the switches become the event that is shown. */
static int set_off_cpu(struct rpt_report *report, struct pd_err *err)
{
	const struct pd_event_set *events = pd_reader_events(report->reader);
	bool is_wall = report->args->switches.wall_clock;
	const char *name = is_wall			    ? "wall-clock"
			   : report->args->switches.latency ? "latency"
			   : report->args->switches.waits   ? "waits"
							    : "off-cpu";
	int64_t idx;
	int rc;

	if (!report->args->switches.off_cpu)
		return 0;
	if (is_wall && rpt_off_cpu_run_event(events) < 0)
		return pd_err_set(err, -ENODATA,
				  "--wall-clock: no event was recorded whose "
				  "samples are time on a CPU: cpu-clock, "
				  "task-clock, or one with a frequency (-F)");
	report->shape &= ~(unsigned)(RPT_SHAPE_TRACE | RPT_SHAPE_BY_BRANCH);
	if (report->args->switches.waits) /* of links, whatever was recorded */
		report->shape |= RPT_SHAPE_CHAINS;
	idx = rpt_switch_event_of(events, report->tracepoints);
	if (idx < 0)
		return 0; /* the pass says so */
	rc = pd_reader_name_event(report->reader, (size_t)idx,
				  (struct pd_str){ name, strlen(name) });
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

const char *rpt_report_weight_name(const struct rpt_report *report,
				   const struct pd_event *event, char *buf)
{
	const struct rpt_report_switch_args *args = &report->args->switches;
	char own[RPT_EVENT_NAME_LEN];

	if (!args->latency || args->waits)
		return rpt_event_name(event, buf);
	snprintf(buf, RPT_EVENT_NAME_LEN, "latency of %.*s",
		 RPT_EVENT_NAME_LEN - 16, rpt_event_name(event, own));
	return buf;
}

static void begin(struct rpt_report *report, const struct rpt_report_args *args)
{
	*report =
		(struct rpt_report){ .args = args, .whole = { .part_nr = 1 } };
	report->whole.parts = report;
}

/* Open the reader of report->source, and look at what it has. */
static int open_source(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	int rc = rpt_file_source_reader(&report->source, NULL, &report->reader,
					err);

	if (rc)
		return rc;
	pd_reader_set_ratio(report->reader, args->max_ratio);
	report->shape = shape_of(report->reader);
	rc = set_branch(report, err);
	if (rc)
		return rc;
	rc = rpt_filter_resolve(&report->filters.samples, &args->filter,
				report->reader, err);
	if (!rc)
		set_tracepoints(report);
	if (!rc)
		rc = rpt_event_switch_find(
			&report->filters.event_switch, &args->event_switch,
			&report->filters.samples.times, report->reader, err);
	if (!rc)
		rc = set_off_cpu(report, err);
	set_host(report);
	return rc;
}

int rpt_report_open(struct rpt_report *report,
		    const struct rpt_report_args *args, struct pd_err *err)
{
	int rc;

	begin(report, args);
	rc = rpt_filter_parse(&report->filters.samples, &args->filter, err);
	if (!rc)
		rc = rpt_file_source_open(&report->source, args->input, err);
	return rc ? rc : open_source(report, err);
}

int rpt_report_open_memory(struct rpt_report *report,
			   const struct rpt_report_args *args,
			   const uint8_t *base, uint64_t len,
			   struct pd_err *err)
{
	int rc;

	begin(report, args);
	rc = rpt_filter_parse(&report->filters.samples, &args->filter, err);
	if (rc)
		return rc;
	rpt_file_source_memory(&report->source, base, len);
	return open_source(report, err);
}

int rpt_report_configure(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_symbols_conf symbols = args->symbols;
	struct rpt_frames_conf frames;
	int rc = rpt_report_set_view(report, err);

	if (rc)
		return rc;
	symbols.shared_from =
		report->shared.is_busy ? NULL : report->shared.symbols;
	symbols.raw_names = !args->names.demangle;
	symbols.demangle_kernel &= args->names.demangle;
	symbols.with_parameters = args->is_verbose;
	symbols.with_bounds |= !args->names.raw_addresses;
	symbols.with_file_symbols = !args->names.raw_addresses &&
				    args->graph.key != RPT_FRAME_ADDRESS &&
				    !(report->rows_conf.keys.by & RPT_BY_DATA);
	set_unwind(report);
	if (!symbols.kallsyms && !symbols.vmlinux)
		symbols.kallsyms = report->source.dir.kallsyms;
	report->symbols = report->shared.is_lent ? report->shared.symbols
						 : rpt_symbols_new(&symbols);
	rpt_symbols_set_author(report->symbols, report->source.user);
	report->timeline = rpt_timeline_new(report->symbols);
	frames = (struct rpt_frames_conf){
		.inlines = args->names.inline_frames && may_unwind(report) &&
			   (report->rows_conf.chains ||
			    report->rows_conf.children),
		.full_paths = args->names.full_source_path,
		.is_verbose = args->is_verbose,
		.has_labels = report->rows_conf.chains,
	};
	rpt_frames_init(&report->frames, report->timeline, &frames);
	report->frames.key = args->graph.key;
	return 0;
}

void rpt_report_forget_samples(struct rpt_report *report)
{
	rpt_merged_events_release(&report->whole.events);
	free(report->whole.totals);
	report->whole.totals = NULL;
	free(report->order);
	report->order = NULL;
	rpt_frames_release(&report->frames);
	if (report->is_profiled)
		rpt_profile_release(&report->profile);
	report->is_profiled = false;
	rpt_sample_encoder_release(&report->encoder);
	rpt_unwind_free(report->unwind);
	report->unwind = NULL;
	rpt_timeline_free(report->timeline);
	report->timeline = NULL;
}

void rpt_report_close(struct rpt_report *report)
{
	rpt_filter_release(&report->filters.samples);
	rpt_phase_locks_release(&report->locks);
	free(report->host);
	free(report->view.sort_order);
	rpt_unnamed_rows_release(&report->whole.unnamed);
	rpt_text_string_free(report->view.cell_text);
	rpt_report_forget_samples(report);
	rpt_frame_match_release(&report->view.parent);
	rpt_frame_match_release(&report->view.ignored);
	rpt_sockets_release(&report->filters.sockets);
	rpt_event_switch_release(&report->filters.event_switch);
	rpt_tracepoints_free(report->tracepoints);
	if (!report->shared.is_lent)
		rpt_symbols_free(report->symbols);
	if (report->reader)
		pd_reader_close(report->reader);
	rpt_file_source_close(&report->source);
}

bool rpt_report_shows_lines(const struct rpt_report *report)
{
	unsigned by = report->rows_conf.keys.by;

	return by & RPT_BY_LINE || report->frames.key != RPT_FRAME_FUNCTION;
}

struct pd_damage rpt_report_damage(const struct rpt_report *report)
{
	struct pd_damage damage = *pd_reader_damage(report->reader);

	pd_damage_merge(&damage, &report->damage);
	pd_damage_merge(&damage, rpt_timeline_damage(report->timeline));
	pd_damage_merge(&damage, &report->profile.damage);
	return damage;
}

bool rpt_report_reads_samples(const struct rpt_report *report)
{
	return report->is_profiled || report->args->facts.stats;
}

bool rpt_report_is_damaged(const struct rpt_report *report)
{
	struct pd_damage damage = rpt_report_damage(report);

	return report->profile.samples.damaged_nr ||
	       report->profile.samples.unknown_id_nr || damage.skipped_nr ||
	       (rpt_report_reads_samples(report) &&
		damage.sample_nr < pd_reader_sample_nr(report->reader));
}
