/* The sideband of a timeline, replayed in its order: what each record changes
 * of tasks, maps and names. */
#include "format/records/sample_id.h"
#include "format/symtab/jit_code.h"
#include "report/base/memory.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso.h"
#include "report/symbols/dso_class.h"
#include "report/timeline/cgroup_labels.h"
#include "report/timeline/timeline_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define KSYMBOL_UNREGISTER 1u

static const struct rpt_timestamp end_of_time = { UINT64_MAX, UINT64_MAX };

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
		if (kind == RPT_DSO_USER)
			rpt_symbols_identify(tl->symbols, mmap, &key);
	}
	return rpt_timeline_dso(tl, &key);
}

/* Return the DSO of the kernel itself, and describe the kernel to symbols. */
static struct rpt_dso *kernel_dso(struct rpt_timeline *tl,
				  const struct rpt_map *map,
				  const struct pd_mmap *mmap, struct pd_str ref)
{
	const struct pd_header_build_id *recorded = &tl->recorded_kernel;
	struct pd_mmap known = *mmap;
	struct rpt_kernel kernel = {
		.start = map->start,
		.end = map->end,
		.ref_addr = mmap->pgoff,
	};
	char *ref_name = rpt_alloc_text(ref.ptr, ref.len);

	known.filename.len -= ref.len;
	if (recorded->filename.ptr)
		known.filename = recorded->filename;
	if (recorded->filename.ptr && !known.build_id_len) {
		known.build_id_len = recorded->build_id_len;
		memcpy(known.build_id, recorded->build_id,
		       sizeof(known.build_id));
	}
	kernel.ref_name = ref_name;
	kernel.build_id_len = known.build_id_len;
	memcpy(kernel.build_id, known.build_id, sizeof(kernel.build_id));
	rpt_symbols_set_kernel(tl->symbols, &kernel);
	free(ref_name);
	return dso_of(tl, RPT_DSO_KERNEL, known.filename, &known);
}

static void replay_kernel_map(struct rpt_timeline *tl,
			      struct rpt_timestamp when,
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
		return;
	} else {
		map.dso = dso_of(tl, RPT_DSO_MODULE, mmap->filename, mmap);
		rpt_dso_set_range(map.dso, map.start, map.end);
	}
	if (rpt_dso_kind(map.dso) == RPT_DSO_KERNEL)
		tl->kernel_image = map;
	rpt_address_space_add(&tl->kernel, when, &map);
}

static void replay_mmap(struct rpt_timeline *tl,
			const struct rpt_sideband_item *item,
			const struct pd_body *body)
{
	const struct pd_mmap *mmap = &body->u.mmap;
	unsigned mode = item->copy->misc & PD_MISC_CPUMODE_MASK;
	char jit_name[RPT_JIT_NAME_LEN];
	struct rpt_named_map named;
	struct rpt_map map = {
		.start = mmap->addr,
		.pgoff = mmap->pgoff,
		.recorded_pgoff = mmap->pgoff,
		.ino = mmap->ino,
	};
	struct rpt_task *task;

	if (mode == PD_CPUMODE_KERNEL) {
		replay_kernel_map(tl, item->when, mmap);
		return;
	}
	task = rpt_tasks_get(&tl->tasks, mmap->pid, mmap->tid);
	map.end = mmap->addr + mmap->map_len;
	if (map.end < map.start)
		map.end = UINT64_MAX;
	map.prot = mmap->prot;
	map.is_shared = mmap->flags & RPT_MAP_SHARED;
	if (body->type == PD_RECORD_MMAP)
		map.prot = item->copy->misc & PD_MISC_MMAP_DATA ? 0
								: RPT_PROT_EXEC;
	rpt_name_map(mmap, map.prot, task->pid, jit_name, &named);
	if (!named.is_absolute && rpt_timeline_is_jit_file(tl, mmap, map.prot))
		rpt_name_jit_memory(task->pid, jit_name, &named);
	if (named.kind == RPT_DSO_VDSO) /* old kernels record the address */
		map.pgoff = map.recorded_pgoff = 0;
	if (named.is_absolute)
		map.pgoff = map.start;
	if (named.is_absolute && map.prot & RPT_PROT_EXEC &&
	    task->space->is_jitted)
		return;
	map.dso = dso_of(tl, named.kind, named.name,
			 named.is_absolute ? NULL : mmap);
	rpt_dso_set_mapper(map.dso, task->pid, map.ino);
	if (named.is_absolute)
		rpt_timeline_take_lines(tl, task->pid, task->space, map.dso);
	rpt_timeline_take_text(tl, task->space, &map);
	rpt_address_space_add(task->space, item->when, &map);
	rpt_timeline_join_text(tl, task->space, item->when);
	if (pd_is_jitdump(named.name))
		rpt_timeline_jit_open(tl, item->when, task, &map);
}

