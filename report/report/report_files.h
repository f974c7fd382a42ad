/* report_files.h: the recordings that one perfpair report shows as one run.
 *
 *	rpt_report_files_open(&inputs, &args, &err);
 *	rpt_report_files_count(&inputs, &err);
 *	args.out.output->print(&inputs.items[0], stdout, &err);
 *	rpt_report_files_close(&inputs);
 *
 * Each recording has its own tasks, maps, symbols and build-ids; what is equal
 * by name is one row (rows.h, function_merge.h).  Files that several recordings
 * have mapped are read once (rpt_symbols_conf.shared_from).
 */
#ifndef RPT_REPORT_FILES_H
#define RPT_REPORT_FILES_H

#include "report/report/report.h"

struct rpt_report_files {
	struct rpt_report_args *args; /* for each, with its own file */
	struct rpt_report *items;
	uint32_t nr;	  /* opened, or tried last */
	const char *path; /* of the file that an error is about */
};

/* Open and configure all files; args must outlive inputs.  Close in any case.
 */
int rpt_report_files_open(struct rpt_report_files *inputs,
			  const struct rpt_report_args *args,
			  struct pd_err *err);
/* Do the same for another report, which reads files once that an earlier one
 * has read; shared_from, its symbols (NULL: none), must outlive inputs. */
int rpt_report_files_open_behind(struct rpt_report_files *inputs,
				 const struct rpt_report_args *args,
				 struct rpt_symbols *shared_from,
				 struct pd_err *err);
/* Count all of them, and merge them in the first. */
int rpt_report_files_count(struct rpt_report_files *inputs, struct pd_err *err);
/* Check, once names can be found, that the word that filters symbols is part of
 * one: it may have been meant as a file.  Return 0, or -ENODATA. */
int rpt_report_files_check_word(struct rpt_report_files *inputs,
				struct pd_err *err);
void rpt_report_files_close(struct rpt_report_files *inputs);

#endif
