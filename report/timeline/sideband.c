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

/* Different COMM records that are looked for, and their longest; the kernel's
 * have 80 bytes at most. */
#define SHARED_NR  (1u << 16)
#define SHARED_LEN 80u

/* Return the number of a COMM record's shared copy; -1 if it needs its own. */
static int64_t share(struct rpt_sideband *sb,
		     const struct rpt_sideband_copy *head,
		     const struct pd_event *event, const struct pd_record *rec)
{
	union {
		struct rpt_sideband_copy head;
		uint8_t bytes[sizeof(*head) + SHARED_LEN];
	} key = { .head = *head };
	int time_off = rec->len;
	size_t len = sizeof(*head) + rec->len;

	if (rec->type != PD_RECORD_COMM || rec->len > SHARED_LEN)
		return -1;
	memcpy(key.bytes + sizeof(*head), rec->data, rec->len);
	if (event && event->layout.time_off_back >= 0)
		time_off -= event->layout.time_off_back;
	if (time_off >= (int)PD_RECORD_HEADER_LEN && time_off < (int)rec->len)
		memset(key.bytes + sizeof(*head) + time_off, 0,
		       sizeof(uint64_t));
	if (sb->shared.nr >= SHARED_NR)
		return rpt_intern_find(&sb->shared, key.bytes, len);
	sb->shared.is_bytes = true;
	sb->shared.keys.budget = sb->arena.budget;
	return rpt_intern(&sb->shared, key.bytes, len);
}

static const struct rpt_sideband_copy *
copy_record(struct rpt_sideband *sb, const struct rpt_sideband_copy *head,
	    const struct pd_event *event, const struct pd_record *rec)
{
	int64_t idx = share(sb, head, event, rec);
	struct rpt_sideband_copy *copy;

	if (idx >= 0)
		return rpt_intern_key(&sb->shared, (uint32_t)idx);
	copy = rpt_arena_alloc(&sb->arena, sizeof(*copy) + rec->len);
	*copy = *head;
	memcpy(copy->data, rec->data, rec->len);
	return copy;
}

int rpt_sideband_add(struct rpt_sideband *sb, const struct pd_event_set *events,
		     const struct pd_record *rec)
{
	const struct pd_event *event;
	struct rpt_sideband_copy head = {
		.misc = pd_event_set_misc(events, rec),
	};
	struct rpt_sideband_item item = { .when.seq = rec->seq };

	if (!rpt_sideband_has(rec->type))
		return 0;
	if (rpt_budget_is_spent(sb->arena.budget))
		return -EFBIG;
	sb->items = rpt_grow_within(sb->arena.budget, sb->items, &sb->cap,
				    sb->nr, sizeof(*sb->items));
	sb->swap = rec->swap;
	event = pd_event_set_of_record(events, rec);
	if (event && rec->type == PD_RECORD_CALLCHAIN_DEFERRED) {
		struct pd_sample_id id;

		if (!pd_sample_id_read(&event->layout, rec, &id, NULL))
			head.tid = id.tid;
	}
	if (event) {
		head.id_len = event->layout.id_len;
		item.when.time_ns = pd_event_set_order(
			events, pd_event_set_time_of(events, rec));
	}
	item.copy = copy_record(sb, &head, event, rec);
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

	pd_record_read_header(item->copy->data, PD_RECORD_LEN_MAX, sb->swap,
			      &rec);
	rec.misc = item->copy->misc;
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
	if (!to->cap) {
		to->items = from->items;
		to->nr = from->nr;
		to->cap = from->cap;
		from->items = NULL;
		from->nr = from->cap = 0;
	}
	for (uint32_t i = 0; i < from->nr; i++) {
		to->items =
			rpt_grow_within(to->arena.budget, to->items, &to->cap,
					to->nr, sizeof(*to->items));
		to->items[to->nr++] = from->items[i];
	}
	to->swap = from->swap;
	rpt_arena_move(&to->arena, &from->arena);
	rpt_arena_move(&to->arena, &from->shared.keys);
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
	rpt_intern_release(&sb->shared);
	*sb = (struct rpt_sideband){ .arena = sb->arena };
}
