#include "record/targets/event_rate.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "record/base/runtime.h"
#include "record/event/clock_period.h"

static const uint64_t ns_per_s = 1000000000;

/* True for what the kernel counts by itself, one by one. */
static bool is_counted_by_kernel(const struct rec_event *event)
{
	const struct perf_event_attr *attr = &event->attr.sys;

	return attr->type == PERF_TYPE_TRACEPOINT ||
	       attr->type == PERF_TYPE_BREAKPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE &&
		attr->config != PERF_COUNT_SW_BPF_OUTPUT) ||
	       (event->pmu_name && (!strcmp(event->pmu_name, "kprobe") ||
				    !strcmp(event->pmu_name, "uprobe")));
}

enum rec_rate_way rec_rate_way(const struct rec_event *event)
{
	const struct perf_event_attr *attr = &event->attr.sys;
	bool may_climb = event->member_nr == 1 && !event->has_no_rungs;

	if (!attr->sample_period || rec_event_is_dummy(event))
		return REC_RATE_HELD;
	if (rec_is_clock(attr))
		return may_climb ? REC_RATE_RUNGS : REC_RATE_IOCTL;
	if (!attr->freq && is_counted_by_kernel(event))
		return may_climb ? REC_RATE_CAPPED : REC_RATE_HELD;
	return REC_RATE_IOCTL;
}

bool rec_rate_is_hidden(const struct rec_event *event)
{
	return rec_rate_way(event) == REC_RATE_IOCTL &&
	       rec_is_clock(&event->attr.sys);
}

/* Return the rung of a clock at a shift: it ticks once a second at least. */
static unsigned clock_rung(const struct perf_event_attr *attr, unsigned shift)
{
	unsigned rung = 0;

	while (rung < shift &&
	       (attr->freq ? attr->sample_freq >> (rung + 1) >= 1
			   : attr->sample_period << (rung + 1) <= ns_per_s))
		rung++;
	return rung;
}

/* True if both names have the same system, the part before the colon. */
static bool is_of_system(const char *a, const char *b)
{
	size_t len = strcspn(a, ":");

	return !strncmp(a, b, len + 1);
}

bool rec_rate_may_cap(const struct rec_event_list *list, size_t idx)
{
	const struct rec_event *event = &list->events[idx];

	if (event->attr.sys.freq || event->attr.sys.sample_period != 1 ||
	    !(event->attr.sys.sample_type & PERF_SAMPLE_PERIOD) ||
	    event->terms.set &
		    (REC_TERM_PERIOD | REC_TERM_FREQ | REC_TERM_NAME) ||
	    is_of_system("sched:", event->name))
		return false;
	for (size_t i = 0; i < list->nr; i++)
		if (i != idx &&
		    list->events[i].attr.sys.type == PERF_TYPE_TRACEPOINT &&
		    (list->events[i].terms.set & REC_TERM_NAME ||
		     is_of_system(event->name, list->events[i].name)))
			return false;
	return event->attr.sys.type == PERF_TYPE_TRACEPOINT &&
	       rec_rate_way(event) == REC_RATE_CAPPED;
}

unsigned rec_rate_rung_nr(const struct rec_event *event)
{
	enum rec_rate_way way = rec_rate_way(event);

	if (way == REC_RATE_RUNGS)
		return clock_rung(&event->attr.sys, REC_RATE_SHIFT_MAX);
	return way == REC_RATE_CAPPED;
}

void rec_rate_set_rung(struct perf_event_attr *attr, unsigned rung,
		       uint64_t period_ns)
{
	attr->disabled = 1;
	attr->enable_on_exec = 0;
	attr->freq = !rec_is_clock(attr);
	if (attr->freq)
		attr->sample_freq = REC_CAPPED_HZ;
	else
		attr->sample_period = period_ns << rung;
}

bool rec_rate_at(const struct rec_event *event, unsigned shift,
		 uint64_t fastest_hz, struct pd_trailer_rate *ret)
{
	const struct perf_event_attr *attr = &event->attr.sys;
	enum rec_rate_way way = rec_rate_way(event);
	uint64_t value = attr->sample_period; /* or sample_freq */
	bool is_freq = attr->freq;

	if (way == REC_RATE_HELD)
		return false;
	if (way == REC_RATE_RUNGS)
		shift = clock_rung(attr, shift);
	if (way == REC_RATE_CAPPED && shift) {
		is_freq = true;
		value = fastest_hz;
	}
	if (is_freq)
		value >>= shift;
	else
		value = value > UINT64_MAX >> 1 >> shift ? UINT64_MAX >> 1
							 : value << shift;
	if (way == REC_RATE_CAPPED && is_freq && value < REC_CAPPED_HZ)
		value = REC_CAPPED_HZ;
	ret->flags = is_freq ? PD_RATE_IS_FREQ : 0;
	ret->value = value ? value : 1;
	return true;
}

/* Clocks have periods (clock_period.h), and the kernel expects periods. */
static uint64_t value_for(const struct rec_event *event,
			  const struct pd_trailer_rate *rate,
			  const struct rec_open_fd *fd)
{
	if (rate->flags & PD_RATE_IS_FREQ && rec_is_clock(&event->attr.sys))
		return rec_clock_period(rate->value, fd->clock_nth);
	return rate->value;
}

/* The kernel may have lowered the frequency that it allows. */
static bool set_period(int fd, uint64_t value, bool may_be_less)
{
	int rc = rec_ioctl(fd, PERF_EVENT_IOC_PERIOD, &value);

	while (rc && errno == EINVAL && may_be_less && value > 1) {
		value /= 2;
		rc = rec_ioctl(fd, PERF_EVENT_IOC_PERIOD, &value);
	}
	return !rc;
}

bool rec_rate_set(const struct rec_open_set *open,
		  const struct rec_event *event, unsigned shift,
		  const struct pd_trailer_rate *rate)
{
	const uint32_t idx = rate->event_idx;
	enum rec_rate_way way = rec_rate_way(event);
	unsigned rung = way == REC_RATE_RUNGS
				? clock_rung(&event->attr.sys, shift)
				: way == REC_RATE_CAPPED && shift;
	bool by_ioctl =
		way == REC_RATE_IOCTL || (way == REC_RATE_CAPPED && rung);
	bool is_set = false;

	for (size_t i = open->first[idx]; i < open->first[idx + 1]; i++) {
		const struct rec_open_fd *fd = &open->fds[i];

		if (by_ioctl && fd->rung == rung)
			is_set |= set_period(fd->fd, value_for(event, rate, fd),
					     rate->flags & PD_RATE_IS_FREQ);
	}
	if (way == REC_RATE_RUNGS || way == REC_RATE_CAPPED)
		is_set = !rec_open_set_climb(open, idx, rung);
	return is_set;
}
