/* attr_work.h: the parts of rec_attr_config(), and what they share. */
#ifndef REC_ATTR_WORK_H
#define REC_ATTR_WORK_H

#include "record/event/attr_config.h"

/* The state that is the same for all events. */
struct rec_attr_work {
	const struct rec_attr_options *opts;
	const struct rec_attr_host *host;
	struct rec_event_list *list;
	uint64_t freq_hz; /* 0: opts->period is used */
	bool cpu_target;
	bool per_thread;
	size_t tracking_idx;
};

static inline bool rec_work_is_leader(const struct rec_attr_work *c,
				      const struct rec_event *event)
{
	return event->leader_idx == (size_t)(event - c->list->events);
}

static inline const struct rec_event *
rec_work_leader_of(const struct rec_attr_work *c, const struct rec_event *event)
{
	return &c->list->events[event->leader_idx];
}

static inline bool rec_work_is_tracking(const struct rec_attr_work *c,
					const struct rec_event *event)
{
	return c->tracking_idx == (size_t)(event - c->list->events);
}

/* True if the group's leader alone samples and reads all members. */
static inline bool rec_work_in_read_group(const struct rec_attr_work *c,
					  const struct rec_event *event)
{
	return event->sample_read &&
	       rec_work_leader_of(c, event)->member_nr > 1;
}

/* Compute the frequency from the option and the machine's limit; 0 with -c. */
int rec_attr_freq_resolve(const struct rec_attr_work *c, uint64_t *ret,
			  struct pd_err *note, struct pd_err *err);

/* Set the period or frequency, and if samples record the period. */
void rec_attr_config_rate(const struct rec_attr_work *c,
			  struct perf_event_attr *sys);
void rec_attr_set_freq(struct perf_event_attr *sys, uint64_t freq_hz);

/* Set call chains, branch stacks and registers by the options and the event's
 * terms; in this order, since each leaves alone what an earlier one needs. */
void rec_attr_config_callchain(const struct rec_attr_work *c,
			       struct rec_event *event);
void rec_attr_config_branch(const struct rec_attr_work *c,
			    struct rec_event *event);
void rec_attr_config_regs(const struct rec_attr_work *c,
			  struct rec_event *event);

#endif
