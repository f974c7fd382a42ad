#include "report/offcpu/elapsed.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/base/radix_sort.h"
#include "report/offcpu/wait_graph_impl.h"

/* A task that is asked for gets a CPU, or gives it up. */
struct change {
	uint64_t time_ns;
	uint32_t task_idx;
	bool is_start;
};

/* Memory for a change, in all of the arrays below: of those of levels there is
 * an item for two changes at most. */
#define CHANGE_LEN UINT64_C(40)

/* Changes that are looked at within parts of runs, for each that there is,
 * besides some at first: each lies within the runs of all that run then. */
#define STEPS_PER_CHANGE 64u
#define STEPS_MIN	 200000u

struct division {
	struct rpt_wait_path path;
	const struct rpt_elapsed_conf *conf;
	struct change *changes; /* owned */
	uint32_t *order;	/* owned: changes in the order of time */
	uint32_t nr;
	uint32_t *levels; /* owned: how many run from each on, in order */
	/* Owned: the elapsed time up to each, in order, as one task sees it
	 * that always runs: divided by how many do. */
	double *shares_ns;
	uint64_t *level_ns; /* owned: of a part of a run, by how many ran; 0 */
	uint32_t *seen;	    /* owned: the levels that the part has */
	uint32_t seen_nr;
	double rest_ns; /* of latencies: what was not delivered yet */
	uint64_t step_nr;
};

static const struct change *change_at(const struct division *d, uint32_t idx)
{
	return &d->changes[d->order[idx]];
}

/* Return whether one more change may be looked at. */
static bool may_go_on(struct division *d)
{
	return ++d->step_nr < STEPS_MIN + STEPS_PER_CHANGE * (uint64_t)d->nr;
}

static bool is_run(const struct rpt_wait_piece *piece)
{
	return piece->is_asked && !piece->wait.state;
}

/* Return whether a piece is the time of a new task until it has a CPU. */
static bool is_made(const struct rpt_wait_piece *piece)
{
	return piece->wait.state == RPT_WAIT_WOKEN &&
	       piece->wait.waker_tid == RPT_WAKER_NONE &&
	       piece->stack == RPT_NO_STACK;
}

/* Return when a task began to be of those that are asked for: 0 if the
 * recording found it so; UINT64_MAX: it never had a CPU. */
static uint64_t task_start(const struct rpt_wait_task *task)
{
	const struct rpt_wait_piece *first = task->pieces;
	const struct rpt_wait_piece *end = first + task->nr;
	const struct rpt_wait_piece *run = first;

	while (run < end && !is_run(run))
		run++;
	while (first < end && !first->is_asked)
		first++;
	if (run == end)
		return UINT64_MAX;
	return first > task->pieces || is_made(first) ? first->start_ns : 0;
}

/* Return how many changes there are; *ret_start_ns: when the first of the tasks
 * began. */
static uint32_t count_changes(const struct rpt_wait_graph *graph,
			      uint64_t *ret_start_ns)
{
	uint64_t start_ns = UINT64_MAX, nr = 0;

	for (uint32_t t = 0; t < graph->tids.table.nr; t++) {
		const struct rpt_wait_task *task = &graph->tasks[t];
		uint64_t task_ns = task_start(task);

		for (uint32_t i = 0; i < task->nr; i++)
			nr += is_run(&task->pieces[i]) ? 2 : 0;
		if (task_ns < start_ns)
			start_ns = task_ns;
	}
	*ret_start_ns = start_ns;
	return nr < UINT32_MAX ? (uint32_t)nr : 0;
}

static void list_changes(struct division *d)
{
	const struct rpt_wait_graph *graph = d->path.graph;
	struct change *to = d->changes;

	for (uint32_t t = 0; t < graph->tids.table.nr; t++) {
		struct rpt_wait_task *task = &graph->tasks[t];

		task->run_idx = 0;
		for (uint32_t i = 0; i < task->nr; i++) {
			const struct rpt_wait_piece *piece = &task->pieces[i];

			if (!is_run(piece))
				continue;
			*to++ = (struct change){ piece->start_ns, t, true };
			*to++ = (struct change){ piece->end_ns, t, false };
		}
	}
}

static uint64_t change_word(const void *ctx, uint32_t item, unsigned word_idx)
{
	const struct division *d = ctx;

	(void)word_idx;
	return d->changes[item].time_ns;
}

static int compare_changes(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = change_word(ctx, x, 0), q = change_word(ctx, y, 0);

	return p == q ? (x > y) - (x < y) : p < q ? -1 : 1;
}

/* Sort, and return how many run at most. */
static uint32_t sort_changes(struct division *d)
{
	const struct rpt_radix_sort sort = {
		.word = change_word,
		.word_nr = 1,
		.compare = compare_changes,
		.ctx = d,
	};
	uint32_t level = 0, level_max = 0;
	double share_ns = 0;

	for (uint32_t i = 0; i < d->nr; i++)
		d->order[i] = i;
	rpt_radix_sort(&sort, d->order, d->nr);
	for (uint32_t i = 0; i < d->nr; i++) {
		uint64_t time_ns = change_at(d, i)->time_ns;
		uint64_t last_ns = i ? change_at(d, i - 1)->time_ns : time_ns;

		if (level)
			share_ns += (double)(time_ns - last_ns) / level;
		level += change_at(d, i)->is_start ? 1 : UINT32_MAX;
		d->levels[i] = level;
		d->shares_ns[i] = share_ns;
		if (level > level_max)
			level_max = level;
	}
	return level_max;
}

