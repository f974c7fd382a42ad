/* stack_context.h: what the stacks of one task have in common at a time.
 *
 * There are few contexts, so the key of a stack points to one, its base.  All
 * threads that count share one table: equal bases are one pointer.
 */
#ifndef RPT_STACK_CONTEXT_H
#define RPT_STACK_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* The value of a field by which rows do not differ. */
#define RPT_NO_KEY (UINT32_MAX - 1)

/* Without padding: it is hashed. */
struct rpt_stack_context {
	uint64_t comm; /* const char *, of the timeline; 0: ":TID" */
	uint32_t tid;  /* RPT_NO_KEY if rows do not differ by task */
	uint32_t cpu;  /* likewise */
	uint32_t space_id;
	uint32_t space_version;
	uint32_t kernel_version;
	uint32_t block; /* of time */
};

/* The memory that a context takes, with its slot in the table. */
#define RPT_STACK_CONTEXT_COST_LEN 80u

struct rpt_stack_bases;

struct rpt_stack_bases *rpt_stack_bases_new(void);
/* Safe on NULL. */
void rpt_stack_bases_free(struct rpt_stack_bases *bases);

/* Return the copy of like in the table, which lives as long as bases; set
 * *ret_is_new if this call made it.  Any thread may call this. */
const struct rpt_stack_context *
rpt_stack_bases_get(struct rpt_stack_bases *bases,
		    const struct rpt_stack_context *like, bool *ret_is_new);
/* Return the copy of like if there is one already, else NULL. */
const struct rpt_stack_context *
rpt_stack_bases_find(struct rpt_stack_bases *bases,
		     const struct rpt_stack_context *like);

#endif
