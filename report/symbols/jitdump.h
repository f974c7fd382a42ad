/* jitdump.h: the table of functions that a just-in-time compiler writes while
 * it makes them: jit-PID.dump, which it maps once so that recorders see where
 * it lies.
 *
 *	rpt_jitdump_open(&dump, path, &err)
 *	while (rpt_jitdump_next(&dump, &code) > 0)
 *		...
 *	rpt_jitdump_close(&dump)
 *
 * Format: Linux v6.12 tools/perf/Documentation/jitdump-specification.txt.  The
 * code bytes, source lines and unwinding tables in it are passed over.
 */
#ifndef RPT_JITDUMP_H
#define RPT_JITDUMP_H

#include "format/cursor.h"

#include <stdio.h>

/* A function at a place, from a time on. */
struct rpt_jit_code {
	uint64_t time_ns;
	uint64_t addr;
	uint64_t len;	    /* 1..UINT32_MAX; addr + len does not wrap */
	uint64_t idx;	    /* of the function, unique in the dump */
	struct pd_str name; /* until the next call; empty where it was moved */
};

struct rpt_jitdump {
	FILE *file;
	uint64_t file_len;
	uint64_t file_id[2]; /* its device and inode */
	bool swap;
	bool has_cpu_times; /* times are those of a CPU's own counter */
	char *body;	    /* owned; of the record read last */
};

/* Whether a file that was mapped is called so: ".../jit-12.dump". */
bool rpt_is_jitdump(struct pd_str name);

/* 0; -EBADMSG: the file is none; or why it cannot be read. */
int rpt_jitdump_open(struct rpt_jitdump *dump, const char *path,
		     struct pd_err *err);
void rpt_jitdump_close(struct rpt_jitdump *dump);

/* 1; 0 at the end, or where the dump ends inside a record, as that of a program
 * that still runs can; -EBADMSG: lengths contradict one another. */
int rpt_jitdump_next(struct rpt_jitdump *dump, struct rpt_jit_code *ret);

#endif
