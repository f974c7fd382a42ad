#include "report/diff/diff_verdict.h"

#include "format/support/message.h"
#include "format/support/safe_text.h"
#include "report/base/memory.h"
#include "report/diff/out_diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* More rows are counted only. */
enum { SHOWN_NR = 10 };

/* How much all together may differ between two blocks of runs of the same
 * program, as a part of it (docs/diff.md, "Blocks"). */
#define BLOCK_DRIFT 0.5

/* One side of a table, and the limit as a part of what there was. */
struct judge {
	const struct rpt_diff_table *table;
	size_t side;
	double limit;
	struct rpt_change total;
	bool are_blocks;
	bool *is_worse; /* owned; by row, after correction for their number */
};

static const struct rpt_change *change_of(const struct judge *j, size_t row)
{
	return &rpt_diff_table_cell(j->table, row, j->side)->change;
}

static double old_value(const struct judge *j, size_t row)
{
	return rpt_diff_table_cell(j->table, row, 0)->estimate.value;
}

/* Return what a row's growth is a part of: what it was; of a new one, all. */
static double row_base(const struct judge *j, size_t row)
{
	return rpt_diff_table_cell(j->table, row, 0)->is_there
		       ? old_value(j, row)
		       : rpt_side_total(&j->table->sides[j->side]);
}

static double row_limit(const struct judge *j, size_t row)
{
	return j->limit * row_base(j, row);
}

/* Return by how much a row has to grow to make all dearer by the limit, if the
 * others stay as they were. */
static double reach_limit(const struct judge *j, size_t row)
{
	if (j->table->conf.measure == RPT_MEASURE_SHARE)
		return (1.0 - old_value(j, row)) * j->limit / (1.0 + j->limit);
	return j->limit * rpt_side_total(&j->table->sides[0]);
}

static void judge_init(struct judge *j, const struct rpt_diff_table *table,
		       size_t side, double limit_pct)
{
	double *p = rpt_alloc_zeroed(table->row_nr + 1, sizeof(*p));

	*j = (struct judge){
		.table = table,
		.side = side,
		.limit = limit_pct / 100.0,
		.total = rpt_measure_change(&table->sides[0],
					    &table->sides[side]),
		.is_worse = rpt_alloc_zeroed(table->row_nr + 1, 1),
	};
	for (size_t r = 0; r < table->row_nr; r++)
		p[r] = rpt_change_p_above(change_of(j, r), row_limit(j, r));
	rpt_diff_table_mark(table, side, p, j->is_worse);
	free(p);
}

/* Let the interval of all together contain what machines drift. */
static void widen(struct judge *j)
{
	j->are_blocks = true;
	j->total.low -= BLOCK_DRIFT;
	j->total.high += BLOCK_DRIFT;
}

/* Answer for a row.  One that grew by more than chance decides by its own
 * interval; others always have some that are wide, and are answered for by all
 * together or, if that is not known, are to be below what all may grow by. */
static enum rpt_gate_answer row_answer(const struct judge *j, size_t row)
{
	const struct rpt_change *change = change_of(j, row);
	double limit = row_limit(j, row);

	if (j->is_worse[row])
		return RPT_GATE_WORSE;
	if (change->is_significant && change->delta > 0.0)
		return change->high > limit ? RPT_GATE_UNDECIDED
					    : RPT_GATE_NOT_WORSE;
	return isnan(j->total.low) &&
			       (j->are_blocks ||
				change->high > fmax(limit, reach_limit(j, row)))
		       ? RPT_GATE_UNDECIDED
		       : RPT_GATE_NOT_WORSE;
}

static double runs_of(const struct judge *j)
{
	double old_nr = (double)j->table->sides[0].side->run_nr;
	double new_nr = (double)j->table->sides[j->side].side->run_nr;

	return fmin(old_nr, new_nr);
}

static void put_row(FILE *out, const struct judge *j, size_t row)
{
	const struct rpt_labels *labels = j->table->labels;
	const struct rpt_label *label =
		&labels->items[rpt_diff_table_label(j->table, row)];

	sup_put_safe_text(out, j->table->event_name);
	for (size_t i = 0; i < labels->column_nr; i++) {
		fputs(i ? " " : ": ", out);
		sup_put_safe_text(out, label->texts[i] ? label->texts[i] : "");
	}
}

