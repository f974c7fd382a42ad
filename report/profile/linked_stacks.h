/* linked_stacks.h: stacks of several tasks that make one: that of a wait, that
 * of what its waker did, and so on (offcpu/wait_graph.h).
 *
 * The key of such a stack has a chain of numbers instead of addresses: first
 * RPT_CONTEXT_LINKED, then links, the innermost task first.  A link is a part,
 * a stack as it was recorded, and a word that stands between it and its callee:
 * "[woken by make]", or at the innermost end why the task did not go on.
 */
#ifndef RPT_LINKED_STACKS_H
#define RPT_LINKED_STACKS_H

#include "report/base/intern.h"
#include "report/profile/stack_key.h"

/* The first word of such a chain; no kernel writes it.  Elsewhere it is an
 * unknown mark. */
#define RPT_CONTEXT_LINKED ((uint64_t)-4001)

#define RPT_LINKS_MAX 16u

/* The word of an interrupt; the wait's functions may say of which. */
#define RPT_WORD_INTERRUPT "[interrupt]"

/* A link without a part. */
#define RPT_LINK_NO_PART UINT32_MAX

struct rpt_stack_link {
	uint32_t part;
	uint32_t word; /* a number of words; 0: none */
};

struct rpt_linked_stacks {
	struct rpt_intern parts;  /* struct rpt_stack_key */
	struct rpt_stack *firsts; /* owned; by number of the part: its first
				   * sample, but no sums */
	uint32_t first_cap;
	struct rpt_intern links; /* struct rpt_stack_link */
	struct rpt_intern words; /* text; the first one is "" */
	bool has_no_wakers;	 /* no wakeups were recorded */
	uint64_t left_ns;	 /* rpt_wait_graph.left_ns */
};

struct rpt_stack;

struct rpt_linked_stacks *rpt_linked_stacks_new(struct rpt_budget *budget);
/* Safe on NULL. */
void rpt_linked_stacks_free(struct rpt_linked_stacks *linked);

/* Return the number of a part, or -EFBIG if the budget is spent. */
int64_t rpt_linked_stacks_part(struct rpt_linked_stacks *linked,
			       const struct rpt_stack_key *key, size_t len,
			       const struct rpt_stack *first);
/* Return the number of a link, or -EFBIG. */
int64_t rpt_linked_stacks_link(struct rpt_linked_stacks *linked, uint32_t part,
			       const char *word);

/* Return the key of a part. */
static inline const struct rpt_stack_key *
rpt_linked_stacks_key(const struct rpt_linked_stacks *linked, uint32_t part)
{
	return rpt_intern_key(&linked->parts, part);
}

/* Return the link of a word of a chain; NULL if there is none, as of a chain
 * that was recorded so. */
const struct rpt_stack_link *
rpt_linked_stacks_at(const struct rpt_linked_stacks *linked, uint64_t word);

static inline bool rpt_stack_key_is_linked(const struct rpt_stack_key *key)
{
	return key->chain_nr > 1 && key->chain[0] == RPT_CONTEXT_LINKED;
}

#endif
