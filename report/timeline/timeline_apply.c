/* The sideband of a timeline, replayed in its order: what each record changes
 * of tasks, maps and names. */
#include "format/sample_id.h"
#include "report/base/memory.h"
#include "report/symbols/dso.h"
#include "report/symbols/jitdump.h"
#include "report/symbols/dso_class.h"
#include "report/timeline/timeline_impl.h"
#include "report/timeline/recorded_build_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct rpt_when end_of_time = { UINT64_MAX, UINT64_MAX };

static struct rpt_dso *dso_of(struct rpt_timeline *tl, enum rpt_dso_kind kind,
			      struct pd_str name, const struct pd_mmap *mmap)
{
	struct rpt_dso_key key = {
		.kind = kind,
		.name = name.ptr,
		.name_len = name.len,
	};

	if (mmap) {
		key.build_id_len = mmap->build_id_len;
		memcpy(key.build_id, mmap->build_id, sizeof(key.build_id));
	}
	return rpt_symbols_dso(tl->symbols, &key);
}

/* The DSO of the kernel itself, and what symbols are to know of it. */
static struct rpt_dso *kernel_dso(struct rpt_timeline *tl,
				  const struct rpt_map *map,
				  const struct pd_mmap *mmap, struct pd_str ref)
{
	const struct pd_header_build_id *told = &tl->told_kernel;
	struct pd_mmap known = *mmap;
	struct rpt_kernel kernel = {
		.start = map->start,
		.end = map->end,
		.ref_addr = mmap->pgoff,
	};
	char *ref_name = pd_str_dup(ref);
	int rc;

	if (!ref_name)
		return NULL;
	known.filename.len -= ref.len;
	if (told->filename.ptr)
		known.filename = told->filename;
	if (told->filename.ptr && !known.build_id_len) {
		known.build_id_len = told->build_id_len;
		memcpy(known.build_id, told->build_id, sizeof(known.build_id));
	}
	kernel.ref_name = ref_name;
	kernel.build_id_len = known.build_id_len;
	memcpy(kernel.build_id, known.build_id, sizeof(kernel.build_id));
	rc = rpt_symbols_set_kernel(tl->symbols, &kernel);
	free(ref_name);
	return rc ? NULL : dso_of(tl, RPT_DSO_KERNEL, known.filename, &known);
}

static int replay_kernel_map(struct rpt_timeline *tl, struct rpt_when when,
			     const struct pd_mmap *mmap)
{
	struct rpt_map map = {
		.start = mmap->addr,
		.end = mmap->addr + mmap->map_len,
		.prot = RPT_PROT_EXEC,
		.is_kernel = true,
	};
	struct pd_str ref;

	if (map.end < map.start)
		map.end = UINT64_MAX;
	if (rpt_is_kernel_image(mmap->filename, &ref)) {
		map.pgoff = map.start;
		map.dso = kernel_dso(tl, &map, mmap, ref);
	} else if (!rpt_may_be_module(mmap->filename)) {
		return 0;
	} else {
		map.dso = dso_of(tl, RPT_DSO_MODULE, mmap->filename, mmap);
		if (map.dso)
			rpt_dso_set_range(map.dso, map.start, map.end);
	}
	if (!map.dso)
		return -ENOMEM;
	if (rpt_dso_kind(map.dso) == RPT_DSO_KERNEL)
		tl->kernel_image = map;
	return rpt_address_space_add(&tl->kernel, when, &map);
}

