#include "report/callchain/function_merge.h"

#include "report/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

struct rpt_named_place {
	uint64_t start; /* in the recording that had it first */
	uint64_t end;
	uint32_t next_same_name; /* + 1; 0: none */
	uint32_t build;
};

#define EXACT_LEN  offsetof(struct rpt_place, build)
#define BY_NAME_NR 3

static bool is_taken(const struct rpt_function_merge *merge, uint32_t place,
		     uint32_t input)
{
	uint32_t pair[2] = { place, input };

	return rpt_intern_find(&merge->taken, pair, sizeof(pair)) >= 0;
}

/* Return the number of the name. */
static uint32_t find_name(struct rpt_function_merge *merge,
			  const struct rpt_place *place)
{
	uint32_t key[BY_NAME_NR] = { place->dso, place->name, place->inlined };
	uint32_t known_nr = merge->names.nr;
	uint32_t name = (uint32_t)rpt_intern(&merge->names, key, sizeof(key));

	merge->first_of_name = rpt_grow(merge->first_of_name, &merge->names_cap,
					known_nr, sizeof(uint32_t));
	if (name == known_nr)
		merge->first_of_name[name] = 0;
	return name;
}

static bool are_of_one_build(uint32_t a, uint32_t b)
{
	return a && a == b;
}

/* Find a place that place's recording does not have yet, in the list from at
 * on, of the same addresses or of any.  at and what is returned are numbers
 * + 1; 0: there is none. */
static uint32_t find_free(const struct rpt_function_merge *merge, uint32_t at,
			  const struct rpt_place *place, bool is_of_addrs)
{
	const struct rpt_named_place *old;

	for (; at; at = old->next_same_name) {
		old = &merge->places[at - 1];
		if (is_of_addrs ? old->start != place->start ||
					  old->end != place->end
				: are_of_one_build(old->build, place->build))
			continue;
		if (!is_taken(merge, at - 1, place->input))
			return at;
	}
	return 0;
}

/* Return a place of that name that the recording does not have yet; make a new
 * one if there is none. */
static uint32_t find_place(struct rpt_function_merge *merge,
			   const struct rpt_place *place)
{
	uint32_t name = find_name(merge, place);
	uint32_t first = merge->first_of_name[name];
	uint32_t found = find_free(merge, first, place, true);

	if (!found)
		found = find_free(merge, first, place, false);
	if (found)
		return found - 1;
	merge->places = rpt_grow(merge->places, &merge->cap, merge->nr,
				 sizeof(*merge->places));
	merge->places[merge->nr] = (struct rpt_named_place){
		.start = place->start,
		.end = place->end,
		.next_same_name = first,
		.build = place->build,
	};
	merge->first_of_name[name] = ++merge->nr;
	return merge->nr - 1;
}

uint32_t rpt_function_merge_number(struct rpt_function_merge *merge,
				   const struct rpt_place *place)
{
	uint32_t known_nr = merge->exact.nr;
	uint32_t idx = (uint32_t)rpt_intern(&merge->exact, place, EXACT_LEN);
	uint32_t pair[2] = { 0, place->input };

	if (idx < known_nr)
		return merge->place_of_exact[idx];
	merge->place_of_exact =
		rpt_grow(merge->place_of_exact, &merge->exact_cap, idx,
			 sizeof(*merge->place_of_exact));
	pair[0] = find_place(merge, place);
	merge->place_of_exact[idx] = pair[0];
	rpt_intern(&merge->taken, pair, sizeof(pair));
	return pair[0];
}

void rpt_function_merge_release(struct rpt_function_merge *merge)
{
	rpt_intern_release(&merge->exact);
	rpt_intern_release(&merge->names);
	rpt_intern_release(&merge->taken);
	rpt_intern_release(&merge->builds);
	free(merge->place_of_exact);
	free(merge->first_of_name);
	free(merge->places);
	*merge = (struct rpt_function_merge){ 0 };
}
