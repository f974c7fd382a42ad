/* frame_match.h: matches the functions of frames against an expression, each
 * frame once. */
#ifndef RPT_FRAME_MATCH_H
#define RPT_FRAME_MATCH_H

#include "report/callchain/chain.h"

#include "format/base/err.h"

#include <regex.h>

struct rpt_frame_match {
	regex_t regex; /* extended */
	bool is_compiled;
	uint8_t *answers; /* by frame */
	uint32_t answer_nr;
};

/* The default of -p, as in perf. */
#define RPT_PARENT_DEFAULT "^sys_|^do_page_fault"

/* Compile the pattern of that option.  Return 0, or -EINVAL with what is wrong
 * with it in err. */
int rpt_frame_match_compile(struct rpt_frame_match *match, const char *option,
			    const char *pattern, struct pd_err *err);
/* Safe on a zeroed struct. */
void rpt_frame_match_release(struct rpt_frame_match *match);

/* Return whether the name of the frame's function matches. */
bool rpt_frame_match_is(struct rpt_frame_match *match,
			const struct rpt_frames *frames, uint32_t frame);

/* Return the parent of a sample: the first function of its call chain, in the
 * order in which chains are shown, whose name matches; NULL if none does.  The
 * name lives as long as the symbols. */
const char *rpt_parent_find(struct rpt_frame_match *parent,
			    const struct rpt_frames *frames,
			    const struct rpt_chain *chain);

#endif
