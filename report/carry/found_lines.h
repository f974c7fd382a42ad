/* found_lines.h: what debug information says of the addresses that were hit,
 * here or, where it is not here, in what the recording carries.
 */
#ifndef RPT_FOUND_LINES_H
#define RPT_FOUND_LINES_H

#include "format/carried/carried_lines.h"
#include "report/base/intern.h"
#include "report/carry/carry_recording.h"
#include "report/carry/hit_files.h"

struct rpt_found_lines {
	struct pd_carried_lines lines; /* owned, but for the texts */
	struct rpt_intern texts;
	uint32_t place_cap;
	uint32_t function_cap;
};

/* Find the lines of all hits in carried files, and count. */
void rpt_found_lines_find(struct rpt_found_lines *found,
			  const struct rpt_hit_files *hits,
			  struct rpt_carry_result *result);
/* Safe on a zeroed struct. */
void rpt_found_lines_release(struct rpt_found_lines *found);

#endif
