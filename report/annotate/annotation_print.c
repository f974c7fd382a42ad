#include "report/annotate/annotation_print.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/symbols/dso_class.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Lines of source text before one that was not shown yet, as objdump has them.
 */
enum { LINES_BEFORE = 5, BYTES_PER_ROW = 7 };

/* Shares that a summary shows, and colours; as in perf. */
#define SHOWN_PCT 0.5
#define HOT_PCT	  5.0

struct printer {
	FILE *out;
	const struct rpt_annotation_style *style;
	const struct rpt_annotation_columns *columns;
	struct rpt_annotator *annotator;
	const struct rpt_code_hits *hits;
	const struct rpt_annotation *code;
	struct rpt_hit_count *sums; /* by column: what is 100 % */
	uint64_t sample_nr;	    /* of the function, of the first column */
	uint32_t *shown;	    /* by file: the last line that was shown */
	uint32_t last_file, last_line;
	uint32_t last_inlined;
};

static uint64_t weight_of(const struct printer *p, struct rpt_hit_count count)
{
	return p->style->percent.is_by_nr ? count.nr : count.period;
}

static double percent(const struct printer *p, uint32_t column, uint32_t row)
{
	struct rpt_hit_count count =
		rpt_annotation_count(p->code, row, p->columns->events[column]);
	uint64_t sum = weight_of(p, p->sums[column]);

	return sum ? 100.0 * (double)weight_of(p, count) / (double)sum : 0;
}

static int column_width(const struct printer *p)
{
	return p->style->value == RPT_ROW_PERIOD ? 12 : 8;
}

static const char *colour_of(const struct printer *p, double pct)
{
	if (!p->style->is_coloured || pct < SHOWN_PCT)
		return "";
	return pct >= HOT_PCT ? "\033[31m" : "\033[32m";
}

static void print_percent(const struct printer *p, double pct)
{
	const char *colour = colour_of(p, pct);

	fprintf(p->out, "%s%8.2f%s", colour, pct, *colour ? "\033[m" : "");
}

/* Return the largest share of a row. */
static double top_percent(const struct printer *p, uint32_t row)
{
	double top = 0;

	for (uint32_t i = 0; i < p->columns->nr; i++) {
		double pct = percent(p, i, row);

		top = pct > top ? pct : top;
	}
	return top;
}

static const char *name_of(const struct printer *p, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !p->style->full_paths ? slash + 1 : path;
}

static void print_title(const struct printer *p)
{
	static const char *const words[] = { "Percent", "Samples", "Period" };
	const struct rpt_code_function *f = &p->code->function;
	char *text = NULL, name[PATH_MAX];
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	fprintf(out, " %-*s|\tSource code & Disassembly of ",
		column_width(p) * (int)p->columns->nr, words[p->style->value]);
	sup_put_safe_text(
		out, p->style->full_paths
			     ? rpt_dso_name(f->dso)
			     : rpt_dso_short_name(f->dso, name, sizeof(name)));
	fputs(" for ", out);
	sup_put_safe_text(out, p->columns->event_name);
	fprintf(out, " (%" PRIu64 " samples, percent: %s %s)", p->sample_nr,
		p->style->percent.is_global ? "global" : "local",
		p->style->percent.is_by_nr ? "hits" : "period");
	if (fclose(out) == 0) {
		fprintf(p->out, "%s\n", text);
		for (size_t i = 0; i < len; i++)
			fputc('-', p->out);
		fputc('\n', p->out);
	}
	free(text);
}

/* A row while those of a line are added up. */
struct line_share {
	uint32_t file, line;
	uint32_t row; /* the first one */
	double *pcts; /* by column; in one array */
};

static int compare_lines(const void *a, const void *b)
{
	const struct line_share *x = a, *y = b;
	int rc = rpt_compare_u64(x->file, y->file);

	return rc ? rc : rpt_compare_u64(x->line, y->line);
}

static int compare_shares(const void *a, const void *b)
{
	const struct line_share *x = a, *y = b;

	if (x->pcts[0] != y->pcts[0])
		return x->pcts[0] < y->pcts[0] ? 1 : -1;
	return rpt_compare_u64(x->row, y->row);
}

/* Fill lines with one for each source line that has samples; return how many.
 */
static uint32_t add_lines(const struct printer *p, struct line_share *lines,
			  double *pcts)
{
	uint32_t row_nr = 0, nr = 0, column_nr = p->columns->nr;

	for (uint32_t i = 0; i < p->code->row_nr; i++) {
		const struct rpt_code_row *row = &p->code->rows[i];

		if (!row->line || !row->hit_nr)
			continue;
		lines[row_nr] =
			(struct line_share){ row->file, row->line, i,
					     pcts + row_nr * column_nr };
		for (uint32_t c = 0; c < column_nr; c++)
			lines[row_nr].pcts[c] = percent(p, c, i);
		row_nr++;
	}
	qsort(lines, row_nr, sizeof(*lines), compare_lines);
	for (uint32_t i = 0; i < row_nr; i++) {
		if (!nr || compare_lines(&lines[nr - 1], &lines[i])) {
			lines[nr++] = lines[i];
			continue;
		}
		for (uint32_t c = 0; c < column_nr; c++)
			lines[nr - 1].pcts[c] += lines[i].pcts[c];
	}
	return nr;
}

