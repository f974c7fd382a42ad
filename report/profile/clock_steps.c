#include "report/profile/clock_steps.h"

#include "report/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { START_MAX = 1 << 16 }; /* records before a clock's first sample */

static const uint64_t turns_ns[] = { 1000000,  2000000,	 4000000,  10000000,
				     16666667, 20000000, 100000000 };

/* Return the constant period that the attr asks for in ns, 0 if it is no clock.
 * The kernel makes a period of a clock's rate once
 * (kernel/events/core.c, perf_swevent_init_hrtimer()). */
static uint64_t asked_period(const struct pd_attr *attr)
{
	if (!pd_attr_is_clock(attr) || !attr->sample_period)
		return 0;
	return attr->flags & PD_ATTR_FREQ
		       ? UINT64_C(1000000000) / attr->sample_period
		       : attr->sample_period;
}

uint64_t rpt_clock_sample_period(const struct pd_event *event,
				 const struct pd_sample *sample)
{
	return sample->present & PD_SAMPLE_PERIOD ? sample->period
						  : asked_period(&event->attr);
}

uint32_t rpt_clock_moments(uint64_t period_ns, uint64_t turn_ns)
{
	if (!period_ns || period_ns > RPT_LOCK_SPAN_NS)
		return 0;
	for (uint32_t n = 1; n <= RPT_MOMENTS_MAX; n++) {
		uint64_t len_ns = n * period_ns;
		uint64_t turns = (len_ns + turn_ns / 2) / turn_ns;
		double off_ns =
			fabs((double)len_ns - (double)turns * (double)turn_ns);

		/* how far the moments move in all, against their distance */
		if (turns &&
		    off_ns * ((double)RPT_LOCK_SPAN_NS / (double)len_ns) <
			    (double)turn_ns / (2.0 * n))
			return n;
	}
	return 0;
}

/* Set the turns of ret.  Return false if the period sees many moments of each.
 */
static bool find_turn(struct rpt_clock_steps *ret)
{
	for (size_t t = 0; t < sizeof(turns_ns) / sizeof(*turns_ns); t++) {
		ret->turn_ns = turns_ns[t];
		ret->moments = rpt_clock_moments(ret->period_ns, turns_ns[t]);
		if (ret->moments)
			return true;
	}
	return false;
}

/* Mark the events whose period would see few moments, if samples have it.
 * Return how many there are. */
static uint32_t mark_events(const struct pd_event_set *events, bool *is_marked)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < events->nr; i++) {
		struct rpt_clock_steps steps = {
			.period_ns = asked_period(&events->events[i].attr),
		};

		is_marked[i] = find_turn(&steps);
		nr += is_marked[i];
	}
	return nr;
}

bool rpt_clock_steps_find(struct pd_reader *reader, struct rpt_clock_steps *ret)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	bool *is_marked = rpt_alloc(events->nr + 1);
	uint32_t left = mark_events(events, is_marked);
	bool is_found = false;
	struct pd_records it;
	struct pd_record rec;

	pd_records_init(&it, reader, pd_reader_data(reader));
	for (uint32_t i = 0; i < START_MAX && left && !is_found &&
			     pd_records_next(&it, &rec, NULL) > 0;
	     i++) {
		const struct pd_event *event =
			rec.type == PD_RECORD_SAMPLE
				? pd_event_set_of_record(events, &rec)
				: NULL;
		struct pd_sample sample;

		if (!event || !is_marked[event - events->events] ||
		    pd_sample_read(&event->layout, &rec, &sample, NULL))
			continue;
		is_marked[event - events->events] = false;
		left--;
		*ret = (struct rpt_clock_steps){
			.event_idx = (uint32_t)(event - events->events),
			.period_ns = rpt_clock_sample_period(event, &sample),
		};
		is_found = find_turn(ret);
	}
	pd_records_release(&it);
	free(is_marked);
	return is_found;
}

const char *rpt_clock_steps_text(struct pd_reader *reader,
				 char buf[RPT_STEPS_TEXT_LEN])
{
	struct rpt_clock_steps steps;

	if (!rpt_clock_steps_find(reader, &steps))
		return NULL;
	snprintf(buf, RPT_STEPS_TEXT_LEN,
		 "%" PRIu64 " ns: of a program that a timer wakes each %g ms "
		 "samples see %" PRIu32 " moment%s",
		 steps.period_ns, (double)steps.turn_ns / 1e6, steps.moments,
		 steps.moments == 1 ? "" : "s");
	return buf;
}
