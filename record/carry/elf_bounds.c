#include "record/carry/elf_bounds.h"

#include "format/symtab/eh_frame.h"
#include "record/base/runtime.h"

enum { HITS_A_LOOK = 256 };

/* Add the bounds of the function at off, and set *ret to them, or to off alone.
 */
static int add_bounds(struct pd_eh_frame *frames, uint64_t off,
		      struct rec_name_list *list, struct rec_name_span *ret)
{
	struct pd_carried_name name = {
		.source = PD_CARRIED_FDE,
		.text = { "", 0 },
	};

	*ret = (struct rec_name_span){ off, off + 1 };
	if (!pd_eh_frame_bounds(frames, off, &ret->start, &ret->end))
		return 0;
	name.start = ret->start;
	name.len = ret->end - ret->start;
	return rec_name_list_add(list, &name) ? 0 : -ENOMEM;
}

static void cut(struct rec_name_span *span, const struct rec_name_span *by)
{
	if (span->start < by->start)
		span->start = by->start;
	if (span->end > by->end)
		span->end = by->end;
}

int rec_elf_bounds(const struct pd_elf_image *elf, const uint64_t *hits,
		   size_t nr, uint64_t until_ns, struct rec_name_span *spans,
		   struct rec_name_list *list)
{
	uint32_t name_nr = list->nr, at = 0;
	struct pd_eh_frame *frames;
	struct rec_name_span bounds = { 0, 0 };
	uint64_t named_to = 0;
	int rc = pd_eh_frame_open(elf, false, &frames);

	if (!frames)
		return rc;
	for (size_t i = 0; i < nr && !rc; i++) {
		for (; at < name_nr && list->items[at].start <= hits[i]; at++)
			if (named_to <
			    list->items[at].start + list->items[at].len)
				named_to = list->items[at].start +
					   list->items[at].len;
		if (hits[i] >= named_to && hits[i] >= bounds.end)
			rc = add_bounds(frames, hits[i], list, &bounds);
		if (spans && hits[i] >= named_to)
			cut(&spans[i], &bounds);
		if (!rc && i % HITS_A_LOOK == 0 && rec_now_ns() >= until_ns)
			rc = -ETIME;
	}
	pd_eh_frame_close(frames);
	return rc;
}