/* Return the last change that is not after a time, of those from idx on, which
 * is not after it either. */
static uint32_t change_before(const struct division *d, uint32_t idx,
			      uint32_t end, uint64_t time_ns)
{
	while (end - idx > 1) {
		uint32_t mid = idx + (end - idx) / 2;

		if (change_at(d, mid)->time_ns <= time_ns)
			idx = mid;
		else
			end = mid;
	}
	return idx;
}

static double share_at(const struct division *d, uint32_t idx, uint64_t time_ns)
{
	uint64_t behind_ns = time_ns - change_at(d, idx)->time_ns;
	uint32_t level = d->levels[idx];

	return d->shares_ns[idx] + (level ? (double)behind_ns / level : 0);
}

/* Deliver a part of a run.  What is left over of its latency goes to the next,
 * so that all of them add up. */
static int give_share(struct division *d, uint64_t start_ns, uint64_t end_ns,
		      double share_ns, uint32_t parallelism)
{
	struct rpt_wait_cause *cause = &d->path.cause;
	double latency_ns = share_ns + d->rest_ns;
	uint64_t run_ns = end_ns - start_ns;

	if (start_ns >= end_ns)
		return 0;
	cause->root = RPT_ROOT_RUN;
	cause->start_ns = start_ns;
	cause->end_ns = end_ns;
	cause->latency_ns =
		latency_ns < (double)run_ns ? (uint64_t)latency_ns : run_ns;
	cause->parallelism = parallelism;
	d->rest_ns = latency_ns - (double)cause->latency_ns;
	return d->path.deliver(d->path.ctx, cause);
}

/* Deliver a part of a run, from behind change idx to behind change to. */
static int give_part(struct division *d, uint32_t idx, uint32_t to,
		     uint64_t start_ns, uint64_t end_ns)
{
	double share_ns = share_at(d, to, end_ns) - share_at(d, idx, start_ns);
	double mean = (double)(end_ns - start_ns) / share_ns + .5;

	return give_share(d, start_ns, end_ns, share_ns,
			  mean < (double)UINT32_MAX ? (uint32_t)mean
						    : d->levels[idx]);
}

static void add_level(struct division *d, uint32_t level, uint64_t ns)
{
	if (!ns)
		return;
	if (!d->level_ns[level])
		d->seen[d->seen_nr++] = level;
	d->level_ns[level] += ns;
}

/* The same, by how many ran. */
static int give_levels(struct division *d, uint32_t idx, uint32_t to,
		       uint64_t start_ns, uint64_t end_ns)
{
	uint64_t at = start_ns;
	int rc = 0;

	for (; at < end_ns && may_go_on(d); idx++) {
		uint64_t next =
			idx < to ? change_at(d, idx + 1)->time_ns : end_ns;

		next = next < end_ns ? next : end_ns;
		add_level(d, d->levels[idx], next > at ? next - at : 0);
		at = next > at ? next : at;
	}
	for (uint32_t i = 0; i < d->seen_nr; i++) {
		uint32_t level = d->seen[i];
		uint64_t ns = d->level_ns[level];

		d->level_ns[level] = 0;
		if (!rc)
			rc = give_share(d, start_ns, start_ns + ns,
					(double)ns / level, level);
		start_ns += ns;
	}
	d->seen_nr = 0;
	return rc || at >= end_ns ? rc : give_part(d, idx, to, at, end_ns);
}

/* Deliver what a task has of the time in which it had a CPU: each sample stands
 * for as much of that. */
static int divide_run(struct division *d, const struct rpt_wait_task *task,
		      uint32_t end_idx)
{
	const struct rpt_wait_piece *piece = &task->pieces[task->run_idx];
	uint32_t from = rpt_wait_first_sample(task, piece->start_ns);
	uint32_t nr = rpt_wait_first_sample(task, piece->end_ns) - from;
	uint64_t len = piece->end_ns - piece->start_ns, at = piece->start_ns;
	uint32_t idx = task->begun_idx, next_idx;
	int rc = 0;

	d->path.cause.wait = piece;
	d->path.cause.nr = 1;
	for (uint32_t i = 0; i < (nr ? nr : 1) && !rc; i++) {
		uint32_t stack =
			nr ? task->samples[from + i].stack : RPT_NO_STACK;
		uint64_t next = piece->end_ns;

		while (i + 1 < nr && task->samples[from + i + 1].stack == stack)
			i++;
		if (i + 1 < nr)
			next = piece->start_ns + len / nr * (i + 1);
		d->path.cause.stacks[0] = stack;
		next_idx = change_before(d, idx, end_idx + 1, next);
		rc = d->conf->by_level ? give_levels(d, idx, next_idx, at, next)
				       : give_part(d, idx, next_idx, at, next);
		idx = next_idx;
		at = next;
	}
	return rc;
}

