#include "report/hand_over.h"

void rpt_hand_over_init(struct rpt_hand_over *over, unsigned blocks_nr)
{
	*over = (struct rpt_hand_over){ .blocks_nr = blocks_nr };
	pthread_mutex_init(&over->lock, NULL);
	pthread_cond_init(&over->changed, NULL);
}

void rpt_hand_over_release(struct rpt_hand_over *over)
{
	pthread_cond_destroy(&over->changed);
	pthread_mutex_destroy(&over->lock);
}

bool rpt_hand_over_room(struct rpt_hand_over *over, unsigned *ret_idx)
{
	bool is_wanted;

	pthread_mutex_lock(&over->lock);
	while (!over->is_over &&
	       over->filled_nr - over->used_nr == over->blocks_nr)
		pthread_cond_wait(&over->changed, &over->lock);
	is_wanted = !over->is_over;
	pthread_mutex_unlock(&over->lock);
	*ret_idx = over->filled_nr % over->blocks_nr;
	return is_wanted;
}

unsigned rpt_hand_over_next(struct rpt_hand_over *over)
{
	pthread_mutex_lock(&over->lock);
	while (over->filled_nr == over->used_nr)
		pthread_cond_wait(&over->changed, &over->lock);
	pthread_mutex_unlock(&over->lock);
	return over->used_nr % over->blocks_nr;
}

static void step(struct rpt_hand_over *over, unsigned *nr)
{
	pthread_mutex_lock(&over->lock);
	++*nr;
	pthread_cond_signal(&over->changed);
	pthread_mutex_unlock(&over->lock);
}

void rpt_hand_over_filled(struct rpt_hand_over *over)
{
	step(over, &over->filled_nr);
}

void rpt_hand_over_used(struct rpt_hand_over *over)
{
	step(over, &over->used_nr);
}

void rpt_hand_over_end(struct rpt_hand_over *over)
{
	pthread_mutex_lock(&over->lock);
	over->is_over = true;
	pthread_cond_signal(&over->changed);
	pthread_mutex_unlock(&over->lock);
}
