#include "report/out_rows.h"

#include "report/cache_fetch.h"
#include "report/jobs.h"
#include "report/row_start.h"

#include <errno.h>
#include <stdlib.h>

/* Rows that one thread prints before it asks for more, and how many of such
 * pieces are in memory before they are written. */
#define PIECE_NR  1024u
#define PIECES_NR 16u

/* How far ahead of the row that is printed others are fetched. */
#define AHEAD_ROW   12u
#define AHEAD_FRAME 6u

struct window {
	const struct rpt_out_rows *what;
	uint32_t start;
	uint32_t nr;
	struct rpt_text_heap *pieces; /* PIECES_NR */
};

static void fetch(const struct rpt_out_rows *what, uint32_t at)
{
	const struct rpt_rows *rows = what->rows;
	uint32_t row;

	if (at + AHEAD_ROW < what->nr) {
		row = what->list[at + AHEAD_ROW];
		rpt_cache_fetch_all(&rows->items[row], sizeof(*rows->items));
		rpt_cache_fetch_all(rpt_rows_stat(rows, row, 0),
				    sizeof(*rows->stats));
	}
	if (at + AHEAD_FRAME < what->nr) {
		row = what->list[at + AHEAD_FRAME];
		rpt_cache_fetch_all(
			&rows->frames->items[rows->items[row].frame],
			sizeof(*rows->frames->items));
	}
}

static int print_piece(void *worker, const void *ctx, size_t idx,
		       struct pd_err *err)
{
	const struct window *window = ctx;
	const struct rpt_out_rows *what = window->what;
	struct rpt_text *text = worker;
	uint32_t start = (uint32_t)idx * PIECE_NR;
	struct rpt_row_start row_start;

	rpt_row_start_init(&row_start, what->columns);
	rpt_text_init(text, NULL);
	text->heap = &window->pieces[idx];
	text->heap->len = 0;
	for (uint32_t i = start; i < window->nr && i < start + PIECE_NR; i++) {
		fetch(what, window->start + i);
		rpt_columns_print_next_row(what->columns, what->rows,
					   what->list[window->start + i],
					   &row_start, text);
	}
	return rpt_text_flush(text) ? pd_err_set(err, -ENOMEM, "out of memory")
				    : 0;
}

static int print_window(struct rpt_jobs *jobs, struct window *window,
			struct rpt_text *out)
{
	struct pd_err err = PD_ERR_INIT;
	uint32_t left = window->what->nr - window->start;
	int rc;

	window->nr = left < PIECES_NR * PIECE_NR ? left : PIECES_NR * PIECE_NR;
	jobs->nr = (window->nr + PIECE_NR - 1) / PIECE_NR;
	rc = rpt_jobs_run(jobs, &err);
	for (size_t i = 0; i < jobs->nr && !rc; i++)
		rpt_text_put(out, window->pieces[i].data,
			     window->pieces[i].len);
	return rc;
}

int rpt_out_rows_print(const struct rpt_out_rows *what, struct rpt_text *out)
{
	struct window window = {
		.what = what,
		.pieces = calloc(PIECES_NR, sizeof(*window.pieces)),
	};
	struct rpt_jobs jobs = {
		.worker_len = sizeof(struct rpt_text),
		.worker_nr = rpt_jobs_threads(
			what->jobs, (what->nr + PIECE_NR - 1) / PIECE_NR),
		.fn = print_piece,
		.ctx = &window,
	};
	int rc = 0;

	jobs.workers = calloc(jobs.worker_nr, jobs.worker_len);
	if (!window.pieces || !jobs.workers)
		rc = -ENOMEM;
	for (; window.start < what->nr && !rc; window.start += window.nr)
		rc = print_window(&jobs, &window, out);
	for (uint32_t i = 0; i < PIECES_NR && window.pieces; i++)
		free(window.pieces[i].data);
	free(window.pieces);
	free(jobs.workers);
	return rc;
}
