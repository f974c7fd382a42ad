/* Makes formats of tracepoints if TRACING_DATA is damaged or missing: perf
 * opens no file in which it ends early, or lacks the format of a tracepoint.
 * Formats that are whole are kept, even behind damage.  Others are made up:
 * they have the fields that all tracepoints begin with, so that samples can be
 * counted and shown.  FORMAT.md "Tracing data". */
#include "report/repair/repair_impl.h"

#include "format/file/tracepoint_formats.h"
#include "report/base/memory.h"
#include "report/events/tracepoint.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE_LEN = 4096, FORMAT_LEN = 512, LEN_LEN = 8 };

static const char ftrace[] = "ftrace";
static const char first_line[] = "name: ";

struct formats {
	struct pd_trace_format *items; /* owned; those that are kept */
	uint32_t nr;
	uint32_t cap;
	uint64_t has[(UINT16_MAX + 1) / 64]; /* a bit for each number */
	const struct pd_event **made; /* owned: events without a format */
	size_t made_nr;
	struct pd_trace_head head;
	struct pd_trace_tail tail;
};

static bool has(const struct formats *all, uint64_t id)
{
	return id <= UINT16_MAX && all->has[id / 64] >> id % 64 & 1;
}

static void note(struct formats *all, uint64_t id)
{
	if (id <= UINT16_MAX)
		all->has[id / 64] |= PD_BIT(id % 64);
}

static const char *find_in(struct pd_str text, const char *what)
{
	return memmem(text.ptr, text.len, what, strlen(what));
}

/* Return whether text has only characters of formats; overwritten ones have
 * others. */
static bool is_plain(struct pd_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!isprint((unsigned char)text.ptr[i]) &&
		    text.ptr[i] != '\n' && text.ptr[i] != '\t')
			return false;
	return true;
}

/* Return the number of a format, UINT64_MAX if it is not whole. */
static uint64_t id_of(struct pd_str text)
{
	static const char id_line[] = "\nID: ";
	const char *line;
	uint64_t id;
	char *end;

	if (text.len <= strlen(first_line) ||
	    memcmp(text.ptr, first_line, strlen(first_line)) != 0 ||
	    text.ptr[text.len - 1] != '\n' || !is_plain(text) ||
	    !find_in(text, "\nformat:\n") || !find_in(text, "\nprint fmt:"))
		return UINT64_MAX;
	line = find_in(text, id_line);
	if (!line || !isdigit((unsigned char)line[strlen(id_line)]))
		return UINT64_MAX;
	id = strtoull(line + strlen(id_line), &end, 10);
	return *end == '\n' && id <= UINT16_MAX ? id : UINT64_MAX;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool is_name(struct pd_str s)
{
	size_t len = 0;

	while (len < s.len && is_of_name(s.ptr[len]))
		len++;
	return s.len && len == s.len;
}

/* Return the event's system by its name, else the one where its format was. */
static struct pd_str system_of(const struct rpt_repair *repair, uint64_t id,
			       struct pd_str found)
{
	const struct pd_event_set *set = repair->events;

	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];
		const char *colon =
			event->name ? strchr(event->name, ':') : NULL;

		if (event->attr.type == PD_TYPE_TRACEPOINT &&
		    event->attr.config == id && colon && colon != event->name)
			return (struct pd_str){ event->name,
						(size_t)(colon - event->name) };
	}
	return found;
}

/* Add a format, unless its number is known or libtraceevent cannot parse it
 * safely. */
static void add(const struct rpt_repair *repair, struct formats *all,
		const struct pd_trace_format *format)
{
	uint64_t id = id_of(format->text);
	char *copy;
	size_t len;

	if (id == UINT64_MAX || has(all, id))
		return;
	copy = rpt_alloc_text(format->text.ptr, format->text.len);
	len = rpt_tracepoint_validate(copy, format->text.len);
	free(copy);
	if (!len)
		return;
	all->items =
		rpt_grow(all->items, &all->cap, all->nr, sizeof(*all->items));
	note(all, id);
	all->items[all->nr++] = (struct pd_trace_format){
		.system = system_of(repair, id, format->system),
		.text = { format->text.ptr, len },
	};
}

/* Set *ret to the name of a system if one ends before the number of its formats
 * and the length of the first, which end at pos. */
static void find_system(const struct pd_cursor *c, size_t pos,
			struct pd_str *ret)
{
	size_t end, start;

