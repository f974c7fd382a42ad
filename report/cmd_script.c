/* perfpair script: every sample as text, in the order of time. */
#include "report/command_options.h"
#include "report/header_text.h"
#include "report/input.h"
#include "report/kernel_prefetch.h"
#include "report/report_stats.h"
#include "report/running_kernel.h"
#include "report/sample_pass.h"
#include "report/script_args.h"
#include "report/script_pool.h"
#include "report/stat_lines.h"
#include "report/stitch_pass.h"
#include "report/timeline_budget.h"
#include "report/tracepoint_load.h"

#include "format/feature.h"
#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Everything that lives while the records go by. */
struct script_run {
	const struct rpt_script_args *args;
	struct rpt_filter filter;
	struct rpt_intern stops;
	struct rpt_guest_ids guests;
	struct rpt_input in;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints;
	struct rpt_unwind *unwind;
	struct rpt_script_pool *pool;
	struct rpt_order order;
	struct rpt_stat_table counts; /* of perf stat record */
};

/* Records of plain files stay where they are; others are copied. */
static bool is_lasting(const struct rpt_input *in, const struct pd_record *rec)
{
	return rpt_file_source_holds(&in->source, rec->data);
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct script_run *run = ctx;

	(void)time_ns;
	return rpt_script_pool_add(run->pool, rec, is_lasting(&run->in, rec));
}

static void print_header(const struct script_run *run)
{
	struct rpt_header_conf conf = { .full = run->args->full_header };
	struct stat st;

	if (stat(run->in.path, &st) == 0)
		conf.captured_on = st.st_mtime;
	rpt_header_print(stdout, run->in.reader, &conf);
}

/* Where the file does not say, those of most. */
static const struct rpt_reg_names *reg_names_of(struct pd_str machine)
{
	return machine.len ? rpt_reg_names_of(machine.ptr, machine.len)
			   : rpt_reg_names_of("x86_64", 6);
}

/* Whether samples may need the kernel's names. */
static bool may_show_kernel(const struct script_run *run,
			    const struct rpt_script_fields *fields)
{
	const struct pd_event_set *events = pd_reader_events(run->in.reader);
	bool may_need = false;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;
		uint64_t of = fields->of[rpt_script_type_of(attr)];

		if (rpt_script_is_dummy(attr))
			continue;
		may_need |= (of & RPT_FIELD_IP) &&
			    !(attr->flags & PD_ATTR_EXCLUDE_KERNEL);
	}
	return may_need && run->args->jobs != 1;
}

static int load_timeline(struct script_run *run,
			 const struct rpt_script_fields *fields,
			 struct pd_err *err)
{
	bool may_need = may_show_kernel(run, fields);
	struct rpt_symbols_conf conf = run->args->symbols;
	struct rpt_pieces pieces = { 0 };
	int rc;

	if (!conf.kallsyms && !conf.vmlinux)
		conf.kallsyms = run->in.source.dir.kallsyms;
	run->symbols = rpt_symbols_new(&conf);
	if (run->symbols)
		run->timeline = rpt_timeline_new(run->symbols);
	if (!run->timeline)
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (may_need && rpt_is_running_release(run->in.reader))
		rpt_symbols_expect_running_kernel(run->symbols);
	rc = rpt_timeline_load(run->timeline, run->in.reader, &pieces, err);
	pd_damage_merge(&run->in.damage, rpt_timeline_damage(run->timeline));
	if (!rc && may_need)
		rpt_symbols_prefetch_kernel(run->symbols);
	return rc;
}

/* --stitch-lbr */
static int stitch(struct script_run *run, struct pd_err *err)
{
	const struct rpt_stitch_pass pass = {
		.in = { &run->in.source, run->in.reader, &run->in.damage,
			true },
		.timeline = run->timeline,
		.max_stack = run->args->max_stack,
		.lost_max = RPT_CHAIN_NR,
		.filter = &run->filter,
	};

	return rpt_stitch_pass(&pass, err);
}

static uint64_t asked_fields(const struct rpt_script_fields *fields)
{
	uint64_t asked = 0;

	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		asked |= fields->asked[t];
	return asked;
}

/* What lies where is not known before all samples were looked at: a pass of its
 * own, with a budget that is not that of what is printed. */
