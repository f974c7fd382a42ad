#include "format/file/tracepoint_formats.h"

#include <stdlib.h>

static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
static const char page_name[] = "header_page";
static const char event_name[] = "header_event";

static struct pd_str take(struct pd_cursor *c, uint64_t len)
{
	const uint8_t *p = pd_cursor_bytes(c, len);

	return (struct pd_str){ (const char *)p, p ? (size_t)len : 0 };
}

static struct pd_str take_named(struct pd_cursor *c, const char *name)
{
	if (!pd_str_eq(pd_cursor_cstr(c), name))
		pd_cursor_fail(c, -EBADMSG, "no %s in tracing data", name);
	return take(c, pd_cursor_u64(c));
}

int pd_trace_head_read(struct pd_cursor *c, struct pd_trace_head *ret)
{
	const uint8_t *start = pd_cursor_bytes(c, sizeof(magic));

	if (start && memcmp(start, magic, sizeof(magic)) != 0)
		pd_cursor_fail(c, -EBADMSG, "tracing data has no magic");
	*ret = (struct pd_trace_head){ .version = pd_cursor_cstr(c) };
	ret->is_big = pd_cursor_u8(c) != 0;
	c->swap = ret->is_big != PD_HOST_IS_BIG_ENDIAN;
	ret->long_len = pd_cursor_u8(c);
	ret->page_len = pd_cursor_u32(c);
	ret->page = take_named(c, page_name);
	ret->event = take_named(c, event_name);
	return pd_cursor_status(c);
}

void pd_trace_head_write(struct pd_buf *b, const struct pd_trace_head *head)
{
	pd_buf_bytes(b, magic, sizeof(magic));
	pd_buf_cstr_pad(b, head->version, 1);
	pd_buf_u8(b, head->is_big);
	pd_buf_u8(b, head->long_len);
	pd_buf_u32(b, head->page_len);
	pd_buf_bytes(b, page_name, sizeof(page_name));
	pd_trace_text_write(b, head->page);
	pd_buf_bytes(b, event_name, sizeof(event_name));
	pd_trace_text_write(b, head->event);
}

void pd_trace_formats_init(struct pd_trace_formats *it, struct pd_cursor *c)
{
	*it = (struct pd_trace_formats){
		.c = c,
		.system = { "ftrace", 6 },
		.format_nr = pd_cursor_u32(c),
		.system_nr = UINT32_MAX,
	};
}

int pd_trace_formats_next(struct pd_trace_formats *it,
			  struct pd_trace_format *ret)
{
	struct pd_cursor *c = it->c;

	while (!it->format_nr && !pd_cursor_status(c)) {
		if (it->system_nr == UINT32_MAX)
			it->system_nr = pd_cursor_u32(c);
		if (!it->system_nr)
			return pd_cursor_status(c);
		it->system_nr--;
		it->system = pd_cursor_cstr(c);
		it->format_nr = pd_cursor_u32(c);
	}
	it->format_nr--;
	*ret = (struct pd_trace_format){
		.system = it->system,
		.text = take(c, pd_cursor_u64(c)),
	};
	return pd_cursor_status(c) ? pd_cursor_status(c) : 1;
}

/* True if the version, a number, is 0.6 or later.  Its text ends in a NUL,
 * since something was read behind it. */
static bool has_comms(const struct pd_trace_head *head)
{
	return strtod(head->version.ptr, NULL) >= 0.6;
}

int pd_trace_tail_read(struct pd_cursor *c, const struct pd_trace_head *head,
		       struct pd_trace_tail *ret)
{
	pd_cursor_skip(c, pd_cursor_u32(c)); /* kallsyms */
	*ret = (struct pd_trace_tail){ .printk = take(c, pd_cursor_u32(c)) };
	if (!pd_cursor_status(c) && has_comms(head))
		ret->comms = take(c, pd_cursor_u64(c));
	return pd_cursor_status(c);
}

void pd_trace_tail_write(struct pd_buf *b, const struct pd_trace_tail *tail)
{
	pd_buf_u32(b, 0); /* kallsyms */
	pd_buf_u32(b, (uint32_t)tail->printk.len);
	pd_buf_bytes(b, tail->printk.ptr, tail->printk.len);
	pd_trace_text_write(b, tail->comms);
}

void pd_trace_text_write(struct pd_buf *b, struct pd_str text)
{
	pd_buf_u64(b, text.len);
	pd_buf_bytes(b, text.ptr, text.len);
}
