#include "report/timeline_jit.h"

#include "report/debug_file.h"
#include "report/dso.h"
#include "report/jitdump.h"
#include "report/map_name.h"
#include "report/timeline_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the code lies in the files that perf makes. */
#define CODE_OFF 0x80

/* A function takes some ten times what the dump must have of it; of a local
 * file, which is as long as it says. */
#define BUDGET_RATIO   16
#define BUDGET_MAX_LEN ((uint64_t)256 << 20)
#define PLACE_COST_LEN 900u
#define NAME_LEN_MAX   (PATH_MAX + 64)

/* One dump, while it is read. */
struct source {
	struct rpt_timeline *tl;
	struct rpt_jitdump dump;
	struct rpt_when when; /* of its MMAP */
	uint32_t pid;
	const char *path; /* as recorded */
};

/* "/tmp/jit-12.dump" and 3: "/tmp/jitted-12-3.so" */
static struct rpt_dso *dso_of(const struct source *from,
			      const struct rpt_jit_code *code)
{
	const char *base = strrchr(from->path, '/') + 1;
	int digits_nr = (int)strspn(base + 4, "0123456789");
	char name[NAME_LEN_MAX];
	struct rpt_dso_key key = { .kind = RPT_DSO_USER, .name = name };
	int len = snprintf(name, sizeof(name), "%.*sjitted-%.*s-%" PRIu64 ".so",
			   (int)(base - from->path), from->path, digits_nr,
			   base + 4, code->idx);

	if (len < 0 || (size_t)len >= sizeof(name))
		return NULL;
	key.name_len = (size_t)len;
	return rpt_symbols_dso(from->tl->symbols, &key);
}

static struct rpt_jit_place *push(struct rpt_jit_places *places)
{
	uint32_t cap = places->cap ? places->cap * 2 : 256;
	struct rpt_jit_place *items;

	if (places->nr == places->cap) {
		items = reallocarray(places->items, cap, sizeof(*items));
		if (!items)
			return NULL;
		places->items = items;
		places->cap = cap;
	}
	return &places->items[places->nr++];
}

static struct rpt_when time_of(const struct source *from, uint64_t time_ns)
{
	struct rpt_when when = { time_ns, from->when.seq };
	bool is_usable =
		from->tl->has_monotonic_times && !from->dump.has_cpu_times;

	return is_usable && !rpt_when_before(when, from->when) ? when
							       : from->when;
}

static int add(const struct source *from, const struct rpt_jit_code *code)
{
	struct rpt_jit_places *places = &from->tl->jit;
	struct rpt_dso *dso = dso_of(from, code);
	struct rpt_jit_place *place = dso ? push(places) : NULL;

	if (!place)
		return -ENOMEM;
	*place = (struct rpt_jit_place){
		.when = time_of(from, code->time_ns),
		.addr = code->addr,
		.len = code->len,
		.dso = dso,
		.pid = from->pid,
		.order = places->nr,
	};
	return code->name.len
		       ? rpt_dso_add_symbol(dso, CODE_OFF, CODE_OFF + code->len,
					    code->name.ptr, code->name.len)
		       : 0;
}

static int compare(const void *a, const void *b)
{
	const struct rpt_jit_place *x = a, *y = b;

	if (rpt_when_before(x->when, y->when))
		return -1;
	if (rpt_when_before(y->when, x->when))
		return 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void tell_full(struct rpt_timeline *tl)
{
	struct pd_err full = PD_ERR_INIT;

	pd_err_set(&full, -EFBIG,
		   "more functions of just-in-time compilers than the limit "
		   "on memory allows; later ones have no names");
	pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &full);
}

static int read_codes(struct source *from)
{
	struct rpt_jit_places *places = &from->tl->jit;
	uint64_t len = from->dump.file_len * BUDGET_RATIO;
	struct rpt_jit_code code;
	int rc;

	rpt_budget_give(from->tl->budget,
			len < BUDGET_MAX_LEN ? len : BUDGET_MAX_LEN);
	while ((rc = rpt_jitdump_next(&from->dump, &code)) > 0) {
		if (!rpt_budget_take(from->tl->budget,
				     PLACE_COST_LEN + code.name.len)) {
			tell_full(from->tl);
			rc = 0;
			break;
		}
		rc = add(from, &code);
		if (rc)
			break;
	}
	if (places->nr > places->at)
		qsort(places->items + places->at, places->nr - places->at,
		      sizeof(*places->items), compare);
	return rc;
}

int rpt_timeline_jit_open(struct rpt_timeline *tl, struct rpt_when when,
			  struct rpt_task *task, struct rpt_dso *dso)
{
	struct source from = {
		.tl = tl,
		.when = when,
		.pid = task->pid,
		.path = rpt_dso_name(dso),
	};
	struct pd_err err = PD_ERR_INIT;
	char path[PATH_MAX];
	int rc;

	if (task->space->is_jitted)
		return 0;
	task->space->is_jitted = true;
	if (!rpt_dso_path(dso, path))
		return 0;
	rc = rpt_jitdump_open(&from.dump, path, &err);
	if (!rc)
		rc = read_codes(&from);
	rpt_jitdump_close(&from.dump);
	if (rc == -EBADMSG)
		pd_err_set(&err, rc,
			   "is damaged: later functions have no names");
	if (rc && rc != -ENOMEM) {
		rpt_dso_set_problem(dso, err.text);
		rpt_dso_note_run(dso);
		rc = 0;
	}
	return rc;
}

int rpt_timeline_jit_until(struct rpt_timeline *tl, struct rpt_when when)
{
	struct rpt_jit_places *places = &tl->jit;
	int rc = 0;

	for (; places->at < places->nr && !rc; places->at++) {
		const struct rpt_jit_place *place = &places->items[places->at];
		struct rpt_map map = {
			.start = place->addr,
			.end = place->addr + place->len,
			.pgoff = CODE_OFF,
			.told_pgoff = CODE_OFF,
			.prot = RPT_PROT_READ | RPT_PROT_EXEC,
			.dso = place->dso,
		};
		struct rpt_task *task;

		if (!rpt_when_before(place->when, when))
			break;
		task = rpt_tasks_get(&tl->tasks, place->pid, place->pid);
		rc = task ? rpt_space_add(task->space, place->when, &map)
			  : -ENOMEM;
	}
	return rc;
}
