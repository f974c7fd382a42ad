/* stack_key.h: the key by which samples are counted as one stack. */
#ifndef RPT_STACK_KEY_H
#define RPT_STACK_KEY_H

#include "report/profile/stack_context.h"

/* What distinguishes stacks.  It has no padding, since it is hashed. */
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
