/* switch_events.h: reads context switches, wakeups and losses out of records.
 *
 *	rpt_switch_events_find(&se, reader, tracepoints, timeline, &err);
 *	for each record of rpt_switch_event_types, in the order of time:
 *		rpt_switch_events_apply(&se, &off, &rec);
 *	rpt_switch_events_release(&se);
 *
 * A switch is a sample of sched:sched_switch, which names both tasks, the state
 * of the first, and has its stack; or, where tracepoints are not allowed, of
 * the event context-switches, taken at each (-c 1).  When the task has a CPU
 * again is said by the sched_switch of the task before it, if that one is
 * recorded, too, and by PERF_RECORD_SWITCH.  Wakeups are samples of
 * sched:sched_waking, or, without it, of sched:sched_wakeup.
 *
 * Field names are those of Linux, /sys/kernel/tracing/events/sched; where they
 * lie is read from the formats in the file.
 */
#ifndef RPT_SWITCH_EVENTS_H
#define RPT_SWITCH_EVENTS_H

#include "report/events/sample_reader.h"
#include "report/events/tracepoint.h"
#include "report/offcpu/off_cpu.h"

/* Bits (1 << PD_RECORD_*) of the records to apply besides samples. */
extern const uint64_t rpt_switch_event_types;

/* A number in the raw data of a tracepoint; a zeroed one is not there. */
struct rpt_raw_number {
	uint32_t off;
	uint32_t len;
};

/* How a state is written, and what it means. */
struct rpt_seen_state {
	uint64_t raw;
	enum rpt_wait_state state;
};

enum { RPT_SEEN_STATES = 16 };

struct rpt_switch_events {
	const struct pd_event_set *events;
	struct rpt_tracepoints *tracepoints;
	uint32_t switch_idx; /* of the event whose samples are switches */
	uint32_t wake_idx;   /* of wakeups; UINT32_MAX: none */
	bool is_traced;	     /* by sched_switch, not by context-switches */
	bool has_begun;	     /* there was a sample of a switch */
	struct rpt_raw_number prev, next, prev_state; /* of switches */
	struct rpt_raw_number woken, flags;	      /* of wakeups */
	struct rpt_seen_state states[RPT_SEEN_STATES];
	uint32_t state_nr;
	struct rpt_sample_reader samples; /* counts what it cannot read */
	/* Thread ids of the kernel that differ from those of the recording, as
	 * in a container; by number of the id, that of the recording. */
	struct rpt_intern foreign;
	uint32_t *own_tids; /* owned */
	uint32_t own_cap;
};

/* Find the events of a recording.  tracepoints may be NULL.  Return 0, or
 * -EINVAL if it has no switches, or no times. */
int rpt_switch_events_find(struct rpt_switch_events *ret,
			   const struct pd_event_set *events,
			   struct rpt_tracepoints *tracepoints,
			   const struct rpt_timeline *timeline,
			   struct pd_err *err);
/* Safe on a zeroed struct. */
void rpt_switch_events_release(struct rpt_switch_events *se);

/* Return the event whose samples are switches, or -1. */
int64_t rpt_switch_event_of(const struct pd_event_set *events,
			    const struct rpt_tracepoints *tracepoints);

/* Apply a record to off.  What it cannot read is passed over.  Return 0 or what
 * off's deliver returned. */
int rpt_switch_events_apply(struct rpt_switch_events *se,
			    struct rpt_off_cpu *off,
			    const struct pd_record *rec);

#endif
