/* Lines as "comm;main;f 12", for flame graphs. */
#include "report/report/out_data.h"

#include "report/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Lines to print; equal ones of several rows (addresses of one name) are one.
 */
struct lines {
	struct rpt_intern texts;
	uint64_t *counts; /* by number of the text */
	uint32_t cap;
	char *buf; /* the line under construction */
	size_t len;
	FILE *file;	/* into buf */
	bool has_parts; /* the line is not empty */
};

/* There are no more lines than stacks, so they can be numbered. */
static void line_add(struct lines *lines, uint64_t count)
{
	uint32_t known_nr = lines->texts.nr;
	uint32_t idx;

	fflush(lines->file);
	lines->counts = rpt_grow(lines->counts, &lines->cap, known_nr,
				 sizeof(*lines->counts));
	idx = rpt_frames_number(&lines->texts, lines->buf, lines->len);
	if (idx == known_nr)
		lines->counts[idx] = 0;
	lines->counts[idx] += count;
}

/* Put a name without the character that separates names. */
static void put_name(struct lines *lines, const char *name)
{
	for (; *name; name++)
		fputc(rpt_folded_char(*name), lines->file);
}

/* Put a name behind the line's others. */
static void put_part(struct lines *lines, const char *name)
{
	if (lines->has_parts)
		fputc(';', lines->file);
	put_name(lines, name);
	lines->has_parts = true;
}

static void line_start(struct lines *lines, const struct rpt_data_event *event,
		       const struct rpt_row *row)
{
	unsigned labels = event->report->args->out.labels;
	char name[16];

	rewind(lines->file);
	lines->has_parts = false;
	if (!event->is_only)
		put_part(lines, event->name);
	if (labels & RPT_LABEL_PROCESS) /* the only value: set_up() */
		put_part(lines, rpt_row_process(row, 0, name));
	if (labels & RPT_LABEL_COMM)
		put_part(lines, rpt_row_comm(row, name));
}

static void put_frame(struct lines *lines, const struct rpt_frames *frames,
		      uint32_t frame)
{
	char buf[1024];

	put_part(lines,
		 rpt_frame_name(&frames->items[frame], buf, sizeof(buf)));
}

/* Return the frame of a row, as call chains have it. */
static uint32_t own_frame(struct rpt_rows *rows, uint32_t row)
{
	uint32_t frame = rows->items[row].frame;

	return rows->conf.hide.unmapped &&
			       rpt_frame_is_unmapped(rows->frames, frame)
		       ? rpt_frames_unmapped(rows->frames)
		       : frame;
}

/* Add the row's chains; then what was counted without one, as its own symbol.
 */
static void add_row(struct lines *lines, const struct rpt_data_event *event,
		    uint32_t row)
{
	struct rpt_rows *rows = event->rows;
	const struct rpt_row_stat *stat = rpt_rows_stat(rows, row, 0);
	uint64_t left = event->is_period ? stat->self : stat->self_nr;
	uint32_t nr = 0;
	struct rpt_call_chain *chains =
		rows->conf.chains ? rpt_row_chains_of(&rows->chains, row, &nr)
				  : NULL;

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t count = event->is_period ? chains[i].period
						  : chains[i].sample_nr;

		line_start(lines, event, &rows->items[row]);
		for (uint32_t k = 0; k < chains[i].nr; k++)
			put_frame(lines, rows->frames, chains[i].labels[k]);
		left -= count < left ? count : left;
		line_add(lines, count);
	}
	if (!left)
		return;
	line_start(lines, event, &rows->items[row]);
	put_frame(lines, rows->frames, own_frame(rows, row));
	line_add(lines, left);
}

static void lines_print(const struct lines *lines, struct rpt_text *out)
{
	for (uint32_t i = 0; i < lines->texts.nr; i++) {
		rpt_text_str(out, rpt_intern_key(&lines->texts, i));
		rpt_text_char(out, ' ');
		rpt_text_dec(out, lines->counts[i], 0);
		rpt_text_char(out, '\n');
	}
}

static void print_event(const struct rpt_data_event *event,
			struct rpt_text *out)
{
	struct rpt_rows *rows = event->rows;
	struct lines lines = { .cap = 0 };

	lines.file = open_memstream(&lines.buf, &lines.len);
	if (rows->conf.chains)
		rpt_rows_index_chains(rows, 0);
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		if (!rows->items[rows->order[i]].is_hidden)
			add_row(&lines, event, rows->order[i]);
	}
	lines_print(&lines, out);
	fclose(lines.file);
	free(lines.buf);
	free(lines.counts);
	rpt_intern_release(&lines.texts);
}

/* The rows are by comm, DSO and symbol, and are ordered by weight. */
static int set_up(struct rpt_report *report, struct pd_err *err)
{
	struct rpt_columns *columns = &report->view.columns;
	struct rpt_columns weight = { 0 };
	char list[64];
	int rc;

	snprintf(list, sizeof(list), "comm,dso,symbol%s%s",
		 report->args->out.labels & RPT_LABEL_PROCESS ? ",process" : "",
		 report->args->chains.parent ? ",parent" : "");
	rc = rpt_columns_parse(columns, list, "", err);
	if (!rc)
		rc = rpt_columns_parse(&weight, "overhead", "", err);
	if (rc)
		return rc;
	rpt_columns_order(&weight, &weight, &report->rows_conf.keys);
	rpt_columns_keys(columns, &report->rows_conf.keys);
	return 0;
}

static int check(struct rpt_report_args *args, struct pd_err *err)
{
	unsigned has = RPT_LABEL_PROCESS | RPT_LABEL_COMM;

	return args->out.labels & ~has
		       ? pd_err_set(err, -EINVAL,
				    "--format folded: stacks begin with the "
				    "names of process and comm; other labels "
				    "have no place there")
		       : 0;
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	static const struct rpt_data_form form = {
		.event = print_event,
		.is_safe = true,
	};

	return rpt_report_print_data(report, &form, out, err);
}

const struct rpt_output rpt_output_folded = {
	.name = "folded",
	.help = "a line for each stack, for flame graphs",
	.needs = RPT_OUTPUT_STACKS,
	.options = { rpt_row_opts, rpt_report_opts, rpt_label_opts },
	.check = check,
	.set_up = set_up,
	.print = print_report,
};
