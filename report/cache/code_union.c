#include "report/cache/code_union.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

void rpt_code_union_add(struct rpt_code_union *code,
			const struct pd_carried_run *run)
{
	code->items = rpt_grow(code->items, &code->cap, code->nr,
			       sizeof(*code->items));
	code->items[code->nr++] = *run;
}

void rpt_code_union_add_elf(struct rpt_code_union *code,
			    const struct rpt_elf *file)
{
	struct rpt_elf_section section;

	for (size_t i = 1; rpt_elf_section_at(file, i, &section); i++) {
		const Elf_Data *data =
			section.shdr.sh_type == SHT_PROGBITS && section.name &&
					!strcmp(section.name, ".text")
				? elf_rawdata(section.scn, NULL)
				: NULL;
		struct pd_carried_run run;

		if (!data || !data->d_buf || !data->d_size)
			continue;
		run = (struct pd_carried_run){
			.off = section.shdr.sh_offset,
			.data = data->d_buf,
			.len = data->d_size,
		};
		if (run.len <= UINT64_MAX - run.off)
			rpt_code_union_add(code, &run);
	}
}

/* By offset; of two that start there the longer one first. */
static int compare_runs(const void *a, const void *b)
{
	const struct pd_carried_run *x = a, *y = b;
	int rc = rpt_compare_u64(x->off, y->off);

	return rc ? rc : rpt_compare_u64(y->len, x->len);
}

void rpt_code_union_sort(struct rpt_code_union *code)
{
	uint64_t end = 0;
	uint32_t nr = 0;

	if (code->nr)
		qsort(code->items, code->nr, sizeof(*code->items),
		      compare_runs);
	for (uint32_t i = 0; i < code->nr; i++) {
		struct pd_carried_run run = code->items[i];

		if (run.off + run.len <= end)
			continue;
		if (run.off < end) {
			run.data += end - run.off;
			run.len -= end - run.off;
			run.off = end;
		}
		end = run.off + run.len;
		code->items[nr++] = run;
	}
	code->nr = nr;
}

void rpt_code_union_release(struct rpt_code_union *code)
{
	free(code->items);
	memset(code, 0, sizeof(*code));
}
