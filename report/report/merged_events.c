#include "report/report/merged_events.h"

#include "report/base/memory.h"

#include <stdlib.h>

static const struct pd_event *event_of(const struct rpt_merged_events *merged,
				       uint32_t number)
{
	const struct rpt_merged_event *item = &merged->items[number];

	return &merged->sets[item->input]->events[item->idx];
}

void rpt_merged_events_add(struct rpt_merged_events *merged,
			   const struct pd_event_set *events)
{
	uint32_t input = merged->input_nr++;
	uint32_t *numbers =
		rpt_alloc_zeroed(events->nr, sizeof(**merged->numbers));

	merged->items = rpt_realloc_array(
		merged->items, merged->nr + events->nr, sizeof(*merged->items));
	merged->sets = rpt_realloc_array(merged->sets, input + 1,
					 sizeof(const struct pd_event_set *));
	merged->numbers = rpt_realloc_array(merged->numbers, input + 1,
					    sizeof(uint32_t *));
	merged->sets[input] = events;
	merged->numbers[input] = numbers;
	merged->match.is_strict = true;
	rpt_event_match_add(&merged->match, events, numbers);
	for (uint32_t i = 0; i < events->nr; i++) {
		if (numbers[i] == merged->nr)
			merged->items[merged->nr++] =
				(struct rpt_merged_event){ input, i };
	}
}

void rpt_merged_events_release(struct rpt_merged_events *merged)
{
	for (uint32_t i = 0; i < merged->input_nr; i++)
		free(merged->numbers[i]);
	rpt_event_match_release(&merged->match);
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
