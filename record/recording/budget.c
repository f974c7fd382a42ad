#include "record/recording/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/base/runtime.h"
#include "record/recording/file.h"
#include "record/targets/event_rate.h"

/* How long what flows in is kept, and owed; what of it is kept for the end of a
 * file; the times in which the rest is spent, and a debt paid. */
static const double kept_ns = 60e9, owed_ns = 600e9, reserve_ns = 2e9,
		    spend_ns = 10e9, pay_ns = 4e9;

/* When the mean since a change is known well enough to lower rates further, in
 * deep debt, and to raise them; how much of the past is in it. */
static const double lower_ns = 10e9, soon_ns = 2e9, raise_ns = 2e9,
		    window_max_ns = 20e9;

/* The debt of more than this is deep: a start takes less. */
static const double deep_ns = 30e9;

/* Fewer bytes, or over more time, do not tell what one takes; and what else is
 * done may take as long. */
static const double telling_len = 256 * 1024, telling_ns = 1e9;
static const double cost_growth = 1.25;

/* So few bytes are no storm. */
static const double storm_len = 16 * 1024;

enum { LOWER_MAX = 4, RAISE_MAX = 2 };

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

int rec_budget_init(struct rec_budget *b, double cpu_pct, uint64_t disk_len_h,
		    uint64_t begin_ns, size_t ring_nr,
		    const struct rec_budget_use *start)
{
	memset(b, 0, sizeof(*b));
	b->limits[REC_BUDGET_CPU].per_ns = cpu_pct / 100;
	b->limits[REC_BUDGET_DISK].per_ns = (double)disk_len_h / 3600e9;
	b->seen = *start;
	b->begin_ns = start->now_ns;
	for (int i = 0; i < REC_BUDGET_NR; i++) {
		struct rec_budget_limit *limit = &b->limits[i];

		b->is_on |= limit->per_ns > 0;
		limit->credit =
			limit->per_ns * (double)(start->now_ns - begin_ns) -
			(double)start->used[i];
	}
	if (!b->is_on)
		return 0;
	b->rates = calloc(REC_RATES_MAX, sizeof(*b->rates));
	b->ring_lens = calloc(ring_nr + 1, sizeof(*b->ring_lens));
	return b->rates && b->ring_lens ? 0 : -ENOMEM;
}

void rec_budget_release(struct rec_budget *b)
{
	free(b->rates);
	free(b->ring_lens);
	b->rates = NULL;
	b->ring_lens = NULL;
	b->rate_nr = 0;
	b->is_on = false;
}

uint64_t rec_budget_due_ns(const struct rec_budget *b)
{
	if (!b->is_on || (!b->is_hot && !b->shift))
		return UINT64_MAX;
	return b->seen.now_ns + REC_BUDGET_TICK_NS * (b->is_hot ? 1 : 10);
}

/* The bytes that came and went between two looks. */
struct flow {
	double ns;
	double came_len;
	double drained_len;
};

/* Learn what a byte takes. */
static void learn(struct rec_budget_limit *limit, double len)
{
	double cost = limit->told / len;

	if (limit->cost > 0)
		cost = least(0.5 * (limit->cost + cost),
			     cost_growth * limit->cost);
	limit->cost = cost;
}

static void take(struct rec_budget_limit *limit, double spent, double owed,
		 double ns)
{
	spent += owed - limit->owed;
	limit->owed = owed;
	limit->recent += spent;
	limit->credit += limit->per_ns * ns - spent;
	limit->credit = least(limit->credit, limit->per_ns * kept_ns);
	limit->credit = most(limit->credit, -limit->per_ns * owed_ns);
}

/* Return what may be used for a while, for each ns. */
static double allowed(const struct rec_budget_limit *limit)
{
	double spare = limit->credit - limit->per_ns * reserve_ns;

	if (spare > 0)
		return limit->per_ns + spare / spend_ns;
	if (limit->credit >= 0)
		return limit->per_ns;
	return most(limit->per_ns + limit->credit / pay_ns, limit->per_ns / 4);
}

/* Return by what power of two to lower the rate, up to max. */
static int steps_down(double ratio, int max)
{
	int nr = 0;

	for (; ratio > 1 && nr < max; ratio /= 2)
		nr++;
	return nr;
}

/* Return what the bytes that came take, for each ns. */
static double storm_of(const struct rec_budget_limit *limit,
		       const struct flow *flow)
{
	if (flow->came_len < storm_len)
		return 0;
	return flow->came_len * limit->cost / flow->ns;
}

/* True if lower rates were of no use: what comes are records of tasks and maps.
 */
static bool is_vain(const struct rec_budget *b, const struct flow *flow)
{
	return b->lowered_flow > 0 &&
	       flow->came_len / flow->ns > b->lowered_flow / 2;
}

