#include "report/events/tracepoint.h"

#include "format/file/tracepoint_formats.h"
#include "report/base/memory.h"

#include <ctype.h>
#include <event-parse.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define DEPTH_MAX      32u /* of brackets: libtraceevent calls itself */
#define COUNT_MAX      ((unsigned long long)1 << 13)
#define ARGS_DEPTH_MAX 64u

static const char print_mark[] = "print fmt:";
static const char no_print[] = "print fmt: \"\"\n";

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* Copy the name behind the next "REC->" of p to name.  Return what follows it,
 * or NULL if there are no more. */
static const char *next_name(const char *p, char *name, size_t room)
{
	for (; (p = strstr(p, "REC")); p++) {
		const char *arrow = skip_blanks(p + 3);
		size_t len = 0;

		if (strncmp(arrow, "->", 2) != 0)
			continue;
		p = skip_blanks(arrow + 2);
		while (is_word(p[len]) && len + 1 < room)
			len++;
		memcpy(name, p, len);
		name[len] = '\0';
		return p + len;
	}
	return NULL;
}

static bool has_fields(struct tep_event *event, const char *print)
{
	char name[256];

	while ((print = next_name(print, name, sizeof(name))))
		if (!tep_find_any_field(event, name))
			return false;
	return true;
}

/* Return the event with its fields alone; NULL if libtraceevent cannot read
 * them. */
static struct tep_event *read_fields(struct tep_handle *scratch,
				     const char *text, size_t len)
{
	struct tep_event *event = NULL;
	char *head = rpt_alloc(len + sizeof(no_print));

	memcpy(head, text, len);
	memcpy(head + len, no_print, sizeof(no_print));
	tep_parse_format(scratch, &event, head, len + sizeof(no_print) - 1,
			 "guard");
	free(head);
	return event;
}

/* Return the end of the string that begins at p: its last quote, or the NUL. */
static const char *skip_text(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return p;
}

/* Return whether c may stand outside of strings: libtraceevent has no token for
 * what is not ASCII, but looks into it. */
static bool is_of_token(char c)
{
	return isprint((unsigned char)c) || isspace((unsigned char)c);
}

/* Return whether brackets are balanced and not too deep, strings end, and all
 * else is made of tokens. */
static bool is_sound_text(const char *p)
{
	char open[DEPTH_MAX];
	unsigned depth = 0;

	for (; *p; p++) {
		const char *kind = strchr("([{)]}", *p);

		if (*p == '"') {
			p = skip_text(p);
			if (!*p)
				return false;
		} else if (kind && strchr("([{", *p)) {
			if (depth == DEPTH_MAX)
				return false;
			open[depth++] = kind[3];
		} else if (kind ? !depth || open[--depth] != *p
				: !is_of_token(*p)) {
			return false;
		}
	}
	return !depth;
}

/* Return the end of a divisor that is a number other than 0, or the length of a
 * plain type; NULL if it is something else. */
static const char *skip_divisor(const char *p)
{
	static const char *const lens[] = {
		"sizeof(u8)",  "sizeof(u16)", "sizeof(u32)",
		"sizeof(u64)", "sizeof(int)", "sizeof(unsigned int)"
	};
	char *end;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		if (strncmp(p, lens[i], strlen(lens[i])) == 0)
			return p + strlen(lens[i]);
	if (!isdigit((unsigned char)*p) || !strtoull(p, &end, 0))
		return NULL;
	return end + strspn(end, "uUlL");
}

/* Return whether no division can be by 0: each divisor is sound and stands
 * alone. */
static bool are_divisors_sound(const char *p)
{
	while (*p) {
		if (*p == '"')
			p = skip_text(p);
		if (*p++ != '/' && p[-1] != '%')
			continue;
		p = skip_divisor(skip_blanks(p));
		p = p ? skip_blanks(p) : NULL;
		if (!p || (*p && !strchr("),+-", *p)))
			return false;
	}
	return true;
}

/* Return whether the line is "field:TYPE NAME;	offset:N;	size:N;" with or
 * without more behind it.  libtraceevent may take any other line for "print
 * fmt". */
static bool is_field(const char *line, size_t len)
{
	static const char *const marks[] = { ";", "offset:", ";",
					     "size:", ";" };
	char text[512];
	const char *p = text;

	if (len >= sizeof(text))
		return false;
	memcpy(text, line, len);
	text[len] = '\0';
	if (strncmp(text, "field", 5) != 0 || *skip_blanks(text + 5) != ':')
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && p; i++)
		p = strstr(p, marks[i]);
	return p && is_sound_text(text);
}

