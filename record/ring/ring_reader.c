#include "record/ring/ring_reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "format/file/layout.h"

enum { HEADER_LEN = 8 };

int rec_ring_reader_init(struct rec_ring_reader *reader, struct rec_ring *ring,
			 int cpu)
{
	*reader = (struct rec_ring_reader){ .ring = ring, .cpu = cpu };
	return -pthread_mutex_init(&reader->lock, NULL);
}

int rec_ring_reader_allow_spill(struct rec_ring_reader *reader,
				struct rec_spill_buffer *spill,
				const struct rec_sample_layouts *layouts)
{
	reader->dropped =
		calloc(layouts->event_nr + 1, sizeof(*reader->dropped));
	if (!reader->dropped)
		return -ENOMEM;
	reader->spill = spill;
	reader->layouts = layouts;
	return 0;
}

void rec_ring_reader_release(struct rec_ring_reader *reader)
{
	struct rec_spill_buffer_block *block;

	while ((block = rec_ring_reader_pop(reader)))
		rec_spill_buffer_give(reader->spill, block);
	free(reader->dropped);
	reader->dropped = NULL;
	pthread_mutex_destroy(&reader->lock);
}

int rec_ring_reader_begin(struct rec_ring_reader *reader, size_t *ret_len,
			  struct pd_err *err)
{
	int rc;

	pthread_mutex_lock(&reader->lock);
	rc = rec_ring_load(reader->ring, err);
	reader->goal = reader->ring->upto;
	*ret_len = rec_ring_left(reader->ring) + reader->waiting_len;
	pthread_mutex_unlock(&reader->lock);
	return rc;
}

void rec_ring_reader_look(struct rec_ring_reader *reader,
			  const struct rec_sample_layouts *layouts)
{
	struct rec_ring ring;
	uint64_t pos;

	pthread_mutex_lock(&reader->lock);
	ring = *reader->ring;
	pos = reader->looked_pos;
	if ((int64_t)(pos - ring.tail) < 0)
		pos = ring.tail;
	if (!rec_ring_load(&ring, NULL))
		pos = rec_sample_layouts_look(layouts, &ring, pos);
	reader->looked_pos = pos;
	pthread_mutex_unlock(&reader->lock);
}

size_t rec_ring_reader_ring_len(const struct rec_ring_reader *reader)
{
	const struct perf_event_mmap_page *page = reader->ring->control;
	uint64_t tail = __atomic_load_n(&page->data_tail, __ATOMIC_RELAXED);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED);

	if (head - tail >= reader->ring->data_len)
		return reader->ring->data_len;
	return (size_t)(head - tail);
}

uint64_t rec_ring_reader_came_len(const struct rec_ring_reader *reader)
{
	return __atomic_load_n(&reader->ring->control->data_head,
			       __ATOMIC_RELAXED);
}

unsigned rec_ring_reader_fill(const struct rec_ring_reader *reader)
{
	return rec_ring_share(reader->ring, rec_ring_reader_ring_len(reader));
}

void rec_ring_reader_loss_add(struct rec_ring_reader_loss *loss, uint64_t nr,
			      uint64_t time_lo_ns, uint64_t time_hi_ns)
{
	if (!loss->nr || time_lo_ns < loss->time_lo_ns)
		loss->time_lo_ns = time_lo_ns;
	if (!loss->nr || time_hi_ns > loss->time_hi_ns)
		loss->time_hi_ns = time_hi_ns;
	loss->nr += nr;
}

struct rec_spill_buffer_block *
rec_ring_reader_pop(struct rec_ring_reader *reader)
{
	struct rec_spill_buffer_block *block = reader->first;

	if (!block)
		return NULL;
	reader->first = block->next;
	if (!reader->first)
		reader->last = NULL;
	__atomic_sub_fetch(&reader->waiting_len, block->plain_len,
			   __ATOMIC_RELAXED);
	return block;
}

