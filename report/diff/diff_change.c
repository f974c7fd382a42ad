#include "report/diff/diff_table.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/stats/moderated_variance.h"
#include "report/stats/t_test.h"

#include <math.h>
#include <stdlib.h>

/* One side of a table is compared with the first. */
struct comparison {
	struct rpt_diff_table *table;
	size_t side;
	struct rpt_scatter_sum *scatters; /* by row */
	double *scratch;		  /* 2 for each row */
};

static const struct rpt_diff_cell *old_of(const struct comparison *c,
					  size_t row)
{
	return rpt_diff_table_cell(c->table, row, 0);
}

static const struct rpt_diff_cell *new_of(const struct comparison *c,
					  size_t row)
{
	return rpt_diff_table_cell(c->table, row, c->side);
}

/* Return the design effect: the median factor by which rows with enough samples
 * scatter more than by chance.  Sorts effects. */
static double design_of(double *effects, size_t nr)
{
	qsort(effects, nr, sizeof(*effects), rpt_compare_doubles);
	return nr ? fmax(1.0, effects[nr / 2]) : 1.0;
}

static bool has_enough(const struct rpt_diff_cell *old,
		       const struct rpt_diff_cell *new)
{
	return fmin(old->estimate.sum.nr, new->estimate.sum.nr) >=
	       RPT_FEW_SAMPLES;
}

static void scatter_within(struct comparison *c)
{
	const struct rpt_diff_table *table = c->table;
	double design;
	size_t nr = 0;

	for (size_t r = 0; r < table->row_nr; r++) {
		const struct rpt_diff_cell *old = old_of(c, r);
		const struct rpt_diff_cell *new = new_of(c, r);
		double chance = old->estimate.chance + new->estimate.chance;

		c->scatters[r] = rpt_scatter_within(
			&table->sides[0], rpt_diff_table_cell_label(old),
			&table->sides[c->side], rpt_diff_table_cell_label(new));
		if (has_enough(old, new) && chance > 0.0 &&
		    !isnan(c->scatters[r].variance))
			c->scratch[nr++] = c->scatters[r].variance / chance;
	}
	design = design_of(c->scratch, nr);
	for (size_t r = 0; r < table->row_nr; r++)
		c->scatters[r] = rpt_scatter_correct(
			c->scatters[r], &old_of(c, r)->estimate,
			&new_of(c, r)->estimate, design);
}

/* Mark the labels that call rows with enough samples. */
static void mark_callers(const struct comparison *c, bool *is_caller)
{
	const struct rpt_label *items = c->table->labels->items;

	for (size_t r = 0; r < c->table->row_nr; r++) {
		const struct rpt_diff_cell *old = old_of(c, r);
		const struct rpt_diff_cell *new = new_of(c, r);

		if (!has_enough(old, new))
			continue;
		if (items[old->label].parent)
			is_caller[items[old->label].parent - 1] = true;
		if (items[new->label].parent)
			is_caller[items[new->label].parent - 1] = true;
	}
}

/* Return the least variance of a value: for few samples that by chance. */
static double least_variance(const struct rpt_estimate *estimate)
{
	return estimate->sum.nr < RPT_FEW_SAMPLES ? estimate->chance : 0.0;
}

/* Return the variance that the runs show, and the one expected by chance.  Rows
 * that contain each other's samples would be counted twice: of call paths, only
 * those at the ends are witnesses. */
static struct rpt_row_variance
observed_variance(const struct comparison *c, size_t row, const bool *is_caller)
{
	const struct rpt_diff_cell *old = old_of(c, row);
	const struct rpt_diff_cell *new = new_of(c, row);
	struct rpt_scatter_sum scatter =
		rpt_scatter_between(&old->estimate, &new->estimate);

	return (struct rpt_row_variance){
		.variance = scatter.variance,
		.df = scatter.df,
		.expected = old->estimate.chance + new->estimate.chance,
		.is_witness = has_enough(old, new) && !is_caller[old->label] &&
			      !is_caller[new->label],
	};
}

