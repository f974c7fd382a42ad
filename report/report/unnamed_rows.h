/* unnamed_rows.h: how many samples of printed rows are in functions that have
 * no name, and in which files.
 *
 * Files for whose lack of names there is a warning of its own
 * (rpt_dso_problem(), profile_hints.h) are left out.  A zeroed struct has
 * counted nothing.
 */
#ifndef RPT_UNNAMED_ROWS_H
#define RPT_UNNAMED_ROWS_H

#include "report/base/intern.h"
#include "report/rows/rows.h"

enum { RPT_UNNAMED_ROWS_SHOWN = 3 };

struct rpt_unnamed_rows {
	uint64_t nr;		   /* samples of rows without a name */
	uint64_t all_nr;	   /* samples of all rows that show functions */
	struct rpt_intern files;   /* struct rpt_dso * */
	uint64_t *file_sample_nrs; /* owned; of each of files */
	uint32_t file_cap;
};

/* Add the rows of a table that tells functions apart; others are passed over.
 */
void rpt_unnamed_rows_add(struct rpt_unnamed_rows *unnamed,
			  const struct rpt_rows *rows);

/* Fill in the files with the most samples, the heaviest first; return how many
 * these are. */
uint32_t rpt_unnamed_rows_files(const struct rpt_unnamed_rows *unnamed,
				struct rpt_dso *files[RPT_UNNAMED_ROWS_SHOWN],
				uint64_t sample_nrs[RPT_UNNAMED_ROWS_SHOWN]);

void rpt_unnamed_rows_release(struct rpt_unnamed_rows *unnamed);

#endif
