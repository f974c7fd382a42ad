#include "report/sched/task_sums.h"

#include "report/base/length_stats.h"
#include "report/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_ITEM UINT32_MAX

struct rpt_task_sum {
	struct rpt_task_ref ref;
	const char *comm; /* the last one seen; NULL: none */
	uint64_t out_ns;  /* its last switch away from a CPU; 0: none */
	uint64_t in_ns;	  /* a record of its own says that it has one */
	uint64_t wake_ns; /* it was woken since; 0: not */
	enum rpt_wait_state state;
	uint32_t waker_tid;
	const char *waker;
	bool by_interrupt;
	struct rpt_length_stats runs;
	struct rpt_length_stats idles; /* of its CPU behind it */
	uint64_t switch_nr;	       /* runs whose length is not known, too */
	uint64_t delay_ns, preempted_ns, disk_ns, asleep_ns;
	uint64_t migration_nr;
	uint32_t dead_nr; /* it was the dead_nr-th to end; 0: it did not */
};

struct rpt_cpu_sum {
	uint64_t since_ns; /* it has its task; 0: not known */
	uint32_t tid;	   /* the kernel's, of that task */
	uint32_t last;	   /* the item that had it before; NO_ITEM: none */
	uint64_t idle_ns;
	uint64_t idle_out_ns; /* it left its idle task; 0: not known */
	uint64_t idle_nr;     /* switches away from its idle task */
};

void rpt_task_sums_init(struct rpt_task_sums *sums, struct rpt_budget *budget)
{
	*sums = (struct rpt_task_sums){
		.budget = budget,
		.comms = { .limit = budget },
	};
	sums->comms.keys.budget = budget;
	rpt_ids_init(&sums->tids, budget);
	rpt_ids_init(&sums->cpu_ids, budget);
}

void rpt_task_sums_release(struct rpt_task_sums *sums)
{
	rpt_ids_release(&sums->tids);
	rpt_ids_release(&sums->cpu_ids);
	rpt_intern_release(&sums->comms);
	free(sums->latest);
	free(sums->items);
	free(sums->cpus);
	*sums = (struct rpt_task_sums){ 0 };
}

/* Return the CPU, or NULL: it is not known, or there is no budget for it. */
static struct rpt_cpu_sum *cpu_of(struct rpt_task_sums *sums, uint32_t cpu)
{
	uint32_t known_nr = sums->cpu_ids.table.nr;
	int64_t idx;

	if (cpu == UINT32_MAX)
		return NULL;
	sums->cpus = rpt_grow_within(sums->budget, sums->cpus, &sums->cpu_cap,
				     known_nr, sizeof(*sums->cpus));
	idx = rpt_ids_number(&sums->cpu_ids, cpu);
	if (idx < 0)
		return NULL;
	if (idx == known_nr)
		sums->cpus[idx] = (struct rpt_cpu_sum){ .last = NO_ITEM };
	return &sums->cpus[idx];
}

static const char *kept_comm(struct rpt_task_sums *sums, const char *comm)
{
	int64_t idx = comm ? rpt_intern(&sums->comms, comm, strlen(comm)) : -1;

	return idx >= 0 ? rpt_intern_key(&sums->comms, (uint32_t)idx) : NULL;
}

static struct rpt_task_sum *new_item(struct rpt_task_sums *sums, int64_t idx)
{
	sums->items = rpt_grow_within(sums->budget, sums->items, &sums->cap,
				      sums->nr, sizeof(*sums->items));
	sums->items[sums->nr] = (struct rpt_task_sum){ 0 };
	sums->latest[idx] = sums->nr;
	return &sums->items[sums->nr++];
}

/* Return the item of a task, or NULL: there is no budget for it.  is_new: the
 * thread id has another task now. */
