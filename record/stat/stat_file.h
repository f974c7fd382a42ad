/* stat_file.h: the file of perf stat record: written, and read as counts that
 * a sheet takes.
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
 * Source: files of perf 6.1; FORMAT.md "Counts". */
#ifndef REC_STAT_FILE_H
#define REC_STAT_FILE_H

#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "record/count/counts.h"
#include "record/event/event_spec.h"
#include "record/ring/output.h"
#include "record/stat/stat_groups.h"
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

/* The reader, of our files and of perf's:
 *
 *	rec_stat_file_read_open()	events, threads, CPUs, where these are
 *	rec_stat_file_read_rounds()	its counts, round by round
 *	rec_stat_file_read_close()
 *
 * What a file says is checked against itself: a count of an unknown event, CPU
 * or thread is left out and adds to skipped_nr.  Of a file that was cut short
 * all whole rounds are read.
 *
 * Source: FORMAT.md "Counts".
 */

struct rec_stat_file_read {
	struct pd_buf bytes; /* of the file */
	struct pd_reader *reader;
	struct rec_event_list events;
	struct pd_err *refused; /* owned; of the events that were not open */
	struct rec_target target;
	struct rec_stat_place *places; /* owned; of each CPU of the target */
	struct rec_counts counts;      /* since counting began */
	char *title;		       /* owned: "'perf stat record true'" */
	/* STAT_CONFIG */
	enum rec_stat_mode mode;
	bool no_scale;
	uint64_t interval_ms; /* 0: one round alone */
	uint64_t skipped_nr;  /* counts that belong nowhere */
	bool is_cut;	      /* behind the last whole round is something */
	struct pd_damage damage;
};

/* Return 0 or a negative errno: -EINVAL if there are no counts in the file.
 * path "-": stdin. */
int rec_stat_file_read_open(struct rec_stat_file_read *ret, const char *path,
			    struct pd_err *err);

/* Return 0, or what is not 0 of a call. */
typedef int rec_stat_round_fn(void *ctx, const struct pd_stat_round *round);

/* Read all counts from the start, and call at the end of each round. */
int rec_stat_file_read_rounds(struct rec_stat_file_read *file,
			      rec_stat_round_fn *call, void *ctx,
			      struct pd_err *err);
void rec_stat_file_read_close(struct rec_stat_file_read *file);

#endif
