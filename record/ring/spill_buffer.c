#include "record/ring/spill_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int rec_spill_buffer_init(struct rec_spill_buffer *spill, size_t len)
{
	memset(spill, 0, sizeof(*spill));
	pthread_mutex_init(&spill->lock, NULL);
	spill->nr = len / REC_SPILL_BUFFER_BLOCK_LEN;
	if (!spill->nr)
		return 0;
	spill->base_len = spill->nr * REC_SPILL_BUFFER_BLOCK_LEN;
	spill->blocks = calloc(spill->nr, sizeof(*spill->blocks));
	spill->base = mmap(NULL, spill->base_len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (spill->base == MAP_FAILED)
		spill->base = NULL;
	if (!spill->blocks || !spill->base) {
		rec_spill_buffer_release(spill);
		return -ENOMEM;
	}
	/* Use the lowest block first. */
	for (size_t i = spill->nr; i-- > 0;) {
		spill->blocks[i].data =
			spill->base + i * REC_SPILL_BUFFER_BLOCK_LEN;
		spill->blocks[i].next = spill->free;
		spill->free = &spill->blocks[i];
	}
	spill->free_nr = spill->nr;
	return 0;
}

void rec_spill_buffer_release(struct rec_spill_buffer *spill)
{
	if (spill->base)
		munmap(spill->base, spill->base_len);
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
		spill->is_touched = true;
		spill->free_nr--;
	}
	pthread_mutex_unlock(&spill->lock);
	if (block) {
		block->next = NULL;
		block->len = 0;
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

void rec_spill_buffer_trim(struct rec_spill_buffer *spill)
{
	pthread_mutex_lock(&spill->lock);
	if (spill->is_touched && spill->free_nr == spill->nr) {
		madvise(spill->base, spill->base_len, MADV_DONTNEED);
		spill->is_touched = false;
	}
	pthread_mutex_unlock(&spill->lock);
}
