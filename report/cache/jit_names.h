/* jit_names.h: what is carried of a process's jitdump as lines of a perf map,
 * which has no times: of functions at one address the last one.
 */
#ifndef RPT_JIT_NAMES_H
#define RPT_JIT_NAMES_H

#include "format/carried/carried.h"

/* Return how many names rpt_jit_names() returns at most for files[idx]. */
uint32_t rpt_jit_names_max(const struct pd_carried *carried, uint32_t idx);

/* Put the names into ret, by address; none covers an address of another, and
 * their texts are carried's.  Return 0 or -EBADMSG. */
int rpt_jit_names(const struct pd_carried *carried, uint32_t idx,
		  struct pd_carried_name *ret, uint32_t *ret_nr,
		  struct pd_err *err);

#endif
