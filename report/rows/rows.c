#include "report/rows/rows.h"

#include "report/base/memory.h"
#include "report/callchain/chain.h"
#include "report/events/filter.h"
#include "report/rows/rows_impl.h"
#include "report/timeline/guest_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void rpt_rows_init(struct rpt_rows *rows, const struct rpt_rows_conf *conf,
		   const struct rpt_profile *profile, struct rpt_frames *frames,
		   uint32_t member_nr)
{
	*rows = (struct rpt_rows){
		.conf = *conf,
		.profile = profile,
		.only = { .is_only = true,
			  .host = conf->host ? conf->host : "",
			  .profile = profile,
			  .filter = conf->hide.filter,
			  .tracepoints = conf->tracepoints,
			  .trace_fields = conf->keys.trace_fields },
		.frames = frames,
		.keys.is_bytes = true,
		.member_nr = member_nr
	};
	rows->input = &rows->only;
	rpt_row_keys_init(rows);
	rpt_callgraph_init(&rows->graph, frames);
	rows->totals = rpt_alloc_zeroed(member_nr, sizeof(*rows->totals));
	rows->unresolved =
		rpt_alloc_zeroed(member_nr, sizeof(*rows->unresolved));
}

void rpt_rows_release(struct rpt_rows *rows)
{
	rpt_rows_pay_back(rows);
	rpt_callgraph_release(&rows->graph);
	rpt_row_chains_release(&rows->chains);
	rpt_intern_release(&rows->keys);
	rpt_intern_release(&rows->texts.traces);
	rpt_intern_release(&rows->texts.fields);
	rpt_intern_release(&rows->texts.names);
	rpt_intern_release(&rows->texts.parents);
	free(rows->items);
	free(rows->stats);
	free(rows->counters);
	rpt_rows_forget(rows);
	free(rows->modes);
	free(rows->order);
	free(rows->totals);
	rpt_stack_frames_release(&rows->adding.own);
	free(rows->unresolved);
	*rows = (struct rpt_rows){ 0 };
}

void rpt_rows_use(struct rpt_rows *rows, const struct rpt_rows_input *input)
{
	rows->input = input;
	rows->is_full = false; /* each has a budget of its own */
	rows->profile = input->profile;
	rows->conf.hide.filter = input->filter;
	rows->conf.tracepoints = input->tracepoints;
	rows->conf.keys.trace_fields = input->trace_fields;
}

uint64_t rpt_rows_weight(const struct rpt_rows *rows, uint32_t row,
			 enum rpt_weight weight, uint32_t member)
{
	const struct rpt_row_stat *stat = rpt_rows_stat(rows, row, member);

	switch (weight) {
	case RPT_WEIGHT_ACC:
		return stat->acc;
	case RPT_WEIGHT_SELF:
		return stat->self;
	case RPT_WEIGHT_SAMPLES:
		return stat->self_nr;
	default:
		return rpt_rows_modes(rows, row, member)
			->self[weight - RPT_WEIGHT_SYS];
	}
}

static void make_row(struct rpt_rows *rows, const struct rpt_row_addition *add,
		     uint32_t idx)
{
	bool is_paid = rpt_rows_pay(rows, rows->input);

	rows->items[idx] = (struct rpt_row){
		.input = rows->input,
		.comm = (const char *)(uintptr_t)add->key->base->comm,
		.stack = rows->adding.stack_idx,
		.frame = add->source.frame,
		.is_own = add->source.is_own,
		.level = add->level,
		.trace = add->source.trace,
		.from_frame = add->from_frame,
		.parent = add->source.parent,
		.above = RPT_NO_ROW,
		.is_hidden = add->is_filtered ||
			     rpt_is_of_guest(add->key->cpumode) ||
			     !rpt_row_has_symbol_part(
				     rows,
				     &rows->frames->items[add->source.frame]) ||
			     (rows->conf.hide.orphans && !add->source.parent),
		.is_paid = is_paid,
	};
	rows->is_full |= !is_paid;
	rpt_rows_clear(rows, idx);
}

/* Return the row of a frame, made with what this stack says if it is new, or
 * -EFBIG.  is_own: the frame is that of the sample. */
static int64_t row_of(struct rpt_rows *rows, struct rpt_row_addition *add,
		      uint32_t frame, bool is_own)
{
	uint32_t known_nr = rows->keys.nr;
	struct rpt_row_cache *cache;
	int64_t idx;

	if (frame >= rows->adding.caches_cap)
		rpt_rows_grow_caches(rows, frame);
	cache = &rows->adding
			 .caches[frame][is_own &&
					!rows->frames->flags[frame].is_named];
	if (cache->base == add->base)
		return cache->row;
	if (known_nr == rows->cap)
		rpt_rows_grow(rows);
	add->source.frame = frame;
	add->source.is_own = is_own;
	idx = rpt_row_key_number(rows, &add->source);
	if (idx < 0)
		return idx;
	if (idx == known_nr)
		make_row(rows, add, (uint32_t)idx);
	*cache = (struct rpt_row_cache){ add->base, (uint32_t)idx };
	return idx;
}

