/* map.c: perfpair sched map: which task has each CPU, a line for each switch
 * and a column for each CPU, in the layout of perf sched map.
 *
 * A task is called A0, B0 ... Z9 in the order in which tasks get a CPU, then
 * A0 again.  The column of a CPU of which nothing is known is empty: at the
 * start, and behind records that were lost.
 */
#include "report/sched/sched.h"
#include "report/sched/sched_events.h"

#include "format/base/limits.h"
#include "format/support/message.h"
#include "format/support/terminal.h"
#include "report/base/look.h"
#include "report/base/memory.h"
#include "report/base/text_out.h"
#include "report/cli/symbol_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns that a line has at most. */
#define CPUS_MAX 1024u

/* The colours of chosen CPUs and tasks, as in perf */
#define CPU_COLOUR  "\x1b[41m"
#define TASK_COLOUR "\x1b[34m"

/* The task that has a thread id. */
struct named_task {
	const struct rpt_task *task; /* NULL: no record is about it */
	uint32_t tid;
	char name[3];	  /* empty: it had no CPU yet */
	uint32_t comm_nr; /* of the intern table, from 1 on: that was shown */
};

struct map_args {
	struct rpt_sched_args of_all;
	struct rpt_filter_args colours; /* cpus and tids */
	bool is_compact;
};

struct map {
	const struct map_args *args;
	struct rpt_sched_events *se;
	struct rpt_filter colours; /* asked for nothing: there are none */
	struct rpt_ids tids;
	struct named_task *items; /* owned; by number of the tid */
	uint32_t cap;
	struct rpt_intern comms;
	uint32_t name_nr;	    /* that were given */
	uint32_t cells[CPUS_MAX];   /* by CPU: its item, from 1 on; or 0 */
	uint32_t columns[CPUS_MAX]; /* CPUs */
	uint32_t column_nr;
	uint32_t cpu_nr; /* that may have a column, without --compact */
	bool is_seen[CPUS_MAX];
	uint64_t lost_nr, unfit_nr;
	struct rpt_text text;
};

#define OFF(member) offsetof(struct map_args, member)

static const struct sup_opt opts[] = {
	RPT_OPTS_SCHED(OFF(of_all)),
	RPT_OPT_FLAG(0, "compact", OFF(is_compact), 0,
		     "show a column only for CPUs that had a switch, in that "
		     "order"),
	RPT_OPT_TEXT(0, "cpus", OFF(of_all.filter.cpus), "LIST",
		     "show only these CPUs: 0,2-3"),
	RPT_OPT_TEXT(0, "color-cpus", OFF(colours.cpus), "LIST",
		     "mark switches of these CPUs red, on a terminal"),
	RPT_OPT_TEXT(0, "color-pids", OFF(colours.tids), "LIST",
		     "show these threads blue, on a terminal"),
	{ 0 },
};

const struct sup_command rpt_sched_map_command = {
	.name = "perfpair sched map",
	.usage = "[OPTION]... [FILE]",
	.summary = "Show which thread had each CPU, a line for each switch.",
	.opts = opts,
};

static void give_name(struct map *m, struct named_task *item)
{
	if (!item->tid) {
		memcpy(item->name, ". ", sizeof(item->name));
		return;
	}
	item->name[0] = (char)('A' + m->name_nr % 26);
	item->name[1] = (char)('0' + m->name_nr / 26 % 10);
	m->name_nr++;
}

/* Return the number of the task's item, which has a name; or -1, if there is no
 * budget for it. */
static int64_t item_of(struct map *m, const struct rpt_sched_task *task)
{
	struct rpt_budget *budget = rpt_timeline_budget(m->se->timeline);
	uint32_t known_nr = m->tids.table.nr;
	struct named_task *item;
	int64_t idx;

	m->items = rpt_grow_within(budget, m->items, &m->cap, known_nr,
				   sizeof(*m->items));
	idx = rpt_ids_number(&m->tids, task->ref.tid);
	if (idx < 0)
		return -1;
	item = &m->items[idx];
	if (idx == known_nr || item->task != task->ref.task) {
		*item = (struct named_task){ .tid = task->ref.tid,
					     .task = task->ref.task };
		give_name(m, item);
	}
	return idx;
}

