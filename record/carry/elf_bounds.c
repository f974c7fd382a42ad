#include "record/carry/elf_bounds.h"

#include "record/base/runtime.h"
#include "record/carry/frame_table.h"

enum { HITS_A_LOOK = 256 };

/* Add the bounds of the function at off, and set where it ends, or 0. */
static int add_bounds(struct rec_frame_table *table, uint64_t off,
		      struct rec_name_list *list, uint64_t *ret_end)
{
	struct pd_carried_name name = {
		.source = PD_CARRIED_FDE,
		.text = { "", 0 },
	};
	struct rec_frame_cie cie;
	struct pd_frame_entry fde;
	struct rec_frame_function f;
	uint64_t addr, start;

	*ret_end = 0;
	if (!pd_elf_off_to_addr(table->elf, off, &addr) ||
	    !rec_frame_table_find(table, addr, &f) ||
	    !rec_frame_table_fde(table, f.fde_off, &fde) ||
	    !rec_frame_table_cie(table, fde.cie_off, &cie) ||
	    !pd_frame_range(&table->eh_frame, &fde, cie.encoding, &start,
			    &name.len) ||
	    addr - start >= name.len || addr - start > off)
		return 0;
	name.start = off - (addr - start);
	if (name.start + name.len < name.start ||
	    !pd_elf_off_to_addr(table->elf, name.start, &addr) ||
	    addr != start)
		return 0; /* it starts in another segment */
	*ret_end = name.start + name.len;
	return rec_name_list_add(list, &name) ? 0 : -ENOMEM;
}

int rec_elf_bounds(const struct pd_elf_image *elf, const uint64_t *hits,
		   size_t nr, uint64_t until_ns, struct rec_name_list *list)
{
	uint32_t name_nr = list->nr, at = 0;
	struct rec_frame_table *table;
	uint64_t named_to = 0, end = 0;
	int rc = rec_frame_table_open(elf, false, &table);

	if (!table)
		return rc;
	for (size_t i = 0; i < nr && !rc; i++) {
		for (; at < name_nr && list->items[at].start <= hits[i]; at++)
			if (named_to <
			    list->items[at].start + list->items[at].len)
				named_to = list->items[at].start +
					   list->items[at].len;
		if (hits[i] >= named_to && hits[i] >= end)
			rc = add_bounds(table, hits[i], list, &end);
		if (!rc && i % HITS_A_LOOK == 0 && rec_now_ns() >= until_ns)
			rc = -ETIME;
	}
	rec_frame_table_close(table);
	return rc;
}
