#include "report/timeline/timeline_impl.h"

#include "format/carried/carried_jit.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso.h"
#include "report/symbols/perf_map.h"

#include <stdlib.h>
#include <string.h>

/* Lines that overlap have their names in different DSOs.  Of a process that
 * needs more, no times count, as if the recording had none. */
#define LAYERS_MAX 1024u

struct line {
	struct pd_jit_code code;
	uint32_t layer; /* from 1 */
};

static int by_start(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = rpt_compare_u64(x->code.addr, y->code.addr);

	return order ? order : rpt_compare_u64(x->code.idx, y->code.idx);
}

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = rpt_compare_u64(x->code.time_ns, y->code.time_ns);

	return order ? order : by_start(a, b);
}

static bool is_same_place(const struct line *a, const struct line *b)
{
	return a->code.time_ns == b->code.time_ns &&
	       a->code.addr == b->code.addr && a->code.len == b->code.len;
}

/* Leave out lines that never hold, as others of their time and place follow.
 * Return how many are left. */
static uint32_t drop_hidden(struct line *lines, uint32_t nr)
{
	uint32_t kept = 0;

	qsort(lines, nr, sizeof(*lines), by_time);
	for (uint32_t i = 0; i < nr; i++)
		if (i + 1 == nr || !is_same_place(&lines[i], &lines[i + 1]))
			lines[kept++] = lines[i];
	return kept;
}

/* Put each line into the first layer in which it overlaps none.  Return false
 * if there are not enough. */
static bool find_layers(struct line *lines, uint32_t nr)
{
	uint64_t ends[LAYERS_MAX] = { 0 };

	qsort(lines, nr, sizeof(*lines), by_start);
	for (uint32_t i = 0; i < nr; i++) {
		const struct pd_jit_code *code = &lines[i].code;
		uint32_t layer = 0;

		while (layer < LAYERS_MAX && ends[layer] > code->addr)
			layer++;
		if (layer == LAYERS_MAX)
			return false;
		ends[layer] = code->addr + code->len;
		lines[i].layer = layer + 1;
	}
	return true;
}

static void add_line(struct rpt_timeline *tl, struct rpt_address_space *space,
		     const struct rpt_dso *memory, const struct line *line)
{
	const struct pd_jit_code *code = &line->code;
	const struct rpt_dso_key key = { .kind = RPT_DSO_USER,
					 .name = memory->name,
					 .name_len = strlen(memory->name),
					 .source = line->layer };
	const struct rpt_timestamp when = { code->time_ns, 0 };
	struct rpt_map map = {
		.start = code->addr,
		.end = code->addr + code->len,
		.dso = rpt_timeline_dso(tl, &key),
	};

	rpt_budget_charge(tl->budget,
			  sizeof(struct rpt_symbol) + code->name.len);
	rpt_dso_add_symbol(map.dso, map.start, map.end, code->name.ptr,
			   code->name.len);
	rpt_address_space_add(space, when, &map);
}

static void read_lines(struct rpt_timeline *tl, const struct rpt_dso *memory,
		       const struct pd_carried_jit *jit,
		       struct rpt_address_space *space)
{
	uint32_t nr = jit->code_nr;
	struct pd_jit_code *codes =
		rpt_alloc_zeroed(nr + (size_t)1, sizeof(*codes));
	struct line *lines = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*lines));

	if (pd_carried_jit_codes(rpt_symbols_own_carried(tl->symbols), jit,
				 codes, NULL))
		nr = 0;
	for (uint32_t i = 0; i < nr; i++)
		lines[i].code = codes[i];
	nr = drop_hidden(lines, nr);
	if (!find_layers(lines, nr))
		nr = 0;
	qsort(lines, nr, sizeof(*lines), by_time);
	for (uint32_t i = 0; i < nr && !rpt_budget_is_spent(tl->budget); i++)
		add_line(tl, space, memory, &lines[i]);
	free(lines);
	free(codes);
}

void rpt_timeline_take_lines(struct rpt_timeline *tl, uint32_t pid,
			     struct rpt_address_space *space,
			     struct rpt_dso *memory)
{
	const struct pd_carried *carried = rpt_symbols_own_carried(tl->symbols);
	const struct pd_carried_jit *jit;
	struct rpt_address_space *lines;
	size_t idx;

	if (space->lines || !rpt_is_perf_map(memory->name))
		return;
	jit = rpt_timeline_carried_jit(tl, pid);
	if (!jit || !jit->is_perf_map)
		return;
	idx = (size_t)(jit - carried->jits);
	if (!tl->jit.lines) {
		tl->jit.lines = rpt_alloc_zeroed(carried->jit_nr,
						 sizeof(*tl->jit.lines));
		tl->jit.lines_nr = carried->jit_nr;
	}
	lines = tl->jit.lines[idx];
	if (!lines) { /* else another process had the pid before */
		lines = tl->jit.lines[idx] =
			rpt_alloc_zeroed(1, sizeof(*lines));
		lines->budget = tl->budget;
		read_lines(tl, memory, jit, lines);
	}
	space->memory = memory;
	space->lines = lines;
}

void rpt_timeline_release_lines(struct rpt_timeline *tl)
{
	for (uint32_t i = 0; i < tl->jit.lines_nr; i++) {
		if (tl->jit.lines[i])
			rpt_address_space_release(tl->jit.lines[i]);
		free(tl->jit.lines[i]);
	}
	free(tl->jit.lines);
}
