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

/* Return the text of the error, or that of its code if it has no text. */
static const char *reason_of(const struct pd_err *err)
{
	if (err->text[0])
		return err->text;
	return err->code ? strerror(-err->code)
			 : "it failed for an unknown reason";
}

void sup_message_err(const char *path, const struct pd_err *err)
{
	fprintf(stderr, "%s: ", program);
	if (path)
		fprintf(stderr, "%s: ", path);
	if (err->has_off)
		fprintf(stderr, "at byte 0x%" PRIx64 ": ", err->off);
	fprintf(stderr, "%s\n", reason_of(err));
	if (err->hint[0])
		fprintf(stderr, "%s: %s\n", program, err->hint);
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

void sup_message(const char *fmt, ...)
{
	va_list ap;

	if (listener.call) {
		va_start(ap, fmt);
		give(fmt, ap);
		va_end(ap);
	}

	fprintf(stderr, "%s: ", program);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
