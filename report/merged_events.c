#include "report/merged_events.h"

#include "format/buf.h"
#include "report/event_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The names of one recording's events, and how often each has come. */
struct seen {
	struct rpt_intern names;
	uint32_t *counts;
};

static const struct pd_event *event_of(const struct rpt_merged_events *merged,
				       uint32_t number)
{
	const struct rpt_merged_event *item = &merged->items[number];

	return &merged->sets[item->input]->events[item->idx];
}

static int grow(struct rpt_merged_events *merged, size_t event_nr)
{
	size_t input_nr = (size_t)merged->input_nr + 1;
	void *grown = reallocarray(merged->items, merged->nr + event_nr + 1,
				   sizeof(*merged->items));

	if (!grown)
		return -ENOMEM;
	merged->items = grown;
	grown = reallocarray(merged->sets, input_nr,
			     sizeof(const struct pd_event_set *));
	if (!grown)
		return -ENOMEM;
	merged->sets = grown;
	grown = reallocarray(merged->numbers, input_nr, sizeof(uint32_t *));
	if (!grown)
		return -ENOMEM;
	merged->numbers = grown;
	merged->numbers[input_nr - 1] =
		calloc(event_nr + 1, sizeof(**merged->numbers));
	return merged->numbers[input_nr - 1] ? 0 : -ENOMEM;
}

/* The number of the event of that name that has so many namesakes before it. */
static int64_t number_of(struct rpt_merged_events *merged, const char *name,
			 uint32_t nth)
{
	struct pd_buf buf = PD_BUF_INIT;
	int64_t idx;

	pd_buf_u32(&buf, nth);
	pd_buf_bytes(&buf, name, strlen(name));
	idx = pd_buf_status(&buf);
	if (!idx)
		idx = rpt_intern(&merged->keys, buf.data, buf.len);
	pd_buf_release(&buf);
	return idx;
}

static int add_event(struct rpt_merged_events *merged, struct seen *seen,
		     uint32_t idx)
{
	uint32_t input = merged->input_nr - 1;
	char buf[RPT_EVENT_NAME_LEN];
	const char *name =
		rpt_event_name(&merged->sets[input]->events[idx], buf);
	int64_t place = rpt_intern(&seen->names, name, strlen(name));
	int64_t number =
		place < 0 ? place
			  : number_of(merged, name, seen->counts[place]++);

	if (number < 0)
		return -ENOMEM;
	merged->numbers[input][idx] = (uint32_t)number;
	if (number == merged->nr)
		merged->items[merged->nr++] =
			(struct rpt_merged_event){ input, idx };
	return 0;
}

int rpt_merged_events_add(struct rpt_merged_events *merged,
			  const struct pd_event_set *events)
{
	struct seen seen = { .counts = calloc(events->nr + 1,
					      sizeof(*seen.counts)) };
	int rc = seen.counts ? grow(merged, events->nr) : -ENOMEM;

	if (!rc)
		merged->sets[merged->input_nr++] = events;
	for (uint32_t i = 0; i < events->nr && !rc; i++)
		rc = add_event(merged, &seen, i);
	rpt_intern_release(&seen.names);
	free(seen.counts);
	return rc;
}

void rpt_merged_events_release(struct rpt_merged_events *merged)
{
	for (uint32_t i = 0; i < merged->input_nr; i++)
		free(merged->numbers[i]);
	rpt_intern_release(&merged->keys);
	free(merged->numbers);
	free(merged->sets);
	free(merged->items);
	*merged = (struct rpt_merged_events){ 0 };
}

uint32_t rpt_merged_events_group(const struct rpt_merged_events *merged,
				 uint32_t number)
{
	const struct pd_event *lead = event_of(merged, number);
	const struct rpt_merged_event *item = &merged->items[number];
	uint32_t nr = lead->member_nr;

	if (lead->leader_idx != item->idx || nr < 2 ||
	    nr > merged->sets[item->input]->nr - item->idx ||
	    nr > merged->nr - number)
		return 1;
	for (uint32_t m = 1; m < nr; m++) {
		if (merged->items[number + m].input != item->input ||
		    merged->items[number + m].idx != item->idx + m)
			return 1;
	}
	return nr;
}
