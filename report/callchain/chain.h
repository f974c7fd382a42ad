/* chain.h: one recorded call chain as frames. */
#ifndef RPT_CHAIN_H
#define RPT_CHAIN_H

#include "report/callchain/frames.h"
#include "report/profile/profile.h"

struct rpt_chain {
	uint32_t *frames; /* owned; in the order asked for */
	uint32_t *ends;	  /* rpt_call_chain.ends; NULL without history */
	uint32_t nr;
	uint32_t cap;
	uint32_t *entries; /* scratch: places of the addresses */
	uint8_t *modes;
	uint32_t entries_cap;
};

struct rpt_chain_conf {
	bool is_caller_first;
	uint32_t max_stack;   /* addresses, counted from the end that comes
			       * first */
	bool has_history;     /* branches stand before it: branch_history.h */
	bool hide_unresolved; /* no frames without a symbol */
};

/* The task and the maps of a stack, as its first sample had them. */
void rpt_chain_scope(struct rpt_frames *frames, const struct rpt_stack_key *key,
		     const struct rpt_stack *stack,
		     struct rpt_frame_scope *ret);

/* Fills chain.  A chain with an unknown context mark has no frames. 0 or
 * -ENOMEM. */
int rpt_chain_resolve(struct rpt_chain *chain, struct rpt_frames *frames,
		      const struct rpt_stack_key *key,
		      const struct rpt_frame_scope *scope,
		      const struct rpt_chain_conf *conf);
void rpt_chain_release(struct rpt_chain *chain);

#endif