static int replay_mmap(struct rpt_timeline *tl,
		       const struct rpt_sideband_item *item,
		       const struct pd_body *body)
{
	const struct pd_mmap *mmap = &body->u.mmap;
	unsigned mode = item->misc & PD_MISC_CPUMODE_MASK;
	char jit_name[RPT_JIT_NAME_LEN];
	struct rpt_named_map named;
	struct rpt_map map = {
		.start = mmap->addr,
		.pgoff = mmap->pgoff,
		.told_pgoff = mmap->pgoff,
		.ino = mmap->ino,
	};
	struct rpt_task *task;
	int rc;

	if (mode == PD_CPUMODE_KERNEL)
		return replay_kernel_map(tl, item->when, mmap);
	task = rpt_tasks_get(&tl->tasks, mmap->pid, mmap->tid);
	if (!task)
		return -ENOMEM;
	map.end = mmap->addr + mmap->map_len;
	if (map.end < map.start)
		map.end = UINT64_MAX;
	map.prot = mmap->prot;
	map.is_shared = mmap->flags & RPT_MAP_SHARED;
	if (body->type == PD_RECORD_MMAP)
		map.prot = item->misc & PD_MISC_MMAP_DATA ? 0 : RPT_PROT_EXEC;
	rpt_name_map(mmap, map.prot, task->pid, jit_name, &named);
	if (named.kind == RPT_DSO_VDSO) /* old kernels tell the address */
		map.pgoff = map.told_pgoff = 0;
	if (named.is_absolute)
		map.pgoff = map.start;
	if (named.is_absolute && map.prot & RPT_PROT_EXEC &&
	    task->space->is_jitted)
		return 0;
	map.dso = dso_of(tl, named.kind, named.name,
			 named.is_absolute ? NULL : mmap);
	if (!map.dso)
		return -ENOMEM;
	rpt_dso_set_mapper(map.dso, task->pid, map.ino);
	rc = rpt_address_space_add(task->space, item->when, &map);
	return rc || !rpt_is_jitdump(named.name)
		       ? rc
		       : rpt_timeline_jit_open(tl, item->when, task, &map);
}

static int replay_comm(struct rpt_timeline *tl,
		       const struct rpt_sideband_item *item,
		       const struct pd_body *body)
{
	const struct pd_comm *comm = &body->u.comm;
	struct rpt_task *task = rpt_tasks_get(&tl->tasks, comm->pid, comm->tid);

	if (!task)
		return -ENOMEM;
	task->is_told = true;
	return rpt_tasks_name(&tl->tasks, task, item->when, comm->comm);
}

/* Synthesized FORKs (FORK_EXEC) tell of tasks that had run for long: their
 * maps follow in records of their own. */
static int replay_fork(struct rpt_timeline *tl,
		       const struct rpt_sideband_item *item,
		       const struct pd_body *body)
{
	const struct pd_task *fork = &body->u.task;
	bool is_copied = !(item->misc & PD_MISC_FORK_EXEC);
	struct rpt_task *parent =
		rpt_tasks_get(&tl->tasks, fork->ppid, fork->ptid);
	struct rpt_when birth = item->when;
	struct rpt_task *task;

	if (!parent)
		return -ENOMEM;
	if (parent->pid != fork->ppid) {
		parent = rpt_tasks_reborn(&tl->tasks, fork->ppid, fork->ptid,
					  birth);
		if (!parent)
			return -ENOMEM;
	}
	parent->is_told = true;
	task = rpt_tasks_reborn(&tl->tasks, fork->pid, fork->tid, birth);
	if (!task)
		return -ENOMEM;
	task->is_told = true;
	task->ptid = parent->tid;
	if (parent->naming_nr && parent != task) {
		const char *name = parent->namings[parent->naming_nr - 1].comm;
		struct pd_str comm = { name, strlen(name) };

		if (rpt_tasks_name(&tl->tasks, task, birth, comm))
			return -ENOMEM;
	}
	/* A thread has the space of its process; only a process a new one. */
	if (task->pid == parent->pid || task->pid != task->tid || !is_copied)
		return 0;
	return rpt_address_space_fork(task->space, parent->space, parent->pid,
				      birth);
}

/* Code that the kernel made at run time: inside a map that is known it adds a
 * name, elsewhere a map. */
