#include "format/support/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *program = "perfpair";

void sup_message_program(const char *name)
{
	program = name;
}

void sup_message_err(const char *path, const struct pd_err *err)
{
	fprintf(stderr, "%s: ", program);
	if (path)
		fprintf(stderr, "%s: ", path);
	if (err->has_off)
		fprintf(stderr, "at byte 0x%" PRIx64 ": ", err->off);
	fprintf(stderr, "%s\n", err->text);
	if (err->hint[0])
		fprintf(stderr, "%s: %s\n", program, err->hint);
}

void sup_message(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
