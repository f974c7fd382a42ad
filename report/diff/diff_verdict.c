#include "report/diff/diff_verdict.h"

#include "format/support/safe_text.h"

#include "format/support/message.h"

#include <stdio.h>
#include <stdlib.h>

/* More rows are counted only. */
enum { SHOWN_NR = 10 };

/* A row that grew, and how. */
struct growth {
	const struct rpt_diff_table *table;
	size_t row;
	bool is_new;
	double pct; /* of its old value; of a new row, of the total */
};

/* Find out whether a cell grew by more than the limit. */
static bool find_growth(const struct rpt_diff_table *table, size_t row,
			size_t side, double limit_pct, struct growth *ret)
{
	const struct rpt_diff_cell *old = rpt_diff_table_cell(table, row, 0);
	const struct rpt_diff_cell *new = rpt_diff_table_cell(table, row, side);
	double limit = limit_pct / 100.0;

	if (!new->change.is_significant)
		return false;
	*ret = (struct growth){ table, row, !old->is_there, 0.0 };
	if (old->is_there) {
		ret->pct = 100.0 * new->change.delta / old->estimate.value;
		return new->change.delta > limit * old->estimate.value;
	}
	ret->pct = 100.0 * rpt_diff_table_share(table, row, side);
	return new->change.delta > 0.0 &&
	       new->estimate.sum.period >
		       limit * table->sides[side].total.period;
}

static void put_row(FILE *out, const struct growth *g)
{
	const struct rpt_labels *labels = g->table->labels;
	const struct rpt_label *label =
		&labels->items[rpt_diff_table_label(g->table, g->row)];

	sup_put_safe_text(out, g->table->event_name);
	for (size_t i = 0; i < labels->column_nr; i++) {
		fputs(i ? " " : ": ", out);
		sup_put_safe_text(out, label->texts[i] ? label->texts[i] : "");
	}
}

static void print_growth(const struct growth *g)
{
	char *row = NULL;
	size_t len;
	FILE *out = open_memstream(&row, &len);

	put_row(out, g);
	fclose(out);
	if (g->is_new)
		sup_message("%s is new and has %.2f%% of all", row, g->pct);
	else
		sup_message("%s grew by %.1f%%", row, g->pct);
	free(row);
}

size_t rpt_diff_warn_regressions(const struct rpt_diff_table *tables, size_t nr,
				 double limit_pct)
{
	size_t growth_nr = 0;

	for (size_t t = 0; t < nr; t++) {
		const struct rpt_diff_table *table = &tables[t];

		for (size_t i = 0; i < table->row_nr * table->side_nr; i++) {
			struct growth g;

			if (find_growth(table, i / table->side_nr,
					i % table->side_nr, limit_pct, &g) &&
			    growth_nr++ < SHOWN_NR)
				print_growth(&g);
		}
	}
	if (growth_nr > SHOWN_NR)
		sup_message("and %zu rows more", growth_nr - SHOWN_NR);
	if (growth_nr)
		sup_message("--fail-above %g: exit code 4", limit_pct);
	return growth_nr;
}

bool rpt_diff_shows_rows(const struct rpt_diff_table *tables, size_t nr)
{
	for (size_t t = 0; t < nr; t++)
		if (tables[t].shown_nr)
			return true;
	return false;
}
