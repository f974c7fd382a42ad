#include "record/carry/elf_bounds.h"

#include "format/symtab/eh_frame.h"
#include "format/symtab/go_table.h"
#include "record/base/runtime.h"
#include "record/names/name_share.h"

enum { HITS_A_LOOK = 256 };

/* The tables of functions without a symbol; owned, NULL: there is none. */
struct functions {
	struct pd_go_table *go;
	struct pd_eh_frame *frames;
	size_t share_left; /* bytes of texts: name_share.h */
};

/* Find the function at off.  Return false if there is none. */
static bool find_function(struct functions *f, uint64_t off,
			  struct pd_carried_name *ret)
{
	struct pd_go_function go;
	uint64_t end;

	*ret = (struct pd_carried_name){
		.source = PD_CARRIED_FDE,
		.text = { "", 0 },
	};
	if (pd_go_table_find(f->go, off, &go)) {
		ret->source = PD_CARRIED_GO;
		ret->text = pd_go_table_name(f->go, go.name);
		ret->start = go.off;
		ret->len = go.end - go.start;
	}
	if (ret->text.len)
		return true;
	ret->source = PD_CARRIED_FDE;
	if (!pd_eh_frame_bounds(f->frames, off, &ret->start, &end))
		return false;
	ret->len = end - ret->start;
	return true;
}

/* Add the function at off, and set *ret to its bounds, or to off alone. */
static int add_function(struct functions *f, uint64_t off,
			struct rec_name_list *list, struct rec_name_span *ret)
{
	struct pd_carried_name name;

	*ret = (struct rec_name_span){ off, off + 1 };
	if (!find_function(f, off, &name))
		return 0;
	*ret = (struct rec_name_span){ name.start, name.start + name.len };
	if (name.text.len > f->share_left)
		return -EFBIG;
	f->share_left -= name.text.len;
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
	struct functions functions = { .share_left = rec_name_share(nr) };
	uint32_t name_nr = list->nr, at = 0;
	struct rec_name_span bounds = { 0, 0 };
	uint64_t named_to = 0;
	int rc = pd_go_table_open(elf, &functions.go);

	/* a table that is damaged, or too long, is none */
	if (rc != -ENOMEM)
		rc = pd_eh_frame_open(elf, false, &functions.frames);
	if (!functions.go && !functions.frames)
		return rc;
	for (size_t i = 0; i < nr && !rc; i++) {
		for (; at < name_nr && list->items[at].start <= hits[i]; at++)
			if (named_to <
			    list->items[at].start + list->items[at].len)
				named_to = list->items[at].start +
					   list->items[at].len;
		if (hits[i] >= named_to && hits[i] >= bounds.end)
			rc = add_function(&functions, hits[i], list, &bounds);
		if (spans && hits[i] >= named_to)
			cut(&spans[i], &bounds);
		if (!rc && i % HITS_A_LOOK == 0 && rec_now_ns() >= until_ns)
			rc = -ETIME;
	}
	pd_go_table_close(functions.go);
	pd_eh_frame_close(functions.frames);
	return rc;
}
