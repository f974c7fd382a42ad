#include "report/report/unnamed_rows.h"

#include "report/base/memory.h"
#include "report/profile/profile_hints.h"
#include "report/symbols/symbols.h"

#include <stdlib.h>

static uint64_t samples_of(const struct rpt_rows *rows, uint32_t row)
{
	uint64_t nr = 0;

	for (uint32_t m = 0; m < rows->member_nr; m++)
		nr += rpt_rows_stat(rows, row, m)->self_nr;
	return nr;
}

static void add_file(struct rpt_unnamed_rows *unnamed, struct rpt_dso *dso,
		     uint64_t sample_nr)
{
	uint32_t nr = unnamed->files.nr;
	int64_t idx = rpt_intern(&unnamed->files, &dso, sizeof(dso));

	if (idx < 0)
		return;
	if (idx == nr) {
		unnamed->file_sample_nrs =
			rpt_grow(unnamed->file_sample_nrs, &unnamed->file_cap,
				 nr, sizeof(*unnamed->file_sample_nrs));
		unnamed->file_sample_nrs[idx] = 0;
	}
	unnamed->file_sample_nrs[idx] += sample_nr;
}

void rpt_unnamed_rows_add(struct rpt_unnamed_rows *unnamed,
			  const struct rpt_rows *rows)
{
	if (!(rows->conf.keys.by & RPT_BY_SYMBOL) || rows->conf.keys.level_nr ||
	    rows->conf.is_branch)
		return;
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		const struct rpt_row *row = &rows->items[i];
		const struct rpt_frame *frame =
			&rows->frames->items[row->frame];
		uint64_t nr = samples_of(rows, i);

		if (row->is_hidden || !nr)
			continue;
		unnamed->all_nr += nr;
		if (!frame->dso || rpt_frame_has_name(frame) ||
		    rpt_dso_problem(frame->dso) ||
		    rpt_is_for_jit_hint(frame->dso))
			continue;
		unnamed->nr += nr;
		add_file(unnamed, frame->dso, nr);
	}
}

uint32_t rpt_unnamed_rows_files(const struct rpt_unnamed_rows *unnamed,
				struct rpt_dso *files[RPT_UNNAMED_ROWS_SHOWN],
				uint64_t sample_nrs[RPT_UNNAMED_ROWS_SHOWN])
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < unnamed->files.nr; i++) {
		uint64_t sample_nr = unnamed->file_sample_nrs[i];
		uint32_t at = nr < RPT_UNNAMED_ROWS_SHOWN ? nr++ : nr;

		for (; at && sample_nrs[at - 1] < sample_nr; at--) {
			if (at == RPT_UNNAMED_ROWS_SHOWN)
				continue;
			sample_nrs[at] = sample_nrs[at - 1];
			files[at] = files[at - 1];
		}
		if (at == RPT_UNNAMED_ROWS_SHOWN)
			continue;
		sample_nrs[at] = sample_nr;
		files[at] = *(struct rpt_dso *const *)rpt_intern_key(
			&unnamed->files, i);
	}
	return nr;
}

void rpt_unnamed_rows_release(struct rpt_unnamed_rows *unnamed)
{
	rpt_intern_release(&unnamed->files);
	free(unnamed->file_sample_nrs);
	*unnamed = (struct rpt_unnamed_rows){ .nr = 0 };
}
