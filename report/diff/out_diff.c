#include "report/diff/out_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/layout.h"

/* Return whether two runs counted an event in the same way. */
static bool is_alike(const struct rpt_run_event *a,
		     const struct rpt_run_event *b)
{
	const uint64_t flags = PD_ATTR_PRECISE_IP_MASK | PD_ATTR_FREQ;
	const struct pd_attr *x = &a->attr, *y = &b->attr;

	return !((x->flags ^ y->flags) & flags) &&
	       rpt_event_modes(x) == rpt_event_modes(y) &&
	       x->sample_period == y->sample_period &&
	       !strcmp(a->name, b->name);
}

/* Return whether all runs of a side counted an event in the same way as "as"
 * (NULL: true). */
static bool is_side_alike(const struct rpt_side_event *side,
			  const struct rpt_run_event *as)
{
	bool is_same = true;

	for (size_t r = 0; as && r < side->side->run_nr; r++)
		is_same &= !side->events[r] || is_alike(side->events[r], as);
	return is_same;
}

static const char *modes_name(unsigned modes)
{
	static const char *const names[] = {
		[0] = "neither user nor kernel code",
		[RPT_MODE_USER] = "user code",
		[RPT_MODE_KERNEL] = "kernel code",
		[RPT_MODE_BOTH] = "user and kernel code",
	};

	return names[modes];
}

static void print_event(const struct rpt_diff_table *table, size_t side,
			FILE *out)
{
	const struct rpt_run_event *event =
		rpt_side_first_event(&table->sides[side]);
	const struct pd_attr *attr = event ? &event->attr : NULL;
	unsigned precision;

	if (!event)
		return;
	precision = (unsigned)((attr->flags & PD_ATTR_PRECISE_IP_MASK) >>
			       PD_ATTR_PRECISE_IP_SHIFT);
	rpt_diff_print_side(out, table->side_nr, side);
	fprintf(out, " counted '%s': %s", event->name,
		modes_name(rpt_event_modes(attr)));
	if (precision)
		fprintf(out, ", precise level %u", precision);
	if (attr->flags & PD_ATTR_FREQ)
		fprintf(out, ", %" PRIu64 " Hz", attr->sample_period);
	else
		fprintf(out, ", a sample each %" PRIu64, attr->sample_period);
	fputs(is_side_alike(&table->sides[side], event)
		      ? "\n"
		      : " (not all runs of this side)\n",
	      out);
}

/* The code that the runs counted: user code, kernel code or both
 * (RPT_MODE_*). */
struct modes {
	unsigned compared; /* the samples of these are compared */
	unsigned any;	   /* counted by some run */
	unsigned all;	   /* counted by each run */
};

static struct modes modes_of(const struct rpt_diff_table *table)
{
	struct modes modes = { RPT_MODE_BOTH, 0, RPT_MODE_BOTH };

	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_side_event *side = &table->sides[s];

		for (size_t r = 0; r < side->side->run_nr; r++) {
			if (!side->events[r])
				continue;
			modes.compared &= side->events[r]->modes;
			modes.any |= rpt_event_modes(&side->events[r]->attr);
			modes.all &= rpt_event_modes(&side->events[r]->attr);
		}
	}
	return modes;
}

/* If the sides counted an event differently (modes, precision, frequency),
 * print how, and which samples are compared, in "# " lines. */
static void diff_print_events(const struct rpt_diff_table *table, FILE *out)
{
	const struct rpt_run_event *old =
		rpt_side_first_event(&table->sides[0]);
	struct modes modes = modes_of(table);
	bool is_same = true;

	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_side_event *side = &table->sides[s];

		is_same &= is_side_alike(side, rpt_side_first_event(side)) &&
			   (!old || is_side_alike(side, old));
	}
	if (is_same)
		return;
	for (size_t s = 0; s < table->side_nr; s++)
		print_event(table, s, out);
	if (modes.compared != RPT_MODE_BOTH)
		fprintf(out,
			"# Only samples of %s are compared, which all runs "
			"have.\n",
			modes_name(modes.compared));
	else if (modes.any != modes.all)
		fputs("# Not all runs counted all of this code, so rows may "
		      "look new or gone, and totals differ:\n"
		      "# to leave it out files are read twice, which a pipe "
		      "cannot be. Compare files instead.\n",
		      out);
	fputs("#\n", out);
}

