/* stat_file_write.h: the file of perfpair stat record, in the layout of perf
 * stat record.
 *
 *	rec_stat_file_open()	before anything is counted
 *	rec_stat_file_add()	counts so far, at the end of each round; the
 *				first one writes the file's start
 *	rec_stat_file_finish()	features; or rec_stat_file_abandon()
 *	rec_stat_file_release()
 *
 * Counts in the file are those since the counting began, not since the last
 * round.  After each round the file on disk is whole (record/ring/output.h).
 *
 * Source: files of perf 6.1; FORMAT.md "Counts".
 */
#ifndef REC_STAT_FILE_WRITE_H
#define REC_STAT_FILE_WRITE_H

#include "record/ring/output.h"
#include "record/stat/stat_run.h"

struct rec_stat_file {
	struct rec_output out;
	bool is_open;			/* out is to be closed */
	const struct rec_stat_run *run; /* borrowed */
	uint64_t features[PD_FEATURE_BITS / 64];
};

/* Functions that return an int return 0 or a negative errno and set err. */

int rec_stat_file_open(struct rec_stat_file *ret,
		       const struct rec_stat_run *run, struct pd_err *err);
/* Write the run's counts and the mark that ends the round: an interval's end or
 * the end of all, time_ns after counting began. */
int rec_stat_file_add(struct rec_stat_file *file, bool is_interval,
		      uint64_t time_ns, struct pd_err *err);
int rec_stat_file_finish(struct rec_stat_file *file, struct pd_err *err);
/* Remove the file: nothing was counted. */
void rec_stat_file_abandon(struct rec_stat_file *file);
void rec_stat_file_release(struct rec_stat_file *file);

#endif
