#include "report/spans/trace_summary.h"

#include "report/cli/command_options.h"
#include "report/spans/call_names.h"
#include "report/spans/call_rows.h"
#include "report/timeline/tasks.h"

#include "format/base/limits.h"
#include "format/support/safe_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* musl and glibc before 2.32 have no strerrorname_np() */
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 32)
#define HAS_ERROR_NAMES
#endif
#endif

struct trace_args {
	struct rpt_spans_conf spans;
	bool is_summary;
	bool with_errors;
	bool force;
};

#define OFF(member) offsetof(struct trace_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(spans.input)),
	RPT_OPT_FLAG('s', "summary", OFF(is_summary), 0,
		     "show a table of each thread's system calls"),
	RPT_OPT_FLAG(0, "errno-summary", OFF(with_errors), 0,
		     "the same, with the errors of each call"),
	RPT_OPT_MAX_RATIO(OFF(spans.max_ratio)),
	RPT_OPT_FORCE(OFF(force)),
	{ 0 },
};

static const char no_lines[] = "'perfpair script' prints the calls one by one; "
			       "-s has their table";
static const char no_live[] = "calls are read from a recording; "
			      "perfpair-record chooses what is recorded";

static const struct sup_absent absent[] = {
	{ "with-summary", no_lines },
	{ "S", no_lines },
	{ "time", no_lines },
	{ "T", no_lines },
	{ "duration", no_lines },
	{ "failure", no_lines },
	{ "max-events", no_lines },
	{ "all-cpus", no_live },
	{ "a", no_live },
	{ "pid", no_live },
	{ "p", no_live },
	{ "tid", no_live },
	{ "t", no_live },
	{ "cpu", no_live },
	{ "C", no_live },
	{ "event", no_live },
	{ "e", no_live },
	{ "uid", no_live },
	{ "u", no_live },
	{ "pf", no_live },
	{ "F", no_live },
	{ 0 },
};

const struct sup_command rpt_trace_command = {
	.name = "perfpair trace",
	.usage = "-s [OPTION]... [FILE]",
	.summary = "Show a table of each thread's system calls.",
	.opts = opts,
	.absent = absent,
};

static const struct rpt_span_points points = {
	.system = "raw_syscalls",
	.names = { "sys_enter", "sys_exit" },
	.fields = { { "id", NULL }, { "id", "ret" } },
	.lack = "no system calls were recorded",
	.hint = "perfpair-record -a -e raw_syscalls:sys_enter -e "
		"raw_syscalls:sys_exit records them; so does perf trace record",
};