	if (pos < 4 + LEN_LEN + 2)
		return;
	end = start = pos - 4 - LEN_LEN - 1;
	while (start && is_of_name((char)c->data[start - 1]))
		start--;
	if (!c->data[end] && start != end)
		*ret = (struct pd_str){ (const char *)c->data + start,
					end - start };
}

/* Add what stands behind damage: all that begins as a format does and has its
 * length in front. */
static void search(const struct rpt_repair *repair, struct formats *all,
		   struct pd_cursor c, size_t pos)
{
	struct pd_trace_format format = { .system = { "unknown", 7 } };
	const uint8_t *at;
	uint64_t len;

	c.status = 0;
	c.err = NULL;
	while ((at = memmem(c.data + pos, c.len - pos, first_line,
			    strlen(first_line)))) {
		pos = (size_t)(at - c.data);
		if (pos < LEN_LEN) {
			pos++;
			continue;
		}
		c.pos = pos - LEN_LEN;
		len = pd_cursor_u64(&c);
		find_system(&c, pos, &format.system);
		format.text = (struct pd_str){ (const char *)at, (size_t)len };
		if (len > c.len - pos || id_of(format.text) == UINT64_MAX) {
			pos++;
			continue;
		}
		add(repair, all, &format);
		pos += (size_t)len;
	}
}

static struct pd_trace_head default_head(const struct rpt_repair *repair)
{
	/* perf needs a layout of ring buffer pages, and does not use it */
	static const char page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

	return (struct pd_trace_head){
		.version = { "0.6", 3 },
		.is_big = repair->file.swap !=
			  (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.long_len = 8,
		.page_len = PAGE_LEN,
		.page = { page, sizeof(page) - 1 },
		.event = { "", 0 },
	};
}

static bool is_text(struct pd_str text)
{
	return text.len && !memchr(text.ptr, '\0', text.len);
}

static void take_head(struct formats *all, const struct pd_trace_head *head)
{
	if (head->is_big != all->head.is_big || !is_text(head->page) ||
	    (head->long_len != 4 && head->long_len != 8) || !head->page_len)
		return;
	all->head.long_len = head->long_len;
	all->head.page_len = head->page_len;
	all->head.page = head->page;
	all->head.event = head->event;
}

static void take_tail(struct formats *all, const struct pd_trace_tail *tail)
{
	if (is_text(tail->printk))
		all->tail.printk = tail->printk;
	if (is_text(tail->comms))
		all->tail.comms = tail->comms;
}

static void collect(const struct rpt_repair *repair, struct formats *all)
{
	struct pd_trace_formats it;
	struct pd_trace_format format;
	struct pd_trace_head head;
	struct pd_trace_tail tail;
	struct pd_cursor c;
	size_t sound_pos = 0;
	bool are_whole = true;

	if (rpt_repair_makes_formats(repair) ||
	    !rpt_repair_feature(repair, PD_FEATURE_TRACING_DATA, &c))
		return;
	if (!pd_trace_head_read(&c, &head))
		take_head(all, &head);
	pd_trace_formats_init(&it, &c);
	while (pd_trace_formats_next(&it, &format) > 0) {
		if (id_of(format.text) == UINT64_MAX ||
		    !is_name(format.system)) {
			are_whole = false;
			continue;
		}
		add(repair, all, &format);
		sound_pos = c.pos;
	}
	/* zeros can be read, too */
	if (!pd_trace_tail_read(&c, &head, &tail))
		take_tail(all, &tail);
	if (are_whole && pd_cursor_left(&c) < LEN_LEN && !pd_cursor_status(&c))
		return;
	c.swap = repair->file.swap;
	search(repair, all, c, sound_pos);
}

static void find_missing(const struct rpt_repair *repair, struct formats *all)
{
	const struct pd_event_set *set = repair->events;

	all->made = rpt_alloc_zeroed(set->nr, sizeof(*all->made));
	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];

		if (event->attr.type != PD_TYPE_TRACEPOINT ||
		    has(all, event->attr.config))
			continue;
		note(all, event->attr.config);
		all->made[all->made_nr++] = event;
	}
}

/* Split a name like "sched:sched_switch", or make one up in buf. */
static void name_parts(const struct pd_event *event, struct pd_str *ret_system,
		       struct pd_str *ret_name, char *buf, size_t len)
{
	const char *colon = event->name ? strchr(event->name, ':') : NULL;

