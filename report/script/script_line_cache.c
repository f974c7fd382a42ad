#include "report/script/script_line.h"

#include "report/base/memory.h"
#include "report/input/recent_samples.h"

#include <stdlib.h>

#define RECORD_LEN 1024u
#define TEXT_LEN   4096u

/* A recent sample and its line, which is known once the sample came twice. */
struct slot {
	struct rpt_span span; /* when the line prints so */
	size_t head_len;      /* of text: what stands before the time */
	size_t text_len;      /* 0: the line is not known */
	uint64_t fields;      /* RPT_FIELD_* of the line */
	uint8_t record[RECORD_LEN];
	char text[TEXT_LEN];
};

struct rpt_script_line_cache {
	struct rpt_recent_samples recent;
	struct slot slots[RPT_RECENT_SAMPLES_NR]; /* by recent.idx */
	struct slot *open;  /* for the line that comes next; NULL: none */
	size_t start;	    /* of that line in script->text ... */
	size_t written_len; /* ... which had put so much into its heap */
};

struct rpt_script_line_cache *
rpt_script_line_cache_new(const struct rpt_script *script)
{
	struct rpt_script_line_cache *cache;

	if ((script->setup->filter.asked & RPT_FILTER_TIME) ||
	    script->setup->args->stitch_lbr ||
	    pd_event_set_has_data_for_id(script->events))
		return NULL;
	cache = rpt_alloc_zeroed(1, sizeof(*cache));
	cache->recent.events = script->events;
	cache->recent.by_raw = true;
	return cache;
}

static void print_line(struct rpt_script *script, const struct slot *slot,
		       uint64_t time_ns)
{
	struct rpt_text *t = &script->text;

	rpt_text_put(t, slot->text, slot->head_len);
	rpt_script_print_times(script, slot->fields, time_ns);
	rpt_text_put(t, slot->text + slot->head_len,
		     slot->text_len - slot->head_len);
}

/* Remember where the line begins that slot is for. */
static void open_slot(struct rpt_script *script, struct slot *slot)
{
	if (RPT_TEXT_LEN - script->text.len < TEXT_LEN)
		rpt_text_flush(&script->text);
	slot->text_len = 0;
	script->line_cache->open = slot;
	script->line_cache->start = script->text.len;
	script->line_cache->written_len = script->text.heap->len;
}

bool rpt_script_line_cache_print(struct rpt_script *script,
				 const struct pd_record *rec)
{
	struct rpt_script_line_cache *cache = script->line_cache;
	struct rpt_timestamp when = { .seq = rec->seq };
	struct rpt_recent_sample *recent;
	struct slot *slot;
	uint64_t time_ns;
	bool is_equal;

	if (!cache)
		return false;
	cache->open = NULL;
	if (rec->len > RECORD_LEN)
		return false;
	is_equal = rpt_recent_samples_find(&cache->recent, rec);
	recent = &cache->recent.items[cache->recent.idx];
	slot = &cache->slots[cache->recent.idx];
	if (!is_equal) {
		recent->data = memcpy(slot->record, rec->data, rec->len);
		slot->text_len = 0;
		return false;
	}
	if (recent->time_off < 0)
		return false;
	time_ns = pd_event_set_time_of_sample(script->events, rec);
	when.time_ns = pd_event_set_order(script->events, time_ns);
	if (slot->text_len && rpt_span_has(&slot->span, when)) {
		print_line(script, slot, time_ns);
		return true;
	}
	open_slot(script, slot);
	return false;
}

void rpt_script_line_cache_add(struct rpt_script *script,
			       const struct rpt_script_line *line)
{
	struct rpt_script_line_cache *cache = script->line_cache;
	const struct rpt_text *t = &script->text;
	struct slot *slot = cache ? cache->open : NULL;
	size_t start = cache ? cache->start : 0, len;

	if (!slot || t->status || !line->times_end || t->len <= start ||
	    t->heap->len != cache->written_len)
		return;
	len = t->len - start - (line->times_end - line->times_start);
	if (len > TEXT_LEN)
		return;
	slot->span = line->sample.task->span;
	slot->fields = line->fields;
	slot->head_len = line->times_start - start;
	memcpy(slot->text, t->data + start, slot->head_len);
	memcpy(slot->text + slot->head_len, t->data + line->times_end,
	       len - slot->head_len);
	slot->text_len = len;
}
