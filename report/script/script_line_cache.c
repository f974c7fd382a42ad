#include "report/script/script_line_cache.h"

#include "report/script/script_line.h"

#include <stdlib.h>

/* Whether samples that differ by the time alone are shown alike. */
static bool may_repeat(const struct rpt_script *script)
{
	return !(script->conf.filter->asked & RPT_FILTER_TIME) &&
	       !script->conf.is_stitched &&
	       !pd_event_set_has_data_for_id(script->events);
}

void rpt_script_repeats_begin(struct rpt_script *script)
{
	if (!script->repeats && may_repeat(script))
		script->repeats =
			calloc(RPT_SCRIPT_REPEATS_NR, sizeof(*script->repeats));
	for (int i = 0; script->repeats && i < RPT_SCRIPT_REPEATS_NR; i++)
		script->repeats[i].seen = NULL;
}

/* Where samples of the same task are: by the word in front of the time. */
static struct rpt_script_line_cache *
slot_of(struct rpt_script *script, const struct pd_record *rec, size_t time_off)
{
	uint64_t task;

	memcpy(&task, rec->data + time_off - sizeof(task), sizeof(task));
	task *= UINT64_C(0x9e3779b97f4a7c15);
	return &script->repeats[task >> 32 & (RPT_SCRIPT_REPEATS_NR - 1)];
}

/* Whether rec is that one but for the time. */
static bool is_alike(const struct pd_record *rec, const uint8_t *data,
		     size_t time_off)
{
	size_t tail_off = time_off + sizeof(uint64_t);

	return !memcmp(rec->data, data, time_off) &&
	       !memcmp(rec->data + tail_off, data + tail_off,
		       rec->len - tail_off);
}

static void print(struct rpt_script *script,
		  const struct rpt_script_line_cache *repeat, uint64_t time_ns)
{
	struct rpt_text *t = &script->text;

	rpt_text_put(t, repeat->text, repeat->head_len);
	rpt_script_print_times(script, repeat->fields, time_ns);
	rpt_text_put(t, repeat->text + repeat->head_len,
		     repeat->text_len - repeat->head_len);
}

static void prepare(struct rpt_script *script,
		    struct rpt_script_line_cache *repeat)
{
	if (RPT_TEXT_LEN - script->text.len < RPT_SCRIPT_LINE_CACHE_TEXT_LEN)
		rpt_text_flush(&script->text);
	repeat->start = script->text.len;
	repeat->start_out = script->text.heap->len;
}

bool rpt_script_line_cache_print(struct rpt_script *script,
				 const struct pd_event *event,
				 const struct pd_record *rec,
				 struct rpt_script_line_cache **ret)
{
	const struct pd_sample_layout *layout = &event->layout;
	size_t time_off = (size_t)layout->time_off;
	struct rpt_script_line_cache *repeat;
	struct rpt_when when;
	uint64_t time_ns;

	*ret = NULL;
	if (!script->repeats || layout->time_off < 0 ||
	    rec->len < time_off + sizeof(time_ns) ||
	    rec->len > RPT_SCRIPT_LINE_CACHE_RECORD_LEN)
		return false;
	repeat = slot_of(script, rec, time_off);
	if (repeat->len == rec->len && repeat->time_off == time_off &&
	    is_alike(rec, repeat->record, time_off)) {
		time_ns = pd_sample_time_of(layout, rec);
		when.time_ns = pd_event_set_order(script->events, time_ns);
		when.seq = rec->seq;
		if (rpt_span_has(&repeat->span, when)) {
			print(script, repeat, time_ns);
			return true;
		}
	}
	if (repeat->seen && repeat->seen_len == rec->len &&
	    is_alike(rec, repeat->seen, time_off)) {
		prepare(script, repeat);
		*ret = repeat;
	}
	repeat->seen = rec->data;
	repeat->seen_len = rec->len;
	return false;
}

void rpt_script_line_cache_keep(struct rpt_script *script,
				struct rpt_script_line_cache *repeat,
				const struct rpt_script_line *line,
				const struct pd_record *rec)
{
	const struct rpt_text *t = &script->text;
	size_t start = repeat->start, len = t->len - start;
	struct rpt_moment moment;

	repeat->len = 0;
	if (script->is_postponed || t->status || t->len <= start ||
	    t->heap->len != repeat->start_out || !line->times_end ||
	    len > RPT_SCRIPT_LINE_CACHE_TEXT_LEN)
		return;
	rpt_timeline_moment(script->conf.timeline, line->sample.pid,
			    line->sample.tid, line->when, &moment);
	repeat->span = moment.span;
	repeat->fields = line->fields;
	repeat->head_len = (uint32_t)(line->times_start - start);
	len -= line->times_end - line->times_start;
	memcpy(repeat->text, t->data + start, repeat->head_len);
	memcpy(repeat->text + repeat->head_len, t->data + line->times_end,
	       len - repeat->head_len);
	repeat->text_len = (uint32_t)len;
	memcpy(repeat->record, rec->data, rec->len);
	repeat->time_off = (uint16_t)line->event->layout.time_off;
	repeat->len = rec->len;
}
