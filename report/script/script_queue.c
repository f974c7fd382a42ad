#include "report/script/script_queue.h"

#include "report/symbols/kallsyms_prefetch.h"

/* Where no more are left, the caller is woken to give some. */
#define FEW_PER_THREAD (RPT_SCRIPT_QUEUE_PER_THREAD / 2)

void rpt_script_queue_init(struct rpt_script_queue *queue,
			   struct rpt_symbols *symbols, uint32_t threads_nr,
			   uint64_t made_max_len)
{
	*queue = (struct rpt_script_queue){
		.symbols = symbols,
		.threads_nr = threads_nr,
		.made_max_len = made_max_len,
	};
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->work, NULL);
	pthread_cond_init(&queue->made, NULL);
}

void rpt_script_queue_release(struct rpt_script_queue *queue)
{
	for (; queue->back_nr < queue->given_nr; queue->back_nr++)
		rpt_script_batch_free(
			queue->batches[queue->back_nr % RPT_SCRIPT_QUEUE_NR]);
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->work);
	pthread_cond_destroy(&queue->made);
}

/* All functions below that are static have the lock. */

static uint64_t todo_nr(const struct rpt_script_queue *queue)
{
	return queue->given_nr - queue->taken_nr + queue->in_hands_nr;
}

static bool is_full(const struct rpt_script_queue *queue)
{
	return queue->given_nr - queue->back_nr >= RPT_SCRIPT_QUEUE_NR ||
	       queue->made_len >= queue->made_max_len;
}

static bool is_next_whole(const struct rpt_script_queue *queue)
{
	return queue->back_nr < queue->given_nr &&
	       queue->batches[queue->back_nr % RPT_SCRIPT_QUEUE_NR]->is_whole;
}

/* Whether the caller, which waits, has something to do that is worth the change
 * of threads. */
static bool is_caller_due(const struct rpt_script_queue *queue)
{
	if (queue->caller_waits == RPT_SCRIPT_WAIT_ALL || is_full(queue))
		return is_next_whole(queue);
	return todo_nr(queue) < queue->threads_nr * FEW_PER_THREAD;
}

/* Whether the caller has got what it called for. */
static bool is_enough(const struct rpt_script_queue *queue,
		      enum rpt_script_wait until)
{
	if (until == RPT_SCRIPT_WAIT_ALL)
		return queue->back_nr == queue->given_nr;
	return !is_full(queue) &&
	       todo_nr(queue) < queue->threads_nr * RPT_SCRIPT_QUEUE_PER_THREAD;
}

static struct rpt_script_batch *get_next(struct rpt_script_queue *queue)
{
	struct rpt_script_batch *batch =
		queue->batches[queue->back_nr++ % RPT_SCRIPT_QUEUE_NR];

	queue->made_len -= rpt_script_batch_len(batch);
	batch->is_whole = false;
	return batch;
}

void rpt_script_queue_give(struct rpt_script_queue *queue,
			   struct rpt_script_batch *batch)
{
	pthread_mutex_lock(&queue->lock);
	queue->batches[queue->given_nr++ % RPT_SCRIPT_QUEUE_NR] = batch;
	pthread_cond_signal(&queue->work);
	pthread_mutex_unlock(&queue->lock);
}

struct rpt_script_batch *rpt_script_queue_next(struct rpt_script_queue *queue,
					       enum rpt_script_wait until)
{
	struct rpt_script_batch *batch = NULL;

	pthread_mutex_lock(&queue->lock);
	while (!is_next_whole(queue) && !is_enough(queue, until)) {
		queue->caller_waits = until;
		pthread_cond_wait(&queue->made, &queue->lock);
		queue->caller_waits = RPT_SCRIPT_WAIT_NONE;
	}
	if (is_next_whole(queue))
		batch = get_next(queue);
	pthread_mutex_unlock(&queue->lock);
	return batch;
}

void rpt_script_queue_close(struct rpt_script_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_closed = true;
	pthread_cond_broadcast(&queue->work);
	pthread_mutex_unlock(&queue->lock);
}

/* What a thread can do now: holes first, since the oldest batches have them.
 * NULL: nothing. */
static struct rpt_script_batch *choose(struct rpt_script_queue *queue)
{
	bool is_any_holed = queue->filled_nr < queue->holed_nr;
	struct rpt_script_batch *batch;

	if (is_any_holed && rpt_symbols_has_kernel(queue->symbols)) {
		batch = queue->holed[queue->filled_nr++ % RPT_SCRIPT_QUEUE_NR];
		queue->made_len -= rpt_script_batch_len(batch);
		return batch;
	}
	if (queue->taken_nr == queue->given_nr ||
	    (is_any_holed && queue->is_futile))
		return NULL;
	return queue->batches[queue->taken_nr++ % RPT_SCRIPT_QUEUE_NR];
}

/* Until there may be something to do.  The lock is given back meanwhile. */
static void wait_for_work(struct rpt_script_queue *queue)
{
	if (queue->filled_nr == queue->holed_nr || queue->is_awaited) {
		pthread_cond_wait(&queue->work, &queue->lock);
		return;
	}
	queue->is_awaited = true;
	pthread_mutex_unlock(&queue->lock);
	rpt_symbols_await_kernel(queue->symbols);
	pthread_mutex_lock(&queue->lock);
	queue->is_awaited = false;
	pthread_cond_broadcast(&queue->work);
}

struct rpt_script_batch *rpt_script_queue_take(struct rpt_script_queue *queue)
{
	struct rpt_script_batch *batch;

	pthread_mutex_lock(&queue->lock);
	while (!(batch = choose(queue)) && !queue->is_closed)
		wait_for_work(queue);
	if (batch)
		queue->in_hands_nr++;
	pthread_mutex_unlock(&queue->lock);
	return batch;
}

void rpt_script_queue_put(struct rpt_script_queue *queue,
			  struct rpt_script_batch *batch, bool is_whole)
{
	pthread_mutex_lock(&queue->lock);
	queue->in_hands_nr--;
	queue->made_len += rpt_script_batch_len(batch);
	batch->is_whole = is_whole;
	if (!is_whole) {
		queue->holed[queue->holed_nr++ % RPT_SCRIPT_QUEUE_NR] = batch;
		queue->is_futile |= batch->hole_nr > batch->nr / 2;
	}
	if (queue->caller_waits && is_caller_due(queue))
		pthread_cond_signal(&queue->made);
	pthread_mutex_unlock(&queue->lock);
}
