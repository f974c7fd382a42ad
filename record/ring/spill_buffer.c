#include "record/ring/spill_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "format/base/zstd_block.h"
#include "record/base/runtime.h"

/* Blocks whose pages stay: what little comes passes through these. */
enum { KEPT_NR = 4 };

struct packed_head {
	uint32_t packed_len;
	uint32_t plain_len;
};

size_t rec_spill_buffer_len_default(size_t ring_nr, uint64_t ram_len,
				    uint64_t room_len)
{
	const uint64_t mib = 1024 * 1024, fixed_len = 6 * mib;
	uint64_t len = (32 + (uint64_t)ring_nr) * mib;

	if (ram_len / 32 < len)
		len = ram_len / 32;
	room_len = room_len > fixed_len ? room_len - fixed_len : 0;
	if (room_len / 4 < len)
		len = room_len / 4;
	return len < REC_SPILL_BUFFER_LEN_MIN ? REC_SPILL_BUFFER_LEN_MIN
					      : (size_t)len;
}

/* All blocks are free: use the lowest one first. */
static void list_free(struct rec_spill_buffer *spill)
{
	spill->free = NULL;
	for (size_t i = spill->nr; i-- > 0;) {
		spill->blocks[i].next = spill->free;
		spill->free = &spill->blocks[i];
	}
	spill->free_nr = spill->nr;
	spill->touched_nr = 0;
}

int rec_spill_buffer_init(struct rec_spill_buffer *spill, size_t len)
{
	memset(spill, 0, sizeof(*spill));
	pthread_mutex_init(&spill->lock, NULL);
	spill->nr = len / REC_SPILL_BUFFER_BLOCK_LEN;
	if (!spill->nr)
		return 0;
	spill->base_len = spill->nr * REC_SPILL_BUFFER_BLOCK_LEN;
	spill->blocks = calloc(spill->nr, sizeof(*spill->blocks));
	spill->base = rec_map_memory(spill->base_len);
	if (!spill->blocks || !spill->base) {
		rec_spill_buffer_release(spill);
		return -ENOMEM;
	}
	for (size_t i = 0; i < spill->nr; i++)
		spill->blocks[i].data =
			spill->base + i * REC_SPILL_BUFFER_BLOCK_LEN;
	list_free(spill);
	return 0;
}

void rec_spill_buffer_release(struct rec_spill_buffer *spill)
{
	rec_unmap_memory(spill->base, spill->base_len);
	free(spill->blocks);
	spill->base = NULL;
	spill->blocks = spill->free = NULL;
	spill->nr = spill->free_nr = 0;
}

enum rec_spill_buffer_level
rec_spill_buffer_level(struct rec_spill_buffer *spill)
{
	size_t free_nr;

	pthread_mutex_lock(&spill->lock);
	free_nr = spill->free_nr;
	pthread_mutex_unlock(&spill->lock);
	if (!free_nr)
		return REC_SPILL_BUFFER_NOTHING;
	if (free_nr > spill->nr / 4)
		return REC_SPILL_BUFFER_ALL;
	return free_nr > spill->nr / 8 ? REC_SPILL_BUFFER_CUT
				       : REC_SPILL_BUFFER_SIDEBAND;
}

struct rec_spill_buffer_block *
rec_spill_buffer_take(struct rec_spill_buffer *spill)
{
	struct rec_spill_buffer_block *block;

	pthread_mutex_lock(&spill->lock);
	block = spill->free;
	if (block) {
		spill->free = block->next;
		if (block >= spill->blocks + spill->touched_nr)
			spill->touched_nr = (size_t)(block - spill->blocks) + 1;
		spill->free_nr--;
	}
	pthread_mutex_unlock(&spill->lock);
	if (block) {
		block->next = NULL;
		block->len = block->plain_len = 0;
		block->is_packed = block->is_tried = false;
	}
	return block;
}

void rec_spill_buffer_give(struct rec_spill_buffer *spill,
			   struct rec_spill_buffer_block *block)
{
	pthread_mutex_lock(&spill->lock);
	block->next = spill->free;
	spill->free = block;
	spill->free_nr++;
	pthread_mutex_unlock(&spill->lock);
}

bool rec_spill_buffer_is_scarce(struct rec_spill_buffer *spill)
{
	bool is_scarce;

	pthread_mutex_lock(&spill->lock);
	is_scarce = spill->free_nr < spill->nr / 2;
	pthread_mutex_unlock(&spill->lock);
	return is_scarce;
}

static bool has_room(const struct rec_spill_buffer_block *block, size_t len)
{
	return block && block->is_packed &&
	       REC_SPILL_BUFFER_BLOCK_LEN - block->len >= len;
}

bool rec_spill_buffer_pack(struct rec_spill_buffer_block *block,
			   struct rec_spill_buffer_block *before)
{
	const size_t len_max = REC_SPILL_BUFFER_BLOCK_LEN / 4 * 3;
	struct packed_head head = { .plain_len = (uint32_t)block->len };
	struct rec_spill_buffer_block *to = block;
	struct pd_buf b = PD_BUF_INIT;

	pd_buf_bytes(&b, &head, sizeof(head));
	pd_zstd_block_write(&b, 1, block->data, block->len);
	block->is_tried = true;
	if (pd_buf_status(&b) || b.len > len_max) {
		pd_buf_release(&b);
		return false;
	}
	head.packed_len = (uint32_t)(b.len - sizeof(head));
	memcpy(b.data, &head, sizeof(head));
	if (has_room(before, b.len))
		to = before;
	else
		block->len = block->plain_len = 0;
	memcpy(to->data + to->len, b.data, b.len);
	to->len += b.len;
	to->plain_len += head.plain_len;
	to->upto = block->upto;
	to->is_packed = true;
	pd_buf_release(&b);
	return to == before;
}

int rec_spill_buffer_unpack(const struct rec_spill_buffer_block *block,
			    size_t *at, uint8_t *plain, size_t *ret_len)
{
	struct packed_head head;
	int rc;

	memcpy(&head, block->data + *at, sizeof(head));
	*at += sizeof(head);
	rc = pd_zstd_block_read(block->data + *at, head.packed_len, plain,
				head.plain_len);
	*at += head.packed_len;
	*ret_len = head.plain_len;
	return rc == -EBADMSG ? -EIO : rc;
}

void rec_spill_buffer_trim(struct rec_spill_buffer *spill)
{
	pthread_mutex_lock(&spill->lock);
	if (spill->touched_nr > KEPT_NR && spill->free_nr == spill->nr) {
		madvise(spill->base + KEPT_NR * REC_SPILL_BUFFER_BLOCK_LEN,
			(spill->touched_nr - KEPT_NR) *
				REC_SPILL_BUFFER_BLOCK_LEN,
			MADV_DONTNEED);
		list_free(spill);
	}
	pthread_mutex_unlock(&spill->lock);
}
