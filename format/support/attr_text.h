/* attr_text.h: an attr's fields as text, those that are not 0, in perf's order:
 *	type: 1, size: 128, config: 0x2, sample_type: IP|TID, disabled: 1
 */
#ifndef SUP_ATTR_TEXT_H
#define SUP_ATTR_TEXT_H

#include "format/event_set.h"

#include <stdio.h>

/* first stands before the first field, ", " before the others; sep (": ",
 * " = ") between a name and its value.  From perf 6.12 on type and config have
 * their constants' names behind them. */
void sup_attr_print(FILE *out, const struct pd_attr *attr, enum pd_perf perf,
		    const char *first, const char *sep);

#endif
