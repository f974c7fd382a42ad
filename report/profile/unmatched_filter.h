/* unmatched_filter.h: which of the options --comms, --dsos, --symbols, --pid
 * and
 * --tid no sample of a recording fits, and the name that was meant.
 */
#ifndef RPT_UNMATCHED_FILTER_H
#define RPT_UNMATCHED_FILTER_H

#include "report/events/filter.h"
#include "report/profile/profile.h"

/* The profile was counted with the filter that args say.  Set ret to the first
 * option that nothing fits, with the nearest name as its hint, and return true;
 * false if each has something that fits it. */
bool rpt_unmatched_filter_find(const struct rpt_profile *profile,
			       const struct rpt_filter_args *args,
			       struct pd_err *ret);

#endif
