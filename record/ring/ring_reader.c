#include "record/ring/ring_reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "format/layout.h"

enum { HEADER_LEN = 8 };

int rec_ring_reader_init(struct rec_ring_reader *feed, struct rec_ring *ring,
			 int cpu)
{
	*feed = (struct rec_ring_reader){ .ring = ring, .cpu = cpu };
	return -pthread_mutex_init(&feed->lock, NULL);
}

int rec_ring_reader_allow_spill(struct rec_ring_reader *feed,
				struct rec_spill_buffer *spill,
				const struct rec_sample_layouts *kinds)
{
	feed->dropped = calloc(kinds->event_nr + 1, sizeof(*feed->dropped));
	if (!feed->dropped)
		return -ENOMEM;
	feed->spill = spill;
	feed->kinds = kinds;
	return 0;
}

void rec_ring_reader_release(struct rec_ring_reader *feed)
{
	struct rec_spill_buffer_block *block;

	while ((block = rec_ring_reader_pop(feed)))
		rec_spill_buffer_give(feed->spill, block);
	free(feed->dropped);
	feed->dropped = NULL;
	pthread_mutex_destroy(&feed->lock);
}

int rec_ring_reader_begin(struct rec_ring_reader *feed, size_t *ret_len,
			  struct pd_err *err)
{
	int code = rec_ring_load(feed->ring, err);

	feed->goal = feed->ring->upto;
	*ret_len = rec_ring_left(feed->ring) + feed->waiting_len;
	return code;
}

size_t rec_ring_reader_ring_len(const struct rec_ring_reader *feed)
{
	const struct perf_event_mmap_page *page = feed->ring->control;
	uint64_t tail = __atomic_load_n(&page->data_tail, __ATOMIC_RELAXED);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED);

	if (head - tail >= feed->ring->data_len)
		return feed->ring->data_len;
	return (size_t)(head - tail);
}

