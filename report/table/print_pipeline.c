#include "report/table/print_pipeline.h"

#include "report/base/memory.h"
#include "report/base/threads.h"
#include "report/base/work_queue.h"
#include "report/table/print_rows.h"

#include <stdlib.h>

/* Of READY, in the order in which they are begun. */
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

/* Pieces that are in memory before they are written. */
#define TEAM_PIECES_NR 32u

struct piece {
	struct rpt_out_piece text;
	uint32_t idx; /* among the pieces of the rows */
};

/* Threads that make pieces of rows, some ahead of what is written. */
struct team {
	struct rpt_print_rows rows;
	struct piece pieces[TEAM_PIECES_NR];
	struct rpt_work_queue queue; /* of pieces */
	uint32_t given_nr;
	uint32_t piece_nr; /* to be given in all */
};

static void make_piece(void *ctx, uint32_t thread, void *block)
{
	struct team *team = ctx;
	struct piece *piece = block;

	(void)thread;
	rpt_out_piece_make(&piece->text, &team->rows, piece->idx);
}

static void give_piece(struct team *team, struct piece *piece)
{
	if (team->given_nr == team->piece_nr)
		return;
	piece->idx = team->given_nr++;
	rpt_work_queue_give(&team->queue, piece);
}

/* The caller's thread is one of them. */
static struct team *new_team(const struct rpt_print_rows *rows, uint32_t jobs)
{
	struct team *team = rpt_alloc(sizeof(*team)); /* large: not zeroed */
	struct rpt_work_queue_conf conf = {
		.is_helped = true,
		.fn = make_piece,
		.ctx = team,
	};

	team->rows = *rows;
	team->piece_nr = rpt_print_rows_piece_nr(rows);
	team->given_nr = 0;
	conf.threads_nr = rpt_jobs_threads(jobs, team->piece_nr) - 1;
	rpt_work_queue_start(&team->queue, &conf);
	for (uint32_t i = 0; i < TEAM_PIECES_NR; i++) {
		rpt_out_piece_init(&team->pieces[i].text);
		give_piece(team, &team->pieces[i]);
	}
	return team;
}

static void free_team(struct team *team)
{
	if (!team)
		return;
	rpt_work_queue_stop(&team->queue);
	for (uint32_t i = 0; i < TEAM_PIECES_NR; i++)
		rpt_out_piece_release(&team->pieces[i].text);
	free(team);
}

static void write_pieces(struct team *team, struct rpt_text *out)
{
	struct piece *piece;

	while ((piece = rpt_work_queue_next(&team->queue))) {
		rpt_out_piece_write(&piece->text, out);
		give_piece(team, piece);
	}
}

/* Rows that come one after the other: those with graphs, then others. */
struct stretch {
	const uint32_t *list;
	uint32_t graph_nr;
	uint32_t plain_nr;
};

static void print_graph_rows(const struct rpt_print_pipeline *steps,
			     const struct rpt_out_table *table,
			     const struct stretch *stretch,
			     struct rpt_text *out)
{
	for (uint32_t i = 0; i < stretch->graph_nr; i++) {
		rpt_columns_print_row(steps->columns, steps->rows,
				      stretch->list[i], out);
		table->graph(table->ctx, stretch->list[i], out);
	}
}

static void print_stretch(const struct rpt_print_pipeline *steps,
			  const struct rpt_out_table *table,
			  const struct stretch *stretch, struct rpt_text *out)
{
	struct rpt_print_rows plain = {
		.columns = steps->columns,
		.rows = steps->rows,
		.list = stretch->list + stretch->graph_nr,
		.nr = stretch->plain_nr,
	};
	bool has_team = plain.nr >= TEAM_ROWS_MIN &&
			rpt_columns_may_be_shared(steps->columns);
	struct team *team = has_team ? new_team(&plain, steps->jobs) : NULL;

	print_graph_rows(steps, table, stretch, out);
	if (team)
		write_pieces(team, out);
	for (uint32_t i = 0; !has_team && i < plain.nr; i++)
		rpt_columns_print_row(plain.columns, plain.rows, plain.list[i],
				      out);
	free_team(team);
}

/* How many of the next rows are of that kind. */
static uint32_t count_kind(const uint8_t *kinds, enum rpt_out_kind kind,
			   const uint32_t *list, uint32_t nr)
{
	uint32_t i = 0;

	while (i < nr && kinds[list[i]] == kind)
		i++;
	return i;
}

static void print_list(const struct rpt_print_pipeline *steps,
		       const struct rpt_out_table *table, const uint32_t *list,
		       uint32_t nr, struct rpt_text *out)
{
	while (nr) {
		struct stretch next = { .list = list };

		next.graph_nr =
			count_kind(table->kinds, RPT_OUT_WITH_GRAPH, list, nr);
		list += next.graph_nr;
		nr -= next.graph_nr;
		next.plain_nr =
			count_kind(table->kinds, RPT_OUT_PLAIN, list, nr);
		list += next.plain_nr;
		nr -= next.plain_nr;
		print_stretch(steps, table, &next, out);
	}
}

void rpt_print_pipeline_print(const struct rpt_print_pipeline *steps,
			      const struct rpt_out_table *table,
			      struct rpt_text *out)
{
	const struct rpt_rows *rows = steps->rows;
	uint32_t shown_nr = 0, nr = rpt_rows_nr(rows);
	uint32_t *list = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*list));

	for (uint32_t i = 0; i < nr; i++) {
		list[shown_nr] = rows->order[i];
		shown_nr += table->kinds[rows->order[i]] != RPT_OUT_UNSHOWN;
	}
	print_list(steps, table, list, shown_nr, out);
	free(list);
}
