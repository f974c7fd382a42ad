/* finished.h: a recording that is over, on the screen of top: perfpair report
 * on a terminal.
 *
 * The file is counted once, by blocks of time.  A range of time, the modes that
 * are left out and zooms choose among what was counted; other sort keys and
 * times without a CPU read the file again, but not its symbols.
 */
#ifndef RPT_FINISHED_H
#define RPT_FINISHED_H

#include "report/base/text_out.h"
#include "report/report/report_args.h"

struct rpt_top;

/* Write the report that args ask for to a file, in the form of its name's end.
 * Return 0 or a negative errno. */
typedef int rpt_finished_write(const struct rpt_report_args *args,
			       const char *path, struct pd_err *err);

/* Read the recording that args name, one, print its warnings, and show it until
 * the user quits; write is for what is shown.  Set *ret_exit to the exit code
 * of a report, *ret_path to what an error is about.  Return 0 or a negative
 * errno; -ENOTTY: the terminal cannot be a screen, or there is no sample to
 * show. */
int rpt_finished_run(const struct rpt_report_args *args,
		     rpt_finished_write *write, const char **ret_path,
		     int *ret_exit, struct pd_err *err);

/* Write what the screen shows to a file of that name, and say so. */
void rpt_finished_write_file(struct rpt_top *top, const char *path);

/* Append the line that begins a picture: what the recording is. */
void rpt_finished_put_head(struct rpt_top *top, struct rpt_text *out);

#endif
