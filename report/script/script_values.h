/* script_values.h: what a line of `script` says of a sample behind the name of
 * its event: a function for each field, in a table that has their order.
 */
#ifndef RPT_SCRIPT_VALUES_H
#define RPT_SCRIPT_VALUES_H

#include "report/script/script_line.h"

void rpt_script_print_values(struct rpt_script *script,
			     struct rpt_script_line *line);

/* " 4K", " N/A" */
void rpt_script_put_page_size(struct rpt_text *t, uint64_t size);

/* script_print.c: the address or the call chain */
void rpt_script_print_ip(struct rpt_script *script,
			 struct rpt_script_line *line);

#endif
