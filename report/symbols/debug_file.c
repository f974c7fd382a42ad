#include "report/symbols/debug_file.h"

#include "format/build_id.h"

#include <stdio.h>
#include <string.h>

#define GLOBAL_DIR "/usr/lib/debug"

static bool fits(int len)
{
	return len > 0 && len < PATH_MAX;
}

/* Length of the directory part of name, with its last slash. */
static int dir_len(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (int)(slash - name) + 1 : 0;
}

static const char *base_name(const char *name)
{
	return name + dir_len(name);
}

bool rpt_build_id_path(char path[PATH_MAX], const char *dir,
		       const uint8_t *build_id, uint8_t build_id_len,
		       const char *file)
{
	char hex[PD_BUILD_ID_HEX_LEN];

	if (build_id_len < 2 || build_id_len > PD_BUILD_ID_LEN_MAX)
		return false;
	pd_build_id_hex(build_id, build_id_len, hex);
	return fits(snprintf(path, PATH_MAX, "%s/.build-id/%.2s/%s%s%s", dir,
			     hex, hex + 2, file[0] == '.' ? "" : "/", file));
}

static bool cache_path(const struct rpt_debug_query *q, const char *file,
		       char path[PATH_MAX])
{
	return q->buildid_dir[0] != '\0' &&
	       rpt_build_id_path(path, q->buildid_dir, q->build_id,
				 q->build_id_len, file);
}

static bool global_id_path(const struct rpt_debug_query *q, char path[PATH_MAX])
{
	char dir[PATH_MAX];

	return fits(snprintf(dir, sizeof(dir), "%s" GLOBAL_DIR, q->symfs)) &&
	       rpt_build_id_path(path, dir, q->build_id, q->build_id_len,
				 ".debug");
}

static bool link_path(const struct rpt_debug_query *q,
		      enum rpt_debug_place place, char path[PATH_MAX])
{
	bool is_global = place == RPT_PLACE_LINK_GLOBAL;
	bool is_sub = place == RPT_PLACE_LINK_DEBUG;

	/* A link names a file, never a path. */
	if (!q->debuglink || strchr(q->debuglink, '/'))
		return false;
	return fits(snprintf(path, PATH_MAX, "%s%s%.*s%s%s", q->symfs,
			     is_global ? GLOBAL_DIR : "", dir_len(q->name),
			     q->name, is_sub ? ".debug/" : "", q->debuglink));
}

bool rpt_debug_path(const struct rpt_debug_query *query,
		    enum rpt_debug_place place, char path[PATH_MAX])
{
	const struct rpt_debug_query *q = query;

	switch (place) {
	case RPT_PLACE_LINK_BESIDE:
	case RPT_PLACE_LINK_DEBUG:
	case RPT_PLACE_LINK_GLOBAL:
		return link_path(q, place, path);
	case RPT_PLACE_CACHE:
		return cache_path(q, q->cached_name, path);
	case RPT_PLACE_CACHE_DEBUG:
		return cache_path(q, "debug", path);
	case RPT_PLACE_GLOBAL_SUFFIX:
		return fits(snprintf(path, PATH_MAX, "%s" GLOBAL_DIR "%s.debug",
				     q->symfs, q->name));
	case RPT_PLACE_GLOBAL:
		return fits(snprintf(path, PATH_MAX, "%s" GLOBAL_DIR "%s",
				     q->symfs, q->name));
	case RPT_PLACE_GLOBAL_ID:
		return global_id_path(q, path);
	case RPT_PLACE_ITSELF:
		return fits(
			snprintf(path, PATH_MAX, "%s%s", q->symfs, q->name));
	case RPT_PLACE_BESIDE:
		return fits(snprintf(path, PATH_MAX, "%s%.*s.debug/%s",
				     q->symfs, dir_len(q->name), q->name,
				     base_name(q->name)));
	case RPT_PLACES:
	default:
		return false;
	}
}
