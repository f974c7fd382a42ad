#include "report/page/page_code_data.h"

#include "report/base/memory.h"
#include "report/page/page_data.h"

#include <stdlib.h>

/* What of the code is put, and the numbers that it has in the page. */
struct put {
	struct pd_buf *b;
	const struct rpt_page_code *code;
	const struct rpt_page_names *names;
	uint32_t *listings; /* in the order of their functions */
	uint32_t listing_nr;
	uint32_t row_nr;      /* of these */
	uint32_t *file_ranks; /* by file: its number + 1; 0: it is not put */
	uint32_t *files;      /* those that are put */
	uint32_t file_nr;
	struct rpt_page_order texts;
};

/* Return the place of a function in the page; 0: it was left out. */
static uint32_t rank_of(const struct rpt_page_names *names, uint32_t function)
{
	return names->is_used[function] ? names->order.ranks[function] : 0;
}

static uint32_t callee_of(const struct put *p, const struct rpt_page_row *row)
{
	return row->callee ? rank_of(p->names, row->callee - 1) : 0;
}

/* Return the text of a row: what it goes to is a number of its own. */
static uint32_t text_of(const struct put *p, const struct rpt_page_row *row)
{
	return row->target || callee_of(p, row) ? row->brief : row->text;
}

static int compare_listings(const void *a, const void *b, void *ctx)
{
	const struct put *p = ctx;
	const struct rpt_page_listing *x =
		&p->code->listings[*(const uint32_t *)a];
	const struct rpt_page_listing *y =
		&p->code->listings[*(const uint32_t *)b];
	uint32_t x_rank = rank_of(p->names, x->function);
	uint32_t y_rank = rank_of(p->names, y->function);

	return (x_rank > y_rank) - (x_rank < y_rank);
}

static void choose_listings(struct put *p)
{
	p->listings = rpt_alloc_zeroed(p->code->shown_nr + (size_t)1,
				       sizeof(*p->listings));
	for (uint32_t i = 0; i < p->code->shown_nr; i++)
		if (rank_of(p->names, p->code->listings[i].function)) {
			p->listings[p->listing_nr++] = i;
			p->row_nr += p->code->listings[i].row_nr;
		}
	qsort_r(p->listings, p->listing_nr, sizeof(*p->listings),
		compare_listings, p);
}

/* Return a row by its place among all that are put.  *at: a listing and the
 * place of its first row, to be kept between calls in ascending order. */
struct place {
	uint32_t listing;
	uint32_t row_start;
};

static const struct rpt_page_row *row_at(const struct put *p, uint32_t idx,
					 struct place *at)
{
	const struct rpt_page_listing *l;

	for (;;) {
		l = &p->code->listings[p->listings[at->listing]];
		if (idx - at->row_start < l->row_nr)
			break;
		at->row_start += l->row_nr;
		at->listing++;
	}
	return &p->code->rows[l->row_start + idx - at->row_start];
}

/* Number the files and texts that the rows have. */
static void choose_texts(struct put *p)
{
	bool *is_used = rpt_alloc_zeroed(p->code->texts.nr, sizeof(*is_used));
	struct place at = { 0 };

	p->file_ranks = rpt_alloc_zeroed(p->code->paths.nr + (size_t)1,
					 sizeof(*p->file_ranks));
	p->files = rpt_alloc_zeroed(p->code->paths.nr + (size_t)1,
				    sizeof(*p->files));
	for (uint32_t i = 0; i < p->row_nr; i++) {
		const struct rpt_page_row *row = row_at(p, i, &at);

		is_used[text_of(p, row)] = true;
		if (!row->file || p->file_ranks[row->file - 1])
			continue;
		is_used[p->code->files[row->file - 1].name] = true;
		p->files[p->file_nr++] = row->file - 1;
		p->file_ranks[row->file - 1] = p->file_nr;
	}
	rpt_page_order_texts(&p->texts, &p->code->texts, is_used);
	free(is_used);
}

enum column {
	SKIPPED,
	STEP,
	TEXT,
	TARGET,
	FILE_NUMBER,
	LINE,
	COLUMN_NR,
};

static uint64_t value_of(const struct put *p, const struct rpt_page_row *row,
			 bool is_first, enum column column)
{
	switch (column) {
	case SKIPPED:
		return row->skipped_nr;
	case STEP:
		return is_first ? 0 : row->addr - row[-1].addr;
	case TEXT:
		return p->texts.ranks[text_of(p, row)];
	case TARGET:
		if (row->target)
			return 2 * (uint64_t)(row->target - 1) + 1;
		return callee_of(p, row) ? 2 * (uint64_t)callee_of(p, row) + 2
					 : 0;
	default:
		return row->file ? p->file_ranks[row->file - 1] : 0;
	}
}

static void put_column(const struct put *p, enum column column)
{
	struct place at = { 0 };

	pd_buf_varint(p->b, p->row_nr);
	for (uint32_t i = 0; i < p->row_nr; i++) {
		const struct rpt_page_row *row = row_at(p, i, &at);
		bool is_first = i == at.row_start;

		if (column == LINE)
			pd_buf_signed(p->b,
				      (uint64_t)row->line -
					      (is_first ? 0 : row[-1].line));
		else
			pd_buf_varint(p->b, value_of(p, row, is_first, column));
	}
}

