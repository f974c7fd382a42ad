/* stack_walk.h: goes over the stacks of a counted recording and finds the
 * frames of each, for outputs by stack instead of by row.
 *
 * Stacks that have the same event, task name and frames share a place, so that
 * a caller that keeps what it made of a place looks at frames once:
 *
 *	rpt_stack_walk_init(&walk, part, &report->frames);
 *	while (!(rc = rpt_stack_walk_next(&walk)) && walk.stack)
 *		if (!walk.is_hidden) {
 *			if (walk.is_new_place)
 *				made[walk.place] = f(walk.frames);
 *			...
 *		}
 *	rpt_stack_walk_release(&walk);
 */
#ifndef RPT_STACK_WALK_H
#define RPT_STACK_WALK_H

#include "report/callchain/stack_frames.h"
#include "report/report/report.h"

struct rpt_stack_walk {
	/* The current stack; stack is NULL behind the last one. */
	const struct rpt_stack_key *key;
	const struct rpt_stack *stack;
	uint32_t place; /* a number from 0, without gaps */
	bool is_new_place;
	bool is_hidden; /* by an option, as a row would be */
	/* Of a new place only: */
	const uint32_t *frames; /* callers first */
	uint32_t frame_nr;	/* at least 1 */
	uint32_t self;		/* the frame where the sample was taken ... */
	uint64_t addr; /* ... and the instruction's address in its DSO */

	/* Private: */
	const struct rpt_report *report;
	struct rpt_frames *all;
	struct rpt_stack_frames at;
	struct rpt_intern places;
	bool *are_hidden; /* by place */
	uint32_t hidden_cap;
	uint8_t *place_key; /* under construction */
	size_t place_key_cap;
	uint32_t next; /* an index into report->order */
};

/* Begin before the first stack of report, one recording whose samples were
 * counted.  frames are those of the report that it is a part of, in use for it
 * (rpt_frames_use()).  Both are borrowed. */
void rpt_stack_walk_init(struct rpt_stack_walk *walk,
			 const struct rpt_report *report,
			 struct rpt_frames *frames);
/* Go on to the next stack.  Return 0, or -EFBIG if the budget did not allow its
 * frames. */
int rpt_stack_walk_next(struct rpt_stack_walk *walk);
void rpt_stack_walk_release(struct rpt_stack_walk *walk);

#endif