static int replay_ksymbol(struct rpt_timeline *tl,
			  const struct rpt_sideband_item *item,
			  const struct pd_body *body)
{
	const struct pd_ksymbol *k = &body->u.ksymbol;
	struct rpt_map map = {
		.start = k->addr,
		.end = k->addr + k->sym_len,
		.prot = RPT_PROT_EXEC,
		.is_kernel = true,
	};
	struct rpt_map old;
	bool is_known =
		rpt_address_space_find(&tl->kernel, k->addr, item->when, &old);
	uint64_t start;

	if (k->flags & 1) {
		if (!is_known || old.start != k->addr)
			return 0;
		return rpt_address_space_add(&tl->kernel, item->when, &map);
	}
	if (is_known) {
		start = k->addr - old.start + old.pgoff;
		return rpt_dso_add_symbol(old.dso, start, start + k->sym_len,
					  k->name.ptr, k->name.len);
	}
	map.dso = dso_of(tl, RPT_DSO_MODULE, k->name, NULL);
	if (!map.dso || rpt_dso_add_symbol(map.dso, 0, k->sym_len, k->name.ptr,
					   k->name.len))
		return -ENOMEM;
	rpt_dso_set_range(map.dso, map.start, map.end);
	return rpt_address_space_add(&tl->kernel, item->when, &map);
}

static int replay_cgroup(struct rpt_timeline *tl,
			 const struct rpt_sideband_item *item,
			 const struct pd_body *body)
{
	const struct pd_cgroup *cgroup = &body->u.cgroup;
	uint32_t known_nr = tl->cgroup_ids.nr;
	int64_t id;
	int64_t name = rpt_intern(&tl->cgroup_names, cgroup->path.ptr,
				  cgroup->path.len);

	(void)item;
	if (known_nr == tl->cgroup_cap) {
		uint32_t cap = known_nr ? known_nr * 2 : 16;
		uint32_t *idx =
			realloc(tl->cgroup_name_idx, cap * sizeof(*idx));

		if (!idx)
			return -ENOMEM;
		tl->cgroup_name_idx = idx;
		tl->cgroup_cap = cap;
	}
	id = rpt_intern(&tl->cgroup_ids, &cgroup->cgroup_id,
			sizeof(cgroup->cgroup_id));
	if (id < 0 || name < 0)
		return -ENOMEM;
	tl->cgroup_name_idx[id] = (uint32_t)name;
	return 0;
}

static int replay_namespaces(struct rpt_timeline *tl,
			     const struct rpt_sideband_item *item,
			     const struct pd_body *body)
{
	return rpt_cgroup_nses_add(&tl->cgroup_nses, item->when,
				   &body->u.namespaces);
}

static int replay_deferred(struct rpt_timeline *tl,
			   const struct rpt_sideband_item *item,
			   const struct pd_body *body)
{
	return rpt_deferred_add(&tl->deferred, item->tid,
				&body->u.callchain_deferred);
}

typedef int replay_fn(struct rpt_timeline *tl,
		      const struct rpt_sideband_item *item,
		      const struct pd_body *body);

static replay_fn *const replays[PD_RECORD_KERNEL_NR] = {
	[PD_RECORD_MMAP] = replay_mmap,
	[PD_RECORD_MMAP2] = replay_mmap,
	[PD_RECORD_COMM] = replay_comm,
	[PD_RECORD_FORK] = replay_fork,
	[PD_RECORD_KSYMBOL] = replay_ksymbol,
	[PD_RECORD_CGROUP] = replay_cgroup,
	[PD_RECORD_NAMESPACES] = replay_namespaces,
	[PD_RECORD_CALLCHAIN_DEFERRED] = replay_deferred,
};

/* What the largest things that were made take, about. */
static uint64_t made_len(const struct rpt_timeline *tl)
{
	return tl->symbols->dsos_nr * 600 + tl->tasks.space_nr * 260ull +
	       tl->tasks.tids.nr * 220ull;
}

/* False: there is no budget for what was made of the record. */
static bool take_budget(const struct rpt_timeline *tl, uint64_t old_len,
			const struct pd_record *rec)
{
	uint64_t len = made_len(tl) - old_len;

	switch (rec->type) {
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		len += 110; /* a change of a space, with the room to grow */
		break;
	case PD_RECORD_COMM:
	case PD_RECORD_FORK:
		len += 160; /* a life and its name */
		break;
	default:
		len += 110u + rec->len; /* what it tells is kept as it is */
		break;
	}
	return rpt_budget_take(tl->budget, len);
}

