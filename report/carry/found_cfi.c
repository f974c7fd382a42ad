#include "report/carry/found_cfi.h"

#include "format/base/limits.h"
#include "report/base/memory.h"
#include "report/symbols/dso.h"

#include <stdlib.h>

/* The text of the section stays well below what readers take. */
#define TEXT_LEN_MAX (PD_LIMIT_CARRIED_LEN / 2)

/* Entries that readers still take. */
struct budget {
	size_t text_len;
	uint64_t span; /* of .eh_frame */
};

/* Find the pieces of one file.  Return false if there are none, or too much
 * of them for readers. */
static bool find_in(struct pd_cfi_pieces *pieces,
		    const struct rpt_hit_file *hit, struct budget *budget)
{
	struct rpt_elf *elf = rpt_dso_loaded(hit->dso)->files.runtime;
	const struct pd_elf_image *image = elf ? &elf->image : NULL;
	struct budget left = *budget;
	const struct pd_cfi_limits limits = { .budget = &left.text_len };
	uint64_t *offs;
	size_t nr = 0;
	int rc;

	if (!image ||
	    (image->machine != EM_AARCH64 && image->machine != EM_X86_64))
		return false;
	offs = rpt_alloc_zeroed(hit->hit_nr, sizeof(*offs));
	for (uint32_t i = 0; i < hit->hit_nr; i++)
		if (!hit->hits[i].is_code)
			offs[nr++] = hit->hits[i].addr;
	rc = pd_cfi_pieces_find(image, offs, nr, &limits, pieces);
	free(offs);
	if (rc || !pieces->frames.piece_nr || pieces->frames.len > left.span)
		return false;
	left.span -= pieces->frames.len;
	*budget = left;
	return true;
}

void rpt_found_cfi_find(struct rpt_found_cfi *found,
			struct rpt_found_names *names,
			const struct rpt_hit_files *hits)
{
	struct budget budget = { TEXT_LEN_MAX, PD_LIMIT_CARRIED_SPANS };

	found->nr = names->nr;
	found->lists = rpt_alloc_zeroed(names->nr, sizeof(*found->lists));
	for (uint32_t i = 0; i < hits->nr; i++) {
		uint32_t idx = hits->files[i].carried_idx;
		struct pd_cfi_pieces *list;

		if (idx >= names->nr || names->files[idx].frames ||
		    names->files[idx].kind != PD_CARRIED_ELF)
			continue;
		list = &found->lists[idx];
		pd_cfi_pieces_release(list);
		if (!find_in(list, &hits->files[i], &budget))
			continue;
		names->files[idx].frames = &list->frames;
		names->is_changed = true;
	}
}

void rpt_found_cfi_release(struct rpt_found_cfi *found)
{
	for (uint32_t i = 0; i < found->nr; i++)
		pd_cfi_pieces_release(&found->lists[i]);
	free(found->lists);
	*found = (struct rpt_found_cfi){ .nr = 0 };
}
