/* filter.h: chooses samples by the options --comms, --process, --dsos,
 * --symbols, --pid, --tid, --cpu and --time, for every command that has them.
 *
 *	rpt_filter_parse(&filter, &args, &err);		before the file is open
 *	rpt_filter_resolve(&filter, &args, reader, &err);	with the file
 *	rpt_filter_release(&filter);
 *
 * A sample is tested in three steps: rpt_filter_time(), rpt_filter_task() and
 * rpt_filter_place().  It passes a step if it passes each option there; an
 * option lets a sample pass if one of its items fits.  script shows a sample
 * that passes all three steps; report leaves out samples of another time or
 * CPU, and counts the others in its totals.
 */
#ifndef RPT_FILTER_H
#define RPT_FILTER_H

#include "report/base/intern.h"
#include "report/events/time_range.h"
#include "report/timeline/timeline.h"

/* The options as typed, NULL if one was not given.  Names are "a,b" or
 * "file://NAMES" (one on each line), numbers are "0,3-5". */
struct rpt_filter_args {
	const char *comms;
	const char *processes;
	const char *dsos;
	const char *symbols; /* names, and addresses in hex */
	const char *pids;
	const char *tids;
	const char *cpus;
	const char *parallelisms;
	const char *times;
	uint64_t addr_range; /* bytes from each address of symbols */
	bool is_relative;    /* times count from the first sample */
};

struct rpt_number_range {
	uint32_t first;
	uint32_t last;
};

struct rpt_numbers {
	struct rpt_number_range *items; /* owned */
	uint32_t nr;
	uint32_t cap;
};

enum {
	RPT_FILTER_TIME = 1 << 0,
	RPT_FILTER_CPU = 1 << 1,
	RPT_FILTER_PID = 1 << 2,
	RPT_FILTER_TID = 1 << 3,
	RPT_FILTER_COMM = 1 << 4,
	RPT_FILTER_DSO = 1 << 5,
	RPT_FILTER_SYMBOL = 1 << 6,
	RPT_FILTER_PROCESS = 1 << 7,
	RPT_FILTER_PARALLELISM = 1 << 8,
	RPT_FILTER_TIME_OR_CPU = RPT_FILTER_TIME | RPT_FILTER_CPU,
	RPT_FILTER_TASK = RPT_FILTER_PID | RPT_FILTER_TID | RPT_FILTER_COMM |
			  RPT_FILTER_PROCESS,
	RPT_FILTER_PLACE = RPT_FILTER_DSO | RPT_FILTER_SYMBOL,
};

/* A zeroed struct lets everything pass. */
struct rpt_filter {
	unsigned asked; /* RPT_FILTER_* */
	struct rpt_time_ranges times;
	struct rpt_numbers cpus;
	struct rpt_numbers pids;
	struct rpt_numbers tids;
	struct rpt_numbers parallelisms;
	struct rpt_intern comms;
	struct rpt_intern processes;
	struct rpt_intern dsos;
	struct rpt_intern symbols;
	uint64_t *addrs; /* of symbols; owned */
	size_t addr_nr;
	uint64_t addr_range;
};

/* Read what was typed.  Return 0, or -EINVAL and a text that names the option
 * and what is wrong.  filter must be released in any case. */
int rpt_filter_parse(struct rpt_filter *filter,
		     const struct rpt_filter_args *args, struct pd_err *err);

/* Check the filter against the file.  If --time has percents and the file's
 * header has no times, this reads the whole file.  Return 0, or -ENODATA if
 * samples have no CPU, or if the machine did not have a CPU of the list. */
int rpt_filter_resolve(struct rpt_filter *filter,
		       const struct rpt_filter_args *args,
		       struct pd_reader *reader, struct pd_err *err);
/* Free what the filter owns. */
void rpt_filter_release(struct rpt_filter *filter);

/* Return true if a sample of that time and CPU passes. */
bool rpt_filter_time(const struct rpt_filter *filter, uint64_t time_ns,
		     uint32_t cpu);

/* The same for a sample.  As in perf, one without a CPU is on none of the list,
 * and one without a time is later than all. */
bool rpt_filter_sample_time(const struct rpt_filter *filter,
			    const struct pd_sample *sample);

/* Return true if so many threads running at a time pass. */
bool rpt_filter_parallelism(const struct rpt_filter *filter, uint32_t nr);

/* A task and its names then; NULL: it is shown as ":TID", or ":PID". */
struct rpt_filtered_task {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	const char *process; /* rpt_filter_process() */
};

/* Return the name of a task's process if --process was given; else NULL. */
static inline const char *rpt_filter_process(const struct rpt_filter *filter,
					     const struct rpt_timeline *tl,
					     uint32_t pid, uint32_t tid,
					     struct rpt_timestamp when)
{
	return filter->asked & RPT_FILTER_PROCESS
		       ? rpt_timeline_process(tl, pid, tid, when)
		       : NULL;
}

/* Return true if a task passes. */
bool rpt_filter_task(const struct rpt_filter *filter,
		     const struct rpt_filtered_task *task);

/* Return true if the address ip, as recorded, passes.  dso is NULL if nothing
 * known is mapped there, symbol is NULL if it has no name. */
bool rpt_filter_place(const struct rpt_filter *filter,
		      const struct rpt_dso *dso, const char *symbol,
		      uint64_t ip);

#endif
