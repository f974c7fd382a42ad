#include "report/out_rows.h"

#include "report/cache_fetch.h"
#include "report/jobs.h"
#include "report/row_start.h"
#include "report/safe_text.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* Rows that one thread prints before it asks for more, and how many of such
 * pieces are in memory before they are written. */
#define PIECE_NR  1024u
#define PIECES_NR 32u

/* How far ahead of the row that is printed others are fetched. */
#define AHEAD_ROW   12u
#define AHEAD_FRAME 6u

struct piece {
	struct rpt_text text;
	struct rpt_text_heap heap; /* what was too long for text */
	bool is_clean;		   /* nothing that commands a terminal */
};

struct rpt_out_rows {
	struct rpt_out_rows_conf conf;
	uint32_t piece_nr;
	struct piece *pieces; /* room_nr of them: number modulo that */
	uint32_t room_nr;
	pthread_t threads[RPT_JOBS_MAX];
	uint32_t threads_nr;

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t made;  /* for the caller */
	pthread_cond_t room;  /* for threads */
	bool is_made[PIECES_NR];
	uint32_t taken_nr;
	uint32_t written_nr;
};

static void fetch(const struct rpt_out_rows_conf *conf, uint32_t at)
{
	const struct rpt_rows *rows = conf->rows;
	uint32_t row;

	if (at + AHEAD_ROW < conf->nr) {
		row = conf->list[at + AHEAD_ROW];
		rpt_cache_fetch_all(&rows->items[row], sizeof(*rows->items));
		rpt_cache_fetch_all(rpt_rows_stat(rows, row, 0),
				    sizeof(*rows->stats));
	}
	if (at + AHEAD_FRAME < conf->nr) {
		row = conf->list[at + AHEAD_FRAME];
		rpt_cache_fetch_all(
			&rows->frames->items[rows->items[row].frame],
			sizeof(*rows->frames->items));
	}
}

static void make(struct rpt_out_rows *all, uint32_t idx)
{
	const struct rpt_out_rows_conf *conf = &all->conf;
	struct piece *piece = &all->pieces[idx % all->room_nr];
	uint32_t start = idx * PIECE_NR;
	struct rpt_row_start row_start;

	rpt_row_start_init(&row_start, conf->columns);
	rpt_text_init(&piece->text, NULL);
	piece->text.heap = &piece->heap;
	piece->heap.len = 0;
	for (uint32_t i = start; i < conf->nr && i - start < PIECE_NR; i++) {
		fetch(conf, i);
		rpt_columns_print_next_row(conf->columns, conf->rows,
					   conf->list[i], &row_start,
					   &piece->text);
	}
	piece->is_clean = !piece->heap.len &&
			  rpt_is_safe((struct pd_str){ piece->text.data,
						       piece->text.len });
}

/* Where the next piece has room it is made, with the lock free meanwhile; false
 * where there is no room, or no piece. */
static bool make_next(struct rpt_out_rows *all)
{
	uint32_t idx = all->taken_nr;

	if (idx == all->piece_nr || idx - all->written_nr == all->room_nr)
		return false;
	all->taken_nr++;
	pthread_mutex_unlock(&all->lock);
	make(all, idx);
	pthread_mutex_lock(&all->lock);
	all->is_made[idx % all->room_nr] = true;
	pthread_cond_signal(&all->made);
	return true;
}

static void *work(void *arg)
{
	struct rpt_out_rows *all = arg;

	pthread_mutex_lock(&all->lock);
	while (all->taken_nr < all->piece_nr) {
		if (!make_next(all))
			pthread_cond_wait(&all->room, &all->lock);
	}
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

/* The caller's thread is one of them. */
static void start_threads(struct rpt_out_rows *all)
{
	uint32_t nr = rpt_jobs_threads(all->conf.jobs, all->piece_nr);

	while (all->threads_nr + 1 < nr &&
	       !pthread_create(&all->threads[all->threads_nr], NULL, work, all))
		all->threads_nr++;
}

struct rpt_out_rows *rpt_out_rows_new(const struct rpt_out_rows_conf *conf)
{
	struct rpt_out_rows *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->conf = *conf;
	all->piece_nr = (conf->nr + PIECE_NR - 1) / PIECE_NR;
	all->room_nr = all->piece_nr < PIECES_NR ? all->piece_nr : PIECES_NR;
	all->pieces = reallocarray(NULL, all->room_nr, sizeof(*all->pieces));
	if (!all->pieces) {
		free(all);
		return NULL;
	}
	for (uint32_t i = 0; i < all->room_nr; i++)
		all->pieces[i].heap = (struct rpt_text_heap){ 0 };
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->made, NULL);
	pthread_cond_init(&all->room, NULL);
	start_threads(all);
	return all;
}

static int write_piece(const struct piece *piece, struct rpt_text *out)
{
	const struct rpt_text *text = &piece->text;

	if (text->status)
		return text->status;
	if (piece->is_clean) {
		rpt_text_put_clean(out, text->data, text->len);
		return 0;
	}
	if (piece->heap.len)
		rpt_text_put(out, piece->heap.data, piece->heap.len);
	rpt_text_put(out, text->data, text->len);
	return 0;
}

/* The next piece to be written is made then. */
static void wait_for_piece(struct rpt_out_rows *all)
{
	while (!all->is_made[all->written_nr % all->room_nr]) {
		if (!make_next(all))
			pthread_cond_wait(&all->made, &all->lock);
	}
}

int rpt_out_rows_print(struct rpt_out_rows *all, struct rpt_text *out)
{
	int rc = 0;

	pthread_mutex_lock(&all->lock);
	while (all->written_nr < all->piece_nr && !rc) {
		uint32_t at = all->written_nr % all->room_nr;

		wait_for_piece(all);
		pthread_mutex_unlock(&all->lock);
		rc = write_piece(&all->pieces[at], out);
		pthread_mutex_lock(&all->lock);
		all->is_made[at] = false;
		all->written_nr++;
		pthread_cond_signal(&all->room);
	}
	pthread_mutex_unlock(&all->lock);
	return rc;
}

void rpt_out_rows_free(struct rpt_out_rows *all)
{
	if (!all)
		return;
	pthread_mutex_lock(&all->lock);
	all->taken_nr = all->piece_nr; /* no other is wanted */
	pthread_cond_broadcast(&all->room);
	pthread_mutex_unlock(&all->lock);
	for (uint32_t i = 0; i < all->threads_nr; i++)
		pthread_join(all->threads[i], NULL);
	for (uint32_t i = 0; i < all->room_nr; i++)
		free(all->pieces[i].heap.data);
	free(all->pieces);
	pthread_cond_destroy(&all->made);
	pthread_cond_destroy(&all->room);
	pthread_mutex_destroy(&all->lock);
	free(all);
}
