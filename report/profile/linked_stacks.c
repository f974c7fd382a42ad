#include "report/profile/linked_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/profile/profile.h"

struct rpt_linked_stacks *rpt_linked_stacks_new(struct rpt_budget *budget)
{
	struct rpt_linked_stacks *linked = rpt_alloc_zeroed(1, sizeof(*linked));

	linked->parts.is_bytes = linked->links.is_bytes = true;
	linked->parts.limit = linked->parts.keys.budget = budget;
	linked->links.limit = linked->links.keys.budget = budget;
	linked->words.keys.budget = budget;
	rpt_intern(&linked->words, "", 0);
	return linked;
}

void rpt_linked_stacks_free(struct rpt_linked_stacks *linked)
{
	if (!linked)
		return;
	rpt_intern_release(&linked->parts);
	rpt_intern_release(&linked->links);
	rpt_intern_release(&linked->words);
	free(linked->firsts);
	free(linked);
}

int64_t rpt_linked_stacks_part(struct rpt_linked_stacks *linked,
			       const struct rpt_stack_key *key, size_t len,
			       const struct rpt_stack *first)
{
	uint32_t known_nr = linked->parts.nr;
	int64_t idx;

	linked->firsts = rpt_grow_within(linked->parts.limit, linked->firsts,
					 &linked->first_cap, known_nr,
					 sizeof(*linked->firsts));
	idx = rpt_intern(&linked->parts, key, len);
	if (idx == known_nr)
		linked->firsts[idx] = *first;
	return idx;
}

int64_t rpt_linked_stacks_link(struct rpt_linked_stacks *linked, uint32_t part,
			       const char *word)
{
	const struct rpt_stack_link link = {
		part, (uint32_t)rpt_intern(&linked->words, word, strlen(word))
	};

	return rpt_intern(&linked->links, &link, sizeof(link));
}

const struct rpt_stack_link *
rpt_linked_stacks_at(const struct rpt_linked_stacks *linked, uint64_t word)
{
	return linked && word < linked->links.nr
		       ? rpt_intern_key(&linked->links, (uint32_t)word)
		       : NULL;
}
