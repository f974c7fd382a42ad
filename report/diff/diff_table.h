/* diff_table.h: the table of one event: its rows, and their values on all
 * sides.
 */
#ifndef RPT_DIFF_TABLE_H
#define RPT_DIFF_TABLE_H

#include "report/diff/diff_estimate.h"
#include "report/elf/function_stem.h"

/* perf's -c */
enum rpt_compute {
	RPT_COMPUTE_DELTA,     /* largest increase first */
	RPT_COMPUTE_DELTA_ABS, /* largest change first */
	RPT_COMPUTE_RATIO,
	RPT_COMPUTE_WDIFF, /* new * w2 - old * w1 */
};

struct rpt_diff_table_conf {
	uint32_t event; /* number in the labels */
	enum rpt_compute compute;
	int64_t w1;
	int64_t w2;
	enum rpt_measure measure;
	bool is_between; /* intervals come from the scatter from run to run */
	bool is_tested;	 /* mark rows: it is known how much runs differ */
	bool is_nested;	 /* rows share samples: --children */
	bool intervals;	 /* false: perf's table, whose names match exactly */
	bool baseline_only;    /* only rows that the baseline has */
	uint32_t order;	       /* sort by this side; 0: the baseline */
	bool only_significant; /* hide rows that may have changed by chance */
	double row_limit; /* hide rows with a lower share unless they changed */
};

struct rpt_diff_cell {
	uint32_t label;
	bool is_there;
	enum rpt_name_match match;
	struct rpt_estimate estimate;
	struct rpt_change change; /* against side 0, which has none itself */
};

/* Samples that moved from a function's row into another's, or back, because the
 * function was inlined. */
struct rpt_inlined {
	size_t row;
	size_t side;	   /* compared with side 0 */
	size_t holder_row; /* the function that it was inlined into */
	double share;	   /* of all samples */
	bool is_into;	   /* inlined on that side; else on side 0 */
};

struct rpt_diff_table {
	struct rpt_diff_table_conf conf;
	const struct rpt_labels *labels;
	const char *event_name;
	struct rpt_side_event *sides; /* owned; side_nr */
	size_t side_nr;
	struct rpt_diff_cell *cells; /* owned; side_nr for each row */
	size_t row_nr;
	uint32_t *order; /* owned; the rows that are shown, shown_nr */
	size_t shown_nr;
	/* Owned; by row; NULL: rows are no call paths. */
	uint32_t *depths;  /* callers above */
	uint32_t *places;  /* where in order the row stands, if it is shown */
	uint32_t *parents; /* the caller's row; RPT_NO_CALLER */
	/* Owned; the greatest share first; set by rpt_inlined_find(). */
	struct rpt_inlined *inlined;
	size_t inlined_nr;
};

#define RPT_NO_CALLER UINT32_MAX

static inline const struct rpt_diff_cell *
rpt_diff_table_cell(const struct rpt_diff_table *table, size_t row, size_t side)
{
	return &table->cells[row * table->side_nr + side];
}

/* Return the label of the cell's row on its side, UINT32_MAX if it has none. */
static inline uint32_t
rpt_diff_table_cell_label(const struct rpt_diff_cell *cell)
{
	return cell->is_there ? cell->label : UINT32_MAX;
}

/* Fill the table.  sides and labels must outlive it.  The caller releases it in
 * any case. */
int rpt_diff_table_fill(struct rpt_diff_table *table,
			const struct rpt_diff_table_conf *conf,
			const struct rpt_labels *labels,
			const struct rpt_side *sides, size_t side_nr,
			struct pd_err *err);
void rpt_diff_table_release(struct rpt_diff_table *table);

/* Mark the rows whose p values are significant on a side, in p, by the
 * procedure of the table's own marks.  p and ret have room for all rows; p is
 * changed. */
void rpt_diff_table_mark(const struct rpt_diff_table *table, size_t side,
			 double *p, bool *ret);

/* diff_change.c: set the changes of a side against side 0. */
void rpt_diff_table_set_changes(struct rpt_diff_table *table, size_t side);

/* diff_match.c: finds rows of two sides that are the same function although
 * their names differ.
 *
 * A label of the old side alone and one of the new side alone match if their
 * names agree at a level of function_stem.h, stems before templates; of several
 * pairs, the one whose names share the longest beginning.  Call paths match
 * below callers that match. */
struct rpt_matches {
	uint32_t *to;	/* the old side's label, by the new side's */
	uint8_t *level; /* enum rpt_name_match */
	uint32_t nr;	/* labels */
};

/* Match the labels of two sides.  is_old and is_new say which labels each has.
 */
void rpt_matches_find(struct rpt_matches *matches,
		      const struct rpt_labels *labels, const bool *is_old,
		      const bool *is_new);
void rpt_matches_release(struct rpt_matches *matches);

/* Return the label by which a row is shown: that of the last side that has it.
 */
uint32_t rpt_diff_table_label(const struct rpt_diff_table *table, size_t row);

/* Return the next item of table->inlined behind last (NULL: the first) that is
 * of the row, as function or as holder, on that side; NULL: there is no more.
 */
const struct rpt_inlined *
rpt_diff_table_inlined(const struct rpt_diff_table *table, size_t row,
		       size_t side, const struct rpt_inlined *last);

/* Return a row's share of all periods of a side, 0 to 1. */
double rpt_diff_table_share(const struct rpt_diff_table *table, size_t row,
			    size_t side);

/* Set *ret to what conf.compute asks for.  Return false if one of the two
 * values is missing. */
bool rpt_diff_table_computed(const struct rpt_diff_table *table, size_t row,
			     size_t side, double *ret);

#endif
