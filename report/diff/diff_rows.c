#include "report/diff/diff_run.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/elf/function_stem.h"
#include "report/report/report.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LEN 4096

/* Turns rows, which have sums from the beginning on, into cells, which have
 * those of a block: what has grown since the block before. */
struct collect {
	struct rpt_run_event *event; /* rows, not labels, until label_cells() */
	struct rpt_rows rows;
	uint32_t event_idx; /* in the file */
	bool is_inclusive;
	struct rpt_row_stat *before; /* by row */
	uint32_t before_cap;
};

static void collect_room(struct collect *h)
{
	uint32_t cap = h->rows.cap;

	if (cap <= h->before_cap)
		return;
	h->before = rpt_realloc_array(h->before, cap, sizeof(*h->before));
	memset(h->before + h->before_cap, 0,
	       (cap - h->before_cap) * sizeof(*h->before));
	h->before_cap = cap;
}

static void collect_row(struct collect *h, uint32_t row, uint32_t block)
{
	const struct rpt_row_stat *now = rpt_rows_stat(&h->rows, row, 0);
	struct rpt_row_stat was = h->before[row];
	struct rpt_sum self = {
		(double)(now->self - was.self),
		(double)(now->self_nr - was.self_nr),
	};
	struct rpt_sum acc = {
		(double)(now->acc - was.acc),
		(double)(now->acc_nr - was.acc_nr),
	};
	const struct rpt_sum *sum = h->is_inclusive ? &acc : &self;

	h->before[row] = *now;
	if (h->rows.items[row].is_hidden)
		return;
	rpt_sum_add(&h->event->blocks[block], &self);
	if (sum->nr > 0.0)
		rpt_run_event_add(h->event, row, block, sum);
}

static void collect_block(struct collect *h, uint32_t block)
{
	collect_room(h);
	for (uint32_t r = 0; r < rpt_rows_nr(&h->rows); r++)
		collect_row(h, r, block);
}

/* The stacks of one event come in the order of time, so block by block. */
static void collect_event(struct collect *h, const struct rpt_report *report)
{
	const struct rpt_profile *profile = &report->profile;
	uint32_t at = 0;
	int rc = 0;

	for (uint32_t i = 0; i < profile->keys.nr && !rc; i++) {
		uint32_t idx = report->order[i];
		const struct rpt_stack_key *key = rpt_profile_key(profile, idx);

		if (key->event_idx != h->event_idx ||
		    !rpt_event_modes_have(h->event->modes, key->cpumode))
			continue;
		if (key->base->block != at)
			collect_block(h, at);
		at = key->base->block;
		rc = rpt_rows_add(&h->rows, idx, 0);
	}
	/* out of budget: compare the rows that there are */
	collect_block(h, at);
}

static const struct rpt_frame *frame_of(const struct rpt_rows *rows,
					uint32_t row)
{
	return &rows->frames->items[rows->items[row].frame];
}

static bool is_unnamed(const struct rpt_frame *frame)
{
	return !frame->sym && !frame->inline_name;
}

/* The text of a row's columns, which may differ from the report's. */
struct row_text {
	const struct rpt_labels *labels;
	const struct rpt_columns *columns;
	const struct rpt_rows *rows;
	uint32_t row;
	bool is_key;	  /* what identifies it; else what is shown */
	bool is_function; /* it is a function without a name: */
	uint64_t start;
	uint32_t build; /* number in labels->builds */
};

/* Put the name of a function.  Only perf's table shows an address without a
 * name, which says nothing about another run. */
static void put_function(const struct row_text *text, size_t column,
			 struct rpt_text *out)
{
	const struct rpt_frame *frame = frame_of(text->rows, text->row);
	char full[NAME_LEN], name[NAME_LEN];
	const char level[] = { '[', frame->level, ']', ' ', '\0' };
	bool is_perfs = text->labels->is_perfs;

	if (is_unnamed(frame) && text->is_key) {
		if (text->is_function) {
			rpt_text_hex(out, text->start, 0);
			rpt_text_char(out, ';');
			rpt_text_dec(out, text->build, 0);
		}
		return;
	}
	if (!is_perfs && is_unnamed(frame)) {
		rpt_text_str(out, level);
		if (text->is_function) {
			rpt_text_str(out, "0x");
			rpt_text_hex16(out, text->start);
		} else {
			rpt_text_str(out, "[unknown]");
		}
	} else if (!is_perfs && frame->dso &&
		   rpt_diff_is_jit(rpt_dso_name(frame->dso))) {
		rpt_text_str(out, level);
		rpt_text_str(out,
			     rpt_diff_jit_symbol(
				     rpt_frame_name(frame, full, sizeof(full)),
				     name, sizeof(name)));
	} else {
		rpt_columns_print_text(text->columns, column, text->rows,
				       text->row, out);
	}
}

static void put_dso(const struct row_text *text, size_t column,
		    struct rpt_text *out)
{
	const struct rpt_dso *dso = frame_of(text->rows, text->row)->dso;

	if (!text->labels->is_perfs && dso &&
	    rpt_diff_is_jit(rpt_dso_name(dso)))
		rpt_text_str(out, RPT_DIFF_JIT);
	else if (dso && text->labels->alias &&
		 rpt_diff_program(text->labels, dso) == text->labels->program)
		rpt_text_str(out, text->labels->program);
	else
		rpt_columns_print_text(text->columns, column, text->rows,
				       text->row, out);
}

