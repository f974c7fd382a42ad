/* chain.h: finds the frames of one recorded call chain. */
#ifndef RPT_CHAIN_H
#define RPT_CHAIN_H

#include "report/callchain/frames.h"
#include "report/profile/profile.h"

struct rpt_chain {
	uint32_t *frames; /* owned; in the order that conf asks for */
	uint32_t *ends;	  /* as rpt_call_chain.ends; NULL without history */
	uint32_t nr;
	uint32_t cap;
	uint32_t link_start; /* where the frames of the last link begin */
	uint32_t *entries;   /* scratch: where the addresses are in the key */
	uint8_t *modes;
	uint32_t entries_cap;
};

struct rpt_chain_conf {
	bool is_caller_first;
	uint32_t max_stack;   /* at most so many addresses, from the end that
			       * comes first */
	bool has_history;     /* branches come first: branch_history.h */
	bool hide_unresolved; /* frames without a symbol are left out */
	bool folds_unmapped;  /* frames in no map, one after the other, are one
			       * rpt_frames_unmapped() */
	const struct rpt_linked_stacks *linked; /* the profile's */
};

/* Get the task and the maps of a stack, as its first sample had them. */
void rpt_chain_scope(struct rpt_frames *frames, const struct rpt_stack_key *key,
		     const struct rpt_stack *stack,
		     struct rpt_frame_scope *ret);

/* Fill chain.  A chain with an unknown context mark has no frames.  Return what
 * rpt_frames_resolve() returns. */
int rpt_chain_resolve(struct rpt_chain *chain, struct rpt_frames *frames,
		      const struct rpt_stack_key *key,
		      struct rpt_frame_scope *scope,
		      const struct rpt_chain_conf *conf);
/* Get the frame in which a linked stack ends (rpt_stack_key_is_linked()), whose
 * chain was resolved with conf.  Return what rpt_frames_resolve() returns. */
int rpt_chain_linked_self(const struct rpt_chain *chain,
			  struct rpt_frames *frames,
			  const struct rpt_stack_key *key,
			  const struct rpt_chain_conf *conf, uint32_t *ret);
void rpt_chain_release(struct rpt_chain *chain);

#endif
