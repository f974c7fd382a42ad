#include "report/stacks_ahead.h"

#include "report/hand_over.h"

#include <stdlib.h>

#define BATCH_NR   128u
#define BATCHES_NR 4u

struct batch {
	struct rpt_stack_frames stacks[BATCH_NR];
	uint32_t nr;
	int rc; /* of the stack behind these */
};

struct rpt_stacks_ahead {
	struct rpt_stacks_ahead_conf conf;
	struct batch batches[BATCHES_NR];
	const struct batch *batch; /* that is being read */
	uint32_t at;		   /* in it */
	pthread_t thread;
	struct rpt_hand_over over; /* of batches */
};

static void resolve(const struct rpt_stacks_ahead_conf *conf, uint32_t from,
		    struct batch *batch)
{
	batch->nr = 0;
	batch->rc = 0;
	while (batch->nr < BATCH_NR && from + batch->nr < conf->nr) {
		uint32_t at = from + batch->nr;

		rpt_stack_frames_fetch(conf->frames, conf->profile,
				       conf->stacks + at, conf->nr - at);
		batch->rc = rpt_stack_frames_resolve(
			&batch->stacks[batch->nr], conf->frames, conf->profile,
			conf->stacks[at], &conf->stack);
		if (batch->rc)
			break;
		batch->nr++;
	}
}

static void *work(void *arg)
{
	struct rpt_stacks_ahead *ahead = arg;
	const struct rpt_stacks_ahead_conf *conf = &ahead->conf;
	unsigned idx;
	int rc = 0;

	for (uint32_t i = 0; i < conf->nr && !rc; i += BATCH_NR) {
		if (!rpt_hand_over_room(&ahead->over, &idx))
			break;
		resolve(conf, i, &ahead->batches[idx]);
		rc = ahead->batches[idx].rc;
		rpt_hand_over_filled(&ahead->over);
	}
	return NULL;
}

struct rpt_stacks_ahead *
rpt_stacks_ahead_new(const struct rpt_stacks_ahead_conf *conf)
{
	struct rpt_stacks_ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->conf = *conf;
	rpt_hand_over_init(&ahead->over, BATCHES_NR);
	if (!pthread_create(&ahead->thread, NULL, work, ahead))
		return ahead;
	rpt_hand_over_release(&ahead->over);
	free(ahead);
	return NULL;
}

void rpt_stacks_ahead_free(struct rpt_stacks_ahead *ahead)
{
	if (!ahead)
		return;
	rpt_hand_over_end(&ahead->over);
	pthread_join(ahead->thread, NULL);
	for (uint32_t b = 0; b < BATCHES_NR; b++)
		for (uint32_t i = 0; i < BATCH_NR; i++)
			rpt_stack_frames_release(&ahead->batches[b].stacks[i]);
	rpt_hand_over_release(&ahead->over);
	free(ahead);
}

int rpt_stacks_ahead_next(struct rpt_stacks_ahead *ahead,
			  const struct rpt_stack_frames **ret)
{
	if (ahead->at == BATCH_NR) {
		rpt_hand_over_used(&ahead->over);
		ahead->at = 0;
	}
	if (!ahead->at)
		ahead->batch =
			&ahead->batches[rpt_hand_over_next(&ahead->over)];
	if (ahead->at == ahead->batch->nr)
		return ahead->batch->rc;
	*ret = &ahead->batch->stacks[ahead->at++];
	return 0;
}

const struct rpt_stack_frames *
rpt_stacks_ahead_peek(const struct rpt_stacks_ahead *ahead, uint32_t nr)
{
	return ahead->at && ahead->at + nr < ahead->batch->nr
		       ? &ahead->batch->stacks[ahead->at + nr]
		       : NULL;
}
