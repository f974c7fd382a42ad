#include "report/timeline/timeline_impl.h"

#include "format/carried/carried_jit.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso.h"
#include "report/symbols/perf_map.h"

#include <stdlib.h>
#include <string.h>

/* Lines that overlap have their names in different DSOs, and a look-up asks all
 * layers: twice as many as a recorder notes growths of a map.  Of a process
 * that needs more, no times count, as if the recording had none. */
#define LAYERS_MAX 256u

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

static uint64_t end_of(const struct line *line)
{
	return line->code.addr + line->code.len;
}

static int by_end(const void *a, const void *b)
{
	const struct line *const *x = a, *const *y = b;

	return rpt_compare_u64(end_of(*x), end_of(*y));
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

/* Put each line into a layer in which it overlaps none.  Return false if there
 * are not enough. */
static bool find_layers(struct line *lines, uint32_t nr)
{
	struct line **ends = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*ends));
	uint32_t idle[LAYERS_MAX], idle_nr = 0, layer_nr = 0, end_nr = 0;
	bool is_enough = true;

	qsort(lines, nr, sizeof(*lines), by_start);
	for (uint32_t i = 0; i < nr; i++)
		ends[i] = &lines[i];
	qsort(ends, nr, sizeof(*ends), by_end);
	for (uint32_t i = 0; i < nr && is_enough; i++) {
		while (end_of(ends[end_nr]) <= lines[i].code.addr)
			idle[idle_nr++] = ends[end_nr++]->layer;
		if (!idle_nr && layer_nr < LAYERS_MAX)
			idle[idle_nr++] = ++layer_nr;
		is_enough = idle_nr;
		if (is_enough)
			lines[i].layer = idle[--idle_nr];
	}
	free(ends);
	return is_enough;
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
	uint32_t *layers;

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
	layers = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*layers));
	for (uint32_t i = 0; i < space->nr; i++)
		layers[i] = lines[i].layer;
	rpt_address_space_set_layers(space, layers);
	free(layers);
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
