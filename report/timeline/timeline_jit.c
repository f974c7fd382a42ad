#include "report/timeline/timeline_impl.h"

#include "format/base/search.h"
#include "format/carried/carried_jit.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/symbols/dso.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/jitdump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The offset of the code in the files that perf makes. */
#define CODE_OFF 0x80

/* A dump adds BUDGET_RATIO times its length to the budget, as a function takes
 * some ten times the memory of its record.  All dumps together add
 * BUDGET_MAX_LEN at most. */
#define BUDGET_RATIO   16
#define BUDGET_MAX_LEN ((uint64_t)256 << 20)
#define NAME_LEN_MAX   (PATH_MAX + 64)

/* One dump, while it is read. */
struct source {
	struct rpt_timeline *tl;
	struct rpt_timestamp when; /* of its MMAP */
	uint32_t pid;
	uint32_t nr;	  /* of the file, from 1 */
	const char *path; /* as recorded */
	bool has_cpu_times;
};

/* Return the DSO of a function: "/tmp/jitted-12-3.so" for function 3 of
 * "/tmp/jit-12.dump". */
static struct rpt_dso *dso_of(const struct source *from,
			      const struct pd_jit_code *code)
{
	const char *base = strrchr(from->path, '/') + 1;
	int digits_nr = (int)strspn(base + 4, "0123456789");
	char name[NAME_LEN_MAX];
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = name,
				   .source = from->nr };
	int len = snprintf(name, sizeof(name), "%.*sjitted-%.*s-%" PRIu64 ".so",
			   (int)(base - from->path), from->path, digits_nr,
			   base + 4, code->idx);

	if (len < 0 || (size_t)len >= sizeof(name))
		return NULL;
	key.name_len = (size_t)len;
	return rpt_timeline_dso(from->tl, &key);
}

static bool is_before(const struct rpt_jit_code_map *a,
		      const struct rpt_jit_code_map *b)
{
	if (rpt_timestamp_before(a->when, b->when))
		return true;
	return !rpt_timestamp_before(b->when, a->when) && a->order < b->order;
}

static void push(struct rpt_timeline *tl,
		 const struct rpt_jit_code_map *code_map)
{
	struct rpt_jit_code_maps *maps = &tl->jit;
	struct rpt_jit_code_map *items = rpt_grow_within(
		tl->budget, maps->items, &maps->cap, maps->nr, sizeof(*items));
	uint32_t i = maps->nr;

	maps->items = items;
	for (; i && is_before(code_map, &items[(i - 1) / 2]); i = (i - 1) / 2)
		items[i] = items[(i - 1) / 2];
	items[i] = *code_map;
	maps->nr++;
}

/* Take the first one out of the heap, which is not empty. */
static struct rpt_jit_code_map pop(struct rpt_jit_code_maps *maps)
{
	struct rpt_jit_code_map *items = maps->items;
	struct rpt_jit_code_map first = items[0], last = items[--maps->nr];
	uint64_t i = 0, child;

	for (; (child = 2 * i + 1) < maps->nr; i = child) {
		if (child + 1 < maps->nr &&
		    is_before(&items[child + 1], &items[child]))
			child++;
		if (!is_before(&items[child], &last))
			break;
		items[i] = items[child];
	}
	items[i] = last;
	return first;
}

static struct rpt_timestamp time_of(const struct source *from, uint64_t time_ns)
{
	struct rpt_timestamp when = { time_ns, from->when.seq };
	bool is_usable = from->tl->has_monotonic_times && !from->has_cpu_times;

	return is_usable && !rpt_timestamp_before(when, from->when)
		       ? when
		       : from->when;
}

