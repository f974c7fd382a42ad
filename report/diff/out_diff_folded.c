#include "report/diff/out_diff.h"

#include "report/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Put the functions of a path, the outermost first. */
static void put_path(const struct rpt_diff_table *table, size_t row,
		     struct rpt_text *out)
{
	uint32_t label = rpt_diff_table_label(table, row);
	const char *name = table->labels->items[label].texts[0];

	if (table->parents[row] != RPT_NO_CALLER) {
		put_path(table, table->parents[row], out);
		rpt_text_char(out, ';');
	}
	for (; *name; name++)
		rpt_text_char(out, *name == ';' ? ':' : *name);
}

/* Add how many samples of both sides end in each row: its own minus its
 * callees'. */
static void set_ends(const struct rpt_diff_table *table, double (*ends)[2])
{
	for (size_t r = 0; r < table->row_nr; r++) {
		uint32_t parent = table->parents[r];

		for (size_t s = 0; s < 2; s++) {
			double nr = rpt_diff_table_cell(table, r, s)
					    ->estimate.sum.nr;

			ends[r][s] += nr;
			if (parent != RPT_NO_CALLER)
				ends[parent][s] -= nr;
		}
	}
}

static void print_table(const struct rpt_diff_table *table,
			struct rpt_text *out)
{
	double(*ends)[2] = rpt_alloc_zeroed(table->row_nr + 1, sizeof(*ends));

	set_ends(table, ends);
	for (size_t r = 0; r < table->row_nr; r++) {
		if (ends[r][0] < 0.5 && ends[r][1] < 0.5)
			continue;
		put_path(table, r, out);
		rpt_text_char(out, ' ');
		rpt_text_dec(out, (uint64_t)llround(ends[r][0]), 0);
		rpt_text_char(out, ' ');
		rpt_text_dec(out, (uint64_t)llround(ends[r][1]), 0);
		rpt_text_char(out, '\n');
	}
	free(ends);
}

void rpt_diff_print_folded(const struct rpt_diff_table *tables, size_t table_nr,
			   struct rpt_text *out)
{
	for (size_t t = 0; t < table_nr; t++)
		print_table(&tables[t], out);
}
