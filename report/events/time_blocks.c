#include "report/events/time_blocks.h"

#include <stddef.h>

/* Return whether all samples have times.  If records other than samples have
 * none, the order of the file counts, and samples are taken for having none. */
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

static bool is_recorded(const struct pd_reader *reader,
			struct pd_sample_time *ret)
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

	if (!(q->filter->asked & RPT_FILTER_TIME_OR_CPU))
		return events->nr == 1 ? pd_sample_time_of(
						 &events->events[0].layout, rec)
				       : pd_event_set_time_of(events, rec);
	event = pd_event_set_of_record(events, rec);
	if (!event || pd_sample_read(&event->layout, rec, &sample, NULL) ||
	    !rpt_filter_sample_time(q->filter, &sample))
		return 0;
	return sample.time_ns;
}

static struct rpt_time_question *question_of(struct rpt_scan_listener *listener)
{
	return (struct rpt_time_question *)((char *)listener -
					    offsetof(struct rpt_time_question,
						     listener));
}

static void widen(struct pd_sample_time *span,
		  const struct pd_sample_time *more)
{
	if (more->first_ns < span->first_ns)
		span->first_ns = more->first_ns;
	if (more->last_ns > span->last_ns)
		span->last_ns = more->last_ns;
}

static void begin(struct rpt_scan_listener *listener,
		  const struct rpt_file_chunks *chunks,
		  const struct pd_reader *reader)
{
	struct rpt_time_question *q = question_of(listener);

	(void)chunks;
	(void)reader;
	for (uint32_t i = 0; i < RPT_THREADS_MAX; i++)
		q->spans[i] = (struct pd_sample_time){ UINT64_MAX, 0 };
}

static bool add(struct rpt_scan_listener *listener, uint32_t thread,
		struct pd_record_span span)
{
	struct rpt_time_question *q = question_of(listener);
	struct pd_record rec;

	if (span.next.type != PD_RECORD_SAMPLE)
		return true;
	while (pd_record_span_next(&span, &rec)) {
		uint64_t time_ns = read_time(q, &rec);

		/* 0 does not count; a damaged record has ~0 */
		if (time_ns && time_ns != UINT64_MAX)
			widen(&q->spans[thread],
			      &(struct pd_sample_time){ time_ns, time_ns });
	}
	return true;
}

void rpt_time_question_init(struct rpt_time_question *q,
			    const struct pd_reader *reader,
			    const struct rpt_filter *filter)
{
	*q = (struct rpt_time_question){
		.listener = { .begin = begin, .add = add, .needs_all = true },
		.reader = reader,
		.filter = filter,
		.is_timeless = !have_times(pd_reader_events(reader)),
	};
	begin(&q->listener, NULL, reader);
	q->is_recorded = !(filter->asked & RPT_FILTER_TIME) &&
			 is_recorded(reader, &q->spans[0]);
}

struct rpt_time_blocks rpt_time_blocks_of(const struct rpt_time_question *q,
					  uint32_t nr)
{
	struct pd_sample_time span = q->spans[0];
	uint64_t span_ns;

	for (uint32_t i = 1; i < RPT_THREADS_MAX; i++)
		if (q->spans[i].last_ns)
			widen(&span, &q->spans[i]);
	if (q->is_timeless || is_empty(&span))
		return (struct rpt_time_blocks){ 0 };
	span_ns = span.last_ns - span.first_ns;
	return (struct rpt_time_blocks){
		.nr = nr,
		.len_ns = span_ns / nr + 1,
		.first_ns = span.first_ns,
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
		span.end =
			(struct rpt_timestamp){ start_ns + blocks->len_ns, 0 };
	return span;
}