/* A guest has addresses and task ids of its own, which say nothing of the
 * host's.  No sample of one is shown, so nothing of it is kept. */
static bool is_of_guest(const struct rpt_timeline *tl,
			const struct pd_record *rec)
{
	const struct pd_event *event;
	struct pd_sample_id id;

	if (rpt_is_of_guest(rec->misc))
		return true;
	if (!tl->guests.nr || !tl->events)
		return false;
	event = pd_event_set_of_record(tl->events, rec);
	return event && !pd_sample_id_read(&event->layout, rec, &id, NULL) &&
	       rpt_guest_ids_find(&tl->guests, id.id);
}

/* The item's record.  1: there is no budget for it. */
static int replay(struct rpt_timeline *tl, const struct rpt_sideband_item *item,
		  struct pd_err *err)
{
	struct pd_record rec = rpt_sideband_record(&tl->sideband, item);
	uint64_t old_len;
	struct pd_err why = PD_ERR_INIT;
	struct pd_body body;
	int rc = rpt_timeline_jit_until(tl, item->when);

	if (rc)
		return pd_err_set(err, rc, "out of memory for maps");
	old_len = made_len(tl);
	if (pd_body_read(&rec, item->id_len, &body, &why)) {
		pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &why);
		return 0;
	}
	if (rec.type == PD_RECORD_HEADER_BUILD_ID)
		return 0; /* tell_build_ids() */
	if (is_of_guest(tl, &rec))
		return 0;
	rc = replays[rec.type](tl, item, &body);
	if (rc)
		return pd_err_set(err, rc, "out of memory for tasks and maps");
	return !take_budget(tl, old_len, &rec);
}

/* What a pipe has in the place of the BUILD_ID section. */
static int tell_build_ids(const struct rpt_timeline *tl)
{
	struct rpt_recorded_build_ids ids = { 0 };
	int rc = 0;

	for (size_t i = 0; i < tl->sideband.nr && !rc; i++) {
		struct pd_record rec = rpt_sideband_record(
			&tl->sideband, &tl->sideband.items[i]);
		struct pd_body body;

		if (rec.type != PD_RECORD_HEADER_BUILD_ID ||
		    pd_body_read(&rec, 0, &body, NULL))
			continue;
		if (!ids.dsos)
			rc = rpt_recorded_build_ids_init(&ids, tl->symbols);
		if (!rc)
			rc = rpt_recorded_build_ids_tell(
				&ids, rec.misc, &body.u.header_build_id);
	}
	rpt_recorded_build_ids_release(&ids);
	return rc;
}

/* Like the sideband's own: what follows was read, and is not used. */
static void tell_full(struct rpt_timeline *tl)
{
	struct pd_err full = PD_ERR_INIT;

	pd_err_set(&full, -EFBIG,
		   "more tasks and maps than the limit on memory allows "
		   "(--max-ratio); later ones are left out");
	pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &full);
}

int rpt_timeline_finish(struct rpt_timeline *tl, struct pd_err *err)
{
	struct rpt_sideband *sb = &tl->sideband;
	int rc = 0;

	rpt_sideband_sort(sb);
	for (size_t i = 0; i < sb->nr && !rc; i++)
		rc = replay(tl, &sb->items[i], err);
	if (rc < 0)
		return rc;
	if (rc)
		tell_full(tl);
	if (rpt_timeline_jit_until(tl, end_of_time))
		return pd_err_set(err, -ENOMEM, "out of memory for maps");
	if (tell_build_ids(tl))
		return pd_err_set(err, -ENOMEM, "out of memory for build-ids");
	rpt_budget_give(tl->budget, sb->taken_len);
	rpt_sideband_release(sb);
	if (rpt_cgroup_nses_sort(&tl->cgroup_nses))
		return pd_err_set(err, -ENOMEM, "out of memory for tasks");
	return 0;
}