static struct rpt_task_sum *item_of(struct rpt_task_sums *sums,
				    const struct rpt_sched_task *task,
				    bool is_new)
{
	uint32_t known_nr = sums->tids.table.nr;
	struct rpt_task_sum *item;
	int64_t idx;

	if (rpt_budget_is_spent(sums->budget)) {
		sums->unfit_nr++;
		return NULL;
	}
	sums->latest =
		rpt_grow_within(sums->budget, sums->latest, &sums->latest_cap,
				known_nr, sizeof(*sums->latest));
	idx = rpt_ids_number(&sums->tids, task->ref.tid);
	if (idx < 0) {
		sums->unfit_nr++;
		return NULL;
	}
	if (is_new || idx == known_nr)
		item = new_item(sums, idx);
	else
		item = &sums->items[sums->latest[idx]];
	item->ref = task->ref;
	if (task->comm)
		item->comm = task->comm == item->comm
				     ? item->comm
				     : kept_comm(sums, task->comm);
	return item;
}

/* Return since when the task of a switch (item; NULL: idle) has its CPU; 0: it
 * is not known. */
static uint64_t since(struct rpt_task_sums *sums, const struct rpt_cpu_sum *cpu,
		      const struct rpt_task_sum *item, uint32_t tid)
{
	bool has_other = cpu && cpu->since_ns && cpu->tid != tid;

	if (cpu && cpu->since_ns && !has_other)
		return cpu->since_ns;
	if (item && item->in_ns > item->out_ns && item->in_ns >= sums->lost_ns)
		return item->in_ns;
	sums->missing_nr += has_other;
	return 0;
}

/* Fill the waits before a slice that began then. */
static void fill_waits(const struct rpt_task_sums *sums,
		       const struct rpt_task_sum *item, uint64_t start_ns,
		       struct rpt_slice_times *ret)
{
	if (item->out_ns && item->out_ns >= sums->lost_ns &&
	    item->out_ns <= start_ns) {
		ret->wait_ns = start_ns - item->out_ns;
		ret->state = item->state;
	}
	if (!item->wake_ns || item->wake_ns < sums->lost_ns ||
	    item->wake_ns > start_ns)
		return;
	ret->delay_ns = start_ns - item->wake_ns;
	ret->is_woken = true;
	ret->waker_tid = item->waker_tid;
	ret->waker = item->waker;
	ret->by_interrupt = item->by_interrupt;
}

void rpt_task_sums_switch(struct rpt_task_sums *sums,
			  const struct rpt_sched_event *ev,
			  struct rpt_slice_times *ret)
{
	bool is_idle = !ev->task.ref.tid;
	struct rpt_cpu_sum *cpu = cpu_of(sums, ev->cpu);
	struct rpt_task_sum *item =
		is_idle ? NULL : item_of(sums, &ev->task, false);
	uint64_t start_ns = since(sums, cpu, item, ev->kernel_tid);

	if (start_ns > ev->time_ns) /* rounds of the file may come too late */
		start_ns = 0;
	*ret = (struct rpt_slice_times){ .end_ns = ev->time_ns };
	ret->is_run_known = start_ns != 0;
	if (start_ns)
		ret->run_ns = ev->time_ns - start_ns;
	if (item) {
		if (start_ns)
			fill_waits(sums, item, start_ns, ret);
		item->out_ns = ev->time_ns;
		item->wake_ns = 0;
		item->state = ev->state;
	}
	if (!cpu)
		return;
	if (is_idle) {
		if (start_ns && cpu->idle_out_ns &&
		    cpu->idle_out_ns <= start_ns &&
		    cpu->idle_out_ns >= sums->lost_ns)
			ret->wait_ns = start_ns - cpu->idle_out_ns;
		cpu->idle_out_ns = ev->time_ns;
	}
	cpu->since_ns = ev->has_next ? ev->time_ns : 0;
	cpu->tid = ev->kernel_next;
	if (!is_idle)
		cpu->last = item ? (uint32_t)(item - sums->items) : NO_ITEM;
}

/* Count time of a CPU's idle task, for --idle-hist also for the task before it.
 */
