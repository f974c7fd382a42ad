/* row_chains.h: the resolved chains of all stacks, and the rows that each
 * counts for, so that the call tree of a row can be made when it is printed.
 *
 *	rpt_row_chains_add()	for each stack, and the row of the stack itself
 *	rpt_row_chains_count()	for each caller's row, which gets the chain
 *				from that frame on
 *	rpt_row_chains_index()	once, after all: for the rows that matter; the
 *				frames of their chains become labels
 *	rpt_row_chains_of()	for each row
 */
#ifndef RPT_ROW_CHAINS_H
#define RPT_ROW_CHAINS_H

#include "report/callchain/callgraph.h"

struct rpt_stack_chain;
struct rpt_chain_part;

struct rpt_row_chains {
	struct rpt_stack_chain *chains;
	uint32_t nr;
	uint32_t cap;
	uint32_t *labels; /* of all chains, one after the other: frames first */
	uint32_t *frames; /* likewise, if labels have no names; or NULL */
	uint32_t *ends;	  /* likewise; NULL if chains have none */
	uint32_t *rows;	  /* by label; RPT_NO_ROW */
	size_t labels_nr;
	size_t labels_cap;
	size_t *starts; /* by row: its first part; one more at the end */
	struct rpt_chain_part *parts;
	struct rpt_call_chain *of_row; /* what rpt_row_chains_of() returned */
};

#define RPT_NO_ROW UINT32_MAX

/* Free all; safe on a zeroed struct, which is empty. */
void rpt_row_chains_release(struct rpt_row_chains *chains);

/* Add a chain of frames; there are no labels yet. */
void rpt_row_chains_add(struct rpt_row_chains *chains,
			const struct rpt_call_chain *chain, uint32_t row);

/* Let the chain added last count for this row, too, from frame number from on.
 */
void rpt_row_chains_count(struct rpt_row_chains *chains, uint32_t row,
			  uint32_t from);

/* Index the chains of the rows that is_wanted[row_nr] names; frames is what
 * they consist of.  Call it once. */
void rpt_row_chains_index(struct rpt_row_chains *chains,
			  struct rpt_frames *frames, const bool *is_wanted,
			  uint32_t row_nr);

/* Return the *ret_nr chains of a wanted row in the order in which they were
 * added.  The caller may change them; they are valid until the next call. */
struct rpt_call_chain *rpt_row_chains_of(struct rpt_row_chains *chains,
					 uint32_t row, uint32_t *ret_nr);

#endif
