/* cgroup_walk.c: find the mount of control groups and visit all of them. */
#include "record/targets/cgroup.h"

#include "record/base/read_file.h"
#include "record/base/text_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { DEPTH_MAX = 64 };

struct walk {
	rec_cgroup_visit_fn *visit;
	void *ctx;
	char path[4096];
	size_t path_len;
};

/* Append the entry's name to the path.  Return false if it is too long. */
static bool push_name(struct walk *walk, const char *name)
{
	const int n =
		snprintf(walk->path + walk->path_len,
			 sizeof(walk->path) - walk->path_len, "/%s", name);

	if (n < 0 || (size_t)n >= sizeof(walk->path) - walk->path_len)
		return false;
	walk->path_len += (size_t)n;
	return true;
}

/* Visit the group of the directory fd, which is closed, and those below. */
static void walk_group(struct walk *walk, int fd, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	const size_t path_len = walk->path_len;
	const struct dirent *d;

	if (!dir) {
		close(fd);
		return;
	}
	walk->path[path_len] = '\0';
	walk->visit(walk->ctx, fd, walk->path);
	while (depth < DEPTH_MAX && (d = readdir(dir))) {
		int child;

		if (d->d_type != DT_DIR || !strcmp(d->d_name, ".") ||
		    !strcmp(d->d_name, "..") || !push_name(walk, d->d_name))
			continue;
		child = openat(fd, d->d_name,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (child >= 0)
			walk_group(walk, child, depth + 1);
		walk->path_len = path_len;
	}
	closedir(dir);
}

/* True if a comma-separated list of mount options has this one. */
static bool has_option(struct rec_text_scan options, const char *name)
{
	struct rec_text_scan one;

	while (rec_text_scan_until(&options, ',', &one))
		if (rec_text_scan_is(&one, name))
			return true;
	return rec_text_scan_is(&options, name);
}

/* Rank a mount: 2: the hierarchy that perf events belong to; 1: the one to use
 * if there is no such; 0: neither. */
static unsigned rank_mount(struct rec_text_scan line,
			   struct rec_text_scan *ret_dir)
{
	struct rec_text_scan dev;
	struct rec_text_scan type;
	struct rec_text_scan options;

	if (!rec_text_scan_word(&line, &dev) ||
	    !rec_text_scan_word(&line, ret_dir) ||
	    !rec_text_scan_word(&line, &type) ||
	    !rec_text_scan_word(&line, &options))
		return 0;
	if (rec_text_scan_is(&type, "cgroup"))
		return has_option(options, "perf_event") ? 2 : 0;
	return rec_text_scan_is(&type, "cgroup2") ? 1 : 0;
}

bool rec_cgroup_mount(const char *procfs, char *ret, size_t ret_cap)
{
	char path[512];
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all;
	struct rec_text_scan line;
	unsigned best = 0;

	snprintf(path, sizeof(path), "%s/mounts", procfs);
	if (rec_read_file(AT_FDCWD, path, 16 << 20, &text) != 0)
		goto out;
	all = rec_text_scan_buf(&text);
	while (rec_text_scan_line(&all, &line)) {
		struct rec_text_scan dir;
		const unsigned rank = rank_mount(line, &dir);

		if (rank <= best || rec_text_scan_left(&dir) >= ret_cap)
			continue;
		best = rank;
		memcpy(ret, dir.at, rec_text_scan_left(&dir));
		ret[rec_text_scan_left(&dir)] = '\0';
	}
out:
	pd_buf_release(&text);
	return best > 0;
}

int rec_cgroup_walk(const char *procfs, rec_cgroup_visit_fn *visit, void *ctx)
{
	struct walk walk = { .visit = visit, .ctx = ctx };
	char mount[1024];
	int fd;

	if (!rec_cgroup_mount(procfs, mount, sizeof(mount)))
		return -ENOENT;
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	walk_group(&walk, fd, 0);
	return 0;
}
