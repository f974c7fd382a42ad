#include "record/stat/stat.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "format/support/message.h"
#include "format/support/out_place.h"
#include "record/base/runtime.h"
#include "record/event/pmu.h"
#include "record/stat/stat_file.h"
#include "record/stat/stat_print.h"
#include "record/stat/stat_report.h"
#include "record/stat/stat_run.h"

enum { EXIT_USAGE = 2, EXIT_FAILED = 255, HEAD_EACH = 25, US_OF_NS = 1000 };

struct counting {
	struct rec_stat_args *args;
	struct rec_stat_run run;
	struct rec_stat_sheet sheet;	   /* of all runs */
	struct rec_stat_sheet of_interval; /* -I */
	struct rec_stat_print print;
	struct rec_stat_file file; /* stat record */
	FILE *out;
	uint32_t printed_nr; /* intervals */
	int failed_status;   /* of the last run whose command failed */
	int failed_signal;   /* that ended a command */
	bool is_ready;	     /* the sheets are */
	bool has_head;	     /* the interval begins with the columns' names */
};

static void note(const struct pd_err *text)
{
	sup_message("%s", text->text);
	if (text->hint[0])
		sup_message("%s", text->hint);
}

static int open_output(struct counting *s, struct pd_err *err)
{
	const struct rec_stat_args *args = s->args;
	bool is_quiet = args->quiet || (args->records && s->file.out.is_pipe);
	const char *name = is_quiet	   ? "/dev/null"
			   : args->records ? NULL
					   : args->output;
	time_t now = time(NULL);
	char text[32];

	if (args->log_fd >= 0 && !is_quiet)
		s->out = fdopen(args->log_fd, "w");
	else if (!name)
		s->out = stderr;
	else if (!strcmp(name, "-"))
		s->out = stdout;
	else
		s->out = sup_place_fopen(name, args->append, err);
	if (!s->out && args->log_fd >= 0)
		return pd_err_set(err, -errno, "--log-fd %d: %s", args->log_fd,
				  strerror(errno));
	if (!s->out)
		return err->code;
	/* JSON has no comments; newer perf writes none there, either. */
	if (s->out != stderr && s->out != stdout && args->log_fd < 0 &&
	    !is_quiet && !args->json)
		fprintf(s->out, "# started on %s\n", ctime_r(&now, text));
	return 0;
}

static int print_sheet(struct counting *s, const struct rec_stat_sheet *sheet)
{
	s->print.own_cpu_ns = rec_own_cpu_ns();
	/* the sum of intervals has no fields of its own behind -x */
	if (s->args->metric_only)
		return rec_stat_print_metric_only(
			&s->print, sheet,
			s->args->json  ? REC_STAT_JSON
			: s->args->sep ? REC_STAT_CSV
				       : REC_STAT_TEXT,
			s->print.is_interval
				? s->has_head
				: !s->args->interval_ms || !s->args->sep);
	if (s->args->json)
		return rec_stat_print_json(&s->print, sheet);
	if (s->args->sep)
		return rec_stat_print_csv(&s->print, sheet);
	return rec_stat_print_text(&s->print, sheet);
}

static int init_sheet(struct counting *s, struct rec_stat_sheet *ret,
		      size_t cap)
{
	const struct rec_stat_sheet_conf conf = {
		.events = &s->args->events,
		.refused = s->run.counters.refused,
		.groups = &s->run.groups,
		.run_cap = cap,
		.no_scale = !s->args->scale,
		.host = &s->args->host,
		.metrics = s->args->metrics,
		.metric_nr = s->args->metric_nr,
	};

	return rec_stat_sheet_init(ret, &conf);
}

/* The sheets know the events that the machine lacks: so they are made once the
 * first run's counters are open. */
static int make_sheets(struct counting *s)
{
	const struct rec_stat_args *args = s->args;
	int rc;

	s->sheet.conf.refused = s->run.counters.refused;
	s->of_interval.conf.refused = s->run.counters.refused;
	if (s->is_ready)
		return 0;
	s->is_ready = true;
	rc = init_sheet(s, &s->sheet, args->repeat_nr ? args->repeat_nr : 1);
	return rc ? rc : init_sheet(s, &s->of_interval, 1);
}

static int print_interval(struct rec_stat_run *run, void *ctx,
			  struct pd_err *err)
{
	struct counting *s = ctx;
	uint64_t now = rec_now_ns();
	bool is_text = !s->args->sep && !s->args->json;
	int rc = make_sheets(s);

	if (!rc && s->args->records)
		rc = rec_stat_file_add(&s->file, true, now - run->start_ns,
				       err);
	if (rc)
		return rc;
	rec_stat_sheet_clear(&s->of_interval);
	rec_stat_sheet_add(&s->of_interval, &run->of_interval,
			   (double)(now - run->last_ns));
	if (s->args->interval_clear)
		fputs("\033[H\033[2J", s->out);
	s->has_head = s->args->interval_clear || s->printed_nr % HEAD_EACH == 0;
	if (s->has_head && is_text && !s->args->metric_only)
		rec_stat_print_interval_head(&s->print, s->args->mode);
	s->printed_nr++;
	s->print.is_interval = true;
	s->print.has_runs = false;
	s->print.time_ns = (double)(now - run->start_ns);
	rc = print_sheet(s, &s->of_interval);
	s->print.is_interval = false;
	s->print.has_runs = s->args->repeat_nr > 1;
	fflush(s->out);
	return rc;
}