/* Return by how many steps to lower; below 0: to raise. */
static int steps_of(const struct rec_budget *b,
		    const struct rec_budget_limit *limit,
		    const struct flow *flow)
{
	const double reserve = limit->per_ns * reserve_ns;
	const double storm = storm_of(limit, flow);
	const double mean = limit->recent / most(b->window_ns, 1);
	const double wait_ns =
		limit->credit < -limit->per_ns * deep_ns ? soon_ns : lower_ns;
	double need = 2 * most(mean, storm), room;
	int nr = steps_down(storm / allowed(limit), LOWER_MAX);

	if (nr && !is_vain(b, flow))
		return nr;
	nr = 0;
	if (limit->credit < 0)
		return b->window_ns < wait_ns
			       ? 0
			       : steps_down(mean / (0.9 * limit->per_ns),
					    LOWER_MAX);
	if (limit->credit < reserve || b->window_ns < raise_ns)
		return 0;
	room = 0.9 * (limit->per_ns + (limit->credit - reserve) / kept_ns);
	for (; room >= need && nr > -RAISE_MAX; need *= 2)
		nr--;
	return nr;
}

/* Return the steps that all limits allow. */
static int steps(struct rec_budget *b, const struct flow *flow)
{
	int ret = -RAISE_MAX;

	b->is_hot = false;
	for (int i = 0; i < REC_BUDGET_NR; i++) {
		const struct rec_budget_limit *limit = &b->limits[i];
		int nr;

		if (limit->per_ns <= 0)
			continue;
		nr = steps_of(b, limit, flow);
		if (nr > ret)
			ret = nr;
		b->is_hot |= storm_of(limit, flow) > allowed(limit) / 2;
	}
	return ret;
}

static void begin_window(struct rec_budget *b)
{
	b->window_ns = 0;
	for (int i = 0; i < REC_BUDGET_NR; i++)
		b->limits[i].recent = 0;
}

static void forget_half(struct rec_budget *b)
{
	b->window_ns /= 2;
	for (int i = 0; i < REC_BUDGET_NR; i++)
		b->limits[i].recent /= 2;
}

/* Account for what was used. */
static void take_all(struct rec_budget *b, const struct rec_budget_use *use,
		     const struct flow *flow)
{
	bool tells;

	b->told_ns += flow->ns;
	b->told_len += flow->drained_len;
	tells = b->told_len >= telling_len;
	for (int i = 0; i < REC_BUDGET_NR; i++) {
		struct rec_budget_limit *limit = &b->limits[i];
		double spent = (double)use->used[i] - (double)b->seen.used[i];

		limit->told += spent;
		if (tells)
			learn(limit, b->told_len);
		if (tells || b->told_ns >= telling_ns)
			limit->told = 0;
		take(limit, spent, (double)use->waiting_len * limit->cost,
		     flow->ns);
	}
	if (tells || b->told_ns >= telling_ns)
		b->told_ns = b->told_len = 0;
}

unsigned rec_budget_next(struct rec_budget *b, const struct rec_budget_use *use)
{
	struct flow flow = {
		.ns = most((double)(use->now_ns - b->seen.now_ns), 1),
		.came_len = (double)(use->came_len - b->seen.came_len),
	};
	int shift;

	flow.drained_len = flow.came_len + (double)b->seen.waiting_len -
			   (double)use->waiting_len;
	take_all(b, use, &flow);
	b->seen = *use;
	b->window_ns += flow.ns;
	b->mean_sum += flow.ns / (double)(1u << b->shift);
	shift = (int)b->shift + steps(b, &flow);
	if (shift > REC_RATE_SHIFT_MAX)
		shift = REC_RATE_SHIFT_MAX;
	if (shift < 0)
		shift = 0;
	if (shift > (int)b->shift)
		b->lowered_flow = flow.came_len / flow.ns;
	else if (shift < (int)b->shift || b->window_ns > window_max_ns)
		b->lowered_flow = 0;
	if ((unsigned)shift != b->shift)
		begin_window(b);
	else if (b->window_ns > window_max_ns)
		forget_half(b);
	b->shift = (unsigned)shift;
	if (b->shift > b->most_shift)
		b->most_shift = b->shift;
	return b->shift;
}

/* If the disk stalls, the length so far will do. */
static void see_sample_len(struct rec_budget *b, struct rec_sink *sink)
{
	struct rec_counts counts;

	if (rec_sink_try_counts(sink, &counts) && counts.sample_nr)
		b->sample_len =
			(double)counts.plain_len / (double)counts.sample_nr;
}

void rec_budget_measure(struct rec_budget *b,
			const struct rec_drain_schedule *schedule,
			uint64_t done_len, uint64_t now_ns,
			struct rec_budget_use *ret)
{
	struct rec_file *file = schedule->file;
	uint64_t fastest_len = 0;

