#include "report/cache/jit_names.h"

#include "format/carried/carried_jit.h"
#include "report/base/compare.h"
#include "report/base/memory.h"

#include <stdlib.h>

/* A code, and its place in the dump. */
struct code {
	struct pd_jit_code code;
	uint32_t order;
};

static int by_function(const void *a, const void *b)
{
	const struct code *x = a, *y = b;
	int order = rpt_compare_u64(x->code.idx, y->code.idx);

	return order ? order : rpt_compare_u64(x->order, y->order);
}

static int by_address(const void *a, const void *b)
{
	const struct code *x = a, *y = b;
	int order = rpt_compare_u64(x->code.addr, y->code.addr);

	return order ? order : rpt_compare_u64(x->order, y->order);
}

/* Functions that were moved have the names that they had. */
static void name_moved(struct code *codes, uint32_t nr)
{
	qsort(codes, nr, sizeof(*codes), by_function);
	for (uint32_t i = 1; i < nr; i++)
		if (!codes[i].code.name.len &&
		    codes[i].code.idx == codes[i - 1].code.idx)
			codes[i].code.name = codes[i - 1].code.name;
}

/* Return how many are left, to the front of codes: of two that overlap, the
 * later one. */
static uint32_t keep_last(struct code *codes, uint32_t nr)
{
	uint32_t kept = 0;

	qsort(codes, nr, sizeof(*codes), by_address);
	for (uint32_t i = 0; i < nr; i++) {
		bool is_older = false;

		while (kept && !is_older &&
		       codes[kept - 1].code.addr + codes[kept - 1].code.len >
			       codes[i].code.addr) {
			is_older = codes[kept - 1].order > codes[i].order;
			kept -= !is_older;
		}
		if (!is_older)
			codes[kept++] = codes[i];
	}
	return kept;
}

uint32_t rpt_jit_names_max(const struct pd_carried *carried, uint32_t idx)
{
	const struct pd_carried_jit *jit = pd_carried_jit_of(carried, idx);

	/* lines of a perf map are among its names */
	return jit && !jit->is_perf_map ? jit->code_nr : 0;
}

int rpt_jit_names(const struct pd_carried *carried, uint32_t idx,
		  struct pd_carried_name *ret, uint32_t *ret_nr,
		  struct pd_err *err)
{
	const struct pd_carried_jit *jit = pd_carried_jit_of(carried, idx);
	uint32_t nr = rpt_jit_names_max(carried, idx);
	struct pd_jit_code *read = rpt_alloc_zeroed(nr + 1u, sizeof(*read));
	struct code *codes = rpt_alloc_zeroed(nr + 1u, sizeof(*codes));
	int rc = nr ? pd_carried_jit_codes(carried, jit, read, err) : 0;

	*ret_nr = 0;
	for (uint32_t i = 0; i < nr; i++)
		codes[i] = (struct code){ read[i], i };
	if (nr && !rc) {
		name_moved(codes, nr);
		nr = keep_last(codes, nr);
	}
	for (uint32_t i = 0; i < nr && !rc; i++)
		if (codes[i].code.name.len)
			ret[(*ret_nr)++] = (struct pd_carried_name){
				.start = codes[i].code.addr,
				.len = codes[i].code.len,
				.text = codes[i].code.name,
				.source = PD_CARRIED_LINE,
			};
	free(codes);
	free(read);
	return rc;
}
