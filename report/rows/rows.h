/* rows.h: adds stacks up into the rows of a table.
 *
 * A table is of one event, or of a group, whose members are columns of it.
 * With children a stack also counts for the row of each of its callers; that
 * weight is the accumulated one.
 *
 *	rpt_rows_init()
 *	rpt_rows_add()		each stack, in the order of first samples
 *	rpt_rows_end()
 *	rpt_rows_sort()		rows->order is the order to print them in
 *	rpt_rows_index_chains()	beside it: chains by row, for call graphs
 *	rpt_rows_release()
 */
#ifndef RPT_ROWS_H
#define RPT_ROWS_H

#include "report/callchain/stack_frames.h"
#include "report/events/branch_types.h"
#include "report/rows/row.h"
#include "report/rows/row_chains.h"
#include "report/rows/rows_conf.h"

/* The state of adding stacks. */
struct rpt_rows_adding {
	uint32_t stack_idx; /* of the stack that is being added */
	uint32_t stack_serial;
	struct rpt_stack_frames own; /* its frames, resolved here */
	/* Its key, and where in it the words of each sort key are. */
	uint32_t words[RPT_KEYS_MAX * RPT_KEY_WORDS_MAX + RPT_KEYS_MAX];
	uint32_t word_at[RPT_KEYS_MAX + 1];
	uint32_t *bases; /* of keys */
	uint32_t bases_nr;
	struct rpt_row_cache (*caches)[2]; /* by frame; [1]: its own address */
	uint32_t caches_cap;
	struct rpt_key_source last; /* of the last stack; stack NULL: none */
	uint32_t last_base;
};

struct rpt_rows {
	struct rpt_rows_conf conf;
	const struct rpt_profile *profile; /* of input */
	const struct rpt_rows_input *input;
	struct rpt_rows_input only; /* the input without rpt_rows_use() */
	struct rpt_frames *frames;  /* borrowed */
	struct rpt_row_chains chains;
	struct rpt_callgraph graph; /* of one row: rpt_rows_graph() */
	struct rpt_intern keys;	    /* numbers the rows */
	struct rpt_row_texts texts;
	struct rpt_rows_adding adding;
	uint32_t event_idx;	    /* of the first member; set by the caller */
	struct rpt_row *items;	    /* by number of the key */
	struct rpt_row_stat *stats; /* member_nr for each row */
	struct rpt_row_modes *modes; /* likewise, or NULL */
	struct rpt_row_counter *counters;
	uint32_t cap;
	uint32_t member_nr;
	uint32_t *order;  /* rows as they are shown; after rpt_rows_sort() */
	uint64_t *totals; /* self periods by member */
	uint64_t *second_totals; /* likewise, of rpt_profile.seconds */
	struct rpt_branch_types branch_types; /* with conf.has_branch_types */
	struct rpt_event_total *unresolved;   /* by member: left out by -U, or
					       * by their mode */
	uint64_t min_weight;		      /* of rpt_rows_index_chains() */
	bool is_full; /* there was no budget for the last row */
};

/* Return the bytes that a row takes of the timeline's budget, with its counts,
 * its key, its entries in tables and orders. */
uint64_t rpt_rows_cost_len(const struct rpt_rows *rows);

static inline uint32_t rpt_rows_nr(const struct rpt_rows *rows)
{
	return rows->keys.nr;
}

static inline struct rpt_row_stat *rpt_rows_stat(const struct rpt_rows *rows,
						 uint32_t row, uint32_t member)
{
	return &rows->stats[(size_t)row * rows->member_nr + member];
}

/* Return NULL without conf.keys.has_modes. */
static inline struct rpt_row_modes *
rpt_rows_modes(const struct rpt_rows *rows, uint32_t row, uint32_t member)
{
	return rows->modes
		       ? &rows->modes[(size_t)row * rows->member_nr + member]
		       : NULL;
}

/* Return the sum of all rows that a weight is a part of. */
static inline uint64_t rpt_rows_total(const struct rpt_rows *rows,
				      enum rpt_weight weight, uint32_t member)
{
	return weight >= RPT_WEIGHT_SECOND ? rows->second_totals[member]
					   : rows->totals[member];
}

/* Return what a row weighs, for one member. */
uint64_t rpt_rows_weight(const struct rpt_rows *rows, uint32_t row,
			 enum rpt_weight weight, uint32_t member);

/* Copy conf; profile and frames must outlive rows. */
void rpt_rows_init(struct rpt_rows *rows, const struct rpt_rows_conf *conf,
		   const struct rpt_profile *profile, struct rpt_frames *frames,
		   uint32_t member_nr);
void rpt_rows_release(struct rpt_rows *rows);

/* Set the input of the stacks that are added from here on, which must outlive
 * rows.  Call rpt_frames_use() before.  Without a call conf is the input. */
void rpt_rows_use(struct rpt_rows *rows, const struct rpt_rows_input *input);

/* Find the source lines that rows or call graphs will show, if any, by so many
 * threads (0: one per CPU), for all stacks of the profile, resolved in this
 * order.  Stop if the budget is spent, as rpt_rows_add() will. */
void rpt_rows_find_lines(struct rpt_rows *rows, const uint32_t *order,
			 uint32_t threads);

/* Add stack number stack_idx of the profile; the first stack of a row decides
 * what it shows if stacks differ.  Return 0, or -EFBIG if there is no budget
 * for one more row or address. */
int rpt_rows_add(struct rpt_rows *rows, uint32_t stack_idx, uint32_t member);

/* Add a stack that was resolved with rpt_rows_frames_conf(). */
int rpt_rows_add_resolved(struct rpt_rows *rows, uint32_t stack_idx,
			  uint32_t member, const struct rpt_stack_frames *at);
struct rpt_stack_frames_conf rpt_rows_frames_conf(const struct rpt_rows *rows);

/* End adding; in a hierarchy make the rows that sum others up.  Return 0, or
 * -EFBIG if there was no budget for some of these. */
int rpt_rows_end(struct rpt_rows *rows);
/* Sort by conf.keys.order; in a hierarchy each row comes before those below. */
void rpt_rows_sort(struct rpt_rows *rows);

/* Return the DSO's name that is shown; NULL if nothing is mapped there. */
static inline const char *rpt_rows_dso_name(const struct rpt_rows *rows,
					    const struct rpt_frame *frame)
{
	return frame->dso ? rpt_intern_key(&rows->frames->dso_names,
					   frame->dso_place)
			  : NULL;
}

/* Return the name of a row's parent; NULL if it has none. */
const char *rpt_rows_parent(const struct rpt_rows *rows,
			    const struct rpt_row *row);

/* Return whether rows stand below this row. */
static inline bool rpt_rows_is_sum(const struct rpt_rows *rows, uint32_t row)
{
	return rows->items[row].at_level + (size_t)1 < rows->conf.keys.level_nr;
}

/* Index the chains of rows whose accumulated weight reaches min_weight. */
void rpt_rows_index_chains(struct rpt_rows *rows, uint64_t min_weight);

/* Build rows->graph for one of these rows. */
void rpt_rows_graph(struct rpt_rows *rows, uint32_t row);

/* Fetches ahead what rpt_rows_add_resolved() will look at.  Of a stack's frames
 * (nr of them, the sample's own first) what leads to their rows is fetched
 * first, and some stacks later the rows. */

void rpt_rows_prefetch_frames(const struct rpt_rows *rows,
			      const uint32_t *frames, uint32_t nr);
void rpt_rows_prefetch_rows(struct rpt_rows *rows, const uint32_t *frames,
			    uint32_t nr);

#endif