static void replay_comm(struct rpt_timeline *tl,
			const struct rpt_sideband_item *item,
			const struct pd_body *body)
{
	const struct pd_comm *comm = &body->u.comm;
	struct rpt_task *task = rpt_tasks_get(&tl->tasks, comm->pid, comm->tid);

	task->is_named = true;
	if (item->copy->misc & PD_MISC_COMM_EXEC) {
		task->space->exec_nr = task->space->nr;
		task->space->is_execed = true;
	}
	rpt_tasks_set_comm(&tl->tasks, task, item->when, comm->comm);
}

/* Synthesized FORKs (FORK_EXEC) are for tasks that ran before; records of their
 * maps follow. */
static void replay_fork(struct rpt_timeline *tl,
			const struct rpt_sideband_item *item,
			const struct pd_body *body)
{
	const struct pd_task *fork = &body->u.task;
	bool is_copied = !(item->copy->misc & PD_MISC_FORK_EXEC);
	struct rpt_task *parent =
		rpt_tasks_get(&tl->tasks, fork->ppid, fork->ptid);
	struct rpt_timestamp birth = item->when;
	struct rpt_task *task;

	if (parent->pid != fork->ppid)
		parent = rpt_tasks_fork(&tl->tasks, fork->ppid, fork->ptid,
					birth);
	parent->is_named = true;
	task = rpt_tasks_fork(&tl->tasks, fork->pid, fork->tid, birth);
	task->is_named = true;
	task->ptid = parent->tid;
	if (parent->comm_nr && parent != task) {
		const char *name = parent->comms[parent->comm_nr - 1].comm;
		struct pd_str comm = { name, strlen(name) };

		rpt_tasks_set_comm(&tl->tasks, task, birth, comm);
	}
	/* A thread has the space of its process; only a process a new one. */
	if (task->pid != parent->pid && task->pid == task->tid && is_copied)
		rpt_address_space_fork(task->space, parent->space, parent->pid,
				       birth);
}

/* Add code that the kernel made at run time: a name inside of a known map, or
 * else a map. */
static void replay_ksymbol(struct rpt_timeline *tl,
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

	if (k->flags & KSYMBOL_UNREGISTER) {
		if (is_known && old.start == k->addr)
			rpt_address_space_add(&tl->kernel, item->when, &map);
		return;
	}
	rpt_budget_charge(tl->budget, sizeof(struct rpt_symbol) + k->name.len);
	if (is_known) {
		start = k->addr - old.start + old.pgoff;
		rpt_dso_add_symbol(old.dso, start, start + k->sym_len,
				   k->name.ptr, k->name.len);
		return;
	}
	map.dso = dso_of(tl, RPT_DSO_MODULE, k->name, NULL);
	rpt_dso_add_symbol(map.dso, 0, k->sym_len, k->name.ptr, k->name.len);
	rpt_dso_set_range(map.dso, map.start, map.end);
	rpt_address_space_add(&tl->kernel, item->when, &map);
}

static void replay_cgroup(struct rpt_timeline *tl,
			  const struct rpt_sideband_item *item,
			  const struct pd_body *body)
{
	const struct pd_cgroup *cgroup = &body->u.cgroup;
	uint32_t known_nr = tl->cgroup_ids.nr;
	int64_t id = rpt_intern(&tl->cgroup_ids, &cgroup->cgroup_id,
				sizeof(cgroup->cgroup_id));
	char *path = rpt_alloc_safe(cgroup->path.ptr, cgroup->path.len,
				    SUP_SAFE_NAME);
	char *unit = rpt_cgroup_unit(path);

	(void)item;
	tl->cgroup_texts =
		rpt_grow_within(tl->budget, tl->cgroup_texts, &tl->cgroup_cap,
				known_nr, sizeof(*tl->cgroup_texts));
	tl->cgroup_texts[id] = (struct rpt_cgroup_texts){
		(uint32_t)rpt_intern(&tl->cgroup_names, path, strlen(path)),
		(uint32_t)rpt_intern(&tl->cgroup_names, unit, strlen(unit)),
	};
	free(path);
	free(unit);
}

static void replay_namespaces(struct rpt_timeline *tl,
			      const struct rpt_sideband_item *item,
			      const struct pd_body *body)
{
	rpt_cgroup_nses_add(&tl->cgroup_nses, tl->budget, item->when,
			    &body->u.namespaces);
}

static void replay_deferred(struct rpt_timeline *tl,
			    const struct rpt_sideband_item *item,
			    const struct pd_body *body)
{
	rpt_deferred_add(&tl->deferred, item->copy->tid,
			 &body->u.callchain_deferred);
}