static int fetch_debug(struct script_run *run,
		       const struct rpt_script_fields *fields,
		       struct pd_err *err)
{
	struct rpt_budget *budget = rpt_timeline_budget(run->timeline);
	uint64_t left = budget->left;
	struct rpt_profile_conf conf = {
		.reader = run->in.reader,
		.timeline = run->timeline,
		.with_chains = !run->args->hide_chains,
		.is_stitched = run->args->stitch_lbr,
		.filter = &run->filter,
	};
	struct rpt_profile profile;
	struct rpt_debug_wish wish = {
		&profile,
		asked_fields(fields) & (RPT_FIELD_SRCLINE | RPT_FIELD_SRCCODE),
	};
	int rc = rpt_profile_init(&profile, &conf, err);

	if (rc)
		return rc;
	rc = rpt_profile_add_piece(&profile, pd_reader_data(run->in.reader),
				   err);
	if (!rc)
		rc = rpt_fetch_wishes(&run->args->debuginfod, &wish, 1, err);
	rpt_profile_release(&profile);
	budget->left = left;
	return rc;
}

static int load_formats(struct script_run *run)
{
	return rpt_tracepoints_load(&run->tracepoints, run->in.reader,
				    &run->in.damage);
}

static int read_guests(struct script_run *run, struct rpt_script_conf *conf,
		       struct pd_err *err)
{
	if (!(asked_fields(&conf->fields) &
	      (RPT_FIELD_GUEST_PID | RPT_FIELD_VCPU)))
		return 0;
	conf->guests = &run->guests;
	return rpt_guest_ids_load(&run->guests, run->in.reader, err);
}

/* What the time of day is ahead of the times of records. */
static int read_clock(const struct script_run *run,
		      struct rpt_script_conf *conf, struct pd_err *err)
{
	struct pd_clock_data data = { 0 };
	struct pd_cursor c;

	if (!(asked_fields(&conf->fields) & RPT_FIELD_TOD))
		return 0;
	if (!pd_reader_feature(run->in.reader, PD_FEATURE_CLOCK_DATA, &c) ||
	    pd_feature_clock_data_read(&c, &data))
		return pd_err_set(err, -EINVAL,
				  "no clock data; the field 'tod' needs a "
				  "recording with -k CLOCKID");
	conf->tod_shift_ns = (int64_t)(data.wall_clock_ns - data.clockid_ns);
	return 0;
}

/* What options and file tell; names and formats are added by prepare(). */
static struct rpt_script_conf conf_of(const struct script_run *run,
				      struct pd_str machine)
{
	const struct rpt_script_args *args = run->args;

	return (struct rpt_script_conf){
		.reader = run->in.reader,
		.fields = args->fields,
		.reg_names = reg_names_of(machine),
		.is_ns = args->is_ns,
		.is_reltime = args->is_reltime,
		.is_deltatime = args->is_deltatime,
		.hide_chains = args->hide_chains,
		.is_latency = args->is_latency,
		.hide_inlined = !args->inline_frames,
		.is_full_path = args->is_full_path,
		.is_kernel_path = args->is_kernel_path,
		.stops = args->stops ? &run->stops : NULL,
		.show = args->show,
		.dump_path = args->is_dump ? run->in.path : NULL,
		.dump_dir = &run->in.source.dir,
		.is_unsorted = args->is_unsorted_dump,
		.is_report_dump = args->is_report_dump,
		.switch_on = args->switch_on,
		.switch_off = args->switch_off,
		.show_switches = args->show_switches,
		.dump_prefix = args->is_per_event ? run->in.path : NULL,
		.max_stack = args->max_stack,
		.is_stitched = args->stitch_lbr,
		.filter = &run->filter,
	};
}

/* What the fields that are asked for need of the file. */
static int read_fields(struct script_run *run, struct rpt_script_conf *conf,
		       struct pd_err *err)
{
	int rc = 0;

	if (run->args->is_report_dump)
		conf->fields = (struct rpt_script_fields){ 0 };
	else
		rc = rpt_script_fields_settle(&conf->fields, run->in.reader,
					      !run->args->hide_chains, err);
	if (!rc)
		rc = rpt_filter_settle(&run->filter, &run->args->filter,
				       run->in.reader, err);
	if (!rc)
		rc = read_clock(run, conf, err);
	return rc ? rc : read_guests(run, conf, err);
}

