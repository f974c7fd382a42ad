/* attr_text.h: prints the fields of an attr that are not 0, in perf's order:
 *	type: 1, size: 128, config: 0x2, sample_type: IP|TID, disabled: 1
 */
#ifndef SUP_ATTR_TEXT_H
#define SUP_ATTR_TEXT_H

#include "format/event_set.h"

#include <stdio.h>

/* Print first, then the fields with ", " between them.  sep (": " or " = ")
 * stands between a name and its value.  From perf 6.12 on the names of their
 * constants follow type and config. */
void sup_attr_print(FILE *out, const struct pd_attr *attr, enum pd_perf perf,
		    const char *first, const char *sep);

#endif
