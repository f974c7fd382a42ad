/* hit_code.h: the addresses that perfpair annotate looks up besides those that
 * were hit: of each instruction of the functions whose code is carried, for its
 * source line, and of what these call, for its name.
 */
#ifndef RPT_HIT_CODE_H
#define RPT_HIT_CODE_H

#include "format/reader/reader.h"
#include "report/carry/hit_files.h"

/* Instructions of all functions. */
#define RPT_HIT_CODE_MAX (UINT32_C(1) << 20)

/* Add the addresses to hits, marked as is_code, by the code here or, where it
 * is not here, what the recording of reader carries.  with_lines: also those of
 * instructions. */
void rpt_hit_code_add(struct rpt_hit_files *hits,
		      const struct pd_reader *reader,
		      const struct rpt_symbols *symbols, bool with_lines);

#endif
