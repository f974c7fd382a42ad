/* fast_events.h: tracepoints that come so often that recording each of them
 * slows what is recorded: --tracepoint-rate.
 *
 * The program that causes an event waits while the kernel records it, for
 * hundreds of nanoseconds (docs/truth.md).  An event that came more often than
 * the limit, for a second and on all CPUs together, gets the rung of
 * event_rate.h that has a frequency: the kernel then takes so many samples of
 * it on each CPU, and PERIOD says how many events a sample stands for.  Once it
 * comes half as often, each is recorded again.
 *
 * Left alone are events that are read one by one (rec_rate_may_cap()), and
 * those that a budget has lowered already.
 *
 * Without a limit one line says of an event that it comes very often.
 *
 * The kernel's periods are true by and large: a sample's is the length of the
 * interval that it begins, which the kernel draws from how fast the last one
 * ended.  While that grows it overshoots, the more so the lower the frequency:
 * 300,000 system calls in 0.15 s were 300,053 at 10,000 a second, 307,147 at
 * 1,000, 5,736,845 at 100 (Linux 6.18).  So 10,000 is the least limit, and an
 * event is opened with it, since PERF_EVENT_IOC_PERIOD comes too late.
 *
 * Counting costs nothing while little comes: an event's counts are read if the
 * samples of a second were more than the limit allows.
 */
#ifndef REC_FAST_EVENTS_H
#define REC_FAST_EVENTS_H

#include "record/targets/event_open.h"

#include <stdio.h>

#define REC_FAST_INTERVAL_NS UINT64_C(1000000000)

struct rec_fast_event {
	uint64_t count; /* by the last look */
	bool is_slow;
	bool is_said;
};

struct rec_fast_events {
	uint64_t limit_hz;	       /* 0: say what is fast, no more */
	struct rec_fast_event *events; /* owned, by event */
	size_t slow_nr;
	bool has_counts; /* the last look read them */
	uint64_t seen_ns;
	uint64_t seen_nr; /* samples until then */
};

struct rec_fast_look {
	uint64_t now_ns;
	uint64_t sample_nr; /* drained so far */
	bool is_lowered;    /* a budget has lowered all rates */
};

/* Return 0, or -ENOMEM. */
int rec_fast_events_init(struct rec_fast_events *fast, uint64_t limit_hz,
			 const struct rec_event_list *list, uint64_t now_ns);
void rec_fast_events_release(struct rec_fast_events *fast);

/* Return when to look next even if nothing comes; UINT64_MAX: never. */
uint64_t rec_fast_events_due_ns(const struct rec_fast_events *fast);

/* Look, if a second has passed.  Say once of each event on out (may be NULL)
 * that it is fast. */
void rec_fast_events_look(struct rec_fast_events *fast,
			  const struct rec_event_list *list,
			  const struct rec_open_set *open,
			  const struct rec_fast_look *at, FILE *out);

#endif