/* Return whether all lines from the one behind "format:" up to end are fields.
 */
static bool are_fields(const char *text, const char *end)
{
	const char *p = strstr(text, "format:");

	p = p ? strchr(p, '\n') : NULL;
	while (p && ++p < end) {
		const char *line = p + strspn(p, " \t");

		p = strchr(line, '\n');
		if (p && p > line && !is_field(line, (size_t)(p - line)))
			return false;
	}
	return p != NULL;
}

size_t rpt_tracepoint_validate(const char *text, size_t len)
{
	const char *print = strstr(text, print_mark);
	struct tep_handle *scratch;
	struct tep_event *event;
	size_t sound_len = len;

	if (strlen(text) != len || !print || !are_fields(text, print))
		return 0;
	if (!is_sound_text(print) || !are_divisors_sound(print))
		return (size_t)(print - text) + sizeof(print_mark) - 1;
	if (!strstr(print, "REC"))
		return len;
	scratch = tep_alloc();
	event = read_fields(scratch, text, (size_t)(print - text));
	if (!event || !has_fields(event, print))
		sound_len = (size_t)(print - text) + sizeof(print_mark) - 1;
	tep_free(scratch);
	return sound_len;
}

/* Read a count that the format or the record has; return false if it is some
 * other expression. */
static bool read_count(struct tep_event *event, void *data,
		       const struct tep_print_arg *arg, unsigned long long *ret)
{
	struct tep_format_field *field;
	char *end;

	switch (arg->type) {
	case TEP_PRINT_ATOM:
		*ret = strtoull(arg->atom.atom, &end, 0);
		return end != arg->atom.atom;
	case TEP_PRINT_FIELD:
		field = tep_find_any_field(event, arg->field.name);
		return field && !tep_read_number_field(field, data, ret);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		*ret = 0; /* 16 bits; tracepoint.c has room for it */
		return true;
	case TEP_PRINT_TYPE:
		return read_count(event, data, arg->typecast.item, ret);
	case TEP_PRINT_OP:
		/* a quotient is at most the dividend; divisors were checked in
		 * the text */
		return arg->op.op && !strcmp(arg->op.op, "/") && arg->op.left &&
		       read_count(event, data, arg->op.left, ret);
	default:
		return false;
	}
}

static bool is_count(struct tep_event *event, void *data,
		     const struct tep_print_arg *arg)
{
	unsigned long long count;

	return read_count(event, data, arg, &count) && count <= COUNT_MAX;
}

/* Return whether arg can be printed element by element: libtraceevent takes
 * whatever is no dynamic array for a field. */
static bool is_array(const struct tep_print_arg *arg)
{
	return arg && (arg->type == TEP_PRINT_FIELD ||
		       arg->type == TEP_PRINT_DYNAMIC_ARRAY);
}

static bool are_sound(struct tep_event *event, void *data,
		      const struct tep_print_arg *arg, unsigned depth);

static bool is_op_sound(struct tep_event *event, void *data,
			const struct tep_print_arg *arg, unsigned depth)
{
	const struct tep_print_arg_op *op = &arg->op;

	if (op->op && op->op[0] == '[' && op->right &&
	    !is_count(event, data, op->right))
		return false;
	return are_sound(event, data, op->left, depth) &&
	       are_sound(event, data, op->right, depth);
}

static bool is_sound(struct tep_event *event, void *data,
		     const struct tep_print_arg *arg, unsigned depth)
{
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		return are_sound(event, data, arg->flags.field, depth);
	case TEP_PRINT_SYMBOL:
		return are_sound(event, data, arg->symbol.field, depth);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return is_array(arg->hex.field) &&
		       is_count(event, data, arg->hex.size);
	case TEP_PRINT_INT_ARRAY:
		return is_array(arg->int_array.field) &&
		       is_count(event, data, arg->int_array.count) &&
		       are_sound(event, data, arg->int_array.el_size, depth);
	case TEP_PRINT_TYPE:
		return are_sound(event, data, arg->typecast.item, depth);
	case TEP_PRINT_OP:
		return is_op_sound(event, data, arg, depth);
	case TEP_PRINT_FUNC:
		return are_sound(event, data, arg->func.args, depth);
	default:
		return true;
	}
}