unsigned rec_ring_reader_fill(const struct rec_ring_reader *feed)
{
	return (unsigned)(rec_ring_reader_ring_len(feed) * 256 /
			  feed->ring->data_len);
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

struct rec_spill_buffer_block *rec_ring_reader_pop(struct rec_ring_reader *feed)
{
	struct rec_spill_buffer_block *block = feed->first;

	if (!block)
		return NULL;
	feed->first = block->next;
	if (!feed->first)
		feed->last = NULL;
	__atomic_sub_fetch(&feed->waiting_len, block->len, __ATOMIC_RELAXED);
	return block;
}

/* The block that has room for len bytes more. */
static struct rec_spill_buffer_block *block_for(struct rec_ring_reader *feed,
						size_t len)
{
	struct rec_spill_buffer_block *block = feed->last;

	if (block && REC_SPILL_BUFFER_BLOCK_LEN - block->len >= len)
		return block;
	block = rec_spill_buffer_take(feed->spill);
	if (!block)
		return NULL;
	if (feed->last)
		feed->last->next = block;
	else
		feed->first = block;
	feed->last = block;
	return block;
}

static uint32_t type_of(uint64_t word)
{
	return (uint32_t)word;
}

static size_t len_of(uint64_t word)
{
	return (size_t)(word >> 48);
}

/* The header of the record at the ring's tail; 0: none that can be. */
static uint64_t header_at(const struct rec_ring *ring, uint64_t pos)
{
	uint64_t word;

	if (pos == ring->upto)
		return 0;
	word = rec_ring_u64(ring, pos);
	if (len_of(word) < HEADER_LEN || len_of(word) % 8 ||
	    len_of(word) > ring->upto - pos)
		return 0;
	return word;
}

/* Copies len bytes from pos on, over the wrap. */
static void copy_out(const struct rec_ring *ring, uint64_t pos, size_t len,
		     uint8_t *to)
{
	size_t start = (size_t)(pos & (ring->data_len - 1));
	size_t to_end = ring->data_len - start;
	size_t first_len = len < to_end ? len : to_end;

	memcpy(to, ring->data + start, first_len);
	memcpy(to + first_len, ring->data, len - first_len);
}

/* len bytes of records more in the block; the ring is free up to pos. */
static void taken_upto(struct rec_ring_reader *feed,
		       struct rec_spill_buffer_block *block, size_t len,
		       uint64_t pos)
{
	block->len += len;
	__atomic_add_fetch(&feed->waiting_len, len, __ATOMIC_RELAXED);
	block->upto = pos;
	rec_ring_release(feed->ring, pos);
}

/* A run of whole records as they are, as long as one block has room for. */
static bool spill_run(struct rec_ring_reader *feed)
{
	struct rec_ring *ring = feed->ring;
	uint64_t pos = ring->tail, word = header_at(ring, pos);
	struct rec_spill_buffer_block *block =
		word ? block_for(feed, len_of(word)) : NULL;
	size_t room;

	if (!block)
		return false;
	room = REC_SPILL_BUFFER_BLOCK_LEN - block->len;
	while (word && pos + len_of(word) - ring->tail <= room) {
		pos += len_of(word);
		word = header_at(ring, pos);
	}
	copy_out(ring, ring->tail, (size_t)(pos - ring->tail),
		 block->data + block->len);
	taken_upto(feed, block, (size_t)(pos - ring->tail), pos);
	return true;
}

/* Nothing of it is kept. */
static size_t drop_sample(struct rec_ring_reader *feed, const uint8_t *record,
			  size_t len)
{
	uint64_t time_ns;
	uint32_t idx =
		rec_sample_layouts_find(feed->kinds, record, len, &time_ns);

	rec_ring_reader_loss_add(&feed->dropped[idx], 1, time_ns, time_ns);
	return 0;
}

/* All of the stack that there is. */
static size_t trim_sample(struct rec_ring_reader *feed, uint8_t *record,
			  size_t len)
{
	return rec_sample_cut_stack(feed->kinds, record, len, UINT64_MAX);
}

static size_t cut_sample(struct rec_ring_reader *feed, uint8_t *record,
			 size_t len)
{
	size_t whole_len = trim_sample(feed, record, len);
	size_t cut_len = rec_sample_cut_stack(feed->kinds, record, whole_len,
					      REC_STACK_KEPT_LEN);
	uint64_t time_ns;

	rec_sample_layouts_find(feed->kinds, record, cut_len, &time_ns);
	if (cut_len < whole_len)
		rec_ring_reader_loss_add(&feed->cut, 1, time_ns, time_ns);
	return cut_len;
}

static size_t lessen_sample(struct rec_ring_reader *feed,
			    enum rec_spill_buffer_level level, uint8_t *record,
			    size_t len)
{
	if (level == REC_SPILL_BUFFER_ALL)
		return trim_sample(feed, record, len);
	if (level == REC_SPILL_BUFFER_CUT)
		return cut_sample(feed, record, len);
	return drop_sample(feed, record, len);
}

/* One record, made smaller or dropped. */
static bool spill_less(struct rec_ring_reader *feed,
		       enum rec_spill_buffer_level level)
{
	struct rec_ring *ring = feed->ring;
	uint64_t word = header_at(ring, ring->tail);
	struct rec_spill_buffer_block *block =
		word ? block_for(feed, len_of(word)) : NULL;
	size_t len = len_of(word), kept_len = len;
	uint8_t *record;

	if (!block)
		return false;
	record = block->data + block->len;
	copy_out(ring, ring->tail, len, record);
	if (type_of(word) == PD_RECORD_SAMPLE)
		kept_len = lessen_sample(feed, level, record, len);
	taken_upto(feed, block, kept_len, ring->tail + len);
	return true;
}

/* A ring alone would be half full with what waits and what is in it. */
static bool is_pressed(const struct rec_ring_reader *feed)
{
	return feed->waiting_len + rec_ring_left(feed->ring) >=
	       feed->ring->data_len / 2;
}

void rec_ring_reader_spill(struct rec_ring_reader *feed)
{
	struct rec_ring *ring = feed->ring;
	uint64_t upto = ring->upto;
	size_t before_len = feed->waiting_len;
	bool went_on = feed->spill && !rec_ring_load(ring, NULL);
	bool pressed = went_on && is_pressed(feed);

	while (went_on && ring->tail != ring->upto) {
		enum rec_spill_buffer_level level =
			rec_spill_buffer_level(feed->spill);

		if (level == REC_SPILL_BUFFER_CUT && !feed->kinds->has_stacks)
			level = REC_SPILL_BUFFER_ALL;
		if (level == REC_SPILL_BUFFER_NOTHING && feed->last)
			level = REC_SPILL_BUFFER_SIDEBAND;
		if (level != REC_SPILL_BUFFER_ALL &&
		    rec_ring_left(ring) <= ring->data_len / 2)
			break;
		went_on = level == REC_SPILL_BUFFER_ALL &&
					  !feed->kinds->has_stacks
				  ? spill_run(feed)
				  : spill_less(feed, level);
	}
	if (pressed)
		__atomic_add_fetch(&feed->pressed_len,
				   feed->waiting_len - before_len,
				   __ATOMIC_RELAXED);
	/* This epoch's end, unless what was taken goes beyond it. */
	ring->upto = ring->tail - upto <= ring->data_len ? ring->tail : upto;
}

bool rec_ring_reader_try_spill(struct rec_ring_reader *feed)
{
	if (pthread_mutex_trylock(&feed->lock))
		return false;
	rec_ring_reader_spill(feed);
	pthread_mutex_unlock(&feed->lock);
	return true;
}
