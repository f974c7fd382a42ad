/* cpu_limit.h: --cpu-limit: keeps the recorder below a share of one CPU.
 *
 * Every half second the CPU time of all our threads is compared with the time
 * that has passed.  Above the limit the events' rates are lowered, all by the
 * same factor; well below it they go up again, to what was asked for at most.
 * Each change is noted for the trailer.
 *
 * PERF_EVENT_IOC_PERIOD reaches the events that we opened and, through them,
 * children that are inherited later; what runs already in a child keeps its
 * rate.
 */
#ifndef REC_CPU_LIMIT_H
#define REC_CPU_LIMIT_H

#include "format/trailer.h"
#include "record/targets/event_open.h"

enum { REC_RATES_MAX = 4096 };
#define REC_CPU_LIMIT_TICK_NS UINT64_C(500000000)

struct rec_cpu_limit {
	double pct;    /* 0: no limit */
	double factor; /* by which rates are lowered now; 1 at first */
	double most;   /* the largest that it was */
	uint64_t begin_ns;
	uint64_t seen_ns; /* at the last look */
	uint64_t seen_cpu_ns;
	double mean_sum;	       /* of 1 / factor, by time */
	struct pd_trailer_rate *rates; /* owned */
	size_t rate_nr;
};

/* "2", "0.5%".  -EINVAL. */
int rec_cpu_limit_parse(const char *text, double *ret_pct, struct pd_err *err);

/* -ENOMEM. */
int rec_cpu_limit_init(struct rec_cpu_limit *limit, double pct, uint64_t now_ns,
		       uint64_t cpu_ns);
void rec_cpu_limit_release(struct rec_cpu_limit *limit);

/* When to look next; UINT64_MAX: there is no limit. */
uint64_t rec_cpu_limit_due_ns(const struct rec_cpu_limit *limit);

/* The factor for what was used since the last look. */
double rec_cpu_limit_next(const struct rec_cpu_limit *limit, uint64_t now_ns,
			  uint64_t cpu_ns);

/* Look at what was used so far, and change the events' rates where that is
 * due.  newest_ns: time of the newest record, 0 if there is none. */
void rec_cpu_limit_look(struct rec_cpu_limit *limit,
			const struct rec_event_list *events,
			const struct rec_open_set *open, uint64_t now_ns,
			uint64_t cpu_ns, uint64_t newest_ns);

/* By which rates were lowered on average; 1: they were not. */
double rec_cpu_limit_mean(const struct rec_cpu_limit *limit);

/* The rate that was asked for, lowered by factor; what the ioctl takes.
 * False: the event takes no samples. */
bool rec_cpu_limit_rate(const struct rec_event *event, double factor,
			struct pd_trailer_rate *ret, uint64_t *ret_ioctl);

#endif
