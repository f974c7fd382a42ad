/* debuginfod.h: fetches debug files by their build-ids from a server, if the
 * user asks for it.
 *
 * libdebuginfod is loaded by rpt_debuginfod_open(), so that no other use needs
 * it or the network.  One time limit holds for all files together.  The library
 * caches what it has fetched.
 */
#ifndef RPT_DEBUGINFOD_H
#define RPT_DEBUGINFOD_H

#include "format/base/err.h"

#include <stdint.h>

struct rpt_debuginfod_conf {
	const char *urls; /* as DEBUGINFOD_URLS; NULL: the variable itself */
	uint64_t limit_ns;
	/* Called repeatedly while name is fetched, with the bytes so far and in
	 * all (0: not known).  May be NULL. */
	void (*progress)(void *ctx, const char *name, uint64_t len,
			 uint64_t total_len);
	void *progress_ctx;
};

struct rpt_debuginfod;

/* The strings of conf must outlive *ret.  Return 0, or -ENOTSUP if the library
 * cannot be loaded, or no server is named. */
int rpt_debuginfod_open(struct rpt_debuginfod **ret,
			const struct rpt_debuginfod_conf *conf,
			struct pd_err *err);
void rpt_debuginfod_close(struct rpt_debuginfod *d);

/* Fetch the debug file of a build-id.  Return its descriptor, which the caller
 * closes; -ETIME if the time limit is over; or another negative errno of the
 * library: -ENOENT if no server has the file. */
int rpt_debuginfod_find(struct rpt_debuginfod *d, const uint8_t *build_id,
			uint8_t build_id_len, const char *name);

#endif
