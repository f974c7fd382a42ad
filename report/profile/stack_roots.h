/* stack_roots.h: how many call chains of a profile reach the root of their
 * stack (symbols/stack_entry.h), and in which files the others end.
 *
 * A chain ends in its last frame that is in a map: what broken frame pointers
 * lead to does not count.  Not judged are chains without such a frame, those
 * that end in code without a name whose file is not here, those of guests, and
 * those that have the kernel's part alone, but for its own tasks.  Of more than
 * 10,000 different chains, 10,000 samples are drawn and judged.
 */
#ifndef RPT_STACK_ROOTS_H
#define RPT_STACK_ROOTS_H

#include "report/base/json_text.h"
#include "report/profile/profile.h"

struct rpt_stack_roots {
	uint64_t nr;		/* samples whose chains are judged */
	uint64_t reached_nr;	/* ... and reach a root */
	uint64_t broken_nr;	/* ... or end in a program for want of a frame
				 * pointer, not for want of room */
	struct rpt_intern ends; /* names of the files in which others end */
	uint64_t *end_nrs;	/* samples, by number of the name; owned */
	uint32_t end_cap;
	bool is_drawn; /* the numbers are estimates from samples */
};

#define RPT_ALL_EVENTS UINT32_MAX

/* Add the chains of one event, or of all; a zeroed struct has none. */
void rpt_stack_roots_add(struct rpt_stack_roots *roots,
			 const struct rpt_profile *profile, uint32_t event_idx);
void rpt_stack_roots_release(struct rpt_stack_roots *roots);

/* Return "37 of 488 stacks (7.6%) reach the start of their program, thread or
 * kernel task; the others end in node (88.1%), libc.so.6 (4.3%)", which the
 * caller frees; NULL: no chain is judged. */
char *rpt_stack_roots_text(const struct rpt_stack_roots *roots);

/* Put "samples", "rooted", and "ends", a list of all files. */
void rpt_stack_roots_json(const struct rpt_stack_roots *roots,
			  struct rpt_json *json);

#endif
