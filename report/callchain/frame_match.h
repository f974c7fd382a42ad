/* frame_match.h: which frames are of functions whose names an expression
 * matches; each frame is asked about once.
 */
#ifndef RPT_FRAME_MATCH_H
#define RPT_FRAME_MATCH_H

#include "report/callchain/frames.h"

#include "format/err.h"

#include <regex.h>

struct rpt_frame_match {
	regex_t regex; /* extended */
	bool is_compiled;
	uint8_t *answers; /* by frame: of the names that were asked about */
	uint32_t answer_nr;
};

/* A zeroed struct may be released.  -EINVAL says what is wrong with the pattern
 * of that option. */
int rpt_frame_match_compile(struct rpt_frame_match *match, const char *option,
			    const char *pattern, struct pd_err *err);
void rpt_frame_match_release(struct rpt_frame_match *match);

/* Room for what is asked about the frames that there are.  0 or -ENOMEM. */
int rpt_frame_match_reserve(struct rpt_frame_match *match,
			    const struct rpt_frames *frames);

/* Of a frame that there was at the last rpt_frame_match_reserve(). */
bool rpt_frame_match_is(struct rpt_frame_match *match,
			const struct rpt_frames *frames, uint32_t frame);

#endif
