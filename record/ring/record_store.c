#include "record/ring/record_store.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "format/file/layout.h"
#include "record/base/runtime.h"

enum {
	BLOCK_LEN = 256,
	BLOCK_ROOM = BLOCK_LEN - sizeof(uint32_t),
	NONE = 0,
};

struct rec_record_block {
	uint32_t next;
	uint8_t data[BLOCK_ROOM];
};

/* Stands before each record. */
struct head {
	uint64_t time_ns;
	uint64_t seq;
};

int rec_record_store_init(struct rec_record_store *store, size_t len_max)
{
	*store = (struct rec_record_store){
		.cap = len_max / BLOCK_LEN + 1,
		.used_nr = 1,
	};
	store->blocks = rec_map_memory(store->cap * sizeof(*store->blocks));
	return store->blocks ? 0 : -ENOMEM;
}

void rec_record_store_release(struct rec_record_store *store)
{
	rec_unmap_memory(store->blocks, store->cap * sizeof(*store->blocks));
}

void rec_record_store_reset(struct rec_record_store *store)
{
	(void)!madvise(store->blocks, store->cap * sizeof(*store->blocks),
		       MADV_DONTNEED);
	store->used_nr = 1;
	store->free = NONE;
	store->free_nr = 0;
}

void rec_record_store_drop(struct rec_record_store *store,
			   struct rec_record_list *list)
{
	if (list->first != NONE) {
		store->blocks[list->last].next = store->free;
		store->free = list->first;
		store->free_nr += list->block_nr;
	}
	*list = (struct rec_record_list){ .nr = 0 };
}

static void add_block(struct rec_record_store *store,
		      struct rec_record_list *list)
{
	uint32_t idx = store->free;

	if (idx == NONE) {
		idx = (uint32_t)store->used_nr++;
	} else {
		store->free = store->blocks[idx].next;
		store->free_nr--;
	}
	store->blocks[idx].next = NONE;
	if (list->first == NONE)
		list->first = idx;
	else
		store->blocks[list->last].next = idx;
	list->last = idx;
	list->last_len = 0;
	list->block_nr++;
}

/* There must be room. */
static void add_bytes(struct rec_record_store *store,
		      struct rec_record_list *list, const void *bytes,
		      size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		size_t part;

		if (list->first == NONE || list->last_len == BLOCK_ROOM)
			add_block(store, list);
		part = BLOCK_ROOM - list->last_len;
		part = len < part ? len : part;
		memcpy(store->blocks[list->last].data + list->last_len, from,
		       part);
		list->last_len += (uint32_t)part;
		from += part;
		len -= part;
	}
}

bool rec_record_store_add(struct rec_record_store *store,
			  struct rec_record_list *list,
			  const struct pd_record *record, uint64_t time_ns)
{
	const struct head head = { time_ns, store->seq++ };
	size_t block_nr = (sizeof(head) + record->len) / BLOCK_ROOM + 1;

	if (block_nr > store->free_nr + (store->cap - store->used_nr))
		return false;
	add_bytes(store, list, &head, sizeof(head));
	add_bytes(store, list, record->data, record->len);
	list->nr++;
	return true;
}

struct walk {
	const struct rec_record_store *store;
	uint32_t block;
	uint32_t at;
};

/* Copy the next len bytes, which are there. */
static void walk_bytes(struct walk *w, uint8_t *to, size_t len)
{
	while (len) {
		const struct rec_record_block *block =
			&w->store->blocks[w->block];
		size_t part = BLOCK_ROOM - w->at;

		part = len < part ? len : part;
		memcpy(to, block->data + w->at, part);
		to += part;
		len -= part;
		w->at += (uint32_t)part;
		if (w->at == BLOCK_ROOM)
			*w = (struct walk){ w->store, block->next, 0 };
	}
}

void rec_record_store_copy(const struct rec_record_store *store,
			   const struct rec_record_list *list,
			   struct pd_buf *ret)
{
	struct walk w = { store, list->first, 0 };

	for (uint32_t i = 0; i < list->nr; i++) {
		uint8_t start[sizeof(struct head) + PD_RECORD_HEADER_LEN];
		uint8_t *to;
		uint16_t len;

		walk_bytes(&w, start, sizeof(start));
		memcpy(&len, start + sizeof(start) - sizeof(len), sizeof(len));
		to = pd_buf_reserve(ret, sizeof(struct head) + len);
		if (!to)
			return;
		memcpy(to, start, sizeof(start));
		walk_bytes(&w, to + sizeof(start), len - PD_RECORD_HEADER_LEN);
		pd_buf_commit(ret, sizeof(struct head) + len);
	}
}

bool rec_stored_next(const struct pd_buf *copy, size_t *at,
		     struct rec_stored *ret)
{
	struct head head;

	if (*at >= copy->len)
		return false;
	memcpy(&head, copy->data + *at, sizeof(head));
	*at += sizeof(head);
	*ret = (struct rec_stored){ head.time_ns, head.seq, { .len = 0 } };
	pd_record_read_header(copy->data + *at, copy->len - *at, false,
			      &ret->record);
	*at += ret->record.len;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct rec_stored *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

struct rec_stored *rec_stored_list(const struct pd_buf *copy, size_t *ret_nr)
{
	struct rec_stored *all = NULL, one;
	size_t cap = 0, nr = 0;

	for (size_t at = 0; rec_stored_next(copy, &at, &one);)
		cap++;
	if (!pd_buf_status(copy))
		all = calloc(cap + 1, sizeof(*all));
	if (!all)
		return NULL;
	for (size_t at = 0; nr < cap && rec_stored_next(copy, &at, &all[nr]);)
		nr++;
	qsort(all, nr, sizeof(*all), compare);
	*ret_nr = nr;
	return all;
}

static void append(const struct rec_stored *stored, unsigned time_back,
		   uint64_t least_ns, struct pd_buf *ret)
{
	uint64_t time_ns =
		stored->time_ns < least_ns ? least_ns : stored->time_ns;

	pd_buf_bytes(ret, stored->record.data, stored->record.len);
	if (stored->record.len >= PD_RECORD_HEADER_LEN + time_back &&
	    !pd_buf_status(ret))
		pd_buf_patch_u64(ret, ret->len - time_back, time_ns);
}

int rec_stored_write(const struct pd_buf *copy, unsigned time_back,
		     uint64_t least_ns, struct pd_buf *ret)
{
	size_t nr;
	struct rec_stored *all = rec_stored_list(copy, &nr);

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		append(&all[i], time_back, least_ns, ret);
	free(all);
	return pd_buf_status(ret);
}
