#include "report/timeline/gap_marks.h"

#include "format/records/record_body.h"
#include "format/records/sample_id.h"
#include "report/base/compare.h"
#include "report/base/memory.h"

#include <stdlib.h>

static bool is_mark(uint32_t type)
{
	return type == PD_RECORD_LOST || type == PD_RECORD_THROTTLE ||
	       type == PD_RECORD_UNTHROTTLE;
}

/* Set the time, id and stream of the body. */
static uint64_t take_body(struct rpt_gap_mark *mark, const struct pd_body *body)
{
	if (mark->type == PD_RECORD_LOST) {
		mark->lost_nr = body->u.lost.lost_nr;
		mark->stream = body->u.lost.id;
		return body->u.lost.id;
	}
	mark->when.time_ns = body->u.throttle.time_ns;
	mark->stream = body->u.throttle.stream_id;
	return body->u.throttle.id;
}

static uint32_t event_of(const struct pd_event_set *events, uint64_t id)
{
	const struct pd_event *event = pd_event_set_by_id(events, id);

	if (!event && events->nr != 1)
		return RPT_GAP_ANY;
	return event ? (uint32_t)(event - events->events) : 0;
}

static void take_trailer(struct rpt_gap_mark *mark,
			 const struct pd_event *event,
			 const struct pd_record *rec)
{
	struct pd_sample_id id;

	if (pd_sample_id_read(&event->layout, rec, &id, NULL))
		return;
	if (id.present & PD_SAMPLE_CPU)
		mark->cpu = id.cpu;
	if (id.present & PD_SAMPLE_TIME)
		mark->when.time_ns = id.time_ns;
}

static void add(struct rpt_gap_marks *marks, const struct rpt_gap_mark *mark)
{
	if (marks->nr == RPT_GAP_MARKS_MAX)
		return;
	marks->items = rpt_grow(marks->items, &marks->cap, marks->nr,
				sizeof(*marks->items));
	marks->items[marks->nr++] = *mark;
}

void rpt_gap_marks_add(struct rpt_gap_marks *marks,
		       const struct pd_event_set *events,
		       const struct pd_record *rec)
{
	const struct pd_event *event;
	struct rpt_gap_mark mark = { .when.seq = rec->seq,
				     .type = rec->type,
				     .cpu = RPT_GAP_ANY };
	struct pd_body body;

	if (!is_mark(rec->type))
		return;
	event = pd_event_set_of_record(events, rec);
	if (pd_body_read(rec, event ? event->layout.id_len : 0, &body, NULL))
		return; /* the walk over all records reports it */
	mark.event_idx = event_of(events, take_body(&mark, &body));
	if (event)
		take_trailer(&mark, event, rec);
	add(marks, &mark);
}

void rpt_gap_marks_move(struct rpt_gap_marks *to, struct rpt_gap_marks *from)
{
	for (uint32_t i = 0; i < from->nr; i++)
		add(to, &from->items[i]);
	rpt_gap_marks_release(from);
}

static int compare(const void *a, const void *b)
{
	const struct rpt_gap_mark *x = a, *y = b;
	int order = rpt_compare_u64(x->when.time_ns, y->when.time_ns);

	return order ? order : rpt_compare_u64(x->when.seq, y->when.seq);
}

void rpt_gap_marks_sort(struct rpt_gap_marks *marks)
{
	if (marks->nr)
		qsort(marks->items, marks->nr, sizeof(*marks->items), compare);
}

void rpt_gap_marks_release(struct rpt_gap_marks *marks)
{
	free(marks->items);
	*marks = (struct rpt_gap_marks){ 0 };
}
