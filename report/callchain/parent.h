/* parent.h: the parent of a sample: the first function of its call chain, in
 * the order in which chains are shown, whose name matches -p's expression.
 */
#ifndef RPT_PARENT_H
#define RPT_PARENT_H

#include "report/callchain/chain.h"
#include "report/callchain/frame_match.h"

/* What counts where nobody gives a pattern: perf's. */
#define RPT_PARENT_DEFAULT "^sys_|^do_page_fault"

/* The name of the parent, which lives as long as the symbols; *ret NULL: there
 * is none.  0 or -ENOMEM. */
int rpt_parent_find(struct rpt_frame_match *parent,
		    const struct rpt_frames *frames,
		    const struct rpt_chain *chain, const char **ret);

#endif
