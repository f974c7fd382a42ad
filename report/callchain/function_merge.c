#include "report/callchain/function_merge.h"

#include <errno.h>
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

static int take(struct rpt_function_merge *merge, uint32_t place,
		uint32_t input)
{
	uint32_t pair[2] = { place, input };

	return rpt_intern(&merge->taken, pair, sizeof(pair)) < 0 ? -ENOMEM : 0;
}

/* The number of the name in *ret, its list ready. */
static int find_name(struct rpt_function_merge *merge,
		     const struct rpt_place *place, uint32_t *ret)
{
	uint32_t key[BY_NAME_NR] = { place->dso, place->name, place->inlined };
	uint32_t known_nr = merge->names.nr;
	uint32_t *firsts = rpt_grow(merge->first_of_name, &merge->names_cap,
				    known_nr, sizeof(*firsts));
	int64_t idx;

	if (!firsts)
		return -ENOMEM;
	merge->first_of_name = firsts;
	idx = rpt_intern(&merge->names, key, sizeof(key));
	if (idx < 0)
		return -ENOMEM;
	if (idx == known_nr)
		firsts[idx] = 0;
	*ret = (uint32_t)idx;
	return 0;
}

static bool are_of_one_build(uint32_t a, uint32_t b)
{
	return a && a == b;
}

/* In the list from at on, of the same addresses or of any: one that place's
 * recording does not have yet.  Both numbers + 1; 0: none. */
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

/* A place of that name that the recording does not have yet, else a new one. */
static int find_place(struct rpt_function_merge *merge,
		      const struct rpt_place *place, uint32_t *ret)
{
	struct rpt_named_place *places = rpt_grow(merge->places, &merge->cap,
						  merge->nr, sizeof(*places));
	uint32_t name, first, found;

	if (!places)
		return -ENOMEM;
	merge->places = places;
	if (find_name(merge, place, &name))
		return -ENOMEM;
	first = merge->first_of_name[name];
	found = find_free(merge, first, place, true);
	if (!found)
		found = find_free(merge, first, place, false);
	if (found) {
		*ret = found - 1;
		return 0;
	}
	*ret = merge->nr++;
	places[*ret] = (struct rpt_named_place){
		.start = place->start,
		.end = place->end,
		.next_same_name = first,
		.build = place->build,
	};
	merge->first_of_name[name] = *ret + 1;
	return 0;
}

int rpt_function_merge_number(struct rpt_function_merge *merge,
			      const struct rpt_place *place, uint32_t *ret)
{
	uint32_t known_nr = merge->exact.nr;
	uint32_t *exacts = rpt_grow(merge->place_of_exact, &merge->exact_cap,
				    known_nr, sizeof(*exacts));
	int64_t idx;

	if (!exacts)
		return -ENOMEM;
	merge->place_of_exact = exacts;
	idx = rpt_intern(&merge->exact, place, EXACT_LEN);
	if (idx < 0)
		return -ENOMEM;
	if (idx == known_nr && (find_place(merge, place, &exacts[idx]) ||
				take(merge, exacts[idx], place->input)))
		return -ENOMEM;
	*ret = exacts[idx];
	return 0;
}

void rpt_function_merge_release(struct rpt_function_merge *merge)
{
	rpt_intern_release(&merge->exact);
	rpt_intern_release(&merge->names);
	rpt_intern_release(&merge->taken);
	free(merge->place_of_exact);
	free(merge->first_of_name);
	free(merge->places);
	*merge = (struct rpt_function_merge){ 0 };
}
