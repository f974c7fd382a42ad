/* perfpair script: prints every sample as text, in the order of time. */
#include "report/commands/commands.h"
#include "report/cli/no_samples.h"
#include "report/cli/command_options.h"
#include "report/header/header_text.h"
#include "format/support/safe_text.h"
#include "report/cli/report_stats.h"
#include "report/events/event_name.h"
#include "report/events/stat_table.h"
#include "report/input/sample_pass.h"
#include "report/script/script_pool.h"

#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

/* All that exists while the records are read */
struct script_run {
	struct rpt_script_setup set;
	struct rpt_script_pool *pool; /* NULL: not yet */
	struct rpt_order order;
	struct rpt_stat_table counts; /* of perf stat record */
};

/* Return true if the bytes of the record stay where they are, as in a plain
 * file. */
static bool is_lasting(const struct rpt_recording_input *in,
		       const struct pd_record *rec)
{
	return rpt_file_source_holds(&in->source, rec->data);
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct script_run *run = ctx;

	(void)time_ns;
	return rpt_script_pool_add(run->pool, rec,
				   is_lasting(&run->set.in, rec));
}

static void print_header(const struct script_run *run)
{
	struct stat st = { 0 };

	stat(run->set.in.path, &st);
	rpt_header_print(stdout, run->set.in.reader, st.st_mtime,
			 run->set.args->full_header);
}

/* Print the counts of an event on the CPUs that pass the filter. */
static void print_event(struct rpt_stat_table *table,
			const struct rpt_filter *filter, size_t idx,
			uint64_t time_ns, FILE *out)
{
	const struct rpt_stat_cpus *cpus = rpt_stat_table_cpus(table, idx);
	const struct rpt_stat_cell *cell =
		&table->cells[table->of[idx].first_cell];
	char buf[RPT_EVENT_NAME_LEN];
	const char *name = rpt_event_name(&table->events->events[idx], buf);

	for (size_t i = 0; i < cpus->nr * table->tid_nr; i++, cell++) {
		int32_t cpu = cpus->items[i % cpus->nr];

		if (!rpt_stat_table_spend(table, 1))
			return;
		if (!rpt_filter_time(filter, 0, (uint32_t)cpu))
			continue;
		fprintf(out,
			"%3" PRId32 " %8" PRId32 " %15" PRIu64 " %15" PRIu64
			" %15" PRIu64 " %15" PRIu64 " ",
			cpu, table->tids[i / cpus->nr], cell->now.value,
			cell->now.enabled_ns, cell->now.running_ns, time_ns);
		sup_put_safe(out, (struct pd_str){ name, strlen(name) });
		fputc('\n', out);
	}
}

/* Print the round of perf stat record that ends at rec, a STAT_ROUND: a line
 * for each cell of the table. */
static void print_round(struct rpt_stat_table *table,
			const struct rpt_filter *filter,
			const struct pd_record *rec, FILE *out)
{
	struct pd_body body;

	if (!table->cells || pd_body_read(rec, 0, &body, NULL))
		return;
	if (!table->is_titled)
		fprintf(out, "%3s %8s %15s %15s %15s %15s %s\n", "CPU",
			"THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT");
	table->is_titled = true;
	rpt_stat_table_round(table);
	for (size_t i = 0; i < table->events->nr; i++)
		print_event(table, filter, i, body.u.stat_round.time_ns, out);
}

static int print_counts(struct script_run *run, const struct pd_record *rec)
{
	int rc = rpt_script_pool_flush(run->pool);

	/* perf report -D has the records alone. */
	if (!rc && !run->set.args->is_report_dump && !run->set.args->is_json)
		print_round(&run->counts, &run->set.filter, rec, stdout);
	return rc;
}

static bool is_shown(const struct script_run *run, const struct pd_record *rec)
{
	return rec->type == PD_RECORD_SAMPLE || run->set.args->is_dump ||
	       rpt_script_event_is_shown(run->set.args->show, rec->type);
}

static int end_round(struct script_run *run, const struct pd_record *rec)
{
	int rc = run->set.args->is_dump ? deliver(run, rec, 0) : 0;

	if (!rc && !pd_reader_has_parts(run->set.in.reader))
		rc = rpt_order_round(&run->order);
	return rc;
}

static uint64_t order_of(const struct script_run *run,
			 const struct pd_record *rec)
{
	const struct pd_event_set *events =
		pd_reader_events(run->set.in.reader);

	return pd_event_set_order(
		events, rec->type == PD_RECORD_SAMPLE
				? pd_event_set_time_of_sample(events, rec)
				: pd_event_set_time_of(events, rec));
}

static int put_in_order(struct script_run *run, const struct pd_record *rec)
{
	const struct rpt_pass_input in = { .source = &run->set.in.source,
					   .reader = run->set.in.reader,
					   .damage = &run->set.in.damage };
	uint64_t time_ns;

	/* as in perf: if rounds are shown, all is in the order of the file */
	if (run->set.args->show[RPT_SHOW_ROUND] ||
	    run->set.args->is_unsorted_dump)
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
	bool is_reported = pd_reader_has_damage_in(run->set.in.reader, rec);
	int rc = put_in_order(run, rec);
	struct pd_damage twice = { 0 };

	if (!rc)
		rpt_stat_table_take(&run->counts, rec,
				    is_reported ? &twice : &run->set.in.damage);
	return rc || rec->type != PD_RECORD_STAT_ROUND ? rc
						       : print_counts(run, rec);
}

