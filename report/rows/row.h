/* row.h: one row of a table, and the stack that made it. */
#ifndef RPT_ROW_H
#define RPT_ROW_H

#include "report/callchain/frames.h"
#include "report/rows/rows_conf.h"

#include <stdio.h>

/* Small: a table can have one for each sample. */
struct rpt_row {
	const struct rpt_rows_input *input; /* of the stack that made it */
	const char *comm;		    /* NULL: ":TID" is to be shown */
	uint32_t stack;	     /* that made it: its number in the profile */
	uint32_t frame;	     /* DSO and symbol */
	uint32_t from_frame; /* the source of a branch, or the data */
	uint32_t trace;	     /* number in rpt_rows.traces */
	uint32_t parent;     /* + 1 in rpt_rows.parents; 0: none */
	uint32_t above;	     /* the row that it is summed up in; RPT_NO_ROW */
	uint8_t at_level;    /* of a hierarchy, from 0 */
	char level;
	bool is_own;	/* a stack's own, not a caller's: rpt_row_addr() */
	bool is_hidden; /* by a filter */
	bool is_paid;	/* from the budget of its input */
};

/* Periods, and the numbers of samples. */
struct rpt_row_stat {
	uint64_t self;
	uint64_t self_nr;
	uint64_t acc; /* accumulated: with callees */
	uint64_t acc_nr;
};

/* Apart from the rest, since adding reads it for every frame. */
struct rpt_row_counter {
	uint32_t last_stack; /* that counted for it */
	uint32_t max_depth;  /* of its chains */
};

/* Parts of self, and the second number; only if conf.keys.has_modes. */
struct rpt_row_modes {
	uint64_t self[RPT_WEIGHT_MODES];
	uint64_t second;
	uint64_t second_acc; /* with callees */
};

/* The row that a frame counted for last, so that most frames need no key. */
struct rpt_row_cache {
	uint32_t base; /* rpt_row_key_base(); 0: none yet */
	uint32_t row;
};

/* Texts that rows refer to by number. */
struct rpt_row_texts {
	struct rpt_intern names;   /* hosts, and tasks of several inputs */
	struct rpt_intern traces;  /* of tracepoints */
	struct rpt_intern fields;  /* bytes of their fields */
	struct rpt_intern parents; /* names of parents */
};

/* Return where the cache line of an address begins.  As in perf 6.1 a line has
 * 64 bytes, whatever machine was recorded. */
static inline uint64_t rpt_cache_line(uint64_t addr)
{
	return addr & ~UINT64_C(63);
}

/* Return the key of the stack that made the row: event, CPU, branch flags. */
static inline const struct rpt_stack_key *
rpt_row_stack_key(const struct rpt_row *row)
{
	return rpt_profile_key(row->input->profile, row->stack);
}

/* Return the address that is shown if the row's frame has no symbol: the one in
 * the DSO; for a caller the one that was recorded. */
static inline uint64_t rpt_row_addr(const struct rpt_row *row,
				    const struct rpt_frame *frame)
{
	return row->is_own ? frame->addr : frame->ip;
}

/* Return the source and the flags of the branch; with conf.is_branch. */
static inline struct rpt_stack_branch rpt_row_branch(const struct rpt_row *row)
{
	return rpt_stack_key_branch(rpt_row_stack_key(row));
}

/* Return the ids of the first sample of the stack. */
static inline uint32_t rpt_row_tid(const struct rpt_row *row)
{
	return row->input->profile->stacks[row->stack].first_tid;
}

static inline uint32_t rpt_row_pid(const struct rpt_row *row)
{
	return row->input->profile->stacks[row->stack].first_pid;
}

/* Return the name of the task, or ":TID" in buf if it has none. */
static inline const char *rpt_row_comm(const struct rpt_row *row, char buf[16])
{
	return rpt_comm_or_tid(row->comm, rpt_row_tid(row), buf);
}

static inline struct pd_str rpt_row_raw(const struct rpt_row *row)
{
	const struct rpt_stack_key *key = rpt_row_stack_key(row);

	return (struct pd_str){ (const char *)rpt_stack_key_raw(key),
				key->raw_len };
}

/* Return the numbers of the sample, in the order of conf.keys.values. */
static inline const uint64_t *rpt_row_values(const struct rpt_row *row)
{
	return rpt_stack_key_values(rpt_row_stack_key(row));
}

/* Return the name that the row's process had then, or ":PID" in buf; with
 * RPT_VALUE_PROCESS among conf.keys.values, of which it is number idx. */
static inline const char *rpt_row_process(const struct rpt_row *row,
					  uint32_t idx, char buf[16])
{
	uint64_t name = rpt_row_values(row)[idx];

	return rpt_comm_or_tid((const char *)(uintptr_t)name, rpt_row_pid(row),
			       buf);
}

#endif
