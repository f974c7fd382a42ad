#include "report/stacks_ahead.h"

#include <pthread.h>
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
	uint32_t at; /* in the batch that is being read */
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	uint32_t made_nr; /* batches */
	uint32_t read_nr;
	bool is_unwanted;
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

/* False: the reader wants no more. */
static bool wait_for_room(struct rpt_stacks_ahead *ahead)
{
	bool is_wanted;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->is_unwanted &&
	       ahead->made_nr - ahead->read_nr == BATCHES_NR)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	is_wanted = !ahead->is_unwanted;
	pthread_mutex_unlock(&ahead->lock);
	return is_wanted;
}

static void step(struct rpt_stacks_ahead *ahead, uint32_t *nr)
{
	pthread_mutex_lock(&ahead->lock);
	++*nr;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

static void *work(void *arg)
{
	struct rpt_stacks_ahead *ahead = arg;
	const struct rpt_stacks_ahead_conf *conf = &ahead->conf;
	int rc = 0;

	for (uint32_t i = 0; i < conf->nr && !rc; i += BATCH_NR) {
		struct batch *batch =
			&ahead->batches[i / BATCH_NR % BATCHES_NR];

		if (!wait_for_room(ahead))
			break;
		resolve(conf, i, batch);
		rc = batch->rc;
		step(ahead, &ahead->made_nr);
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
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	if (!pthread_create(&ahead->thread, NULL, work, ahead))
		return ahead;
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
	return NULL;
}

void rpt_stacks_ahead_free(struct rpt_stacks_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->is_unwanted = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	for (uint32_t b = 0; b < BATCHES_NR; b++)
		for (uint32_t i = 0; i < BATCH_NR; i++)
			rpt_stack_frames_release(&ahead->batches[b].stacks[i]);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

static void wait_for_batch(struct rpt_stacks_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	while (ahead->made_nr == ahead->read_nr)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
}

/* Only this thread changes read_nr. */
int rpt_stacks_ahead_next(struct rpt_stacks_ahead *ahead,
			  const struct rpt_stack_frames **ret)
{
	const struct batch *batch;

	if (ahead->at == BATCH_NR) {
		step(ahead, &ahead->read_nr);
		ahead->at = 0;
	}
	if (!ahead->at)
		wait_for_batch(ahead);
	batch = &ahead->batches[ahead->read_nr % BATCHES_NR];
	if (ahead->at == batch->nr)
		return batch->rc;
	*ret = &batch->stacks[ahead->at++];
	return 0;
}

const struct rpt_stack_frames *
rpt_stacks_ahead_peek(const struct rpt_stacks_ahead *ahead, uint32_t nr)
{
	const struct batch *batch =
		&ahead->batches[ahead->read_nr % BATCHES_NR];

	return ahead->at && ahead->at + nr < batch->nr
		       ? &batch->stacks[ahead->at + nr]
		       : NULL;
}
