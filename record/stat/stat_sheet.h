/* stat_sheet.h: the counts of one or more runs, added up to groups, ready to be
 * printed.
 *
 *	rec_stat_sheet_init(&sheet, &conf)
 *	rec_stat_sheet_add(&sheet, counts, wall_ns)	for each run
 *	rows = rec_stat_sheet_rows(&sheet, &nr)		in the order of printing
 *	rec_stat_sheet_value(&sheet, &rows[i], &value)
 *	rec_stat_sheet_release(&sheet)
 *
 * It knows nothing of open counters: counts from a file are printed the same.
 */
#ifndef REC_STAT_SHEET_H
#define REC_STAT_SHEET_H

#include "record/count/counts.h"
#include "record/event/event_spec.h"
#include "record/metric/metric.h"
#include "record/stat/stat_groups.h"
#include "record/stat/stat_series.h"

struct rec_stat_sheet_conf {
	const struct rec_event_list *events;  /* borrowed */
	const struct pd_err *refused;	      /* borrowed; by event: why it is
						 not supported; NULL: all are */
	const struct rec_stat_groups *groups; /* borrowed */
	size_t run_cap;			      /* the most runs */
	bool no_scale; /* --no-scale: values as they were read */
	const struct rec_metric_host *host;	 /* borrowed; whose metrics are
						    computed; NULL: none */
	const struct rec_metric *const *metrics; /* borrowed; -M */
	size_t metric_nr;
};

/* One event in one group, over all runs. */
struct rec_stat_cell {
	double *values; /* of the sheet; of the runs in which it counted */
	size_t value_nr;
	double enabled_ns; /* summed over counters and runs */
	double running_ns;
	size_t counter_nr; /* CPUs or threads that it is open on */
};

struct rec_stat_sheet {
	struct rec_stat_sheet_conf conf;
	struct rec_stat_cell *cells; /* owned; [event][group] */
	double *values;		     /* owned; run_cap for each cell */
	double *wall_ns;	     /* owned; of each run */
	size_t run_nr;
	size_t *clocks; /* owned; the events that are clocks */
	size_t clock_nr;
	/* The CPU time of the command, if has_usage. */
	bool has_usage;
	uint64_t user_us;
	uint64_t sys_us;
};

struct rec_stat_row {
	size_t event;
	size_t group;
	double key; /* what rows of threads are sorted by */
};

/* The rate behind a count: for a second, or beside another count. */
struct rec_stat_rate {
	double value;
	const char *unit; /* "CPUs utilized", "/sec", "K/sec", "insn per
			     cycle", "of all branches"; "": no rate */
	bool is_metric;	  /* not how many in a second, nor of CPUs */
	bool is_short;	  /* two digits after the point, not three */
	bool is_percent;
	const char *refused; /* why there is none; NULL: there is no such */
};

enum rec_stat_state {
	REC_STAT_COUNTED,
	REC_STAT_NOT_COUNTED,	/* it never ran */
	REC_STAT_NOT_SUPPORTED, /* by the kernel or the machine */
};

/* The values of a row: means over the runs. */
struct rec_stat_value {
	enum rec_stat_state state;
	struct rec_series series; /* in the printed unit */
	double enabled_ns;
	double running_ns;
	double running_pct; /* of the time that it was enabled; else 100 */
	struct rec_stat_rate rate;
	size_t counter_nr;
};

/* Return 0 or -ENOMEM. */
int rec_stat_sheet_init(struct rec_stat_sheet *ret,
			const struct rec_stat_sheet_conf *conf);
void rec_stat_sheet_release(struct rec_stat_sheet *sheet);
/* Forget all runs. */
void rec_stat_sheet_clear(struct rec_stat_sheet *sheet);

/* Add a run of that length; no more than run_cap. */
void rec_stat_sheet_add(struct rec_stat_sheet *sheet,
			const struct rec_counts *counts, double wall_ns);

/* Return the rows to print, for the caller to free; NULL if memory is short.
 * Threads are sorted by what they counted, most first. */
struct rec_stat_row *rec_stat_sheet_rows(const struct rec_stat_sheet *sheet,
					 size_t *ret_nr);

const struct rec_stat_cell *
rec_stat_sheet_cell(const struct rec_stat_sheet *sheet, size_t event,
		    size_t group);
void rec_stat_sheet_value(const struct rec_stat_sheet *sheet,
			  const struct rec_stat_row *row,
			  struct rec_stat_value *ret);

/* stat_rate.c: find the rate of a row whose count has that mean (unscaled). */
void rec_stat_rate_of(const struct rec_stat_sheet *sheet,
		      const struct rec_stat_row *row, double mean,
		      struct rec_stat_rate *ret);

/* Compute a metric of a group's counts; its unit is the metric's name. */
void rec_stat_metric_of(const struct rec_stat_sheet *sheet,
			const struct rec_metric *metric, size_t group,
			struct rec_stat_rate *ret);

/* Return the metric that stands on the event's line; NULL: none. */
const struct rec_metric *
rec_stat_metric_beside(const struct rec_stat_sheet *sheet,
		       const struct rec_event *event);
/* True for cycles, whose rate is GHz. */
bool rec_stat_is_cycles(const struct rec_event *event);

/* cpu-clock and task-clock count ns and are printed in ms. */
bool rec_stat_is_clock(const struct rec_event *event);
/* Return the unit of printed values, "" for none, and the factor to it. */
const char *rec_stat_unit(const struct rec_event *event);
double rec_stat_scale(const struct rec_event *event);

#endif
