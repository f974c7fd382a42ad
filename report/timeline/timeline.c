#include "report/timeline/timeline.h"

#include "report/symbols/dso.h"
#include "report/symbols/symbols.h"
#include "report/timeline/timeline_impl.h"

#include <stdlib.h>

#define PID_KERNEL 0u

struct rpt_timeline *rpt_timeline_new(struct rpt_symbols *symbols)
{
	static const struct pd_str swapper = { "swapper", 7 };
	struct rpt_timeline *tl = rpt_alloc_zeroed(1, sizeof(*tl));
	struct rpt_task *idle;

	tl->symbols = symbols;
	tl->budget = rpt_alloc_zeroed(1, sizeof(*tl->budget));
	rpt_budget_set(tl->budget, UINT64_MAX);
	rpt_tasks_init(&tl->tasks, tl->budget);
	tl->sideband.arena.budget = tl->budget;
	tl->kernel.budget = tl->budget;
	tl->cgroup_names.keys.budget = tl->budget;
	tl->deferred.keys.keys.budget = tl->budget;
	tl->deferred.chains.keys.budget = tl->budget;
	idle = rpt_tasks_get(&tl->tasks, PID_KERNEL, PID_KERNEL);
	rpt_tasks_set_comm(&tl->tasks, idle, (struct rpt_timestamp){ 0 },
			   swapper);
	idle->is_named = true;
	return tl;
}

void rpt_timeline_free(struct rpt_timeline *tl)
{
	if (!tl)
		return;
	rpt_sideband_release(&tl->sideband);
	rpt_tasks_release(&tl->tasks);
	rpt_address_space_release(&tl->kernel);
	rpt_guest_ids_release(&tl->guests);
	rpt_gap_marks_release(&tl->gaps);
	rpt_intern_release(&tl->build_ids);
	rpt_intern_release(&tl->cgroup_ids);
	rpt_intern_release(&tl->cgroup_names);
	free(tl->cgroup_name_idx);
	rpt_cgroup_nses_release(&tl->cgroup_nses);
	rpt_deferred_release(&tl->deferred);
	rpt_lbr_stitch_free(tl->stitch);
	free(tl->jit.items);
	free(tl->jit.carried);
	rpt_intern_release(&tl->jit.sources);
	free(tl->budget);
	free(tl);
}

void rpt_timeline_add(struct rpt_timeline *tl,
		      const struct pd_event_set *events,
		      const struct pd_record *rec)
{
	rpt_sideband_add(&tl->sideband, events, rec);
}

bool rpt_timeline_last_task(const struct rpt_timeline *tl, uint32_t idx,
			    struct rpt_task_exit *ret)
{
	const struct rpt_tid_history *history;
	const struct rpt_task *task;

	if (idx >= tl->tasks.tids.nr)
		return false;
	history = &tl->tasks.histories[idx];
	task = history->items[history->nr - 1];
	*ret = (struct rpt_task_exit){
		.ref = { task->pid, task->tid, task, task->space },
		.ptid = task->ptid,
		.is_named = task->is_named,
	};
	return true;
}

struct rpt_dso *rpt_timeline_dso(struct rpt_timeline *tl,
				 const struct rpt_dso_key *key)
{
	size_t known_nr = tl->symbols->dsos_nr;
	struct rpt_dso *dso = rpt_symbols_dso(tl->symbols, key);

	if (tl->symbols->dsos_nr != known_nr)
		rpt_budget_charge(tl->budget, sizeof(*dso) + key->name_len);
	return dso;
}

static bool has_file(const struct rpt_address_space *space)
{
	for (; space; space = space->parent) {
		for (uint32_t i = 0; i < space->nr; i++) {
			struct rpt_dso *dso = space->changes[i].map.dso;

			if (dso && dso->kind != RPT_DSO_VDSO &&
			    rpt_dso_runtime(dso))
				return true;
		}
	}
	return false;
}

bool rpt_timeline_has_file(const struct rpt_timeline *tl,
			   const struct rpt_task_ref *ref)
{
	pthread_mutex_t *lock = rpt_symbols_lock(tl->symbols);
	bool is_there;

	if (!*tl->symbols->conf.symfs || rpt_symbols_has_carried(tl->symbols))
		return true;
	pthread_mutex_lock(lock);
	is_there = has_file(ref->space);
	pthread_mutex_unlock(lock);
	return is_there;
}

const char *rpt_timeline_cgroup(const struct rpt_timeline *tl,
				uint64_t cgroup_id)
{
	int64_t id =
		rpt_intern_find(&tl->cgroup_ids, &cgroup_id, sizeof(cgroup_id));

	if (id < 0)
		return NULL;
	return rpt_intern_key(&tl->cgroup_names, tl->cgroup_name_idx[id]);
}

const struct rpt_guest *rpt_timeline_guest(const struct rpt_timeline *tl,
					   uint64_t id)
{
	return rpt_guest_ids_find(&tl->guests, id);
}

const struct rpt_gap_marks *rpt_timeline_gaps(const struct rpt_timeline *tl)
{
	return &tl->gaps;
}

void rpt_timeline_join_chain(const struct rpt_timeline *tl,
			     const struct pd_event *event, uint64_t seq,
			     struct pd_sample *sample, uint64_t *room)
{
	if (!event->is_unwound)
		pd_sample_chain_of_branches(&event->layout, sample, room);
	if (tl->stitch)
		rpt_lbr_stitch_join(tl->stitch, seq, sample, room);
	rpt_deferred_join(&tl->deferred, sample, room);
}

void rpt_timeline_set_stitch(struct rpt_timeline *tl,
			     struct rpt_lbr_stitch *stitch)
{
	tl->stitch = stitch;
}

const struct rpt_lbr_stitch *rpt_timeline_stitch(const struct rpt_timeline *tl)
{
	return tl->stitch;
}

struct rpt_symbols *rpt_timeline_symbols(const struct rpt_timeline *tl)
{
	return tl->symbols;
}

struct rpt_budget *rpt_timeline_budget(const struct rpt_timeline *tl)
{
	return tl->budget;
}

const struct pd_damage *rpt_timeline_damage(const struct rpt_timeline *tl)
{
	return &tl->damage;
}

const struct pd_damage *rpt_timeline_passed(const struct rpt_timeline *tl)
{
	return &tl->passed;
}
