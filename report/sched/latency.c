/* latency.c: perfpair sched latency: how long tasks that could run had to wait
 * for a CPU, in the layout of perf sched latency.
 *
 * A delay reaches from the wakeup, or from the switch that took the CPU away
 * from a task that could run on, to the switch that gives it one.  One that has
 * no recorded start, or in which records were lost, is not counted.
 */
#include "report/sched/sched.h"
#include "report/sched/sched_events.h"
#include "report/sched/task_sums.h"

#include "format/base/limits.h"
#include "format/support/message.h"
#include "report/base/memory.h"
#include "report/cli/symbol_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_NR = 8 };

struct delays {
	uint32_t tid;
	uint32_t tid_nr;   /* so many tasks of its name are added up */
	const char *comm;  /* of the intern table; NULL: none */
	uint64_t ready_ns; /* it waits for a CPU since; 0: it does not */
	uint64_t run_ns;
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t max_ns, max_start_ns, max_end_ns;
};

typedef int delays_compare(const struct delays *a, const struct delays *b);

struct latency_args {
	struct rpt_sched_args of_all;
	delays_compare *keys[KEYS_NR];
	uint32_t key_nr;
	bool by_pid;
};

struct latency {
	const struct latency_args *args;
	struct rpt_sched_events *se;
	struct rpt_task_sums sums; /* how long each ran */
	struct rpt_ids tids;
	struct delays *items; /* owned; by number of the tid */
	uint32_t cap;
	struct rpt_intern comms;
	uint64_t lost_nr;
	bool has_waking;
};

