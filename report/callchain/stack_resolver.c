#include "report/callchain/stack_resolver.h"

#include "report/base/block_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_NR   512u
#define BATCHES_NR 4u

/* One stack in a batch. */
struct handed {
	uint32_t start; /* of its words: self, the frames of its chain, and with
			 * history their ends */
	uint32_t nr;	/* of those frames */
	bool is_cut;
};

/* Small, since one CPU's cache has to fetch it from the other's. */
struct batch {
	struct handed stacks[BATCH_NR];
	uint32_t nr;
	int rc;		 /* of the stack behind these */
	uint32_t *words; /* owned */
	uint32_t words_nr;
	uint32_t words_cap;
};

struct rpt_stack_resolver {
	struct rpt_stack_resolver_conf conf;
	struct batch batches[BATCHES_NR];
	struct rpt_stack_frames resolved; /* by the thread, the last one */
	struct rpt_stack_frames read;	  /* out of a batch */
	const struct batch *batch;	  /* that is being read */
	uint32_t at;			  /* in it */
	pthread_t thread;
	struct rpt_block_queue over; /* of batches */
};

static int reserve(struct batch *batch, uint64_t words_nr)
{
	uint64_t cap = batch->words_cap ? batch->words_cap : BATCH_NR * 4;
	uint32_t *words;

	while (cap < words_nr)
		cap *= 2;
	if (cap == batch->words_cap)
		return 0;
	words = cap > UINT32_MAX
			? NULL
			: reallocarray(batch->words, cap, sizeof(*words));
	if (!words)
		return -ENOMEM;
	batch->words = words;
	batch->words_cap = (uint32_t)cap;
	return 0;
}

static int put(struct batch *batch, const struct rpt_stack_frames *at)
{
	const struct rpt_chain *chain = &at->chain;
	size_t len = chain->nr * sizeof(*chain->frames);
	uint32_t *to;

	if (reserve(batch, batch->words_nr + (uint64_t)2 * chain->nr + 1))
		return -ENOMEM;
	batch->stacks[batch->nr++] = (struct handed){
		.start = batch->words_nr,
		.nr = chain->nr,
		.is_cut = at->is_cut,
	};
	to = batch->words + batch->words_nr;
	*to++ = at->self;
	if (len)
		memcpy(to, chain->frames, len);
	to += chain->nr;
	if (len && chain->ends) {
		memcpy(to, chain->ends, len);
		to += chain->nr;
	}
	batch->words_nr = (uint32_t)(to - batch->words);
	return 0;
}

static void resolve(struct rpt_stack_resolver *ahead, uint32_t from,
		    struct batch *batch)
{
	const struct rpt_stack_resolver_conf *conf = &ahead->conf;

	batch->nr = 0;
	batch->words_nr = 0;
	batch->rc = 0;
	while (batch->nr < BATCH_NR && from + batch->nr < conf->nr &&
	       !batch->rc) {
		uint32_t at = from + batch->nr;

		batch->rc = rpt_stack_frames_resolve(
			&ahead->resolved, conf->frames, conf->profile,
			conf->stacks[at], &conf->stack);
		if (!batch->rc)
			batch->rc = put(batch, &ahead->resolved);
	}
}

static void *work(void *arg)
{
	struct rpt_stack_resolver *ahead = arg;
	const struct rpt_stack_resolver_conf *conf = &ahead->conf;
	unsigned nr;
	int rc = 0;

	for (uint32_t i = 0; i < conf->nr && !rc; i += BATCH_NR) {
		if (!rpt_block_queue_take(&ahead->over, &nr))
			break;
		resolve(ahead, i, &ahead->batches[nr % BATCHES_NR]);
		rc = ahead->batches[nr % BATCHES_NR].rc;
		rpt_block_queue_give(&ahead->over, nr);
	}
	return NULL;
}

struct rpt_stack_resolver *
rpt_stack_resolver_new(const struct rpt_stack_resolver_conf *conf)
{
	struct rpt_stack_resolver *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->conf = *conf;
	rpt_block_queue_init(&ahead->over, BATCHES_NR);
	if (!pthread_create(&ahead->thread, NULL, work, ahead))
		return ahead;
	rpt_block_queue_release(&ahead->over);
	free(ahead);
	return NULL;
}

void rpt_stack_resolver_free(struct rpt_stack_resolver *ahead)
{
	if (!ahead)
		return;
	rpt_block_queue_end(&ahead->over);
	pthread_join(ahead->thread, NULL);
	for (uint32_t b = 0; b < BATCHES_NR; b++)
		free(ahead->batches[b].words);
	rpt_stack_frames_release(&ahead->resolved);
	rpt_block_queue_release(&ahead->over);
	free(ahead);
}

static void get(struct rpt_stack_resolver *ahead, const struct handed *handed)
{
	bool has_ends = ahead->conf.stack.chain.has_history;
	struct rpt_stack_frames *to = &ahead->read;
	uint32_t *words = ahead->batch->words + handed->start;

	to->self = words[0];
	to->is_cut = handed->is_cut;
	to->chain.frames = words + 1;
	to->chain.nr = handed->nr;
	to->chain.ends = has_ends ? words + 1 + handed->nr : NULL;
}

int rpt_stack_resolver_next(struct rpt_stack_resolver *ahead,
			    const struct rpt_stack_frames **ret)
{
	if (ahead->at == BATCH_NR) {
		rpt_block_queue_used(&ahead->over);
		ahead->at = 0;
	}
	if (!ahead->at)
		ahead->batch =
			&ahead->batches[rpt_block_queue_next(&ahead->over)];
	if (ahead->at == ahead->batch->nr)
		return ahead->batch->rc;
	get(ahead, &ahead->batch->stacks[ahead->at++]);
	*ret = &ahead->read;
	return 0;
}
