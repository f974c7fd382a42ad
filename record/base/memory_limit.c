#include "record/base/memory_limit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/base/read_file.h"

enum { TABLE_LEN_MAX = 16 << 20, STAT_LEN_MAX = 64 * 1024 };

/* v1 writes a number of pages just below 2^63 for none, which a machine's page
 * size rounds. */
static const uint64_t none_len = UINT64_C(1) << 62;

/* Names of one version's files; NULL: it has no such. */
struct version {
	const char *limits[2];
	const char *usage;
	const char *file_pages[2]; /* lines of memory.stat, with the children */
};

static const struct version versions[] = {
	{ { "memory.limit_in_bytes", NULL },
	  "memory.usage_in_bytes",
	  { "total_active_file", "total_inactive_file" } },
	{ { "memory.max", "memory.high" },
	  "memory.current",
	  { "active_file", "inactive_file" } },
};

/* A hierarchy's mount, and our group as /proc/self/cgroup names it. */
struct place {
	char mount[PATH_MAX];
	char root[PATH_MAX]; /* the group that stands at the mount */
	char group[PATH_MAX];
};

static bool copy(struct rec_text_scan text, char ret[PATH_MAX])
{
	size_t len = rec_text_scan_left(&text);

	if (len >= PATH_MAX)
		return false;
	memcpy(ret, text.at, len);
	ret[len] = '\0';
	return true;
}

/* True for a mount of that version's hierarchy of memory. */
static bool take_mount(struct rec_text_scan line, bool is_v2,
		       struct place *place)
{
	struct rec_text_scan word, root, mount, type, source, options;

	for (int i = 0; i < 3; i++)
		if (!rec_text_scan_word(&line, &word))
			return false;
	if (!rec_text_scan_word(&line, &root) ||
	    !rec_text_scan_word(&line, &mount))
		return false;
	while (rec_text_scan_word(&line, &word) &&
	       !rec_text_scan_is(&word, "-"))
		continue;
	return rec_text_scan_word(&line, &type) &&
	       rec_text_scan_word(&line, &source) &&
	       rec_text_scan_word(&line, &options) &&
	       rec_text_scan_is(&type, is_v2 ? "cgroup2" : "cgroup") &&
	       (is_v2 || rec_text_scan_has(options, "memory")) &&
	       copy(root, place->root) && copy(mount, place->mount);
}

/* True for our group's line, "4:memory:/a/b" or "0::/a/b". */
static bool take_group(struct rec_text_scan line, bool is_v2,
		       struct place *place)
{
	struct rec_text_scan id, controllers;

	return rec_text_scan_until(&line, ':', &id) &&
	       rec_text_scan_until(&line, ':', &controllers) &&
	       (is_v2 ? rec_text_scan_is(&id, "0") &&
				!rec_text_scan_left(&controllers)
		      : rec_text_scan_has(controllers, "memory")) &&
	       copy(line, place->group);
}

/* Find the first line of procfs/self/NAME that is taken. */
static bool find_line(const char *procfs, const char *name, bool is_v2,
		      bool (*take)(struct rec_text_scan line, bool is_v2,
				   struct place *place),
		      struct place *place)
{
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all, line;
	bool is_found = false;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/self/%s", procfs, name);
	if (!rec_read_file(AT_FDCWD, path, TABLE_LEN_MAX, &text)) {
		all = rec_text_scan_buf(&text);
		while (!is_found && rec_text_scan_line(&all, &line))
			is_found = take(line, is_v2, place);
	}
	pd_buf_release(&text);
	return is_found;
}

/* Return the part of our group's name below the mount; "" if the mount shows
 * other groups, as in a container that sees the names of its host. */
static const char *below_mount(const struct place *place)
{
	size_t len = strcmp(place->root, "/") ? strlen(place->root) : 0;
	const char *group = place->group;

	if (strncmp(group, place->root, len) != 0 ||
	    (group[len] && group[len] != '/') || strstr(group, "/.."))
		return "";
	return strcmp(group + len, "/") ? group + len : "";
}