	*ret = (struct rec_budget_use){
		.now_ns = now_ns,
		.used[REC_BUDGET_CPU] = rec_own_cpu_ns(),
		.used[REC_BUDGET_DISK] =
			done_len +
			__atomic_load_n(&file->out.len, __ATOMIC_RELAXED),
	};
	for (size_t i = 0; i < schedule->reader_nr; i++) {
		const struct rec_ring_reader *reader = &schedule->readers[i];
		uint64_t len = rec_ring_reader_came_len(reader);

		if (len - b->ring_lens[i] > fastest_len)
			fastest_len = len - b->ring_lens[i];
		b->ring_lens[i] = len;
		ret->came_len += len;
		ret->waiting_len += rec_ring_reader_ring_len(reader) +
				    rec_ring_reader_waiting_len(reader);
	}
	see_sample_len(b, &file->sink);
	if (b->sample_len > 0)
		ret->fastest_hz =
			(uint64_t)((double)fastest_len * 1e9 / b->sample_len /
				   (double)(now_ns - b->seen.now_ns));
}

static void add_rate(struct rec_budget *b, const struct pd_trailer_rate *rate)
{
	/* The list is long enough: ignore later changes. */
	if (b->rate_nr < REC_RATES_MAX)
		b->rates[b->rate_nr++] = *rate;
}

/* Cut stack copies, or do not any more. */
static void cut_stacks(struct rec_budget *b,
		       const struct rec_event_list *events,
		       struct rec_sample_layouts *layouts, uint64_t newest_ns)
{
	const bool cuts = b->shift >= REC_BUDGET_CUT_SHIFT;

	rec_sample_layouts_limit(layouts,
				 cuts ? REC_STACK_KEPT_LEN : UINT64_MAX);
	for (uint32_t i = 0; i < events->nr; i++) {
		uint32_t len = events->events[i].attr.sys.sample_stack_user;
		const struct pd_trailer_rate change = {
			.event_idx = i,
			.flags = PD_RATE_IS_STACK,
			.time_ns = newest_ns,
			.value = cuts ? REC_STACK_KEPT_LEN : len,
		};

		if (len > REC_STACK_KEPT_LEN)
			add_rate(b, &change);
	}
}

bool rec_budget_look(struct rec_budget *b, const struct rec_budget_use *use,
		     const struct rec_event_list *events,
		     const struct rec_open_set *open,
		     struct rec_sample_layouts *layouts, uint64_t newest_ns)
{
	unsigned before = b->shift, shift = rec_budget_next(b, use);

	if (shift == before)
		return false;
	if (!before)
		b->fastest_hz = use->fastest_hz;
	for (uint32_t i = 0; i < events->nr; i++) {
		const struct rec_event *event = &events->events[i];
		struct pd_trailer_rate rate = { .event_idx = i,
						.time_ns = newest_ns };
		struct pd_trailer_rate old = { .event_idx = i };

		if (!rec_rate_at(event, shift, b->fastest_hz, &rate) ||
		    !rec_rate_at(event, before, b->fastest_hz, &old) ||
		    (rate.value == old.value && rate.flags == old.flags))
			continue;
		if (rec_rate_set(open, event, shift, &rate))
			add_rate(b, &rate);
	}
	if ((before < REC_BUDGET_CUT_SHIFT) != (shift < REC_BUDGET_CUT_SHIFT))
		cut_stacks(b, events, layouts, newest_ns);
	b->change_nr++;
	return true;
}

bool rec_budget_gives_up_names(const struct rec_budget *b)
{
	bool is_empty = false;

	for (int i = 0; i < REC_BUDGET_NR; i++)
		is_empty |= b->limits[i].per_ns > 0 && b->limits[i].credit < 0;
	return is_empty && b->shift == REC_RATE_SHIFT_MAX;
}

void rec_budget_note_names(struct rec_budget *b, uint64_t newest_ns)
{
	const struct pd_trailer_rate note = { .flags = PD_RATE_IS_NAMES,
					      .time_ns = newest_ns };

	add_rate(b, &note);
}

/* Return whether a later change is of the same event and kind, or it was of one
 * file alone. */
static bool is_over(const struct rec_budget *b, size_t idx)
{
	const struct pd_trailer_rate *rate = &b->rates[idx];

	if (rate->flags & PD_RATE_IS_NAMES)
		return true;
	for (size_t i = idx + 1; i < b->rate_nr; i++)
		if (b->rates[i].event_idx == rate->event_idx &&
		    !(b->rates[i].flags & PD_RATE_IS_NAMES) &&
		    !((b->rates[i].flags ^ rate->flags) & PD_RATE_IS_STACK))
			return true;
	return false;
}

void rec_budget_next_file(struct rec_budget *b)
{
	size_t nr = 0;

	for (size_t i = 0; i < b->rate_nr && b->shift; i++)
		if (!is_over(b, i))
			b->rates[nr++] = b->rates[i];
	b->rate_nr = nr;
}

double rec_budget_mean(const struct rec_budget *b)
{
	if (b->mean_sum <= 0)
		return 1;
	return (double)(b->seen.now_ns - b->begin_ns) / b->mean_sum;
}
