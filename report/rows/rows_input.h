/* rows_input.h: one recording, as rows read it.
 *
 * Equal names of several recordings are the same name; equal pids, tids and
 * numbers of CPUs are different ones.
 */
#ifndef RPT_ROWS_INPUT_H
#define RPT_ROWS_INPUT_H

#include "report/profile/profile.h"
#include "report/events/trace_field.h"

struct rpt_rows_input {
	uint32_t idx;
	bool is_only;	  /* there is no other */
	const char *host; /* its name */
	const struct rpt_profile *profile;
	const struct rpt_filter *filter;     /* NULL: none */
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	const struct rpt_trace_field *trace_fields;
};

#endif
