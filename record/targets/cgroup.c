#include "record/targets/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/base/read_file.h"
#include "record/base/text_scan.h"

/* The mount of control groups, and a visit of all of them. */

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
		return rec_text_scan_has(options, "perf_event") ? 2 : 0;
	return rec_text_scan_is(&type, "cgroup2") ? 1 : 0;
}

/* Find the mount of that hierarchy by procfs ("/proc"); false: none. */
static bool cgroup_mount(const char *procfs, char *ret, size_t ret_cap)
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

	if (!cgroup_mount(procfs, mount, sizeof(mount)))
		return -ENOENT;
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	walk_group(&walk, fd, 0);
	return 0;
}

static int set_name(struct rec_event *event, const char *name, size_t len)
{
	char *copy = len ? strndup(name, len) : NULL;

	if (len && !copy)
		return -ENOMEM;
	free(event->cgroup);
	event->cgroup = copy;
	return 0;
}

/* Assign a single name to all events so far. */
static int spread(struct rec_event_list *list, size_t from)
{
	const char *name = list->events[from].cgroup;
	int rc = 0;

	for (size_t i = 0; i < list->nr && name && !rc; i++)
		if (!list->events[i].cgroup)
			rc = set_name(&list->events[i], name, strlen(name));
	return rc;
}

int rec_cgroup_assign(struct rec_event_list *list, const char *names,
		      size_t *given_nr, struct pd_err *err)
{
	int rc = 0;

	if (!list->nr) {
		pd_err_set(err, -EINVAL, "-G without an event before it");
		pd_err_hint(err, "give -e first, then -G");
		return -EINVAL;
	}
	for (;;) {
		size_t len = strcspn(names, ",");

		if (*given_nr >= list->nr) {
			pd_err_set(err, -EINVAL,
				   "-G has more names than there are events");
			pd_err_hint(err, "one name for each -e before it, or "
					 "one for all");
			return -EINVAL;
		}
		rc = set_name(&list->events[*given_nr], names, len);
		(*given_nr)++;
		if (rc || !names[len])
			break;
		names += len + 1;
	}
	if (!rc && *given_nr == 1)
		rc = spread(list, 0);
	return rc ? pd_err_set(err, rc, "out of memory") : 0;
}

static char *copy_text(const char *text, bool *ret_failed)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*ret_failed = true;
	return copy;
}

/* Append a copy of events[idx], limited to the group, to the list. */
static int append_copy(struct rec_event_list *list, size_t idx, size_t base,
		       const char *name)
{
	struct rec_event *copy = rec_event_append(list, list->events[idx].name);
	const struct rec_event *event = &list->events[idx];
	struct rec_event own;
	bool failed = false;

	if (!copy)
		return -ENOMEM;
	own = *copy;
	*copy = *event;
	copy->name = own.name;
	free(own.group_name);
	copy->group_name = copy_text(event->group_name, &failed);
	copy->pmu_name = copy_text(event->pmu_name, &failed);
	copy->unit = copy_text(event->unit, &failed);
	copy->cpus = copy_text(event->cpus, &failed);
	copy->filter = copy_text(event->filter, &failed);
	copy->leader_idx = event->leader_idx + base;
	copy->cgroup = NULL;
	return failed ? -ENOMEM : set_name(copy, name, strlen(name));
}

int rec_cgroup_multiply(struct rec_event_list *list, const char *text,
			const char *procfs, struct pd_err *err)
{
	struct rec_cgroup_names names;
	size_t nr = list->nr;
	int rc = rec_cgroup_names_init(&names, text, procfs, err);

	if (rc || !names.names)
		return rc;
	for (size_t i = 0; i < nr && !rc; i++)
		rc = set_name(&list->events[i], names.names[0],
			      strlen(names.names[0]));
	for (size_t k = 1; k < names.nr && !rc; k++) {
		size_t base = list->nr;

		for (size_t i = 0; i < nr && !rc; i++)
			rc = append_copy(list, i, base, names.names[k]);
	}
	rec_cgroup_names_release(&names);
	return rc ? pd_err_set(err, rc, "out of memory") : 0;
}

/* Return whether a hierarchy of version 1 has the controller of perf events, by
 * /proc/cgroups (cgroups(7)): "perf_event 10 1 1". */