/* Deliver the causes of a time in which none of the tasks had a CPU, and behind
 * which this one gets one. */
static int charge(struct division *d, const struct rpt_wait_task *task,
		  uint64_t start_ns, uint64_t end_ns)
{
	struct rpt_wait_path *path = &d->path;
	uint64_t at = start_ns;
	int rc = 0;

	for (uint32_t i = rpt_wait_first_piece(task, start_ns);
	     !rc && i < task->nr && at < end_ns; i++) {
		const struct rpt_wait_piece *piece = &task->pieces[i];
		uint64_t next = piece->end_ns < end_ns ? piece->end_ns : end_ns;

		path->cause.wait = piece;
		path->cause.nr = 1;
		path->cause.stacks[0] = RPT_NO_STACK;
		if (at < piece->start_ns) {
			next = piece->start_ns < end_ns ? piece->start_ns
							: end_ns;
			rc = rpt_wait_give(path, RPT_ROOT_UNKNOWN, at, next);
			at = next;
			next = piece->end_ns < end_ns ? piece->end_ns : end_ns;
		}
		if (rc || at >= end_ns)
			break;
		if (piece->wait.state)
			path->cause.stacks[0] = piece->stack;
		rc = piece->wait.state
			     ? rpt_wait_explain(path, task, piece, at, next)
			     : rpt_wait_give(path, RPT_ROOT_RUN, at, next);
		at = next;
	}
	return rc;
}

/* Deliver the time behind the last change, in which nothing runs any more. */
static int give_end(struct division *d, uint64_t start_ns)
{
	const struct rpt_wait_graph *graph = d->path.graph;
	struct rpt_wait_cause *cause = &d->path.cause;
	uint64_t end_ns = start_ns;

	for (uint32_t t = 0; t < graph->tids.table.nr; t++) {
		const struct rpt_wait_task *task = &graph->tasks[t];
		const struct rpt_wait_piece *last =
			task->nr ? &task->pieces[task->nr - 1] : NULL;

		if (!last || !last->is_asked || last->end_ns <= end_ns)
			continue;
		end_ns = last->end_ns;
		cause->wait = last;
		cause->tid = rpt_ids_at(&graph->tids, t);
	}
	cause->nr = 1;
	cause->stacks[0] = RPT_NO_STACK;
	return rpt_wait_give(&d->path, RPT_ROOT_GOES_ON, start_ns, end_ns);
}

static int divide(struct division *d, uint64_t start_ns)
{
	const struct rpt_wait_graph *graph = d->path.graph;
	uint64_t last_ns = start_ns;
	int rc = 0;

	for (uint32_t i = 0; i < d->nr && !rc; i++) {
		const struct change *change = change_at(d, i);
		struct rpt_wait_task *task = &graph->tasks[change->task_idx];

		d->path.cause.tid = rpt_ids_at(&graph->tids, change->task_idx);
		if (!change->is_start) {
			rc = divide_run(d, task, i);
			task->run_idx++;
			last_ns = change->time_ns;
			continue;
		}
		while (!is_run(&task->pieces[task->run_idx]))
			task->run_idx++;
		task->begun_idx = i;
		if (d->levels[i] == 1)
			rc = charge(d, task, last_ns, change->time_ns);
	}
	return rc ? rc : give_end(d, last_ns);
}

int rpt_elapsed_divide(struct rpt_wait_graph *graph,
		       const struct rpt_elapsed_conf *conf,
		       rpt_wait_cause_deliver *deliver, void *ctx)
{
	struct division d = {
		.path = { .graph = graph, .deliver = deliver, .ctx = ctx },
		.conf = conf,
	};
	uint64_t start_ns;
	uint32_t level_max;
	int rc;

	d.nr = count_changes(graph, &start_ns);
	if (!d.nr)
		return 0;
	if (graph->budget &&
	    !rpt_budget_take(graph->budget, d.nr * CHANGE_LEN)) {
		graph->unfit_nr += d.nr;
		return 0;
	}
	d.changes = rpt_alloc_zeroed(d.nr, sizeof(*d.changes));
	d.order = rpt_alloc_zeroed(d.nr, sizeof(*d.order));
	d.levels = rpt_alloc_zeroed(d.nr, sizeof(*d.levels));
	d.shares_ns = rpt_alloc_zeroed(d.nr, sizeof(*d.shares_ns));
	list_changes(&d);
	level_max = sort_changes(&d);
	d.level_ns =
		rpt_alloc_zeroed((size_t)level_max + 1, sizeof(*d.level_ns));
	d.seen = rpt_alloc_zeroed((size_t)level_max + 1, sizeof(*d.seen));
	rc = divide(&d, start_ns > conf->start_ns ? start_ns : conf->start_ns);
	free(d.changes);
	free(d.order);
	free(d.levels);
	free(d.shares_ns);
	free(d.level_ns);
	free(d.seen);
	rpt_budget_give(graph->budget, d.nr * CHANGE_LEN);
	return rc;
}
