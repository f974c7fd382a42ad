/* jitdump.h: reads jit-PID.dump, in which a just-in-time compiler lists the
 * functions that it makes.  It maps the file once, so that recorders see its
 * path.
 *
 *	rpt_jitdump_open(&dump, path, &err)
 *	while (rpt_jitdump_next(&dump, &code) > 0)
 *		...
 *	rpt_jitdump_close(&dump)
 *
 * Format: Linux v6.12 tools/perf/Documentation/jitdump-specification.txt. Code,
 * source lines and unwinding tables are skipped.
 */
#ifndef RPT_JITDUMP_H
#define RPT_JITDUMP_H

#include "format/cursor.h"

#include <stdio.h>

/* A function that is at an address from a time on. */
struct rpt_jit_code {
	uint64_t time_ns;
	uint64_t addr;
	uint64_t len;	    /* 1..UINT32_MAX; addr + len does not wrap */
	uint64_t idx;	    /* of the function, unique in the dump */
	struct pd_str name; /* until the next call; empty if it was moved */
};

struct rpt_jitdump {
	FILE *file;
	uint64_t file_len;
	uint64_t file_id[2]; /* device and inode */
	bool swap;
	bool has_cpu_times; /* times are a CPU's own counter */
	char *body;	    /* owned; of the last record */
};

/* Return whether name is like ".../jit-12.dump". */
bool rpt_is_jitdump(struct pd_str name);

/* Return 0; -EBADMSG if the file is no jitdump; or another negative errno. */
int rpt_jitdump_open(struct rpt_jitdump *dump, const char *path,
		     struct pd_err *err);
void rpt_jitdump_close(struct rpt_jitdump *dump);

/* Return 1; 0 at the end, or if the dump ends inside a record, as that of a
 * running program can; -EBADMSG if lengths are contradictory. */
int rpt_jitdump_next(struct rpt_jitdump *dump, struct rpt_jit_code *ret);

#endif
