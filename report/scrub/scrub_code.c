/* Where code is mapped.  The kernel follows frame pointers on faith: in code
 * without them, a word of a call chain can be any word of the stack. */
#include "report/scrub/scrub_impl.h"

#include "report/base/memory.h"

#include <stdlib.h>

enum { EXEC = 4, DATA_FLAG = 0x2000, RANGES_MAX = 1 << 22 };

void rpt_scrub_note_code(struct rpt_scrub *scrub, const struct pd_body *body)
{
	const struct pd_mmap *m = &body->u.mmap;
	struct rpt_scrub_range *last;
	bool is_code = body->type == PD_RECORD_MMAP2
			       ? (m->prot & EXEC) || !m->prot
			       : !(body->misc & DATA_FLAG);

	if (scrub->is_sorted || !is_code || scrub->range_nr == RANGES_MAX)
		return;
	last = scrub->range_nr ? &scrub->ranges[scrub->range_nr - 1] : NULL;
	if (last && last->start == m->addr && last->end == m->addr + m->map_len)
		return;
	scrub->ranges = rpt_grow(scrub->ranges, &scrub->range_cap,
				 scrub->range_nr, sizeof(*scrub->ranges));
	scrub->ranges[scrub->range_nr++] = (struct rpt_scrub_range){
		.start = m->addr,
		.end = m->map_len > UINT64_MAX - m->addr ? UINT64_MAX
							 : m->addr + m->map_len,
	};
}

static int compare(const void *a, const void *b)
{
	const struct rpt_scrub_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Sort the ranges, and join those that overlap. */
static void settle(struct rpt_scrub *scrub)
{
	struct rpt_scrub_range *r = scrub->ranges;
	uint32_t nr = 0;

	scrub->is_sorted = true;
	if (!scrub->range_nr)
		return;
	qsort(r, scrub->range_nr, sizeof(*r), compare);
	for (uint32_t i = 1; i < scrub->range_nr; i++) {
		if (r[i].start > r[nr].end)
			r[++nr] = r[i];
		else if (r[i].end > r[nr].end)
			r[nr].end = r[i].end;
	}
	scrub->range_nr = nr + 1;
}

bool rpt_scrub_is_code(struct rpt_scrub *scrub, uint64_t addr)
{
	uint32_t low = 0, high;

	if (!scrub->is_sorted)
		settle(scrub);
	high = scrub->range_nr;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (scrub->ranges[mid].end < addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* a return address may stand right behind the last call */
	return low < scrub->range_nr && addr >= scrub->ranges[low].start;
}