/* Return the pages of files that the group folder has in memory. */
static uint64_t file_len(const struct version *version, const char *folder)
{
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all, line, name;
	char path[PATH_MAX + 16];
	uint64_t sum = 0, len;

	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	(void)!rec_read_file(AT_FDCWD, path, STAT_LEN_MAX, &text);
	all = rec_text_scan_buf(&text);
	while (rec_text_scan_line(&all, &line))
		for (int i = 0; i < 2; i++) {
			struct rec_text_scan at = line;

			if (rec_text_scan_word(&at, &name) &&
			    rec_text_scan_is(&name, version->file_pages[i]) &&
			    rec_text_scan_blanks(&at) &&
			    rec_text_scan_dec(&at, &len))
				sum += len;
		}
	pd_buf_release(&text);
	return sum;
}

/* Lower ret to what one group allows. */
static void look_at_group(const struct version *version, const char *folder,
			  struct rec_memory_limit *ret)
{
	uint64_t limit_len = UINT64_MAX, used_len = 0, pages_len, room_len;

	for (int i = 0; i < 2; i++) {
		uint64_t len;

		if (version->limits[i] &&
		    !rec_read_u64(folder, version->limits[i], &len) &&
		    len < none_len && len < limit_len)
			limit_len = len;
	}
	if (limit_len == UINT64_MAX)
		return;
	(void)!rec_read_u64(folder, version->usage, &used_len);
	pages_len = file_len(version, folder);
	used_len -= pages_len < used_len ? pages_len : used_len;
	room_len = limit_len - (used_len < limit_len ? used_len : limit_len);
	if (limit_len < ret->len)
		ret->len = limit_len;
	if (room_len < ret->room_len)
		ret->room_len = room_len;
}

/* Look at the group folder and at its parents, up to the mount. */
static void look_at_groups(const struct version *version, char *folder,
			   size_t mount_len, struct rec_memory_limit *ret)
{
	look_at_group(version, folder, ret);
	while (strlen(folder) > mount_len) {
		*strrchr(folder, '/') = '\0';
		look_at_group(version, folder, ret);
	}
}

static uint64_t own_limit_len;

void rec_memory_limit_set_own(uint64_t len)
{
	own_limit_len = len;
}

/* In pages: "size resident shared ...", proc(5). */
uint64_t rec_own_memory(const char *procfs, uint64_t *ret_file_len)
{
	const uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all;
	uint64_t pages[3] = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/self/statm", procfs);
	(void)!rec_read_file(AT_FDCWD, path, STAT_LEN_MAX, &text);
	all = rec_text_scan_buf(&text);
	for (int i = 0; i < 3; i++)
		if (!rec_text_scan_dec(&all, &pages[i]) ||
		    !rec_text_scan_blanks(&all))
			break;
	pd_buf_release(&text);
	*ret_file_len = pages[2] * page_len;
	return pages[1] * page_len;
}

void rec_memory_limit_read(struct rec_memory_limit *ret, const char *procfs)
{
	*ret = (struct rec_memory_limit){ .len = UINT64_MAX,
					  .room_len = UINT64_MAX };
	for (int v = 0; v < 2; v++) {
		struct place place;
		char folder[2 * PATH_MAX];

		if (!find_line(procfs, "mountinfo", v, take_mount, &place) ||
		    !find_line(procfs, "cgroup", v, take_group, &place))
			continue;
		snprintf(folder, sizeof(folder), "%s%s", place.mount,
			 below_mount(&place));
		look_at_groups(&versions[v], folder, strlen(place.mount), ret);
	}
	if (own_limit_len) {
		uint64_t file_len, used_len = rec_own_memory(procfs, &file_len);

		used_len = used_len > file_len ? used_len - file_len : 0;
		used_len = used_len < own_limit_len ? used_len : own_limit_len;
		if (own_limit_len < ret->len)
			ret->len = own_limit_len;
		ret->is_own = own_limit_len - used_len < ret->room_len;
		if (ret->is_own)
			ret->room_len = own_limit_len - used_len;
	}
}
