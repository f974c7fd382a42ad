/* What the raw data of a tracepoint's samples says, as rows show it. */
#include "report/rows/rows_impl.h"

#include "report/events/tracepoint.h"

int64_t rpt_rows_number_trace(struct rpt_rows *rows, uint32_t stack_idx)
{
	const struct rpt_profile *profile = rows->profile;
	struct rpt_tracepoints *tracepoints = rows->conf.tracepoints;
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	const struct pd_event_set *events =
		pd_reader_events(profile->conf.reader);
	const struct rpt_kernel_symbols kernel = {
		.timeline = profile->conf.timeline,
		.when = profile->stacks[stack_idx].first,
		.kernel_version = key->base->kernel_version,
	};
	struct rpt_tracepoint_record rec = {
		.raw = rpt_stack_key_raw(key),
		.raw_len = key->raw_len,
		.config = events->events[key->event_idx].attr.config,
		.kernel = &kernel,
	};
	struct rpt_text_string *string = rpt_text_string_new();
	const char *text;
	size_t len;
	int64_t idx;

	if (tracepoints && rec.raw_len)
		rpt_tracepoint_print(tracepoints, &rec, &string->text);
	text = rpt_text_string_take(string, &len);
	idx = rpt_intern(&rows->texts.traces, text, len);
	rpt_text_string_free(string);
	return idx;
}
