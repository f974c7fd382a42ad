/* timeline_budget.h: the memory that is made of a recording, of which its
 * timeline keeps the account. */
#ifndef RPT_TIMELINE_BUDGET_H
#define RPT_TIMELINE_BUDGET_H

#include "format/damage.h"
#include "report/base/memory.h"
#include "report/timeline/timeline.h"

/* Set by rpt_timeline_load(), which leaves more than half of it for what is
 * made of samples. */
struct rpt_budget *rpt_timeline_budget(const struct rpt_timeline *tl);

/* The records of tasks and maps that could not be read, or that there was no
 * budget for. */
const struct pd_damage *rpt_timeline_damage(const struct rpt_timeline *tl);
/* The bytes of the file that were passed over for no record; whoever reads its
 * samples meets them, too. */
const struct pd_damage *rpt_timeline_passed(const struct rpt_timeline *tl);

#endif