/* Return whether the stack is in call graphs, which the group's leader has. */
static bool has_graph(const struct rpt_rows *rows,
		      const struct rpt_row_addition *add)
{
	return rows->conf.chains && !add->member && add->at->chain.nr;
}

static void count_depth(struct rpt_row_counter *counter, uint32_t depth)
{
	if (depth > counter->max_depth)
		counter->max_depth = depth;
}

/* Add the whole chain for the row of the stack itself. */
static void add_graph(struct rpt_rows *rows, uint32_t row,
		      const struct rpt_row_addition *add)
{
	/* labels are made by rpt_rows_index_chains() */
	struct rpt_call_chain chain = {
		.frames = add->at->chain.frames,
		.ends = add->at->chain.ends,
		.nr = add->at->chain.nr,
		.period = add->stack->period,
		.sample_nr = add->stack->nr,
	};

	if (!has_graph(rows, add))
		return;
	count_depth(&rows->counters[row], chain.nr);
	rpt_row_chains_add(&rows->chains, &chain, row);
}

/* A filter leaves the sample out, and its callers, too. */
#define LEFT_OUT 1

/* Return the index of a cpumode in rpt_row_modes; RPT_WEIGHT_MODES: none. */
static size_t mode_idx(unsigned mode)
{
	static const unsigned modes[RPT_WEIGHT_MODES] = {
		PD_CPUMODE_KERNEL,
		PD_CPUMODE_USER,
		PD_CPUMODE_GUEST_KERNEL,
		PD_CPUMODE_GUEST_USER,
	};
	size_t i = 0;

	while (i < RPT_WEIGHT_MODES && modes[i] != mode)
		i++;
	return i;
}

static unsigned mode_of_self(const struct rpt_rows *rows,
			     const struct rpt_row_addition *add)
{
	if (!add->at->is_cut)
		return add->key->cpumode;
	return rows->frames->items[add->at->self].level == 'k'
		       ? PD_CPUMODE_KERNEL
		       : PD_CPUMODE_USER;
}

static void count_self(struct rpt_rows *rows, uint32_t row,
		       const struct rpt_row_addition *add)
{
	struct rpt_row_stat *stat = rpt_rows_stat(rows, row, add->member);
	size_t mode = mode_idx(mode_of_self(rows, add));

	rows->counters[row].last_stack = rows->adding.stack_serial;
	stat->self += add->stack->period;
	if (rows->modes && mode < RPT_WEIGHT_MODES)
		rpt_rows_modes(rows, row, add->member)->self[mode] +=
			add->stack->period;
	stat->self_nr += add->stack->nr;
	stat->acc += add->stack->period;
	stat->acc_nr += add->stack->nr;
}

/* Count as the first branch of the row, as perf does. */
static void count_branch(struct rpt_rows *rows, uint32_t row,
			 const struct rpt_row_addition *add)
{
	const struct rpt_stack_key *key = rpt_row_stack_key(&rows->items[row]);
	struct rpt_stack_branch at = rpt_stack_key_branch(key);
	struct pd_branch branch = { at.from, key->ip, at.flags };

	rpt_branch_types_add(&rows->branch_types, &branch, add->stack->nr);
}

static int add_self(struct rpt_rows *rows, struct rpt_row_addition *add)
{
	unsigned mode = add->key->cpumode;
	bool is_branch = rows->conf.is_branch;
	uint32_t self = add->at->self;
	int64_t row;
	int rc = rpt_row_resolve(rows, add, &self);

	if (rc)
		return rc;
	if (rows->conf.hide.unresolved &&
	    !rpt_row_is_resolved(rows, add, self)) {
		rows->unresolved[add->member].period += add->stack->period;
		rows->unresolved[add->member].sample_nr += add->stack->nr;
		return LEFT_OUT;
	}
	add->level = add->at->is_cut ? rows->frames->items[self].level
				     : rpt_frame_level(mode);
	add->is_filtered =
		!rpt_row_passes_filter(rows, &rows->frames->items[self]);
	if (add->is_filtered && !rpt_rows_hide_filtered(rows))
		return LEFT_OUT;
	add->source.frame = add->from_frame;
	add->base = rpt_row_key_base(rows, &add->source);
	rows->adding.last = add->source;
	rows->adding.last_base = add->base;
	row = row_of(rows, add, self, !is_branch);
	if (row < 0)
		return (int)row;
	count_self(rows, (uint32_t)row, add);
	if (rows->conf.has_branch_types)
		count_branch(rows, (uint32_t)row, add);
	add_graph(rows, (uint32_t)row, add);
	return 0;
}

