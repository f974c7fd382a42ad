/* Dimensions of an interval without a CPU: why, and who ended it. */
#include "report/columns/columns_impl.h"
#include "report/events/wait_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *state_text(const struct rpt_cell *cell)
{
	return rpt_wait_state_text((enum rpt_wait_state)rpt_cell_value(cell));
}

static const char *waker_of(uint64_t value)
{
	const char *comm = (const char *)(uintptr_t)value;

	return comm ? comm : "-";
}

/* Names of several recordings are the same if they are equal. */
static void key_waker(const struct rpt_key_source *source, uint32_t *words)
{
	const char *name =
		waker_of(rpt_stack_key_values(source->stack)[source->key->idx]);

	words[0] = rpt_frames_number(&source->rows->texts.names, name,
				     strlen(name));
}

static uint64_t value_of(const struct rpt_row_pair *pair,
			 const struct rpt_row *row)
{
	return rpt_row_values(row)[pair->key->idx];
}

static int compare_wakers(const struct rpt_row_pair *pair)
{
	return strcmp(waker_of(value_of(pair, pair->x)),
		      waker_of(value_of(pair, pair->y)));
}

static const char *waker_text(const struct rpt_cell *cell)
{
	return waker_of(rpt_cell_value(cell));
}

static const char *waker_tid_text(const struct rpt_cell *cell)
{
	uint64_t tid = rpt_cell_value(cell);

	if (tid >= RPT_WAKER_INTERRUPT)
		return "-";
	sprintf(cell->buf, "%" PRIu64, tid);
	return cell->buf;
}

const struct rpt_dimension rpt_wait_dimensions[] = {
	{ .name = "state",
	  .header = "State",
	  .help = "why the thread had no CPU",
	  RPT_KEY_OF_VALUE(RPT_VALUE_WAIT_STATE),
	  .is_new = true,
	  .text = state_text,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "waker",
	  .header = "Waker",
	  .help = "task that woke it, or [interrupt]",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_WAKER,
	  .word_nr = 1,
	  .key = key_waker,
	  .compare = compare_wakers,
	  .is_new = true,
	  .text = waker_text,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "waker_tid",
	  .header = "Waker Tid",
	  .help = "id of that task",
	  RPT_KEY_OF_VALUE(RPT_VALUE_WAKER_TID),
	  .is_new = true,
	  .text = waker_tid_text,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = NULL }
};
