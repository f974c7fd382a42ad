#include "report/page/page_code.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/page/page_callees.h"
#include "report/page/page_source.h"

#include <stdlib.h>
#include <string.h>

/* Rows of all functions, at most: more than fit into a page. */
#define ROWS_MAX 100000u

/* A function of at most so many rows is kept whole; of a longer one, so many
 * rows around each that has samples. */
#define WHOLE_NR 300u
#define NEAR_NR	 40u

#define NO_CODE "no code: "

/* A symbol of a recording that may get instructions. */
struct candidate {
	uint32_t function; /* in rpt_page_names */
	uint32_t part;
	uint32_t idx; /* in the part's hits */
	double share; /* of the function, in the event where it is largest */
	uint64_t start;
};

/* The rows of one symbol, with the samples of all recordings. */
struct piece {
	struct rpt_annotation annotation;
	struct rpt_hit_count *counts; /* by row, then event; owned */
	uint32_t part;
};

struct maker {
	struct rpt_page_code *code;
	const struct rpt_page_names *names;
	const struct rpt_page_part *parts;
	uint32_t part_nr;
	struct rpt_page_callees callees;
	struct candidate *candidates;
	uint32_t candidate_nr, candidate_cap;
	struct piece *pieces; /* of the function that is at work */
	uint32_t piece_nr, piece_cap;
};

static uint32_t text_number(struct rpt_page_code *code, const char *text,
			    size_t len)
{
	return (uint32_t)rpt_intern(&code->texts, text, len);
}

static void find_candidates(struct maker *m)
{
	for (uint32_t p = 0; p < m->part_nr; p++) {
		const struct rpt_page_hits *hits = m->parts[p].hits;

		for (uint32_t i = 0; i < hits->hits.function_nr; i++) {
			struct candidate c = {
				.part = p,
				.idx = i,
				.start = hits->hits.functions[i].sym->start,
			};

			if (!rpt_page_hits_function(hits, i, &c.function))
				continue;
			m->candidates = rpt_grow(
				m->candidates, &m->candidate_cap,
				m->candidate_nr, sizeof(*m->candidates));
			m->candidates[m->candidate_nr++] = c;
		}
	}
}

/* Set the shares of one event, unless those of another are larger. */
static void set_shares(struct maker *m, uint32_t event, uint64_t *periods)
{
	uint64_t total = 0;

	memset(periods, 0, m->names->functions.nr * sizeof(*periods));
	for (uint32_t p = 0; p < m->part_nr; p++)
		total += m->parts[p].hits->hits.totals[event].period;
	for (uint32_t i = 0; i < m->candidate_nr; i++) {
		const struct candidate *c = &m->candidates[i];

		periods[c->function] +=
			rpt_code_hits_of(&m->parts[c->part].hits->hits, c->idx,
					 event)
				.period;
	}
	for (uint32_t i = 0; i < m->candidate_nr && total; i++) {
		struct candidate *c = &m->candidates[i];
		double share = (double)periods[c->function] / (double)total;

		if (share > c->share)
			c->share = share;
	}
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = (x->share < y->share) - (x->share > y->share);

	if (!order)
		order = rpt_compare_u64(x->function, y->function);
	if (!order)
		order = rpt_compare_u64(x->start, y->start);
	return order ? order : rpt_compare_u64(x->part, y->part);
}

static void sort_candidates(struct maker *m)
{
	uint64_t *periods =
		rpt_alloc_zeroed(m->names->functions.nr, sizeof(*periods));

	for (uint32_t e = 0; e < m->code->event_nr; e++)
		set_shares(m, e, periods);
	free(periods);
	if (m->candidate_nr)
		qsort(m->candidates, m->candidate_nr, sizeof(*m->candidates),
		      compare_candidates);
}

static void add_problem(struct rpt_page_code *code, uint32_t function,
			const char *text)
{
	code->problems = rpt_grow(code->problems, &code->problem_cap,
				  code->problem_nr, sizeof(*code->problems));
	code->problems[code->problem_nr++] = (struct rpt_page_problem){
		function, text_number(code, text, strlen(text))
	};
}

static void add_counts(const struct maker *m, struct piece *piece,
		       const struct rpt_annotation *annotation)
{
	uint32_t event_nr = m->code->event_nr;

	for (uint32_t r = 0; r < annotation->row_nr; r++)
		for (uint32_t e = 0; e < event_nr; e++) {
			struct rpt_hit_count count =
				rpt_annotation_count(annotation, r, e);
			struct rpt_hit_count *sum =
				&piece->counts[(size_t)r * event_nr + e];

			sum->nr += count.nr;
			sum->period += count.period;
		}
}

