/* stack_context.h: what the stacks of one task have in common at a time.
 *
 * There are few of these, so that a stack's key is its base and little else.
 * All threads that count share one table: equal bases are one pointer.
 */
#ifndef RPT_STACK_CONTEXT_H
#define RPT_STACK_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Where rows do not tell something apart. */
#define RPT_NO_KEY (UINT32_MAX - 1)

/* Without padding: it is hashed. */
struct rpt_stack_context {
	uint64_t comm; /* const char *, of the timeline; 0: ":TID" */
	uint32_t tid;  /* RPT_NO_KEY where rows do not tell tasks apart */
	uint32_t cpu;  /* likewise */
	uint32_t space_id;
	uint32_t space_version;
	uint32_t kernel_version;
	uint32_t block; /* of time */
};

/* What one takes, with its place in the table. */
#define RPT_STACK_CONTEXT_COST_LEN 80u

struct rpt_stack_bases;

/* NULL: out of memory. */
struct rpt_stack_bases *rpt_stack_bases_new(void);
void rpt_stack_bases_free(struct rpt_stack_bases *bases);

/* The one copy of it, as long as bases live; any thread may ask.  *ret_is_new:
 * it was made for this.  NULL: out of memory. */
const struct rpt_stack_context *
rpt_stack_bases_get(struct rpt_stack_bases *bases,
		    const struct rpt_stack_context *like, bool *ret_is_new);
/* The same where there is one already, else NULL. */
const struct rpt_stack_context *
rpt_stack_bases_find(struct rpt_stack_bases *bases,
		     const struct rpt_stack_context *like);

#endif
