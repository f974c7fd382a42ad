/* cgroup.h: events that count in one control group only: -G, --for-each-cgroup.
 *
 * Names are paths below the mount of the hierarchy that perf events belong to:
 * perf_event's of cgroup v1, else v2's.
 */
#ifndef REC_CGROUP_H
#define REC_CGROUP_H

#include "record/event/event_spec.h"

/* -G "a,,b": the first name to the event that comes next, *given_nr counting
 * over several -G; none where the name is empty.  A name that stands alone is
 * for all events so far.  -EINVAL: more names than events. */
int rec_cgroup_assign(struct rec_event_list *list, const char *names,
		      size_t *given_nr, struct pd_err *err);

/* --for-each-cgroup "a,b": all events once for each group (cgroup_names.h). */
int rec_cgroup_multiply(struct rec_event_list *list, const char *text,
			const char *procfs, struct pd_err *err);

/* Where that hierarchy is mounted, by procfs ("/proc"); false: nowhere. */
bool rec_cgroup_mount(const char *procfs, char *ret, size_t ret_cap);

/* Show every group of that hierarchy, each before those below it: an open
 * directory, and the path, "/a/b", "" the root's.  -ENOENT: nothing is
 * mounted; other errors are open(2)'s of the mount. */
typedef void rec_cgroup_visit_fn(void *ctx, int fd, const char *path);
int rec_cgroup_walk(const char *procfs, rec_cgroup_visit_fn *visit, void *ctx);

/* A descriptor of the group for perf_event_open(2); the negative errno. */
int rec_cgroup_open(const char *name, struct pd_err *err);

#endif