static void count_idle(struct rpt_task_sums *sums, struct rpt_cpu_sum *cpu,
		       uint64_t run_ns)
{
	if (!cpu)
		return;
	cpu->idle_nr++;
	cpu->idle_ns += run_ns;
	if (cpu->last != NO_ITEM)
		rpt_length_stats_add(&sums->items[cpu->last].idles, run_ns);
}

void rpt_task_sums_count(struct rpt_task_sums *sums,
			 const struct rpt_sched_event *ev,
			 const struct rpt_slice_times *times)
{
	struct rpt_task_sum *item;

	if (!ev->task.ref.tid) {
		count_idle(sums, cpu_of(sums, ev->cpu), times->run_ns);
		return;
	}
	item = item_of(sums, &ev->task, false);
	if (!item)
		return;
	item->switch_nr++;
	if (times->is_run_known)
		rpt_length_stats_add(&item->runs, times->run_ns);
	item->delay_ns += times->delay_ns;
	if (times->state == RPT_WAIT_PREEMPTED ||
	    times->state == RPT_WAIT_RUNNABLE)
		item->preempted_ns += times->wait_ns;
	else if (times->state == RPT_WAIT_DISK)
		item->disk_ns += times->wait_ns;
	else
		item->asleep_ns += times->wait_ns;
}

void rpt_task_sums_wake(struct rpt_task_sums *sums,
			const struct rpt_sched_event *ev)
{
	struct rpt_task_sum *item;

	if (!ev->woken.ref.tid)
		return;
	item = item_of(sums, &ev->woken, false);
	if (!item || item->wake_ns)
		return;
	item->wake_ns = ev->time_ns;
	item->waker_tid = ev->task.ref.tid;
	item->waker = kept_comm(sums, ev->task.comm);
	item->by_interrupt = ev->by_interrupt;
}

void rpt_task_sums_migrate(struct rpt_task_sums *sums,
			   const struct rpt_sched_event *ev)
{
	struct rpt_task_sum *item = item_of(sums, &ev->woken, false);

	if (item)
		item->migration_nr++;
}

void rpt_task_sums_lost(struct rpt_task_sums *sums,
			const struct rpt_sched_event *ev)
{
	struct rpt_cpu_sum *cpu = cpu_of(sums, ev->cpu);

	if (ev->time_ns > sums->lost_ns)
		sums->lost_ns = ev->time_ns;
	if (cpu)
		cpu->since_ns = 0;
}

/* Note that a task has a CPU, by a record of its own. */
static void note_in(struct rpt_task_sums *sums,
		    const struct rpt_sched_event *ev)
{
	struct rpt_task_sum *item =
		ev->task.ref.tid ? item_of(sums, &ev->task, false) : NULL;
	struct rpt_cpu_sum *cpu = cpu_of(sums, ev->cpu);

	if (item)
		item->in_ns = ev->time_ns;
	if (!cpu || (cpu->since_ns && cpu->tid == ev->kernel_tid))
		return;
	cpu->since_ns = ev->time_ns;
	cpu->tid = ev->kernel_tid;
}

void rpt_task_sums_other(struct rpt_task_sums *sums,
			 const struct rpt_sched_event *ev)
{
	bool is_known = rpt_ids_find(&sums->tids, ev->task.ref.tid) >= 0;
	struct rpt_task_sum *item;

	if (ev->task.ref.tid == UINT32_MAX) /* it ended, and has no id */
		return;
	if (ev->kind == RPT_SCHED_IN)
		note_in(sums, ev);
	if (!is_known)
		return;
	item = item_of(sums, &ev->task, ev->kind == RPT_SCHED_FORK);
	if (item && ev->kind == RPT_SCHED_OUT)
		item->in_ns = 0;
	if (item && ev->kind == RPT_SCHED_EXIT && !item->dead_nr)
		item->dead_nr = ++sums->dead_nr;
}

