/* stack_key.h: the key by which samples are counted as one stack. */
#ifndef RPT_STACK_KEY_H
#define RPT_STACK_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/layout.h"

/* Contexts: what the stacks of one task have in common at a time.
 *
 * There are few contexts, so the key of a stack points to one, its base.  All
 * threads that count share one table: equal bases are one pointer. */

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

/* The key of a stack.  It has no padding, since it is hashed. */
struct rpt_stack_key {
	const struct rpt_stack_context *base;
	uint64_t ip;
	uint32_t chain_nr;
	uint32_t raw_len; /* 0 if rows do not differ by raw data */
	uint32_t event_idx;
	uint8_t value_nr;
	uint8_t branch_words; /* 0 if rows do not differ by branches */
	uint8_t cpumode;
	uint8_t is_of_branches; /* the chain was made of branches */
	uint64_t chain[]; /* as recorded; then a branch, values, raw data */
};

/* The stacks that rows and code are made of, out of those that were counted:
 * all if it is zeroed. */
struct rpt_stack_choice {
	uint32_t first_block;
	uint32_t end_block; /* behind the last one; 0: all blocks */
	bool no_kernel;
	bool no_user;
};

static inline bool rpt_stack_choice_has_block(const struct rpt_stack_choice *of,
					      uint32_t block)
{
	return !of->end_block ||
	       (block >= of->first_block && block < of->end_block);
}

static inline bool rpt_stack_choice_has_mode(const struct rpt_stack_choice *of,
					     uint8_t cpumode)
{
	return !(of->no_kernel && cpumode == PD_CPUMODE_KERNEL) &&
	       !(of->no_user && cpumode == PD_CPUMODE_USER);
}

/* The branch to a key's ip; 0 where rows do not differ by it. */
struct rpt_stack_branch {
	uint64_t from;
	uint64_t flags;
};

static inline struct rpt_stack_branch
rpt_stack_key_branch(const struct rpt_stack_key *key)
{
	const uint64_t *words = key->chain + key->chain_nr;

	return key->branch_words
		       ? (struct rpt_stack_branch){ words[0], words[1] }
		       : (struct rpt_stack_branch){ 0, 0 };
}

static inline const uint64_t *
rpt_stack_key_values(const struct rpt_stack_key *key)
{
	return key->chain + key->chain_nr + key->branch_words;
}

static inline const uint8_t *rpt_stack_key_raw(const struct rpt_stack_key *key)
{
	return (const uint8_t *)(rpt_stack_key_values(key) + key->value_nr);
}

#endif
