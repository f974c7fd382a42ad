#include "record/stat/stat_report.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "format/support/message.h"
#include "format/support/out_place.h"
#include "record/base/runtime.h"
#include "record/stat/stat_file.h"
#include "record/stat/stat_print.h"

enum { EXIT_DAMAGED = 3, HEAD_EACH = 25 };

struct report {
	const struct rec_stat_args *args;
	struct rec_stat_file_read file;
	struct rec_stat_groups groups;
	struct rec_stat_sheet sheet;
	struct rec_stat_print print;
	struct rec_counts before; /* at the end of the last interval */
	struct rec_counts of_interval;
	uint32_t printed_nr; /* intervals */
	bool is_printed;     /* the final counts */
};

static int print_sheet(struct report *r)
{
	r->print.own_cpu_ns = rec_own_cpu_ns();
	if (r->args->metric_only)
		return rec_stat_print_metric_only(
			&r->print, &r->sheet,
			r->args->json  ? REC_STAT_JSON
			: r->args->sep ? REC_STAT_CSV
				       : REC_STAT_TEXT,
			!r->print.is_interval ||
				r->printed_nr % HEAD_EACH == 1);
	if (r->args->json)
		return rec_stat_print_json(&r->print, &r->sheet);
	if (r->args->sep)
		return rec_stat_print_csv(&r->print, &r->sheet);
	return rec_stat_print_text(&r->print, &r->sheet);
}

/* As perf does, print no CPUs utilized of an interval: its length is not in the
 * file, only its end. */
static int print_interval(struct report *r, uint64_t time_ns)
{
	bool is_text = !r->args->sep && !r->args->json && !r->args->metric_only;

	rec_counts_subtract(&r->of_interval, &r->file.counts, &r->before);
	rec_counts_copy(&r->before, &r->file.counts);
	rec_stat_sheet_clear(&r->sheet);
	rec_stat_sheet_add(&r->sheet, &r->of_interval, 0);
	if (is_text && r->printed_nr % HEAD_EACH == 0)
		rec_stat_print_interval_head(&r->print, r->groups.mode);
	r->printed_nr++;
	r->print.is_interval = true;
	r->print.time_ns = (double)time_ns;
	return print_sheet(r);
}

static int print_final(struct report *r, uint64_t time_ns)
{
	r->is_printed = true;
	rec_stat_sheet_clear(&r->sheet);
	rec_stat_sheet_add(&r->sheet, &r->file.counts, (double)time_ns);
	r->print.is_interval = false;
	return print_sheet(r);
}

static int print_round(void *ctx, const struct pd_stat_round *round)
{
	struct report *r = ctx;

	if (round->round_type == PD_STAT_ROUND_INTERVAL)
		return print_interval(r, round->time_ns);
	if (r->file.interval_ms || r->is_printed)
		return 0;
	return print_final(r, round->time_ns);
}

/* The options go before what the file says. */
static enum rec_stat_mode choose_mode(const struct report *r)
{
	const struct rec_stat_args *args = r->args;
	enum rec_stat_mode said = rec_stat_args_mode(args, r->file.mode);
	bool by_cpu = said != REC_STAT_GLOBAL && said != REC_STAT_THREAD;

	if (!by_cpu || !r->file.target.any_cpu)
		return said;
	sup_message("the file has counts of tasks, wherever they ran: they "
		    "cannot be added up by CPU");
	return r->file.mode == REC_STAT_THREAD ? REC_STAT_THREAD
					       : REC_STAT_GLOBAL;
}

static int init(struct report *r)
{
	static const struct rec_metric_host host = { .cores = REC_CORE_ANY };
	const struct rec_stat_file_read *file = &r->file;
	const struct rec_stat_sheet_conf conf = {
		.events = &file->events,
		.refused = file->refused,
		.groups = &r->groups,
		.run_cap = 1,
		.no_scale = file->no_scale,
		.host = &host,
	};
	int rc = rec_stat_groups_init_places(&r->groups, choose_mode(r),
					     &file->target, file->places);

	if (!rc)
		rc = rec_stat_sheet_init(&r->sheet, &conf);
	for (int i = 0; i < 2 && !rc; i++)
		rc = rec_counts_init(
			i ? &r->before : &r->of_interval, file->counts.event_nr,
			file->counts.place_nr, file->counts.thread_nr);
	r->print = (struct rec_stat_print){
		.out = stderr,
		.sep = r->args->sep,
		.title = file->title,
		.big_num = r->args->big_num,
		.details = r->args->json_details,
	};
	return rc;
}

/* Say what could not be read.  Return the exit status. */
static int say_damage(const struct report *r, const char *path, int rc,
		      const struct pd_err *why)
{
	const struct rec_stat_file_read *file = &r->file;
	const struct pd_damage *opened = pd_reader_damage(file->reader);
	bool has_rounds = r->printed_nr || r->is_printed;
	int status = 0;

	if (rc || file->damage.skipped_nr || opened->skipped_nr) {
		sup_message_err(path, rc ? why
				      : file->damage.skipped_nr
					      ? &file->damage.first
					      : &opened->first);
		status = EXIT_DAMAGED;
	}
	if (file->skipped_nr) {
		sup_message("%s: %" PRIu64 " counts belong to no event, CPU "
			    "or thread of the file, and were left out",
			    path, file->skipped_nr);
		status = EXIT_DAMAGED;
	}
	if (!has_rounds) {
		sup_message("%s: it ends before its counts do", path);
		status = EXIT_DAMAGED;
	}
	return status;
}

static int open_out(struct report *r, struct pd_err *err)
{
	const char *name = r->args->output;

	if (!name)
		return 0;
	r->print.out = strcmp(name, "-") != 0
			       ? sup_place_fopen(name, false, err)
			       : stdout;
	if (r->print.out)
		return 0;
	r->print.out = stderr;
	return err->code;
}

static int print_file(struct report *r, const char *path, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	int rc = init(r);
	int read;

	if (rc)
		return pd_err_set(err, rc, "%s", strerror(-rc));
	rc = open_out(r, err);
	if (rc)
		return rc;
	if (!r->args->sep && !r->args->json)
		setlocale(LC_NUMERIC, "");
	read = rec_stat_file_read_rounds(&r->file, print_round, r, &why);
	/* The last counts of a file that was cut are those of its end. */
	if (!read && !r->printed_nr && !r->is_printed && r->file.is_cut)
		rc = print_final(r, 0);
	setlocale(LC_NUMERIC, "C");
	if (read == -ENOMEM)
		rc = read;
	if (fflush(r->print.out) || ferror(r->print.out))
		rc = pd_err_set(err, -EIO, "the counts could not be written");
	return rc ? rc : say_damage(r, path, read, &why);
}

int rec_stat_report(const struct rec_stat_args *args, struct pd_err *err)
{
	struct report r = { .args = args };
	const char *path = args->input ? args->input : "perf.data";
	struct pd_err why = PD_ERR_INIT;
	int rc = rec_stat_file_read_open(&r.file, path, &why);

	if (rc) {
		pd_err_set(err, rc, "%s: %s", path, why.text);
		pd_err_hint(err, "%s", why.hint);
		return rc;
	}
	rc = print_file(&r, path, err);
	rec_stat_sheet_release(&r.sheet);
	rec_stat_groups_release(&r.groups);
	rec_counts_release(&r.before);
	rec_counts_release(&r.of_interval);
	rec_stat_file_read_close(&r.file);
	return rc;
}
