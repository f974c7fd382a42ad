#include "report/offcpu/task_slices_impl.h"

#include "report/base/memory.h"

#include <stdlib.h>

void rpt_task_slices_init(struct rpt_task_slices *slices,
			  rpt_slice_deliver *deliver, void *ctx,
			  struct rpt_budget *budget)
{
	*slices = (struct rpt_task_slices){
		.deliver = deliver,
		.ctx = ctx,
		.tids = { .is_bytes = true, .limit = budget },
		.cpu_ids = { .is_bytes = true, .limit = budget },
		.first_ns = UINT64_MAX,
	};
	slices->tids.keys.budget = budget;
	slices->cpu_ids.keys.budget = budget;
}

void rpt_task_slices_release(struct rpt_task_slices *slices)
{
	rpt_intern_release(&slices->tids);
	rpt_intern_release(&slices->cpu_ids);
	free(slices->tasks);
	free(slices->cpus);
	*slices = (struct rpt_task_slices){ 0 };
}

struct rpt_slice_task *rpt_slice_task_of(struct rpt_task_slices *s,
					 uint32_t tid)
{
	uint32_t known_nr = s->tids.nr;
	int64_t idx;

	if (!tid || tid == RPT_SLICE_NOBODY)
		return NULL;
	s->tasks = rpt_grow_within(s->tids.limit, s->tasks, &s->task_cap,
				   known_nr, sizeof(*s->tasks));
	idx = rpt_intern(&s->tids, &tid, sizeof(tid));
	if (idx < 0) {
		s->unfit_nr++;
		return NULL;
	}
	if (idx == known_nr)
		s->tasks[idx] =
			(struct rpt_slice_task){ .cpu = RPT_SLICE_NO_CPU };
	return &s->tasks[idx];
}

struct rpt_slice_cpu *rpt_slice_cpu_of(struct rpt_task_slices *s, uint32_t cpu)
{
	uint32_t known_nr = s->cpu_ids.nr;
	int64_t idx;

	if (cpu == RPT_SLICE_NO_CPU)
		return NULL;
	s->cpus = rpt_grow_within(s->cpu_ids.limit, s->cpus, &s->cpu_cap,
				  known_nr, sizeof(*s->cpus));
	idx = rpt_intern(&s->cpu_ids, &cpu, sizeof(cpu));
	if (idx < 0) {
		s->unfit_nr++;
		return NULL;
	}
	if (idx == known_nr)
		s->cpus[idx] = (struct rpt_slice_cpu){
			.runner = RPT_SLICE_NOBODY,
			.is_fresh = true,
			.since_ns = s->first_ns,
			.seen_ns = s->first_ns,
		};
	return &s->cpus[idx];
}

struct rpt_slice_task *rpt_slice_task_find(const struct rpt_task_slices *s,
					   uint32_t tid)
{
	int64_t idx = rpt_intern_find(&s->tids, &tid, sizeof(tid));

	return idx >= 0 ? &s->tasks[idx] : NULL;
}

struct rpt_slice_cpu *rpt_slice_cpu_find(const struct rpt_task_slices *s,
					 uint32_t cpu)
{
	int64_t idx = rpt_intern_find(&s->cpu_ids, &cpu, sizeof(cpu));

	return idx >= 0 ? &s->cpus[idx] : NULL;
}
