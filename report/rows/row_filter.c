/* The frames of a sample that are in no call chain, and filters of rows. */
#include "report/events/filter.h"
#include "report/rows/rows_impl.h"

#include <string.h>

bool rpt_rows_hide_filtered(const struct rpt_rows *rows)
{
	unsigned asked =
		rows->conf.hide.filter ? rows->conf.hide.filter->asked : 0;
	unsigned by = rows->conf.keys.by;

	return (by & RPT_BY_DSO || !(asked & RPT_FILTER_DSO)) &&
	       (by & RPT_BY_SYMBOL || !(asked & RPT_FILTER_SYMBOL));
}

bool rpt_row_passes_filter(const struct rpt_rows *rows,
			   const struct rpt_frame *frame)
{
	const struct rpt_filter *filter = rows->conf.hide.filter;

	return !filter || rpt_filter_place(filter, frame->dso,
					   rpt_frame_symbol(frame), frame->ip);
}

bool rpt_row_has_symbol_part(const struct rpt_rows *rows,
			     const struct rpt_frame *frame)
{
	const char *part = rows->conf.hide.symbol_part;
	const char *symbol = rpt_frame_symbol(frame);

	return !part || (symbol && strstr(symbol, part));
}

static int resolve_branch(struct rpt_rows *rows, struct rpt_row_addition *add,
			  uint32_t *ret)
{
	const struct rpt_stack_key *key = add->key;
	struct rpt_frame_span from, to;
	struct rpt_frame_scope scope = add->at->scope;
	int rc = rpt_frames_resolve(
		rows->frames, &scope,
		rpt_frames_mode_at(rows->frames, &scope,
				   rpt_stack_key_branch(key).from),
		rpt_stack_key_branch(key).from, &from);

	if (rc)
		return rc;
	add->from_frame = from.self;
	rc = rpt_frames_resolve(
		rows->frames, &scope,
		rpt_frames_mode_at(rows->frames, &scope, key->ip), key->ip,
		&to);
	if (!rc)
		*ret = to.self;
	return rc;
}

/* The data is looked up in the mode and maps of the code that touched it. */
static int resolve_data(struct rpt_rows *rows, struct rpt_row_addition *add)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;
	const uint64_t *values = rpt_stack_key_values(add->key);
	struct rpt_frame_span span = { 0 };
	struct rpt_frame_scope scope = add->at->scope;
	uint32_t i = 0;
	int rc;

	while (i < keys->value_nr && keys->values[i] != RPT_VALUE_DATA_ADDR)
		i++;
	rc = rpt_frames_resolve(rows->frames, &scope, add->key->cpumode,
				i < keys->value_nr ? values[i] : 0, &span);
	add->from_frame = span.self;
	return rc;
}

int rpt_row_resolve(struct rpt_rows *rows, struct rpt_row_addition *add,
		    uint32_t *self)
{
	int rc = rows->conf.is_branch ? resolve_branch(rows, add, self) : 0;

	if (!rc && rows->conf.keys.by & RPT_BY_DATA)
		rc = resolve_data(rows, add);
	return rc;
}

bool rpt_row_is_resolved(const struct rpt_rows *rows,
			 const struct rpt_row_addition *add, uint32_t self)
{
	const struct rpt_frame *frames = rows->frames->items;

	return rpt_frame_has_name(&frames[self]) &&
	       (!rows->conf.is_branch ||
		rpt_frame_has_name(&frames[add->from_frame]));
}