static bool is_of_version_1(void)
{
	FILE *file = fopen("/proc/cgroups", "re");
	char line[256];
	unsigned hierarchy = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "perf_event %u", &hierarchy) == 1)
			break;
	if (file)
		fclose(file);
	return hierarchy != 0;
}

bool rec_cgroup_is_idle(char *ret_mount, size_t cap)
{
	char line[256];

	return !is_of_version_1() && cgroup_mount("/proc", ret_mount, cap) &&
	       !rec_read_line(ret_mount, "cgroup.subtree_control", line,
			      sizeof(line)) &&
	       !line[0];
}

int rec_cgroup_open(const char *name, struct pd_err *err)
{
	char mount[1024];
	char *path;
	int fd;

	if (!cgroup_mount("/proc", mount, sizeof(mount))) {
		pd_err_set(err, -ENOENT, "no control groups are mounted");
		pd_err_hint(err, "mount -t cgroup2 none /sys/fs/cgroup");
		return -ENOENT;
	}
	if (asprintf(&path, "%s/%s", mount, name) < 0)
		return pd_err_set(err, -ENOMEM, "out of memory");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		pd_err_set(err, fd, "control group %s: %s", path,
			   strerror(-fd));
		pd_err_hint(err, "names are paths below %s", mount);
	}
	free(path);
	return fd;
}

struct find {
	struct rec_cgroup_names *names;
	const regex_t *pattern;
	int rc;
};

static bool has_name(const struct rec_cgroup_names *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

static int append(struct rec_cgroup_names *names, const char *name)
{
	char **grown, *copy;

	if (!*name)
		name = "/";
	if (has_name(names, name))
		return 0;
	grown = realloc(names->names, (names->nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->names = grown;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	grown[names->nr++] = copy;
	return 0;
}

static void match(void *ctx, int fd, const char *path)
{
	struct find *find = ctx;

	(void)fd;
	path += *path == '/';
	if (!find->rc && !regexec(find->pattern, path, 0, NULL, 0))
		find->rc = append(find->names, path);
}

static int append_matching(struct rec_cgroup_names *names, const char *text,
			   const char *procfs, struct pd_err *err)
{
	regex_t pattern;
	struct find find = { names, &pattern, 0 };
	char why[128];
	int rc = regcomp(&pattern, text, REG_NOSUB);

	if (rc) {
		regerror(rc, &pattern, why, sizeof(why));
		pd_err_set(err, -EINVAL, "--for-each-cgroup '%s': %s", text,
			   why);
		pd_err_hint(err, "give names, or basic regular expressions "
				 "such as ^system.slice/");
		return -EINVAL;
	}
	rc = rec_cgroup_walk(procfs, match, &find);
	regfree(&pattern);
	if (rc == -ENOENT) {
		pd_err_set(err, rc, "no control groups are mounted");
		pd_err_hint(err, "mount -t cgroup2 none /sys/fs/cgroup");
	}
	return rc ? rc : find.rc;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int none_matched(const char *text, struct pd_err *err)
{
	pd_err_set(err, -ENOENT, "no control group matches '%s'", text);
	pd_err_hint(err, "the pattern is a basic regular expression, for paths "
			 "below the mount without a / in front");
	return -ENOENT;
}

int rec_cgroup_names_init(struct rec_cgroup_names *ret, const char *text,
			  const char *procfs, struct pd_err *err)
{
	bool is_pattern = text[strcspn(text, "{}[]()|*+?^$")] != '\0';
	char *copy = strdup(text), *rest = copy, *item;
	int rc = copy ? 0 : -ENOMEM;

	memset(ret, 0, sizeof(*ret));
	while (!rc && (item = strsep(&rest, ",")))
		rc = is_pattern && *item
			     ? append_matching(ret, item, procfs, err)
			     : append(ret, item);
	free(copy);
	if (!rc && !ret->nr)
		rc = none_matched(text, err);
	if (!rc && is_pattern)
		qsort(ret->names, ret->nr, sizeof(*ret->names), compare);
	if (!rc)
		return 0;
	rec_cgroup_names_release(ret);
	return pd_err_set(err, rc, "control groups: %s", strerror(-rc));
}

void rec_cgroup_names_release(struct rec_cgroup_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->names[i]);
	free(names->names);
	memset(names, 0, sizeof(*names));
}
