/* cgroup_names.h: find the control groups of --for-each-cgroup.
 *
 * As in perf 6.1's stat, they are given by name or, if the list contains any of
 * {}[]()|*+?^$, by basic regular expressions (regex(7)) that are searched for
 * in the paths of all groups, "system.slice/cron.service"; the root's is empty.
 * Each group is listed once.
 */
#ifndef REC_CGROUP_NAMES_H
#define REC_CGROUP_NAMES_H

#include "format/base/err.h"

#include <stddef.h>

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