static int prepare(struct script_run *run, struct pd_err *err)
{
	const struct rpt_script_args *args = run->args;
	struct pd_str machine =
		pd_reader_string(run->in.reader, PD_FEATURE_ARCH);
	struct rpt_script_conf conf = conf_of(run, machine);
	int rc = read_fields(run, &conf, err);

	if (!rc)
		rc = load_timeline(run, &conf.fields, err);
	if (!rc && args->stitch_lbr)
		rc = stitch(run, err);
	if (!rc && args->debuginfod.is_asked)
		rc = fetch_debug(run, &conf.fields, err);
	if (!rc)
		rc = load_formats(run);
	if (rc)
		return rc;
	run->unwind = rpt_unwind_new(rpt_arch_of(machine.ptr, machine.len));
	if (!run->unwind)
		return -ENOMEM;
	conf.timeline = run->timeline;
	conf.tracepoints = run->tracepoints;
	conf.unwind = run->unwind;
	return rpt_script_pool_new(&run->pool, &conf, args->jobs, stdout, err);
}

/* What perf stat record counted, where each round ends. */
static int print_counts(struct script_run *run, const struct pd_record *rec)
{
	int rc = rpt_script_pool_flush(run->pool);

	if (!rc)
		rpt_stat_lines_print(&run->counts, &run->filter, rec, stdout);
	return rc;
}

static bool is_shown(const struct script_run *run, const struct pd_record *rec)
{
	return rec->type == PD_RECORD_SAMPLE || run->args->is_dump ||
	       rpt_script_event_is_shown(run->args->show, rec->type);
}

static int end_round(struct script_run *run, const struct pd_record *rec)
{
	int rc = run->args->is_dump ? deliver(run, rec, 0) : 0;

	if (!rc && !pd_reader_has_parts(run->in.reader))
		rc = rpt_order_round(&run->order);
	return rc;
}

static uint64_t order_of(const struct script_run *run,
			 const struct pd_record *rec)
{
	const struct pd_event_set *events = pd_reader_events(run->in.reader);

	return pd_event_set_order(
		events, rec->type == PD_RECORD_SAMPLE
				? pd_event_set_time_of_sample(events, rec)
				: pd_event_set_time_of(events, rec));
}

static int put_in_order(struct script_run *run, const struct pd_record *rec)
{
	const struct rpt_pass_input in = { &run->in.source, run->in.reader,
					   &run->in.damage, false };
	uint64_t time_ns;

	/* as in perf: where rounds are shown, all is in the order of the file
	 */
	if (run->args->show[RPT_SHOW_ROUND] || run->args->is_unsorted_dump)
		return is_shown(run, rec) ? deliver(run, rec, 0) : 0;
	if (rec->type == PD_RECORD_FINISHED_ROUND)
		return end_round(run, rec);
	if (!is_shown(run, rec))
		return 0;
	time_ns = order_of(run, rec);
	if (!time_ns)
		return deliver(run, rec, 0);
	return rpt_pass_add(&in, &run->order, rec, time_ns);
}

static int take(struct script_run *run, const struct pd_record *rec)
{
	bool is_told = pd_reader_tells_of(run->in.reader, rec);
	int rc = put_in_order(run, rec);
	struct pd_damage twice = { 0 };

	if (!rc)
		rc = rpt_stat_table_take(&run->counts, rec,
					 is_told ? &twice : &run->in.damage);
	return rc || !rpt_stat_table_is_due(rec) ? rc : print_counts(run, rec);
}

