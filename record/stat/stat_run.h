/* stat_run.h: one run of counting: from the opened counters to their last
 * counts.
 *
 *	rec_stat_run_init()	once; the target and its groups are known
 *	rec_stat_run_once()	for each run
 *	rec_stat_run_release()
 */
#ifndef REC_STAT_RUN_H
#define REC_STAT_RUN_H

#include "record/service/control.h"
#include "record/service/control_fd.h"
#include "record/count/counters.h"
#include "record/stat/stat_args.h"
#include "record/stat/stat_sheet.h"
#include "record/targets/workload.h"

struct rec_stat_run {
	struct rec_stat_args *args; /* borrowed */
	struct rec_target target;
	struct rec_stat_groups groups;
	struct rec_control control;	/* signals */
	struct rec_control_fd commands; /* --control */
	struct rec_counters counters;
	struct rec_workload workload;
	struct rec_counts counts;      /* of this run, so far */
	struct rec_counts before;      /* what they were an interval ago */
	struct rec_counts of_interval; /* the difference */
	uint64_t start_ns;	       /* of this run's counting */
	uint64_t last_ns;	       /* of the last interval's end */
	uint32_t interval_nr;
	uint64_t user_us, sys_us; /* of the command */
	bool is_ended;		  /* nothing more is to be counted */
	bool is_cut;		  /* by --timeout or a command */
	/* Prints the counts of an interval. */
	int (*interval)(struct rec_stat_run *run, void *ctx,
			struct pd_err *err);
	void *interval_ctx;
	void (*note)(const struct pd_err *note); /* for the user; or NULL */
};

int rec_stat_run_init(struct rec_stat_run *run, struct rec_stat_args *args,
		      struct pd_err *err);
void rec_stat_run_release(struct rec_stat_run *run);

/* Open the counters, start the command, count until it ends or something else
 * says so, and leave the counts, the counters' refusals and the command's end
 * in run.  Return its length in ret_wall_ns. */
int rec_stat_run_once(struct rec_stat_run *run, uint64_t *ret_wall_ns,
		      struct pd_err *err);

#endif
