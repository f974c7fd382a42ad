/* switch_events.h: reads context switches, wakeups and losses out of records.
 *
 *	rpt_switch_events_find(&se, reader, tracepoints, timeline, &err);
 *	for each record of rpt_switch_event_types, in the order of time:
 *		rpt_switch_events_apply(&se, &off, &rec, &sw);
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
#include "report/events/trace_field.h"
#include "report/offcpu/off_cpu.h"

enum rpt_switch_kind {
	RPT_SWITCH_NONE,    /* the record says nothing */
	RPT_SWITCH_OTHER,   /* a sample of something else, or unreadable */
	RPT_SWITCH_TRACED,  /* tid gives its CPU to next */
	RPT_SWITCH_SAMPLED, /* tid gives up its CPU */
	RPT_SWITCH_OUT,	    /* the same, by PERF_RECORD_SWITCH, which follows
			     * the sample if there is one */
	RPT_SWITCH_IN,	    /* tid has a CPU */
	RPT_SWITCH_WAKE,    /* tid is woken by waker */
	RPT_SWITCH_LOST,    /* records of cpu were lost */
	RPT_SWITCH_FORK,    /* tid is new */
	RPT_SWITCH_EXIT,    /* tid ends */
};

/* The contents of a record. */
struct rpt_switch {
	enum rpt_switch_kind kind;
	uint64_t time_ns;
	uint32_t tid;
	uint32_t pid;  /* of tid; UINT32_MAX: not known */
	uint32_t next; /* of TRACED */
	uint32_t cpu;  /* UINT32_MAX: not known */
	bool is_wide;  /* the recording is of CPUs, not of some tasks */
	enum rpt_wait_state state; /* in which tid gives up its CPU */
	struct rpt_wait waker;	   /* its state is RPT_WAIT_NONE */
};

/* Bits (1 << PD_RECORD_*) of the records to apply besides samples. */
extern const uint64_t rpt_switch_event_types;

/* How a state is written, and what it means. */
struct rpt_seen_state {
	uint64_t raw;
	enum rpt_wait_state state;
};

enum { RPT_SEEN_STATES = 16 };

struct rpt_switch_events {
	const struct pd_event_set *events;
	struct rpt_tracepoints *tracepoints;
	uint32_t switch_idx; /* of the event whose samples are switches;
			      * UINT32_MAX: none */
	uint32_t wake_idx;   /* of wakeups; UINT32_MAX: none */
	bool is_traced;	     /* by sched_switch, not by context-switches */
	bool has_begun;	     /* there was a sample of a switch */
	bool is_partial;     /* not each switch or wakeup was recorded */
	struct rpt_raw_number prev, next, prev_state; /* of switches */
	struct rpt_raw_number woken, flags, waker;    /* of wakeups */
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
 * -ENODATA if it has no switches, or no times. */
int rpt_switch_events_find(struct rpt_switch_events *ret,
			   const struct pd_event_set *events,
			   struct rpt_tracepoints *tracepoints,
			   const struct rpt_timeline *timeline,
			   struct pd_err *err);
/* The same for a recording whose switches may be PERF_RECORD_SWITCH alone; such
 * have no stacks.  Return false if it has none at all. */
bool rpt_switch_events_find_any(struct rpt_switch_events *ret,
				const struct pd_event_set *events,
				struct rpt_tracepoints *tracepoints,
				const struct rpt_timeline *timeline);
/* Safe on a zeroed struct. */
void rpt_switch_events_release(struct rpt_switch_events *se);

/* Return the event whose samples are switches, or -1. */
int64_t rpt_switch_event_of(const struct pd_event_set *events,
			    const struct rpt_tracepoints *tracepoints);

/* Return the thread id in the recording of one in raw data. */
uint32_t rpt_switch_events_tid(const struct rpt_switch_events *se,
			       uint64_t raw);

/* Read a record, of those to apply. */
void rpt_switch_events_read(struct rpt_switch_events *se,
			    const struct pd_record *rec,
			    struct rpt_switch *ret);

/* Read a record and apply it to off.  What it cannot read is passed over.
 * Return 0 or what off's deliver returned. */
int rpt_switch_events_apply(struct rpt_switch_events *se,
			    struct rpt_off_cpu *off,
			    const struct pd_record *rec,
			    struct rpt_switch *ret);

#endif
