#include "report/profile/phase_lock.h"

#include "report/base/compare.h"
#include "report/base/intern.h"
#include "report/base/memory.h"
#include "format/base/search.h"
#include "format/support/safe_text.h"
#include "report/offcpu/switch_events.h"
#include "report/profile/turn_moments.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECORDS_MAX = 1 << 19, /* that are looked at */
	SAMPLES_MAX = 1 << 15, /* that are kept */
	TASKS_MAX = 1 << 14,   /* whose switches are kept */
	SHOWN_NR = 3,	       /* that are named */
};

/* Beyond that clocks may have drifted apart by a quarter of a period. */
#define GAP_PERIODS UINT64_C(1000)

/* The part of a CPU's time that makes a task worth a word. */
#define LEAST_SHARE 0.01

/* Samples of a CPU without a long gap. */
struct grid {
	uint64_t period_ns;
	uint64_t due_ns; /* when the last one was due */
	uint32_t at;	 /* its number */
	uint32_t nr;
	uint32_t off_nr; /* of them that are far from any place of the grid */
};

/* A task between two switches. */
struct run {
	bool is_asleep;
	uint64_t in_ns; /* 0: it has no CPU */
};

struct search {
	const struct pd_event_set *events;
	const struct pd_event *event;
	struct rpt_intern cpus; /* uint32_t */
	uint32_t *cpu_grids;	/* owned; by number of the CPU: its last one */
	uint32_t cpu_grid_cap;
	struct grid *grids; /* owned */
	uint32_t grid_nr;
	uint32_t grid_cap;
	struct rpt_intern tasks;      /* uint32_t[2]: grid and tid */
	struct rpt_wake_turns *turns; /* owned; by number of the task */
	uint32_t turns_cap;
	struct rpt_intern tids; /* uint32_t: of tasks that switched */
	struct run *runs;	/* owned; by number of the tid */
	uint32_t run_cap;
	struct rpt_switch_events switches;
	bool reads_switches; /* or wakeups */
	bool has_switches;
	bool is_wide; /* the clock runs while tasks sleep: a CPU's */
	struct rpt_moment_sample *samples; /* owned */
	uint32_t sample_nr;
	uint32_t sample_cap;
	const struct rpt_timeline *timeline;
	uint64_t end_ns;
	struct rpt_phase_locks *ret;
	uint32_t ret_cap;
};

/* Number the key; *is_new: for the first time. */
static uint32_t number_of(struct rpt_intern *table, const void *key, size_t len,
			  bool *is_new)
{
	uint32_t before_nr = table->nr;
	int64_t idx = rpt_intern(table, key, len);

	*is_new = table->nr > before_nr;
	return idx < 0 ? UINT32_MAX : (uint32_t)idx;
}

static uint32_t add_grid(struct search *s, uint64_t time_ns, uint64_t period_ns)
{
	s->grids =
		rpt_grow(s->grids, &s->grid_cap, s->grid_nr, sizeof(*s->grids));
	s->grids[s->grid_nr] =
		(struct grid){ .period_ns = period_ns, .due_ns = time_ns };
	return s->grid_nr++;
}

/* Return the last grid of a CPU, UINT32_MAX if it has none. */
static uint32_t last_grid(const struct search *s, uint32_t cpu)
{
	int64_t idx = rpt_intern_find(&s->cpus, &cpu, sizeof(cpu));

	return idx < 0 ? UINT32_MAX : s->cpu_grids[idx];
}

/* Return whether a sample is too far from the last one to be numbered. */
static bool is_apart(const struct grid *g, uint64_t time_ns, uint64_t period_ns)
{
	return period_ns != g->period_ns ||
	       time_ns + g->period_ns / 2 < g->due_ns ||
	       (time_ns > g->due_ns &&
		(time_ns - g->due_ns) / g->period_ns > GAP_PERIODS);
}

/* Number a sample.  A clock is late at times, but never early: the grid follows
 * early samples at once, and late ones slowly. */
static void place_on_grid(struct grid *g, uint64_t time_ns)
{
	uint64_t half_ns = g->period_ns / 2;
	uint64_t since_ns = time_ns + half_ns - g->due_ns;
	uint64_t steps = since_ns / g->period_ns;
	int64_t late_ns = (int64_t)(since_ns % g->period_ns) - (int64_t)half_ns;

	g->nr++;
	g->at += (uint32_t)steps;
	g->due_ns += steps * g->period_ns;
	g->due_ns += (uint64_t)(late_ns < 0 ? late_ns : late_ns / 16);
	g->off_nr += (uint64_t)llabs(late_ns) > g->period_ns / 4;
}