typedef void replay_fn(struct rpt_timeline *tl,
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

/* Return whether the record is a guest's: its addresses and task ids are not
 * the host's, and none of its samples are shown. */
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

static void replay(struct rpt_timeline *tl,
		   const struct rpt_sideband_item *item)
{
	struct pd_record rec = rpt_sideband_record(&tl->sideband, item);
	struct pd_err why = PD_ERR_INIT;
	struct pd_body body;

	rpt_timeline_jit_until(tl, item->when);
	if (pd_body_read(&rec, item->copy->id_len, &body, &why))
		pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &why);
	else if (rec.type != PD_RECORD_HEADER_BUILD_ID &&
		 !is_of_guest(tl, &rec))
		replays[rec.type](tl, item, &body);
}

/* Return whether this is the first entry of its mode and name: a damaged file
 * has a million entries of a name that thousands of DSOs have. */
static bool is_new_build_id(struct rpt_timeline *tl, unsigned mode,
			    struct pd_str name)
{
	char key[1 + PD_RECORD_LEN_MAX];
	uint32_t known_nr = tl->build_ids.nr;

	key[0] = (char)mode;
	memcpy(key + 1, name.ptr, name.len);
	return rpt_intern(&tl->build_ids, key, 1 + name.len) == known_nr;
}

void rpt_timeline_set_build_id(struct rpt_timeline *tl, uint16_t misc,
			       const struct pd_header_build_id *entry)
{
	unsigned mode = misc & PD_MISC_CPUMODE_MASK;
	struct rpt_dso *dso = rpt_symbols_dso_named(
		tl->symbols, entry->filename.ptr, entry->filename.len);

	/* a guest's file may have the name of a host's */
	if (!dso || rpt_is_of_guest(misc) ||
	    !is_new_build_id(tl, mode, entry->filename))
		return;
	for (; dso; dso = dso->next_same_name) {
		/* of several files, the entry is of another one */
		if (rpt_dso_is_one_of_several(dso))
			continue;
		rpt_dso_set_build_id(dso, entry->build_id, entry->build_id_len);
		if (mode == PD_CPUMODE_KERNEL)
			rpt_dso_note_kernel_entry(dso);
	}
}

bool rpt_timeline_take_kernel_id(struct rpt_timeline *tl, uint16_t misc,
				 const struct pd_header_build_id *entry)
{
	if ((misc & PD_MISC_CPUMODE_MASK) != PD_CPUMODE_KERNEL ||
	    rpt_is_module_name(entry->filename))
		return false;
	tl->recorded_kernel = *entry;
	return true;
}

/* Read the HEADER_BUILD_ID record that an item is.  A pipe has them in place of
 * the BUILD_ID section, our files for the kernel and its modules. */
static bool read_build_id(const struct rpt_timeline *tl, size_t idx,
			  uint16_t *ret_misc, struct pd_body *ret)
{
	struct pd_record rec =
		rpt_sideband_record(&tl->sideband, &tl->sideband.items[idx]);

	*ret_misc = rec.misc;
	return rec.type == PD_RECORD_HEADER_BUILD_ID &&
	       !pd_body_read(&rec, 0, ret, NULL);
}

/* Find the kernel's build-id before its map is replayed. */
static void find_kernel_id(struct rpt_timeline *tl)
{
	struct pd_body body;
	uint16_t misc;

	for (size_t i = 0; i < tl->sideband.nr; i++)
		if (read_build_id(tl, i, &misc, &body) &&
		    rpt_timeline_take_kernel_id(tl, misc,
						&body.u.header_build_id))
			return;
}

static void set_build_ids(struct rpt_timeline *tl)
{
	struct pd_body body;
	uint16_t misc;

	for (size_t i = 0; i < tl->sideband.nr; i++)
		if (read_build_id(tl, i, &misc, &body))
			rpt_timeline_set_build_id(tl, misc,
						  &body.u.header_build_id);
}

/* Report that records were left out, as damage of the file is reported. */
static void add_full(struct rpt_timeline *tl)
{
	struct pd_err full = PD_ERR_INIT;

	pd_err_set(&full, -EFBIG,
		   "more tasks and maps than the limit on memory allows "
		   "(--max-ratio); later ones are left out");
	pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &full);
}

void rpt_timeline_finish(struct rpt_timeline *tl)
{
	struct rpt_sideband *sb = &tl->sideband;
	bool has_table_id = tl->recorded_kernel.filename.ptr;
	size_t i;

	rpt_sideband_sort(sb);
	if (!has_table_id)
		find_kernel_id(tl);
	for (i = 0; i < sb->nr && !rpt_budget_is_spent(tl->budget); i++)
		replay(tl, &sb->items[i]);
	if (i < sb->nr)
		add_full(tl);
	rpt_timeline_jit_until(tl, end_of_time);
	set_build_ids(tl);
	if (!has_table_id) /* its name is the record's */
		tl->recorded_kernel = (struct pd_header_build_id){ 0 };
	rpt_sideband_release(sb);
	rpt_cgroup_nses_sort(&tl->cgroup_nses);
}