const char *rpt_diff_event_name(const struct rpt_diff_table *table, size_t side)
{
	const struct rpt_run_event *event =
		rpt_side_first_event(&table->sides[side]);

	return event ? event->name : NULL;
}

const char *rpt_diff_event_modes(const struct rpt_diff_table *table)
{
	static const char *const names[] = {
		[0] = "none", /* a file was replaced while it was read */
		[RPT_MODE_USER] = "user",
		[RPT_MODE_KERNEL] = "kernel",
		[RPT_MODE_BOTH] = "all",
	};

	return names[modes_of(table).compared];
}

/* The most dots in the header of the last column; its texts may be longer. */
#define LAST_WIDTH 40

/* The least width of other names, on a terminal. */
#define SHORT_LEN 12u

/* A table under print. */
struct page {
	const struct rpt_diff_args *args;
	const struct rpt_diff_table *table;
	struct rpt_diff_column *columns; /* owned */
	size_t nr;
	struct rpt_look look;
	struct rpt_text *text;
	FILE *out; /* a stream of text */
};

/* ret_pct: set if it is a percentage, or a ratio; may be NULL */
static void cell_text(const struct page *page, size_t idx, size_t row,
		      char buf[RPT_DIFF_CELL_LEN], double *ret_pct)
{
	const struct rpt_diff_column *column = &page->columns[idx];
	const struct rpt_diff_text text = {
		.column = column,
		.table = page->table,
		.row = row,
		.old = rpt_diff_table_cell(page->table, row, 0),
		.cell = column->is_label ? NULL
					 : rpt_diff_table_cell(page->table, row,
							       column->side),
		.buf = buf,
		.ret_pct = ret_pct,
	};

	buf[0] = '\0';
	column->print(&text);
}

/* Return a cell's width; in perf's table that which perf takes for a label. */
static size_t cell_width(const struct page *page, size_t idx, size_t row)
{
	const struct rpt_diff_column *column = &page->columns[idx];
	const struct rpt_diff_table *table = page->table;
	char buf[RPT_DIFF_CELL_LEN];

	if (column->is_label && !table->conf.intervals)
		return table->labels->items[rpt_diff_table_label(table, row)]
			.widths[column->side];
	cell_text(page, idx, row, buf, NULL);
	return strlen(buf);
}

static void fit(struct page *page)
{
	for (size_t i = 0; i < page->nr; i++) {
		/* perf's columns of numbers do not grow */
		if (!page->table->conf.intervals && !page->columns[i].is_label)
			continue;
		for (size_t r = 0; r < page->table->shown_nr; r++) {
			size_t width =
				cell_width(page, i, page->table->order[r]);

			if (width > page->columns[i].width)
				page->columns[i].width = width;
		}
		if (page->table->conf.intervals && page->columns[i].is_last &&
		    page->columns[i].width > LAST_WIDTH)
			page->columns[i].width = LAST_WIDTH;
	}
}

/* Return the widest column whose names may be shortened; page->nr: there is
 * none. */
static size_t widest(const struct page *page)
{
	size_t found = page->nr;

	for (size_t i = 0; i < page->nr; i++) {
		const struct rpt_diff_column *column = &page->columns[i];
		size_t least = strlen(column->header);

		if (least < (column->is_last ? RPT_SHORT_LEN : SHORT_LEN))
			least = column->is_last ? RPT_SHORT_LEN : SHORT_LEN;
		if (column->is_label && column->is_left &&
		    column->width > least &&
		    (found == page->nr ||
		     column->width > page->columns[found].width))
			found = i;
	}
	return found;
}

/* Shorten names, the longest first, until the lines fit the terminal.  What a
 * line says behind the last name may still be longer. */
