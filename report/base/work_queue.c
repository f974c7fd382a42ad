#include "report/base/work_queue.h"

#include <assert.h>

static struct rpt_work_queue_slot *slot_at(struct rpt_work_queue *queue,
					   uint64_t nr)
{
	return &queue->slots[nr % RPT_WORK_QUEUE_MAX];
}

/* Do the next block that is not begun.  The lock is held before and after,
 * but not during the work. */
static void do_next_block(struct rpt_work_queue *queue, uint32_t thread)
{
	uint64_t nr = queue->begun_nr++;
	struct rpt_work_queue_slot *slot = slot_at(queue, nr);

	pthread_mutex_unlock(&queue->lock);
	queue->conf.fn(queue->conf.ctx, thread, slot->block);
	pthread_mutex_lock(&queue->lock);
	slot->is_done = true;
	if (nr == queue->back_nr)
		pthread_cond_signal(&queue->done);
}

static void work(void *ctx, uint32_t thread)
{
	struct rpt_work_queue *queue = ctx;

	pthread_mutex_lock(&queue->lock);
	while (!queue->is_stopped) {
		if (queue->begun_nr < queue->given_nr)
			do_next_block(queue, thread);
		else
			pthread_cond_wait(&queue->given, &queue->lock);
	}
	pthread_mutex_unlock(&queue->lock);
}

void rpt_work_queue_start(struct rpt_work_queue *queue,
			  const struct rpt_work_queue_conf *conf)
{
	*queue = (struct rpt_work_queue){ .conf = *conf };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->given, NULL);
	pthread_cond_init(&queue->done, NULL);
	if (!rpt_threads_start(&queue->threads, conf->threads_nr, work, queue))
		queue->conf.is_helped = true;
}

void rpt_work_queue_give(struct rpt_work_queue *queue, void *block)
{
	assert(queue->given_nr - queue->back_nr < RPT_WORK_QUEUE_MAX);
	pthread_mutex_lock(&queue->lock);
	*slot_at(queue, queue->given_nr++) =
		(struct rpt_work_queue_slot){ .block = block };
	pthread_cond_signal(&queue->given);
	pthread_mutex_unlock(&queue->lock);
}

void *rpt_work_queue_next(struct rpt_work_queue *queue)
{
	struct rpt_work_queue_slot *slot = slot_at(queue, queue->back_nr);

	if (queue->back_nr == queue->given_nr)
		return NULL;
	pthread_mutex_lock(&queue->lock);
	while (!slot->is_done) {
		if (queue->conf.is_helped && queue->begun_nr < queue->given_nr)
			do_next_block(queue, queue->conf.threads_nr);
		else
			pthread_cond_wait(&queue->done, &queue->lock);
	}
	queue->back_nr++;
	pthread_mutex_unlock(&queue->lock);
	return slot->block;
}

void rpt_work_queue_stop(struct rpt_work_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_stopped = true;
	pthread_cond_broadcast(&queue->given);
	pthread_mutex_unlock(&queue->lock);
	rpt_threads_join(&queue->threads);
	pthread_cond_destroy(&queue->done);
	pthread_cond_destroy(&queue->given);
	pthread_mutex_destroy(&queue->lock);
}