static void put_listings(const struct put *p)
{
	uint32_t before = UINT32_MAX;

	pd_buf_varint(p->b, p->listing_nr);
	for (uint32_t i = 0; i < p->listing_nr; i++) {
		uint32_t rank = rank_of(
			p->names, p->code->listings[p->listings[i]].function);

		pd_buf_varint(p->b, rank - before - 1);
		before = rank;
	}
	for (unsigned column = 0; column < 3; column++) {
		pd_buf_varint(p->b, p->listing_nr);
		for (uint32_t i = 0; i < p->listing_nr; i++) {
			const struct rpt_page_listing *l =
				&p->code->listings[p->listings[i]];

			pd_buf_varint(
				p->b,
				column == 0 ? l->row_nr
				: column == 1
					? l->behind_nr
					: p->code->rows[l->row_start].addr);
		}
	}
}

static void put_counts(const struct put *p, uint32_t event, bool is_period)
{
	const struct rpt_page_code *code = p->code;
	struct place at = { 0 };

	pd_buf_varint(p->b, p->row_nr);
	for (uint32_t i = 0; i < p->row_nr; i++) {
		size_t row = (size_t)(row_at(p, i, &at) - code->rows);
		const struct rpt_hit_count *count =
			&code->counts[row * code->event_nr + event];

		pd_buf_varint(p->b, is_period ? count->period : count->nr);
	}
}

/* Return whether a line of the source is put. */
static bool is_put(const struct put *p, const struct rpt_page_source_line *line)
{
	return line->listing < p->code->shown_nr && p->file_ranks[line->file];
}

/* Put the lines of the files: how many each has, their numbers, their texts. */
static void put_source(const struct put *p)
{
	const struct rpt_page_code *code = p->code;
	uint32_t *nr = rpt_alloc_zeroed(p->file_nr + (size_t)1, sizeof(*nr));
	uint32_t *starts =
		rpt_alloc_zeroed(code->paths.nr + (size_t)1, sizeof(*starts));
	uint32_t sum = 0;

	for (uint32_t i = code->line_nr; i-- > 0;) {
		starts[code->lines[i].file] = i;
		if (is_put(p, &code->lines[i])) {
			nr[p->file_ranks[code->lines[i].file] - 1]++;
			sum++;
		}
	}
	pd_buf_varint(p->b, p->file_nr);
	for (uint32_t i = 0; i < p->file_nr; i++)
		pd_buf_varint(p->b, nr[i]);
	pd_buf_varint(p->b, sum);
	for (unsigned is_text = 0; is_text < 2; is_text++)
		for (uint32_t i = 0; i < p->file_nr; i++) {
			const struct rpt_page_source_line *line =
				code->lines + starts[p->files[i]];
			uint32_t before = UINT32_MAX;

			for (uint32_t left = nr[i]; left; line++) {
				if (!is_put(p, line))
					continue;
				left--;
				if (!is_text) {
					pd_buf_varint(p->b,
						      line->line - before - 1);
					before = line->line;
					continue;
				}
				pd_buf_varint(p->b, line->len);
				pd_buf_bytes(p->b, line->text, line->len);
			}
		}
	free(nr);
	free(starts);
}

void rpt_page_code_data(struct pd_buf *b, const struct rpt_page_code *code,
			const struct rpt_page_names *names,
			const uint64_t *periods)
{
	struct put p = { .b = b, .code = code, .names = names };

	choose_listings(&p);
	choose_texts(&p);
	rpt_page_data_texts(b, &code->texts, &p.texts);
	pd_buf_varint(b, p.file_nr);
	for (uint32_t i = 0; i < p.file_nr; i++)
		pd_buf_varint(b, p.texts.ranks[code->files[p.files[i]].name]);
	put_listings(&p);
	for (unsigned column = 0; column < COLUMN_NR; column++)
		put_column(&p, column);
	for (uint32_t e = 0; e < code->event_nr; e++) {
		put_counts(&p, e, false);
		if (periods[e])
			pd_buf_varint(b, 0);
		else
			put_counts(&p, e, true);
	}
	if (code->has_source)
		put_source(&p);
	free(p.listings);
	free(p.files);
	free(p.file_ranks);
	rpt_page_order_release(&p.texts);
}

/* Put the functions that did not fit. */
static void put_left_out(struct rpt_json *json,
			 const struct rpt_page_code *code,
			 const struct rpt_page_names *names)
{
	rpt_json_key(json, "left_out");
	rpt_json_open(json, '[');
	for (uint32_t i = code->shown_nr; i < code->listing_nr; i++) {
		uint32_t rank = rank_of(names, code->listings[i].function);

		if (rank)
			rpt_json_u64(json, rank);
	}
	for (uint32_t i = 0; i < code->problem_nr; i++) {
		uint32_t rank = rank_of(names, code->problems[i].function);

		if (rank && !code->problems[i].text)
			rpt_json_u64(json, rank);
	}
	rpt_json_close(json, ']');
}

void rpt_page_code_head(struct rpt_json *json, const struct rpt_page_code *code,
			const struct rpt_page_names *names)
{
	rpt_json_key(json, "code");
	rpt_json_open(json, '{');
	rpt_json_member_number(json, "least_pct", RPT_PAGE_CODE_LEAST_PCT);
	rpt_json_member_bool(json, "source", code->has_source);
	put_left_out(json, code, names);
	rpt_json_key(json, "problems");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < code->problem_nr; i++) {
		const struct rpt_page_problem *problem = &code->problems[i];
		uint32_t rank = rank_of(names, problem->function);

		if (!rank || !problem->text)
			continue;
		rpt_json_open(json, '[');
		rpt_json_u64(json, rank);
		rpt_json_str(json, rpt_intern_key(&code->texts, problem->text));
		rpt_json_close(json, ']');
	}
	rpt_json_close(json, ']');
	rpt_json_close(json, '}');
}
