/* parent.h: the parent of a sample: the first function of its call chain, in
 * the order in which chains are shown, whose name matches -p's expression.
 */
#ifndef RPT_PARENT_H
#define RPT_PARENT_H

#include "report/chain.h"

#include "format/err.h"

#include <regex.h>

struct rpt_parent {
	regex_t regex; /* extended */
	bool is_compiled;
	uint8_t *answers; /* by frame: of the names that were asked about */
	uint32_t answer_nr;
};

/* What counts where nobody gives a pattern: perf's. */
#define RPT_PARENT_DEFAULT "^sys_|^do_page_fault"

/* A zeroed struct may be released.  -EINVAL says what is wrong with pattern. */
int rpt_parent_compile(struct rpt_parent *parent, const char *pattern,
		       struct pd_err *err);
void rpt_parent_release(struct rpt_parent *parent);

/* The name of the parent, which lives as long as the symbols; *ret NULL: there
 * is none.  0 or -ENOMEM. */
int rpt_parent_find(struct rpt_parent *parent, const struct rpt_frames *frames,
		    const struct rpt_chain *chain, const char **ret);

#endif
