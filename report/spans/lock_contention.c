#include "report/spans/lock_contention.h"

#include "report/cli/symbol_options.h"
#include "report/spans/lock_rows.h"
#include "report/timeline/tasks.h"

#include "format/base/limits.h"
#include "format/support/safe_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum column {
	COLUMN_CONTENDED,
	COLUMN_TOTAL,
	COLUMN_MAX,
	COLUMN_MIN,
	COLUMN_AVERAGE,
	COLUMN_NR,
};

/* The columns, by perf's names. */
static const struct {
	const char *name;
	const char *header;
	int width;
} columns[COLUMN_NR] = {
	[COLUMN_CONTENDED] = { "contended", "contended", 10 },
	[COLUMN_TOTAL] = { "wait_total", "total wait", 12 },
	[COLUMN_MAX] = { "wait_max", "max wait", 12 },
	[COLUMN_MIN] = { "wait_min", "min wait", 12 },
	[COLUMN_AVERAGE] = { "avg_wait", "avg wait", 12 },
};

#define COLUMN_NAMES "contended, wait_total, wait_max, wait_min or avg_wait"

struct lock_args {
	struct rpt_spans_conf spans;
	struct rpt_lock_rows_conf rows;
	enum column key;
	enum column shown[COLUMN_NR];
	uint32_t shown_nr;
	uint32_t entries;
	unsigned verbose;
	bool is_quiet;
	bool force;
};

#define OFF(member) offsetof(struct lock_args, member)

/* Return the column of that name, or COLUMN_NR. */
static enum column column_named(const char *name, size_t len)
{
	int i = 0;

	while (i < COLUMN_NR && (strlen(columns[i].name) != len ||
				 memcmp(columns[i].name, name, len) != 0))
		i++;
	return (enum column)i;
}

static int parse_key(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct lock_args *args = conf;

	(void)unset;
	args->key = column_named(arg, strlen(arg));
	return args->key == COLUMN_NR
		       ? pd_err_set(err, -EINVAL,
				    "-k takes " COLUMN_NAMES ", not '%s'", arg)
		       : 0;
}

static bool is_shown(const struct lock_args *args, enum column column)
{
	for (uint32_t i = 0; i < args->shown_nr; i++)
		if (args->shown[i] == column)
			return true;
	return false;
}

static void show(struct lock_args *args, enum column column)
{
	if (!is_shown(args, column))
		args->shown[args->shown_nr++] = column;
}

static int parse_fields(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct lock_args *args = conf;

	(void)unset;
	args->shown_nr = 0;
	while (*arg) {
		size_t len = strcspn(arg, ",");
		enum column column = column_named(arg, len);

		if (column == COLUMN_NR)
			return pd_err_set(err, -EINVAL,
					  "-F takes a list of " COLUMN_NAMES
					  ", not '%.*s'",
					  (int)len, arg);
		show(args, column);
		arg += len + (arg[len] == ',');
	}
	return 0;
}

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(spans.input)),
	RPT_OPT_CALL('k', "key", "KEY", "sort by " COLUMN_NAMES " (wait_total)",
		     parse_key),
	RPT_OPT_CALL('F', "field", "KEY,...",
		     "show these columns (all but wait_min)", parse_fields),
	RPT_OPT_FLAG('t', "threads", OFF(rows.by_thread), 0,
		     "show a row for each thread instead of each caller"),
	{ 'E', "entries", SUP_U32, OFF(entries), 0, "NR",
	  "show at most NR rows (all)", NULL },
	{ 'v', "verbose", SUP_COUNT, OFF(verbose), 0, NULL,
	  "show the call chain of the first wait of each row", NULL },
	RPT_OPT_FLAG('q', "quiet", OFF(is_quiet), 0, "leave out the header"),
	RPT_OPT_U32("max-stack", OFF(rows.max_stack), "NR",
		    "use at most NR addresses of a call chain (8)"),
	RPT_OPT_U32("stack-skip", OFF(rows.skip), "NR",
		    "look for the caller behind the first NR of them (3)"),
	RPT_OPT_KALLSYMS(OFF(spans.symbols.kallsyms)),
	RPT_OPT_TEXT(0, "vmlinux", OFF(spans.symbols.vmlinux), "FILE",
		     "read kernel symbols from this ELF file"),
	RPT_OPT_SYMFS(OFF(spans.symbols.symfs)),
	RPT_OPT_CARRIED(OFF(spans.symbols.carried)),
	RPT_OPT_MAX_RATIO(OFF(spans.max_ratio)),
	RPT_OPT_FORCE(OFF(force)),
	{ 0 },
};

