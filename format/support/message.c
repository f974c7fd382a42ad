#include "format/support/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "perfpair";

void sup_message_program(const char *name)
{
	program = name;
}

static FILE *message_out; /* NULL: stderr */
static void (*call_before)(void);

void sup_message_to(FILE *out)
{
	message_out = out;
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

__attribute__((format(printf, 1, 0))) static void give(const char *fmt,
						       va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	listener.call(listener.ctx, text);
	free(text);
}

static void tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void tell(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	give(fmt, ap);
	va_end(ap);
}

void sup_message_err(const char *path, const struct pd_err *err)
{
	FILE *out = begin();
	char at[32] = "";

	if (err->has_off)
		snprintf(at, sizeof(at), "at byte 0x%" PRIx64 ": ", err->off);
	if (listener.call)
		tell("%s%s%s%s", path ? path : "", path ? ": " : "", at,
		     reason_of(err));
	fprintf(out, "%s: ", program);
	if (path)
		fprintf(out, "%s: ", path);
	fprintf(out, "%s%s\n", at, reason_of(err));
	if (err->hint[0])
		fprintf(out, "%s: %s\n", program, err->hint);
}

void sup_message(const char *fmt, ...)
{
	FILE *out;
	va_list ap;

	if (listener.call) {
		va_start(ap, fmt);
		give(fmt, ap);
		va_end(ap);
	}
	out = begin();
	fprintf(out, "%s: ", program);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
}