/* Return the piece that is the same code of another recording, or NULL. */
static struct piece *find_piece(const struct maker *m,
				const struct rpt_annotation *annotation,
				uint32_t part)
{
	for (uint32_t i = 0; i < m->piece_nr; i++) {
		const struct rpt_annotation *a = &m->pieces[i].annotation;

		if (m->pieces[i].part != part &&
		    a->start == annotation->start &&
		    a->len == annotation->len &&
		    !memcmp(a->bytes, annotation->bytes, a->len))
			return &m->pieces[i];
	}
	return NULL;
}

static void add_piece(struct maker *m, struct rpt_annotation *annotation,
		      uint32_t part)
{
	struct piece *piece = find_piece(m, annotation, part);

	if (piece) {
		add_counts(m, piece, annotation);
		rpt_annotation_release(annotation);
		return;
	}
	m->pieces = rpt_grow(m->pieces, &m->piece_cap, m->piece_nr,
			     sizeof(*m->pieces));
	piece = &m->pieces[m->piece_nr++];
	*piece = (struct piece){
		.annotation = *annotation,
		.counts = rpt_alloc_zeroed(
			(size_t)annotation->row_nr * m->code->event_nr + 1,
			sizeof(*piece->counts)),
		.part = part,
	};
	add_counts(m, piece, annotation);
}

static void release_pieces(struct maker *m)
{
	for (uint32_t i = 0; i < m->piece_nr; i++) {
		rpt_annotation_release(&m->pieces[i].annotation);
		free(m->pieces[i].counts);
	}
	m->piece_nr = 0;
}

static bool has_samples(const struct maker *m, const struct piece *piece,
			uint32_t row)
{
	for (uint32_t e = 0; e < m->code->event_nr; e++)
		if (piece->counts[(size_t)row * m->code->event_nr + e].nr)
			return true;
	return false;
}

/* Return by row which number it has in the listing, RPT_NO_ROW for what is left
 * out; next is the first number. */
static uint32_t *number_rows(const struct maker *m, const struct piece *piece,
			     uint32_t next)
{
	uint32_t nr = piece->annotation.row_nr, kept_to = 0;
	uint32_t *numbers = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*numbers));

	for (uint32_t r = 0; r < nr; r++)
		numbers[r] = nr <= WHOLE_NR ? r : RPT_NO_ROW;
	for (uint32_t r = 0; r < nr && nr > WHOLE_NR; r++) {
		if (!has_samples(m, piece, r))
			continue;
		for (uint32_t k = r > kept_to + NEAR_NR ? r - NEAR_NR : kept_to;
		     k < nr && k <= r + NEAR_NR; k++)
			numbers[k] = k;
		kept_to = r;
	}
	for (uint32_t r = 0; r < nr; r++)
		if (numbers[r] != RPT_NO_ROW)
			numbers[r] = next++;
	return numbers;
}

/* Return the length of an instruction's text without the address that it goes
 * to: "jne    1146 <main+0x6>". */
