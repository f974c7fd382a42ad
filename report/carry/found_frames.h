/* found_frames.h: the call frame information that finding the callers of leaves
 * asks for (leaf_caller.h), of the files that are on this machine.
 *
 * The recorder carries it; this is for the recordings of perf.  What unwinding
 * stack copies asks for is not found here.
 */
#ifndef RPT_FOUND_FRAMES_H
#define RPT_FOUND_FRAMES_H

#include "format/carried/frame_pieces.h"
#include "report/carry/found_names.h"
#include "report/carry/hit_files.h"

struct rpt_found_frames {
	struct pd_frame_pieces *lists; /* owned; as the found files */
	uint32_t nr;
};

/* Set the frames of the files in names that were hit, and are aarch64's. */
void rpt_found_frames_find(struct rpt_found_frames *found,
			   struct rpt_found_names *names,
			   const struct rpt_hit_files *hits);
/* Safe on a zeroed struct. */
void rpt_found_frames_release(struct rpt_found_frames *found);

#endif
