#include "record/recording/fast_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/targets/event_rate.h"

/* Without a limit: one that comes more often than that is worth a line. */
enum { FAST_HZ = 100000, READ_WORDS_MAX = 5 };

/* True of a tracepoint of which each occurrence is a sample. */
static bool is_whole(const struct rec_event *event)
{
	const struct perf_event_attr *attr = &event->attr.sys;

	return attr->type == PERF_TYPE_TRACEPOINT && !attr->freq &&
	       attr->sample_period == 1 && event->member_nr == 1;
}

int rec_fast_events_init(struct rec_fast_events *fast, uint64_t limit_hz,
			 const struct rec_event_list *list, uint64_t now_ns)
{
	*fast = (struct rec_fast_events){ .limit_hz = limit_hz,
					  .seen_ns = now_ns };
	fast->events = calloc(list->nr + 1, sizeof(*fast->events));
	return fast->events ? 0 : -ENOMEM;
}

void rec_fast_events_release(struct rec_fast_events *fast)
{
	free(fast->events);
	memset(fast, 0, sizeof(*fast));
}

uint64_t rec_fast_events_due_ns(const struct rec_fast_events *fast)
{
	return fast->has_counts ? fast->seen_ns + REC_FAST_INTERVAL_NS
				: UINT64_MAX;
}

/* Count how often the event came, whatever its period was. */
static uint64_t read_count(const struct rec_open_set *open, size_t idx)
{
	uint64_t sum = 0;

	for (size_t i = open->first[idx]; i < open->first[idx + 1]; i++) {
		uint64_t words[READ_WORDS_MAX];

		if (read(open->fds[i].fd, words, sizeof(words)) > 0)
			sum += words[0];
	}
	return sum;
}

/* Say once what is done about it. */
static void say(struct rec_fast_events *fast, const struct rec_event_list *list,
		size_t idx, uint64_t rate_hz, FILE *out)
{
	struct rec_fast_event *its = &fast->events[idx];

	if (its->is_said || !out)
		return;
	its->is_said = true;
	fprintf(out,
		"[ perfpair-record: %s comes %" PRIu64
		" times a second, and what causes it waits for the recording "
		"of each: ",
		rec_event_title(&list->events[idx]), rate_hz);
	if (its->is_slow)
		fprintf(out,
			"%" PRIu64 " samples a second and CPU are taken, whose "
			"periods tell how many they stand for; "
			"--no-tracepoint-rate takes each ]\n",
			fast->limit_hz);
	else
		fprintf(out, "%s ]\n",
			list->events[idx].has_no_rungs
				? "it can be opened with one rate only"
			: !rec_rate_may_cap(list, idx)
				? "each is needed; a --filter may leave some "
				  "out"
			: fast->limit_hz ? "the kernel takes no fewer samples"
					 : "--tracepoint-rate 10000 takes "
					   "fewer samples");
}

/* The limits are far from each other, so that it does not go to and fro. */
static void judge(struct rec_fast_events *fast,
		  const struct rec_event_list *list,
		  const struct rec_open_set *open, uint32_t idx,
		  uint64_t rate_hz, FILE *out)
{
	struct rec_fast_event *its = &fast->events[idx];
	bool may_be_slow = fast->limit_hz && rec_rate_may_cap(list, idx);

	if (its->is_slow && rate_hz <= fast->limit_hz / 2)
		its->is_slow = rec_open_set_climb(open, idx, 0) != 0;
	else if (!its->is_slow && may_be_slow && rate_hz > fast->limit_hz)
		its->is_slow = rec_open_set_climb(open, idx, 1) == 0;
	if (its->is_slow ||
	    (rate_hz > FAST_HZ && !(may_be_slow && rate_hz <= fast->limit_hz)))
		say(fast, list, idx, rate_hz, out);
}

/* Leave it to the budget, which goes back to each event. */
static void forget(struct rec_fast_events *fast,
		   const struct rec_event_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		fast->events[i].is_slow = false;
	fast->slow_nr = 0;
	fast->has_counts = false;
}

void rec_fast_events_look(struct rec_fast_events *fast,
			  const struct rec_event_list *list,
			  const struct rec_open_set *open,
			  const struct rec_fast_look *at, FILE *out)
{
	uint64_t passed_ns = at->now_ns - fast->seen_ns;
	uint64_t limit_hz = fast->limit_hz ? fast->limit_hz : FAST_HZ;
	double came = (double)(at->sample_nr - fast->seen_nr);
	bool had_counts = fast->has_counts;

	if (passed_ns < REC_FAST_INTERVAL_NS)
		return;
	fast->has_counts = fast->slow_nr ||
			   came > (double)limit_hz * (double)passed_ns / 1e9;
	fast->seen_ns = at->now_ns;
	fast->seen_nr = at->sample_nr;
	fast->slow_nr = 0;
	if (at->is_lowered)
		forget(fast, list);
	for (uint32_t i = 0; fast->has_counts && i < list->nr; i++) {
		struct rec_fast_event *its = &fast->events[i];
		uint64_t nr;

		if (!is_whole(&list->events[i]))
			continue;
		nr = read_count(open, i) - its->count;
		its->count += nr;
		if (had_counts)
			judge(fast, list, open, i,
			      (uint64_t)((double)nr / (double)passed_ns * 1e9),
			      out);
		fast->slow_nr += its->is_slow;
	}
}
