#include "report/carry/found_sources.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/symbols/carried_texts.h"
#include "report/elf/source_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A line that was hit. */
struct spot {
	const char *path;
	uint32_t file; /* its number in the lines */
	uint32_t line;
};

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int rc = x->file == y->file ? 0 : strcmp(x->path, y->path);

	return rc ? rc : rpt_compare_u64(x->line, y->line);
}

static void add_spot(struct spot *spots, size_t *nr,
		     const struct pd_carried_lines *lines, uint32_t file,
		     uint32_t line)
{
	if (file && line && line < INT_MAX - RPT_SOURCE_AROUND)
		spots[(*nr)++] =
			(struct spot){ lines->texts[file].ptr, file, line };
}

/* Return each line once, by path and line; the caller frees them. */
static struct spot *spots_of(const struct pd_carried_lines *lines,
			     size_t *ret_nr)
{
	size_t max = (size_t)lines->place_nr + lines->function_nr, all_nr = 0,
	       nr = 0;
	struct spot *spots = rpt_alloc_zeroed(max + 1, sizeof(*spots));

	for (uint32_t i = 0; i < lines->place_nr; i++)
		add_spot(spots, &all_nr, lines, lines->places[i].file,
			 lines->places[i].line);
	for (uint32_t i = 0; i < lines->function_nr; i++)
		add_spot(spots, &all_nr, lines, lines->functions[i].call_file,
			 lines->functions[i].call_line);
	qsort(spots, all_nr, sizeof(*spots), compare_spots);
	for (size_t i = 0; i < all_nr; i++)
		if (!nr || compare_spots(&spots[nr - 1], &spots[i]))
			spots[nr++] = spots[i];
	*ret_nr = nr;
	return spots;
}

/* Source text of this machine and of the recording. */
struct texts {
	const struct rpt_symbols *symbols;
	struct rpt_source_texts files;
};

static bool find_line(struct texts *texts, const char *path, uint32_t line,
		      struct pd_str *ret)
{
	return (rpt_symbols_carried_source(texts->symbols, path, (int)line,
					   ret) ||
		rpt_source_file_line(&texts->files, path, (int)line, ret)) &&
	       ret->len <= RPT_SOURCE_LINE_LEN_MAX &&
	       !memchr(ret->ptr, 0, ret->len);
}

/* End the run that is being made. */
static void end_run(struct rpt_found_sources *found, const char *path,
		    uint32_t line, uint32_t line_nr)
{
	struct pd_carried_sources *sources = &found->sources;

	if (!line_nr || pd_buf_status(&found->text))
		return;
	sources->runs = rpt_grow(sources->runs, &found->run_cap,
				 sources->run_nr, sizeof(*sources->runs));
	sources->runs[sources->run_nr++] = (struct pd_carried_lines_run){
		.path = { path, strlen(path) },
		.line = line,
		.line_nr = line_nr,
		.text = { rpt_arena_copy(&found->texts, found->text.data,
					 found->text.len),
			  found->text.len },
	};
	found->len += found->text.len;
	pd_buf_reset(&found->text);
}

/* Add the lines first to last of a file.  Return the line behind the last that
 * there is. */
static void take(struct rpt_found_sources *found, struct texts *texts,
		 const char *path, uint32_t first, uint32_t last)
{
	uint32_t start = first, nr = 0;
	struct pd_str line;

	for (uint32_t i = first; i <= last; i++) {
		if (found->len + found->text.len < RPT_SOURCE_ALL_LEN_MAX &&
		    find_line(texts, path, i, &line)) {
			pd_buf_bytes(&found->text, line.ptr, line.len);
			pd_buf_u8(&found->text, '\n');
			nr++;
			continue;
		}
		end_run(found, path, start, nr);
		start = i + 1;
		nr = 0;
	}
	end_run(found, path, start, nr);
}

static uint32_t first_of(uint32_t line)
{
	return line > RPT_SOURCE_AROUND ? line - RPT_SOURCE_AROUND : 1;
}

/* Take the text around the spots of one file; windows that meet are one. */
static void take_file(struct rpt_found_sources *found, struct texts *texts,
		      const struct spot *spots, size_t nr,
		      struct rpt_carry_result *result)
{
	uint32_t first = first_of(spots[0].line);
	const char *path = spots[0].path;
	uint64_t found_nr = 0;
	struct pd_str line;

	for (size_t i = 0; i < nr; i++) {
		uint32_t last = spots[i].line + RPT_SOURCE_AROUND;

		found_nr += find_line(texts, path, spots[i].line, &line);
		if (i + 1 < nr && first_of(spots[i + 1].line) <= last + 1)
			continue;
		take(found, texts, path, first, last);
		if (i + 1 < nr)
			first = first_of(spots[i + 1].line);
	}
	rpt_carry_count_add(&result->sources, found_nr, nr, path);
}

void rpt_found_sources_find(struct rpt_found_sources *found,
			    const struct rpt_symbols *symbols,
			    const struct pd_carried_lines *lines,
			    struct rpt_carry_result *result)
{
	struct texts texts = { .symbols = symbols };
	size_t nr, start = 0;
	struct spot *spots = spots_of(lines, &nr);

	memset(found, 0, sizeof(*found));
	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && spots[i].file == spots[start].file)
			continue;
		take_file(found, &texts, &spots[start], i - start, result);
		start = i;
	}
	rpt_source_texts_release(&texts.files);
	free(spots);
}

void rpt_found_sources_release(struct rpt_found_sources *found)
{
	free(found->sources.runs);
	pd_buf_release(&found->text);
	rpt_arena_release(&found->texts);
	memset(found, 0, sizeof(*found));
}
