/* found_sources.h: the source text around the lines that were hit: out of the
 * files of this machine, and where these are not here, of the recording.
 */
#ifndef RPT_FOUND_SOURCES_H
#define RPT_FOUND_SOURCES_H

#include "format/carried/carried_lines.h"
#include "format/carried/carried_sources.h"
#include "report/base/arena.h"
#include "report/carry/carry_recording.h"
#include "report/carry/hit_files.h"

/* Lines before and behind one that was hit. */
enum { RPT_SOURCE_AROUND = 10 };

/* Lines longer than this are not carried, nor more than so many bytes. */
#define RPT_SOURCE_LINE_LEN_MAX 4096u
#define RPT_SOURCE_ALL_LEN_MAX	((size_t)16 << 20)

struct rpt_found_sources {
	struct pd_carried_sources sources; /* owned, but for the texts */
	uint32_t run_cap;
	struct pd_buf text; /* of the run that is being made */
	struct rpt_arena texts;
	size_t len; /* of all */
};

/* Find the text around all lines, and count. */
void rpt_found_sources_find(struct rpt_found_sources *found,
			    const struct rpt_hit_files *hits,
			    const struct pd_carried_lines *lines,
			    struct rpt_carry_result *result);
/* Safe on a zeroed struct. */
void rpt_found_sources_release(struct rpt_found_sources *found);

#endif
