/* why_sums.h: the sums that the sentences of perfpair why are made of.
 *
 *	struct rpt_why w = { .report = report, ... };
 *	rpt_why_add_stacks(&w);
 *	key = RPT_WHY_MOST(&w, &sum, RPT_WHY_WAIT, state, function);
 *	rpt_why_release(&w);
 *
 * Each stack of the report (what a task did, whom it waited for, what that did)
 * is added to one sum for each thing in enum rpt_why_sum_of.
 */
#ifndef RPT_WHY_SUMS_H
#define RPT_WHY_SUMS_H

#include "report/callchain/stack_frames.h"
#include "report/report/report.h"

#include <string.h>

/* The things that sums are of: the first word of a key.  The others are numbers
 * of functions (0: none), but for the state and the task's name. */
enum rpt_why_sum_of {
	RPT_WHY_STATE,	/* state */
	RPT_WHY_WITHIN, /* state, function: with all that it calls and waits for
			 */
	RPT_WHY_SELF,	/* state, innermost function or word */
	RPT_WHY_PLACE,	/* state, innermost own function */
	RPT_WHY_LEAF,	/* state, innermost own function, innermost function */
	RPT_WHY_WAIT,	/* state, own function, task, callee, waker, root's own
			 * function, root's word */
	RPT_WHY_IDLE,	/* state, own function: nothing was asked of it */
	RPT_WHY_ROOT,	/* root's own function, task, waker */
	RPT_WHY_WORD,	/* root's word */
};

/* Stands for the sum of all states. */
#define RPT_WHY_ANY_STATE RPT_WAIT_STATES_NR

struct rpt_why_sum {
	uint64_t ns;
	uint64_t nr; /* of parts */
};

struct rpt_why {
	struct rpt_report *report;
	struct rpt_frames *frames;
	struct rpt_stack_frames at;  /* of the stack that is added */
	struct rpt_intern functions; /* rows: place, or address */
	struct function {
		uint32_t frame;
		uint32_t last_stack; /* + 1, that counted for it */
	} * items;		     /* owned; by number of the function */
	uint32_t item_cap;
	struct rpt_intern tasks; /* names */
	struct rpt_intern keys;
	struct rpt_why_sum *sums; /* owned; by number of the key */
	uint32_t sum_cap;
	uint64_t all_ns;
	uint64_t run_ns;     /* on CPUs, of all threads */
	const char *process; /* its name; NULL: several, or none */
	char *choice;	     /* options that choose the same; owned */
};

/* Add all stacks.  Return 0, or -ENOMEM beyond the limit on memory. */
int rpt_why_add_stacks(struct rpt_why *w);
/* Free all but w itself. */
void rpt_why_release(struct rpt_why *w);

/* Return the key with the most time of those that begin with these words; NULL:
 * there is none.  *ret gets its sum. */
const uint32_t *rpt_why_most(const struct rpt_why *w, const uint32_t *words,
			     uint32_t nr, struct rpt_why_sum *ret);
#define RPT_WHY_MOST(w, ret, ...)                                \
	rpt_why_most((w), (const uint32_t[]){ __VA_ARGS__ },     \
		     sizeof((const uint32_t[]){ __VA_ARGS__ }) / \
			     sizeof(uint32_t),                   \
		     (ret))

/* Return the time in a state. */
uint64_t rpt_why_state_ns(const struct rpt_why *w, uint32_t state);
/* Return the sum of some states; *ret_most is that with the most. */
uint64_t rpt_why_sum_states(const struct rpt_why *w, const uint32_t *states,
			    size_t nr, uint32_t *ret_most);
/* Return the function that has the most time of its own in these states, as a
 * key of RPT_WHY_PLACE; NULL: there is none. */
const uint32_t *rpt_why_most_place(const struct rpt_why *w,
				   const uint32_t *states, size_t nr,
				   struct rpt_why_sum *ret);
/* Return the time whose root has a word that begins so. */
uint64_t rpt_why_word_ns(const struct rpt_why *w, const char *start);

/* Return the name of a function or word; "" of number 0. */
const char *rpt_why_name(const struct rpt_why *w, uint32_t function);

static inline bool rpt_why_begins(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

#endif
