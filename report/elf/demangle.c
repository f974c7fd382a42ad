#include "report/elf/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* libiberty recurses over nested types.  Only damaged files have longer names.
 */
#define NAME_MAX_LEN 65536

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

char *rpt_demangle(const char *name, bool with_parameters)
{
	if (!is_mangled(name) || strnlen(name, NAME_MAX_LEN) == NAME_MAX_LEN)
		return NULL;
	return cplus_demangle(name, with_parameters ? DMGL_PARAMS | DMGL_ANSI
						    : DMGL_NO_OPTS);
}