static void fit_terminal(struct page *page)
{
	struct rpt_diff_column *last = &page->columns[page->nr - 1];
	size_t width = 0, idx;

	for (size_t i = 0; i < page->nr; i++)
		width += page->columns[i].width + 2;
	for (; width > page->look.width; width--) {
		idx = widest(page);
		if (idx == page->nr)
			break;
		page->columns[idx].width--;
		page->columns[idx].short_len = page->columns[idx].width;
	}
	if (last->is_label && last->is_last)
		last->short_len =
			rpt_look_room(&page->look, width - last->width);
	for (size_t i = 0; i < page->nr; i++)
		if (page->columns[i].short_len > RPT_DIFF_SHORT_MAX)
			page->columns[i].short_len = RPT_DIFF_SHORT_MAX;
}

/* Replace the separator in texts by a dot, as perf does. */
static void replace_separator(const char *separator, char *text)
{
	for (; *text; text++) {
		if (strchr(separator, *text))
			*text = '.';
	}
}

static void put_escape(const struct page *page, const char *sequence)
{
	if (!sequence)
		return;
	fflush(page->out);
	rpt_text_escape(page->text, sequence);
}

static void print_field(const struct page *page, size_t idx, const char *text,
			double pct, bool is_padded)
{
	const struct rpt_diff_column *column = &page->columns[idx];
	const char *sep = page->args->separator;
	int width = is_padded ? (int)column->width : 0;
	bool is_left = column->is_left || (sep && !column->is_label);
	const char *colour = sep ? NULL : rpt_percent_colour(&page->look, pct);
	char padded[RPT_DIFF_CELL_LEN];

	snprintf(padded, sizeof(padded), "%*s", is_left ? -width : width, text);
	if (sep && column->is_label)
		replace_separator(sep, padded);
	if (!sep)
		sep = "  ";
	else if (!idx)
		sep = "";
	fputs(sep, page->out);
	put_escape(page, colour);
	fputs(padded, page->out);
	put_escape(page, colour ? RPT_COLOUR_END : NULL);
}

static void print_columns(struct page *page)
{
	const char *sep = page->args->separator ? page->args->separator : "  ";
	FILE *out = page->out;

	for (size_t i = 0; i < page->nr; i++) {
		const struct rpt_diff_column *column = &page->columns[i];
		int width = (int)column->width;

		fprintf(out, "%s%*s", i ? sep : "# ",
			column->is_left ? -width : width, column->header);
	}
	fputc('\n', out);
	if (page->args->separator)
		return;
	for (size_t i = 0; i < page->nr; i++) {
		fputs(i ? "  " : "# ", out);
		for (size_t k = 0; k < page->columns[i].width; k++)
			fputc('.', out);
	}
	fputs("\n#\n", out);
}

static void print_row(struct page *page, size_t row)
{
	char buf[RPT_DIFF_CELL_LEN];

	for (size_t i = 0; i < page->nr; i++) {
		double pct = 0.0;

		cell_text(page, i, row, buf, &pct);
		print_field(page, i, buf, pct, !page->columns[i].is_last);
	}
	fputc('\n', page->out);
}

static void print_files(const struct page *page)
{
	const struct rpt_side_event *sides = page->table->sides;
	FILE *out = page->out;

	if (page->table->side_nr <= 2)
		return;
	fputs("# Data files:\n", out);
	for (size_t s = 0; s < page->table->side_nr; s++)
		fprintf(out, "#  [%zu] %s %s\n", s,
			sides[s].side->runs[0]->path, s ? "" : "(Baseline)");
	fputs("#\n", out);
}

void rpt_diff_print_table(const struct rpt_diff_args *args,
			  const struct rpt_diff_table *table,
			  struct rpt_text *text, FILE *out)
{
	struct page page = {
		.args = args, .table = table, .text = text, .out = out
	};

	page.columns = rpt_diff_columns_new(args, table, &page.nr);
	page.look = rpt_look_of(&args->report.out.look, !args->report.out.path);
	fit(&page);
	if (page.look.width && !args->separator)
		fit_terminal(&page);
	if (!args->is_quiet) {
		fprintf(out, "# Event '%s'\n#\n", table->event_name);
		print_files(&page);
		if (table->conf.intervals) {
			diff_print_events(table, out);
			rpt_diff_print_totals(table, out);
		}
		print_columns(&page);
	}
	for (size_t r = 0; r < table->shown_nr; r++)
		print_row(&page, table->order[r]);
	free(page.columns);
}
