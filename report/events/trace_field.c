#include "report/events/trace_field.h"

#include "format/file/layout.h"
#include "report/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <event-parse.h>
#include <trace-seq.h>

#define ALL_FIELDS "trace_fields"
#define RAW_SUFFIX "/raw"

/* Return false if the field is not of 1, 2, 4 or 8 bytes. */
static bool number_of(struct rpt_raw_number *ret,
		      const struct tep_format_field *field)
{
	if (!field || field->offset < 0 || field->size < 1 || field->size > 8 ||
	    (field->size & (field->size - 1)))
		return false;
	*ret = (struct rpt_raw_number){
		.off = (uint32_t)field->offset,
		.len = (uint32_t)field->size,
		.is_signed = field->flags & TEP_FIELD_IS_SIGNED,
	};
	return true;
}

bool rpt_raw_number_find(struct rpt_raw_number *ret,
			 const struct tep_event *event, const char *name)
{
	return number_of(
		ret,
		tep_find_any_field((struct tep_event *)(uintptr_t)event, name));
}

bool rpt_raw_number_read(const struct rpt_raw_number *number,
			 const struct rpt_tracepoints *tracepoints,
			 const struct pd_sample *sample, uint64_t *ret)
{
	unsigned shift = 64 - 8 * number->len;

	if (!number->len || number->off > sample->raw_len ||
	    number->len > sample->raw_len - number->off)
		return false;
	*ret = tep_read_number(rpt_tracepoint_tep(tracepoints),
			       sample->raw + number->off, (int)number->len);
	if (number->is_signed)
		*ret = (uint64_t)((int64_t)(*ret << shift) >> shift);
	return true;
}

/* The parts of a key. */
struct wanted {
	struct pd_str event; /* ptr NULL: any */
	struct pd_str field; /* ptr NULL: all */
	bool is_raw;
};

static bool ends_with(struct pd_str s, const char *suffix)
{
	size_t len = strlen(suffix);

	return s.len >= len && !memcmp(s.ptr + s.len - len, suffix, len);
}

static struct wanted parse_key(struct pd_str key)
{
	struct wanted w = { .is_raw = ends_with(key, RAW_SUFFIX) };
	const char *dot;

	if (w.is_raw)
		key.len -= strlen(RAW_SUFFIX);
	if (pd_str_eq(key, ALL_FIELDS))
		return w;
	dot = memchr(key.ptr, '.', key.len);
	if (dot) {
		w.event = (struct pd_str){ key.ptr, (size_t)(dot - key.ptr) };
		key.len -= w.event.len + 1;
		key.ptr = dot + 1;
	}
	if (!dot || !pd_str_eq(key, "*"))
		w.field = key;
	return w;
}

/* Return whether name, "system:name" or the name alone, is that of the event.
 */
static bool is_event(const struct tep_event *event, struct pd_str name)
{
	size_t system_len = strlen(event->system);

	if (!name.ptr || pd_str_eq(name, event->name))
		return true;
	return name.len > system_len && name.ptr[system_len] == ':' &&
	       !memcmp(name.ptr, event->system, system_len) &&
	       pd_str_eq((struct pd_str){ name.ptr + system_len + 1,
					  name.len - system_len - 1 },
			 event->name);
}

struct found {
	struct rpt_trace_field *ret;
	size_t nr, max;
};

/* Add the fields of a list that are wanted. */
static void add_wanted(struct found *found, const struct wanted *w,
		       uint32_t event_idx, const struct tep_format_field *list)
{
	for (const struct tep_format_field *f = list; f; f = f->next) {
		if (w->field.ptr && !pd_str_eq(w->field, f->name))
			continue;
		if (found->nr < found->max)
			found->ret[found->nr] =
				(struct rpt_trace_field){ event_idx, w->is_raw,
							  f };
		found->nr++;
	}
}

size_t rpt_trace_fields_find(const struct rpt_tracepoints *tracepoints,
			     const struct pd_event_set *events,
			     struct pd_str key, struct rpt_trace_field *ret,
			     size_t max)
{
	struct found found = { ret, 0, max };
	struct wanted w = parse_key(key);

	if (tracepoints && rpt_tracepoints_are_raw(tracepoints))
		w.is_raw = true;

	for (size_t i = 0; i < events->nr && tracepoints; i++) {
		const struct pd_attr *attr = &events->events[i].attr;
		const struct tep_event *event =
			attr->type == PD_TYPE_TRACEPOINT
				? rpt_tracepoint_event(tracepoints,
						       attr->config)
				: NULL;

		if (!event || !is_event(event, w.event))
			continue;
		if (w.field.ptr)
			add_wanted(&found, &w, (uint32_t)i,
				   event->format.common_fields);
		add_wanted(&found, &w, (uint32_t)i, event->format.fields);
	}
	return found.nr;
}

