#include "report/events/tracepoint_validate.h"

#include "report/base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

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

bool rpt_trace_counts_are_sound(struct tep_event *event, void *data)
{
	return are_sound(event, data, event->print_fmt.args, 0) &&
	       are_widths_sound(event, data);
}
