#include "report/timeline/timeline.h"

#include "report/symbols/dso.h"
#include "report/symbols/symbols.h"
#include "report/timeline/map_range.h"
#include "report/timeline/timeline_impl.h"

#include "format/base/search.h"

#include <stdlib.h>
#include <string.h>

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
	free(tl->cgroup_texts);
	rpt_cgroup_nses_release(&tl->cgroup_nses);
	rpt_deferred_release(&tl->deferred);
	rpt_lbr_stitch_free(tl->stitch);
	free(tl->jit.items);
	free(tl->jit.carried);
	rpt_intern_release(&tl->jit.sources);
	rpt_timeline_release_lines(tl);
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

static const struct rpt_cgroup_texts *texts_of(const struct rpt_timeline *tl,
					       uint64_t cgroup_id)
{
	int64_t id =
		rpt_intern_find(&tl->cgroup_ids, &cgroup_id, sizeof(cgroup_id));

	return id < 0 ? NULL : &tl->cgroup_texts[id];
}

const char *rpt_timeline_cgroup(const struct rpt_timeline *tl,
				uint64_t cgroup_id)
{
	const struct rpt_cgroup_texts *texts = texts_of(tl, cgroup_id);

	return texts ? rpt_intern_key(&tl->cgroup_names, texts->path) : NULL;
}

