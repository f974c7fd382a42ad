#include "report/events/time_blocks.h"

/* Of a file whose records other than samples have none, the place in the file
 * is the order. */
static bool have_times(const struct pd_event_set *events)
{
	if (events->is_file_ordered)
		return false;
	for (size_t i = 0; i < events->nr; i++) {
		if (events->events[i].layout.time_off < 0)
			return false;
	}
	return events->nr;
}

static bool is_empty(const struct pd_sample_time *span)
{
	return span->first_ns >= span->last_ns;
}

static bool is_told(const struct pd_reader *reader, struct pd_sample_time *ret)
{
	struct pd_cursor c;

	return pd_reader_feature(reader, PD_FEATURE_SAMPLE_TIME, &c) &&
	       !pd_feature_sample_time_read(&c, ret) && !is_empty(ret);
}

static uint64_t read_time(const struct rpt_time_question *q,
			  const struct pd_record *rec)
{
	const struct pd_event_set *events = pd_reader_events(q->reader);
	const struct pd_event *event;
	struct pd_sample sample;

	if (!(q->filter->asked & RPT_FILTER_MOMENT))
		return events->nr == 1 ? pd_sample_time_of(
						 &events->events[0].layout, rec)
				       : pd_event_set_time_of(events, rec);
	event = pd_event_set_of_record(events, rec);
	if (!event || pd_sample_read(&event->layout, rec, &sample, NULL) ||
	    !rpt_filter_sample_moment(q->filter, &sample))
		return 0;
	return sample.time_ns;
}

/* ~0 is how a damaged record tells no time. */
static uint64_t time_of(const void *ctx, const struct pd_record *rec)
{
	uint64_t time_ns = read_time(ctx, rec);

	return time_ns == UINT64_MAX ? 0 : time_ns;
}

void rpt_time_question_init(struct rpt_time_question *q,
			    const struct pd_reader *reader,
			    const struct rpt_filter *filter)
{
	*q = (struct rpt_time_question){
		.reader = reader,
		.filter = filter,
		.ask = { .time_of = time_of,
			 .ctx = q,
			 .counts_all = !(filter->asked & RPT_FILTER_MOMENT) },
		.is_hopeless = !have_times(pd_reader_events(reader)),
	};
	q->is_told = !(filter->asked & RPT_FILTER_TIME) &&
		     is_told(reader, &q->ask.span);
}

struct rpt_time_ask *rpt_time_question_ask(struct rpt_time_question *q)
{
	return q->is_hopeless || q->is_told ? NULL : &q->ask;
}

struct rpt_time_blocks rpt_time_blocks_of(const struct rpt_time_question *q,
					  uint32_t nr)
{
	const struct pd_sample_time *span = &q->ask.span;
	uint64_t span_ns;

	if (q->is_hopeless || is_empty(span))
		return (struct rpt_time_blocks){ 0 };
	span_ns = span->last_ns - span->first_ns;
	return (struct rpt_time_blocks){
		.nr = nr,
		.len_ns = span_ns / nr + 1,
		.first_ns = span->first_ns,
		.span_ns = span_ns,
	};
}

uint32_t rpt_time_block_at(const struct rpt_time_blocks *blocks,
			   uint64_t time_ns)
{
	uint64_t block;

	if (!blocks->nr || time_ns < blocks->first_ns)
		return 0;
	block = (time_ns - blocks->first_ns) / blocks->len_ns;
	return block < blocks->nr ? (uint32_t)block : blocks->nr - 1;
}

struct rpt_span rpt_time_block_span(const struct rpt_time_blocks *blocks,
				    uint32_t idx)
{
	struct rpt_span span = RPT_SPAN_ALL;
	uint64_t start_ns = blocks->first_ns + idx * blocks->len_ns;

	if (idx)
		span.start.time_ns = start_ns;
	if (idx + 1 < blocks->nr)
		span.end = (struct rpt_when){ start_ns + blocks->len_ns, 0 };
	return span;
}