size_t rpt_sums_name(const struct rpt_task_ref *ref, const char *comm,
		     char buf[RPT_SUMS_NAME_LEN])
{
	char unknown[16];
	int len;

	if (!ref->tid)
		len = snprintf(buf, RPT_SUMS_NAME_LEN, "<idle>");
	else if (ref->pid == ref->tid || ref->pid == RPT_PID_UNKNOWN)
		len = snprintf(buf, RPT_SUMS_NAME_LEN, "%.63s[%d]",
			       rpt_comm_or_tid(comm, ref->tid, unknown),
			       (int)ref->tid);
	else
		len = snprintf(buf, RPT_SUMS_NAME_LEN, "%.63s[%d/%d]",
			       rpt_comm_or_tid(comm, ref->tid, unknown),
			       (int)ref->tid, (int)ref->pid);
	return len < 0 ? 0 : (size_t)len;
}

void rpt_sums_put_ms(struct rpt_text *text, uint64_t ns, unsigned width)
{
	rpt_text_dec(text, ns / 1000000, width);
	rpt_text_char(text, '.');
	rpt_text_zeros(text, ns % 1000000 / 1000, 3);
	rpt_text_char(text, ' ');
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* As perf has its tasks: by the low bits of the thread id, then by the whole.
 */
static int compare(const void *a, const void *b)
{
	const struct rpt_task_sum *x = a, *y = b;
	int by_slot = compare_u32(x->ref.tid % 256, y->ref.tid % 256);
	int by_tid = compare_u32(x->ref.tid, y->ref.tid);

	if (by_slot || by_tid)
		return by_slot ? by_slot : by_tid;
	return compare_u32(x->dead_nr, y->dead_nr);
}

static void put_sum(struct rpt_text *t, const struct rpt_task_sum *item,
		    const struct rpt_sums_form *form)
{
	const struct rpt_length_stats *runs =
		form->is_idle ? &item->idles : &item->runs;
	const char *last = rpt_task_ref_comm_last(&item->ref);
	char name[RPT_SUMS_NAME_LEN];
	int parent = item->ref.task ? (int)item->ref.task->ptid : -1;

	rpt_sums_name(&item->ref, last ? last : item->comm, name);
	rpt_text_right(t, name, form->comm_width);
	rpt_text_format(t, "   %5d  %9" PRIu64 "   ", parent,
			form->is_idle ? runs->nr : item->switch_nr);
	rpt_sums_put_ms(t, runs->sum_ns, 6);
	if (form->with_waits) {
		rpt_sums_put_ms(t, item->asleep_ns, 6);
		rpt_text_char(t, ' ');
		rpt_sums_put_ms(t, item->disk_ns, 6);
		rpt_text_char(t, ' ');
		rpt_sums_put_ms(t, item->preempted_ns, 6);
		rpt_text_char(t, ' ');
		rpt_sums_put_ms(t, item->delay_ns, 6);
		rpt_text_char(t, '\n');
		return;
	}
	rpt_sums_put_ms(t, runs->min_ns, 6);
	rpt_text_char(t, ' ');
	rpt_sums_put_ms(t, (uint64_t)runs->mean_ns, 6);
	rpt_text_char(t, ' ');
	rpt_sums_put_ms(t, runs->max_ns, 6);
	rpt_text_format(t, "  %5.2f   %5" PRIu64 "\n",
			(double)(float)rpt_length_stats_error_pct(runs),
			item->migration_nr);
}

static void put_head(struct rpt_text *t, const struct rpt_sums_form *form)
{
	static const char *const names[][2] = {
		{ "Runtime", "   sched-in     run-time    min-run     avg-run"
			     "     max-run  stddev  migrations" },
		{ "Idle-time", "  sched-out    idle-time   min-idle    avg-idle"
			       "    max-idle  stddev  migrations" },
		{ "Wait-time", "   sched-in     run-time      sleep      iowait"
			       "     preempt       delay" },
	};
	int kind = form->with_waits ? 2 : form->is_idle;

	rpt_text_format(t, "\n%s summary\n", names[kind][0]);
	rpt_text_right(t, "comm", form->comm_width);
	rpt_text_format(t, "  parent%s\n", names[kind][1]);
	rpt_text_pad(t, form->comm_width + 12);
	rpt_text_format(t,
			"(count)       (msec)     (msec)      (msec)      "
			"(msec)       %s\n",
			form->with_waits ? "(msec)" : "%");
	for (int i = 0; i < 117; i++)
		rpt_text_char(t, '-');
	rpt_text_char(t, '\n');
}

/* The sums over all tasks. */
struct totals {
	uint64_t task_nr;
	uint64_t switch_nr;
	uint64_t run_ns;
};

/* Append the tasks that ended, or the others. */
static void put_sums(struct rpt_task_sums *sums, struct rpt_text *t,
		     const struct rpt_sums_form *form, bool are_dead,
		     struct totals *totals)
{
	uint64_t known_nr = totals->task_nr;

	for (uint32_t i = 0; i < sums->nr; i++) {
		const struct rpt_task_sum *item = &sums->items[i];
		uint64_t nr = form->is_idle ? item->idles.nr : item->switch_nr;

		if (!nr || !!item->dead_nr != are_dead)
			continue;
		put_sum(t, item, form);
		totals->task_nr++;
		totals->switch_nr += nr;
		totals->run_ns +=
			form->is_idle ? item->idles.sum_ns : item->runs.sum_ns;
	}
	if (totals->task_nr == known_nr)
		rpt_text_str(t, are_dead ? "<no terminated tasks>\n"
					 : "<no still running tasks>\n");
}

static int compare_cpus(const void *a, const void *b)
{
	return compare_u32(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void put_idle(const struct rpt_task_sums *sums, struct rpt_text *t,
		     const struct rpt_sums_form *form, struct totals *totals)
{
	uint64_t elapsed_ns = form->elapsed_ns;
	uint32_t nr = sums->cpu_ids.table.nr;
	uint32_t *cpus = rpt_alloc_zeroed(nr + 1, sizeof(*cpus));

	for (uint32_t i = 0; i < nr; i++)
		cpus[i] = rpt_ids_at(&sums->cpu_ids, i);
	qsort(cpus, nr, sizeof(*cpus), compare_cpus);
	rpt_text_str(t, "\nIdle stats:\n");
	for (uint32_t i = 0; i < nr; i++) {
		int64_t idx = rpt_intern_find(&sums->cpu_ids.table, &cpus[i],
					      sizeof(cpus[i]));
		const struct rpt_cpu_sum *cpu = &sums->cpus[idx];

		if (!rpt_filter_time(form->cpus, 0, cpus[i]))
			continue;
		totals->switch_nr += cpu->idle_nr;
		rpt_text_format(t, "    CPU %2" PRIu32 " idle for ", cpus[i]);
		rpt_sums_put_ms(t, cpu->idle_ns, 6);
		rpt_text_format(t, " msec  (%6.2f%%)\n",
				elapsed_ns ? 100.0 * (double)cpu->idle_ns /
						     (double)elapsed_ns
					   : 0.0);
	}
	free(cpus);
}

void rpt_task_sums_print(struct rpt_task_sums *sums, struct rpt_text *text,
			 const struct rpt_sums_form *form)
{
	struct totals totals = { 0 };

	if (sums->nr)
		qsort(sums->items, sums->nr, sizeof(*sums->items), compare);
	put_head(text, form);
	put_sums(sums, text, form, false, &totals);
	rpt_text_str(text, "\nTerminated tasks:\n");
	put_sums(sums, text, form, true, &totals);
	if (form->is_part)
		return;
	put_idle(sums, text, form, &totals);
	rpt_text_format(text,
			"\n    Total number of unique tasks: %" PRIu64 "\n"
			"Total number of context switches: %" PRIu64 "\n"
			"           Total run time (msec): ",
			totals.task_nr, totals.switch_nr);
	rpt_sums_put_ms(text, totals.run_ns, 2);
	rpt_text_str(text, "\n    Total scheduling time (msec): ");
	rpt_sums_put_ms(text, form->elapsed_ns, 2);
	rpt_text_format(text, " (x %" PRIu32 ")\n", form->cpu_nr);
}
