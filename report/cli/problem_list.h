/* problem_list.h: why files have no names, of several recordings: what holds
 * for many of them is said once.
 *
 *	struct rpt_problem_list list = { 0 };
 *
 *	for each recording:
 *		rpt_problem_list_next(&list);
 *		rpt_problem_list_add(&list, "/lib/a.so: ...");
 *	rpt_problem_list_print(&list);
 *	rpt_problem_list_release(&list);
 */
#ifndef RPT_PROBLEM_LIST_H
#define RPT_PROBLEM_LIST_H

#include "report/base/intern.h"

struct rpt_problem_list {
	struct rpt_intern texts;
	struct rpt_problem_count *counts; /* owned; by text */
	uint32_t cap;
	uint32_t recording_nr; /* begun */
};

/* Begin another recording. */
void rpt_problem_list_next(struct rpt_problem_list *list);
/* Add a problem that it has; again is no other. */
void rpt_problem_list_add(struct rpt_problem_list *list, const char *text);

/* Print on stderr each, in the order of their first recordings, and if there
 * are several recordings, how many of them have it. */
void rpt_problem_list_print(const struct rpt_problem_list *list);

void rpt_problem_list_release(struct rpt_problem_list *list);

#endif
