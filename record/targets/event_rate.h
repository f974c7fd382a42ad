/* event_rate.h: lower the rate of an event while it records, so that each
 * sample tells its true period.
 *
 * A shift of n asks for one sample where there were 2^n.  How the kernel takes
 * that is of the event:
 *
 *	HELD	it cannot be: it takes no samples, or see below
 *	IOCTL	PERF_EVENT_IOC_PERIOD: what a PMU counts, and software events
 *		with a frequency.  It reaches what was opened and children that
 *		are forked later, not children that run
 *	RUNGS	cpu-clock and task-clock tell the period with which they were
 *		opened, whatever that ioctl said since.  So each is opened with
 *		half its rate, a quarter and so on, too, all of them off
 *	CAPPED	other software events and tracepoints with a period: if samples
 *		tell periods, the kernel takes every occurrence of them, with
 *		any period.  So each is opened with a frequency, too, off; that
 *		one takes an ioctl, but none below 10,000 a second: the kernel's
 *		periods are far too long then (fast_events.h)
 *
 * In a group, or with too many descriptors, a clock takes the ioctl, and its
 * samples tell the period that was asked for; a CAPPED event is HELD.
 *
 * Each of these events is a *rung*: rung 0 is the event as it was asked for.
 * All rungs have the event's filter, its ring and an id in the file, and one
 * of them is on (event_open.h).  Switching reaches children that run.
 *
 * Source: Linux v6.12 kernel/events/core.c, perf_swevent_init_hrtimer(),
 * perf_swevent_event(), perf_event_for_each_child(); tests/cli/test_budget.py
 * has the kernel's word.
 */
#ifndef REC_EVENT_RATE_H
#define REC_EVENT_RATE_H

#include "format/file/trailer.h"
#include "record/targets/event_open.h"

/* A CAPPED event is opened with this frequency, and not lowered further: with
 * fewer samples the kernel's periods are far too long (fast_events.h). */
enum { REC_CAPPED_HZ = 10000 };

/* The most that rates are lowered: to 1 in 131,072. */
enum { REC_RATE_SHIFT_MAX = 17 };

enum rec_rate_way {
	REC_RATE_HELD,
	REC_RATE_IOCTL,
	REC_RATE_RUNGS,
	REC_RATE_CAPPED,
};

/* The most descriptors for all rungs of an event; and half of what this process
 * may have. */
enum { REC_RATE_FDS_MAX = 4096 };

enum rec_rate_way rec_rate_way(const struct rec_event *event);
/* Return true if its samples do not tell a lowered rate. */
bool rec_rate_is_hidden(const struct rec_event *event);

/* Return true if the event at idx is a tracepoint of which nobody needs each
 * occurrence: the user gave it no period, and it is not read one by one, as
 *
 *	sched:*		time without a CPU is from switch to switch
 *	two of a system	raw_syscalls:sys_enter and sys_exit are pairs */
bool rec_rate_may_cap(const struct rec_event_list *list, size_t idx);

/* Return how many rungs the event has besides rung 0. */
unsigned rec_rate_rung_nr(const struct rec_event *event);

/* Make the attr of the event that of another rung; period_ns: of a clock's rung
 * 0 on the same CPU. */
void rec_rate_set_rung(struct perf_event_attr *attr, unsigned rung,
		       uint64_t period_ns);

/* Compute the event's rate at a shift.  fastest_hz: what the fastest of its
 * descriptors took when the shift left 0, of which a CAPPED one gets a share.
 * Return false if it has no rate to lower. */
bool rec_rate_at(const struct rec_event *event, unsigned shift,
		 uint64_t fastest_hz, struct pd_trailer_rate *ret);

/* Give the event at rate->event_idx the rate at that shift, which is *rate.
 * Return true if it took effect anywhere. */
bool rec_rate_set(const struct rec_open_set *open,
		  const struct rec_event *event, unsigned shift,
		  const struct pd_trailer_rate *rate);

#endif
