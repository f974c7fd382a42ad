/* diff_load.h: loads all recordings of a diff, several at once.
 *
 * A zstd stream that goes on to the end of its file takes one thread; two files
 * take two.  As many files as there are threads are opened and counted beside
 * each other, then get their labels in their order, so that neither the result
 * nor the first error depends on the number of threads.
 */
#ifndef RPT_DIFF_LOAD_H
#define RPT_DIFF_LOAD_H

#include "report/diff/diff_args.h"
#include "report/diff/diff_run.h"

/* Return -EINVAL, with both names in err, if a side has
 * several runs and two of all are the same recording, by whatever name, link or
 * copy: it does not differ from itself, and would make what is compared look
 * surer than it is.  Different parts of one recording (--time with colons) are
 * different runs.  A file that cannot be opened is passed over: rpt_runs_load()
 * says so. */
int rpt_diff_check_duplicates(const struct rpt_diff_args *args,
			      struct pd_err *err);

/* Load all files.  runs: args->path_nr of them, zeroed; the caller releases
 * each in any case, the first one last.  On an error *ret_path names the file.
 */
int rpt_runs_load(struct rpt_run *runs, struct rpt_labels *labels,
		  const struct rpt_diff_args *args, const char **ret_path,
		  struct pd_err *err);

/* Set *ret to the part of --time for file number idx: "1.0,2.0:5.0,6.0" has the
 * times of one file after the other; without a colon they are for all files.
 * The caller frees *ret; NULL: all times. */
int rpt_run_times_of(const struct rpt_diff_args *args, size_t idx, char **ret,
		     struct pd_err *err);

/* Set args->workload by what the files of the runs say, and
 * the measure if none was given.
 *
 * The sides did the same work if each run is of one command from its start
 * until it ended by itself and well (the trailer says so, FORMAT.md), and all
 * commands had the same arguments; the program may be another one, and lie
 * elsewhere.  Of a service that was watched for a minute, or of a whole
 * machine, only shares can be compared, unless the user knows more (--per,
 * --measure). */
void rpt_diff_choose_measure(struct rpt_diff_args *args,
			     const struct rpt_run *runs, size_t run_nr);

#endif
