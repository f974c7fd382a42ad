#include "record/targets/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/targets/cgroup_names.h"

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

	if (rc)
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

int rec_cgroup_open(const char *name, struct pd_err *err)
{
	char mount[1024];
	char *path;
	int fd;

	if (!rec_cgroup_mount("/proc", mount, sizeof(mount))) {
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