/* Put the texts of a row, each ended by a NUL. */
static void row_texts(const struct row_text *text, struct rpt_text *out)
{
	for (size_t i = 0; i < text->columns->nr; i++) {
		unsigned by = rpt_columns_by_at(text->columns, i);

		if (!by)
			continue;
		if (by == RPT_BY_SYMBOL)
			put_function(text, i, out);
		else if (by == RPT_BY_DSO)
			put_dso(text, i, out);
		else
			rpt_columns_print_text(text->columns, i, text->rows,
					       text->row, out);
		rpt_text_char(out, '\0');
	}
}

static void set_widths(struct rpt_label *label,
		       const struct rpt_columns *columns,
		       const struct rpt_rows *rows, uint32_t row)
{
	size_t nr = 0;

	for (size_t i = 0; i < columns->nr; i++) {
		if (rpt_columns_by_at(columns, i))
			label->widths[nr++] =
				rpt_columns_text_width(columns, i, rows, row);
	}
}

/* Return the label of a row's texts. */
static uint32_t label_of(struct rpt_labels *labels, struct row_text texts,
			 const struct rpt_run_event *event,
			 struct rpt_text_string *string)
{
	const char *text;
	size_t len;
	uint32_t idx;

	rpt_text_dec(&string->text, event->number, 0);
	rpt_text_char(&string->text, ';');
	texts.is_key = true;
	row_texts(&texts, &string->text);
	text = rpt_text_string_take(string, &len);
	idx = rpt_label_new(labels, text, len);
	if (labels->items[idx].texts[0])
		return idx;
	texts.is_key = false;
	row_texts(&texts, &string->text);
	text = rpt_text_string_take(string, &len);
	rpt_label_fill(labels, &labels->items[idx], text, len);
	set_widths(&labels->items[idx], texts.columns, texts.rows, texts.row);
	return idx;
}

/* Return the label of a frame without a name: that of its function. */
static uint32_t unnamed_label(struct rpt_labels *labels, struct row_text texts,
			      const struct rpt_run_event *event,
			      struct rpt_text_string *string)
{
	const struct rpt_frame *frame = frame_of(texts.rows, texts.row);
	uint32_t whole = label_of(labels, texts, event, string);
	uint32_t idx;

	texts.is_function =
		rpt_unnamed_function(labels, frame, &texts.start, &texts.build);
	if (!texts.is_function) {
		labels->items[whole].is_mixed = true;
		return whole;
	}
	if (!labels->items[whole].build)
		labels->items[whole].build = texts.build + 1;
	else if (labels->items[whole].build != texts.build + 1)
		labels->items[whole].is_mixed = true;
	idx = label_of(labels, texts, event, string);
	labels->items[idx].whole = whole + 1;
	return idx;
}

static uint32_t row_label(struct rpt_labels *labels,
			  const struct rpt_columns *columns,
			  const struct rpt_rows *rows, uint32_t row,
			  const struct rpt_run_event *event,
			  struct rpt_text_string *string)
{
	struct row_text texts = {
		.labels = labels,
		.columns = columns,
		.rows = rows,
		.row = row,
	};

	return !labels->is_perfs && (rows->conf.keys.by & RPT_BY_SYMBOL) &&
			       is_unnamed(frame_of(rows, row))
		       ? unnamed_label(labels, texts, event, string)
		       : label_of(labels, texts, event, string);
}

static uint64_t addr_of(const struct rpt_rows *rows, const uint32_t *row)
{
	return rpt_row_addr(&rows->items[*row], frame_of(rows, *row));
}

static int compare_addrs(const void *a, const void *b, void *ctx)
{
	return rpt_compare_u64(addr_of(ctx, a), addr_of(ctx, b));
}

/* Number the rows in the order of addresses: a label has the texts of its
 * lowest one, as in perf. */
static void number_rows(struct rpt_labels *labels,
			const struct rpt_columns *columns,
			struct rpt_rows *rows,
			const struct rpt_run_event *event, uint32_t *numbers)
{
	uint32_t nr = rpt_rows_nr(rows);
	uint32_t *order = rpt_alloc((nr + 1) * sizeof(*order));
	struct rpt_text_string *string = rpt_text_string_new();

	for (uint32_t r = 0; r < nr; r++)
		order[r] = r;
	qsort_r(order, nr, sizeof(*order), compare_addrs, rows);
	for (uint32_t i = 0; i < nr; i++)
		numbers[order[i]] = row_label(labels, columns, rows, order[i],
					      event, string);
	rpt_text_string_free(string);
	free(order);
}

/* Replace the rows in cells by their labels. */
static void label_cells(struct collect *h, struct rpt_labels *labels,
			const struct rpt_columns *columns)
{
	struct rpt_run_event *event = h->event;
	uint32_t nr = rpt_rows_nr(&h->rows);
	uint32_t *numbers = rpt_alloc((nr + 1) * sizeof(*numbers));

	number_rows(labels, columns, &h->rows, event, numbers);
	for (size_t i = 0; i < event->cell_nr; i++)
		event->cells[i].label = numbers[event->cells[i].label];
	free(numbers);
}

void rpt_diff_rows_load(struct rpt_run_event *event, struct rpt_labels *labels,
			struct rpt_report *report, uint32_t event_idx)
{
	struct collect h = { .event = event,
			     .event_idx = event_idx,
			     .is_inclusive = report->rows_conf.children };

	rpt_rows_init(&h.rows, &report->rows_conf, &report->profile,
		      &report->frames, 1);
	collect_event(&h, report);
	label_cells(&h, labels, &report->view.columns);
	rpt_rows_release(&h.rows);
	free(h.before);
}
