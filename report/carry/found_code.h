/* found_code.h: the instructions of the functions in which samples were taken,
 * out of the files here, and what the recording carries already.
 */
#ifndef RPT_FOUND_CODE_H
#define RPT_FOUND_CODE_H

#include "format/carried/carried_code.h"
#include "format/reader/reader.h"
#include "report/base/arena.h"
#include "report/carry/carry_recording.h"
#include "report/carry/hit_files.h"

/* A function counts if it has this share of all samples. */
#define RPT_CODE_SHARE 0.001

/* Bytes of one function, and of all. */
#define RPT_CODE_LEN_MAX     (UINT64_C(256) << 10)
#define RPT_CODE_ALL_LEN_MAX (UINT64_C(16) << 20)

struct rpt_found_code {
	struct pd_carried_code code; /* owned, but for the bytes */
	struct pd_carried_code old;  /* as the recording has it; owned */
	uint32_t run_cap;
	struct rpt_arena bytes;
	uint64_t len; /* of all */
};

/* Find the code of all hits in carried files, and count.  Return 0, or what
 * reading the recording says. */
int rpt_found_code_find(struct rpt_found_code *found,
			const struct pd_reader *reader,
			const struct rpt_hit_files *hits, uint32_t file_nr,
			struct rpt_carry_result *result, struct pd_err *err);
/* Safe on a zeroed struct. */
void rpt_found_code_release(struct rpt_found_code *found);

/* The addresses that perfpair annotate looks up besides those that were hit: of
 * each instruction of the functions whose code is carried, for its source line,
 * and of what these call, for its name. */

/* Instructions of all functions. */
#define RPT_HIT_CODE_MAX (UINT32_C(1) << 20)

/* Add the addresses to hits, marked as is_code, by the code here or, where it
 * is not here, what the recording of reader carries.  with_lines: also those of
 * instructions. */
void rpt_hit_code_add(struct rpt_hit_files *hits,
		      const struct pd_reader *reader,
		      const struct rpt_symbols *symbols, bool with_lines);

#endif