/* Return whether all arguments of a list are sound; an empty one is. */
static bool are_sound(struct tep_event *event, void *data,
		      const struct tep_print_arg *arg, unsigned depth)
{
	if (depth == ARGS_DEPTH_MAX)
		return false;
	for (; arg; arg = arg->next)
		if (!is_sound(event, data, arg, depth + 1))
			return false;
	return true;
}

/* Return whether arg is a count, or a sum or difference of two: "REC->len - 1".
 */
static bool is_width(struct tep_event *event, void *data,
		     const struct tep_print_arg *arg)
{
	if (arg->type == TEP_PRINT_TYPE)
		return is_width(event, data, arg->typecast.item);
	if (arg->type == TEP_PRINT_OP && arg->op.op && arg->op.left &&
	    arg->op.right &&
	    (!strcmp(arg->op.op, "+") || !strcmp(arg->op.op, "-")))
		return is_count(event, data, arg->op.left) &&
		       is_count(event, data, arg->op.right);
	return is_count(event, data, arg);
}

/* Return whether no width or precision is too large, as libtraceevent pads to
 * them: both those in the format and those by arguments (*). */
static bool are_widths_sound(struct tep_event *event, void *data)
{
	const struct tep_print_arg *arg = event->print_fmt.args;
	const char *p = event->print_fmt.format;

	while (p && (p = strchr(p, '%'))) {
		p++;
		if (*p == '%') {
			p++;
			continue;
		}
		p += strspn(p, "-+ #");
		for (; *p && strchr("*.0123456789", *p); p++) {
			if (*p != '*') {
				if (strtoull(p, NULL, 10) > COUNT_MAX)
					return false;
				continue;
			}
			if (!arg || !is_width(event, data, arg))
				return false;
			arg = arg->next;
		}
		arg = arg ? arg->next : NULL;
	}
	return true;
}

/* Return false if an argument of the format says to print too many elements of
 * data, or too wide ones, or if it is no plain number, field or length. */
static bool trace_counts_are_sound(struct tep_event *event, void *data)
{
	return are_sound(event, data, event->print_fmt.args, 0) &&
	       are_widths_sound(event, data);
}

/* Texts that were printed before.  A text depends on the raw bytes, the format,
 * and the kernel's functions at that time; most events repeat a few texts. */
#define CACHED_NR	4096u
#define CACHED_RAW_LEN	128u
#define CACHED_TEXT_LEN 192u

struct cached_text {
	uint64_t config;
	uint32_t raw_len; /* 0: empty */
	uint32_t text_len;
	uint32_t kernel_version; /* of the kernel */
	uint8_t raw[CACHED_RAW_LEN];
	char text[CACHED_TEXT_LEN];
};

/* libtraceevent does not check the length of the data: it reads wherever a
 * format or a __data_loc points, and strings up to a NUL.  It gets a copy with
 * zeros behind it, as long as these can reach: offset and length have 16 bits
 * each, an offset may count from the end of a field that lies anywhere, and
 * __print_array() takes the length for a number of elements of up to 8 bytes.
 */
#define RAW_LEN_MAX ((size_t)1 << 16)
#define ROOM_LEN    (12 * RAW_LEN_MAX)

struct rpt_tracepoints {
	struct tep_handle *tep;
	struct trace_seq seq;
	const struct rpt_kernel_symbols *kernel; /* of the current record */
	struct cached_text *cache; /* CACHED_NR; NULL: nothing was printed */
	uint8_t *room;		   /* owned */
	bool is_raw;		   /* fields, not the format's text */
	size_t used_len;
};

/* Return a copy of the text with a NUL, which libtraceevent needs; NULL if
 * there is none. */
static char *copy_of(struct pd_str text)
{
	return text.ptr ? rpt_alloc_text(text.ptr, text.len) : NULL;
}

/* Write tabs inside the strings of print fmt as "\t", since libtraceevent 1.7
 * ends a string at a tab.  Like libtraceevent and perf, take a quote behind any
 * backslash for a part of the string, also behind two (`\\"`, which they print
 * as [FAILED TO PARSE]).  Free text, or return it. */