static const char no_bpf[] = "waits are read from a recording, not counted by "
			     "BPF; perfpair-record chooses what is recorded";

static const struct sup_absent absent[] = {
	{ "use-bpf", no_bpf },
	{ "b", no_bpf },
	{ "all-cpus", no_bpf },
	{ "a", no_bpf },
	{ "cpu", no_bpf },
	{ "C", no_bpf },
	{ "pid", no_bpf },
	{ "p", no_bpf },
	{ "tid", no_bpf },
	{ "map-nr-entries", no_bpf },
	{ 0 },
};

const struct sup_command rpt_lock_command = {
	.name = "perfpair lock contention",
	.usage = "[OPTION]... [FILE]",
	.summary = "Show who waits for locks of the kernel, and for how long.",
	.opts = opts,
	.absent = absent,
};

static const struct rpt_span_points points = {
	.system = "lock",
	.names = { "contention_begin", "contention_end" },
	.fields = { { "lock_addr", "flags" }, { "lock_addr", NULL } },
	.lack = "no waits for locks were recorded",
	.hint = "perfpair-record -a -g -e lock:contention_begin -e "
		"lock:contention_end records them (Linux 5.19 and later); so "
		"does perf lock record",
};

static uint64_t value_of(const struct rpt_lock_row *row, enum column column)
{
	switch (column) {
	case COLUMN_CONTENDED:
		return row->contended_nr;
	case COLUMN_TOTAL:
		return row->total_ns;
	case COLUMN_MAX:
		return row->max_ns;
	case COLUMN_MIN:
		return row->min_ns;
	default:
		return row->ended_nr ? row->total_ns / row->ended_nr : 0;
	}
}

/* A row in the order of its value, and of its first wait. */
struct place {
	uint64_t value;
	uint32_t row;
};

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Print as perf does, down to the precision of a float. */
static void print_time(uint64_t ns)
{
	static const struct {
		const char *unit;
		float ns;
	} units[] = {
		{ "h", 3600e9F }, { "m", 60e9F }, { "s", 1e9F },
		{ "ms", 1e6F },	  { "us", 1e3F },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if ((float)ns < units[i].ns)
			continue;
		printf("%9.2f %-2s ", (double)((float)ns / units[i].ns),
		       units[i].unit);
		return;
	}
	printf("%9" PRIu64 " ns ", ns);
}

static void print_header(const struct lock_args *args)
{
	for (uint32_t i = 0; i < args->shown_nr; i++)
		printf("%*s ", columns[args->shown[i]].width,
		       columns[args->shown[i]].header);
	printf("  %10s   %s\n\n", args->rows.by_thread ? "pid" : "type",
	       args->rows.by_thread ? "comm" : "caller");
}

static void print_frame(const struct rpt_lock_frame *frame)
{
	sup_put_safe_text(stdout, frame->name);
	printf("+%#" PRIx64, frame->off);
}

static void print_stack(struct rpt_lock_rows *locks,
			const struct rpt_lock_row *row)
{
	struct rpt_lock_frame frame;

	for (uint32_t i = 0; rpt_lock_rows_frame(locks, row, i, &frame); i++) {
		printf("\t\t\t%#" PRIx64 "  ", frame.ip);
		if (frame.name)
			print_frame(&frame);
		putchar('\n');
	}
}

