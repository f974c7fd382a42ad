#include "report/spans/call_rows.h"

#include "report/base/memory.h"

#include <stdlib.h>

/* Keys; without padding. */
struct call_key {
	uint64_t thread;
	int64_t number;
};

struct error_key {
	uint32_t row;
	uint32_t error;
};

void rpt_call_rows_init(struct rpt_call_rows *calls, struct rpt_budget *budget)
{
	struct rpt_intern table = { .is_bytes = true,
				    .keys = { .budget = budget },
				    .limit = budget };

	*calls = (struct rpt_call_rows){ .budget = budget,
					 .keys = table,
					 .error_keys = table };
	rpt_ids_init(&calls->tids, budget);
}

void rpt_call_rows_release(struct rpt_call_rows *calls)
{
	rpt_ids_release(&calls->tids);
	rpt_intern_release(&calls->keys);
	rpt_intern_release(&calls->error_keys);
	free(calls->threads);
	free(calls->rows);
	free(calls->errors);
}

static int64_t find_thread(struct rpt_call_rows *calls, uint32_t tid)
{
	uint32_t known_nr = calls->tids.table.nr;
	int64_t idx;

	calls->threads = rpt_grow_within(calls->budget, calls->threads,
					 &calls->thread_cap, known_nr,
					 sizeof(*calls->threads));
	idx = rpt_ids_number(&calls->tids, tid);
	if (idx == known_nr)
		calls->threads[idx] = (struct rpt_call_thread){ 0 };
	return idx;
}

static int64_t find_row(struct rpt_call_rows *calls, uint32_t thread,
			int64_t number)
{
	const struct call_key key = { thread, number };
	uint32_t known_nr = calls->keys.nr;
	int64_t idx;

	calls->rows =
		rpt_grow_within(calls->budget, calls->rows, &calls->row_cap,
				known_nr, sizeof(*calls->rows));
	idx = rpt_intern(&calls->keys, &key, sizeof(key));
	if (idx == known_nr)
		calls->rows[idx] = (struct rpt_call_row){ .thread = thread,
							  .number = number };
	return idx;
}

static int count_error(struct rpt_call_rows *calls, uint32_t row,
		       uint64_t error)
{
	const struct error_key key = { row, error < UINT32_MAX ? (uint32_t)error
							       : UINT32_MAX };
	uint32_t known_nr = calls->error_keys.nr;
	int64_t idx;

	calls->errors =
		rpt_grow_within(calls->budget, calls->errors, &calls->error_cap,
				known_nr, sizeof(*calls->errors));
	idx = rpt_intern(&calls->error_keys, &key, sizeof(key));
	if (idx < 0)
		return (int)idx;
	if (idx == known_nr)
		calls->errors[idx] =
			(struct rpt_call_error){ row, key.error, 0 };
	calls->errors[idx].nr++;
	return 0;
}

/* Take the end of a call. */
static int end(struct rpt_call_rows *calls, uint32_t idx,
	       const struct rpt_span_event *event)
{
	struct rpt_call_thread *thread = &calls->threads[idx];
	bool is_open = thread->is_open && thread->loss_nr == calls->loss_nr;
	int64_t number = event->values[0];
	int64_t value = event->values[1];
	int64_t row;

	thread->is_open = false;
	if (number == -1 && !is_open)
		return 0;
	if (number == -1)
		number = thread->number;
	row = find_row(calls, idx, number);
	if (row < 0)
		return (int)row;
	calls->rows[row].call_nr++;
	/* a record without a time comes whenever it is read */
	if (is_open && number == thread->number &&
	    event->time_ns >= thread->start_ns)
		rpt_length_stats_add(&calls->rows[row].times,
				     event->time_ns - thread->start_ns);
	if (value >= 0)
		return 0;
	calls->rows[row].error_nr++;
	return count_error(calls, (uint32_t)row, -(uint64_t)value);
}

int rpt_call_rows_take(void *ctx, const struct rpt_span_event *event)
{
	struct rpt_call_rows *calls = ctx;
	struct rpt_call_thread *thread;
	int64_t idx;

	if (event->kind == RPT_SPAN_LOST) {
		calls->loss_nr++;
		return 0;
	}
	idx = find_thread(calls, event->sample->fields.tid);
	if (idx < 0)
		return (int)idx;
	thread = &calls->threads[idx];
	thread->event_nr++;
	thread->ref = event->sample->task->ref;
	calls->event_nr++;
	if (event->kind == RPT_SPAN_END)
		return end(calls, (uint32_t)idx, event);
	thread->start_ns = event->time_ns;
	thread->number = event->values[0];
	thread->loss_nr = calls->loss_nr;
	thread->is_open = event->values[0] != -1;
	return 0;
}