/* Rows in the order in which they are shown. */
struct table {
	struct rpt_call_rows calls;
	struct rpt_call_names names;
	const struct rpt_call_row **rows;     /* owned */
	const struct rpt_call_error **errors; /* owned */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Threads come in the order in which perf 6.1 prints them: by the low byte of
 * their number, then by how many events they have. */
static int compare_threads(const struct rpt_call_row *a,
			   const struct rpt_call_row *b,
			   const struct rpt_call_rows *calls)
{
	uint32_t x = rpt_ids_at(&calls->tids, a->thread);
	uint32_t y = rpt_ids_at(&calls->tids, b->thread);
	int order = compare_numbers(x % 256, y % 256);

	if (!order)
		order = compare_numbers(calls->threads[a->thread].event_nr,
					calls->threads[b->thread].event_nr);
	return order ? order : compare_numbers(x, y);
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct rpt_call_row *x = *(const struct rpt_call_row *const *)a;
	const struct rpt_call_row *y = *(const struct rpt_call_row *const *)b;
	int order = compare_threads(x, y, ctx);

	if (!order)
		order = compare_numbers(y->times.sum_ns, x->times.sum_ns);
	return order ? order : compare_numbers((uintptr_t)x, (uintptr_t)y);
}

static int compare_errors(const void *a, const void *b)
{
	const struct rpt_call_error *x =
		*(const struct rpt_call_error *const *)a;
	const struct rpt_call_error *y =
		*(const struct rpt_call_error *const *)b;

	return x->row != y->row ? compare_numbers(x->row, y->row)
				: compare_numbers(x->error, y->error);
}

static void sort(struct table *table)
{
	struct rpt_call_rows *calls = &table->calls;
	uint32_t nr = calls->keys.nr, error_nr = calls->error_keys.nr;

	table->rows = rpt_alloc_zeroed(nr + 1, sizeof(*table->rows));
	for (uint32_t i = 0; i < nr; i++)
		table->rows[i] = &calls->rows[i];
	qsort_r(table->rows, nr, sizeof(*table->rows), compare_rows, calls);
	table->errors = rpt_alloc_zeroed(error_nr + 1, sizeof(*table->errors));
	for (uint32_t i = 0; i < error_nr; i++)
		table->errors[i] = &calls->errors[i];
	qsort(table->errors, error_nr, sizeof(*table->errors), compare_errors);
}

static void print_thread(const struct table *table, uint32_t idx)
{
	const struct rpt_call_thread *thread = &table->calls.threads[idx];
	uint32_t tid = rpt_ids_at(&table->calls.tids, idx);
	char buf[16];

	putchar(' ');
	sup_put_safe_text(stdout,
			  rpt_comm_or_tid(rpt_task_ref_comm_last(&thread->ref),
					  tid, buf));
	printf(" (%" PRId32 "), %" PRIu64 " events, %.1f%%\n\n", (int32_t)tid,
	       thread->event_nr,
	       (double)thread->event_nr * 100.0 /
		       (double)table->calls.event_nr);
	puts("   syscall            calls  errors  total       min       avg"
	     "       max       stddev\n"
	     "                                     (msec)    (msec)    (msec)"
	     "    (msec)        (%)\n"
	     "   --------------- --------  ------ -------- --------- ---------"
	     " ---------     ------");
}

static void print_row(const struct table *table, const struct rpt_call_row *row)
{
	char name[RPT_CALL_NAME_LEN];

	rpt_call_names_find(&table->names, row->number, name);
	printf("   %-15s %8" PRIu64 " %6" PRIu64 " ", name, row->call_nr,
	       row->error_nr);
	if (row->times.nr)
		printf("%9.3f %9.3f %9.3f %9.3f %9.2f%%\n",
		       (double)row->times.sum_ns / 1e6,
		       (double)row->times.min_ns / 1e6,
		       row->times.mean_ns / 1e6,
		       (double)row->times.max_ns / 1e6,
		       rpt_length_stats_error_pct(&row->times));
	else
		printf("%9s %9s %9s %9s %10s\n", "-", "-", "-", "-", "-");
}

static const char *error_name(uint32_t error)
{
	const char *name = NULL;

#ifdef HAS_ERROR_NAMES
	name = error <= INT32_MAX ? strerrorname_np((int)error) : NULL;
#else
	(void)error;
#endif
	return name ? name : "(unknown)";
}

/* Print the errors of a row, from the first one on that is its. */
static void print_errors(const struct table *table, uint32_t row)
{
	uint32_t low = 0, high = table->calls.error_keys.nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->errors[middle]->row < row)
			low = middle + 1;
		else
			high = middle;
	}
	for (;
	     low < table->calls.error_keys.nr && table->errors[low]->row == row;
	     low++)
		printf("\t\t\t\t%s: %" PRIu64 "\n",
		       error_name(table->errors[low]->error),
		       table->errors[low]->nr);
}

static void print_table(const struct table *table, bool with_errors)
{
	uint32_t shown = UINT32_MAX;

	puts("\n Summary of events:\n");
	for (uint32_t i = 0; i < table->calls.keys.nr; i++) {
		const struct rpt_call_row *row = table->rows[i];

		if (row->thread != shown) {
			if (i)
				puts("\n");
			shown = row->thread;
			print_thread(table, shown);
		}
		print_row(table, row);
		if (with_errors)
			print_errors(table,
				     (uint32_t)(row - table->calls.rows));
	}
	puts("\n");
}

static int run(const struct trace_args *args)
{
	struct rpt_spans spans;
	struct table table = { 0 };

	if (!rpt_spans_open(&spans, &args->spans, &points)) {
		rpt_call_rows_init(&table.calls,
				   rpt_timeline_budget(spans.timeline));
		rpt_call_names_init(
			&table.names,
			pd_reader_string(spans.in.reader, PD_FEATURE_ARCH));
		rpt_spans_read(&spans, rpt_call_rows_take, &table.calls);
		sort(&table);
		print_table(&table, args->with_errors);
		free(table.rows);
		free(table.errors);
		rpt_call_names_release(&table.names);
		rpt_call_rows_release(&table.calls);
	}
	return rpt_spans_close(&spans);
}

int rpt_trace_summary(int argc, char **argv)
{
	struct trace_args args = { .spans = { .max_ratio =
						      PD_LIMIT_ZSTD_RATIO } };
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc;

	if (argc > 1 && !strcmp(argv[1], "record")) {
		rc = pd_err_set(&err, -EINVAL,
				"perf's 'trace record' is not here");
		pd_err_hint(&err, "%s", points.hint);
	} else {
		rc = rpt_options_parse(&rpt_trace_command, &args, argc, argv,
				       &args.spans.input, &err);
	}
	if (!rc && !args.is_summary && !args.with_errors) {
		rc = pd_err_set(&err, -EINVAL, "trace has the table -s alone");
		pd_err_hint(&err, "%s", no_lines);
	}
	if (!rpt_options_are_good(rc, &rpt_trace_command, &err, &exit_code))
		return exit_code;
	return run(&args);
}
