/* diff_work.h: whether the sides of a diff did the same work, by what their
 * files tell, so that what it cost them can be compared.
 *
 * They did where each run is of one command from its start until it ended by
 * itself and well (the trailer says so, FORMAT.md), and the commands had the
 * same arguments; the program itself may be another, and lie elsewhere.  Of a
 * service that was watched for a minute, or of a whole machine, only shares can
 * be compared: how much it had to do is not in the file.  The user may know
 * (--per, --measure).
 */
#ifndef RPT_DIFF_WORK_H
#define RPT_DIFF_WORK_H

#include "report/diff/diff_args.h"

/* Sets run->command. 0 or -ENOMEM. */
int rpt_run_set_command(struct rpt_run *run, struct rpt_labels *labels,
			const struct pd_reader *reader);

/* Sets args->work by the runs, and the measure where none was asked for. */
void rpt_diff_choose_measure(struct rpt_diff_args *args,
			     const struct rpt_run *runs, size_t run_nr);

#endif
