/* out_diff_columns.h: the columns of a diff's table: which there are, and what
 * their cells show.
 */
#ifndef RPT_OUT_DIFF_COLUMNS_H
#define RPT_OUT_DIFF_COLUMNS_H

#include "report/diff/diff_args.h"

#define RPT_DIFF_CELL_LEN 6400

struct rpt_diff_column {
	char header[32];
	size_t width; /* of the header, or a number; labels may be wider */
	bool is_label;
	bool is_left;
	bool is_last; /* nothing is put behind its text */
	/* To an empty buf. */
	void (*print)(const struct rpt_diff_column *column,
		      const struct rpt_table *table, size_t row,
		      char buf[RPT_DIFF_CELL_LEN]);
	size_t side;  /* or the label's column */
	double total; /* of the baseline */
	double unit;  /* values are shown in */
	bool is_bare; /* without a percent sign: -t */
	bool is_cut;  /* to the width: a comm in perf's table */
};

/* From left to right, *ret_nr of them; to be freed.  NULL: out of memory. */
struct rpt_diff_column *rpt_diff_columns_new(const struct rpt_diff_args *args,
					     const struct rpt_table *table,
					     size_t *ret_nr);

#endif
