/* page_callees.h: finds the function of a page that an instruction calls. */
#ifndef RPT_PAGE_CALLEES_H
#define RPT_PAGE_CALLEES_H

#include "report/page/page_names.h"

struct rpt_page_callees {
	const struct rpt_page_names *names;
	uint32_t *first; /* by text: a function + 1 of that name; owned */
	uint32_t *next;	 /* by function: another + 1; owned */
};

/* names is borrowed and stays as it is. */
void rpt_page_callees_init(struct rpt_page_callees *callees,
			   const struct rpt_page_names *names);
void rpt_page_callees_release(struct rpt_page_callees *callees);

/* Return the function + 1 whose name an instruction of caller has, as
 * "memcpy@plt"; of several, that in the caller's file.  0: there is none. */
uint32_t rpt_page_callees_find(const struct rpt_page_callees *callees,
			       const char *name, uint32_t caller);

#endif