static int print_all(struct script_run *run, struct pd_err *err)
{
	struct pd_records it;
	struct pd_record rec;
	int rc, more, last;

	if (run->args->is_dump &&
	    pd_reader_events(run->in.reader)->is_file_ordered)
		puts("WARNING: No sample_id_all support, falling back to "
		     "unordered processing");
	rpt_order_init(&run->order, deliver, run);
	rpt_order_allow(&run->order, run->in.reader);
	rpt_stat_table_init(&run->counts, pd_reader_events(run->in.reader),
			    RPT_STAT_LINES_LEAST +
				    pd_reader_len(run->in.reader));
	pd_records_init(&it, run->in.reader, pd_reader_data(run->in.reader));
	do {
		rc = more = pd_records_next(&it, &rec, err);
		if (more > 0)
			rc = take(run, &rec);
	} while (more > 0 && !rc);
	/* what was read before the trouble is shown */
	if (more <= 0 || rc == RPT_PASS_STOP) {
		last = rpt_order_finish(&run->order);
		rc = rc < 0 ? rc : last;
	}
	pd_damage_merge(&run->in.damage, &it.damage);
	pd_records_release(&it);
	rpt_order_release(&run->order);
	last = rpt_script_pool_finish(run->pool);
	rc = rc ? rc : last;
	if (rc == -EPIPE)
		return 0;
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

static int add_stops(struct script_run *run, struct pd_err *err)
{
	const char *p = run->args->stops;

	for (; p && *p; p += *p == ',') {
		size_t len = strcspn(p, ",");

		if (len && rpt_intern(&run->stops, p, len) < 0)
			return pd_err_set(err, -ENOMEM, "out of memory");
		p += len;
	}
	return 0;
}

static void tell_damaged_samples(struct script_run *run)
{
	struct pd_damage damage = { .skipped_nr = 0 };
	struct rpt_script_counts counts;

	if (!run->pool)
		return;
	counts = rpt_script_pool_counts(run->pool);
	if (counts.unknown_id_nr) {
		sup_message("%s: %" PRIu64 " sample%s of events that the file "
			    "does not describe",
			    run->in.path, counts.unknown_id_nr,
			    counts.unknown_id_nr == 1 ? "" : "s");
		if (run->in.exit_code == RPT_EXIT_OK)
			run->in.exit_code = RPT_EXIT_DAMAGED;
	}
	if (!counts.damaged_nr)
		return;
	damage.skipped_nr = counts.damaged_nr;
	damage.first = counts.damage;
	pd_damage_merge(&run->in.damage, &damage);
}

static void tell_strange_counts(struct script_run *run)
{
	const struct rpt_stat_table *counts = &run->counts;

	if (counts->strange_nr)
		sup_message("%s: %" PRIu64 " count%s of events, CPUs or "
			    "threads that the file does not list",
			    run->in.path, counts->strange_nr,
			    counts->strange_nr == 1 ? "" : "s");
	if (counts->is_full)
		sup_message("%s: not all lines of counts are shown: there are "
			    "more than in a recording of that length",
			    run->in.path);
	if ((counts->strange_nr || counts->is_full) &&
	    run->in.exit_code == RPT_EXIT_OK)
		run->in.exit_code = RPT_EXIT_DAMAGED;
}

/* What was passed over is told of by the dump. */
static int print_stats(struct script_run *run, struct pd_err *err)
{
	struct rpt_stats stats;
	int rc = rpt_stats_count(&stats, run->in.reader, err);

	if (!rc)
		rpt_stats_print(&stats, run->in.reader, stdout);
	rpt_stats_release(&stats);
	return rc;
}

static void release(struct script_run *run)
{
	rpt_script_pool_free(run->pool);
	rpt_stat_table_release(&run->counts);
	rpt_guest_ids_release(&run->guests);
	rpt_unwind_free(run->unwind);
	rpt_tracepoints_free(run->tracepoints);
	rpt_timeline_free(run->timeline);
	rpt_symbols_free(run->symbols);
}

static int run_script(struct script_run *run)
{
	const struct rpt_script_args *args = run->args;
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_input_open(&run->in, args->input);

	if (rc)
		return rc;
	pd_reader_set_ratio(run->in.reader, args->max_ratio);
	if (args->header || args->header_only)
		print_header(run);
	if (!args->header_only) {
		rc = prepare(run, &err);
		if (!rc)
			rc = print_all(run, &err);
		else
			pd_err_set(&err, rc, "%s", strerror(-rc));
		if (!rc && args->is_report_dump)
			rc = print_stats(run, &err);
	}
	if (rc) {
		sup_message_err(run->in.path, &err);
		run->in.exit_code =
			rc == -EINVAL ? RPT_EXIT_USAGE : RPT_EXIT_FAILED;
	}
	tell_damaged_samples(run);
	tell_strange_counts(run);
	if (run->unwind)
		rpt_user_stack_tell(run->in.path, run->unwind);
	release(run);
	return rpt_input_close(&run->in);
}

int rpt_script_run(const struct rpt_script_args *args)
{
	struct script_run run = { .args = args };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_filter_parse(&run.filter, &args->filter, &err);
	int exit_code;

	if (!rc)
		rc = add_stops(&run, &err);
	if (rpt_options_are_good(rc, &rpt_script_command, &err, &exit_code))
		exit_code = run_script(&run);
	rpt_filter_release(&run.filter);
	rpt_intern_release(&run.stops);
	return exit_code;
}

int rpt_cmd_script(int argc, char **argv)
{
	struct rpt_script_args args;
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_script_args_parse(&args, argc, argv, &err);
	int exit_code;

	if (!rpt_options_are_good(rc, &rpt_script_command, &err, &exit_code))
		return exit_code;
	return rpt_script_run(&args);
}