/* Count for one row of each distinct frame.  If nothing is mapped there, the
 * level of the frame before is shown, as in perf. */
static int add_callers(struct rpt_rows *rows, struct rpt_row_addition *add)
{
	const struct rpt_chain *chain = &add->at->chain;
	const struct rpt_frame_flags *flags = rows->frames->flags;
	struct rpt_row_stat *stat;

	for (uint32_t i = 0; i < chain->nr; i++) {
		const struct rpt_frame_flags *flag = &flags[chain->frames[i]];
		int64_t idx;
		uint32_t row;

		if (flag->is_mapped)
			add->level = flag->level;
		idx = row_of(rows, add, chain->frames[i], false);
		if (idx < 0)
			return (int)idx;
		row = (uint32_t)idx;
		if (rows->counters[row].last_stack == rows->adding.stack_serial)
			continue;
		rows->counters[row].last_stack = rows->adding.stack_serial;
		stat = rpt_rows_stat(rows, row, add->member);
		stat->acc += add->stack->period;
		stat->acc_nr += add->stack->nr;
		if (!has_graph(rows, add))
			continue;
		count_depth(&rows->counters[row], chain->nr - i);
		rpt_row_chains_count(&rows->chains, row, i);
	}
	return 0;
}

const char *rpt_rows_parent(const struct rpt_rows *rows,
			    const struct rpt_row *row)
{
	return row->parent
		       ? rpt_intern_key(&rows->texts.parents, row->parent - 1)
		       : NULL;
}

static void find_parent(struct rpt_rows *rows, struct rpt_row_addition *add)
{
	const char *name = rpt_parent_find(rows->conf.parent, rows->frames,
					   &add->at->chain);

	if (name)
		add->source.parent = rpt_frames_number(&rows->texts.parents,
						       name, strlen(name)) +
				     1;
}

struct rpt_stack_frames_conf rpt_rows_frames_conf(const struct rpt_rows *rows)
{
	return (struct rpt_stack_frames_conf){
		.chain = { .is_caller_first = rows->conf.is_caller_first,
			   .max_stack = rows->conf.max_stack,
			   .has_history = rows->conf.has_history,
			   .hide_unresolved = rows->conf.hide.unresolved },
		.is_branch = rows->conf.is_branch,
		.ignored = rows->conf.ignored,
	};
}

int rpt_rows_add_resolved(struct rpt_rows *rows, uint32_t stack_idx,
			  uint32_t member, const struct rpt_stack_frames *at)
{
	struct rpt_row_addition add = {
		.key = rpt_profile_key(rows->profile, stack_idx),
		.stack = &rows->profile->stacks[stack_idx],
		.at = at,
		.member = member,
	};
	int64_t trace = 0;
	int rc;

	add.source = (struct rpt_key_source){ .stack = add.key,
					      .pid = add.stack->first_pid };
	if (rows->conf.keys.by & (RPT_BY_TRACE | RPT_BY_FIELD))
		trace = rpt_rows_number_trace(rows, stack_idx);
	if (trace < 0)
		return (int)trace;
	add.source.trace = (uint32_t)trace;
	rows->adding.stack_idx = stack_idx;
	rows->adding.stack_serial++;
	rows->totals[member] += add.stack->period;
	if (rows->conf.keys.by & RPT_BY_PARENT)
		find_parent(rows, &add);
	rc = add_self(rows, &add);
	if (rc == LEFT_OUT)
		return 0;
	if (!rc && rows->conf.children)
		rc = add_callers(rows, &add);
	return !rc && rows->is_full ? -EFBIG : rc;
}

int rpt_rows_add(struct rpt_rows *rows, uint32_t stack_idx, uint32_t member)
{
	struct rpt_stack_frames_conf conf = rpt_rows_frames_conf(rows);
	int rc = rpt_stack_frames_resolve(&rows->adding.own, rows->frames,
					  rows->profile, stack_idx, &conf);

	return rc ? rc
		  : rpt_rows_add_resolved(rows, stack_idx, member,
					  &rows->adding.own);
}

void rpt_rows_index_chains(struct rpt_rows *rows, uint64_t min_weight)
{
	uint32_t nr = rpt_rows_nr(rows);
	bool *is_wanted = rpt_alloc_zeroed(nr, sizeof(*is_wanted));

	rows->min_weight = min_weight;
	for (uint32_t i = 0; i < nr; i++)
		is_wanted[i] = rpt_rows_stat(rows, i, 0)->acc >= min_weight;
	rpt_row_chains_index(&rows->chains, rows->frames, is_wanted, nr);
	free(is_wanted);
}

void rpt_rows_graph(struct rpt_rows *rows, uint32_t row)
{
	uint32_t nr;
	struct rpt_call_chain *chains =
		rpt_row_chains_of(&rows->chains, row, &nr);

	rpt_callgraph_build(&rows->graph, chains, nr, rows->min_weight);
}