static int print_all(struct script_run *run, struct pd_err *err)
{
	struct pd_records it;
	struct pd_record rec;
	int rc, more, last;

	if (run->set.args->is_dump &&
	    pd_reader_events(run->set.in.reader)->is_file_ordered)
		puts("WARNING: No sample_id_all support, falling back to "
		     "unordered processing");
	rpt_order_init(&run->order, deliver, run);
	rpt_order_allow(&run->order, run->set.in.reader);
	rpt_stat_table_init(&run->counts, pd_reader_events(run->set.in.reader),
			    RPT_STAT_LINES_LEAST +
				    pd_reader_len(run->set.in.reader));
	pd_records_init(&it, run->set.in.reader,
			pd_reader_data(run->set.in.reader));
	do {
		rc = more = pd_records_next(&it, &rec, err);
		if (more > 0)
			rc = take(run, &rec);
	} while (more > 0 && !rc);
	/* show all that was read before the error */
	if (more <= 0 || rc == RPT_PASS_STOP) {
		last = rpt_order_finish(&run->order);
		rc = rc < 0 ? rc : last;
	}
	if (!more && rpt_warn_missing(run->set.in.path, run->set.in.reader,
				      it.damage.sample_nr))
		run->set.in.exit_code = RPT_EXIT_DAMAGED;
	pd_damage_merge(&run->set.in.damage, &it.damage);
	pd_records_release(&it);
	rpt_order_release(&run->order);
	last = rpt_script_pool_finish(run->pool);
	rc = rc ? rc : last;
	if (rc == -EPIPE)
		return 0;
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

static void warn_damaged_samples(struct script_run *run)
{
	struct pd_damage damage = { .skipped_nr = 0 };
	struct rpt_script_counts counts;

	if (!run->pool)
		return;
	counts = rpt_script_pool_counts(run->pool);
	if (counts.unknown_id_nr) {
		sup_message("%s: %" PRIu64 " sample%s of events that the file "
			    "does not describe",
			    run->set.in.path, counts.unknown_id_nr,
			    counts.unknown_id_nr == 1 ? "" : "s");
		if (run->set.in.exit_code == RPT_EXIT_OK)
			run->set.in.exit_code = RPT_EXIT_DAMAGED;
	}
	if (!counts.damaged_nr)
		return;
	damage.skipped_nr = counts.damaged_nr;
	damage.first = counts.damage;
	pd_damage_merge(&run->set.in.damage, &damage);
}

static void warn_strange_counts(struct script_run *run)
{
	const struct rpt_stat_table *counts = &run->counts;

	if (counts->strange_nr)
		sup_message("%s: %" PRIu64 " count%s of events, CPUs or "
			    "threads that the file does not list",
			    run->set.in.path, counts->strange_nr,
			    counts->strange_nr == 1 ? "" : "s");
	if (counts->is_full)
		sup_message("%s: not all lines of counts are shown: there are "
			    "more than in a recording of that length",
			    run->set.in.path);
	if ((counts->strange_nr || counts->is_full) &&
	    run->set.in.exit_code == RPT_EXIT_OK)
		run->set.in.exit_code = RPT_EXIT_DAMAGED;
}

/* Print how many records there are of each type.  The dump has reported the
 * skipped ones. */
static void print_stats(struct script_run *run)
{
	struct rpt_stats stats;

	rpt_stats_count(&stats, run->set.in.reader);
	rpt_stats_print(&stats, run->set.in.reader, false, stdout);
	rpt_stats_release(&stats);
}

/* Print why no sample was shown, unless something else was asked for. */
static void warn_nothing_shown(struct script_run *run)
{
	const struct rpt_script_args *args = run->set.args;
	const struct rpt_sample_choice choice = {
		.filter = &args->filter,
		.event_switch = &args->event_switch,
	};
	bool shows_others = args->is_dump || run->counts.is_titled;

	for (int i = 0; i < RPT_SHOW_NR; i++)
		shows_others |= args->show[i];
	if (shows_others || !run->pool ||
	    rpt_script_pool_counts(run->pool).chosen_nr)
		return;
	rpt_recording_input_tell(&run->set.in);
	rpt_warn_no_samples(run->set.in.path, run->set.in.reader, &choice);
}

static void run_script(struct script_run *run)
{
	const struct rpt_script_args *args = run->set.args;
	struct rpt_recording_input *in = &run->set.in;
	struct pd_err err = PD_ERR_INIT;
	int rc = 0;

	pd_reader_set_ratio(in->reader, args->max_ratio);
	if (args->header || args->header_only)
		print_header(run);
	if (!args->header_only) {
		rc = rpt_script_setup_read(&run->set, &err);
		if (!rc)
			rc = rpt_script_pool_new(&run->pool, &run->set, stdout,
						 &err);
		if (!rc)
			rc = print_all(run, &err);
		if (!rc && args->is_report_dump)
			print_stats(run);
	}
	if (rc)
		in->exit_code = rpt_warn_failed(in->path, rc, &err);
	warn_damaged_samples(run);
	if (!rc && !args->header_only)
		warn_nothing_shown(run);
	warn_strange_counts(run);
	if (run->set.unwind)
		rpt_user_stack_warn(in->path, run->set.unwind);
	rpt_warn_withheld(run->set.symbols);
	if (run->set.symbols)
		rpt_warn_dispute(in->path, run->set.symbols);
	rpt_stat_table_release(&run->counts);
}

int rpt_script_run(const struct rpt_script_args *args)
{
	struct script_run run = { 0 };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_script_setup_init(&run.set, args, &err);
	bool is_open = false;
	int exit_code;

	if (rpt_options_are_good(rc, &rpt_script_command, &err, &exit_code)) {
		exit_code = rpt_recording_input_open(&run.set.in, args->input);
		is_open = !exit_code;
	}
	if (is_open)
		run_script(&run);
	rpt_script_pool_free(run.pool);
	rpt_script_setup_release(&run.set);
	return is_open ? rpt_recording_input_close(&run.set.in) : exit_code;
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