static void add(const struct source *from, const struct pd_jit_code *code)
{
	struct rpt_jit_code_maps *maps = &from->tl->jit;
	struct rpt_dso *dso = dso_of(from, code);
	const struct rpt_jit_code_map code_map = {
		.when = time_of(from, code->time_ns),
		.addr = code->addr,
		.len = code->len,
		.dso = dso,
		.pid = from->pid,
		.order = maps->read_nr++,
	};

	if (!dso)
		return; /* its name would be too long */
	push(from->tl, &code_map);
	rpt_budget_charge(from->tl->budget, sizeof(struct rpt_symbol) +
						    code->name.len +
						    sizeof(struct rpt_jitted) +
						    code->eh_frame.len);
	rpt_dso_set_jitted(dso,
			   &(struct rpt_jitted){ code->machine, CODE_OFF,
						 code->len, code->eh_frame });
	if (code->name.len)
		rpt_dso_add_symbol(dso, CODE_OFF, CODE_OFF + code->len,
				   code->name.ptr, code->name.len);
}

static void add_full(struct rpt_timeline *tl)
{
	struct pd_err full = PD_ERR_INIT;

	pd_err_set(&full, -EFBIG,
		   "more functions of just-in-time compilers than the limit "
		   "on memory allows; later ones have no names");
	pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &full);
}

/* Number the file of len bytes, and add to the budget once, however many
 * processes have it mapped. */
static void number_file(struct source *from, const uint64_t file_id[2],
			uint64_t len)
{
	struct rpt_jit_code_maps *maps = &from->tl->jit;
	uint64_t rest = BUDGET_MAX_LEN - maps->given_len;
	uint32_t known_nr = maps->sources.nr;
	int64_t idx = rpt_intern(&maps->sources, file_id, 2 * sizeof(*file_id));

	from->nr = (uint32_t)idx + 1;
	if (idx != known_nr)
		return;
	len = len < rest / BUDGET_RATIO ? len * BUDGET_RATIO : rest;
	rpt_budget_give(from->tl->budget, len);
	maps->given_len += len;
}

/* Return false if there is no budget for more. */
static bool take(const struct source *from, const struct pd_jit_code *code)
{
	if (rpt_budget_is_spent(from->tl->budget)) {
		add_full(from->tl);
		return false;
	}
	add(from, code);
	return true;
}

/* Return 0; -EBADMSG if the dump is damaged; or why it cannot be opened, with
 * err set. */
static int read_file(struct source *from, const char *path, bool *ret_is_open,
		     struct pd_err *err)
{
	struct rpt_jitdump file;
	struct pd_jit_code code;
	int rc = rpt_jitdump_open(&file, path, err);

	*ret_is_open = !rc;
	if (!rc) {
		from->has_cpu_times = file.dump.has_cpu_times;
		number_file(from, file.file_id, file.dump.file_len);
		while ((rc = pd_jitdump_next(&file.dump, &code)) > 0)
			if (!take(from, &code)) {
				rc = 0;
				break;
			}
	}
	rpt_jitdump_close(&file);
	if (rc == -EBADMSG)
		pd_err_set(err, rc,
			   "is damaged: later functions have no names");
	return rc;
}

static int compare_dumps(const void *a, const void *b)
{
	const struct rpt_carried_dump *x = a, *y = b;
	int order = rpt_compare_u64(x->pid, y->pid);

	return order ? order : rpt_compare_u64(x->idx, y->idx);
}

static void list_carried(struct rpt_timeline *tl)
{
	const struct pd_carried *carried = rpt_symbols_own_carried(tl->symbols);
	struct rpt_carried_dump *dumps =
		rpt_alloc_zeroed(carried->jit_nr + (size_t)1, sizeof(*dumps));

	for (uint32_t i = 0; i < carried->jit_nr; i++)
		dumps[i] = (struct rpt_carried_dump){
			carried->files[carried->jits[i].file_idx].pid, i
		};
	if (carried->jit_nr)
		qsort(dumps, carried->jit_nr, sizeof(*dumps), compare_dumps);
	tl->jit.carried = dumps;
}