static char *escape_tabs(char *text, size_t *len)
{
	const char *print = strstr(text, "\nprint fmt:");
	bool is_in_text = false;
	size_t at = 0;
	char *escaped;

	if (!print || !strchr(print, '\t'))
		return text;
	escaped = rpt_alloc(2 * *len + 1);
	for (const char *p = text; p < text + *len; p++) {
		bool is_tab = is_in_text && *p == '\t';

		if (p > print && *p == '"' && p[-1] != '\\')
			is_in_text = !is_in_text;
		if (is_tab)
			escaped[at++] = '\\';
		escaped[at++] = is_tab ? 't' : *p;
	}
	escaped[at] = '\0';
	free(text);
	*len = at;
	return escaped;
}

/* Read a format.  If it cannot be understood, only that event lacks its text.
 */
static void read_format(struct rpt_tracepoints *tps,
			const struct pd_trace_format *format)
{
	char *text = copy_of(format->text),
	     *system = rpt_alloc_text(format->system.ptr, format->system.len);
	size_t len = format->text.len, sound_len = 0;

	if (text) {
		text = escape_tabs(text, &len);
		sound_len = rpt_tracepoint_validate(text, len);
	}
	if (sound_len)
		tep_parse_event(tps->tep, text, sound_len, system);
	free(system);
	free(text);
}

/* Read lines like `0x0000000000000000 : "text"`: the strings that formats point
 * to. */
static void read_printk(struct rpt_tracepoints *tps, struct pd_str lines)
{
	char *text = copy_of(lines), *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':');
		char *fmt = colon ? strchr(colon, '"') : NULL;
		char *end = fmt ? strrchr(fmt + 1, '"') : NULL;

		/* libtraceevent wants the quotes, and looks at the last two
		 * characters within */
		if (!end || end - fmt < 3)
			continue;
		end[1] = '\0';
		tep_register_print_string(tps->tep, fmt,
					  strtoull(line, NULL, 16));
	}
	free(text);
}

static void read_head(struct rpt_tracepoints *tps, struct pd_cursor *c,
		      struct pd_trace_head *head)
{
	char *text;

	pd_trace_head_read(c, head);
	tep_set_file_bigendian(tps->tep, head->is_big ? TEP_BIG_ENDIAN
						      : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tps->tep, (enum tep_endian)tep_is_bigendian());
	tep_set_long_size(tps->tep, head->long_len);
	tep_set_page_size(tps->tep, (int)head->page_len);
	text = copy_of(head->page);
	if (text)
		tep_parse_header_page(tps->tep, text, head->page.len,
				      head->long_len);
	free(text);
}

static void read_blob(struct rpt_tracepoints *tps, struct pd_cursor *c)
{
	struct pd_trace_formats it;
	struct pd_trace_format format;
	struct pd_trace_head head;
	struct pd_trace_tail tail;

	read_head(tps, c, &head);
	pd_trace_formats_init(&it, c);
	while (pd_trace_formats_next(&it, &format) > 0)
		read_format(tps, &format);
	pd_trace_tail_read(c, &head, &tail);
	read_printk(tps, tail.printk);
}

static char *function_at(void *arg, unsigned long long *addr, char **module)
{
	const struct rpt_tracepoints *tps = arg;
	uint64_t start = *addr;
	const char *name =
		tps->kernel ? rpt_kernel_symbols_function(tps->kernel, &start)
			    : NULL;

	*addr = start;
	*module = NULL;
	return (char *)(uintptr_t)name; /* only read */
}

int rpt_tracepoints_new(struct rpt_tracepoints **ret, struct pd_cursor *payload,
			struct pd_err *err)
{
	struct rpt_tracepoints *tps = rpt_alloc_zeroed(1, sizeof(*tps));

	payload->err = err;
	tps->room = rpt_alloc_zeroed(1, ROOM_LEN);
	tps->tep = tep_alloc();
	tep_set_flag(tps->tep, TEP_NSEC_OUTPUT);
	trace_seq_init(&tps->seq);
	tep_set_function_resolver(tps->tep, function_at, tps);
	read_blob(tps, payload);
	*ret = tps;
	return pd_cursor_status(payload);
}

/* Name the events that have no name after their formats. */
static void name_events(const struct rpt_tracepoints *tps,
			struct pd_reader *reader)
{
	const struct pd_event_set *set = pd_reader_events(reader);
	char name[256];

	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];

		if (!event->name && event->attr.type == PD_TYPE_TRACEPOINT &&
		    rpt_tracepoint_name(tps, event->attr.config, name,
					sizeof(name)))
			pd_reader_name_event(
				reader, i,
				(struct pd_str){ name, strlen(name) });
	}
}

