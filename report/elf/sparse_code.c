#include "report/elf/sparse_code.h"

#include "report/base/memory.h"

#include "format/base/search.h"

#include <stdlib.h>

int rpt_sparse_segment_of(const struct pd_carried_file *file, uint64_t off)
{
	for (uint32_t i = 0; i < file->segment_nr; i++)
		if (off >= file->segments[i].off &&
		    off - file->segments[i].off < file->segments[i].len)
			return (int)i;
	return -1;
}

static bool is_in_segment(const struct pd_carried_file *file,
			  const struct pd_carried_run *run)
{
	int idx = rpt_sparse_segment_of(file, run->off);
	const struct pd_elf_segment *segment =
		idx < 0 ? NULL : &file->segments[idx];

	return segment && run->len <= segment->len - (run->off - segment->off);
}

void rpt_sparse_code_take(struct rpt_sparse_code *ret,
			  const struct pd_carried_file *file,
			  const struct rpt_sparse_code *from, uint64_t head_len,
			  uint32_t max)
{
	struct pd_carried_run *runs =
		rpt_alloc_zeroed(from->nr + (size_t)1, sizeof(*runs));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < from->nr && nr < max; i++)
		if (from->runs[i].off >= head_len &&
		    is_in_segment(file, &from->runs[i]))
			runs[nr++] = from->runs[i];
	*ret = (struct rpt_sparse_code){ runs, nr };
}

void rpt_sparse_code_release(struct rpt_sparse_code *code)
{
	free((struct pd_carried_run *)(uintptr_t)code->runs);
	code->runs = NULL;
	code->nr = 0;
}

int64_t rpt_sparse_code_find(const struct rpt_sparse_code *code, uint64_t off)
{
	uint32_t at;

	PD_FIND_FIRST(at, code->nr, code->runs[at].off > off);
	if (!at || off - code->runs[at - 1].off >= code->runs[at - 1].len)
		return -1;
	return at - 1;
}
