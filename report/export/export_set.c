#include "report/export/export_set.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

void rpt_export_set_init(struct rpt_export_set *set)
{
	*set = (struct rpt_export_set){ .files.is_bytes = true,
					.functions.is_bytes = true,
					.frames.is_bytes = true,
					.edges.is_bytes = true,
					.samples.is_bytes = true };
	rpt_export_text(set, "");
}

void rpt_export_set_release(struct rpt_export_set *set)
{
	rpt_intern_release(&set->texts);
	rpt_intern_release(&set->files);
	rpt_intern_release(&set->functions);
	rpt_intern_release(&set->frames);
	rpt_intern_release(&set->edges);
	rpt_intern_release(&set->samples);
	free(set->values);
	*set = (struct rpt_export_set){ .values = NULL };
}

uint32_t rpt_export_text(struct rpt_export_set *set, const char *text)
{
	return (uint32_t)rpt_intern(&set->texts, text, strlen(text));
}

uint32_t rpt_export_stack(struct rpt_export_set *set, uint32_t callers,
			  uint32_t frame)
{
	const struct rpt_export_stack stack = { callers, frame };

	return (uint32_t)rpt_intern(&set->edges, &stack, sizeof(stack)) + 1;
}

void rpt_export_add(struct rpt_export_set *set,
		    const struct rpt_export_sample *sample,
		    const struct rpt_export_value *value)
{
	uint32_t known_nr = set->samples.nr;
	uint32_t idx =
		(uint32_t)rpt_intern(&set->samples, sample, sizeof(*sample));

	set->values = rpt_grow(set->values, &set->values_cap, idx,
			       sizeof(*set->values));
	if (idx == known_nr)
		set->values[idx] = (struct rpt_export_value){ 0 };
	set->values[idx].nr += value->nr;
	set->values[idx].period += value->period;
}
