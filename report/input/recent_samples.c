#include "report/input/recent_samples.h"

int32_t rpt_sample_time_off(const struct pd_event_set *events,
			    const struct pd_record *rec)
{
	const struct pd_event *event =
		rec->type == PD_RECORD_SAMPLE
			? pd_event_set_of_record(events, rec)
			: NULL;
	int32_t off = event ? event->layout.time_off : -1;

	return off >= 0 && off + (int32_t)sizeof(uint64_t) <= rec->len ? off
								       : -1;
}

/* Find out which parts of a record count. */
static struct rpt_recent_sample
parts_of(const struct rpt_recent_samples *recent, const struct pd_record *rec)
{
	int32_t time_off = rpt_sample_time_off(recent->events, rec);
	struct rpt_recent_sample ret = { .time_off = time_off,
					 .len = rec->len };
	const struct pd_event *event = NULL;
	uint16_t raw_off = rec->len, raw_len = 0;
	struct pd_sample sample;

	if (time_off >= 0) {
		ret.head_len = (uint16_t)time_off;
		ret.middle_off = (uint16_t)(ret.head_len + sizeof(uint64_t));
	}
	if (time_off >= 0 && !recent->by_raw)
		event = pd_event_set_of_record(recent->events, rec);
	if (event && event->layout.sample_type & PD_SAMPLE_RAW &&
	    !pd_sample_read(&event->layout, rec, &sample, NULL) &&
	    sample.raw_len) {
		raw_off = (uint16_t)(sample.raw - rec->data);
		raw_len = (uint16_t)sample.raw_len;
	}
	ret.middle_len = (uint16_t)(raw_off - ret.middle_off);
	ret.tail_off = (uint16_t)(raw_off + raw_len);
	ret.tail_len = (uint16_t)(rec->len - ret.tail_off);
	return ret;
}

bool rpt_recent_samples_find(struct rpt_recent_samples *recent,
			     const struct pd_record *rec)
{
	for (uint8_t i = 0; i < RPT_RECENT_SAMPLES_NR; i++) {
		uint8_t idx = (recent->idx + i) % RPT_RECENT_SAMPLES_NR;
		const struct rpt_recent_sample *item = &recent->items[idx];

		if (!item->data || item->len != rec->len ||
		    !rpt_recent_sample_equals(item, rec->data))
			continue;
		recent->idx = idx;
		return true;
	}
	recent->idx = (recent->idx + 1) % RPT_RECENT_SAMPLES_NR;
	recent->items[recent->idx] = parts_of(recent, rec);
	return false;
}
