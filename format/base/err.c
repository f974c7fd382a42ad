#include "format/base/err.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 0))) static void
fill(struct pd_err *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int pd_err_set(struct pd_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->code)
		return code;
	va_start(ap, fmt);
	fill(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int pd_err_at(struct pd_err *err, int code, uint64_t off, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->code)
		return code;
	va_start(ap, fmt);
	fill(err, code, fmt, ap);
	va_end(ap);
	err->has_off = true;
	err->off = off;
	return code;
}

void pd_err_hint(struct pd_err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->hint[0])
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}