/* Print the source lines with their shares, the largest first. */
static void print_summary(const struct printer *p)
{
	size_t cap = p->code->hit_nr + (size_t)1;
	struct line_share *lines = rpt_alloc_zeroed(cap, sizeof(*lines));
	double *pcts = rpt_alloc_zeroed(cap * p->columns->nr, sizeof(*pcts));
	uint32_t nr = add_lines(p, lines, pcts);

	if (nr)
		qsort(lines, nr, sizeof(*lines), compare_shares);
	fputs("\nSorted summary for file ", p->out);
	sup_put_safe_text(p->out, rpt_dso_name(p->code->function.dso));
	fputs("\n----------------------------------------------\n\n", p->out);
	for (uint32_t i = 0; i < nr; i++) {
		bool is_shown = false;

		for (uint32_t c = 0; c < p->columns->nr; c++)
			is_shown |= lines[i].pcts[c] >= SHOWN_PCT;
		if (!is_shown)
			continue;
		for (uint32_t c = 0; c < p->columns->nr; c++)
			print_percent(p, lines[i].pcts[c]);
		fputc(' ', p->out);
		sup_put_safe_text(p->out,
				  name_of(p, p->code->files[lines[i].file]));
		fprintf(p->out, ":%" PRIu32 "\n", lines[i].line);
	}
	free(lines);
	free(pcts);
}

/* Begin a line that is no instruction. */
static void print_margin(const struct printer *p)
{
	fprintf(p->out, " %*s:", column_width(p) * (int)p->columns->nr, "");
}

static void print_head(const struct printer *p)
{
	const struct rpt_code_function *f = &p->code->function;

	for (int i = 0; i < 3; i++) {
		print_margin(p);
		fputc('\n', p->out);
	}
	print_margin(p);
	fprintf(p->out, "      %016" PRIx64 " <", p->code->start);
	sup_put_safe_text(p->out, f->sym->name);
	fputs(">:\n", p->out);
}

/* Print source text, its tabs as blanks. */
static void print_text(const struct printer *p, struct pd_str text)
{
	size_t column = 0;

	while (text.len) {
		const char *tab = memchr(text.ptr, '\t', text.len);
		size_t len = tab ? (size_t)(tab - text.ptr) : text.len;

		sup_put_safe(p->out, (struct pd_str){ text.ptr, len });
		column += len;
		if (tab)
			do
				fputc(' ', p->out);
			while (++column % 8);
		len += tab ? 1 : 0;
		text = (struct pd_str){ text.ptr + len, text.len - len };
	}
}

static bool print_line(const struct printer *p, const char *path, uint32_t line)
{
	struct pd_str text;

	if (!rpt_annotator_source(p->annotator, p->code->function.dso, path,
				  line, &text))
		return false;
	print_margin(p);
	fprintf(p->out, " %-4" PRIu32 " ", line);
	print_text(p, text);
	fputc('\n', p->out);
	return true;
}

/* Print the source of a row if it is not that of the row before: the line, and
 * before it those that no row has shown yet. */
static void print_source(struct printer *p, const struct rpt_code_row *row)
{
	const char *path;
	uint32_t from = row->line;

	if (!row->line ||
	    (p->last_file == row->file && p->last_line == row->line))
		return;
	p->last_file = row->file;
	p->last_line = row->line;
	path = p->code->files[row->file];
	if (p->shown[row->file] < row->line) {
		from = row->line > LINES_BEFORE ? row->line - LINES_BEFORE : 1;
		if (from <= p->shown[row->file])
			from = p->shown[row->file] + 1;
		p->shown[row->file] = row->line;
	}
	for (; from < row->line; from++)
		print_line(p, path, from);
	if (print_line(p, path, row->line))
		return;
	print_margin(p);
	fprintf(p->out, " %-4" PRIu32 " ", row->line);
	sup_put_safe_text(p->out, path);
	fprintf(p->out, ":%" PRIu32 "\n", row->line);
}

/* Say which function the next rows are of. */
static void print_function(struct printer *p, const struct rpt_code_row *row)
{
	if (row->inlined_off == p->last_inlined)
		return;
	p->last_inlined = row->inlined_off;
	print_margin(p);
	fputs("      ", p->out);
	sup_put_safe_text(
		p->out, row->inlined_off
				? rpt_annotation_text(p->code, row->inlined_off)
				: p->code->function.sym->name);
	fputs("():\n", p->out);
}