const char *rpt_timeline_unit(const struct rpt_timeline *tl, uint64_t cgroup_id)
{
	const struct rpt_cgroup_texts *texts = texts_of(tl, cgroup_id);

	return texts ? rpt_intern_key(&tl->cgroup_names, texts->unit) : NULL;
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

bool rpt_timeline_has_moved_text(const struct rpt_timeline *tl)
{
	return tl->has_moved_text;
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

/* Finds the task that has a thread id at a time, and for how long it holds. */

static void find_task_ref(const struct rpt_timeline *tl,
			  struct rpt_timestamp when, uint32_t pid, uint32_t tid,
			  struct rpt_span *span, struct rpt_task_ref *ret)
{
	const struct rpt_task *task = rpt_tasks_at(&tl->tasks, tid, when, span);

	ret->pid = pid;
	ret->tid = tid;
	ret->task = task;
	ret->space = task ? task->space : NULL;
	if (task && task->pid != RPT_PID_UNKNOWN)
		return;
	if (pid != tid && pid != RPT_PID_UNKNOWN) {
		task = rpt_tasks_at(&tl->tasks, pid, when, span);
		ret->space = task ? task->space : NULL;
	}
}

void rpt_timeline_task(const struct rpt_timeline *tl, uint32_t pid,
		       uint32_t tid, struct rpt_timestamp when,
		       struct rpt_task_ref *ret)
{
	struct rpt_span span = RPT_SPAN_ALL;

	find_task_ref(tl, when, pid, tid, &span, ret);
}

/* Return how many names the task had by then. */
static uint32_t count_comms(const struct rpt_task *task,
			    struct rpt_timestamp when)
{
	uint32_t at;

	PD_FIND_FIRST(at, task ? task->comm_nr : 0,
		      rpt_timestamp_before(when, task->comms[at].when));
	return at;
}

const char *rpt_task_ref_comm(const struct rpt_task_ref *ref,
			      struct rpt_timestamp when)
{
	uint32_t nr = count_comms(ref->task, when);

	return nr ? ref->task->comms[nr - 1].comm : NULL;
}

const char *rpt_task_ref_comm_shown(const struct rpt_task_ref *ref,
				    struct rpt_timestamp when)
{
	const char *comm = rpt_task_ref_comm(ref, when);

	if (!comm && ref->task && ref->task->comm_nr)
		return ref->task->comms[0].comm;
	return comm;
}

const char *rpt_task_ref_comm_last(const struct rpt_task_ref *ref)
{
	const struct rpt_task *task = ref->task;

	if (!task || !task->comm_nr)
		return NULL;
	return task->comms[task->comm_nr - 1].comm;
}

const char *rpt_timeline_process(const struct rpt_timeline *tl, uint32_t pid,
				 uint32_t tid, struct rpt_timestamp when)
{
	uint32_t leader = tid ? pid : PID_KERNEL;
	struct rpt_task_ref ref;

	rpt_timeline_task(tl, leader, leader, when, &ref);
	return rpt_task_ref_comm_shown(&ref, when);
}

static void narrow_by_comm(const struct rpt_task *task,
			   struct rpt_timestamp when, struct rpt_span *span)
{
	uint32_t nr = count_comms(task, when);

	if (task && nr)
		rpt_span_start(span, task->comms[nr - 1].when);
	if (task && nr < task->comm_nr)
		rpt_span_end(span, task->comms[nr].when);
}

static void narrow_by_changes(const struct rpt_address_space *space,
			      struct rpt_timestamp when, struct rpt_span *span)
{
	uint32_t nr = rpt_address_space_change_nr(space, when);

	if (nr)
		rpt_span_start(span, space->changes[nr - 1].when);
	if (nr < space->nr)
		rpt_span_end(span, space->changes[nr].when);
}

static uint32_t narrow_by_space(const struct rpt_address_space *space,
				struct rpt_timestamp when,
				struct rpt_span *span)
{
	if (space)
		narrow_by_changes(space, when, span);
	if (space && space->lines)
		narrow_by_changes(space->lines, when, span);
	return rpt_address_space_version(space, when);
}

void rpt_timeline_task_state(const struct rpt_timeline *tl, uint32_t pid,
			     uint32_t tid, struct rpt_timestamp when,
			     struct rpt_task_state *ret)
{
	ret->span = RPT_SPAN_ALL;
	find_task_ref(tl, when, pid, tid, &ret->span, &ret->ref);
	ret->comm = rpt_task_ref_comm_shown(&ret->ref, when);
	ret->comm_then = rpt_task_ref_comm(&ret->ref, when);
	narrow_by_comm(ret->ref.task, when, &ret->span);
	ret->space_id = ret->ref.space ? ret->ref.space->id + 1 : 0;
	ret->space_version = narrow_by_space(ret->ref.space, when, &ret->span);
	ret->kernel_version = narrow_by_space(&tl->kernel, when, &ret->span);
}

/* Finds what is mapped at an address: in a process by its records, in the
 * kernel also by kcore or the kernel's symbols. */

/* Find the kernel at a symbol outside of its map, which ends with its text: as
 * in perf, all that kallsyms names is the kernel's, such as .init.text. */
static bool find_kernel_symbol(const struct rpt_timeline *tl, uint64_t addr,
			       struct rpt_map *ret)
{
	if (!tl->kernel_image.dso ||
	    !rpt_dso_symbol(tl->kernel_image.dso, addr))
		return false;
	*ret = tl->kernel_image;
	return true;
}

/* Return whether kcore replaces a map: all but those of BPF programs, which
 * have records of their own. */
static bool is_of_kcore(const struct rpt_map *map)
{
	return strncmp(rpt_dso_name(map->dso), "bpf_prog_", 9) != 0;
}

/* Find the part of kcore that has an address. */
static bool find_in_kcore(const struct rpt_timeline *tl,
			  const struct rpt_kcore *kcore, uint64_t addr,
			  struct rpt_map_range *ret)
{
	const struct rpt_kcore_part *part = rpt_kcore_at(kcore, addr);

	if (!part) {
		ret->range = (struct rpt_addr_range){ addr, addr };
		return false;
	}
	rpt_range_from(&ret->range, part->start);
	rpt_range_until(&ret->range, part->end);
	ret->map = tl->kernel_image;
	ret->map.start = ret->map.pgoff = part->start;
	ret->map.end = part->end;
	return true;
}

static bool kernel_mapped(const struct rpt_timeline *tl, uint64_t addr,
			  struct rpt_timestamp when, struct rpt_map_range *ret)
{
	const struct rpt_kcore *kcore = rpt_symbols_kcore(tl->symbols);
	bool is_mapped = rpt_address_space_find_range(&tl->kernel, addr, when,
						      &ret->map, &ret->range);

	if (is_mapped && (!kcore || !is_of_kcore(&ret->map)))
		return true;
	if (kcore)
		return find_in_kcore(tl, kcore, addr, ret);
	ret->range = (struct rpt_addr_range){ addr, addr };
	return find_kernel_symbol(tl, addr, &ret->map);
}

bool rpt_timeline_mapped(const struct rpt_timeline *tl,
			 const struct rpt_task_ref *ref, unsigned cpumode,
			 uint64_t addr, struct rpt_timestamp when,
			 struct rpt_map_range *ret)
{
	struct rpt_addr_range *range = &ret->range;

	*range = RPT_RANGE_ALL;
	if (cpumode == PD_CPUMODE_USER)
		return rpt_address_space_find_range(ref->space, addr, when,
						    &ret->map, range);
	return cpumode == PD_CPUMODE_KERNEL &&
	       kernel_mapped(tl, addr, when, ret);
}

bool rpt_timeline_map(const struct rpt_timeline *tl,
		      const struct rpt_task_ref *ref, unsigned cpumode,
		      uint64_t addr, struct rpt_timestamp when,
		      struct rpt_map *ret)
{
	struct rpt_map_range found;

	if (!rpt_timeline_mapped(tl, ref, cpumode, addr, when, &found))
		return false;
	*ret = found.map;
	return true;
}

bool rpt_timeline_kernel_beyond(const struct rpt_timeline *tl, uint64_t addr,
				struct rpt_map *ret)
{
	const struct rpt_symbol *sym;
	struct rpt_dso *dso;

	if (rpt_symbols_kcore(tl->symbols))
		return false;
	for (size_t i = 0; (dso = rpt_symbols_dso_at(tl->symbols, i)); i++)
		if (rpt_dso_kind(dso) == RPT_DSO_KERNEL)
			break;
	sym = dso ? rpt_dso_symbol(dso, addr) : NULL;
	if (!sym)
		return false;
	*ret = (struct rpt_map){
		.start = sym->start,
		.end = sym->end,
		.pgoff = sym->start,
		.is_kernel = true,
		.dso = dso,
	};
	return true;
}

uint32_t rpt_timeline_kernel_version(const struct rpt_timeline *tl,
				     struct rpt_timestamp when)
{
	return rpt_address_space_version(&tl->kernel, when);
}

const char *rpt_kernel_symbols_function(const struct rpt_kernel_symbols *at,
					uint64_t *addr)
{
	static const struct rpt_task_ref nobody;
	const struct rpt_symbol *sym = NULL;
	struct rpt_map map;

	if (at->lock)
		pthread_mutex_lock(at->lock);
	if (rpt_timeline_map(at->timeline, &nobody, PD_CPUMODE_KERNEL, *addr,
			     at->when, &map))
		sym = rpt_dso_symbol(map.dso, *addr - map.start + map.pgoff);
	if (at->lock)
		pthread_mutex_unlock(at->lock);
	if (!sym)
		return NULL;
	*addr = sym->start - map.pgoff + map.start;
	return sym->name;
}