static void add_sample(struct search *s, const struct pd_sample *sample)
{
	uint64_t period_ns = rpt_clock_sample_period(s->event, sample);
	bool is_new;
	uint32_t cpu =
		number_of(&s->cpus, &sample->cpu, sizeof(sample->cpu), &is_new);
	uint32_t grid;

	if (cpu == UINT32_MAX || !period_ns || period_ns > RPT_LOCK_SPAN_NS)
		return;
	s->cpu_grids = rpt_grow(s->cpu_grids, &s->cpu_grid_cap, cpu,
				sizeof(*s->cpu_grids));
	if (is_new ||
	    is_apart(&s->grids[s->cpu_grids[cpu]], sample->time_ns, period_ns))
		s->cpu_grids[cpu] = add_grid(s, sample->time_ns, period_ns);
	s->is_wide |= !sample->tid;
	grid = s->cpu_grids[cpu];
	place_on_grid(&s->grids[grid], sample->time_ns);
	s->samples = rpt_grow(s->samples, &s->sample_cap, s->sample_nr,
			      sizeof(*s->samples));
	s->samples[s->sample_nr++] = (struct rpt_moment_sample){
		.grid = grid,
		.tid = sample->tid,
		.at = s->grids[grid].at,
		/* some instructions, scattered */
		.place = sample->tid
				 ? (uint32_t)(sample->ip >> 4) * 2654435769u /
					   (UINT32_MAX / RPT_PLACES_NR + 1)
				 : RPT_IDLE,
	};
	s->end_ns = sample->time_ns;
}

/* A task got a CPU after it slept, or was woken there. */
static void add_wakeup(struct search *s, uint32_t tid, uint32_t cpu,
		       uint64_t time_ns)
{
	uint32_t grid = last_grid(s, cpu);
	const uint32_t key[2] = { grid, tid };
	const struct grid *g;
	struct rpt_wake_turns *t;
	bool is_new;
	uint32_t idx;

	if (!tid || grid == UINT32_MAX || s->tasks.nr > TASKS_MAX ||
	    time_ns < s->grids[grid].due_ns)
		return;
	g = &s->grids[grid];
	idx = number_of(&s->tasks, key, sizeof(key), &is_new);
	if (idx == UINT32_MAX)
		return;
	s->turns = rpt_grow(s->turns, &s->turns_cap, idx, sizeof(*s->turns));
	t = &s->turns[idx];
	if (is_new)
		*t = (struct rpt_wake_turns){ 0 };
	rpt_wake_turns_add(t, time_ns, time_ns - g->due_ns, g->period_ns);
}

/* Return the task's switches, NULL if there are too many tasks. */
static struct run *run_of(struct search *s, uint32_t tid)
{
	bool is_new;
	uint32_t idx = number_of(&s->tids, &tid, sizeof(tid), &is_new);

	if (idx == UINT32_MAX)
		return NULL;
	s->runs = rpt_grow(s->runs, &s->run_cap, idx, sizeof(*s->runs));
	if (is_new)
		s->runs[idx] = (struct run){ 0 };
	return &s->runs[idx];
}

static void switch_out(struct search *s, const struct rpt_switch *sw)
{
	const uint32_t key[2] = { last_grid(s, sw->cpu), sw->tid };
	int64_t idx = rpt_intern_find(&s->tasks, key, sizeof(key));
	struct run *run = run_of(s, sw->tid);

	if (!run)
		return;
	run->is_asleep = sw->state != RPT_WAIT_PREEMPTED;
	if (idx >= 0 && run->in_ns && sw->time_ns > run->in_ns)
		s->turns[idx].ran_ns += sw->time_ns - run->in_ns;
	run->in_ns = 0;
}

static void switch_in(struct search *s, const struct rpt_switch *sw,
		      uint32_t tid)
{
	struct run *run = run_of(s, tid);

	if (!run)
		return;
	if (run->is_asleep)
		add_wakeup(s, tid, sw->cpu, sw->time_ns);
	run->is_asleep = false;
	run->in_ns = sw->time_ns;
}

static void add_switch(struct search *s, const struct pd_record *rec)
{
	struct rpt_switch sw;

	rpt_switch_events_read(&s->switches, rec, &sw);
	s->is_wide |= sw.is_wide;
	if (sw.kind == RPT_SWITCH_TRACED || sw.kind == RPT_SWITCH_OUT)
		switch_out(s, &sw);
	if (sw.kind == RPT_SWITCH_TRACED)
		switch_in(s, &sw, sw.next);
	else if (sw.kind == RPT_SWITCH_IN)
		switch_in(s, &sw, sw.tid);
	else if (sw.kind == RPT_SWITCH_WAKE && !s->has_switches)
		add_wakeup(s, sw.tid, sw.cpu, sw.time_ns);
}

