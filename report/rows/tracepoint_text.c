/* What the raw data of a tracepoint's samples says, as rows show it. */
#include "report/rows/rows_impl.h"

#include "report/events/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int print(struct rpt_tracepoints *tracepoints,
		 const struct rpt_tracepoint_record *rec, FILE *out)
{
	struct rpt_text *text = malloc(sizeof(*text));
	int rc;

	if (!text)
		return -ENOMEM;
	rpt_text_init(text, out);
	rpt_tracepoint_print(tracepoints, rec, text);
	rc = rpt_text_flush(text);
	free(text);
	return rc;
}

int rpt_rows_number_trace(struct rpt_rows *rows, uint32_t stack_idx,
			  uint32_t *ret)
{
	const struct rpt_profile *profile = rows->profile;
	struct rpt_tracepoints *tracepoints = rows->conf.tracepoints;
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	const struct pd_event_set *events =
		pd_reader_events(profile->conf.reader);
	const struct rpt_kernel_symbols kernel = {
		.timeline = profile->conf.timeline,
		.when = profile->stacks[stack_idx].first,
		.generation = key->base->kernel_generation,
	};
	struct rpt_tracepoint_record rec = {
		.raw = rpt_stack_key_raw(key),
		.raw_len = key->raw_len,
		.config = events->events[key->event_idx].attr.config,
		.kernel = &kernel,
	};
	char *text = NULL;
	size_t len = 0;
	int64_t idx;
	int rc = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return -ENOMEM;
	if (tracepoints && rec.raw_len)
		rc = print(tracepoints, &rec, out);
	if (fclose(out))
		rc = -ENOMEM;
	idx = rc ? rc : rpt_intern(&rows->texts.traces, text, len);
	free(text);
	if (idx < 0)
		return (int)idx;
	*ret = (uint32_t)idx;
	return 0;
}
