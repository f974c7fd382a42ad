/* tracefs.c: find and read the tracepoints' directory. */
#include "record/event/tracefs.h"

#include "record/base/read_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual_root[] = "/sys/kernel/tracing";

/* Find the root in the mount table: tracefs itself, else below debugfs; "" if
 * there is none.  Return a negative errno if the table cannot be read. */
static int root_of_mounts(char ret[PATH_MAX])
{
	FILE *file = setmntent("/proc/self/mounts", "re");
	struct mntent entry;
	char line[PATH_MAX]; /* longer lines are cut, not lost */

	*ret = '\0';
	if (!file)
		return errno == ENOENT ? 0 : -errno;
	while (getmntent_r(file, &entry, line, sizeof(line))) {
		if (strcmp(entry.mnt_type, "tracefs") == 0) {
			snprintf(ret, PATH_MAX, "%s", entry.mnt_dir);
			break;
		}
		if (!*ret && strcmp(entry.mnt_type, "debugfs") == 0)
			snprintf(ret, PATH_MAX, "%s/tracing", entry.mnt_dir);
	}
	endmntent(file);
	return 0;
}

static int root_check(const char *root, struct pd_err *err)
{
	char events[PATH_MAX];

	snprintf(events, sizeof(events), "%s/events", root);
	if (access(events, R_OK | X_OK) == 0)
		return 0;
	if (errno != EACCES)
		return pd_err_set(err, -ENOENT, "%s is no tracefs", root);
	pd_err_set(err, -EACCES, "no permission to read %s", events);
	pd_err_hint(err,
		    "run as root, or let root run: mount -o "
		    "remount,mode=755 %s",
		    root);
	return -EACCES;
}

int rec_tracefs_find(char **ret, struct pd_err *err)
{
	char root[PATH_MAX];
	int rc = root_of_mounts(root);

	if (rc)
		return pd_err_set(err, rc, "the table of mounts: %s",
				  strerror(-rc));
	if (!*root) {
		if (mount("tracefs", usual_root, "tracefs", 0, NULL) != 0) {
			rc = errno == ENODEV ? -ENOENT : -errno;
			pd_err_set(err, rc,
				   "tracefs is not mounted and mounting it on "
				   "%s gave: %s",
				   usual_root, strerror(-rc));
			pd_err_hint(err,
				    "let root run: mount -t tracefs tracefs %s",
				    usual_root);
			return rc;
		}
		snprintf(root, sizeof(root), "%s", usual_root);
	}
	rc = root_check(root, err);
	if (rc)
		return rc;
	*ret = strdup(root);
	return *ret ? 0 : pd_err_set(err, -ENOMEM, "out of memory");
}

static int event_error(struct pd_err *err, int rc, const char *sys,
		       const char *name)
{
	if (rc == -ENOENT || rc == -ENOTDIR)
		return pd_err_set(err, -ENOENT, "no tracepoint %s:%s", sys,
				  name);
	return pd_err_set(err, rc, "tracepoint %s:%s: %s", sys, name,
			  strerror(-rc));
}

int rec_tracefs_id(const char *root, const char *sys, const char *name,
		   uint64_t *ret_id, struct pd_err *err)
{
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "events/%s/%s/id", sys, name);
	rc = rec_read_u64(root, path, ret_id);
	return rc ? event_error(err, rc, sys, name) : 0;
}

/* Visit all tracepoints of one system. */
static int system_walk(const char *events, const char *sys,
		       const char *name_glob, rec_tracefs_visit *visit,
		       void *ctx)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int rc = 0;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/%s", events, sys) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return errno == ENOTDIR ? 0 : -errno;
	while (!rc && (entry = readdir(dir))) {
		char id[PATH_MAX];

		if (entry->d_name[0] == '.' ||
		    fnmatch(name_glob, entry->d_name, 0) != 0)
			continue;
		snprintf(id, sizeof(id), "%s/id", entry->d_name);
		if (faccessat(dirfd(dir), id, F_OK, 0) != 0)
			continue;
		rc = visit(ctx, sys, entry->d_name);
	}
	closedir(dir);
	return rc;
}

int rec_tracefs_walk(const char *root, const char *sys_glob,
		     const char *name_glob, rec_tracefs_visit *visit, void *ctx,
		     struct pd_err *err)
{
	char events[PATH_MAX - NAME_MAX];
	struct dirent *entry;
	int rc = 0;
	DIR *dir;

	snprintf(events, sizeof(events), "%s/events", root);
	dir = opendir(events);
	if (!dir) {
		rc = -errno;
		return pd_err_set(err, rc, "%s: %s", events, strerror(-rc));
	}
	while (!rc && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    fnmatch(sys_glob, entry->d_name, 0) != 0)
			continue;
		rc = system_walk(events, entry->d_name, name_glob, visit, ctx);
	}
	closedir(dir);
	return rc;
}
