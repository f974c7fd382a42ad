/* filter.h: the options that choose samples: --comms, --dsos, --symbols, --pid,
 * --tid, --cpu, --time, for every command that has them.
 *
 *	struct rpt_filter_args	what was typed; a part of the command's struct
 *	rpt_filter_parse(&filter, &args, &err);		before the file is open
 *	rpt_filter_settle(&filter, &args, reader, &err);	against the file
 *	rpt_filter_release(&filter);
 *
 * A sample is tested in three steps, as its time and CPU, its task, and its
 * place become known.  A kind of filter that was not given costs one test.  A
 * sample passes a step if it passes all kinds of filter there; a kind is passed
 * if one of its items fits.  script shows a sample that passes all three steps;
 * report leaves out samples of another time or CPU, and counts the others in
 * its totals.
 */
#ifndef RPT_FILTER_H
#define RPT_FILTER_H

#include "report/timeline/guest_ids.h"
#include "report/base/intern.h"
#include "report/events/time_range.h"
#include "report/timeline/timeline.h"

/* As typed; NULL: not given.  Names: "a,b", "file://NAMES" (a name a line).
 * Numbers: "0,3-5". */
struct rpt_filter_args {
	const char *comms;
	const char *dsos;
	const char *symbols; /* names, and addresses in hex */
	const char *pids;
	const char *tids;
	const char *cpus;
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
	RPT_FILTER_TIME_OR_CPU = RPT_FILTER_TIME | RPT_FILTER_CPU,
	RPT_FILTER_TASK = RPT_FILTER_PID | RPT_FILTER_TID | RPT_FILTER_COMM,
	RPT_FILTER_PLACE = RPT_FILTER_DSO | RPT_FILTER_SYMBOL,
};

/* A zeroed struct lets everything pass. */
struct rpt_filter {
	unsigned asked; /* RPT_FILTER_* */
	struct rpt_time_ranges times;
	struct rpt_numbers cpus;
	struct rpt_numbers pids;
	struct rpt_numbers tids;
	struct rpt_intern comms;
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

/* Check the filter against the file.  If it has percents of the time, and the
 * file's header has no times, the whole file is read.  Return 0, or -EINVAL if
 * samples have no CPU, or if the machine did not have a CPU of the list. */
int rpt_filter_settle(struct rpt_filter *filter,
		      const struct rpt_filter_args *args,
		      struct pd_reader *reader, struct pd_err *err);
void rpt_filter_release(struct rpt_filter *filter);

/* The inline functions below call these if a filter of the kind was given. */
bool rpt_filter_time_is_in(const struct rpt_filter *filter, uint64_t time_ns,
			   uint32_t cpu);
bool rpt_filter_cpu_is_in(const struct rpt_filter *filter, uint32_t cpu);
bool rpt_filter_task_is_in(const struct rpt_filter *filter, uint32_t pid,
			   uint32_t tid, const char *comm);
bool rpt_filter_place_is_in(const struct rpt_filter *filter,
			    const struct rpt_dso *dso, const char *symbol,
			    uint64_t ip);

/* Return true if a sample of that time and CPU passes. */
static inline bool rpt_filter_time(const struct rpt_filter *filter,
				   uint64_t time_ns, uint32_t cpu)
{
	return !(filter->asked & RPT_FILTER_TIME_OR_CPU) ||
	       rpt_filter_time_is_in(filter, time_ns, cpu);
}

/* Return true for samples of a guest: like perf without --guest, perfpair shows
 * none of them. */
static inline bool rpt_filter_is_guest(unsigned cpumode)
{
	return rpt_is_of_guest((uint16_t)cpumode);
}

/* Return true if a sample passes by its time and CPU.  As in perf, one without
 * a CPU is on none of the list, and one without a time is later than all. */
static inline bool rpt_filter_sample_time(const struct rpt_filter *filter,
					  const struct pd_sample *sample)
{
	return rpt_filter_time(
		filter,
		sample->present & PD_SAMPLE_TIME ? sample->time_ns : UINT64_MAX,
		sample->present & PD_SAMPLE_CPU ? sample->cpu : UINT32_MAX);
}

/* Return true if a task passes.  comm NULL: it has no name and is shown as
 * ":TID". */
static inline bool rpt_filter_task(const struct rpt_filter *filter,
				   uint32_t pid, uint32_t tid, const char *comm)
{
	return !(filter->asked & RPT_FILTER_TASK) ||
	       rpt_filter_task_is_in(filter, pid, tid, comm);
}

/* Return true if an address passes.  dso NULL: nothing known is mapped there;
 * symbol NULL: it has no name; ip: the address as recorded. */
static inline bool rpt_filter_place(const struct rpt_filter *filter,
				    const struct rpt_dso *dso,
				    const char *symbol, uint64_t ip)
{
	return !(filter->asked & RPT_FILTER_PLACE) ||
	       rpt_filter_place_is_in(filter, dso, symbol, ip);
}

#endif
