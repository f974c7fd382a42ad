#include "record/recording/cpu_limit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "record/event/clock_period.h"

#define FACTOR_MAX 100000.0

int rec_cpu_limit_init(struct rec_cpu_limit *limit, double pct, uint64_t now_ns,
		       uint64_t cpu_ns)
{
	memset(limit, 0, sizeof(*limit));
	limit->pct = pct;
	limit->factor = limit->most = 1;
	limit->begin_ns = limit->seen_ns = now_ns;
	limit->seen_cpu_ns = cpu_ns;
	if (pct <= 0)
		return 0;
	limit->rates = calloc(REC_RATES_MAX, sizeof(*limit->rates));
	return limit->rates ? 0 : -ENOMEM;
}

void rec_cpu_limit_release(struct rec_cpu_limit *limit)
{
	free(limit->rates);
	limit->rates = NULL;
	limit->rate_nr = 0;
}

uint64_t rec_cpu_limit_due_ns(const struct rec_cpu_limit *limit)
{
	return limit->rates ? limit->seen_ns + REC_CPU_LIMIT_TICK_NS
			    : UINT64_MAX;
}

/* Lower at once and a bit more than needed; raise in steps, from far below. */
double rec_cpu_limit_next(const struct rec_cpu_limit *limit, uint64_t now_ns,
			  uint64_t cpu_ns)
{
	double used_pct = 100.0 * (double)(cpu_ns - limit->seen_cpu_ns) /
			  (double)(now_ns - limit->seen_ns + 1);
	double factor = limit->factor;

	if (used_pct > limit->pct)
		factor *= 1.1 * used_pct / limit->pct;
	else if (used_pct < 0.6 * limit->pct)
		factor /= 1.25;
	if (factor > FACTOR_MAX)
		factor = FACTOR_MAX;
	return factor < 1 ? 1 : factor;
}

bool rec_cpu_limit_rate(const struct rec_event *event, double factor,
			struct pd_trailer_rate *ret)
{
	const struct perf_event_attr *attr = &event->attr.sys;
	double rate;

	if (!attr->sample_period || (attr->type == PERF_TYPE_SOFTWARE &&
				     attr->config == PERF_COUNT_SW_DUMMY))
		return false;
	rate = attr->freq ? (double)attr->sample_freq / factor
			  : (double)attr->sample_period * factor;
	ret->flags = attr->freq ? PD_RATE_IS_FREQ : 0;
	ret->value = rate < 1 ? 1 : (uint64_t)rate;
	return true;
}

/* Clocks have periods (clock_period.h), and the kernel expects periods. */
uint64_t rec_cpu_limit_ioctl(const struct rec_event *event,
			     const struct pd_trailer_rate *rate,
			     uint32_t clock_nth)
{
	if (rate->flags & PD_RATE_IS_FREQ && rec_is_clock(&event->attr.sys))
		return rec_clock_period(rate->value, clock_nth);
	return rate->value;
}

static void add_rate(struct rec_cpu_limit *limit,
		     const struct pd_trailer_rate *rate)
{
	/* The list is long enough: ignore later changes. */
	if (limit->rate_nr < REC_RATES_MAX)
		limit->rates[limit->rate_nr++] = *rate;
}

static void apply(struct rec_cpu_limit *limit,
		  const struct rec_event_list *events,
		  const struct rec_open_set *open, uint64_t newest_ns)
{
	for (uint32_t i = 0; i < events->nr; i++) {
		struct pd_trailer_rate rate = { .event_idx = i,
						.time_ns = newest_ns };
		bool is_set = false;

		if (!rec_cpu_limit_rate(&events->events[i], limit->factor,
					&rate))
			continue;
		for (size_t k = open->first[i]; k < open->first[i + 1]; k++) {
			uint64_t value =
				rec_cpu_limit_ioctl(&events->events[i], &rate,
						    open->fds[k].clock_nth);

			is_set |= !ioctl(open->fds[k].fd, PERF_EVENT_IOC_PERIOD,
					 &value);
		}
		if (is_set)
			add_rate(limit, &rate);
	}
}

void rec_cpu_limit_look(struct rec_cpu_limit *limit,
			const struct rec_event_list *events,
			const struct rec_open_set *open, uint64_t now_ns,
			uint64_t cpu_ns, uint64_t newest_ns)
{
	double factor;

	if (now_ns < rec_cpu_limit_due_ns(limit))
		return;
	factor = rec_cpu_limit_next(limit, now_ns, cpu_ns);
	limit->mean_sum += (double)(now_ns - limit->seen_ns) / limit->factor;
	limit->seen_ns = now_ns;
	limit->seen_cpu_ns = cpu_ns;
	if (factor > limit->factor || factor < limit->factor) {
		limit->factor = factor;
		apply(limit, events, open, newest_ns);
	}
	if (factor > limit->most)
		limit->most = factor;
}

double rec_cpu_limit_mean(const struct rec_cpu_limit *limit)
{
	if (limit->mean_sum <= 0)
		return 1;
	return (double)(limit->seen_ns - limit->begin_ns) / limit->mean_sum;
}