/* --pre and --post; signals that are blocked here are not in the shell. */
static int run_shell(struct counting *s, const char *command,
		     struct pd_err *err)
{
	sigset_t set;
	int status;

	if (!command)
		return 0;
	sigprocmask(SIG_SETMASK, &s->run.control.old_set, &set);
	status = system(command);
	sigprocmask(SIG_SETMASK, &set, NULL);
	if (!status)
		return 0;
	return pd_err_set(err, -ECANCELED, "'%s' failed", command);
}

static void print_counts(const struct counting *s)
{
	const struct rec_counts *counts = &s->run.counts;
	const struct rec_target *target = &s->run.target;
	bool each = s->args->verbose_nr > 1;

	for (size_t i = 0; i < counts->event_nr; i++) {
		const char *name = s->args->events.events[i].name;
		struct rec_count sum = { 0 };

		for (size_t p = 0; p < counts->place_nr; p++) {
			for (size_t t = 0; t < counts->thread_nr; t++) {
				const struct rec_count *c =
					rec_counts_at(counts, i, p, t);

				sum.value += c->value;
				sum.enabled_ns += c->enabled_ns;
				sum.running_ns += c->running_ns;
				sum.is_open |= c->is_open;
				if (each && c->is_open)
					fprintf(stderr, "%s: %d: %ju %ju %ju\n",
						name, target->cpus[p],
						(uintmax_t)c->value,
						(uintmax_t)c->enabled_ns,
						(uintmax_t)c->running_ns);
			}
		}
		if (sum.is_open)
			fprintf(stderr, "%s: %ju %ju %ju\n", name,
				(uintmax_t)sum.value, (uintmax_t)sum.enabled_ns,
				(uintmax_t)sum.running_ns);
		else
			fprintf(stderr, "failed to read counter %s\n", name);
	}
}

/* As perf, say what signal ended the command. */
static void note_end(struct counting *s)
{
	int status = s->run.workload.wait_status;

	if (!s->args->workload)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		s->failed_status = WEXITSTATUS(status);
	if (!WIFSIGNALED(status))
		return;
	if (!s->args->quiet)
		fprintf(stderr, "%s: %s\n", s->args->workload[0],
			strsignal(WTERMSIG(status)));
	if (!s->run.is_cut || WTERMSIG(status) != SIGTERM)
		s->failed_signal = WTERMSIG(status);
}

static int run_once(struct counting *s, struct pd_err *err)
{
	uint64_t wall_ns = 0;
	int rc = run_shell(s, s->args->pre, err);

	if (!rc)
		rc = rec_stat_run_once(&s->run, &wall_ns, err);
	if (!rc)
		rc = make_sheets(s);
	if (!rc && s->args->records && !s->args->interval_ms)
		rc = rec_stat_file_add(&s->file, false, wall_ns, err);
	if (rc)
		return rc;
	rec_stat_sheet_add(&s->sheet, &s->run.counts, (double)wall_ns);
	s->sheet.has_usage = s->args->counts_workload;
	s->sheet.user_us = s->run.user_us;
	s->sheet.sys_us = s->run.sys_us;
	if (s->args->verbose_nr && !s->args->quiet)
		print_counts(s);
	note_end(s);
	return run_shell(s, s->args->post, err);
}

/* Return what follows the event's name in the reason; "" if it is supported. */
static const char *reason_of(const struct counting *s, size_t event)
{
	const struct pd_err *refused = &s->run.counters.refused[event];
	const char *sep = strchr(refused->text, ':');

	if (!refused->code)
		return "";
	return sep ? sep : refused->text;
}

/* Say below the counts why some are not supported, each reason once. */
static void print_reasons(const struct counting *s)
{
	const struct rec_event_list *events = &s->args->events;

	if (s->args->quiet || s->args->sep || s->args->json)
		return;
	for (size_t i = 0; i < events->nr; i++) {
		const char *why = reason_of(s, i);
		size_t before = 0, more = 0;

		for (size_t j = 0; *why && j < events->nr; j++) {
			bool is_same = !strcmp(reason_of(s, j), why);

			before += is_same && j < i;
			more += is_same && j > i;
		}
		if (!*why || before)
			continue;
		if (more)
			sup_message("not supported: %s and %zu more%s",
				    events->events[i].name, more, why);
		else
			sup_message("not supported: %s",
				    s->run.counters.refused[i].text);
	}
}

static bool counted_nothing(const struct rec_stat_sheet *sheet, size_t event)
{
	size_t counter_nr = 0;

	for (size_t i = 0; i < sheet->conf.groups->nr; i++) {
		const struct rec_stat_cell *cell =
			rec_stat_sheet_cell(sheet, event, i);

		counter_nr += cell->counter_nr;
		for (size_t k = 0; k < cell->value_nr; k++)
			if (cell->values[k] > 0)
				return false;
	}
	return counter_nr > 0;
}

