#include "report/script/script_line_cache.h"

#include "report/base/memory.h"
#include "report/script/script_line.h"

#include <stdlib.h>

#define SLOTS_NR   16u /* tasks that take turns */
#define RECORD_LEN 1024u
#define TEXT_LEN   4096u

/* The latest sample of some tasks, and its line. */
struct slot {
	uint16_t len; /* of record; 0: free */
	uint16_t time_off;
	struct rpt_span span; /* when the line prints so */
	size_t head_len;      /* of text: what stands before the time */
	size_t text_len;      /* 0: the line is not kept */
	uint64_t fields;      /* RPT_FIELD_* of the line */
	uint8_t record[RECORD_LEN];
	char text[TEXT_LEN];
};

struct rpt_script_line_cache {
	struct slot slots[SLOTS_NR];
	struct slot *keep;  /* where the next line is kept; NULL: it is not */
	size_t start;	    /* of that line in script->text ... */
	size_t written_len; /* ... which had put so much into its heap */
};

struct rpt_script_line_cache *
rpt_script_line_cache_new(const struct rpt_script *script)
{
	if ((script->setup->filter.asked & RPT_FILTER_TIME) ||
	    script->setup->args->stitch_lbr ||
	    pd_event_set_has_data_for_id(script->events))
		return NULL;
	return rpt_alloc_zeroed(1, sizeof(struct rpt_script_line_cache));
}

void rpt_script_line_cache_free(struct rpt_script_line_cache *cache)
{
	free(cache);
}

/* Return the slot for samples of the same task, by the word in front of the
 * time. */
static struct slot *slot_of(struct rpt_script_line_cache *cache,
			    const struct pd_record *rec, size_t time_off)
{
	uint64_t task;

	memcpy(&task, rec->data + time_off - sizeof(task), sizeof(task));
	task *= UINT64_C(0x9e3779b97f4a7c15);
	return &cache->slots[(task >> 32) % SLOTS_NR];
}

/* Return whether rec is the slot's record but for the time. */
static bool is_alike(const struct slot *slot, const struct pd_record *rec,
		     size_t time_off)
{
	size_t tail_off = time_off + sizeof(uint64_t);

	return slot->len == rec->len && slot->time_off == time_off &&
	       !memcmp(rec->data, slot->record, time_off) &&
	       !memcmp(rec->data + tail_off, slot->record + tail_off,
		       rec->len - tail_off);
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

/* Remember where the line begins that is to be kept in slot. */
static void begin_line(struct rpt_script *script, struct slot *slot)
{
	if (RPT_TEXT_LEN - script->text.len < TEXT_LEN)
		rpt_text_flush(&script->text);
	slot->text_len = 0;
	script->line_cache->keep = slot;
	script->line_cache->start = script->text.len;
	script->line_cache->written_len = script->text.heap->len;
}

bool rpt_script_line_cache_print(struct rpt_script *script,
				 const struct pd_record *rec)
{
	struct rpt_script_line_cache *cache = script->line_cache;
	const struct pd_event *event;
	size_t time_off;
	struct slot *slot;

	if (!cache)
		return false;
	cache->keep = NULL;
	event = pd_event_set_of_record(script->events, rec);
	if (!event || event->layout.time_off < 0 || rec->len > RECORD_LEN ||
	    rec->len < (size_t)event->layout.time_off + sizeof(uint64_t))
		return false;
	time_off = (size_t)event->layout.time_off;
	slot = slot_of(cache, rec, time_off);
	if (is_alike(slot, rec, time_off)) {
		uint64_t time_ns = pd_sample_time_of(&event->layout, rec);
		struct rpt_timestamp when = {
			pd_event_set_order(script->events, time_ns), rec->seq
		};

		if (slot->text_len && rpt_span_has(&slot->span, when)) {
			print_line(script, slot, time_ns);
			return true;
		}
		begin_line(script, slot);
		return false;
	}
	memcpy(slot->record, rec->data, rec->len);
	slot->len = rec->len;
	slot->time_off = (uint16_t)time_off;
	slot->text_len = 0;
	return false;
}

void rpt_script_line_cache_keep(struct rpt_script *script,
				const struct rpt_script_line *line)
{
	struct rpt_script_line_cache *cache = script->line_cache;
	const struct rpt_text *t = &script->text;
	struct slot *slot = cache ? cache->keep : NULL;
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
