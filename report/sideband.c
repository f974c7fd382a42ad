#include "report/sideband.h"

#include "format/sample_id.h"
#include "report/space.h"

#include <errno.h>
#include <stdlib.h>

static const bool kept_types[PD_RECORD_KERNEL_NR] = {
	[PD_RECORD_MMAP] = true,
	[PD_RECORD_COMM] = true,
	[PD_RECORD_FORK] = true,
	[PD_RECORD_MMAP2] = true,
	[PD_RECORD_KSYMBOL] = true,
	[PD_RECORD_CGROUP] = true,
	[PD_RECORD_CALLCHAIN_DEFERRED] = true,
};

static bool is_sideband(uint32_t type)
{
	return type < PD_RECORD_KERNEL_NR && kept_types[type];
}

static int grow(struct rpt_sideband *sb)
{
	size_t cap = sb->cap ? sb->cap * 2 : 256;
	struct rpt_sideband_item *items =
		realloc(sb->items, cap * sizeof(*items));

	if (!items)
		return -ENOMEM;
	sb->items = items;
	sb->cap = cap;
	return 0;
}

int rpt_sideband_add(struct rpt_sideband *sb, const struct pd_event_set *events,
		     const struct pd_record *rec)
{
	const struct pd_event *event;
	struct rpt_sideband_item item = { .rec = *rec };

	if (!is_sideband(rec->type))
		return 0;
	if (sb->nr == sb->cap && grow(sb))
		return -ENOMEM;
	item.rec.data = rpt_arena_copy(&sb->arena, rec->data, rec->len);
	if (!item.rec.data)
		return -ENOMEM;
	event = pd_event_set_of_record(events, rec);
	if (event && rec->type == PD_RECORD_CALLCHAIN_DEFERRED) {
		struct pd_sample_id id;

		if (!pd_sample_id_read(&event->layout, rec, &id, NULL))
			item.tid = id.tid;
	}
	if (event) {
		item.id_len = event->layout.id_len;
		item.when.time_ns = pd_event_set_order(
			events, pd_event_set_time_of(events, rec));
	}
	item.when.seq = rec->seq;
	if (sb->nr && rpt_when_before(item.when, sb->items[sb->nr - 1].when))
		sb->is_unsorted = true;
	sb->items[sb->nr++] = item;
	return 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct rpt_sideband_item *x = a;
	const struct rpt_sideband_item *y = b;

	if (rpt_when_before(x->when, y->when))
		return -1;
	return rpt_when_before(y->when, x->when);
}

void rpt_sideband_sort(struct rpt_sideband *sb)
{
	if (sb->is_unsorted)
		qsort(sb->items, sb->nr, sizeof(*sb->items), compare_items);
	sb->is_unsorted = false;
}

void rpt_sideband_release(struct rpt_sideband *sb)
{
	rpt_arena_release(&sb->arena);
	free(sb->items);
	*sb = (struct rpt_sideband){ 0 };
}
