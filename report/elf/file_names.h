/* file_names.h: all names that a recording carries of a file: those around what
 * was hit, and in front of them those of its .gnu_debugdata, if that is carried
 * (format/carried/carried_raw.h).
 */
#ifndef RPT_FILE_NAMES_H
#define RPT_FILE_NAMES_H

#include "format/carried/carried.h"
#include "report/base/arena.h"

struct rpt_file_names {
	struct pd_carried_name *items; /* owned; texts end in NUL */
	uint32_t nr;
	struct rpt_arena texts; /* owned: of .gnu_debugdata; the other texts
				 * are the recording's */
};

/* Read the names of files[idx].  .gnu_debugdata that is damaged has none.
 * Return 0, or -EBADMSG if the others are damaged; ret is valid in any case. */
int rpt_file_names_read(const struct pd_carried *carried, uint32_t idx,
			struct rpt_file_names *ret, struct pd_err *err);
void rpt_file_names_release(struct rpt_file_names *names);

#endif
