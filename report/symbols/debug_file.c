#include "report/symbols/debug_file.h"

#include "format/records/build_id.h"

#include <stdio.h>
#include <string.h>

#define GLOBAL_DIR "/usr/lib/debug"

static bool fits(int len)
{
	return len > 0 && len < PATH_MAX;
}

/* Return the length of name's folder, with its last slash. */
static int dir_len(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (int)(slash - name) + 1 : 0;
}

/* A path is symfs, root, the folder of the mapped file, sub, the file's name,
 * or that in .gnu_debuglink, and suffix. */
static const struct {
	const char *root;
	const char *sub;
	const char *suffix;
	bool is_link;
} places[RPT_PLACES] = {
	[RPT_PLACE_LINK_BESIDE] = { "", "", "", true },
	[RPT_PLACE_LINK_DEBUG] = { "", ".debug/", "", true },
	[RPT_PLACE_LINK_GLOBAL] = { GLOBAL_DIR, "", "", true },
	[RPT_PLACE_GLOBAL_SUFFIX] = { GLOBAL_DIR, "", ".debug", false },
	[RPT_PLACE_GLOBAL] = { GLOBAL_DIR, "", "", false },
	[RPT_PLACE_ITSELF] = { "", "", "", false },
	[RPT_PLACE_BESIDE] = { "", ".debug/", "", false },
};

static bool global_id_path(const struct rpt_debug_query *q, char path[PATH_MAX])
{
	char dir[PATH_MAX];

	return fits(snprintf(dir, sizeof(dir), "%s" GLOBAL_DIR, q->symfs)) &&
	       pd_build_id_path(path, PATH_MAX, dir, q->build_id,
				q->build_id_len, ".debug");
}

bool rpt_debug_path(const struct rpt_debug_query *query,
		    enum rpt_debug_place place, char path[PATH_MAX])
{
	const struct rpt_debug_query *q = query;
	int folder_len = dir_len(q->name);
	const char *file = q->name + folder_len;

	if (place == RPT_PLACE_GLOBAL_ID)
		return global_id_path(q, path);
	if (place == RPT_PLACE_CACHE || place == RPT_PLACE_CACHE_DEBUG)
		return *q->buildid_dir &&
		       pd_build_id_path(path, PATH_MAX, q->buildid_dir,
					q->build_id, q->build_id_len,
					place == RPT_PLACE_CACHE
						? q->cached_name
						: "debug");
	/* a link is the name of a file, never a path */
	if (places[place].is_link)
		file = q->debuglink;
	if (!file || (places[place].is_link && strchr(file, '/')))
		return false;
	return fits(snprintf(path, PATH_MAX, "%s%s%.*s%s%s%s", q->symfs,
			     places[place].root, q->is_flat ? 1 : folder_len,
			     q->is_flat ? "/" : q->name, places[place].sub,
			     file, places[place].suffix));
}
