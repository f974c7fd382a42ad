/* cgroup_names.h: which control groups --for-each-cgroup means.
 *
 * As perf 6.1's stat takes it: names, or, where any of {}[]()|*+?^$ stands in
 * the list, basic regular expressions (regex(7)) that are searched for in all
 * groups' paths, "system.slice/cron.service"; the root's is empty.  Each group
 * is there once.
 */
#ifndef REC_CGROUP_NAMES_H
#define REC_CGROUP_NAMES_H

#include "format/err.h"

#include <stddef.h>

struct rec_cgroup_names {
	char **names; /* owned; "/" is the root */
	size_t nr;
};

/* text: "a,b".  Names are in the order given, groups that a pattern finds in
 * that of their paths.  -EINVAL: a pattern that is none; -ENOENT: nothing fits.
 * procfs: "/proc". */
int rec_cgroup_names_init(struct rec_cgroup_names *ret, const char *text,
			  const char *procfs, struct pd_err *err);
void rec_cgroup_names_release(struct rec_cgroup_names *names);

#endif
