#include "report/offcpu/wait_graph.h"

#include "report/base/memory.h"
#include "report/offcpu/wait_graph_impl.h"

#include <stdlib.h>

/* Steps of explanations for each piece and sample, besides some at first: a
 * server's waits take some four, as deep as they are. */
#define STEPS_PER_ITEM 64u
#define STEPS_MIN      200000u

void rpt_wait_graph_init(struct rpt_wait_graph *graph,
			 struct rpt_budget *budget)
{
	*graph = (struct rpt_wait_graph){ .budget = budget };
	rpt_ids_init(&graph->tids, budget);
	rpt_ids_init(&graph->cpu_ids, budget);
}

void rpt_wait_graph_release(struct rpt_wait_graph *graph)
{
	for (uint32_t i = 0; i < graph->tids.table.nr; i++) {
		free(graph->tasks[i].pieces);
		free(graph->tasks[i].samples);
	}
	for (uint32_t i = 0; i < graph->cpu_ids.table.nr; i++)
		free(graph->cpus[i].turns);
	free(graph->tasks);
	free(graph->cpus);
	rpt_ids_release(&graph->tids);
	rpt_ids_release(&graph->cpu_ids);
	rpt_budget_give(graph->budget, graph->taken_len);
	*graph = (struct rpt_wait_graph){ 0 };
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Return an array that has room for one more, charged to the budget. */
static void *grow(struct rpt_wait_graph *graph, void *items, uint32_t *cap,
		  uint32_t nr, size_t item_len)
{
	uint32_t old_cap = *cap;

	items = rpt_grow_within(graph->budget, items, cap, nr, item_len);
	graph->taken_len += (uint64_t)(*cap - old_cap) * item_len;
	return items;
}

/* Return the task, a new one at its first time; NULL if there is no budget for
 * what it did. */
static struct rpt_wait_task *task_of(struct rpt_wait_graph *graph, uint32_t tid)
{
	uint32_t known_nr = graph->tids.table.nr;
	int64_t idx = -1;

	if (!rpt_budget_is_spent(graph->budget)) {
		graph->tasks = grow(graph, graph->tasks, &graph->task_cap,
				    known_nr, sizeof(*graph->tasks));
		idx = rpt_ids_number(&graph->tids, tid);
	}
	if (idx < 0) {
		graph->unfit_nr++;
		return NULL;
	}
	if (idx == known_nr)
		graph->tasks[idx] = (struct rpt_wait_task){ 0 };
	return &graph->tasks[idx];
}

/* Remember that a task had the CPU of a piece.  Without the budget for it only
 * the name of what others waited behind is missing. */
static void add_turn(struct rpt_wait_graph *graph, uint32_t tid,
		     const struct rpt_wait_piece *piece)
{
	uint32_t known_nr = graph->cpu_ids.table.nr;
	struct rpt_wait_cpu *cpu;
	int64_t idx;

	if (piece->wait.state || piece->cpu == UINT32_MAX ||
	    rpt_budget_is_spent(graph->budget))
		return;
	graph->cpus = grow(graph, graph->cpus, &graph->cpu_cap, known_nr,
			   sizeof(*graph->cpus));
	idx = rpt_ids_number(&graph->cpu_ids, piece->cpu);
	if (idx < 0)
		return;
	cpu = &graph->cpus[idx];
	if (idx == known_nr)
		*cpu = (struct rpt_wait_cpu){ 0 };
	if (cpu->nr && cpu->turns[cpu->nr - 1].end_ns > piece->start_ns)
		return;
	cpu->turns = grow(graph, cpu->turns, &cpu->cap, cpu->nr,
			  sizeof(*cpu->turns));
	cpu->turns[cpu->nr++] =
		(struct rpt_wait_turn){ piece->start_ns, piece->end_ns, tid };
}

void rpt_wait_graph_add(struct rpt_wait_graph *graph, uint32_t tid,
			const struct rpt_wait_piece *piece)
{
	struct rpt_wait_task *task = task_of(graph, tid);

	if (!task || piece->start_ns >= piece->end_ns ||
	    (task->nr && task->pieces[task->nr - 1].end_ns > piece->start_ns))
		return;
	task->pieces = grow(graph, task->pieces, &task->cap, task->nr,
			    sizeof(*task->pieces));
	task->pieces[task->nr++] = *piece;
	graph->item_nr++;
	add_turn(graph, tid, piece);
}

void rpt_wait_graph_sample(struct rpt_wait_graph *graph, uint32_t tid,
			   uint64_t time_ns, uint32_t stack)
{
	struct rpt_wait_task *task = task_of(graph, tid);

	if (!task)
		return;
	task->samples = grow(graph, task->samples, &task->sample_cap,
			     task->sample_nr, sizeof(*task->samples));
	task->samples[task->sample_nr++] =
		(struct rpt_wait_sample){ time_ns, stack };
	graph->item_nr++;
}

/* Return the first piece that ends after a time, or task->nr. */
uint32_t rpt_wait_first_piece(const struct rpt_wait_task *task,
			      uint64_t time_ns)
{
	uint32_t from = 0, to = task->nr;

	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (task->pieces[mid].end_ns > time_ns)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/* Return the first sample that is not before a time, or task->sample_nr. */
uint32_t rpt_wait_first_sample(const struct rpt_wait_task *task,
			       uint64_t time_ns)
{
	uint32_t from = 0, to = task->sample_nr;

	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (task->samples[mid].time_ns >= time_ns)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

int rpt_wait_give(struct rpt_wait_path *path, enum rpt_wait_root root,
		  uint64_t start_ns, uint64_t end_ns)
{
	if (start_ns >= end_ns)
		return 0;
	path->cause.root = root;
	path->cause.start_ns = start_ns;
	path->cause.end_ns = end_ns;
	path->cause.latency_ns = end_ns - start_ns;
	path->cause.parallelism = 0;
	return path->deliver(path->ctx, &path->cause);
}

/* Return whether one more piece or sample may be looked at. */
static bool may_go_on(struct rpt_wait_graph *graph)
{
	return ++graph->step_nr < STEPS_MIN + STEPS_PER_ITEM * graph->item_nr;
}

static int give_rest(struct rpt_wait_path *path, uint64_t start_ns,
		     uint64_t end_ns)
{
	path->graph->left_ns += end_ns - start_ns;
	return rpt_wait_give(path, RPT_ROOT_TOO_DEEP, start_ns, end_ns);
}

/* Deliver the time that a task had a CPU: each of the samples stands for as
 * much of it. */
static int give_run(struct rpt_wait_path *path,
		    const struct rpt_wait_task *task, uint64_t start_ns,
		    uint64_t end_ns)
{
	uint32_t *stack = &path->cause.stacks[path->cause.nr - 1];
	uint32_t from = rpt_wait_first_sample(task, start_ns);
	uint32_t nr = rpt_wait_first_sample(task, end_ns) - from;
	uint64_t len = end_ns - start_ns, at = start_ns, next;
	int rc = 0;

	for (uint32_t i = 0; i < nr && !rc; i++) {
		*stack = task->samples[from + i].stack;
		while (i + 1 < nr &&
		       task->samples[from + i + 1].stack == *stack)
			i++;
		next = i + 1 == nr ? end_ns : start_ns + len / nr * (i + 1);
		if (!may_go_on(path->graph)) {
			*stack = RPT_NO_STACK;
			return give_rest(path, at, end_ns);
		}
		rc = rpt_wait_give(path, RPT_ROOT_RUN, at, next);
		at = next;
	}
	*stack = RPT_NO_STACK;
	return nr ? rc : rpt_wait_give(path, RPT_ROOT_RUN, start_ns, end_ns);
}

static enum rpt_wait_root root_of(const struct rpt_wait_piece *piece)
{
	const struct rpt_wait *wait = &piece->wait;

	if (wait->state == RPT_WAIT_WOKEN ||
	    wait->state == RPT_WAIT_PREEMPTED ||
	    wait->state == RPT_WAIT_RUNNABLE)
		return RPT_ROOT_NO_CPU;
	if (piece->is_open)
		return RPT_ROOT_GOES_ON;
	if (wait->waker_tid == RPT_WAKER_NONE)
		return RPT_ROOT_UNKNOWN;
	return wait->waker_tid && wait->waker_tid != RPT_WAKER_INTERRUPT
		       ? RPT_ROOT_RUN
		       : RPT_ROOT_INTERRUPT;
}

/* Return the CPU that a task got after a wait for one; NULL: it is not known.
 */
static const struct rpt_wait_cpu *cpu_after(struct rpt_wait_graph *graph,
					    const struct rpt_wait_task *task,
					    const struct rpt_wait_piece *piece)
{
	const struct rpt_wait_piece *end = task->pieces + task->nr;
	int64_t idx = -1;

	while (piece < end && root_of(piece) == RPT_ROOT_NO_CPU &&
	       may_go_on(graph))
		piece++;
	if (piece < end && !piece->wait.state)
		idx = rpt_ids_find(&graph->cpu_ids, piece->cpu);
	return idx < 0 ? NULL : &graph->cpus[idx];
}

/* Return the first turn that ends after a time, or cpu->nr. */
static uint32_t first_turn(const struct rpt_wait_cpu *cpu, uint64_t time_ns)
{
	uint32_t from = 0, to = cpu->nr;

	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (cpu->turns[mid].end_ns > time_ns)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/* Tasks that ran while another waited. */
struct ahead {
	struct {
		uint32_t tid;
		uint64_t len_ns;
	} tasks[8];
	uint32_t nr;
};

/* Add a turn; behind tasks beyond those that fit the wait is behind nobody. */
static void add_ahead(struct ahead *ahead, uint32_t tid, uint64_t len_ns)
{
	uint32_t i = 0;

	while (i < ahead->nr && ahead->tasks[i].tid != tid)
		i++;
	if (i == sizeof(ahead->tasks) / sizeof(ahead->tasks[0]))
		return;
	if (i == ahead->nr) {
		ahead->tasks[ahead->nr].tid = tid;
		ahead->tasks[ahead->nr++].len_ns = 0;
	}
	ahead->tasks[i].len_ns += len_ns;
}

/* Deliver a part of a wait for a CPU: how much of it was behind whom, not in
 * the order of their turns, of which there may be many. */
static int explain_no_cpu(struct rpt_wait_path *path,
			  const struct rpt_wait_task *task,
			  const struct rpt_wait_piece *piece, uint64_t start_ns,
			  uint64_t end_ns)
{
	const struct rpt_wait_cpu *cpu = cpu_after(path->graph, task, piece);
	struct ahead ahead = { .nr = 0 };
	uint64_t at = start_ns;
	int rc = 0;

	for (uint32_t i = cpu ? first_turn(cpu, start_ns) : 0;
	     cpu && i < cpu->nr && cpu->turns[i].start_ns < end_ns &&
	     may_go_on(path->graph);
	     i++) {
		const struct rpt_wait_turn *turn = &cpu->turns[i];

		add_ahead(&ahead, turn->tid,
			  earlier(turn->end_ns, end_ns) -
				  later(turn->start_ns, start_ns));
	}
	for (uint32_t i = 0; i < ahead.nr && !rc; i++) {
		uint64_t next = at + ahead.tasks[i].len_ns;

		path->cause.behind_tid = ahead.tasks[i].tid;
		rc = rpt_wait_give(path, RPT_ROOT_NO_CPU, at, next);
		at = next;
	}
	path->cause.behind_tid = 0;
	return rc ? rc : rpt_wait_give(path, RPT_ROOT_NO_CPU, at, end_ns);
}

/* Deliver what the waker, the last on the path, did. */
static int explain_waker(struct rpt_wait_path *path,
			 const struct rpt_wait_task *task, uint64_t start_ns,
			 uint64_t end_ns)
{
	uint32_t *stack = &path->cause.stacks[path->cause.nr - 1];
	uint64_t at = start_ns;
	int rc = 0;

	for (uint32_t i = rpt_wait_first_piece(task, start_ns);
	     !rc && i < task->nr && task->pieces[i].start_ns < end_ns; i++) {
		const struct rpt_wait_piece *piece = &task->pieces[i];
		uint64_t next = piece->end_ns < end_ns ? piece->end_ns : end_ns;

		*stack = RPT_NO_STACK;
		if (!may_go_on(path->graph))
			return give_rest(path, at, end_ns);
		if (at < piece->start_ns) {
			rc = rpt_wait_give(path, RPT_ROOT_UNKNOWN, at,
					   piece->start_ns);
			at = piece->start_ns;
		}
		if (piece->wait.state)
			*stack = piece->stack;
		if (!rc)
			rc = piece->wait.state
				     ? rpt_wait_explain(path, task, piece, at,
							next)
				     : give_run(path, task, at, next);
		at = next;
	}
	*stack = RPT_NO_STACK;
	return rc ? rc : rpt_wait_give(path, RPT_ROOT_UNKNOWN, at, end_ns);
}

/* Deliver the causes of a part of the last wait on the path. */
int rpt_wait_explain(struct rpt_wait_path *path,
		     const struct rpt_wait_task *task,
		     const struct rpt_wait_piece *piece, uint64_t start_ns,
		     uint64_t end_ns)
{
	const struct rpt_wait *wait = &piece->wait;
	enum rpt_wait_root root = root_of(piece);
	int64_t idx;
	int rc;

	if (root == RPT_ROOT_NO_CPU)
		return explain_no_cpu(path, task, piece, start_ns, end_ns);
	if (root != RPT_ROOT_RUN)
		return rpt_wait_give(path, root, start_ns, end_ns);
	if (path->cause.nr == RPT_WAIT_DEPTH)
		return give_rest(path, start_ns, end_ns);
	idx = rpt_ids_find(&path->graph->tids, wait->waker_tid);
	path->cause.wakers[path->cause.nr] = wait->waker;
	path->cause.stacks[path->cause.nr++] = RPT_NO_STACK;
	rc = idx < 0 ? rpt_wait_give(path, RPT_ROOT_UNKNOWN, start_ns, end_ns)
		     : explain_waker(path, &path->graph->tasks[idx], start_ns,
				     end_ns);
	path->cause.nr--;
	return rc;
}

static int explain_task(struct rpt_wait_path *path, uint32_t idx)
{
	const struct rpt_wait_task *task = &path->graph->tasks[idx];
	int rc = 0;

	path->cause.tid = rpt_ids_at(&path->graph->tids, idx);
	for (uint32_t i = 0; i < task->nr && !rc; i++) {
		const struct rpt_wait_piece *piece = &task->pieces[i];

		if (!piece->is_asked)
			continue;
		path->cause.wait = piece;
		path->cause.stacks[0] = piece->stack;
		path->cause.nr = 1;
		rc = rpt_wait_explain(path, task, piece, piece->start_ns,
				      piece->end_ns);
	}
	return rc;
}

int rpt_wait_graph_explain(struct rpt_wait_graph *graph,
			   rpt_wait_cause_deliver *deliver, void *ctx)
{
	struct rpt_wait_path path = { .graph = graph,
				      .deliver = deliver,
				      .ctx = ctx };
	int rc = 0;

	for (uint32_t i = 0; i < graph->tids.table.nr && !rc; i++)
		rc = explain_task(&path, i);
	return rc;
}