/* Return a block that has room for len more bytes. */
static struct rec_spill_buffer_block *block_for(struct rec_ring_reader *reader,
						size_t len)
{
	struct rec_spill_buffer_block *block = reader->last;

	if (block && REC_SPILL_BUFFER_BLOCK_LEN - block->len >= len)
		return block;
	block = rec_spill_buffer_take(reader->spill);
	if (!block)
		return NULL;
	if (reader->last)
		reader->last->next = block;
	else
		reader->first = block;
	reader->last = block;
	return block;
}

/* Add len bytes of records to the block; the ring is free up to pos. */
static void taken_upto(struct rec_ring_reader *reader,
		       struct rec_spill_buffer_block *block, size_t len,
		       uint64_t pos)
{
	block->len += len;
	block->plain_len += len;
	__atomic_add_fetch(&reader->waiting_len, len, __ATOMIC_RELAXED);
	block->upto = pos;
	rec_ring_release(reader->ring, pos);
}

/* Return whether the record at pos is spilled as it is, and nobody else has to
 * see it. */
static bool is_plain(const struct rec_ring_reader *reader,
		     const struct rec_record_header *header, uint64_t pos)
{
	if (!reader->layouts->has_stacks)
		return true;
	return header->type != PD_RECORD_SAMPLE &&
	       (!reader->layouts->code || !rec_code_ranges_want(header->type) ||
		(int64_t)(pos - reader->looked_pos) < 0);
}

/* Spill a run of plain records, as long as one block has room.  Return false if
 * there is none. */
static bool spill_run(struct rec_ring_reader *reader)
{
	struct rec_ring *ring = reader->ring;
	struct rec_record_header header;
	struct rec_spill_buffer_block *block;
	uint64_t pos = ring->tail;
	size_t room;

	if (!rec_ring_header(ring, pos, &header) ||
	    !is_plain(reader, &header, pos))
		return false;
	block = block_for(reader, header.len);
	if (!block)
		return false;
	room = REC_SPILL_BUFFER_BLOCK_LEN - block->len;
	do {
		pos += header.len;
	} while (rec_ring_header(ring, pos, &header) &&
		 is_plain(reader, &header, pos) &&
		 pos + header.len - ring->tail <= room);
	rec_ring_copy(ring, ring->tail, (size_t)(pos - ring->tail),
		      block->data + block->len);
	taken_upto(reader, block, (size_t)(pos - ring->tail), pos);
	return true;
}

/* Drop the record and count it. */
static size_t drop_sample(struct rec_ring_reader *reader, const uint8_t *record,
			  size_t len)
{
	uint64_t time_ns;
	uint32_t idx =
		rec_sample_layouts_find(reader->layouts, record, len, &time_ns);

	rec_ring_reader_loss_add(&reader->dropped[idx], 1, time_ns, time_ns);
	return 0;
}

/* Copy all of the stack that is used, or what is wanted of it. */
static size_t trim_sample(struct rec_ring_reader *reader, uint8_t *record,
			  size_t len)
{
	return rec_sample_cut_stack(reader->layouts, record, len,
				    rec_sample_layouts_most(reader->layouts));
}

static size_t cut_sample(struct rec_ring_reader *reader, uint8_t *record,
			 size_t len)
{
	bool is_leaf =
		rec_sample_layouts_has_leaf(reader->layouts, record, len);
	size_t whole_len = is_leaf ? len : trim_sample(reader, record, len);
	size_t cut_len =
		rec_sample_cut_stack(reader->layouts, record, whole_len,
				     is_leaf ? 0 : REC_STACK_KEPT_LEN);
	uint64_t time_ns;

	rec_sample_layouts_find(reader->layouts, record, cut_len, &time_ns);
	if (cut_len < whole_len)
		rec_ring_reader_loss_add(&reader->cut, 1, time_ns, time_ns);
	return cut_len;
}

static size_t lessen_sample(struct rec_ring_reader *reader,
			    enum rec_spill_buffer_level level, uint8_t *record,
			    size_t len)
{
	if (level == REC_SPILL_BUFFER_ALL)
		return trim_sample(reader, record, len);
	if (level == REC_SPILL_BUFFER_CUT)
		return cut_sample(reader, record, len);
	return drop_sample(reader, record, len);
}