static int more(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_switch(const struct delays *a, const struct delays *b)
{
	return more(a->nr, b->nr);
}

static int by_runtime(const struct delays *a, const struct delays *b)
{
	return more(a->run_ns, b->run_ns);
}

static int by_avg(const struct delays *a, const struct delays *b)
{
	return more(a->nr ? a->sum_ns / a->nr : 0,
		    b->nr ? b->sum_ns / b->nr : 0);
}

static int by_max(const struct delays *a, const struct delays *b)
{
	return more(a->max_ns, b->max_ns);
}

static int by_start(const struct delays *a, const struct delays *b)
{
	return more(b->max_start_ns, a->max_start_ns);
}

static int add_keys(void *conf, const char *arg, bool unset, struct pd_err *err)
{
	static const struct {
		const char *name;
		delays_compare *compare;
	} keys[] = {
		{ "switch", by_switch }, { "runtime", by_runtime },
		{ "avg", by_avg },	 { "max", by_max },
		{ "start", by_start },
	};
	struct latency_args *args = conf;

	(void)unset;
	args->key_nr = 0;
	for (size_t len; *arg; arg += len + (arg[len] == ',')) {
		size_t i = 0;

		len = strcspn(arg, ",");
		while (i < sizeof(keys) / sizeof(keys[0]) &&
		       (strlen(keys[i].name) != len ||
			strncmp(arg, keys[i].name, len) != 0))
			i++;
		if (i == sizeof(keys) / sizeof(keys[0]) ||
		    args->key_nr == KEYS_NR)
			return pd_err_set(err, -EINVAL,
					  "--sort takes up to 8 of avg, max, "
					  "switch, runtime and start");
		args->keys[args->key_nr++] = keys[i].compare;
	}
	return 0;
}

#define OFF(member) offsetof(struct latency_args, member)

static const struct sup_opt opts[] = {
	RPT_OPTS_SCHED(OFF(of_all)),
	RPT_OPT_CALL('s', "sort", "KEY,...",
		     "order by avg, max, switch, runtime (the most first) or "
		     "start, of the longest (avg,max,switch,runtime)",
		     add_keys),
	RPT_OPT_FLAG('p', "pids", OFF(by_pid), 0,
		     "show a row for each thread, not for each name"),
	RPT_OPT_TEXT('C', "CPU", OFF(of_all.filter.cpus), "LIST",
		     "show only what threads waited for, and ran on, these "
		     "CPUs"),
	{ 0 },
};

const struct sup_command rpt_sched_latency_command = {
	.name = "perfpair sched latency",
	.usage = "[OPTION]... [FILE]",
	.summary = "Show how long threads that could run waited for a CPU.",
	.opts = opts,
};

/* Return the item of a task, or NULL: it is idle, or there is no budget. */
static struct delays *item_of(struct latency *l,
			      const struct rpt_sched_task *task)
{
	struct rpt_budget *budget = rpt_timeline_budget(l->se->timeline);
	uint32_t known_nr = l->tids.table.nr;
	struct delays *item;
	int64_t idx;

	if (!task->ref.tid)
		return NULL;
	l->items = rpt_grow_within(budget, l->items, &l->cap, known_nr,
				   sizeof(*l->items));
	idx = rpt_ids_number(&l->tids, task->ref.tid);
	if (idx < 0)
		return NULL;
	item = &l->items[idx];
	if (idx == known_nr)
		*item = (struct delays){ .tid = task->ref.tid, .tid_nr = 1 };
	idx = task->comm ? rpt_intern(&l->comms, task->comm, strlen(task->comm))
			 : -1;
	if (idx >= 0)
		item->comm = rpt_intern_key(&l->comms, (uint32_t)idx);
	return item;
}

/* The task gets a CPU. */
static void get_cpu(struct latency *l, const struct rpt_sched_event *ev,
		    struct delays *item)
{
	uint64_t ns = ev->time_ns - item->ready_ns;

	if (item->ready_ns && item->ready_ns <= ev->time_ns &&
	    item->ready_ns >= l->sums.lost_ns &&
	    rpt_filter_time(&l->se->filter, 0, ev->cpu)) {
		item->nr++;
		item->sum_ns += ns;
		if (ns > item->max_ns) {
			item->max_ns = ns;
			item->max_start_ns = item->ready_ns;
			item->max_end_ns = ev->time_ns;
		}
	}
	item->ready_ns = 0;
}

static void take_switch(struct latency *l, const struct rpt_sched_event *ev)
{
	struct delays *item = item_of(l, &ev->task);
	struct rpt_slice_times times;

	rpt_task_sums_switch(&l->sums, ev, &times);
	if (item && rpt_filter_time(&l->se->filter, 0, ev->cpu))
		item->run_ns += times.run_ns;
	if (item)
		item->ready_ns = ev->state == RPT_WAIT_PREEMPTED ||
						 ev->state == RPT_WAIT_RUNNABLE
					 ? ev->time_ns
					 : 0;
	item = ev->has_next ? item_of(l, &ev->next) : NULL;
	if (item)
		get_cpu(l, ev, item);
}

static void take_wakeup(struct latency *l, const struct rpt_sched_event *ev)
{
	struct delays *item = item_of(l, &ev->woken);

	if (item && !item->ready_ns)
		item->ready_ns = ev->time_ns;
}

static int take(void *ctx, const struct rpt_sched_event *ev)
{
	struct latency *l = ctx;
	struct delays *item;

	switch (ev->kind) {
	case RPT_SCHED_SWITCH:
		take_switch(l, ev);
		break;
	case RPT_SCHED_WAKEUP:
		if (!l->has_waking) /* which came before */
			take_wakeup(l, ev);
		break;
	case RPT_SCHED_WAKING:
	case RPT_SCHED_NEW:
		take_wakeup(l, ev);
		break;
	case RPT_SCHED_LOST:
		l->lost_nr += ev->value;
		rpt_task_sums_lost(&l->sums, ev);
		break;
	case RPT_SCHED_IN:
		item = item_of(l, &ev->task);
		if (item)
			get_cpu(l, ev, item);
		rpt_task_sums_other(&l->sums, ev);
		break;
	case RPT_SCHED_OUT:
		item = l->se->switches.is_traced ? NULL : item_of(l, &ev->task);
		if (item && ev->state == RPT_WAIT_PREEMPTED && !item->ready_ns)
			item->ready_ns = ev->time_ns;
		/* fallthrough */
	default:
		rpt_task_sums_other(&l->sums, ev);
	}
	return 0;
}

static const char *shown_comm(const struct delays *item, char buf[16])
{
	return rpt_comm_or_tid(item->comm, item->tid, buf);
}

static int by_comm(const void *a, const void *b)
{
	const struct delays *x = a, *y = b;
	char x_buf[16], y_buf[16];
	int diff = strcmp(shown_comm(x, x_buf), shown_comm(y, y_buf));

	return diff ? diff : (x->tid > y->tid) - (x->tid < y->tid);
}

/* Add up the items of a name.  Return how many are left. */
static uint32_t merge(struct delays *items, uint32_t nr)
{
	uint32_t left = 0;

	qsort(items, nr, sizeof(*items), by_comm);
	for (uint32_t i = 0; i < nr; i++) {
		struct delays *to = left ? &items[left - 1] : NULL;
		const struct delays *from = &items[i];

		if (!to || !to->comm || to->comm != from->comm) {
			items[left++] = *from;
			continue;
		}
		to->tid_nr += from->tid_nr;
		to->run_ns += from->run_ns;
		to->nr += from->nr;
		to->sum_ns += from->sum_ns;
		if (from->max_ns <= to->max_ns)
			continue;
		to->max_ns = from->max_ns;
		to->max_start_ns = from->max_start_ns;
		to->max_end_ns = from->max_end_ns;
	}
	return left;
}

/* The keys that are being sorted by. */
static const struct latency_args *sorted_by;

static int compare(const void *a, const void *b)
{
	int diff = 0;

	for (uint32_t i = 0; i < sorted_by->key_nr && !diff; i++)
		diff = sorted_by->keys[i](a, b);
	return diff ? diff : by_comm(a, b);
}

static void put_line(struct rpt_text *t, int nr)
{
	rpt_text_char(t, ' ');
	while (nr--)
		rpt_text_char(t, '-');
	rpt_text_char(t, '\n');
}

static void put_row(struct rpt_text *t, const struct delays *item)
{
	char unknown[16], name[RPT_SUMS_NAME_LEN];
	const char *comm = shown_comm(item, unknown);

	if (item->tid_nr > 1)
		snprintf(name, sizeof(name), "%.63s:(%" PRIu32 ")", comm,
			 item->tid_nr);
	else
		snprintf(name, sizeof(name), "%.63s:%" PRIu32, comm, item->tid);
	rpt_text_format(
		t,
		"  %-21s |%11.3f ms |%9" PRIu64
		" | avg:%8.3f ms | max:%8.3f ms | max start: %5" PRIu64
		".%06" PRIu64 " s | max end: %5" PRIu64 ".%06" PRIu64 " s\n",
		name, (double)item->run_ns / 1e6, item->nr,
		(double)item->sum_ns / (double)item->nr / 1e6,
		(double)item->max_ns / 1e6, item->max_start_ns / 1000000000,
		item->max_start_ns % 1000000000 / 1000,
		item->max_end_ns / 1000000000,
		item->max_end_ns % 1000000000 / 1000);
}

static int print(struct latency *l)
{
	struct rpt_text *t = rpt_alloc(sizeof(*t));
	uint32_t nr = l->tids.table.nr;
	uint64_t run_ns = 0, delay_nr = 0;
	int rc;

	rpt_text_init(t, stdout);
	t->is_safe = true;
	if (!l->args->by_pid && nr)
		nr = merge(l->items, nr);
	sorted_by = l->args;
	if (nr)
		qsort(l->items, nr, sizeof(*l->items), compare);
	rpt_text_char(t, '\n');
	put_line(t, 139);
	rpt_text_str(t, "  Task                  |   Runtime ms  | Switches | "
			"Avg delay ms    | Max delay ms    | Max delay start   "
			"        | Max delay end          |\n");
	put_line(t, 139);
	for (uint32_t i = 0; i < nr; i++) {
		if (!l->items[i].nr)
			continue;
		put_row(t, &l->items[i]);
		run_ns += l->items[i].run_ns;
		delay_nr += l->items[i].nr;
	}
	put_line(t, 113);
	rpt_text_format(t,
			"  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n",
			(double)run_ns / 1e6, delay_nr);
	put_line(t, 51);
	rpt_text_char(t, '\n');
	rc = rpt_text_flush(t);
	free(t);
	return rc;
}

static void warn_missing(const struct latency *l)
{
	const struct rpt_sched_events *se = l->se;

	if (se->switches.wake_idx == UINT32_MAX)
		sup_message("%s: no wakeups were recorded, so that only delays "
			    "behind preemptions are known; perfpair-record "
			    "--off-cpu -a, or perf sched record, has them",
			    se->in.path);
	if (l->lost_nr)
		sup_message("%s: %" PRIu64 " record%s lost while recording; "
			    "delays across a loss are not counted",
			    se->in.path, l->lost_nr,
			    l->lost_nr == 1 ? "" : "s");
	if (l->sums.unfit_nr)
		sup_message("%s: %" PRIu64 " events are of more tasks than a "
			    "recording of that length may have",
			    se->in.path, l->sums.unfit_nr);
	if (l->sums.missing_nr)
		sup_message("%s: before %" PRIu64 " switch%s one is missing; "
			    "how long the task ran is not known",
			    se->in.path, l->sums.missing_nr,
			    l->sums.missing_nr == 1 ? "" : "es");
}

static int run(const struct latency_args *args)
{
	struct rpt_sched_events se;
	struct pd_err err = PD_ERR_INIT;
	struct latency l = { .args = args, .se = &se };
	int rc, exit_code = rpt_sched_open(&se, &args->of_all);
	struct rpt_budget *budget;

	if (exit_code)
		return exit_code;
	budget = rpt_timeline_budget(se.timeline);
	l.has_waking = rpt_sched_has(&se, RPT_SCHED_WAKING);
	l.comms.limit = l.comms.keys.budget = budget;
	rpt_task_sums_init(&l.sums, budget);
	rpt_ids_init(&l.tids, budget);
	rc = rpt_sched_events_read(&se, take, &l, &err);
	if (!rc)
		rc = print(&l);
	if (!rc)
		warn_missing(&l);
	rpt_task_sums_release(&l.sums);
	rpt_ids_release(&l.tids);
	rpt_intern_release(&l.comms);
	free(l.items);
	return rpt_sched_close(&se, rc, &err);
}

int rpt_sched_latency(int argc, char **argv)
{
	struct latency_args args = {
		.of_all.max_ratio = PD_LIMIT_ZSTD_RATIO,
		.keys = { by_avg, by_max, by_switch, by_runtime },
		.key_nr = 4,
	};
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc = rpt_options_parse(&rpt_sched_latency_command, &args, argc,
				   argv, &args.of_all.input, &err);

	if (!rc)
		rc = rpt_symbol_files_check(&args.of_all.symbols, &err);
	if (!rpt_options_are_good(rc, &rpt_sched_latency_command, &err,
				  &exit_code))
		return exit_code;
	return run(&args);
}