const struct pd_carried_jit *rpt_timeline_carried_jit(struct rpt_timeline *tl,
						      uint32_t pid)
{
	const struct pd_carried *carried = rpt_symbols_own_carried(tl->symbols);
	const struct rpt_carried_dump *dumps;
	uint32_t at;

	if (!tl->jit.carried)
		list_carried(tl);
	dumps = tl->jit.carried;
	PD_FIND_FIRST(at, carried->jit_nr, dumps[at].pid >= pid);
	return at < carried->jit_nr && dumps[at].pid == pid
		       ? &carried->jits[dumps[at].idx]
		       : NULL;
}

/* Return what the recording carries of the dump, or NULL.  A process has one:
 * the one that it mapped last. */
static const struct pd_carried_jit *find_carried(const struct source *from)
{
	const struct pd_carried_jit *jit =
		rpt_timeline_carried_jit(from->tl, from->pid);

	return jit && !jit->is_perf_map && pd_str_eq(jit->path, from->path)
		       ? jit
		       : NULL;
}

static void read_carried(struct source *from, const struct pd_carried_jit *jit)
{
	const uint64_t file_id[2] = { UINT64_MAX, jit->file_idx };
	struct pd_jit_code *codes =
		rpt_alloc_zeroed(jit->code_nr + (size_t)1, sizeof(*codes));

	from->has_cpu_times = jit->has_cpu_times;
	number_file(from, file_id, jit->text_len);
	if (!pd_carried_jit_codes(rpt_symbols_own_carried(from->tl->symbols),
				  jit, codes, NULL))
		for (uint32_t i = 0; i < jit->code_nr; i++)
			if (!take(from, &codes[i]))
				break;
	free(codes);
}

/* Return whether the dump was found, and the reason why not, or not all, in
 * err.  What is carried is of this very dump, whatever stands at its path, but
 * need not be all of it. */
static bool read_dump(struct source *from, const char *path, int *ret_rc,
		      struct pd_err *err)
{
	const struct pd_carried_jit *jit = find_carried(from);
	bool is_found = jit && !jit->is_cut;

	*ret_rc = 0;
	if (!is_found)
		*ret_rc = read_file(from, path, &is_found, err);
	else
		read_carried(from, jit);
	if (is_found || !jit)
		return is_found;
	read_carried(from, jit);
	*ret_rc = 0;
	return true;
}

void rpt_timeline_jit_open(struct rpt_timeline *tl, struct rpt_timestamp when,
			   struct rpt_task *task, const struct rpt_map *map)
{
	struct rpt_dso *dso = map->dso;
	struct source from = {
		.tl = tl,
		.when = when,
		.pid = task->pid,
		.path = rpt_dso_recorded_name(dso),
	};
	struct pd_err err = PD_ERR_INIT;
	char path[PATH_MAX];
	int rc;

	if (task->space->is_jitted ||
	    !rpt_dso_path(dso, task->pid, map->ino, path))
		return;
	task->space->is_jitted = read_dump(&from, path, &rc, &err);
	/* who carries names has none of it if nothing of it was hit */
	if (rc && !(rc == -ENOENT && rpt_symbols_has_carried(tl->symbols))) {
		rpt_dso_set_problem(dso, err.text);
		rpt_dso_note_run(dso);
	}
}

void rpt_timeline_jit_until(struct rpt_timeline *tl, struct rpt_timestamp when)
{
	struct rpt_jit_code_maps *maps = &tl->jit;

	while (maps->nr && rpt_timestamp_before(maps->items[0].when, when)) {
		struct rpt_jit_code_map code_map = pop(maps);
		struct rpt_map map = {
			.start = code_map.addr,
			.end = code_map.addr + code_map.len,
			.pgoff = CODE_OFF,
			.recorded_pgoff = CODE_OFF,
			.prot = RPT_PROT_READ | RPT_PROT_EXEC,
			.dso = code_map.dso,
		};
		struct rpt_task *task =
			rpt_tasks_get(&tl->tasks, code_map.pid, code_map.pid);

		rpt_address_space_add(task->space, code_map.when, &map);
	}
}
