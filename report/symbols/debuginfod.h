/* debuginfod.h: debug files by their build-ids from a server, where the user
 * asks for it.
 *
 * libdebuginfod is loaded when the first file is asked for, so that nobody else
 * needs it or the network.  All files together get one limit of time; what has
 * been fetched once lies in the library's own cache.
 */
#ifndef RPT_DEBUGINFOD_H
#define RPT_DEBUGINFOD_H

#include "format/err.h"

#include <stdint.h>

struct rpt_debuginfod_conf {
	const char *urls; /* as in DEBUGINFOD_URLS; NULL: those */
	uint64_t limit_ns;
	/* Now and then while name is fetched: bytes so far, and of all (0: not
	 * known).  NULL: nobody looks on. */
	void (*progress)(void *ctx, const char *name, uint64_t len,
			 uint64_t total_len);
	void *progress_ctx;
};

struct rpt_debuginfod;

/* conf's strings must outlive it.  -ENOTSUP: the library is not there, or no
 * server is named. */
int rpt_debuginfod_open(struct rpt_debuginfod **ret,
			const struct rpt_debuginfod_conf *conf,
			struct pd_err *err);
void rpt_debuginfod_close(struct rpt_debuginfod *d);

/* The file with the debug information of a build-id, opened: the caller's.
 * -ETIME: the limit is over; else a negative errno of the library's: -ENOENT
 * where no server has it. */
int rpt_debuginfod_find(struct rpt_debuginfod *d, const uint8_t *build_id,
			uint8_t build_id_len, const char *name);

#endif
