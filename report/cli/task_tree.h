/* task_tree.h: the tasks of a recording as a tree, each below who started it,
 * and what they had mapped in the end.
 */
#ifndef RPT_TASK_TREE_H
#define RPT_TASK_TREE_H

#include "report/timeline/timeline.h"

#include <stdio.h>

/* Prints the tree in the order of perf 6.1.  with_maps: below each task its
 * maps; tasks that only MMAP records tell of are in the tree too.  0 or
 * -ENOMEM. */
int rpt_task_tree_print(const struct rpt_timeline *tl, bool with_maps,
			FILE *out);

#endif
