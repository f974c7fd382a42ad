#include "report/base/block_queue.h"

#include <assert.h>
#include <limits.h>

void rpt_block_queue_init(struct rpt_block_queue *over, unsigned blocks_nr)
{
	assert(blocks_nr > 0 && blocks_nr <= RPT_BLOCK_QUEUE_MAX);
	*over = (struct rpt_block_queue){
		.blocks_nr = blocks_nr,
		.wanted_nr = UINT_MAX,
	};
	pthread_mutex_init(&over->lock, NULL);
	pthread_cond_init(&over->filled, NULL);
	pthread_cond_init(&over->room, NULL);
}

void rpt_block_queue_release(struct rpt_block_queue *over)
{
	pthread_cond_destroy(&over->filled);
	pthread_cond_destroy(&over->room);
	pthread_mutex_destroy(&over->lock);
}

void rpt_block_queue_limit(struct rpt_block_queue *over, unsigned all_nr)
{
	over->wanted_nr = all_nr;
}

static bool is_wanted(const struct rpt_block_queue *over)
{
	return over->taken_nr < over->wanted_nr;
}

static bool has_room(const struct rpt_block_queue *over)
{
	return over->taken_nr - over->used_nr < over->blocks_nr;
}

static bool has_next(const struct rpt_block_queue *over)
{
	return over->is_filled[over->used_nr % over->blocks_nr];
}

bool rpt_block_queue_take(struct rpt_block_queue *over, unsigned *ret_nr)
{
	bool is_taken;

	pthread_mutex_lock(&over->lock);
	while (is_wanted(over) && !has_room(over))
		pthread_cond_wait(&over->room, &over->lock);
	is_taken = is_wanted(over);
	if (is_taken)
		*ret_nr = over->taken_nr++;
	pthread_mutex_unlock(&over->lock);
	return is_taken;
}

void rpt_block_queue_give(struct rpt_block_queue *over, unsigned nr)
{
	pthread_mutex_lock(&over->lock);
	over->is_filled[nr % over->blocks_nr] = true;
	pthread_cond_signal(&over->filled);
	pthread_mutex_unlock(&over->lock);
}

unsigned rpt_block_queue_next(struct rpt_block_queue *over)
{
	pthread_mutex_lock(&over->lock);
	while (!has_next(over))
		pthread_cond_wait(&over->filled, &over->lock);
	pthread_mutex_unlock(&over->lock);
	return over->used_nr % over->blocks_nr;
}

bool rpt_block_queue_next_or_take(struct rpt_block_queue *over,
				  unsigned *ret_nr)
{
	bool is_next;

	pthread_mutex_lock(&over->lock);
	while (!has_next(over) && !(is_wanted(over) && has_room(over)))
		pthread_cond_wait(&over->filled, &over->lock);
	is_next = has_next(over);
	*ret_nr = is_next ? over->used_nr : over->taken_nr++;
	pthread_mutex_unlock(&over->lock);
	return is_next;
}

void rpt_block_queue_used(struct rpt_block_queue *over)
{
	pthread_mutex_lock(&over->lock);
	over->is_filled[over->used_nr % over->blocks_nr] = false;
	over->used_nr++;
	pthread_cond_signal(&over->room);
	pthread_mutex_unlock(&over->lock);
}

void rpt_block_queue_end(struct rpt_block_queue *over)
{
	pthread_mutex_lock(&over->lock);
	over->wanted_nr = 0;
	pthread_cond_broadcast(&over->room);
	pthread_mutex_unlock(&over->lock);
}