/* Spill one record, cut or dropped. */
static bool spill_less(struct rec_ring_reader *reader,
		       enum rec_spill_buffer_level level)
{
	struct rec_ring *ring = reader->ring;
	struct rec_record_header header;
	struct rec_spill_buffer_block *block;
	size_t kept_len;
	uint8_t *record;

	if (!rec_ring_header(ring, ring->tail, &header))
		return false;
	block = block_for(reader, header.len);
	if (!block)
		return false;
	record = block->data + block->len;
	rec_ring_copy(ring, ring->tail, header.len, record);
	kept_len = header.len;
	if (header.type == PD_RECORD_SAMPLE)
		kept_len = lessen_sample(reader, level, record, header.len);
	else if (rec_code_ranges_want(header.type) &&
		 (int64_t)(ring->tail - reader->looked_pos) >= 0)
		rec_sample_layouts_see(reader->layouts, ring, ring->tail, true);
	taken_upto(reader, block, kept_len, ring->tail + header.len);
	return true;
}

/* True if a ring alone would be half full with all that waits. */
static bool is_pressed(const struct rec_ring_reader *reader)
{
	return reader->waiting_len + rec_ring_left(reader->ring) >=
	       reader->ring->data_len / 2;
}

/* Spill up to upto of the ring. */
static void spill(struct rec_ring_reader *reader)
{
	struct rec_ring *ring = reader->ring;
	size_t before_len = reader->waiting_len;
	bool went_on = true;
	bool pressed = is_pressed(reader);

	while (went_on && ring->tail != ring->upto) {
		enum rec_spill_buffer_level level =
			rec_spill_buffer_level(reader->spill);

		if (level == REC_SPILL_BUFFER_CUT &&
		    !reader->layouts->has_stacks)
			level = REC_SPILL_BUFFER_ALL;
		if (level == REC_SPILL_BUFFER_NOTHING && reader->last)
			level = REC_SPILL_BUFFER_SIDEBAND;
		if (level != REC_SPILL_BUFFER_ALL &&
		    rec_ring_left(ring) <= ring->data_len / 2)
			break;
		went_on =
			(level == REC_SPILL_BUFFER_ALL && spill_run(reader)) ||
			spill_less(reader, level);
	}
	if (pressed)
		__atomic_add_fetch(&reader->pressed_len,
				   reader->waiting_len - before_len,
				   __ATOMIC_RELAXED);
}

void rec_ring_reader_spill(struct rec_ring_reader *reader)
{
	struct rec_ring *ring = reader->ring;
	uint64_t upto = ring->upto;

	if (reader->spill && !rec_ring_load(ring, NULL))
		spill(reader);
	/* End this epoch there, unless it was spilled further. */
	ring->upto = ring->tail - upto <= ring->data_len ? ring->tail : upto;
}

void rec_ring_reader_spill_epoch(struct rec_ring_reader *reader)
{
	if (reader->spill)
		spill(reader);
}

bool rec_ring_reader_try_spill(struct rec_ring_reader *reader, bool of_epoch)
{
	if (pthread_mutex_trylock(&reader->lock))
		return false;
	if (of_epoch)
		rec_ring_reader_spill_epoch(reader);
	else
		rec_ring_reader_spill(reader);
	pthread_mutex_unlock(&reader->lock);
	return true;
}

bool rec_ring_reader_try_pack(struct rec_ring_reader *reader)
{
	struct rec_spill_buffer_block *before = NULL, *block;
	bool is_found;

	if (pthread_mutex_trylock(&reader->lock))
		return false;
	block = reader->first;
	while (block && (block->is_packed || block->is_tried)) {
		before = block;
		block = block->next;
	}
	/* The last one is still being filled. */
	is_found = block && block->next;
	if (is_found && rec_spill_buffer_pack(block, before) && before) {
		before->next = block->next;
		rec_spill_buffer_give(reader->spill, block);
	}
	pthread_mutex_unlock(&reader->lock);
	return is_found;
}
