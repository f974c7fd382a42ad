/* cgroup.h: limit events to one control group: -G, --for-each-cgroup.
 *
 * Names are paths below the mount of the hierarchy that perf events belong to:
 * perf_event's of cgroup v1, else v2's.
 */
#ifndef REC_CGROUP_H
#define REC_CGROUP_H

#include "format/base/err.h"
#include "record/event/event_spec.h"

#include <stdbool.h>
#include <stddef.h>

/* -G "a,,b": assign the first name to the next event without one, and so on; an
 * empty name stands for no group, a single name is for all events so far.
 * *given_nr counts over several -G.  Return -EINVAL if there are more names
 * than events. */
int rec_cgroup_assign(struct rec_event_list *list, const char *names,
		      size_t *given_nr, struct pd_err *err);

/* --for-each-cgroup "a,b": repeat all events per group (cgroup.h). */
int rec_cgroup_multiply(struct rec_event_list *list, const char *text,
			const char *procfs, struct pd_err *err);

/* Visit every group of that hierarchy, parents first, with an open directory
 * and its path, "/a/b", "" for the root.  Return -ENOENT if none is mounted, or
 * an error of open(2) for the mount. */
typedef void rec_cgroup_visit_fn(void *ctx, int fd, const char *path);
int rec_cgroup_walk(const char *procfs, rec_cgroup_visit_fn *visit, void *ctx);

/* Return a descriptor of the group for perf_event_open(2), or -errno. */
int rec_cgroup_open(const char *name, struct pd_err *err);

/* Return true, with the hierarchy's mount, if none of its controllers is on for
 * any group: the kernel knows no perf events of its groups then (tried on Linux
 * 6.12). */
bool rec_cgroup_is_idle(char *ret_mount, size_t cap);

/* Find the control groups of --for-each-cgroup.
 *
 * As in perf 6.1's stat, they are given by name or, if the list contains any of
 * {}[]()|*+?^$, by basic regular expressions (regex(7)) that are searched for
 * in the paths of all groups, "system.slice/cron.service"; the root's is empty.
 * Each group is listed once. */

struct rec_cgroup_names {
	char **names; /* owned; "/" is the root */
	size_t nr;
};

/* text: "a,b".  Names are in the order given, groups that match a pattern in
 * that of their paths.  Return -EINVAL for a malformed pattern, -ENOENT if
 * nothing matches. procfs: "/proc". */
int rec_cgroup_names_init(struct rec_cgroup_names *ret, const char *text,
			  const char *procfs, struct pd_err *err);
void rec_cgroup_names_release(struct rec_cgroup_names *names);

#endif
