#include "report/fleet/fleet_rows.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/stats/t_test.h"

#include <math.h>
#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
	const struct rpt_fleet_row *x = a, *y = b;
	int rc = rpt_compare_doubles(&y->estimate.value, &x->estimate.value);

	return rc ? rc : rpt_compare_u64(x->label, y->label);
}

static struct rpt_fleet_row row_of(const struct rpt_side_event *side,
				   uint32_t label)
{
	struct rpt_fleet_row row = {
		.label = label,
		.estimate = rpt_side_estimate(side, label),
		.low = NAN,
		.high = NAN,
	};
	const struct rpt_estimate *at = &row.estimate;
	double reach;

	if (isnan(at->variance))
		return row;
	reach = sqrt(at->variance) *
		rpt_t_test_critical(1.0 - RPT_CONFIDENCE, at->df);
	row.low = fmax(0.0, at->value - reach - at->unseen_down);
	row.high = fmin(1.0, at->value + reach + at->unseen_up);
	return row;
}

struct rpt_fleet_row *rpt_fleet_rows(const struct rpt_fleet_load *load,
				     uint32_t event, size_t nr, size_t *ret_nr,
				     size_t *ret_all_nr, struct pd_err *err)
{
	const struct rpt_side *side = &load->events[event].sides[RPT_FLEET_NEW];
	const struct rpt_run_event *first = &side->runs[0]->events[event];
	struct rpt_side_event at;
	struct rpt_fleet_row *rows = NULL;

	if (!rpt_side_event_init(&at, side, event, RPT_MEASURE_SHARE,
				 side->run_nr > 1 ? RPT_SCATTER_BETWEEN
						  : RPT_SCATTER_NONE,
				 err)) {
		/* the first run has a cell for each label of the event */
		rows = rpt_alloc_zeroed((size_t)first->cell_nr + 1,
					sizeof(*rows));
		for (uint32_t i = 0; i < first->cell_nr; i++)
			rows[i] = row_of(&at, first->cells[i].label);
		qsort(rows, first->cell_nr, sizeof(*rows), compare_rows);
		*ret_all_nr = first->cell_nr;
		*ret_nr = first->cell_nr < nr ? first->cell_nr : nr;
	}
	rpt_side_event_release(&at);
	return rows;
}
