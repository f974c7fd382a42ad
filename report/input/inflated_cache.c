#include "report/input/inflated_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The first block is short: many texts are.  Later ones are twice as long as
 * the one before. */
#define BLOCK_LEN_MIN ((size_t)128 << 10)
#define BLOCK_LEN_MAX ((size_t)1 << 20)

/* In front of each record. */
#define SEQ_LEN sizeof(uint64_t)

_Static_assert(BLOCK_LEN_MIN >= SEQ_LEN + UINT16_MAX,
	       "a block takes any record");

static struct rpt_kept_block *last_block(const struct rpt_inflated_cache *text)
{
	return text->nr ? &text->blocks[text->nr - 1] : NULL;
}

static size_t next_len(const struct rpt_inflated_cache *text)
{
	const struct rpt_kept_block *last = last_block(text);
	size_t len = last ? last->cap * 2 : BLOCK_LEN_MIN;

	return len < BLOCK_LEN_MAX ? len : BLOCK_LEN_MAX;
}

static int reserve(struct rpt_inflated_cache *text)
{
	size_t cap = text->cap ? text->cap * 2 : 16;
	struct rpt_kept_block *blocks;

	if (text->blocks && text->nr < text->cap)
		return 0;
	blocks = reallocarray(text->blocks, cap, sizeof(*blocks));
	if (!blocks)
		return -ENOMEM;
	text->blocks = blocks;
	text->cap = cap;
	return 0;
}

/* All of it will be written: at once it is a quarter cheaper than page by page.
 */
static int add_block(struct rpt_inflated_cache *text)
{
	size_t len = next_len(text);
	void *data;

	if (reserve(text))
		return -ENOMEM;
	if (!rpt_budget_take(text->budget, len))
		return -EFBIG;
	data = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (data == MAP_FAILED) {
		rpt_budget_give(text->budget, len);
		return -ENOMEM;
	}
	text->blocks[text->nr++] =
		(struct rpt_kept_block){ .data = data, .cap = len };
	text->taken_len += len;
	return 0;
}

int rpt_inflated_cache_add(struct rpt_inflated_cache *text,
			   const struct pd_record *rec)
{
	struct rpt_kept_block *block = last_block(text);
	int rc;

	if (!block || block->cap - block->len < SEQ_LEN + rec->len) {
		rc = add_block(text);
		if (rc)
			return rc;
		block = last_block(text);
	}
	memcpy(block->data + block->len, &rec->seq, SEQ_LEN);
	memcpy(block->data + block->len + SEQ_LEN, rec->data, rec->len);
	block->len += SEQ_LEN + rec->len;
	text->record_nr++;
	return 0;
}

void rpt_kept_block_release(struct rpt_kept_block *block)
{
	if (block->data)
		munmap(block->data, block->cap);
	*block = (struct rpt_kept_block){ 0 };
}

void rpt_inflated_cache_release(struct rpt_inflated_cache *text)
{
	for (size_t i = 0; i < text->nr; i++)
		rpt_kept_block_release(&text->blocks[i]);
	if (text->budget)
		rpt_budget_give(text->budget, text->taken_len);
	free(text->blocks);
	*text = (struct rpt_inflated_cache){ 0 };
}

bool rpt_kept_block_next(const struct rpt_kept_block *block, size_t *at,
			 bool swap, struct pd_record *ret)
{
	const uint8_t *data = block->data + *at;

	if (*at == block->len)
		return false;
	memcpy(&ret->seq, data, SEQ_LEN);
	pd_record_read_header(data + SEQ_LEN, block->len - *at - SEQ_LEN, swap,
			      ret);
	ret->file_off = pd_record_file_off(ret->seq);
	ret->plain_off = 0;
	*at += SEQ_LEN + ret->len;
	return true;
}
