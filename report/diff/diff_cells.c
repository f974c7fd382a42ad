#include "report/diff/diff_run.h"

#include "report/symbols/dso.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/callchain/frames.h"
#include "report/symbols/dso_bounds.h"

#include <stdlib.h>

#define NS_PER_S 1e9

static int compare_cells(const void *a, const void *b)
{
	const struct rpt_run_cell *x = a;
	const struct rpt_run_cell *y = b;

	int rc = rpt_compare_u64(x->label, y->label);

	return rc ? rc : rpt_compare_u64(x->block, y->block);
}

void rpt_run_event_add(struct rpt_run_event *event, uint32_t label,
		       uint32_t block, const struct rpt_sum *sum)
{
	event->cells = rpt_grow(event->cells, &event->cell_cap, event->cell_nr,
				sizeof(*event->cells));
	event->cells[event->cell_nr++] =
		(struct rpt_run_cell){ label, block, *sum };
}

void rpt_run_event_merge(struct rpt_run_event *event)
{
	struct rpt_run_cell *cells = event->cells;
	uint32_t nr = 0;

	if (event->cell_nr) /* else cells may be NULL */
		qsort(cells, event->cell_nr, sizeof(*cells), compare_cells);
	for (size_t i = 0; i < event->cell_nr; i++) {
		if (nr && !compare_cells(&cells[nr - 1], &cells[i])) {
			rpt_sum_add(&cells[nr - 1].sum, &cells[i].sum);
		} else {
			cells[nr++] = cells[i];
		}
	}
	event->cell_nr = nr;
}

const struct rpt_run_cell *rpt_run_cells(const struct rpt_run_event *event,
					 uint32_t label, size_t *ret_nr)
{
	size_t low = 0;
	size_t high = event->cell_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (event->cells[mid].label < label)
			low = mid + 1;
		else
			high = mid;
	}
	for (high = low; high < event->cell_nr; high++) {
		if (event->cells[high].label != label)
			break;
	}
	*ret_nr = high - low;
	return high > low ? &event->cells[low] : NULL;
}

void rpt_run_event_weigh(struct rpt_run_event *event,
			 const struct pd_attr *attr, uint32_t block_nr)
{
	double hz = (double)attr->sample_period, factor;

	event->is_weighed =
		!(attr->flags & PD_ATTR_FREQ) ||
		attr->sample_type & (PD_SAMPLE_PERIOD | PD_SAMPLE_READ);
	if (event->is_weighed || !event->is_clock || hz <= 0.0)
		return;
	factor = NS_PER_S / hz / hz;
	for (size_t i = 0; i < event->cell_nr; i++)
		event->cells[i].sum.period *= factor;
	for (uint32_t b = 0; b < block_nr; b++)
		event->blocks[b].period *= factor;
	event->total.period *= factor;
	event->is_weighed = true;
}

bool rpt_unnamed_function(struct rpt_labels *labels,
			  const struct rpt_frame *frame, uint64_t *ret_start,
			  uint32_t *ret_build)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym;
	const uint8_t *id;
	uint8_t id_len = 0;

	if (!frame->dso || frame->level != '.' ||
	    rpt_dso_kind(frame->dso) != RPT_DSO_USER)
		return false;
	id = rpt_dso_build_id(frame->dso, &id_len);
	sym = id_len ? rpt_dso_bounds_find(frame->dso, frame->addr, &range)
		     : NULL;
	if (!sym)
		return false;
	*ret_start = sym->start;
	*ret_build = (uint32_t)rpt_intern(&labels->builds, id, id_len);
	return true;
}

void rpt_unnamed_merge(const struct rpt_labels *labels, struct rpt_run *runs,
		       size_t run_nr)
{
	for (size_t r = 0; r < run_nr; r++) {
		for (size_t e = 0; e < runs[r].event_nr; e++) {
			struct rpt_run_event *event = &runs[r].events[e];

			for (size_t i = 0; i < event->cell_nr; i++) {
				uint32_t *label = &event->cells[i].label;
				uint32_t whole = labels->items[*label].whole;

				if (whole && labels->items[whole - 1].is_mixed)
					*label = whole - 1;
			}
			rpt_run_event_merge(event);
		}
	}
}