static void put_coloured(struct rpt_text *t, const char *str,
			 const char *colour)
{
	if (colour)
		rpt_text_escape(t, colour);
	rpt_text_str(t, str);
	if (colour)
		rpt_text_escape(t, RPT_COLOUR_END);
}

static const char *cpu_colour(const struct map *m, uint32_t cpu)
{
	return m->colours.asked & RPT_FILTER_CPU &&
			       rpt_filter_time(&m->colours, 0, cpu)
		       ? CPU_COLOUR
		       : NULL;
}

static const char *task_colour(const struct map *m, uint32_t tid)
{
	const struct rpt_filtered_task task = { .tid = tid };

	return m->colours.asked & RPT_FILTER_TID &&
			       rpt_filter_task(&m->colours, &task)
		       ? TASK_COLOUR
		       : NULL;
}

static void put_cells(struct map *m, uint32_t cpu)
{
	struct rpt_text *t = &m->text;

	rpt_text_pad(t, 2);
	for (uint32_t i = 0; i < m->column_nr; i++) {
		uint32_t at = m->columns[i];
		const struct named_task *item;
		char cell[] = "   ";

		if (at == cpu)
			put_coloured(t, "*", cpu_colour(m, cpu));
		else
			rpt_text_char(t, ' ');
		if (!m->cells[at]) {
			rpt_text_pad(t, 3);
			continue;
		}
		item = &m->items[m->cells[at] - 1];
		memcpy(cell, item->name, 2);
		put_coloured(t, cell, task_colour(m, item->tid));
	}
}

/* Say which task a name is of, if that is new. */
static void put_task(struct map *m, struct named_task *item, const char *comm)
{
	char unknown[16], said[96];
	int64_t nr;

	comm = item->tid ? rpt_comm_or_tid(comm, item->tid, unknown)
			 : "swapper";
	nr = rpt_intern(&m->comms, comm, strlen(comm)) + 1;
	if (nr <= 0 || item->comm_nr == nr)
		return;
	item->comm_nr = (uint32_t)nr;
	snprintf(said, sizeof(said), "%s => %.63s:%" PRIu32, item->name, comm,
		 item->tid);
	put_coloured(&m->text, said, task_colour(m, item->tid));
}

/* Give the CPU a column, unless it has one. */
static void add_columns(struct map *m, uint32_t cpu)
{
	if (m->args->is_compact) {
		if (!m->is_seen[cpu])
			m->columns[m->column_nr++] = cpu;
		return;
	}
	for (; m->cpu_nr <= cpu; m->cpu_nr++)
		if (rpt_filter_time(&m->se->filter, 0, m->cpu_nr))
			m->columns[m->column_nr++] = m->cpu_nr;
}

static void take_task(struct map *m, const struct rpt_sched_event *ev,
		      const struct rpt_sched_task *task)
{
	uint32_t cpu = ev->cpu;
	int64_t idx = cpu < CPUS_MAX ? item_of(m, task) : -1;
	struct rpt_text *t = &m->text;

	if (idx < 0) {
		m->unfit_nr++;
		return;
	}
	m->cells[cpu] = (uint32_t)idx + 1;
	if (!rpt_filter_time(&m->se->filter, 0, cpu))
		return;
	add_columns(m, cpu);
	put_cells(m, cpu);
	rpt_text_pad(t, 2);
	rpt_text_dec(t, ev->time_ns / 1000000000, 5);
	rpt_text_char(t, '.');
	rpt_text_zeros(t, ev->time_ns % 1000000000 / 1000, 6);
	rpt_text_str(t, " secs ");
	put_task(m, &m->items[idx], task->comm);
	if (m->args->is_compact && !m->is_seen[cpu])
		rpt_text_format(t, " (CPU %" PRIu32 ")", cpu);
	m->is_seen[cpu] = true;
	rpt_text_char(t, '\n');
}