static void read_records(struct search *s, struct pd_reader *reader)
{
	struct pd_records it;
	struct pd_sample sample;
	struct pd_record rec;

	pd_records_init(&it, reader, pd_reader_data(reader));
	for (uint32_t i = 0; i < RECORDS_MAX && s->sample_nr < SAMPLES_MAX &&
			     pd_records_next(&it, &rec, NULL) > 0;
	     i++) {
		if (rec.type == PD_RECORD_SAMPLE &&
		    pd_event_set_of_record(s->events, &rec) == s->event) {
			if (!pd_sample_read(&s->event->layout, &rec, &sample,
					    NULL))
				add_sample(s, &sample);
		} else if (s->reads_switches &&
			   (rec.type == PD_RECORD_SAMPLE ||
			    (rec.type < 64 &&
			     rpt_switch_event_types >> rec.type & 1))) {
			add_switch(s, &rec);
		}
	}
	pd_records_release(&it);
}

/* Add a task, or what else was found of one of this name. */
static void add_found(struct search *s, uint32_t tid, uint32_t moments,
		      double reach_nr, bool is_by_samples)
{
	const struct rpt_timestamp end = { s->end_ns, UINT64_MAX };
	struct rpt_phase_lock *lock = NULL;
	struct rpt_task_ref ref;
	const char *comm;

	rpt_timeline_task(s->timeline, tid, tid, end, &ref);
	comm = rpt_task_ref_comm_last(&ref);
	for (uint32_t i = 0; i < s->ret->nr && !lock; i++)
		if (!strcmp(s->ret->items[i].comm, comm ? comm : ""))
			lock = &s->ret->items[i];
	if (!lock) {
		s->ret->items = rpt_grow(s->ret->items, &s->ret_cap, s->ret->nr,
					 sizeof(*s->ret->items));
		lock = &s->ret->items[s->ret->nr++];
		*lock = (struct rpt_phase_lock){
			.moments = moments,
			.is_by_samples = is_by_samples,
		};
		snprintf(lock->comm, sizeof(lock->comm), "%s",
			 comm ? comm : "");
	}
	if (moments < lock->moments)
		lock->moments = moments;
	if (is_by_samples == lock->is_by_samples)
		lock->reach_nr += reach_nr;
}

static int compare_kept(const void *a, const void *b)
{
	const struct rpt_moment_sample *x = a, *y = b;
	int order = rpt_compare_u64(x->grid, y->grid);

	if (!order)
		order = rpt_compare_u64(x->tid, y->tid);
	return order ? order : rpt_compare_u64(x->at, y->at);
}

/* Return where the samples of a task end that begin at start. */
static size_t run_end(const struct search *s, size_t start, uint32_t grid,
		      uint32_t tid)
{
	size_t end = start;

	while (end < s->sample_nr && s->samples[end].grid == grid &&
	       s->samples[end].tid == tid)
		end++;
	return end;
}

/* Return the samples of [*nr] that have numbers from lo to hi. */
static const struct rpt_moment_sample *
between(const struct rpt_moment_sample *samples, size_t *nr, uint32_t lo,
	uint32_t hi)
{
	size_t first = 0, end = *nr;

	while (first < end && samples[first].at < lo)
		first++;
	while (end > first && samples[end - 1].at > hi)
		end--;
	*nr = end - first;
	return samples + first;
}

/* Look at what each task does at which moment. */
static void compare_moments(struct search *s)
{
	const struct rpt_moment_sample *all_idle = NULL;
	size_t all_idle_nr = 0, end;

	qsort(s->samples, s->sample_nr, sizeof(*s->samples), compare_kept);
	for (size_t i = 0; i < s->sample_nr; i = end) {
		const struct grid *g = &s->grids[s->samples[i].grid];
		const struct rpt_moment_sample *idle = NULL,
					       *task = &s->samples[i];
		size_t nr, idle_nr = 0;
		uint32_t moments;

		end = run_end(s, i, s->samples[i].grid, s->samples[i].tid);
		nr = end - i;
		if (!task->tid) { /* comes first */
			all_idle = task;
			all_idle_nr = nr;
			continue;
		}
		if (g->off_nr > g->nr / 10 || (double)nr < LEAST_SHARE * g->nr)
			continue;
		if (all_idle && all_idle->grid == task->grid) {
			idle_nr = all_idle_nr;
			idle = between(all_idle, &idle_nr, task[0].at,
				       task[nr - 1].at);
		}
		moments = rpt_sample_moments(task, nr, idle, idle_nr);
		if (moments)
			add_found(s, task->tid, moments,
				  (double)(nr + idle_nr) / moments, true);
	}
}

