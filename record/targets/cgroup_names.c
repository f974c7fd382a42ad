#include "record/targets/cgroup_names.h"

#include "record/targets/cgroup.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

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
