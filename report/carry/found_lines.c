#include "report/carry/found_lines.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/symbols/dso.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/source_line.h"

#include <stdlib.h>
#include <string.h>

/* Return the number of a text; 0 of none, and if there are too many. */
static uint32_t number_of(struct rpt_found_lines *found, const char *text)
{
	int64_t idx = text && *text
			      ? rpt_intern(&found->texts, text, strlen(text))
			      : -1;

	return (uint32_t)(idx + 1);
}

static void add_function(struct rpt_found_lines *found, struct rpt_dso *dso,
			 const struct rpt_function_facts *facts)
{
	struct pd_carried_lines *lines = &found->lines;
	struct pd_carried_function f = {
		.name = number_of(found, facts->name),
		.flags = (facts->is_linkage ? PD_CARRIED_IS_LINKAGE : 0) |
			 (facts->is_symbol ? PD_CARRIED_IS_SYMBOL : 0),
	};
	const char *file;
	int line;

	if (rpt_dso_call_line(dso, facts->call_off, &file, &line) &&
	    line >= 0) {
		f.call_file = number_of(found, file);
		f.call_line = (uint32_t)line;
	}
	lines->functions = rpt_grow(lines->functions, &found->function_cap,
				    lines->function_nr, sizeof(f));
	lines->functions[lines->function_nr++] = f;
}

/* Add what is known of an address, if anything is.  Return whether a line is.
 */
static bool add_place(struct rpt_found_lines *found, struct rpt_dso *dso,
		      uint64_t addr)
{
	struct rpt_function_facts facts[RPT_FUNCTIONS_MAX];
	struct pd_carried_lines *lines = &found->lines;
	struct pd_carried_place place = {
		.addr = addr,
		.function_start = lines->function_nr,
	};
	const char *file;
	int line;

	if (rpt_dso_source_line(dso, addr, &file, &line) && line >= 0) {
		place.file = number_of(found, file);
		place.line = (uint32_t)line;
	}
	place.function_nr = (uint32_t)rpt_dso_function_facts(dso, addr, facts);
	for (uint32_t i = 0; i < place.function_nr; i++)
		add_function(found, dso, &facts[i]);
	if (!place.file && !place.function_nr)
		return false;
	lines->places = rpt_grow(lines->places, &found->place_cap,
				 lines->place_nr, sizeof(place));
	lines->places[lines->place_nr++] = place;
	return place.file;
}

static bool has_lines(struct rpt_dso *dso)
{
	return dso->kind == RPT_DSO_USER || dso->kind == RPT_DSO_KERNEL;
}

static void find_in(struct rpt_found_lines *found,
		    const struct rpt_hit_file *hit,
		    struct rpt_carry_result *result)
{
	struct pd_carried_lines *lines = &found->lines;
	struct pd_carried_lines_file *f = &lines->files[lines->file_nr];
	uint64_t line_nr = 0;

	f->file_idx = hit->carried_idx;
	f->place_start = lines->place_nr;
	for (uint32_t i = 0; i < hit->hit_nr; i++)
		line_nr += add_place(found, hit->dso, hit->hits[i].addr) &&
			   !hit->hits[i].is_code;
	f->place_nr = lines->place_nr - f->place_start;
	/* an empty list says that the file was here */
	lines->file_nr += f->place_nr || rpt_dso_has_file(hit->dso);
	rpt_carry_count_add(&result->lines, line_nr, hit->hit_nr - hit->code_nr,
			    rpt_dso_name(hit->dso));
}

/* Ask for all lines at once, which several threads find. */
static void prefetch(const struct rpt_hit_files *hits)
{
	struct rpt_source_query *queries;
	size_t nr = 0;

	for (uint32_t i = 0; i < hits->nr; i++)
		nr += hits->files[i].hit_nr;
	queries = rpt_alloc_zeroed(nr + 1, sizeof(*queries));
	nr = 0;
	for (uint32_t i = 0; i < hits->nr; i++) {
		const struct rpt_hit_file *hit = &hits->files[i];

		for (uint32_t j = 0; j < hit->hit_nr; j++)
			queries[nr++] =
				(struct rpt_source_query){ hit->dso,
							   hit->hits[j].addr };
	}
	rpt_source_lines_find(queries, nr, 0);
	free(queries);
}

static int compare_files(const void *a, const void *b)
{
	const struct rpt_hit_file *x = *(void *const *)a,
				  *y = *(void *const *)b;

	return rpt_compare_u64(x->carried_idx, y->carried_idx);
}

/* Take the texts, which do not move any more. */
static void take_texts(struct rpt_found_lines *found)
{
	struct pd_carried_lines *lines = &found->lines;

	lines->text_nr = found->texts.nr + 1;
	lines->texts = rpt_alloc_zeroed(lines->text_nr, sizeof(*lines->texts));
	lines->texts[0] = (struct pd_str){ "", 0 };
	for (uint32_t i = 0; i < found->texts.nr; i++)
		lines->texts[i + 1] = (struct pd_str){
			rpt_intern_key(&found->texts, i),
			found->texts.entries[i].len,
		};
}

void rpt_found_lines_find(struct rpt_found_lines *found,
			  const struct rpt_hit_files *hits,
			  struct rpt_carry_result *result)
{
	const struct rpt_hit_file **order =
		rpt_alloc_zeroed(hits->nr + (size_t)1, sizeof(*order));
	uint32_t nr = 0;

	memset(found, 0, sizeof(*found));
	found->lines.files = rpt_alloc_zeroed(hits->nr + (size_t)1,
					      sizeof(*found->lines.files));
	prefetch(hits);
	for (uint32_t i = 0; i < hits->nr; i++)
		if (hits->files[i].carried_idx != UINT32_MAX &&
		    has_lines(hits->files[i].dso))
			order[nr++] = &hits->files[i];
	qsort(order, nr, sizeof(*order), compare_files);
	for (uint32_t i = 0; i < nr; i++)
		if (!i || order[i]->carried_idx != order[i - 1]->carried_idx)
			find_in(found, order[i], result);
	take_texts(found);
	free(order);
}

void rpt_found_lines_release(struct rpt_found_lines *found)
{
	free(found->lines.texts);
	free(found->lines.files);
	free(found->lines.places);
	free(found->lines.functions);
	rpt_intern_release(&found->texts);
	memset(found, 0, sizeof(*found));
}
