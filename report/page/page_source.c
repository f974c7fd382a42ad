#include "report/page/page_source.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Lines shown before and behind one that has instructions. */
#define AROUND_NR 3u

/* Bytes of a line that are kept, at most. */
#define LINE_LEN_MAX 1000u

uint32_t rpt_page_source_file(struct rpt_page_code *code, const char *path,
			      struct rpt_dso *dso, uint32_t part)
{
	uint32_t known_nr = code->paths.nr;
	uint32_t idx = (uint32_t)rpt_intern(&code->paths, path, strlen(path));
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	code->files = rpt_grow(code->files, &code->files_cap, known_nr,
			       sizeof(*code->files));
	if (idx == known_nr)
		code->files[idx] = (struct rpt_page_file){
			dso, part,
			(uint32_t)rpt_intern(&code->texts, name, strlen(name))
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

	if (!rpt_annotator_source(parts[file->part].annotator, file->dso,
				  rpt_intern_key(&code->paths, line->file),
				  line->line, &text))
		return false;
	line->len = text.len < LINE_LEN_MAX ? text.len : LINE_LEN_MAX;
	line->text = rpt_arena_copy(&code->source_texts, text.ptr, line->len);
	return true;
}

void rpt_page_source_find(struct rpt_page_code *code,
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
