/* page_gaps.h: what a page says of the times without samples: losses, and
 * events that the kernel throttled.
 *
 * A throttled event is silent from its THROTTLE to its UNTHROTTLE record: a
 * tick or, as was seen of cpu-clock on a virtual machine, half a second.  Such
 * times of one event on one CPU that begin in the same bin are one item of the
 * list.
 */
#ifndef RPT_PAGE_GAPS_H
#define RPT_PAGE_GAPS_H

#include "report/base/json_text.h"
#include "report/report/report.h"

/* Put "losses" and "throttles" of a report of one recording or several. */
void rpt_page_gaps_put(struct rpt_json *json, const struct rpt_report *report);

/* Return how often the kernel throttled an event of the recording. */
uint64_t rpt_page_throttle_nr(const struct rpt_report *report);

#endif
