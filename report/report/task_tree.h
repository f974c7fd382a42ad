/* task_tree.h: prints the tasks of a recording as a tree, each below the one
 * that started it, with its last maps.
 */
#ifndef RPT_TASK_TREE_H
#define RPT_TASK_TREE_H

#include "report/timeline/timeline.h"

#include <stdio.h>

struct rpt_task_tree_conf {
	/* Print the maps below each task, and tasks that only MMAP records
	 * name, too. */
	bool with_maps;
	/* Print as perf 6.12 and 7.2 do, not as 6.1: siblings by their numbers,
	 * and what has no parent one blank to the right. */
	bool is_newer;
};

void rpt_task_tree_print(const struct rpt_timeline *tl,
			 const struct rpt_task_tree_conf *conf, FILE *out);

#endif
