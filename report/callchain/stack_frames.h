/* stack_frames.h: finds all frames of one stack: those of its call chain, and
 * the one where its sample was taken. */
#ifndef RPT_STACK_FRAMES_H
#define RPT_STACK_FRAMES_H

#include "report/callchain/chain.h"
#include "report/callchain/frame_match.h"

struct rpt_stack_frames {
	struct rpt_frame_scope scope;
	struct rpt_chain chain;
	uint32_t self; /* the frame of its ip; not set for branches */
	bool is_cut;   /* self is a caller whose callees were cut off */
};

struct rpt_stack_frames_conf {
	struct rpt_chain_conf chain;
	bool is_branch;			 /* the profile's stacks are branches */
	struct rpt_frame_match *ignored; /* cut off their callees; NULL: none */
};

/* Free what at owns. */
void rpt_stack_frames_release(struct rpt_stack_frames *at);

/* Fill at, which was zeroed or filled before, with the frames of stack number
 * stack_idx.  Return what rpt_frames_resolve() returns. */
int rpt_stack_frames_resolve(struct rpt_stack_frames *at,
			     struct rpt_frames *frames,
			     const struct rpt_profile *profile,
			     uint32_t stack_idx,
			     const struct rpt_stack_frames_conf *conf);

#endif
