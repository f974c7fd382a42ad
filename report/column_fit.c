/* How wide columns are. */
#include "report/columns_impl.h"
#include "report/jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rows that one thread looks at before it asks for more. */
#define PIECE_NR 8192u

struct fitting {
	const struct rpt_columns *columns;
	struct rpt_rows *rows;
	const struct rpt_columns_fit *how;
};

struct widths {
	uint32_t items[RPT_COLUMNS_MAX];
	struct rpt_name_width names[RPT_NAME_WIDTHS];
};

static void fit_row(const struct fitting *fitting, uint32_t row,
		    struct widths *widths)
{
	const struct rpt_columns *columns = fitting->columns;

	if (fitting->rows->items[row].is_hidden)
		return;
	for (size_t i = 0; i < columns->nr; i++) {
		struct rpt_cell cell = { .columns = columns,
					 .idx = i,
					 .rows = fitting->rows,
					 .row = row,
					 .names = widths->names };
		uint32_t need;

		if (columns->is_hidden[i] || !columns->items[i]->fit)
			continue;
		need = columns->items[i]->fit(&cell);
		if (need > widths->items[i])
			widths->items[i] = need;
	}
}

static void fit_piece(const struct fitting *fitting, size_t idx,
		      struct widths *widths)
{
	uint32_t start = (uint32_t)idx * PIECE_NR;
	uint32_t nr = rpt_rows_nr(fitting->rows) - start;

	for (uint32_t i = 0; i < nr && i < PIECE_NR; i++)
		fit_row(fitting, start + i, widths);
}

static int work(void *worker, const void *ctx, size_t idx, struct pd_err *err)
{
	const struct fitting *fitting = ctx;
	size_t beside_nr = fitting->how->beside_nr;
	const struct rpt_beside *beside;

	if (idx >= beside_nr) {
		fit_piece(fitting, idx - beside_nr, worker);
		return 0;
	}
	beside = &fitting->how->beside[idx];
	if (beside->fn(fitting->rows, beside->value))
		return pd_err_set(err, -ENOMEM, "out of memory");
	return 0;
}

bool rpt_columns_are_plain(const struct rpt_columns *columns)
{
	if (columns->cell_text || columns->is_verbose) /* one for all; files
							  are looked at */
		return false;
	for (size_t i = 0; i < columns->nr; i++)
		if (columns->items[i]->by & ~(unsigned)RPT_BY_STACK_AND_PLACE)
			return false;
	return true;
}

static uint32_t least_width(const struct rpt_columns *columns, size_t idx,
			    uint32_t member_nr)
{
	if (!columns->items[idx]->fit)
		return columns->items[idx]->width * member_nr;
	return (uint32_t)strlen(rpt_columns_header(columns, idx));
}

/* As -w has it; numbers not below what the header takes, or all members do. */
static uint32_t asked_width(const struct rpt_columns *columns, size_t idx,
			    uint32_t member_nr)
{
	uint32_t least =
		member_nr > 1
			? columns->items[idx]->width * member_nr
			: (uint32_t)strlen(rpt_columns_header(columns, idx));
	uint32_t asked = columns->asked_widths[idx];

	return columns->items[idx]->fit || asked > least ? asked : least;
}

/* What is done beside it is worth no thread where all rows are one piece. */
static uint32_t count_workers(const struct rpt_columns *columns,
			      const struct rpt_columns_fit *how,
			      size_t piece_nr)
{
	if (piece_nr < 2 || !rpt_columns_are_plain(columns))
		return 1;
	return rpt_jobs_threads(how->jobs, piece_nr + how->beside_nr);
}

int rpt_columns_fit(struct rpt_columns *columns, struct rpt_rows *rows,
		    const struct rpt_columns_fit *how)
{
	struct fitting fitting = { columns, rows, how };
	size_t piece_nr = (rpt_rows_nr(rows) + PIECE_NR - 1) / PIECE_NR;
	uint32_t worker_nr = count_workers(columns, how, piece_nr);
	struct widths *widths = calloc(worker_nr, sizeof(*widths));
	struct rpt_jobs run = { .workers = widths,
				.worker_len = sizeof(*widths),
				.worker_nr = worker_nr,
				.nr = piece_nr + how->beside_nr,
				.fn = work,
				.ctx = &fitting };
	struct pd_err err = PD_ERR_INIT;
	int rc;

	if (!widths)
		return -ENOMEM;
	rpt_columns_hide(columns, rows);
	rc = rpt_jobs_run(&run, &err);
	for (size_t i = 0; i < columns->nr; i++) {
		uint32_t width = least_width(columns, i, rows->member_nr);

		for (uint32_t w = 0; w < worker_nr; w++)
			if (widths[w].items[i] > width)
				width = widths[w].items[i];
		if (columns->asked_widths[i])
			width = asked_width(columns, i, rows->member_nr);
		if (!columns->is_hidden[i])
			columns->widths[i] = width;
	}
	free(widths);
	return rc;
}