void rpt_tracepoints_load(struct rpt_tracepoints **ret,
			  struct pd_reader *reader, struct pd_damage *damage)
{
	struct pd_damage found = { .skipped_nr = 1 };
	struct pd_cursor c;

	*ret = NULL;
	if (!pd_reader_feature(reader, PD_FEATURE_TRACING_DATA, &c))
		return;
	if (rpt_tracepoints_new(ret, &c, &found.first))
		pd_damage_merge(damage, &found);
	name_events(*ret, reader);
}

void rpt_tracepoints_free(struct rpt_tracepoints *tps)
{
	if (!tps)
		return;
	free(tps->cache);
	trace_seq_destroy(&tps->seq);
	tep_free(tps->tep);
	free(tps->room);
	free(tps);
}

bool rpt_tracepoint_name(const struct rpt_tracepoints *tps, uint64_t config,
			 char *buf, size_t len)
{
	struct tep_event *event = tep_find_event(tps->tep, (int)config);

	if (!event)
		return false;
	snprintf(buf, len, "%s:%s", event->system, event->name);
	return true;
}

const char *rpt_tracepoint_field(const struct rpt_tracepoints *tps,
				 uint64_t config, size_t idx)
{
	struct tep_event *event = tep_find_event(tps->tep, (int)config);
	struct tep_format_field *field = event ? event->format.fields : NULL;

	while (field && idx--)
		field = field->next;
	return field ? field->name : NULL;
}

/* Return the place in the cache for the text of a record; NULL if it is not
 * cached. */
static struct cached_text *cache_slot(struct rpt_tracepoints *tps,
				      const struct rpt_tracepoint_record *rec)
{
	uint64_t hash;

	if (!rec->raw_len || rec->raw_len > CACHED_RAW_LEN)
		return NULL;
	if (!tps->cache)
		tps->cache = rpt_alloc_zeroed(CACHED_NR, sizeof(*tps->cache));
	hash = XXH3_64bits_withSeed(rec->raw, rec->raw_len, rec->config);
	return &tps->cache[hash % CACHED_NR];
}

static uint32_t kernel_version_of(const struct rpt_tracepoint_record *rec)
{
	return rec->kernel ? rec->kernel->kernel_version : 0;
}

static bool is_of(const struct cached_text *cached,
		  const struct rpt_tracepoint_record *rec)
{
	return cached->raw_len == rec->raw_len &&
	       cached->config == rec->config &&
	       cached->kernel_version == kernel_version_of(rec) &&
	       memcmp(cached->raw, rec->raw, rec->raw_len) == 0;
}

static void cache_text(struct cached_text *cached,
		       const struct rpt_tracepoint_record *rec,
		       const struct trace_seq *seq)
{
	if (seq->len > CACHED_TEXT_LEN)
		return;
	cached->config = rec->config;
	cached->raw_len = rec->raw_len;
	cached->text_len = seq->len;
	cached->kernel_version = kernel_version_of(rec);
	memcpy(cached->raw, rec->raw, rec->raw_len);
	memcpy(cached->text, seq->buffer, seq->len);
}

/* Return whether all fields of a list lie inside of the copy.  libtraceevent
 * takes a field without a size as reaching to the end of the record, so it must
 * begin inside of the record. */
static bool lie_in_room(const struct tep_format_field *field, size_t raw_len)
{
	for (; field; field = field->next)
		if (field->offset < 0 || field->size < 0 ||
		    (size_t)field->offset + (size_t)field->size > RAW_LEN_MAX ||
		    (!field->size && (size_t)field->offset > raw_len))
			return false;
	return true;
}

const uint8_t *rpt_tracepoint_room(struct rpt_tracepoints *tps,
				   struct tep_event *event, const uint8_t *raw,
				   size_t raw_len)
{
	if (raw_len > RAW_LEN_MAX ||
	    !lie_in_room(event->format.common_fields, raw_len) ||
	    !lie_in_room(event->format.fields, raw_len))
		return NULL;
	memcpy(tps->room, raw, raw_len);
	if (tps->used_len > raw_len)
		memset(tps->room + raw_len, 0, tps->used_len - raw_len);
	tps->used_len = raw_len;
	return trace_counts_are_sound(event, tps->room) ? tps->room : NULL;
}

