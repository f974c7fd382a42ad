#include "report/diff/diff_run.h"

#include "report/symbols/dso.h"
#include "report/callchain/frame.h"
#include "report/elf/function_bounds.h"

bool rpt_unnamed_function(struct rpt_labels *labels,
			  const struct rpt_frame *frame, uint64_t *ret_start,
			  uint32_t *ret_build)
{
	const uint8_t *id;
	uint8_t id_len = 0;
	struct rpt_elf *file;
	uint64_t addr;
	int64_t build;

	if (!frame->dso || frame->level != '.' ||
	    rpt_dso_kind(frame->dso) != RPT_DSO_USER)
		return false;
	id = rpt_dso_build_id(frame->dso, &id_len);
	file = id_len ? rpt_dso_runtime(frame->dso) : NULL;
	if (!file || !rpt_elf_off_to_addr(file, frame->addr, &addr) ||
	    !rpt_function_start(file, addr, ret_start))
		return false;
	build = rpt_intern(&labels->builds, id, id_len);
	*ret_build = (uint32_t)build;
	return build >= 0;
}

/* The label that takes the place of another. */
static uint32_t settled(const struct rpt_labels *labels, uint32_t label)
{
	uint32_t whole = labels->items[label].whole;

	return whole && labels->items[whole - 1].is_mixed ? whole - 1 : label;
}

void rpt_unnamed_merge(const struct rpt_labels *labels, struct rpt_run *runs,
		       size_t run_nr)
{
	for (size_t r = 0; r < run_nr; r++) {
		for (size_t e = 0; e < runs[r].event_nr; e++) {
			struct rpt_run_event *event = &runs[r].events[e];

			for (size_t i = 0; i < event->cell_nr; i++)
				event->cells[i].label =
					settled(labels, event->cells[i].label);
			rpt_run_event_merge(event);
		}
	}
}
