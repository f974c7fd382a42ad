/* stack_frames.h: all frames of one stack: its call chain, and where its sample
 * was taken.
 */
#ifndef RPT_STACK_FRAMES_H
#define RPT_STACK_FRAMES_H

#include "report/callchain/chain.h"
#include "report/callchain/frame_match.h"

struct rpt_stack_frames {
	struct rpt_frame_scope scope;
	struct rpt_chain chain;
	uint32_t self; /* the frame of its ip; not of branches */
	bool is_cut;   /* self is that of a caller whose callees do not count */
};

struct rpt_stack_frames_conf {
	struct rpt_chain_conf chain;
	bool is_branch;			 /* the profile's stacks are branches */
	struct rpt_frame_match *ignored; /* whose callees; NULL: nobody's */
};

void rpt_stack_frames_release(struct rpt_stack_frames *at);

/* Fills at, which was zeroed or filled before, with those of stack number
 * stack_idx.  0, -ENOMEM, or -EFBIG: see rpt_frames_resolve(). */
int rpt_stack_frames_resolve(struct rpt_stack_frames *at,
			     struct rpt_frames *frames,
			     const struct rpt_profile *profile,
			     uint32_t stack_idx,
			     const struct rpt_stack_frames_conf *conf);

#endif
