#include "report/elf/demangle.h"

#include "report/base/memory.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* libiberty recurses over nested types, and a type that is named again is
 * printed again: 300 bytes can stand for gigabytes.  Only damaged files have
 * longer names. */
#define NAME_MAX_LEN 65536u

/* A name that is being printed. */
struct printing {
	char *text; /* owned; NUL-terminated at the end */
	uint32_t len;
	uint32_t cap;
	jmp_buf too_long;
};

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* Take a part of the name.  libiberty cannot be told to stop, so a name that
 * becomes too long leaves it by a jump; what it has is on its stack. */
static void take(const char *part, size_t len, void *ctx)
{
	struct printing *to = ctx;

	if (len >= NAME_MAX_LEN - to->len)
		longjmp(to->too_long, 1);
	while (to->len + len >= to->cap)
		to->text = rpt_grow(to->text, &to->cap, to->cap, 1);
	memcpy(to->text + to->len, part, len);
	to->len += (uint32_t)len;
}

/* Print a demangled name; false if it is none, or too long. */
static bool print(struct printing *to, const char *name, int options)
{
	if (setjmp(to->too_long))
		return false;
	if (rust_demangle_callback(name, options, take, to))
		return true;
	to->len = 0;
	return cplus_demangle_v3_callback(name, options, take, to);
}

char *rpt_demangle(const char *name, bool with_parameters)
{
	struct printing to = { .len = 0 };

	if (!is_mangled(name) || strnlen(name, NAME_MAX_LEN) == NAME_MAX_LEN)
		return NULL;
	if (print(&to, name,
		  with_parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS) &&
	    to.text) {
		to.text[to.len] = '\0';
		return to.text;
	}
	free(to.text);
	return NULL;
}