static void scatter_between(struct comparison *c)
{
	size_t row_nr = c->table->row_nr, nr = 0;
	struct rpt_row_variance *rows =
		rpt_alloc_zeroed(row_nr + 1, sizeof(*rows));
	size_t *numbers = rpt_alloc_zeroed(row_nr + 1, sizeof(*numbers));
	bool *is_caller = rpt_alloc_zeroed(c->table->labels->keys.nr + 1,
					   sizeof(*is_caller));

	mark_callers(c, is_caller);
	for (size_t r = 0; r < row_nr; r++) {
		rows[nr] = observed_variance(c, r, is_caller);
		c->scatters[r] = (struct rpt_scatter_sum){ rows[nr].variance,
							   rows[nr].df };
		numbers[nr] = r;
		nr += rows[nr].expected > 0.0;
	}
	if (!c->table->conf.is_nested)
		rpt_moderate(rows, nr);
	for (size_t i = 0; i < nr; i++) {
		size_t r = numbers[i];
		double least = least_variance(&old_of(c, r)->estimate) +
			       least_variance(&new_of(c, r)->estimate);

		c->scatters[r] =
			(struct rpt_scatter_sum){ fmax(least, rows[i].variance),
						  rows[i].df };
	}
	free(rows);
	free(numbers);
	free(is_caller);
}

/* Return the weight of a row's p value (weighted Benjamini and Hochberg:
 * Genovese, Roeder and Wasserman, Biometrika 93, 2006), so that many rows of
 * few samples do not cost a large one its mark.  The significance of a change
 * of a given percentage grows with the root of the samples.  With that as the
 * weight, 6 % of comparisons of the same program were marked; with its fourth
 * root fewer than the allowed 5 %, and more was found than with equal weights.
 */
static double weight_of(const struct rpt_diff_table *table, size_t row,
			size_t side)
{
	const struct rpt_diff_cell *new = rpt_diff_table_cell(table, row, side);
	double nr = rpt_diff_table_cell(table, row, 0)->estimate.sum.nr +
		    new->estimate.sum.nr;

	return isnan(new->change.p) ? 0.0 : pow(nr, 0.5 / 4.0);
}

void rpt_diff_table_mark(const struct rpt_diff_table *table, size_t side,
			 double *p, bool *ret)
{
	size_t nr = table->row_nr;
	double *scratch = rpt_alloc_zeroed(nr + 1, sizeof(*scratch));
	double sum = 0.0, tested_nr = 0.0;

	for (size_t r = 0; r < nr; r++) {
		sum += weight_of(table, r, side);
		tested_nr += weight_of(table, r, side) > 0.0;
	}
	for (size_t r = 0; r < nr; r++)
		p[r] *= sum / tested_nr / weight_of(table, r, side);
	rpt_benjamini_hochberg(p, nr, 1.0 - RPT_CONFIDENCE, scratch, ret);
	free(scratch);
}

static void mark_significant(struct comparison *c)
{
	struct rpt_diff_table *table = c->table;
	size_t nr = table->row_nr;
	bool *marks = rpt_alloc(nr + 1);

	for (size_t r = 0; r < nr; r++)
		c->scratch[r] = new_of(c, r)->change.p;
	rpt_diff_table_mark(table, c->side, c->scratch, marks);
	for (size_t r = 0; r < nr; r++)
		table->cells[r * table->side_nr + c->side]
			.change.is_significant = marks[r];
	free(marks);
}

void rpt_diff_table_set_changes(struct rpt_diff_table *table, size_t side)
{
	size_t nr = table->row_nr;
	struct comparison c = {
		.table = table,
		.side = side,
		.scatters = rpt_alloc_zeroed(nr + 1, sizeof(*c.scatters)),
		.scratch = rpt_alloc_zeroed(2 * nr + 1, sizeof(*c.scratch)),
	};

	for (size_t r = 0; r < nr; r++)
		c.scatters[r] = (struct rpt_scatter_sum){ NAN, 1.0 };
	if (table->conf.is_between)
		scatter_between(&c);
	else if (table->conf.intervals)
		scatter_within(&c);
	for (size_t r = 0; r < nr; r++) {
		struct rpt_change change =
			rpt_change_of(&old_of(&c, r)->estimate,
				      &new_of(&c, r)->estimate, c.scatters[r]);

		if (!table->conf.is_tested)
			change.p = NAN;
		table->cells[r * table->side_nr + side].change = change;
	}
	if (table->conf.is_tested)
		mark_significant(&c);
	free(c.scatters);
	free(c.scratch);
}
