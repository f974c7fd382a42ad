/* no_samples.h: says why a command has no sample to show.
 */
#ifndef RPT_NO_SAMPLES_H
#define RPT_NO_SAMPLES_H

#include "report/events/event_switch.h"
#include "report/events/filter.h"

/* Filters of samples while they are read; each may be NULL. */
struct rpt_sample_choice {
	const struct rpt_filter_args *filter;
	const struct rpt_event_switch_args *event_switch;
};

/* Print on stderr why none is left: what was asked for, and the times of those
 * that the file has; or, if it has none, what was recorded and for how long.
 * This reads the file again. */
void rpt_warn_no_samples(const char *path, struct pd_reader *reader,
			 const struct rpt_sample_choice *choice);

/* Print that no sample passes these options, which are "--comms sh --tid 7". */
void rpt_warn_nothing_passes(const char *path,
			     const struct rpt_filter_args *filter);

#endif