const char *rpt_trace_field_name(const struct rpt_trace_field *field)
{
	return field->field->name;
}

bool rpt_trace_field_number(const struct rpt_trace_field *field,
			    struct rpt_raw_number *ret)
{
	return !(field->field->flags &
		 (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING |
		  TEP_FIELD_IS_DYNAMIC)) &&
	       number_of(ret, field->field);
}

void rpt_trace_field_key(const struct rpt_trace_field *field, char *buf,
			 size_t len)
{
	const struct tep_event *event = field->field->event;

	snprintf(buf, len, "%s:%s.%s%s", event->system, event->name,
		 field->field->name, field->is_raw ? RAW_SUFFIX : "");
}

struct pd_str rpt_trace_field_bytes(const struct rpt_tracepoints *tracepoints,
				    const struct rpt_trace_field *field,
				    struct pd_str raw)
{
	const struct tep_format_field *f = field->field;
	size_t off = (size_t)f->offset, len = (size_t)f->size;

	if (f->offset < 0 || f->size < 0 || off > raw.len ||
	    len > raw.len - off)
		return (struct pd_str){ NULL, 0 };
	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		uint64_t where =
			tep_read_number(rpt_tracepoint_tep(tracepoints),
					raw.ptr + off, f->size);

		if (f->flags & TEP_FIELD_IS_RELATIVE)
			where += off + len;
		off = where & 0xffff;
		len = where >> 16 & 0xffff;
		if (off > raw.len || len > raw.len - off)
			return (struct pd_str){ NULL, 0 };
	}
	return (struct pd_str){ raw.ptr + off, len };
}

/* Return what stands behind "name=" up to a blank; its ptr is NULL if "name="
 * is not there. */
static struct pd_str value_of(const char *name, const char *whole)
{
	size_t name_len = strlen(name);

	while (*whole) {
		size_t len = strcspn(whole, " ");

		if (len > name_len && !strncmp(whole, name, name_len))
			return (struct pd_str){ whole + name_len + 1,
						len - name_len - 1 };
		whole += len;
		whole += *whole == ' ';
	}
	return (struct pd_str){ NULL, 0 };
}

uint32_t rpt_trace_field_width(const struct rpt_trace_field *field,
			       const char *whole, struct pd_str bytes)
{
	const struct tep_format_field *f = field->field;
	struct pd_str value = { NULL, 0 };
	size_t name_len = strlen(f->name), len = (size_t)f->size;

	if (!(f->flags & TEP_FIELD_IS_STRING))
		len = len * 2 + 2; /* "0x" and the digits */
	if (!field->is_raw)
		value = value_of(f->name, whole);
	if (value.ptr && value.len > len)
		len = value.len;
	if (bytes.ptr && (f->flags & TEP_FIELD_IS_DYNAMIC) && bytes.len > len)
		len = bytes.len;
	return (uint32_t)(name_len > len ? name_len : len);
}

static char *data_text(struct rpt_tracepoints *tracepoints,
		       const struct tep_format_field *field,
		       const uint8_t *room)
{
	struct trace_seq seq;
	char *text;

	trace_seq_init(&seq);
	rpt_tracepoint_put_field(tracepoints, field, room, &seq);
	trace_seq_terminate(&seq);
	text = rpt_alloc_safe(seq.buffer, seq.len, SUP_SAFE_NAME);
	trace_seq_destroy(&seq);
	return text;
}

char *rpt_trace_field_text(struct rpt_tracepoints *tracepoints,
			   const struct rpt_trace_field *field,
			   struct pd_str raw, const char *whole)
{
	struct pd_str value = { NULL, 0 };
	const uint8_t *room;

	if (!field->is_raw)
		value = value_of(field->field->name, whole);
	if (value.ptr)
		return rpt_alloc_text(value.ptr, value.len);
	room = rpt_tracepoint_room(tracepoints, field->field->event,
				   (const uint8_t *)raw.ptr, raw.len);
	if (!room)
		return rpt_alloc_text("", 0);
	return data_text(tracepoints, field->field, room);
}
