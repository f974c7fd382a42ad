#include "report/timeline/sideband.h"

#include "format/records/sample_id.h"
#include "report/timeline/address_space.h"

#include <errno.h>
#include <stdlib.h>

static const bool collected_types[PD_RECORD_KERNEL_NR] = {
	[PD_RECORD_MMAP] = true,       [PD_RECORD_COMM] = true,
	[PD_RECORD_FORK] = true,       [PD_RECORD_MMAP2] = true,
	[PD_RECORD_KSYMBOL] = true,    [PD_RECORD_CGROUP] = true,
	[PD_RECORD_NAMESPACES] = true, [PD_RECORD_CALLCHAIN_DEFERRED] = true,
};

bool rpt_sideband_has(uint32_t type)
{
	return type == PD_RECORD_HEADER_BUILD_ID ||
	       (type < PD_RECORD_KERNEL_NR && collected_types[type]);
}

int rpt_sideband_add(struct rpt_sideband *sb, const struct pd_event_set *events,
		     const struct pd_record *rec)
{
	const struct pd_event *event;
	struct rpt_sideband_item item = {
		.misc = pd_event_set_misc(events, rec),
	};

	if (!rpt_sideband_has(rec->type))
		return 0;
	if (rpt_budget_is_spent(sb->arena.budget))
		return -EFBIG;
	sb->items = rpt_grow_within(sb->arena.budget, sb->items, &sb->cap,
				    sb->nr, sizeof(*sb->items));
	sb->swap = rec->swap;
	item.data = rpt_arena_copy(&sb->arena, rec->data, rec->len);
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
	if (sb->nr &&
	    rpt_timestamp_before(item.when, sb->items[sb->nr - 1].when))
		sb->is_unsorted = true;
	sb->items[sb->nr++] = item;
	return 0;
}

struct pd_record rpt_sideband_record(const struct rpt_sideband *sb,
				     const struct rpt_sideband_item *item)
{
	struct pd_record rec = {
		.file_off = pd_record_file_off(item->when.seq),
		.seq = item->when.seq,
		.plain_off = PD_RECORD_NOT_COMPRESSED,
	};

	pd_record_read_header(item->data, PD_RECORD_LEN_MAX, sb->swap, &rec);
	rec.misc = item->misc;
	return rec;
}

void rpt_sideband_move(struct rpt_sideband *to, struct rpt_sideband *from)
{
	if (!from->nr)
		return;
	to->is_unsorted |= from->is_unsorted;
	if (to->nr && rpt_timestamp_before(from->items[0].when,
					   to->items[to->nr - 1].when))
		to->is_unsorted = true;
	for (uint32_t i = 0; i < from->nr; i++) {
		to->items =
			rpt_grow_within(to->arena.budget, to->items, &to->cap,
					to->nr, sizeof(*to->items));
		to->items[to->nr++] = from->items[i];
	}
	to->swap = from->swap;
	rpt_arena_move(&to->arena, &from->arena);
	rpt_sideband_release(from);
}

static int compare_items(const void *a, const void *b)
{
	const struct rpt_sideband_item *x = a;
	const struct rpt_sideband_item *y = b;

	if (rpt_timestamp_before(x->when, y->when))
		return -1;
	return rpt_timestamp_before(y->when, x->when);
}

void rpt_sideband_sort(struct rpt_sideband *sb)
{
	if (sb->is_unsorted)
		qsort(sb->items, sb->nr, sizeof(*sb->items), compare_items);
	sb->is_unsorted = false;
}

void rpt_sideband_release(struct rpt_sideband *sb)
{
	rpt_budget_give(sb->arena.budget, sb->cap * sizeof(*sb->items));
	free(sb->items);
	rpt_arena_release(&sb->arena);
	*sb = (struct rpt_sideband){ .arena = sb->arena };
}