/* Return the part of a CPU's time that a task has, by its switches or by its
 * samples, whichever is more. */
static double share_of(const struct search *s, uint32_t grid, uint32_t tid,
		       uint64_t ran_ns)
{
	const struct grid *g = &s->grids[grid];
	double span_ns = (double)g->at * (double)g->period_ns;
	const struct rpt_moment_sample first = { .grid = grid, .tid = tid };
	size_t at, end;

	PD_FIND_FIRST(at, s->sample_nr,
		      compare_kept(&s->samples[at], &first) >= 0);
	end = run_end(s, at, grid, tid);
	return fmax(ran_ns ? (double)ran_ns / span_ns : 0,
		    (double)(end - at) / g->nr);
}

/* Look at when each task wakes.  To the clock of a task alone, which stands
 * still while it sleeps, each wakeup is the same. */
static void compare_wakeups(struct search *s)
{
	for (uint32_t i = 0; i < s->tasks.nr && s->is_wide; i++) {
		const uint32_t *key = rpt_intern_key(&s->tasks, i);
		const struct grid *g = &s->grids[key[0]];
		uint32_t moments =
			rpt_wake_turns_moments(&s->turns[i], g->period_ns);
		double share;

		if (!moments || g->off_nr > g->nr / 10)
			continue;
		share = share_of(s, key[0], key[1], s->turns[i].ran_ns);
		if (share >= LEAST_SHARE)
			add_found(s, key[1], moments,
				  fmin(share, 1.0 / moments) * g->nr, false);
	}
}

static int compare_locks(const void *a, const void *b)
{
	const struct rpt_phase_lock *x = a, *y = b;
	int order = rpt_compare_u64(x->moments, y->moments);

	return order ? order : strcmp(x->comm, y->comm);
}

static void find_switches(struct search *s, struct rpt_tracepoints *tracepoints)
{
	s->reads_switches = s->has_switches = rpt_switch_events_find_any(
		&s->switches, s->events, tracepoints, s->timeline);
	if (s->switches.wake_idx != UINT32_MAX)
		s->reads_switches = true;
}

void rpt_phase_locks_find(struct pd_reader *reader,
			  const struct rpt_timeline *timeline,
			  struct rpt_tracepoints *tracepoints,
			  struct rpt_phase_locks *ret)
{
	struct search s = {
		.events = pd_reader_events(reader),
		.timeline = timeline,
		.ret = ret,
	};
	const uint64_t needed =
		PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CPU;
	struct rpt_clock_steps steps;

	*ret = (struct rpt_phase_locks){ 0 };
	if (!rpt_clock_steps_find(reader, &steps))
		return;
	s.event = &s.events->events[steps.event_idx];
	if ((s.event->attr.sample_type & needed) != needed)
		return;
	find_switches(&s, tracepoints);
	read_records(&s, reader);
	if (s.sample_nr)
		compare_moments(&s);
	compare_wakeups(&s);
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), compare_locks);
	for (uint32_t i = 0; i < ret->nr; i++)
		ret->reach += ret->items[i].reach_nr / s.sample_nr;
	ret->reach = fmin(ret->reach, 1.0);
	rpt_switch_events_release(&s.switches);
	rpt_intern_release(&s.cpus);
	rpt_intern_release(&s.tasks);
	rpt_intern_release(&s.tids);
	free(s.cpu_grids);
	free(s.grids);
	free(s.turns);
	free(s.runs);
	free(s.samples);
}

void rpt_phase_locks_release(struct rpt_phase_locks *locks)
{
	free(locks->items);
	*locks = (struct rpt_phase_locks){ 0 };
}

char *rpt_phase_locks_text(const struct rpt_phase_locks *locks)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!locks->nr)
		return NULL;
	out = open_memstream(&text, &len);
	fputs("the clock keeps step with ", out);
	for (uint32_t i = 0; i < locks->nr && i < SHOWN_NR; i++) {
		fputs(i ? ", " : "", out);
		sup_put_safe_text(out, locks->items[i].comm);
	}
	fprintf(out,
		"%s: samples see %" PRIu32 " moment%s of each turn, and shares "
		"can be off by %.0f points; perfpair-record -F keeps no step",
		locks->nr > SHOWN_NR ? ", ..." : "", locks->items[0].moments,
		locks->items[0].moments == 1 ? "" : "s",
		ceil(100.0 * locks->reach));
	fclose(out);
	return text;
}
