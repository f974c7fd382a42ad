#include "report/elf/symbol_sort.h"

#include "report/base/radix_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The end of the run that begins at start. */
static size_t run_end(const struct rpt_symbol *syms, size_t start, size_t nr)
{
	size_t end = start + 1;

	while (end < nr && syms[end - 1].start <= syms[end].start)
		end++;
	return end;
}

static size_t count_runs(const struct rpt_symbol *syms, size_t nr)
{
	size_t runs_nr = 0;

	for (size_t i = 0; i < nr; i = run_end(syms, i, nr))
		runs_nr++;
	return runs_nr;
}

/* Merges the runs [lo, mid) and [mid, hi) of from into to. */
static void merge(const struct rpt_symbol *from, struct rpt_symbol *to,
		  const size_t run[3])
{
	size_t a = run[0], b = run[1];

	for (size_t i = run[0]; i < run[2]; i++) {
		if (a < run[1] &&
		    (b >= run[2] || from[a].start <= from[b].start))
			to[i] = from[a++];
		else
			to[i] = from[b++];
	}
}

/* One pass: each two neighbours become one run.  starts has runs_nr + 1
 * entries, the last is the end; returns how many runs there are now. */
static size_t merge_pairs(const struct rpt_symbol *from, struct rpt_symbol *to,
			  size_t *starts, size_t runs_nr)
{
	size_t end = starts[runs_nr];
	size_t kept = 0;

	for (size_t i = 0; i < runs_nr; i += 2) {
		bool is_single = i + 1 == runs_nr;
		size_t run[3] = { starts[i], is_single ? end : starts[i + 1],
				  is_single ? end : starts[i + 2] };

		merge(from, to, run);
		starts[kept++] = run[0];
	}
	starts[kept] = end;
	return kept;
}

static int sort_runs(struct rpt_symbol *syms, struct rpt_symbol *spare,
		     size_t nr, size_t runs_nr)
{
	size_t *starts = calloc(runs_nr + 1, sizeof(*starts));
	struct rpt_symbol *from = syms, *to;

	if (!starts)
		return -ENOMEM;
	for (size_t i = 0, k = 0; i < nr; i = run_end(syms, i, nr))
		starts[k++] = i;
	starts[runs_nr] = nr;
	for (to = spare; runs_nr > 1; to = to == spare ? syms : spare) {
		runs_nr = merge_pairs(from, to, starts, runs_nr);
		from = to;
	}
	if (from == spare)
		memcpy(syms, spare, nr * sizeof(*syms));
	free(starts);
	return 0;
}

static uint64_t start_of(const void *ctx, uint32_t idx, unsigned word_idx)
{
	(void)word_idx;
	return ((const struct rpt_symbol *)ctx)[idx].start;
}

static int compare(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = start_of(ctx, x, 0), q = start_of(ctx, y, 0);

	return p == q ? (x > y) - (x < y) : (p > q) - (p < q);
}

static int sort_by_radix(struct rpt_symbol *syms, struct rpt_symbol *spare,
			 size_t nr)
{
	uint32_t *order = calloc(nr, sizeof(*order));
	struct rpt_radix_sort sort = {
		.word = start_of,
		.word_nr = 1,
		.compare = compare,
		.ctx = syms,
	};
	int rc;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		order[i] = (uint32_t)i;
	rc = rpt_radix_sort(&sort, order, (uint32_t)nr);
	for (size_t i = 0; i < nr && !rc; i++)
		spare[i] = syms[order[i]];
	if (!rc)
		memcpy(syms, spare, nr * sizeof(*syms));
	free(order);
	return rc;
}

/* More are as many passes of merging as radix has, and these guess less. */
#define RUNS_NR_MAX 32u

int rpt_symbol_sort(struct rpt_symbol *syms, size_t nr)
{
	size_t runs_nr = count_runs(syms, nr);
	struct rpt_symbol *spare;
	int rc;

	if (runs_nr < 2)
		return 0;
	spare = reallocarray(NULL, nr, sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	rc = runs_nr > RUNS_NR_MAX && nr <= UINT32_MAX
		     ? sort_by_radix(syms, spare, nr)
		     : sort_runs(syms, spare, nr, runs_nr);
	free(spare);
	return rc;
}
