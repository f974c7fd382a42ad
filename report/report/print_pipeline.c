#include "report/report/print_pipeline.h"

#include "report/base/cpu_prefetch.h"
#include "report/base/memory.h"
#include "report/base/threads.h"
#include "report/base/work_queue.h"

#include <stdlib.h>

/* The steps of READY, in the order in which they are begun. */
enum ready_step {
	READY_ORDER,
	READY_CHAINS,
	READY_WIDTHS /* the first piece */
};

static int ready_step(void *worker, const void *ctx, size_t idx,
		      struct pd_err *err)
{
	const struct rpt_print_pipeline *steps = ctx;
	struct rpt_rows *rows = steps->rows;

	(void)err;
	if (idx == READY_ORDER)
		rpt_rows_sort(rows);
	else if (idx >= READY_WIDTHS)
		rpt_column_fit_piece(steps->columns, rows,
				     (uint32_t)idx - READY_WIDTHS, worker);
	else if (rows->conf.chains)
		rpt_rows_index_chains(rows, steps->min_weight);
	return 0;
}

/* Rows that are one piece are not worth a thread. */
static uint32_t ready_threads(const struct rpt_print_pipeline *steps,
			      size_t step_nr)
{
	if (rpt_column_fit_piece_nr(steps->rows) < 2 ||
	    steps->rows->frames->key != RPT_FRAME_FUNCTION ||
	    !rpt_columns_may_be_shared(steps->columns))
		return 1;
	return rpt_jobs_threads(steps->jobs, step_nr);
}

void rpt_print_pipeline_ready(const struct rpt_print_pipeline *steps)
{
	size_t nr = READY_WIDTHS + rpt_column_fit_piece_nr(steps->rows);
	uint32_t thread_nr = ready_threads(steps, nr);
	struct rpt_column_widths *widths =
		rpt_alloc_zeroed(thread_nr, sizeof(*widths));
	struct rpt_jobs run = {
		.workers = widths,
		.worker_len = sizeof(*widths),
		.worker_nr = thread_nr,
		.nr = nr,
		.fn = ready_step,
		.ctx = steps,
	};
	struct pd_err err = PD_ERR_INIT;

	rpt_columns_hide(steps->columns, steps->rows);
	rpt_jobs_run(&run, &err); /* no step fails */
	rpt_column_fit_end(steps->columns, steps->rows, widths, thread_nr);
	free(widths);
}

/* Fewer rows are not worth a thread. */
#define TEAM_ROWS_MIN 4096u

/* Rows of a piece, and pieces that are in memory before they are written. */
#define PIECE_NR       1024u
#define TEAM_PIECES_NR 32u

/* How many rows ahead of the printed one a row and its frame are fetched. */
#define AHEAD_ROW   12u
#define AHEAD_FRAME 6u

struct piece {
	struct rpt_text text;
	struct rpt_text_heap heap; /* what was too long for text */
	uint32_t start;		   /* its first row in the list */
};

/* Threads that make pieces of rows, some ahead of what is written. */
struct team {
	const struct rpt_columns *columns;
	const struct rpt_rows *rows;
	const uint32_t *list; /* rows in their order */
	uint32_t nr;
	uint32_t given_nr; /* rows of the list */
	struct piece pieces[TEAM_PIECES_NR];
	struct rpt_work_queue queue; /* of pieces */
};

/* Fetch rows, which are printed in another order than they lie in memory. */
static void prefetch(const struct team *team, uint32_t at)
{
	const struct rpt_rows *rows = team->rows;
	uint32_t row;

	if (at + AHEAD_ROW < team->nr) {
		row = team->list[at + AHEAD_ROW];
		rpt_cpu_prefetch_all(&rows->items[row], sizeof(*rows->items));
		rpt_cpu_prefetch_all(rpt_rows_stat(rows, row, 0),
				     sizeof(*rows->stats));
	}
	if (at + AHEAD_FRAME < team->nr) {
		row = team->list[at + AHEAD_FRAME];
		rpt_cpu_prefetch_all(
			&rows->frames->items[rows->items[row].frame],
			sizeof(*rows->frames->items));
	}
}

static void make_piece(void *ctx, uint32_t thread, void *block)
{
	const struct team *team = ctx;
	struct piece *piece = block;
	uint32_t start = piece->start;

	(void)thread;
	rpt_text_init(&piece->text, NULL);
	piece->text.heap = &piece->heap;
	piece->heap.len = 0;
	for (uint32_t i = start; i < team->nr && i - start < PIECE_NR; i++) {
		prefetch(team, i);
		rpt_columns_print_row(team->columns, team->rows, team->list[i],
				      &piece->text);
	}
}

static void give_piece(struct team *team, struct piece *piece)
{
	if (team->given_nr >= team->nr)
		return;
	piece->start = team->given_nr;
	team->given_nr += PIECE_NR;
	rpt_work_queue_give(&team->queue, piece);
}

/* Print rows by all threads, of which the caller's is one. */
static void print_by_team(const struct rpt_print_pipeline *steps,
			  const uint32_t *list, uint32_t nr,
			  struct rpt_text *out)
{
	struct team *team = rpt_alloc(sizeof(*team)); /* large: not zeroed */
	struct rpt_work_queue_conf conf = {
		.threads_nr =
			rpt_jobs_threads(steps->jobs, nr / PIECE_NR + 1) - 1,
		.is_helped = true,
		.fn = make_piece,
		.ctx = team,
	};
	struct piece *piece;

	team->columns = steps->columns;
	team->rows = steps->rows;
	team->list = list;
	team->nr = nr;
	team->given_nr = 0;
	rpt_work_queue_start(&team->queue, &conf);
	for (uint32_t i = 0; i < TEAM_PIECES_NR; i++) {
		team->pieces[i].heap = (struct rpt_text_heap){ 0 };
		give_piece(team, &team->pieces[i]);
	}
	while ((piece = rpt_work_queue_next(&team->queue))) {
		if (piece->heap.len)
			rpt_text_put(out, piece->heap.data, piece->heap.len);
		rpt_text_put(out, piece->text.data, piece->text.len);
		give_piece(team, piece);
	}
	rpt_work_queue_stop(&team->queue);
	for (uint32_t i = 0; i < TEAM_PIECES_NR; i++)
		free(team->pieces[i].heap.data);
	free(team);
}

void rpt_print_pipeline_print(const struct rpt_print_pipeline *steps,
			      const struct rpt_out_table *table,
			      struct rpt_text *out)
{
	const struct rpt_rows *rows = steps->rows;
	/* escape sequences of a piece would be escaped with its names */
	bool may_share = rpt_columns_may_be_shared(steps->columns) &&
			 !steps->columns->look.has_colour;
	uint32_t nr = 0, end;
	uint32_t *list = rpt_alloc_zeroed(rpt_rows_nr(rows), sizeof(*list));

	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		if (table->kinds[rows->order[i]] != RPT_OUT_UNSHOWN)
			list[nr++] = rows->order[i];
	for (uint32_t i = 0; i < nr; i = end) {
		uint8_t kind = table->kinds[list[i]];

		for (end = i + 1; end < nr; end++)
			if (table->kinds[list[end]] != kind)
				break;
		if (kind == RPT_OUT_PLAIN && may_share &&
		    end - i >= TEAM_ROWS_MIN) {
			print_by_team(steps, list + i, end - i, out);
			continue;
		}
		for (uint32_t k = i; k < end; k++) {
			rpt_columns_print_row(steps->columns, rows, list[k],
					      out);
			if (kind == RPT_OUT_WITH_GRAPH)
				table->graph(table->ctx, list[k], out);
		}
	}
	free(list);
}
