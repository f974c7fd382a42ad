#include "report/page/page_code.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/page/page_data.h"
#include "report/page/page_names.h"
#include "report/symbols/source_line.h"

#include <stdlib.h>
#include <string.h>

/* The files of the source of a page's instructions, and their lines, if these
 * are asked for. */

/* Lines shown before and behind one that has instructions. */
#define AROUND_NR 3u

/* Bytes of a line that are kept, at most. */
#define LINE_LEN_MAX 1000u

/* Return the number of a text, as it is safe to print. */
static uint32_t text_number(struct rpt_page_code *code, const char *text,
			    size_t len)
{
	char *safe = rpt_alloc_safe(text, len, SUP_SAFE_NAME);
	uint32_t number =
		(uint32_t)rpt_intern(&code->texts, safe, strlen(safe));

	free(safe);
	return number;
}

/* Return the number of a file.  part, dso: where a function of it was found. A
 * file that programs of several users name is several: not each of them may
 * read it (source_line.h). */
static uint32_t page_source_file(struct rpt_page_code *code, const char *path,
				 struct rpt_dso *dso, uint32_t part)
{
	const uid_t user = rpt_dso_source_user(dso);
	const size_t len = strlen(path) + 1; /* the user is behind the NUL */
	uint32_t known_nr = code->paths.nr, idx;
	char *key = rpt_alloc(len + sizeof(user));
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	memcpy(key, path, len);
	memcpy(key + len, &user, sizeof(user));
	idx = (uint32_t)rpt_intern(&code->paths, key, len + sizeof(user));
	free(key);
	code->files = rpt_grow(code->files, &code->files_cap, known_nr,
			       sizeof(*code->files));
	if (idx == known_nr)
		code->files[idx] = (struct rpt_page_file){
			dso, part, text_number(code, name, strlen(name))
		};
	return idx;
}

static void want_line(struct rpt_page_code *code, uint32_t file, uint32_t line,
		      uint32_t listing)
{
	code->lines = rpt_grow(code->lines, &code->line_cap, code->line_nr,
			       sizeof(*code->lines));
	code->lines[code->line_nr++] = (struct rpt_page_source_line){
		.file = file, .line = line, .listing = listing
	};
}

static void want_lines(struct rpt_page_code *code, uint32_t listing)
{
	const struct rpt_page_listing *l = &code->listings[listing];

	for (uint32_t i = 0; i < l->row_nr; i++) {
		const struct rpt_page_row *row = &code->rows[l->row_start + i];
		uint32_t first =
			row->line > AROUND_NR ? row->line - AROUND_NR : 1;

		if (!row->file || row->line > INT32_MAX - AROUND_NR ||
		    (i && row[-1].file == row->file &&
		     row[-1].line == row->line))
			continue;
		for (uint32_t k = first; k <= row->line + AROUND_NR; k++)
			want_line(code, row->file - 1, k, listing);
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct rpt_page_source_line *x = a, *y = b;
	int order = rpt_compare_u64(x->file, y->file);

	if (!order)
		order = rpt_compare_u64(x->line, y->line);
	return order ? order : rpt_compare_u64(x->listing, y->listing);
}

static bool find_text(struct rpt_page_code *code,
		      const struct rpt_page_part *parts,
		      struct rpt_page_source_line *line)
{
	const struct rpt_page_file *file = &code->files[line->file];
	struct pd_str text;
	char *safe;

	if (!rpt_annotator_source(parts[file->part].annotator, file->dso,
				  rpt_intern_key(&code->paths, line->file),
				  line->line, &text))
		return false;
	line->len = text.len < LINE_LEN_MAX ? text.len : LINE_LEN_MAX;
	safe = rpt_alloc_safe(text.ptr, line->len, SUP_SAFE_LINE);
	line->len = strlen(safe);
	line->text = rpt_arena_copy(&code->source_texts, safe, line->len);
	free(safe);
	return true;
}

/* Find the texts of the lines of all rows, and of those around them. */
static void page_source_find(struct rpt_page_code *code,
			     const struct rpt_page_part *parts)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < code->listing_nr; i++)
		want_lines(code, i);
	if (code->line_nr)
		qsort(code->lines, code->line_nr, sizeof(*code->lines),
		      compare_lines);
	for (uint32_t i = 0; i < code->line_nr; i++) {
		struct rpt_page_source_line line = code->lines[i];

		if (nr && code->lines[nr - 1].file == line.file &&
		    code->lines[nr - 1].line == line.line)
			continue;
		if (find_text(code, parts, &line))
			code->lines[nr++] = line;
	}
	code->line_nr = nr;
}

/* Finds the function of a page that an instruction calls. */

struct page_callees {
	const struct rpt_page_names *names;
	uint32_t *first; /* by text: a function + 1 of that name; owned */
	uint32_t *next;	 /* by function: another + 1; owned */
};

#define PLT "@plt"

static const struct rpt_page_function *
function_at(const struct rpt_page_names *names, uint32_t function)
{
	return rpt_intern_key(&names->functions, function);
}

/* names is borrowed and stays as it is. */
static void page_callees_init(struct page_callees *callees,
			      const struct rpt_page_names *names)
{
	*callees = (struct page_callees){
		.names = names,
		.first = rpt_alloc_zeroed(names->texts.nr + (size_t)1,
					  sizeof(uint32_t)),
		.next = rpt_alloc_zeroed(names->functions.nr + (size_t)1,
					 sizeof(uint32_t)),
	};
	for (uint32_t i = 1; i < names->functions.nr; i++) {
		const struct rpt_page_function *f = function_at(names, i);

		if (f->kind == RPT_PAGE_INLINED || f->kind > RPT_PAGE_GUEST)
			continue;
		callees->next[i] = callees->first[f->name];
		callees->first[f->name] = i + 1;
	}
}

static void page_callees_release(struct page_callees *callees)
{
	free(callees->first);
	free(callees->next);
}

/* Return the function + 1 of that name; of several, that of the file dso. */
static uint32_t find(const struct page_callees *callees, const char *name,
		     size_t len, uint32_t dso)
{
	int64_t text = rpt_intern_find(&callees->names->texts, name, len);
	uint32_t found = text < 0 ? 0 : callees->first[text];

	for (uint32_t at = found; at; at = callees->next[at - 1])
		if (function_at(callees->names, at - 1)->dso == dso)
			return at;
	return found;
}

/* Return the function + 1 whose name an instruction of caller has, as
 * "memcpy@plt"; of several, that in the caller's file.  0: there is none. */
static uint32_t page_callees_find(const struct page_callees *callees,
				  const char *name, uint32_t caller)
{
	uint32_t dso = function_at(callees->names, caller)->dso;
	size_t len = strlen(name), plt_len = strlen(PLT);
	uint32_t found = find(callees, name, len, dso);

	if (!found && len > plt_len && !strcmp(name + len - plt_len, PLT))
		found = find(callees, name, len - plt_len, dso);
	return found;
}

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
	struct page_callees callees;
	struct candidate *candidates;
	uint32_t candidate_nr, candidate_cap;
	struct piece *pieces; /* of the function that is at work */
	uint32_t piece_nr, piece_cap;
};

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
		row.callee = page_callees_find(
			&m->callees, rpt_annotation_text(a, from->callee_off),
			listing->function);
	if (from->line) {
		row.line = from->line;
		row.file = page_source_file(code, a->files[from->file],
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
	page_callees_init(&m.callees, names);
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
		page_source_find(code, parts);
	page_callees_release(&m.callees);
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

/* The parts of the code that are put, and their numbers in the page. */
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
