/* cpu_limit.h: --cpu-limit: keep the recorder below a share of one CPU.
 *
 * Every half second the CPU time of all our threads is compared with the time
 * that has passed.  Above the limit the rates of all events are lowered by the
 * same factor; well below it they are raised, at most to the requested ones.
 * The trailer lists each change.
 *
 * PERF_EVENT_IOC_PERIOD reaches the events that we opened and the children that
 * inherit them later; those that already run in a child keep their rate.
 */
#ifndef REC_CPU_LIMIT_H
#define REC_CPU_LIMIT_H

#include "format/file/trailer.h"
#include "record/targets/event_open.h"

enum { REC_RATES_MAX = 4096 };
#define REC_CPU_LIMIT_TICK_NS UINT64_C(500000000)

struct rec_cpu_limit {
	double pct;    /* 0: no limit */
	double factor; /* rates are divided by it; 1 at first */
	double most;   /* the highest so far */
	uint64_t begin_ns;
	uint64_t seen_ns; /* of the last check */
	uint64_t seen_cpu_ns;
	double mean_sum;	       /* of 1 / factor, by time */
	struct pd_trailer_rate *rates; /* owned */
	size_t rate_nr;
};

/* Return 0, or -ENOMEM. */
int rec_cpu_limit_init(struct rec_cpu_limit *limit, double pct, uint64_t now_ns,
		       uint64_t cpu_ns);
void rec_cpu_limit_release(struct rec_cpu_limit *limit);

/* Return when to check next; UINT64_MAX if there is no limit. */
uint64_t rec_cpu_limit_due_ns(const struct rec_cpu_limit *limit);

/* Return the factor for the CPU time used since the last check. */
double rec_cpu_limit_next(const struct rec_cpu_limit *limit, uint64_t now_ns,
			  uint64_t cpu_ns);

/* Check the CPU time, and change the events' rates if that is due. newest_ns:
 * time of the newest record, 0 if there is none. */
void rec_cpu_limit_look(struct rec_cpu_limit *limit,
			const struct rec_event_list *events,
			const struct rec_open_set *open, uint64_t now_ns,
			uint64_t cpu_ns, uint64_t newest_ns);

/* Return by how much rates were lowered on average; 1: they were not. */
double rec_cpu_limit_mean(const struct rec_cpu_limit *limit);

/* Compute the requested rate lowered by factor.  Return false if the event
 * takes no samples. */
bool rec_cpu_limit_rate(const struct rec_event *event, double factor,
			struct pd_trailer_rate *ret);

/* Return the value for the ioctl of an event with this rate. */
uint64_t rec_cpu_limit_ioctl(const struct rec_event *event,
			     const struct pd_trailer_rate *rate,
			     uint32_t clock_nth);

#endif