struct tep_handle *rpt_tracepoint_tep(const struct rpt_tracepoints *tps)
{
	return tps->tep;
}

const struct tep_event *rpt_tracepoint_event(const struct rpt_tracepoints *tps,
					     uint64_t config)
{
	return tep_find_event(tps->tep, (int)config);
}

void rpt_tracepoints_show_raw(struct rpt_tracepoints *tps)
{
	tps->is_raw = true;
}

bool rpt_tracepoints_are_raw(const struct rpt_tracepoints *tps)
{
	return tps->is_raw;
}

static void put_signed(struct trace_seq *seq, const struct tep_format_field *f,
		       long long value)
{
	if (f->size == 4 && (f->flags & TEP_FIELD_IS_LONG))
		trace_seq_printf(seq, "0x%x", (unsigned)value);
	else if (f->size == 4)
		trace_seq_printf(seq, "%d", (int)value);
	else if (f->size == 2)
		trace_seq_printf(seq, "%2d", (short)value);
	else if (f->size == 1)
		trace_seq_printf(seq, "%1d", (signed char)value);
	else
		trace_seq_printf(seq, "%lld", value);
}

/* Print a number as the libtraceevent inside perf 6.1 does; Debian's pads some
 * numbers with zeros. */
static void put_number(struct trace_seq *seq, struct tep_handle *tep,
		       const struct tep_format_field *f, const uint8_t *room)
{
	unsigned long long value =
		tep_read_number(tep, room + f->offset, f->size);

	bool is_pointer = f->flags & TEP_FIELD_IS_POINTER;
	bool is_signed = f->flags & TEP_FIELD_IS_SIGNED;

	if (is_signed && !is_pointer)
		put_signed(seq, f, (long long)value);
	else if (is_pointer || f->flags & TEP_FIELD_IS_LONG)
		trace_seq_printf(seq, "0x%llx", value);
	else
		trace_seq_printf(seq, "%llu", value);
}

void rpt_tracepoint_put_field(const struct rpt_tracepoints *tps,
			      const struct tep_format_field *field,
			      const uint8_t *room, struct trace_seq *out)
{
	if (field->flags & TEP_FIELD_IS_ARRAY)
		tep_print_field(out, (void *)(uintptr_t)room,
				(struct tep_format_field *)(uintptr_t)field);
	else
		put_number(out, tps->tep, field, room);
}

static void print_raw(struct rpt_tracepoints *tps,
		      const struct tep_event *event, const uint8_t *room)
{
	const struct tep_format_field *field = event->format.fields;

	for (; field; field = field->next) {
		trace_seq_printf(&tps->seq, " %s=", field->name);
		rpt_tracepoint_put_field(tps, field, room, &tps->seq);
	}
}

/* Put the text of an event.  Formats of the kernel have tabs, and what a user
 * writes to trace_marker ends with a newline. */
static void put_text(struct rpt_text *out, const char *text, size_t len)
{
	bool has_newline = len && text[len - 1] == '\n';
	char *safe = rpt_alloc_safe(text, len - has_newline, SUP_SAFE_LINE);

	rpt_text_str(out, safe);
	if (has_newline)
		rpt_text_char(out, '\n');
	free(safe);
}

void rpt_tracepoint_print(struct rpt_tracepoints *tps,
			  const struct rpt_tracepoint_record *rec,
			  struct rpt_text *out)
{
	struct cached_text *cached = cache_slot(tps, rec);
	struct tep_event *event;
	const uint8_t *room;
	struct tep_record record = {
		.cpu = (int)rec->cpu,
		.size = (int)rec->raw_len,
	};

	if (cached && is_of(cached, rec)) {
		put_text(out, cached->text, cached->text_len);
		return;
	}
	event = tep_find_event(tps->tep, (int)rec->config);
	room = event ? rpt_tracepoint_room(tps, event, rec->raw, rec->raw_len)
		     : NULL;
	if (!room)
		return;
	record.data = (void *)(uintptr_t)room;
	trace_seq_reset(&tps->seq);
	tps->kernel = rec->kernel;
	if (tps->is_raw)
		print_raw(tps, event, room);
	else
		tep_print_event(tps->tep, &tps->seq, &record, "%s",
				TEP_PRINT_INFO);
	put_text(out, tps->seq.buffer, tps->seq.len);
	if (cached)
		cache_text(cached, rec, &tps->seq);
}
