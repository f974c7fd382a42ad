/* The attrs of whole command lines, as attr_lines.txt has them from perf 6.1.
 * tests/peer/test_attr_strace.py compares with perf itself. */
#include "record/cmdline/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define LINES	    PERFPAIR_SOURCE_DIR "/tests/unit/record/cmdline/attr_lines.txt"
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static const struct rec_event_env env = {
	.sysfs = MACHINES "intel",
	.tracefs = MACHINES "tracefs",
};

static const struct rec_attr_host host = {
	.max_sample_hz = 100000,
	.max_stack = 127,
	.machine = "x86_64",
};

static const char *const sample_names[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static const char *const read_names[] = {
	"ENABLED", "RUNNING", "ID", "GROUP", "LOST",
};

/* Text that grows at its end. */
struct row {
	char text[600];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void put(struct row *row,
						      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	row->len += (size_t)vsnprintf(row->text + row->len,
				      sizeof(row->text) - row->len, fmt, ap);
	va_end(ap);
	assert_true(row->len < sizeof(row->text));
}

static void put_bits(struct row *row, uint64_t bits, const char *const *names,
		     size_t nr)
{
	const char *sep = " ";

	for (size_t i = 0; i < nr; i++) {
		if (!(bits >> i & 1))
			continue;
		put(row, "%s%s", sep, names[i]);
		sep = "|";
	}
	assert_int_equal(bits >> nr, 0);
}

static void put_flags(struct row *row, const struct perf_event_attr *a)
{
	const bool track = a->mmap && a->comm && a->task && a->mmap2 &&
			   a->comm_exec && a->ksymbol && a->bpf_event;
	const struct {
		const char *name;
		bool on;
	} flags[] = {
#define FLAG(name) { #name, a->name }
		FLAG(disabled),
		FLAG(inherit),
		FLAG(pinned),
		FLAG(exclusive),
		FLAG(exclude_user),
		FLAG(exclude_kernel),
		FLAG(exclude_hv),
		FLAG(exclude_idle),
		FLAG(freq),
		FLAG(inherit_stat),
		FLAG(enable_on_exec),
		FLAG(watermark),
		FLAG(mmap_data),
		FLAG(exclude_host),
		FLAG(exclude_guest),
		FLAG(exclude_callchain_kernel),
		FLAG(exclude_callchain_user),
		FLAG(use_clockid),
		FLAG(context_switch),
		FLAG(write_backward),
		FLAG(namespaces),
		FLAG(cgroup),
		FLAG(build_id),
#undef FLAG
		{ "track", track },
		{ "mmap", a->mmap && !track },
		{ "comm", a->comm && !track },
		{ "task", a->task && !track },
		{ "mmap2", a->mmap2 && !track },
		{ "comm_exec", a->comm_exec && !track },
		{ "ksymbol", a->ksymbol && !track },
		{ "bpf_event", a->bpf_event && !track },
	};

	assert_true(a->sample_id_all);
	for (size_t i = 0; i < ARRAY_NR(flags); i++) {
		if (flags[i].on)
			put(row, " %s", flags[i].name);
	}
}

static void put_numbers(struct row *row, const struct perf_event_attr *a)
{
	const bool is_breakpoint = a->type == PERF_TYPE_BREAKPOINT;
	const struct {
		const char *name;
		uint64_t num;
	} numbers[] = {
		{ "precise_ip", a->precise_ip },
		{ "wakeup_events", a->wakeup_events },
		{ "bp_type", is_breakpoint ? a->bp_type : 0 },
		{ "bp_addr", is_breakpoint ? a->bp_addr : 0 },
		{ "bp_len", is_breakpoint ? a->bp_len : 0 },
		{ "branch_sample_type", a->branch_sample_type },
		{ "sample_regs_user", a->sample_regs_user },
		{ "sample_stack_user", a->sample_stack_user },
		{ "clockid", (uint64_t)a->clockid },
		{ "sample_regs_intr", a->sample_regs_intr },
		{ "sample_max_stack", a->sample_max_stack },
	};

	for (size_t i = 0; i < ARRAY_NR(numbers); i++) {
		if (numbers[i].num)
			put(row, " %s=%llx", numbers[i].name,
			    (unsigned long long)numbers[i].num);
	}
}

static void put_attr(struct row *row, const struct perf_event_attr *a)
{
	put(row, "%u:%llx %c%llu", a->type, (unsigned long long)a->config,
	    a->freq ? 'f' : 'p', (unsigned long long)a->sample_period);
	put_bits(row, a->sample_type, sample_names, ARRAY_NR(sample_names));
	put_bits(row, a->read_format, read_names, ARRAY_NR(read_names));
	put_flags(row, a);
	put_numbers(row, a);
}

enum { WORDS_MAX = 16, ROWS_MAX = 4, LINE_LEN = 1024 };

/* One command line of the file with the attrs that perf made of it. */
struct command_line {
	char text[LINE_LEN];
	char rows[ROWS_MAX][LINE_LEN];
	size_t rows_nr;
};

static void events_of(struct rec_event_list *list, const char *text)
{
	struct pd_err err = PD_ERR_INIT;
	int code;

	rec_event_list_init(list);
	if (text[0])
		code = rec_event_parse(list, text, &env, &err);
	else
		code = rec_event_default(list, &env, &err);
	if (code)
		print_error("-e %s: %s\n", text, err.text);
	assert_int_equal(code, 0);
}

/* The text behind "-e " is taken out, up to the next blank: *ret is "" if
 * there is none.  The rest becomes words of argv, with the command "true" at
 * the end unless tasks are recorded. */
static int split(char *text, char **argv, const char **ret_events)
{
	bool has_task = strstr(text, " -p ") || strstr(text, " -t ");
	int argc = 0;

	*ret_events = "";
	argv[argc++] = (char *)(uintptr_t) "perfpair-record";
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		if (strcmp(word, "-") == 0)
			continue;
		if (strcmp(word, "-e") == 0)
			*ret_events = strtok(NULL, " ");
		else if (argc < WORDS_MAX - 1)
			argv[argc++] = word;
	}
	if (!has_task)
		argv[argc++] = (char *)(uintptr_t) "true";
	argv[argc] = NULL;
	return argc;
}

static void compare(const struct command_line *line,
		    const struct rec_event_list *list)
{
	char last[LINE_LEN] = "";
	size_t at = 0;

	for (size_t i = 0; i < list->nr; i++) {
		struct row row = { .len = 0 };

		put_attr(&row, &list->events[i].attr.sys);
		if (strcmp(row.text, last) == 0)
			continue;
		strcpy(last, row.text);
		if (at == line->rows_nr ||
		    strcmp(row.text, line->rows[at]) != 0)
			fail_msg("%s, event %zu:\n  is   %s\n  perf %s",
				 line->text, i, row.text,
				 at < line->rows_nr ? line->rows[at]
						    : "has no more");
		at++;
	}
	if (at < line->rows_nr)
		fail_msg("%s: perf has one more: %s", line->text,
			 line->rows[at]);
}

static void check(const struct command_line *line)
{
	char text[LINE_LEN], *argv[WORDS_MAX + 1];
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;
	struct rec_args args;
	const char *events;
	int argc;

	strcpy(text, line->text);
	argc = split(text, argv, &events);
	if (rec_args_parse(&args, argc, argv, &err))
		fail_msg("%s: %s", line->text, err.text);
	events_of(&list, events);
	if (rec_attr_config(&list, &args.attr, &host, NULL, &err))
		fail_msg("%s: %s", line->text, err.text);
	compare(line, &list);
	rec_event_list_release(&list);
	rec_args_release(&args);
}

static void test_attr_lines__attrs_are_those_of_perf(void **state)
{
	struct command_line line = { .rows_nr = 0 };
	FILE *file = fopen(LINES, "re");
	char text[LINE_LEN];
	size_t nr = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		text[strcspn(text, "\n")] = '\0';
		if (text[0] == '#')
			continue;
		if (text[0] == '\t') {
			assert_true(line.rows_nr < ROWS_MAX);
			strcpy(line.rows[line.rows_nr++], text + 1);
			continue;
		}
		if (line.rows_nr)
			check(&line);
		strcpy(line.text, text);
		line.rows_nr = 0;
		nr++;
	}
	check(&line);
	fclose(file);
	assert_true(nr >= 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr_lines__attrs_are_those_of_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
