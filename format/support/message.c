#include "format/support/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/support/safe_text.h"

static const char *program = "perfpair";

void sup_message_program(const char *name)
{
	program = name;
}

static FILE *message_out; /* NULL: stderr */
static void (*call_before)(void);

FILE *sup_message_to(FILE *out)
{
	FILE *former = message_out;

	message_out = out;
	return former;
}

void sup_message_before(void (*before)(void))
{
	call_before = before;
}

/* Return where a message goes, which is printed next. */
static FILE *begin(void)
{
	if (call_before)
		call_before();
	return message_out ? message_out : stderr;
}

/* Return the text of the error, or that of its code if it has no text. */
static const char *reason_of(const struct pd_err *err)
{
	if (err->text[0])
		return err->text;
	return err->code ? strerror(-err->code)
			 : "it failed for an unknown reason";
}

static struct {
	void (*call)(void *ctx, const char *text);
	void *ctx;
} listener;

void sup_message_listen(void (*listen)(void *ctx, const char *text), void *ctx)
{
	listener.call = listen;
	listener.ctx = ctx;
}

/* Print a line; its names come from files and users. */
static void put_line(const char *text)
{
	FILE *out = begin();

	fprintf(out, "%s: ", program);
	sup_put_safe_text(out, text);
	fputc('\n', out);
}

/* Print the text as a line, and give it to who listens. */
static void tell(const char *text)
{
	char *safe = NULL;

	if (listener.call)
		safe = sup_safe_copy((struct pd_str){ text, strlen(text) },
				     SUP_SAFE_NAME);
	if (safe)
		listener.call(listener.ctx, safe);
	free(safe);
	put_line(text);
}

void sup_message_err(const char *path, const struct pd_err *err)
{
	char at[32] = "";

	if (err->has_off)
		snprintf(at, sizeof(at), "at byte 0x%" PRIx64 ": ", err->off);
	sup_message("%s%s%s%s", path ? path : "", path ? ": " : "", at,
		    reason_of(err));
	if (err->hint[0])
		put_line(err->hint);
}

void sup_message(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	tell(text ? text : "out of memory");
	free(text);
}