/* Take note of a change, in parts of what there was. */
static void note(const struct judge *j, const char *what,
		 enum rpt_gate_answer answer, const struct rpt_change *change,
		 double part, struct rpt_gate_result *ret)
{
	double distance = fabs(change->delta * part - j->limit);
	const struct rpt_gate_finding finding = {
		.answer = answer,
		.what = what,
		.pct = 100.0 * part * change->delta,
		.low_pct = 100.0 * part * change->low,
		.high_pct = 100.0 * part * change->high,
		.more = rpt_gate_more_runs(distance, part * change->error,
					   change->df, runs_of(j)),
		.advice = j->are_blocks ? RPT_DIFF_BLOCKS : NULL,
	};

	rpt_gate_note(ret, &finding);
}

static void judge_total(const struct judge *j, struct rpt_gate_result *ret)
{
	char *what = NULL;
	size_t len;
	FILE *out;

	if (isnan(j->total.low))
		return;
	out = open_memstream(&what, &len);
	sup_put_safe_text(out, j->table->event_name);
	fputs(" in all", out);
	fclose(out);
	note(j, what, rpt_gate_answer(j->total.low, j->total.high, j->limit),
	     &j->total, 1.0, ret);
	free(what);
}

/* Take note of the row that changed most among those of the greatest answer. */
static void judge_rows(const struct judge *j, struct rpt_gate_result *ret)
{
	enum rpt_gate_answer greatest = RPT_GATE_NOT_WORSE;
	size_t row = 0, len;
	char *what = NULL;
	FILE *out;

	for (size_t r = 0; r < j->table->row_nr; r++) {
		enum rpt_gate_answer answer = row_answer(j, r);

		if (answer > greatest ||
		    (answer == greatest &&
		     change_of(j, r)->delta > change_of(j, row)->delta))
			row = r;
		greatest = answer > greatest ? answer : greatest;
	}
	if (greatest == RPT_GATE_NOT_WORSE)
		return;
	out = open_memstream(&what, &len);
	put_row(out, j, row);
	fclose(out);
	note(j, what, greatest, change_of(j, row), 1.0 / row_base(j, row), ret);
	free(what);
}

void rpt_diff_judge(const struct rpt_diff_args *args,
		    const struct rpt_diff_table *tables, size_t nr,
		    struct rpt_gate_result *ret)
{
	static const struct rpt_gate_finding no_row = {
		.what = "no row grew by so much",
		.pct = NAN,
		.low_pct = NAN,
	};
	struct judge j;

	*ret = (struct rpt_gate_result)RPT_GATE_RESULT_INIT;
	for (size_t t = 0; t < nr; t++) {
		for (size_t s = 1; s < tables[t].side_nr; s++) {
			judge_init(&j, &tables[t], s, args->gate.limit_pct);
			if (args->unmarked)
				widen(&j);
			judge_total(&j, ret);
			judge_rows(&j, ret);
			free(j.is_worse);
		}
	}
	rpt_gate_note(ret, &no_row);
}

static void print_growth(const struct judge *j, size_t row)
{
	const struct rpt_diff_cell *old = rpt_diff_table_cell(j->table, row, 0);
	char *name = NULL;
	size_t len;
	FILE *out = open_memstream(&name, &len);

	put_row(out, j, row);
	fclose(out);
	if (!old->is_there)
		sup_message(
			"%s is new and has %.2f%% of all", name,
			100.0 * rpt_diff_table_share(j->table, row, j->side));
	else
		sup_message("%s grew by %.1f%%", name,
			    100.0 * change_of(j, row)->delta /
				    old_value(j, row));
	free(name);
}

void rpt_diff_warn_regressions(const struct rpt_diff_table *tables, size_t nr,
			       double limit_pct)
{
	size_t worse_nr = 0;
	struct judge j;

	for (size_t t = 0; t < nr; t++) {
		for (size_t s = 1; s < tables[t].side_nr; s++) {
			judge_init(&j, &tables[t], s, limit_pct);
			for (size_t i = 0; i < tables[t].row_nr; i++)
				if (j.is_worse[i] && worse_nr++ < SHOWN_NR)
					print_growth(&j, i);
			free(j.is_worse);
		}
	}
	if (worse_nr > SHOWN_NR)
		sup_message("and %zu rows more", worse_nr - SHOWN_NR);
}

bool rpt_diff_shows_rows(const struct rpt_diff_table *tables, size_t nr)
{
	for (size_t t = 0; t < nr; t++)
		if (tables[t].shown_nr)
			return true;
	return false;
}
