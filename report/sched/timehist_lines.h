/* timehist_lines.h: the lines of sched timehist, in the layout of perf's. */
#ifndef RPT_TIMEHIST_LINES_H
#define RPT_TIMEHIST_LINES_H

#include "report/base/text_out.h"
#include "report/sched/sched.h"
#include "report/sched/sched_events.h"
#include "report/sched/task_sums.h"

struct rpt_unwind;

/* Large: one member for each option, which the table fills by offset. */
struct rpt_timehist_args {
	struct rpt_sched_args of_all;
	uint32_t max_stack;
	bool with_chains;
	bool with_cpus; /* -V */
	bool is_summary;
	bool with_summary;
	bool with_wakeups;
	bool with_migrations;
	bool with_next;
	bool with_state;
	bool with_wakers;
	bool is_idle;
};

struct rpt_timehist_lines {
	const struct rpt_timehist_args *args;
	struct rpt_sched_events *se;
	struct rpt_unwind *unwind;
	size_t comm_width;  /* of the widest task so far */
	uint32_t column_nr; /* of -V */
	bool with_chains;
	struct rpt_text text;
};

/* Append the three lines above all others. */
void rpt_timehist_head(struct rpt_timehist_lines *lines);
/* Append a switch, at the end of the times. */
void rpt_timehist_switch(struct rpt_timehist_lines *lines,
			 const struct rpt_sched_event *ev,
			 const struct rpt_slice_times *times);
/* Append a wakeup or a migration. */
void rpt_timehist_other(struct rpt_timehist_lines *lines,
			const struct rpt_sched_event *ev);

#endif