/* A kernel opens events that its cores lack. */
static void warn_of_unlisted(const struct counting *s)
{
	const struct rec_event_list *events = &s->args->events;

	if (s->args->quiet || s->args->sep || s->args->json)
		return;
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_attr *sys = &events->events[i].attr.sys;

		if (counted_nothing(&s->sheet, i) &&
		    rec_pmu_is_unlisted(s->args->env.sysfs, sys->type,
					sys->config))
			sup_message("%s counted 0: the cores' PMU does not "
				    "list it, and they may lack it",
				    events->events[i].name);
	}
}

static int print_end(struct counting *s)
{
	const struct rec_stat_args *args = s->args;
	int rc;

	if (args->interval_ms && !args->summary)
		return 0;
	s->print.is_summary = args->summary && !args->no_csv_summary;
	rc = print_sheet(s, &s->sheet);
	if (!args->sep && !args->json && args->repeat_nr > 1)
		rec_stat_print_runs(&s->print, &s->sheet);
	print_reasons(s);
	warn_of_unlisted(s);
	fflush(s->out);
	return rc;
}

static int run_all(struct counting *s, struct pd_err *err)
{
	bool forever = s->args->repeats && !s->args->repeat_nr;
	uint32_t nr = 0;
	int rc = 0;

	while (!rc && (forever || nr < s->args->repeat_nr) &&
	       !s->run.control.stop_signal) {
		rc = run_once(s, err);
		nr++;
		if (!rc && forever) {
			rc = print_end(s);
			rec_stat_sheet_clear(&s->sheet);
		}
	}
	return rc || forever ? rc : print_end(s);
}

/* stat record: a run that failed leaves what it wrote so far, if anything.
 * Counts that ended before an interval did have a round of their own. */
static int end_file(struct counting *s, int rc, struct pd_err *err)
{
	if (!rc && !s->file.out.is_started)
		rc = rec_stat_file_add(&s->file, true,
				       s->run.last_ns - s->run.start_ns, err);
	if (s->file.out.is_started) {
		int ended = rec_stat_file_finish(&s->file, rc ? NULL : err);

		return rc ? rc : ended;
	}
	rec_stat_file_abandon(&s->file);
	return rc;
}

static int count(struct rec_stat_args *args, struct pd_err *err)
{
	static struct counting s;
	int stop_signal;
	int rc;

	s.args = args;
	rc = rec_stat_run_init(&s.run, args, err);
	if (!rc && args->records)
		rc = rec_stat_file_open(&s.file, &s.run, err);
	if (!rc)
		rc = open_output(&s, err);
	s.run.interval = print_interval;
	s.run.interval_ctx = &s;
	s.run.note = args->quiet ? NULL : note;
	s.print = (struct rec_stat_print){
		.out = s.out,
		.sep = args->sep,
		.title = args->title,
		.big_num = args->big_num,
		.has_runs = args->repeat_nr > 1,
		.details = args->json_details,
		.table = args->table,
	};
	if (!args->sep && !args->json)
		setlocale(LC_NUMERIC, "");
	if (!rc)
		rc = run_all(&s, err);
	if (args->records)
		rc = end_file(&s, rc, err);
	setlocale(LC_NUMERIC, "C");
	if (s.out && (fflush(s.out) || ferror(s.out)) && !rc)
		rc = pd_err_set(err, -EIO, "the counts could not be written");
	stop_signal = s.run.control.stop_signal;
	rec_stat_sheet_release(&s.sheet);
	rec_stat_sheet_release(&s.of_interval);
	rec_stat_run_release(&s.run);
	rec_stat_file_release(&s.file);
	if (rc)
		return rc;
	if (stop_signal)
		rec_control_die_of(stop_signal);
	if (s.failed_signal)
		rec_control_die_of(s.failed_signal);
	return s.failed_status;
}

int rec_stat_main(int argc, char **argv)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_stat_args args;
	int rc = rec_stat_args_parse(&args, argc - 1, argv + 1, &err);

	args.argc = argc;
	args.argv = argv;
	if (rc > 0) {
		sup_help(args.reports ? &rec_stat_report_command
				      : &rec_stat_command,
			 stdout);
		rec_stat_args_release(&args);
		return fflush(stdout) ? EXIT_FAILED : 0;
	}
	if (!rc && args.note && !args.quiet)
		sup_message("%s", args.note);
	if (rc) {
		pd_err_set(&err, rc, "%s", strerror(-rc));
		sup_message_err(NULL, &err);
		rec_stat_args_release(&args);
		return EXIT_USAGE;
	}
	rc = args.reports ? rec_stat_report(&args, &err) : count(&args, &err);
	if (rc < 0) {
		pd_err_set(&err, rc, "%s", strerror(-rc));
		sup_message_err(NULL, &err);
		rc = EXIT_FAILED;
	}
	rec_stat_args_release(&args);
	return rc;
}
