/* Memory for the rows of a table. */
#include "report/rows_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rpt_rows_grow(struct rpt_rows *rows)
{
	uint32_t cap = rows->cap ? rows->cap * 2 : 1024;
	struct rpt_row *items = realloc(rows->items, cap * sizeof(*items));
	struct rpt_row_modes *modes;
	struct rpt_row_stat *stats;

	if (!items)
		return -ENOMEM;
	rows->items = items;
	stats = realloc(rows->stats,
			(size_t)cap * rows->member_nr * sizeof(*stats));
	if (!stats)
		return -ENOMEM;
	rows->stats = stats;
	if (rows->conf.has_modes) {
		modes = realloc(rows->modes,
				(size_t)cap * rows->member_nr * sizeof(*modes));
		if (!modes)
			return -ENOMEM;
		rows->modes = modes;
	}
	rows->cap = cap;
	return 0;
}

void rpt_rows_clear(struct rpt_rows *rows, uint32_t row)
{
	memset(rpt_rows_stat(rows, row, 0), 0,
	       rows->member_nr * sizeof(*rows->stats));
	if (rows->modes)
		memset(rpt_rows_modes(rows, row, 0), 0,
		       rows->member_nr * sizeof(*rows->modes));
}
