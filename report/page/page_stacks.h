/* page_stacks.h: a page of stacks whose functions are known by name alone, as a
 * database has them.
 *
 *	page = rpt_page_stacks_new(is_diff);
 *	lane = rpt_page_stacks_lane(page, "release 1.2");
 *	event = rpt_page_stacks_event(page, "cycles", false);
 *	node = rpt_page_stacks_node(page, event, &stack);
 *	rpt_page_stacks_add(page, event, &entry);	samples of that node
 *	rpt_page_stacks_print(page, &head, &conf, stdout, &err);
 *	rpt_page_stacks_free(page);
 */
#ifndef RPT_PAGE_STACKS_H
#define RPT_PAGE_STACKS_H

#include "report/page/page_diff.h"
#include "report/page/page_tree.h"

struct rpt_page_stacks;

/* Functions have their names as given; are_stems: without what differs from
 * build to build, and each lane has a row, in their order. */
struct rpt_page_stacks *rpt_page_stacks_new(bool are_stems);
/* Safe on NULL. */
void rpt_page_stacks_free(struct rpt_page_stacks *page);

/* Add a lane: a row of the timeline.  Return its number, for the field lane of
 * entries.  name is borrowed until the page is freed. */
uint32_t rpt_page_stacks_lane(struct rpt_page_stacks *page, const char *name);

/* Return the number of an event, a new one at its first time.  is_clock: its
 * periods are ns. */
uint32_t rpt_page_stacks_event(struct rpt_page_stacks *page, const char *name,
			       bool is_clock);

/* A function in a stack. */
struct rpt_page_frame {
	const char *name; /* not of one of the kind nameless */
	const char *dso;  /* "": not known */
	enum rpt_page_kind kind;
};

struct rpt_page_stack {
	const char *comm;		     /* of the task */
	const struct rpt_page_frame *frames; /* the outermost first */
	size_t frame_nr;
};

/* Return the node of a stack in the tree of an event.  Code without a name that
 * calls such code of its file is one node. */
uint32_t rpt_page_stacks_node(struct rpt_page_stacks *page, uint32_t event,
			      const struct rpt_page_stack *stack);

/* Add samples of a node, with its bin and lane, entry->nr of them and at least
 * one.  The CPU of all is not known; entry->cpu does not count. */
void rpt_page_stacks_add(struct rpt_page_stacks *page, uint32_t event,
			 const struct rpt_page_entry *entry);

/* The texts of the page beside its stacks; borrowed. */
struct rpt_page_fact {
	const char *label;
	const char *text;
};

/* A lane of a comparison that stands for several runs. */
struct rpt_page_group {
	char *name;
	double lost_share;
};

struct rpt_page_stacks_head {
	const char *lane; /* what a lane is, such as "release" */
	const struct rpt_page_fact *facts;
	size_t fact_nr;
	uint64_t lost_nr; /* samples whose time is not known */
	/* Bins of time since 1970; fewer than two: samples have no times. */
	uint64_t first_ns;
	uint64_t bin_ns;
	uint32_t bin_nr;
	/* A comparison; NULL: there is none. */
	const struct rpt_page_diff_result *diff;
	/* Its lanes by side, if these are not its runs; NULL: they are. */
	const struct rpt_page_group *groups[2];
	size_t group_nrs[2];
	bool are_pairs; /* lane i of both sides is of the same hosts */
};

/* Print the page, once.  Return 0 or a negative errno, with err set:
 * -EFBIG if not even the heaviest nodes fit. */
int rpt_page_stacks_print(struct rpt_page_stacks *page,
			  const struct rpt_page_stacks_head *head,
			  const struct rpt_page_conf *conf, FILE *out,
			  struct pd_err *err);

#endif
