/* task_tree.h: prints the tasks of a recording as a tree, each below the one
 * that started it, with its last maps.
 */
#ifndef RPT_TASK_TREE_H
#define RPT_TASK_TREE_H

#include "report/timeline/timeline.h"

#include <stdio.h>

/* Print the tree in the order of perf 6.1.  with_maps: print the maps below
 * each task, and tasks that only MMAP records name, too. */
void rpt_task_tree_print(const struct rpt_timeline *tl, bool with_maps,
			 FILE *out);

#endif