static size_t brief_len(const char *text)
{
	const char *name = strstr(text, " <");
	size_t len = name ? (size_t)(name - text) : strlen(text);

	while (len && text[len - 1] != ' ')
		len--;
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

static void add_row(struct maker *m, const struct piece *piece, uint32_t r,
		    const uint32_t *numbers,
		    const struct rpt_page_listing *listing)
{
	struct rpt_page_code *code = m->code;
	const struct rpt_annotation *a = &piece->annotation;
	const struct rpt_code_row *from = &a->rows[r];
	const char *text = rpt_annotation_text(a, from->text_off);
	struct rpt_page_row row = {
		.addr = a->start + from->off,
		.skipped_nr = listing->behind_nr,
		.text = text_number(code, text, strlen(text)),
		.brief = text_number(code, text, brief_len(text)),
	};
	struct rpt_hit_count *counts;

	if (from->target != RPT_NO_ROW && numbers[from->target] != RPT_NO_ROW)
		row.target = numbers[from->target] + 1;
	else if (from->callee_off)
		row.callee = rpt_page_callees_find(
			&m->callees, rpt_annotation_text(a, from->callee_off),
			listing->function);
	if (from->line) {
		row.line = from->line;
		row.file = rpt_page_source_file(code, a->files[from->file],
						a->function.dso, piece->part) +
			   1;
	}
	code->rows = rpt_grow(code->rows, &code->row_cap, code->row_nr,
			      sizeof(*code->rows));
	for (uint32_t e = 0; e < code->event_nr; e++) {
		uint32_t at = code->row_nr * code->event_nr + e;

		code->counts = counts = rpt_grow(
			code->counts, &code->counts_cap, at, sizeof(*counts));
		counts[at] = piece->counts[(size_t)r * code->event_nr + e];
	}
	code->rows[code->row_nr++] = row;
}

/* Put the rows of all pieces into a listing of a function. */
static void add_listing(struct maker *m, uint32_t function)
{
	struct rpt_page_code *code = m->code;
	struct rpt_page_listing listing = { .function = function,
					    .row_start = code->row_nr };

	for (uint32_t i = 0; i < m->piece_nr; i++) {
		const struct piece *piece = &m->pieces[i];
		uint32_t *numbers =
			number_rows(m, piece, code->row_nr - listing.row_start);

		for (uint32_t r = 0; r < piece->annotation.row_nr; r++) {
			if (numbers[r] == RPT_NO_ROW) {
				listing.behind_nr++;
				continue;
			}
			add_row(m, piece, r, numbers, &listing);
			listing.behind_nr = 0;
		}
		free(numbers);
	}
	listing.row_nr = code->row_nr - listing.row_start;
	if (!listing.row_nr)
		return;
	code->listings = rpt_grow(code->listings, &code->listing_cap,
				  code->listing_nr, sizeof(*code->listings));
	code->listings[code->listing_nr++] = listing;
}

/* Return what an error says behind "no code: ". */
static const char *without_title(const char *text)
{
	size_t len = strlen(NO_CODE);

	return strncmp(text, NO_CODE, len) ? text : text + len;
}

/* List the function of nr candidates, the first of which is first. */
static void list_function(struct maker *m, const struct candidate *first,
			  uint32_t nr)
{
	struct pd_err err = PD_ERR_INIT;

	if (m->code->row_nr >= ROWS_MAX) {
		add_problem(m->code, first->function, "");
		return;
	}
	for (uint32_t i = 0; i < nr; i++) {
		const struct rpt_page_part *part = &m->parts[first[i].part];
		struct rpt_annotation annotation;

		if (rpt_annotate(part->annotator, &part->hits->hits,
				 first[i].idx, &annotation, &err))
			rpt_annotation_release(&annotation);
		else
			add_piece(m, &annotation, first[i].part);
	}
	add_listing(m, first->function);
	if (!m->piece_nr)
		add_problem(m->code, first->function, without_title(err.text));
	release_pieces(m);
}

void rpt_page_code_make(struct rpt_page_code *code,
			const struct rpt_page_names *names,
			const struct rpt_page_part *parts, uint32_t part_nr,
			enum rpt_page_code_kind kind)
{
	struct maker m = {
		.code = code, .names = names, .parts = parts, .part_nr = part_nr
	};
	uint32_t next;

	*code = (struct rpt_page_code){
		.event_nr = parts[0].hits->hits.event_nr,
		.has_source = kind == RPT_PAGE_CODE_SOURCE,
	};
	text_number(code, "", 0);
	rpt_page_callees_init(&m.callees, names);
	find_candidates(&m);
	sort_candidates(&m);
	for (uint32_t i = 0; i < m.candidate_nr; i = next) {
		const struct candidate *c = &m.candidates[i];

		if (c->share * 100 < RPT_PAGE_CODE_LEAST_PCT)
			break;
		for (next = i; next < m.candidate_nr &&
			       m.candidates[next].function == c->function;)
			next++;
		list_function(&m, c, next - i);
	}
	code->shown_nr = code->listing_nr;
	if (code->has_source)
		rpt_page_source_find(code, parts);
	rpt_page_callees_release(&m.callees);
	free(m.candidates);
	free(m.pieces);
}

void rpt_page_code_release(struct rpt_page_code *code)
{
	rpt_intern_release(&code->texts);
	rpt_intern_release(&code->paths);
	rpt_arena_release(&code->source_texts);
	free(code->files);
	free(code->listings);
	free(code->rows);
	free(code->counts);
	free(code->lines);
	free(code->problems);
	*code = (struct rpt_page_code){ 0 };
}
