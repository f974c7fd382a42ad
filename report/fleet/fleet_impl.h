/* fleet_impl.h: the questions; private to this room. */
#ifndef RPT_FLEET_IMPL_H
#define RPT_FLEET_IMPL_H

#include "report/fleet/fleet_load.h"
#include "report/page/page_diff.h"

#include <stdio.h>

/* Each of these asks, and prints the answer.  Return 0 or a negative errno,
 * with err set. */
int rpt_fleet_diff(const struct rpt_fleet_scope *scope, FILE *out,
		   struct pd_err *err);
int rpt_fleet_top(const struct rpt_fleet_scope *scope, FILE *out,
		  struct pd_err *err);
int rpt_fleet_trend(const struct rpt_fleet_scope *scope, FILE *out,
		    struct pd_err *err);
int rpt_fleet_hosts(const struct rpt_fleet_scope *scope, FILE *out,
		    struct pd_err *err);
/* The stacks of top or diff, as lines for flame graphs. */
int rpt_fleet_folded(const struct rpt_fleet_scope *scope, FILE *out,
		     struct pd_err *err);

/* fleet_page.c: the page of a top. */
int rpt_fleet_page_top(const struct rpt_fleet_scope *scope, FILE *out,
		       struct pd_err *err);
/* The page of a diff, of all that was loaded.  Return likewise. */
int rpt_fleet_page_diff(const struct rpt_fleet_load *load,
			const struct rpt_page_diff_result *diff, FILE *out,
			struct pd_err *err);

/* fleet_outliers.c: hosts whose part of a change stands out. */
struct rpt_fleet_outliers {
	const char **hosts; /* the largest part first; owned, but not the
			     * texts, which are the loaded hosts' names */
	size_t nr;
	double part; /* of the change that they carry */
};

/* Find for each row of a table, side 1, the hosts that carry it; outliers has
 * room for nr rows, which the caller releases in any case. */
int rpt_fleet_outliers_find(struct rpt_fleet_outliers *outliers,
			    const struct rpt_fleet_load *load,
			    const struct rpt_diff_table *table,
			    const uint32_t *rows, size_t nr,
			    struct pd_err *err);
void rpt_fleet_outliers_release(struct rpt_fleet_outliers *outliers, size_t nr);

/* Texts that a page has to say before its numbers.  A zeroed struct is an empty
 * list. */
struct rpt_fleet_notes {
	char **texts; /* owned, with the texts */
	uint32_t nr;
	uint32_t cap;
};

/* Add a copy of a text.  notes: struct rpt_fleet_notes; for
 * sup_message_listen(). */
void rpt_fleet_note(void *notes, const char *text);

#endif