	snprintf(buf, len, "id_%" PRIu64, event->attr.config);
	*ret_system = (struct pd_str){ "unknown", 7 };
	*ret_name = (struct pd_str){ buf, strlen(buf) };
	if (!colon || colon == event->name || !colon[1])
		return;
	*ret_system =
		(struct pd_str){ event->name, (size_t)(colon - event->name) };
	*ret_name = (struct pd_str){ colon + 1, strcspn(colon + 1, ": \n\t") };
}

static void put_made(struct pd_buf *b, const struct pd_event *event)
{
	static const char fields[] =
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
		"\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;"
		"\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;"
		"\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		/* perf reads no format without a field of its own */
		"\tfield:unsigned char first;\toffset:8;\tsize:1;\tsigned:0;\n"
		"\n"
		"print fmt: \"\"\n";
	char made_up[32], head[FORMAT_LEN];
	struct pd_str system, name;
	int len;

	name_parts(event, &system, &name, made_up, sizeof(made_up));
	len = snprintf(head, sizeof(head), "name: %.*s\nID: %" PRIu64 "\n",
		       (int)(name.len < 200 ? name.len : 200), name.ptr,
		       event->attr.config);
	pd_buf_cstr_pad(b, system, 1);
	pd_buf_u32(b, 1);
	pd_buf_u64(b, (uint64_t)len + sizeof(fields) - 1);
	pd_buf_bytes(b, head, (size_t)len);
	pd_buf_bytes(b, fields, sizeof(fields) - 1);
}

/* Return how many formats from idx on are of the same system. */
static uint32_t run_nr(const struct formats *all, size_t idx)
{
	struct pd_str system = all->items[idx].system;
	uint32_t nr = 0;

	while (idx + nr < all->nr &&
	       all->items[idx + nr].system.len == system.len &&
	       !memcmp(all->items[idx + nr].system.ptr, system.ptr, system.len))
		nr++;
	return nr;
}

static bool is_ftrace(const struct pd_trace_format *format)
{
	return pd_str_eq(format->system, ftrace);
}

/* Put ftrace's own formats, which are one list. */
static void put_ftrace(struct pd_buf *b, const struct formats *all)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < all->nr; i++)
		nr += is_ftrace(&all->items[i]);
	pd_buf_u32(b, nr);
	for (size_t i = 0; i < all->nr; i++)
		if (is_ftrace(&all->items[i]))
			pd_trace_text_write(b, all->items[i].text);
}

static void put_systems(struct pd_buf *b, const struct formats *all)
{
	uint32_t nr = (uint32_t)all->made_nr, run;

	for (size_t i = 0; i < all->nr; i += run_nr(all, i))
		nr += !is_ftrace(&all->items[i]);
	pd_buf_u32(b, nr);
	for (size_t i = 0; i < all->nr; i += run) {
		run = run_nr(all, i);
		if (is_ftrace(&all->items[i]))
			continue;
		pd_buf_cstr_pad(b, all->items[i].system, 1);
		pd_buf_u32(b, run);
		for (uint32_t j = 0; j < run; j++)
			pd_trace_text_write(b, all->items[i + j].text);
	}
	for (size_t i = 0; i < all->made_nr; i++)
		put_made(b, all->made[i]);
}

bool rpt_repair_are_formats_whole(const struct rpt_repair *repair)
{
	struct pd_trace_formats it;
	struct pd_trace_format format;
	struct pd_trace_head head;
	struct pd_cursor c;
	bool are_whole = true;

	if (!rpt_repair_feature(repair, PD_FEATURE_TRACING_DATA, &c))
		return false;
	pd_trace_head_read(&c, &head);
	pd_trace_formats_init(&it, &c);
	while (are_whole && pd_trace_formats_next(&it, &format) > 0)
		are_whole = id_of(format.text) != UINT64_MAX;
	return are_whole;
}

void rpt_repair_make_formats(const struct rpt_repair *repair, struct pd_buf *b)
{
	struct formats all = { .head = default_head(repair) };

	collect(repair, &all);
	find_missing(repair, &all);
	pd_trace_head_write(b, &all.head);
	put_ftrace(b, &all);
	put_systems(b, &all);
	pd_trace_tail_write(b, &all.tail);
	repair->result->format_kept_nr = all.nr;
	repair->result->format_made_nr = all.made_nr;
	free(all.items);
	free(all.made);
}
