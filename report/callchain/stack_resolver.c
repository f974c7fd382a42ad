#include "report/callchain/stack_resolver.h"

#include "report/base/memory.h"
#include "report/base/work_queue.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_STACKS_NR 512u
#define BLOCKS_NR	4u

/* Prefetch the hash slots of a stack's addresses so many stacks ahead, for at
 * most so many addresses. */
#define AHEAD_SLOT   8u
#define PREFETCH_MAX 16u

/* Some of conf.stacks, resolved; small, since it moves from one CPU's cache to
 * another's. */
struct block {
	uint32_t from;
	uint32_t nr; /* stacks that were resolved */
	int rc;	     /* of the stack behind these */
	struct {
		uint32_t start; /* of its words: self, and its chain */
		uint32_t
			chain_nr; /* frames; with history as many ends follow */
		bool is_cut;
	} stacks[BLOCK_STACKS_NR];
	uint32_t *words; /* owned */
	uint32_t words_nr;
	uint32_t words_cap;
};

struct rpt_stack_resolver {
	struct rpt_stack_resolver_conf conf;
	struct block blocks[BLOCKS_NR];
	struct rpt_stack_frames resolved; /* by the thread, the last one */
	struct rpt_stack_frames read;	  /* out of a block */
	struct block *block;		  /* that is being read */
	uint32_t at;			  /* in it */
	uint32_t given_nr;		  /* stacks in blocks that were given */
	struct rpt_work_queue queue;
};

static void put_words(struct block *block, const uint32_t *words, uint32_t nr)
{
	if (nr > block->words_cap - block->words_nr) {
		block->words_cap = 2 * block->words_cap + nr;
		block->words = rpt_realloc_array(block->words, block->words_cap,
						 sizeof(*words));
	}
	if (nr)
		memcpy(block->words + block->words_nr, words,
		       nr * sizeof(*words));
	block->words_nr += nr;
}

static void put_stack(struct block *block, const struct rpt_stack_frames *at)
{
	const struct rpt_chain *chain = &at->chain;

	block->stacks[block->nr].start = block->words_nr;
	block->stacks[block->nr].chain_nr = chain->nr;
	block->stacks[block->nr++].is_cut = at->is_cut;
	put_words(block, &at->self, 1);
	put_words(block, chain->frames, chain->nr);
	if (chain->ends)
		put_words(block, chain->ends, chain->nr);
}

static void prefetch_slots(struct rpt_frames *frames,
			   const struct rpt_stack_key *key)
{
	struct rpt_frame_scope scope = {
		.space_id = key->base->space_id,
		.space_version = key->base->space_version,
		.kernel_version = key->base->kernel_version,
	};
	unsigned cpumode = PD_CPUMODE_USER;

	rpt_frames_prefetch(frames, &scope, key->cpumode, key->ip);
	for (uint32_t i = 0; i < key->chain_nr && i < PREFETCH_MAX; i++) {
		uint64_t ip = key->chain[i];

		if (ip == PD_CONTEXT_KERNEL)
			cpumode = PD_CPUMODE_KERNEL;
		else if (ip == PD_CONTEXT_USER)
			cpumode = PD_CPUMODE_USER;
		else
			rpt_frames_prefetch(frames, &scope, cpumode, ip);
	}
}

static void prefetch(const struct rpt_stack_resolver_conf *conf, uint32_t at)
{
	const uint32_t *stacks = conf->stacks + at;
	uint32_t nr = conf->nr - at;

	rpt_profile_prefetch(conf->profile, stacks, nr);
	if (nr > AHEAD_SLOT)
		prefetch_slots(
			conf->frames,
			rpt_profile_key(conf->profile, stacks[AHEAD_SLOT]));
}

static void resolve_block(void *ctx, uint32_t thread, void *item)
{
	struct rpt_stack_resolver *ahead = ctx;
	const struct rpt_stack_resolver_conf *conf = &ahead->conf;
	struct block *block = item;

	(void)thread;
	for (uint32_t i = block->from;
	     i < conf->nr && block->nr < BLOCK_STACKS_NR && !block->rc; i++) {
		prefetch(conf, i);
		block->rc = rpt_stack_frames_resolve(
			&ahead->resolved, conf->frames, conf->profile,
			conf->stacks[i], &conf->stack);
		if (!block->rc)
			put_stack(block, &ahead->resolved);
	}
}

static void give(struct rpt_stack_resolver *ahead, struct block *block)
{
	if (ahead->given_nr >= ahead->conf.nr)
		return;
	block->from = ahead->given_nr;
	block->nr = 0;
	block->words_nr = 0;
	ahead->given_nr += BLOCK_STACKS_NR;
	rpt_work_queue_give(&ahead->queue, block);
}

struct rpt_stack_resolver *
rpt_stack_resolver_new(const struct rpt_stack_resolver_conf *conf)
{
	struct rpt_stack_resolver *ahead = rpt_alloc_zeroed(1, sizeof(*ahead));
	const struct rpt_work_queue_conf queue = {
		.threads_nr = 1,
		.fn = resolve_block,
		.ctx = ahead,
	};

	ahead->conf = *conf;
	rpt_work_queue_start(&ahead->queue, &queue);
	for (uint32_t b = 0; b < BLOCKS_NR; b++)
		give(ahead, &ahead->blocks[b]);
	return ahead;
}

void rpt_stack_resolver_free(struct rpt_stack_resolver *ahead)
{
	if (!ahead)
		return;
	rpt_work_queue_stop(&ahead->queue);
	for (uint32_t b = 0; b < BLOCKS_NR; b++)
		free(ahead->blocks[b].words);
	rpt_stack_frames_release(&ahead->resolved);
	free(ahead);
}

int rpt_stack_resolver_next(struct rpt_stack_resolver *ahead,
			    const struct rpt_stack_frames **ret)
{
	struct rpt_stack_frames *to = &ahead->read;
	uint32_t *words;

	if (ahead->at == BLOCK_STACKS_NR) {
		give(ahead, ahead->block);
		ahead->at = 0;
	}
	if (!ahead->at)
		ahead->block = rpt_work_queue_next(&ahead->queue);
	if (ahead->at == ahead->block->nr)
		return ahead->block->rc;
	words = ahead->block->words + ahead->block->stacks[ahead->at].start;
	to->self = words[0];
	to->is_cut = ahead->block->stacks[ahead->at].is_cut;
	to->chain.frames = words + 1;
	to->chain.nr = ahead->block->stacks[ahead->at++].chain_nr;
	to->chain.ends = ahead->conf.stack.chain.has_history
				 ? words + 1 + to->chain.nr
				 : NULL;
	*ret = to;
	return 0;
}

uint32_t rpt_stack_resolver_peek(const struct rpt_stack_resolver *ahead,
				 uint32_t later, const uint32_t **ret)
{
	const struct block *block = ahead->block;
	uint32_t at = ahead->at + later;

	if (!block || at >= block->nr)
		return 0;
	*ret = block->words + block->stacks[at].start;
	return 1 + block->stacks[at].chain_nr;
}
