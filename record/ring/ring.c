#include "record/ring/ring.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>

void rec_ring_init(struct rec_ring *ring, void *control, size_t page_len,
		   size_t data_len)
{
	*ring = (struct rec_ring){
		.control = control,
		.data = (const uint8_t *)control + page_len,
		.data_len = data_len,
	};
	ring->tail = ring->upto = ring->control->data_tail;
}

void rec_ring_init_memory(struct rec_ring *ring, const void *records,
			  size_t len)
{
	*ring = (struct rec_ring){
		.data = records,
		.data_len = SIZE_MAX / 2 + 1, /* so that nothing wraps */
		.upto = len,
	};
}

int rec_ring_load(struct rec_ring *ring, struct pd_err *err)
{
	/* Pairs with the kernel's barrier before it stores data_head, so that
	 * all before the head is visible. */
	uint64_t head =
		__atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);

	if (head - ring->tail > ring->data_len || head % 8)
		return pd_err_set(err, -EBADMSG,
				  "ring head %" PRIu64
				  " cannot be: tail %" PRIu64
				  ", %zu bytes of ring",
				  head, ring->tail, ring->data_len);
	ring->upto = head;
	return 0;
}

unsigned rec_ring_peek(const struct rec_ring *ring, uint64_t to,
		       struct rec_span span[2])
{
	size_t left = (size_t)(to - ring->tail);
	size_t start = (size_t)(ring->tail & (ring->data_len - 1));
	size_t to_end = ring->data_len - start;

	if (!left)
		return 0;
	span[0].ptr = ring->data + start;
	span[0].len = left < to_end ? left : to_end;
	if (left <= to_end)
		return 1;
	span[1].ptr = ring->data;
	span[1].len = left - to_end;
	return 2;
}

void rec_ring_copy(const struct rec_ring *ring, uint64_t pos, size_t len,
		   void *to)
{
	size_t start = (size_t)(pos & (ring->data_len - 1));
	size_t to_end = ring->data_len - start;
	size_t first_len = len < to_end ? len : to_end;

	memcpy(to, ring->data + start, first_len);
	memcpy((uint8_t *)to + first_len, ring->data, len - first_len);
}

void rec_ring_release(struct rec_ring *ring, uint64_t pos)
{
	ring->tail = pos;
	if (!ring->control)
		return;
	/* All reads of the data come before the kernel may overwrite it. */
	__atomic_store_n(&ring->control->data_tail, ring->tail,
			 __ATOMIC_RELEASE);
}
