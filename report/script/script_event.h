/* script_event.h: records other than samples as lines of `script`.
 *
 * Which are shown is chosen by kind (--show-task-events ...).  The lines are
 * perf 6.1's.
 */
#ifndef RPT_SCRIPT_EVENT_H
#define RPT_SCRIPT_EVENT_H

#include "report/script/script.h"

enum rpt_show {
	RPT_SHOW_TASK,
	RPT_SHOW_MMAP,
	RPT_SHOW_SWITCH,
	RPT_SHOW_NAMESPACE,
	RPT_SHOW_CGROUP,
	RPT_SHOW_LOST,
	RPT_SHOW_ROUND,
	RPT_SHOW_BPF,
	RPT_SHOW_TEXT_POKE,
	RPT_SHOW_NR,
};

/* Is a record of that type shown? */
bool rpt_script_event_is_shown(const bool show[RPT_SHOW_NR], uint32_t type);

struct pd_body;

/* What stands behind the type's name; nothing for types that are not shown. */
void rpt_script_event_put(struct rpt_text *text, const struct pd_record *rec,
			  const struct pd_body *body);

/* Prints one.  0, -ENOMEM, or what writing failed with; damaged records are
 * counted in script. */
int rpt_script_event(struct rpt_script *script, const struct pd_record *rec);

#endif