static void print_row(const struct lock_args *args, struct rpt_lock_rows *locks,
		      const struct rpt_lock_row *row)
{
	struct rpt_lock_frame frame;
	char buf[16];

	for (uint32_t i = 0; i < args->shown_nr; i++) {
		if (args->shown[i] == COLUMN_CONTENDED)
			printf("%10" PRIu64 " ", row->contended_nr);
		else
			print_time(value_of(row, args->shown[i]));
	}
	if (args->rows.by_thread) {
		printf("  %10" PRId32 "   ", (int32_t)row->ref.tid);
		sup_put_safe_text(
			stdout,
			rpt_comm_or_tid(rpt_task_ref_comm_last(&row->ref),
					row->ref.tid, buf));
	} else {
		printf("  %10s   ", row->type);
		if (rpt_lock_rows_caller(locks, row, &frame))
			print_frame(&frame);
		else
			fputs("Unknown", stdout);
	}
	putchar('\n');
	if (args->verbose && !args->rows.by_thread)
		print_stack(locks, row);
}

static void print_rows(const struct lock_args *args,
		       struct rpt_lock_rows *locks)
{
	uint32_t nr = locks->keys.nr;
	struct place *places = rpt_alloc_zeroed(nr + 1, sizeof(*places));

	for (uint32_t i = 0; i < nr; i++)
		places[i] =
			(struct place){ value_of(&locks->rows[i], args->key),
					i };
	qsort(places, nr, sizeof(*places), compare);
	if (!args->is_quiet)
		print_header(args);
	for (uint32_t i = 0; i < nr && i < args->entries; i++)
		print_row(args, locks, &locks->rows[places[i].row]);
	free(places);
}

static int run(const struct lock_args *args)
{
	static const struct rpt_span_note cut = {
		"wait in which records were lost has no time",
		"waits in which records were lost have no time"
	};
	static const struct rpt_span_note unbegun = {
		"wait that had begun before the recording, or whose beginning "
		"was lost, is left out",
		"waits that had begun before the recording, or whose beginning "
		"was lost, are left out"
	};
	struct rpt_lock_rows locks;
	struct rpt_spans spans;

	if (!rpt_spans_open(&spans, &args->spans, &points)) {
		rpt_lock_rows_init(&locks, &spans, &args->rows);
		rpt_spans_read(&spans, rpt_lock_rows_take, &locks);
		print_rows(args, &locks);
		rpt_spans_note(&spans, locks.cut_nr, &cut);
		rpt_spans_note(&spans, locks.unbegun_nr, &unbegun);
		rpt_lock_rows_release(&locks);
	}
	return rpt_spans_close(&spans);
}

int rpt_lock_contention(int argc, char **argv)
{
	struct lock_args args = {
		.spans = { .max_ratio = PD_LIMIT_ZSTD_RATIO },
		.rows = { .max_stack = 8, .skip = 3 },
		.key = COLUMN_TOTAL,
		.shown = { COLUMN_CONTENDED, COLUMN_TOTAL, COLUMN_MAX,
			   COLUMN_AVERAGE },
		.shown_nr = 4,
		.entries = UINT32_MAX,
	};
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc = rpt_options_parse(&rpt_lock_command, &args, argc, argv,
				   &args.spans.input, &err);

	if (!rc)
		rc = rpt_symbol_files_check(&args.spans.symbols, &err);
	if (!rc && args.rows.max_stack > RPT_LOCK_STACK_MAX)
		rc = pd_err_set(&err, -EINVAL,
				"--max-stack is at most %u, not %" PRIu32,
				RPT_LOCK_STACK_MAX, args.rows.max_stack);
	if (!rpt_options_are_good(rc, &rpt_lock_command, &err, &exit_code))
		return exit_code;
	show(&args, args.key);
	return run(&args);
}
