#include "report/out_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Root first. */
static void put_path(const struct rpt_labels *labels, uint32_t label,
		     struct rpt_text *out)
{
	const struct rpt_label *item = &labels->items[label];
	const char *name = item->texts[0];

	if (item->parent) {
		put_path(labels, item->parent - 1, out);
		rpt_text_char(out, ';');
	}
	for (; *name; name++)
		rpt_text_char(out, *name == ';' ? ':' : *name);
}

/* What goes on from a path is no end of it. */
static void take_from_caller(const struct rpt_table *table, double *ends,
			     size_t row)
{
	uint32_t label = rpt_table_label(table, row);
	uint32_t parent = table->labels->items[label].parent;

	for (size_t s = 0; s < table->side_nr && parent; s++)
		ends[(parent - 1) * table->side_nr + s] -=
			rpt_table_cell(table, row, s)->estimate.sum.nr;
}

static int print_table(const struct rpt_table *table, struct rpt_text *out)
{
	const struct rpt_labels *labels = table->labels;
	double *ends = calloc((size_t)labels->keys.nr * table->side_nr + 1,
			      sizeof(*ends)); /* by label, then side */

	if (!ends)
		return -ENOMEM;
	for (size_t r = 0; r < table->row_nr; r++) {
		for (size_t s = 0; s < table->side_nr; s++)
			ends[rpt_table_label(table, r) * table->side_nr + s] +=
				rpt_table_cell(table, r, s)->estimate.sum.nr;
		take_from_caller(table, ends, r);
	}
	for (size_t r = 0; r < table->row_nr; r++) {
		uint32_t label = rpt_table_label(table, r);
		const double *end = &ends[(size_t)label * table->side_nr];

		if (end[0] < 0.5 && end[1] < 0.5)
			continue;
		put_path(labels, label, out);
		rpt_text_char(out, ' ');
		rpt_text_dec(out, (uint64_t)llround(end[0]), 0);
		rpt_text_char(out, ' ');
		rpt_text_dec(out, (uint64_t)llround(end[1]), 0);
		rpt_text_char(out, '\n');
	}
	free(ends);
	return 0;
}

int rpt_diff_print_folded(const struct rpt_table *tables, size_t table_nr,
			  struct rpt_text *out)
{
	int rc = 0;

	for (size_t t = 0; t < table_nr && !rc; t++)
		rc = print_table(&tables[t], out);
	return rc;
}
