/* diff_table.h: a table of one event: its rows, and their values on all sides.
 */
#ifndef RPT_DIFF_TABLE_H
#define RPT_DIFF_TABLE_H

#include "report/diff/diff_estimate.h"
#include "report/elf/function_stem.h"

/* perf's -c */
enum rpt_compute {
	RPT_COMPUTE_DELTA,     /* heaviest increase first */
	RPT_COMPUTE_DELTA_ABS, /* heaviest change first */
	RPT_COMPUTE_RATIO,
	RPT_COMPUTE_WDIFF, /* new * w2 - old * w1 */
};

struct rpt_table_conf {
	uint32_t event; /* number in the labels */
	enum rpt_compute compute;
	int64_t w1;
	int64_t w2;
	enum rpt_measure measure;
	bool is_between; /* intervals come from the scatter from run to run */
	bool is_tested;	 /* rows are marked: it is known how much runs differ */
	bool is_nested;	 /* rows share samples: --children */
	bool intervals;	 /* false: as in perf, without uncertainty, and names
			  * match exactly */
	bool baseline_only; /* only rows that the baseline has */
	size_t order;	    /* the side that sorts; 0: the baseline */
	double path_limit;  /* call paths with a lower share are left out unless
			     * they changed */
};

struct rpt_diff_cell {
	uint32_t label;
	bool is_there;
	enum rpt_name_match match;
	struct rpt_estimate estimate;
	struct rpt_change change; /* against side 0, which has none itself */
};

/* Samples that moved from a function's row into another's, or back, because it
 * was inlined. */
struct rpt_inlined {
	size_t row;
	size_t side;	   /* that is compared with side 0 */
	size_t holder_row; /* of the function that it was inlined into */
	double share;	   /* of all samples, that moved */
	bool is_into;	   /* inlined in the new side; else in side 0 */
};

struct rpt_table {
	struct rpt_table_conf conf;
	const struct rpt_labels *labels;
	const char *event_name;
	struct rpt_side_event *sides; /* owned; side_nr */
	size_t side_nr;
	struct rpt_diff_cell *cells; /* owned; side_nr for each row */
	size_t row_nr;
	uint32_t *order; /* owned; rows as they are shown ... */
	size_t shown_nr; /* ... so many of them */
	/* Owned; by row; NULL: rows are no call paths. */
	uint32_t *depths;  /* callers above */
	uint32_t *callers; /* where in order the caller stands; RPT_NO_CALLER */
	uint32_t *parents; /* the caller's row; RPT_NO_CALLER */
	/* Owned; the greatest share first; set by rpt_inlined_find(). */
	struct rpt_inlined *inlined;
	size_t inlined_nr;
};

#define RPT_NO_CALLER UINT32_MAX

static inline const struct rpt_diff_cell *
rpt_table_cell(const struct rpt_table *table, size_t row, size_t side)
{
	return &table->cells[row * table->side_nr + side];
}

/* Return the label of the cell's row on its side, UINT32_MAX if it has none. */
static inline uint32_t rpt_table_cell_label(const struct rpt_diff_cell *cell)
{
	return cell->is_there ? cell->label : UINT32_MAX;
}

/* Fill the table.  sides and labels must outlive it.  The caller releases it in
 * any case. */
int rpt_table_fill(struct rpt_table *table, const struct rpt_table_conf *conf,
		   const struct rpt_labels *labels,
		   const struct rpt_side *sides, size_t side_nr,
		   struct pd_err *err);
void rpt_table_release(struct rpt_table *table);

/* diff_change.c: set the changes of a side against side 0. */
void rpt_table_set_changes(struct rpt_table *table, size_t side);

/* diff_tree.c: put the rows of call paths in the order of the tree, each below
 * its caller, what changed most first. */
void rpt_table_order_tree(struct rpt_table *table);

/* diff_match.c: which rows of two sides are the same function although their
 * names differ.
 *
 * A label that only the old side has and one that only the new side has match
 * if their names agree at a level of function_stem.h; of several that do, the
 * pair whose names share the longest beginning.  Exact names go first, then
 * stems, then templates.
 *
 * Call paths match below callers that match: callers are matched before what
 * they call, and if a caller's name changed, functions of equal names are
 * looked for below its old name. */
struct rpt_matches {
	uint32_t *to;	/* by label of the new side: that of the old one */
	uint8_t *level; /* enum rpt_name_match */
	uint32_t nr;	/* labels */
};

/* Match the labels of two sides.  is_old, is_new: by label, whether the side
 * has it. */
void rpt_matches_find(struct rpt_matches *matches,
		      const struct rpt_labels *labels, const bool *is_old,
		      const bool *is_new);
void rpt_matches_release(struct rpt_matches *matches);

/* Return the label that a row is shown by: that of the last side that has it.
 */
uint32_t rpt_table_label(const struct rpt_table *table, size_t row);

/* Return a row's share of all periods of a side, 0 to 1. */
double rpt_table_share(const struct rpt_table *table, size_t row, size_t side);

/* Compute what conf.compute asks for.  False: one of the two values is
 * missing. */
bool rpt_table_computed(const struct rpt_table *table, size_t row, size_t side,
			double *ret);

#endif
