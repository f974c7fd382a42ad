/* chain_impl.h: makes a chain part by part; private to the room.
 *
 * chain.c has chains of addresses, linked_chain.c those of several tasks, which
 * are made of such (profile/linked_stacks.h).
 */
#ifndef RPT_CHAIN_IMPL_H
#define RPT_CHAIN_IMPL_H

#include "report/callchain/chain.h"
#include "report/profile/linked_stacks.h"

/* Make room for more frames. */
void rpt_chain_grow(struct rpt_chain *chain, bool has_history);
/* Push the frames of one address, in the order that conf asks for. */
void rpt_chain_push(struct rpt_chain *chain, struct rpt_frames *frames,
		    const struct rpt_frame_span *span,
		    const struct rpt_chain_conf *conf);
/* Append the frames of a chain of addresses.  Return what
 * rpt_frames_resolve() returns; so does the next one. */
int rpt_chain_append(struct rpt_chain *chain, struct rpt_frames *frames,
		     const struct rpt_stack_key *key,
		     struct rpt_frame_scope *scope,
		     const struct rpt_chain_conf *conf);
/* Append the frames of a link: its part's, and the word at their inner end. */
int rpt_chain_append_link(struct rpt_chain *chain, struct rpt_frames *frames,
			  const struct rpt_stack_link *link,
			  const struct rpt_chain_conf *conf);

#endif
