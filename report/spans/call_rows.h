/* call_rows.h: counts system calls by thread and number.
 *
 * A call begins at raw_syscalls:sys_enter and ends at sys_exit of its thread.
 * One whose beginning was not recorded, of which records were lost meanwhile,
 * or that ends as another call than it began, counts without a time: so do
 * execve and clone where a thread begins with their end.  rt_sigreturn ends as
 * -1, and counts when it ends.
 */
#ifndef RPT_CALL_ROWS_H
#define RPT_CALL_ROWS_H

#include "report/spans/spans.h"

#include "report/base/ids.h"
#include "report/base/length_stats.h"

struct rpt_call_thread {
	uint64_t event_nr;
	struct rpt_task_ref ref; /* of its last event */
	uint64_t start_ns;
	int64_t number; /* of the call that it is in */
	uint32_t loss_nr;
	bool is_open; /* it is in a call whose beginning is known */
};

struct rpt_call_row {
	uint32_t thread; /* its number */
	int64_t number;
	uint64_t call_nr;
	uint64_t error_nr;
	struct rpt_length_stats times; /* of calls whose time is known */
};

struct rpt_call_error {
	uint32_t row; /* its number */
	uint32_t error;
	uint64_t nr;
};

struct rpt_call_rows {
	struct rpt_budget *budget;
	struct rpt_ids tids;
	struct rpt_call_thread *threads; /* owned; by number of the tid */
	uint32_t thread_cap;
	struct rpt_intern keys;
	struct rpt_call_row *rows; /* owned; keys.nr of them */
	uint32_t row_cap;
	struct rpt_intern error_keys;
	struct rpt_call_error *errors; /* owned; error_keys.nr of them */
	uint32_t error_cap;
	uint64_t event_nr;
	uint32_t loss_nr;
};

void rpt_call_rows_init(struct rpt_call_rows *calls, struct rpt_budget *budget);
void rpt_call_rows_release(struct rpt_call_rows *calls);

/* Count an event: rpt_spans_take(). */
int rpt_call_rows_take(void *ctx, const struct rpt_span_event *event);

#endif
