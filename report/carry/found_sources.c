#include "report/carry/found_sources.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/symbols/source_line.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A line that was hit. */
struct spot {
	const char *path;
	struct rpt_dso *dso; /* whose debug information names it */
	uid_t user;	     /* whose that is */
	uint32_t line;
	bool is_found;
};

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int rc = strcmp(x->path, y->path);

	return rc ? rc : rpt_compare_u64(x->line, y->line);
}

/* The spots of all files. */
struct spots {
	const struct pd_carried_lines *lines;
	struct spot *items; /* owned */
	size_t nr;
};

static void add_spot(struct spots *spots, struct rpt_dso *dso, uint32_t file,
		     uint32_t line)
{
	if (file && line && line < INT_MAX - RPT_SOURCE_AROUND)
		spots->items[spots->nr++] = (struct spot){
			.path = spots->lines->texts[file].ptr,
			.dso = dso,
			.user = rpt_dso_source_user(dso),
			.line = line,
		};
}

static struct rpt_dso *dso_of(const struct rpt_hit_files *hits,
			      uint32_t carried_idx)
{
	for (uint32_t i = 0; i < hits->nr; i++)
		if (hits->files[i].carried_idx == carried_idx)
			return hits->files[i].dso;
	return NULL;
}

static void add_spots(struct spots *spots, struct rpt_dso *dso,
		      const struct pd_carried_lines_file *file)
{
	const struct pd_carried_lines *lines = spots->lines;

	for (uint32_t i = 0; i < file->place_nr; i++) {
		const struct pd_carried_place *place =
			&lines->places[file->place_start + i];
		const struct pd_carried_function *f =
			&lines->functions[place->function_start];

		add_spot(spots, dso, place->file, place->line);
		for (uint32_t j = 0; j < place->function_nr; j++)
			add_spot(spots, dso, f[j].call_file, f[j].call_line);
	}
}

static bool find_line(struct rpt_source_texts *texts, const struct spot *spot,
		      uint32_t line, struct pd_str *ret)
{
	const struct rpt_source_place place = { .path = spot->path,
						.line = line };

	return rpt_dso_source_text(spot->dso, texts, &place, ret) &&
	       ret->len <= RPT_SOURCE_LINE_LEN_MAX &&
	       !memchr(ret->ptr, 0, ret->len);
}

/* Keep each line once; of several programs that name it, the first whose owner
 * may read it. */
static void unite(struct spots *spots, struct rpt_source_texts *texts)
{
	struct spot *items = spots->items;
	size_t all_nr = spots->nr;
	struct pd_str line;

	spots->nr = 0;
	for (size_t i = 0; i < all_nr; i++) {
		struct spot *last = spots->nr ? &items[spots->nr - 1] : NULL;
		bool is_same = last && !compare_spots(last, &items[i]);

		if (is_same && last->is_found)
			continue;
		items[i].is_found =
			find_line(texts, &items[i], items[i].line, &line);
		if (!is_same)
			items[spots->nr++] = items[i];
		else if (items[i].is_found)
			*last = items[i];
	}
}

/* Find the spots, by path and line. */
static void find_spots(struct spots *spots, const struct rpt_hit_files *hits,
		       struct rpt_source_texts *texts)
{
	const struct pd_carried_lines *lines = spots->lines;
	size_t max = (size_t)lines->place_nr + lines->function_nr;

	spots->items = rpt_alloc_zeroed(max + 1, sizeof(*spots->items));
	for (uint32_t i = 0; i < lines->file_nr; i++) {
		struct rpt_dso *dso = dso_of(hits, lines->files[i].file_idx);

		if (dso)
			add_spots(spots, dso, &lines->files[i]);
	}
	qsort(spots->items, spots->nr, sizeof(*spots->items), compare_spots);
	unite(spots, texts);
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

/* Add the lines first to last of a spot's file, as its program may read them.
 */
static void take(struct rpt_found_sources *found,
		 struct rpt_source_texts *texts, const struct spot *spot,
		 uint32_t first, uint32_t last)
{
	uint32_t start = first, nr = 0;
	struct pd_str line;

	for (uint32_t i = first; i <= last; i++) {
		if (found->len + found->text.len < RPT_SOURCE_ALL_LEN_MAX &&
		    find_line(texts, spot, i, &line)) {
			pd_buf_bytes(&found->text, line.ptr, line.len);
			pd_buf_u8(&found->text, '\n');
			nr++;
			continue;
		}
		end_run(found, spot->path, start, nr);
		start = i + 1;
		nr = 0;
	}
	end_run(found, spot->path, start, nr);
}

static uint32_t first_of(uint32_t line)
{
	return line > RPT_SOURCE_AROUND ? line - RPT_SOURCE_AROUND : 1;
}

/* Take the text around the spots of one file; windows that meet are one, unless
 * other users name them. */
static void take_file(struct rpt_found_sources *found,
		      struct rpt_source_texts *texts, const struct spot *spots,
		      size_t nr, struct rpt_carry_result *result)
{
	uint32_t first = first_of(spots[0].line);
	uint64_t found_nr = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct spot *next = i + 1 < nr ? &spots[i + 1] : NULL;
		uint32_t last = spots[i].line + RPT_SOURCE_AROUND;

		found_nr += spots[i].is_found;
		if (next && next->user == spots[i].user &&
		    first_of(next->line) <= last + 1)
			continue;
		if (next && next->line <= last)
			last = next->line - 1;
		take(found, texts, &spots[i], first, last);
		if (next)
			first = first_of(next->line) > last
					? first_of(next->line)
					: last + 1;
	}
	rpt_carry_count_add(&result->sources, found_nr, nr, spots[0].path);
}

void rpt_found_sources_find(struct rpt_found_sources *found,
			    const struct rpt_hit_files *hits,
			    const struct pd_carried_lines *lines,
			    struct rpt_carry_result *result)
{
	struct rpt_source_texts texts = { .next = 0 };
	struct spots spots = { .lines = lines };
	size_t start = 0;

	find_spots(&spots, hits, &texts);
	memset(found, 0, sizeof(*found));
	for (size_t i = 1; i <= spots.nr; i++) {
		if (i < spots.nr &&
		    !strcmp(spots.items[i].path, spots.items[start].path))
			continue;
		take_file(found, &texts, &spots.items[start], i - start,
			  result);
		start = i;
	}
	rpt_source_texts_release(&texts);
	free(spots.items);
}

void rpt_found_sources_release(struct rpt_found_sources *found)
{
	free(found->sources.runs);
	pd_buf_release(&found->text);
	rpt_arena_release(&found->texts);
	memset(found, 0, sizeof(*found));
}
