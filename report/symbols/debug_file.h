/* debug_file.h: the places where the symbols of a mapped file can be.
 *
 * perf 6.1 looks, in this order, for: what the file's .gnu_debuglink names
 * (beside it, in .debug/ beside it, under /usr/lib/debug), the two files of
 * the build-id cache (~/.debug), /usr/lib/debug/PATH.debug,
 * /usr/lib/debug/PATH, /usr/lib/debug/.build-id/xx/yy.debug, the file itself,
 * and .debug/NAME beside it (seen by strace).
 */
#ifndef RPT_DEBUG_FILE_H
#define RPT_DEBUG_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_debug_query {
	const char *symfs;	 /* "" or a directory */
	bool is_flat;		 /* without the folder of the mapped file */
	const char *buildid_dir; /* absolute path of ~/.debug; "": none */
	const char *name;	 /* the mapped file, absolute */
	const char *debuglink;	 /* name in .gnu_debuglink; NULL: none */
	const char *cached_name; /* in the cache: "elf", "vdso", ... */
	const uint8_t *build_id;
	uint8_t build_id_len; /* 0: unknown */
};

enum rpt_debug_place {
	RPT_PLACE_LINK_BESIDE,
	RPT_PLACE_LINK_DEBUG,
	RPT_PLACE_LINK_GLOBAL,
	RPT_PLACE_CACHE,
	RPT_PLACE_CACHE_DEBUG,
	RPT_PLACE_GLOBAL_SUFFIX,
	RPT_PLACE_GLOBAL,
	RPT_PLACE_GLOBAL_ID,
	RPT_PLACE_ITSELF,
	RPT_PLACE_BESIDE,
	RPT_PLACES,
};

/* Fill path.  Return false if place does not apply, or the path is too long. */
bool rpt_debug_path(const struct rpt_debug_query *query,
		    enum rpt_debug_place place, char path[PATH_MAX]);

#endif