static int take(void *ctx, const struct rpt_sched_event *ev)
{
	struct map *m = ctx;
	bool is_traced = m->se->switches.is_traced;

	if (ev->kind == RPT_SCHED_SWITCH && ev->has_next) {
		take_task(m, ev, &ev->next);
	} else if (ev->kind == RPT_SCHED_IN && !is_traced) {
		take_task(m, ev, &ev->task);
	} else if (ev->kind == RPT_SCHED_LOST ||
		   (ev->kind == RPT_SCHED_OUT && !is_traced)) {
		if (ev->cpu < CPUS_MAX)
			m->cells[ev->cpu] = 0;
		m->lost_nr += ev->kind == RPT_SCHED_LOST ? ev->value : 0;
	}
	return m->text.status;
}

static void warn_missing(const struct map *m)
{
	const struct rpt_sched_events *se = m->se;

	if (m->lost_nr)
		sup_message("%s: %" PRIu64 " record%s lost while recording; "
			    "the CPU's column is empty until its next switch",
			    se->in.path, m->lost_nr,
			    m->lost_nr == 1 ? "" : "s");
	if (m->unfit_nr)
		sup_message("%s: %" PRIu64 " switch%s not shown: the CPU is "
			    "not known or above %u, or there are more tasks "
			    "than a recording of that length may have",
			    se->in.path, m->unfit_nr,
			    m->unfit_nr == 1 ? "" : "es", CPUS_MAX - 1);
	if (se->switches.is_traced && se->switches.is_partial)
		sup_message("%s: not each context switch was recorded (-F, "
			    "-c); -c 1 records all",
			    se->in.path);
}

static int show(struct map *m, struct pd_err *err)
{
	struct rpt_budget *budget = rpt_timeline_budget(m->se->timeline);
	int rc;

	m->comms.limit = m->comms.keys.budget = budget;
	rpt_ids_init(&m->tids, budget);
	rpt_text_init(&m->text, stdout);
	m->text.is_safe = true;
	if (!m->args->is_compact && m->se->cpu_nr)
		add_columns(m, (m->se->cpu_nr < CPUS_MAX ? m->se->cpu_nr
							 : CPUS_MAX) -
				       1);
	rc = rpt_sched_events_read(m->se, take, m, err);
	if (!rc && !m->se->switches.is_traced && !m->tids.table.nr &&
	    !m->unfit_nr) {
		rc = pd_err_set(err, -ENODATA,
				"no switch says which task gets the CPU");
		pd_err_hint(err, "perfpair-record --off-cpu -a, perf sched "
				 "record, or --switch-events, has that");
	}
	if (!rc)
		rc = rpt_text_flush(&m->text);
	if (!rc)
		warn_missing(m);
	rpt_ids_release(&m->tids);
	rpt_intern_release(&m->comms);
	free(m->items);
	return rc;
}

static int run(const struct map_args *args, const struct rpt_filter *colours)
{
	struct rpt_sched_events se;
	struct pd_err err = PD_ERR_INIT;
	struct map *m; /* too large for the stack */
	int rc, exit_code = rpt_sched_open(&se, &args->of_all);

	if (exit_code)
		return exit_code;
	m = rpt_alloc_zeroed(1, sizeof(*m));
	m->args = args;
	m->se = &se;
	m->colours = *colours;
	rc = show(m, &err);
	free(m);
	return rpt_sched_close(&se, rc, &err);
}

/* Read the lists of what is coloured; without a terminal nothing is. */
static int read_colours(struct rpt_filter *colours, const struct map_args *args,
			struct pd_err *err)
{
	struct pd_err own = PD_ERR_INIT;
	int rc = rpt_filter_parse(colours, &args->colours, &own);

	if (!sup_terminal()->has_colour)
		colours->asked = 0;
	if (rc)
		pd_err_set(err, rc,
			   "--color-cpus and --color-pids take numbers: 0,2-3");
	return rc;
}

int rpt_sched_map(int argc, char **argv)
{
	struct map_args args = { .of_all.max_ratio = PD_LIMIT_ZSTD_RATIO };
	struct rpt_filter colours = { 0 };
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc = rpt_options_parse(&rpt_sched_map_command, &args, argc, argv,
				   &args.of_all.input, &err);

	if (!rc)
		rc = rpt_symbol_files_check(&args.of_all.symbols, &err);
	if (!rc)
		rc = read_colours(&colours, &args, &err);
	if (rpt_options_are_good(rc, &rpt_sched_map_command, &err, &exit_code))
		exit_code = run(&args, &colours);
	rpt_filter_release(&colours);
	return exit_code;
}