static void print_value(const struct printer *p, uint32_t column, uint32_t row)
{
	struct rpt_hit_count count =
		rpt_annotation_count(p->code, row, p->columns->events[column]);
	const char *colour = colour_of(p, percent(p, column, row));

	if (p->style->value == RPT_ROW_PERCENT) {
		print_percent(p, percent(p, column, row));
		return;
	}
	fprintf(p->out, "%s%*" PRIu64 "%s", colour, column_width(p),
		p->style->value == RPT_ROW_SAMPLES ? count.nr : count.period,
		*colour ? "\033[m" : "");
}

/* Print the values of a row without samples. */
static void print_zeros(const struct printer *p)
{
	for (uint32_t i = 0; i < p->columns->nr; i++)
		fprintf(p->out, "%*s", column_width(p),
			p->style->value == RPT_ROW_PERCENT ? "0.00" : "0");
}

/* Print " :   1213:   ", the text of the row begins in a column that is a
 * multiple of 8. */
static void print_addr(const struct printer *p, uint64_t addr)
{
	int len = fprintf(p->out, " :   %" PRIx64 ":", addr) - 5;

	fprintf(p->out, "%*s", 8 - len % 8, "");
}

static void print_bytes(const struct printer *p, const struct rpt_code_row *row,
			uint32_t from)
{
	uint32_t to = from + BYTES_PER_ROW < row->len ? from + BYTES_PER_ROW
						      : row->len;

	for (uint32_t i = from; i < to; i++)
		fprintf(p->out, "%02x%s", p->code->bytes[row->off + i],
			i + 1 < to ? " " : "");
	if (!from)
		fprintf(p->out, "%*s", 25 - 3 * (int)(to - from), "");
}

static void print_row(const struct printer *p, uint32_t idx)
{
	const struct rpt_code_row *row = &p->code->rows[idx];

	for (uint32_t i = 0; i < p->columns->nr; i++)
		print_value(p, i, idx);
	print_addr(p, p->code->start + row->off);
	if (p->style->with_bytes)
		print_bytes(p, row, 0);
	sup_put_safe_text(p->out, rpt_annotation_text(p->code, row->text_off));
	if (p->style->with_summary && row->line &&
	    top_percent(p, idx) >= SHOWN_PCT) {
		fputs(" // ", p->out);
		sup_put_safe_text(p->out,
				  name_of(p, p->code->files[row->file]));
		fprintf(p->out, ":%" PRIu32, row->line);
	}
	fputc('\n', p->out);
}

/* Print the bytes of a long instruction that did not fit in its row. */
static void print_more_bytes(const struct printer *p, uint32_t idx)
{
	const struct rpt_code_row *row = &p->code->rows[idx];

	for (uint32_t i = BYTES_PER_ROW; i < row->len; i += BYTES_PER_ROW) {
		print_zeros(p);
		print_addr(p, p->code->start + row->off + i);
		print_bytes(p, row, i);
		fputc('\n', p->out);
	}
}

static void print_rows(struct printer *p)
{
	p->last_file = UINT32_MAX;
	p->last_inlined = UINT32_MAX;
	for (uint32_t i = 0; i < p->code->row_nr; i++) {
		const struct rpt_code_row *row = &p->code->rows[i];

		print_function(p, row);
		if (p->style->with_source)
			print_source(p, row);
		print_row(p, i);
		if (p->style->with_bytes)
			print_more_bytes(p, i);
	}
	if (!p->code->is_cut)
		return;
	print_margin(p);
	fprintf(p->out,
		"      ... the function is longer: %" PRIu64
		" samples lie behind\n",
		p->code->outside_nr);
}

void rpt_annotation_print(FILE *out,
			  const struct rpt_annotation_columns *columns,
			  struct rpt_annotator *annotator,
			  const struct rpt_code_hits *hits, uint32_t function,
			  const struct rpt_annotation *code)
{
	struct printer p = {
		.out = out,
		.style = columns->style,
		.columns = columns,
		.annotator = annotator,
		.hits = hits,
		.code = code,
		.sums = rpt_alloc_zeroed(columns->nr + (size_t)1,
					 sizeof(*p.sums)),
		.shown = rpt_alloc_zeroed(code->file_nr + (size_t)1,
					  sizeof(*p.shown)),
	};

	for (uint32_t i = 0; i < columns->nr; i++) {
		uint32_t event = columns->events[i];
		struct rpt_hit_count own =
			rpt_code_hits_of(hits, function, event);

		p.sample_nr = i ? p.sample_nr : own.nr;
		p.sums[i] = columns->style->percent.is_global
				    ? hits->totals[event]
				    : own;
	}
	if (columns->style->with_summary)
		print_summary(&p);
	print_title(&p);
	print_head(&p);
	print_rows(&p);
	free(p.sums);
	free(p.shown);
}
