#include "report/rows/rows.h"

#include "report/base/cpu_prefetch.h"
#include "report/base/memory.h"
#include "report/callchain/chain.h"
#include "report/events/filter.h"
#include "report/events/tracepoint.h"
#include "report/rows/rows_impl.h"
#include "report/symbols/source_line.h"
#include "report/timeline/guest_ids.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The frames of a sample that are in no call chain, and filters of rows. */

/* Return whether the filter hides rows, as in perf: all samples of a row are of
 * one DSO, or function.  Otherwise it leaves out samples. */
static bool rows_hide_filtered(const struct rpt_rows *rows)
{
	unsigned asked =
		rows->conf.hide.filter ? rows->conf.hide.filter->asked : 0;
	unsigned by = rows->conf.keys.by;

	return (by & RPT_BY_DSO || !(asked & RPT_FILTER_DSO)) &&
	       (by & RPT_BY_SYMBOL || !(asked & RPT_FILTER_SYMBOL));
}

static bool row_passes_filter(const struct rpt_rows *rows,
			      const struct rpt_frame *frame)
{
	const struct rpt_filter *filter = rows->conf.hide.filter;

	return !filter || rpt_filter_place(filter, frame->dso,
					   rpt_frame_symbol(frame), frame->ip);
}

/* Return whether the row's symbol, or a caller's, contains conf.symbol_part. */
static bool row_has_symbol_part(const struct rpt_rows *rows,
				const struct rpt_frame *frame)
{
	const char *part = rows->conf.hide.symbol_part;
	const char *symbol = rpt_frame_symbol(frame);

	return !part || (symbol && strstr(symbol, part));
}

static int resolve_branch(struct rpt_rows *rows, struct rpt_row_addition *add,
			  uint32_t *ret)
{
	const struct rpt_stack_key *key = add->key;
	struct rpt_frame_span from, to;
	struct rpt_frame_scope scope = add->at->scope;
	int rc = rpt_frames_resolve(
		rows->frames, &scope,
		rpt_frames_mode_at(rows->frames, &scope,
				   rpt_stack_key_branch(key).from),
		rpt_stack_key_branch(key).from, &from);

	if (rc)
		return rc;
	add->from_frame = from.self;
	rc = rpt_frames_resolve(
		rows->frames, &scope,
		rpt_frames_mode_at(rows->frames, &scope, key->ip), key->ip,
		&to);
	if (!rc)
		*ret = to.self;
	return rc;
}

/* The data is looked up in the mode and maps of the code that touched it. */
static int resolve_data(struct rpt_rows *rows, struct rpt_row_addition *add)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;
	const uint64_t *values = rpt_stack_key_values(add->key);
	struct rpt_frame_span span = { 0 };
	struct rpt_frame_scope scope = add->at->scope;
	uint32_t i = 0;
	int rc;

	while (i < keys->value_nr && keys->values[i] != RPT_VALUE_DATA_ADDR)
		i++;
	rc = rpt_frames_resolve(rows->frames, &scope, add->key->cpumode,
				i < keys->value_nr ? values[i] : 0, &span);
	add->from_frame = span.self;
	return rc;
}

/* Find the frames that are in no call chain: a branch's target, *self, and its
 * source, or the data of a memory access.  Return 0 or -EFBIG. */
static int row_resolve(struct rpt_rows *rows, struct rpt_row_addition *add,
		       uint32_t *self)
{
	int rc = rows->conf.is_branch ? resolve_branch(rows, add, self) : 0;

	if (!rc && rows->conf.keys.by & RPT_BY_DATA)
		rc = resolve_data(rows, add);
	return rc;
}

/* Return whether self has a symbol, and the source of a branch, too. */
static bool row_is_resolved(const struct rpt_rows *rows,
			    const struct rpt_row_addition *add, uint32_t self)
{
	const struct rpt_frame *frames = rows->frames->items;

	return rpt_frame_has_name(&frames[self]) &&
	       (!rows->conf.is_branch ||
		rpt_frame_has_name(&frames[add->from_frame]));
}

/* Raw data of a tracepoint's samples as text. */

/* Return the number of the text of a stack's raw data, which is empty if no
 * format is known; or -EFBIG: see rpt_intern(). */
static int64_t rows_number_trace(struct rpt_rows *rows, uint32_t stack_idx)
{
	const struct rpt_profile *profile = rows->profile;
	struct rpt_tracepoints *tracepoints = rows->conf.tracepoints;
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	const struct pd_event_set *events =
		pd_reader_events(profile->conf.reader);
	const struct rpt_kernel_symbols kernel = {
		.timeline = profile->conf.timeline,
		.when = profile->stacks[stack_idx].first,
		.kernel_version = key->base->kernel_version,
	};
	struct rpt_tracepoint_record rec = {
		.raw = rpt_stack_key_raw(key),
		.raw_len = key->raw_len,
		.config = events->events[key->event_idx].attr.config,
		.kernel = &kernel,
	};
	struct rpt_text_string *string = rpt_text_string_new();
	const char *text;
	size_t len;
	int64_t idx;

	if (tracepoints && rec.raw_len)
		rpt_tracepoint_print(tracepoints, &rec, &string->text);
	text = rpt_text_string_take(string, &len);
	idx = rpt_intern(&rows->texts.traces, text, len);
	rpt_text_string_free(string);
	return idx;
}

/* Keys of rows: the words of all sort keys, one after the other. */

/* Compute where the words of each sort key are. */
static void row_keys_init(struct rpt_rows *rows)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;
	uint32_t at = 0;

	for (uint32_t i = 0; i < keys->nr; i++) {
		rows->adding.word_at[i] = at;
		at += keys->items[i].dim->word_nr;
	}
	rows->adding.word_at[keys->nr] = at;
}

/* Set the words of the keys that are taken from the frame, or of those that
 * are not. */
static void set_words(struct rpt_rows *rows, struct rpt_key_source *source,
		      bool is_of_frame)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;

	source->rows = rows;
	for (uint32_t i = 0; i < keys->nr; i++) {
		source->key = &keys->items[i];
		if ((source->key->dim->side == RPT_OF_FRAME) == is_of_frame)
			source->key->dim->key(source,
					      rows->adding.words +
						      rows->adding.word_at[i]);
	}
}

static size_t words_len(const struct rpt_rows *rows, uint32_t key_nr)
{
	return rows->adding.word_at[key_nr] * sizeof(*rows->adding.words);
}

/* As many bases are known, so that alternating stacks find their numbers. */
#define BASES_NR 64u

/* Begin a key with what the stack says, the same for all frames.  Return a
 * number for that, above 0; equal numbers mean equal words. */
static uint32_t row_key_base(struct rpt_rows *rows,
			     struct rpt_key_source *source)
{
	size_t len = words_len(rows, rows->conf.keys.nr);
	size_t base_len = sizeof(uint32_t) + len;
	uint32_t *base;

	if (!rows->adding.bases)
		rows->adding.bases = rpt_alloc_zeroed(BASES_NR, base_len);
	memset(rows->adding.words, 0, len);
	set_words(rows, source, false);
	base = rows->adding.bases + XXH3_64bits(rows->adding.words, len) %
					    BASES_NR *
					    (base_len / sizeof(*base));
	if (!*base || memcmp(base + 1, rows->adding.words, len) != 0) {
		*base = ++rows->adding.bases_nr;
		memcpy(base + 1, rows->adding.words, len);
	}
	return *base;
}

/* Complete that key with what the source's frame says.  Return the number of
 * the row, or -EFBIG: see rpt_intern(). */
static int64_t row_key_number(struct rpt_rows *rows,
			      struct rpt_key_source *source)
{
	set_words(rows, source, true);
	return rpt_intern(&rows->keys, rows->adding.words,
			  words_len(rows, rows->conf.keys.nr));
}

/* Starts to fetch the place of a row's number, as if the words that are not the
 * frame's were those of the last stack. */
static void row_key_prefetch(struct rpt_rows *rows,
			     struct rpt_key_source *source)
{
	set_words(rows, source, true);
	rpt_intern_prefetch(&rows->keys, rows->adding.words,
			    words_len(rows, rows->conf.keys.nr));
}

/* The key is longer than any row's own, and differs in length by level. */
size_t rpt_row_key_of_level(struct rpt_rows *rows, uint32_t row, uint32_t level)
{
	uint32_t key_nr = rows->conf.keys.levels[level];
	size_t level_len = words_len(rows, key_nr);
	size_t len = words_len(rows, rows->conf.keys.nr) +
		     (level + 1) * sizeof(*rows->adding.words);

	memcpy(rows->adding.words, rpt_intern_key(&rows->keys, row), level_len);
	memset((char *)rows->adding.words + level_len, 0, len - level_len);
	return len;
}

/* Bytes of a field in texts.fields, with its entry there. */
#define FIELD_LEN 40

/* Return how many bytes a key can have, with what is allocated beside it. */
static size_t row_key_len_max(const struct rpt_rows *rows)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;
	size_t len = words_len(rows, keys->nr);

	if (keys->level_nr)
		len += keys->level_nr * sizeof(*rows->adding.words);
	return (len + 7) / 8 * 8 + keys->trace_field_nr * FIELD_LEN;
}

/* Memory for the rows of a table, and its budgets. */

static struct rpt_budget *budget_of(const struct rpt_rows_input *input)
{
	return rpt_timeline_budget(input->profile->conf.timeline);
}

/* An entry in the table that numbers keys, and 1.4 of its slots. */
#define NUMBER_COST_LEN (sizeof(struct rpt_intern_entry) + 11)

uint64_t rpt_rows_cost_len(const struct rpt_rows *rows)
{
	size_t counts_len = sizeof(struct rpt_row_stat);

	if (rows->conf.keys.has_modes)
		counts_len += sizeof(struct rpt_row_modes);
	return sizeof(struct rpt_row) + sizeof(struct rpt_row_counter) +
	       sizeof(*rows->order) + NUMBER_COST_LEN + row_key_len_max(rows) +
	       rows->member_nr * counts_len;
}

bool rpt_rows_pay(const struct rpt_rows *rows,
		  const struct rpt_rows_input *input)
{
	return rpt_budget_take(budget_of(input), rpt_rows_cost_len(rows));
}

/* Give back what all rows took, each to the budget of its input. */
static void rows_pay_back(const struct rpt_rows *rows)
{
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		if (rows->items[i].is_paid)
			rpt_budget_give(budget_of(rows->items[i].input),
					rpt_rows_cost_len(rows));
	}
}

void rpt_rows_grow(struct rpt_rows *rows)
{
	uint32_t cap = rows->cap ? rows->cap * 2 : 1024;
	size_t stat_nr = (size_t)cap * rows->member_nr;

	rows->items = rpt_realloc_array(rows->items, cap, sizeof(*rows->items));
	rows->stats =
		rpt_realloc_array(rows->stats, stat_nr, sizeof(*rows->stats));
	rows->counters =
		rpt_realloc_array(rows->counters, cap, sizeof(*rows->counters));
	if (rows->conf.keys.has_modes)
		rows->modes = rpt_realloc_array(rows->modes, stat_nr,
						sizeof(*rows->modes));
	rows->cap = cap;
}

void rpt_rows_clear(struct rpt_rows *rows, uint32_t row)
{
	memset(rpt_rows_stat(rows, row, 0), 0,
	       rows->member_nr * sizeof(*rows->stats));
	rows->counters[row] = (struct rpt_row_counter){ 0 };
	if (rows->modes)
		memset(rpt_rows_modes(rows, row, 0), 0,
		       rows->member_nr * sizeof(*rows->modes));
}

/* Make room for the caches of a frame. */
static void rows_grow_caches(struct rpt_rows *rows, uint32_t frame)
{
	struct rpt_rows_adding *adding = &rows->adding;
	uint32_t old_cap = adding->caches_cap;
	uint32_t cap = old_cap ? old_cap : 256;

	while (cap <= frame)
		cap *= 2; /* frames are 2^30 at most, as what is interned */
	adding->caches =
		rpt_realloc_array(adding->caches, cap, sizeof(*adding->caches));
	memset(adding->caches + old_cap, 0,
	       (cap - old_cap) * sizeof(*adding->caches));
	adding->caches_cap = cap;
}

void rpt_rows_forget(struct rpt_rows *rows)
{
	free(rows->adding.caches);
	free(rows->adding.bases);
	rows->adding.caches = NULL;
	rows->adding.caches_cap = 0;
	rows->adding.bases = NULL;
}

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
	row_keys_init(rows);
	rpt_callgraph_init(&rows->graph, frames);
	rows->totals = rpt_alloc_zeroed(member_nr, sizeof(*rows->totals));
	rows->second_totals =
		rpt_alloc_zeroed(member_nr, sizeof(*rows->second_totals));
	rows->unresolved =
		rpt_alloc_zeroed(member_nr, sizeof(*rows->unresolved));
}

void rpt_rows_release(struct rpt_rows *rows)
{
	rows_pay_back(rows);
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
	free(rows->second_totals);
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
	case RPT_WEIGHT_SECOND:
		return rpt_rows_modes(rows, row, member)->second;
	case RPT_WEIGHT_SECOND_ACC:
		return rpt_rows_modes(rows, row, member)->second_acc;
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
			     !row_has_symbol_part(
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
		rows_grow_caches(rows, frame);
	cache = &rows->adding
			 .caches[frame][is_own &&
					!rows->frames->flags[frame].is_named];
	if (cache->base == add->base)
		return cache->row;
	if (known_nr == rows->cap)
		rpt_rows_grow(rows);
	add->source.frame = frame;
	add->source.is_own = is_own;
	idx = row_key_number(rows, &add->source);
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

static void count_more(struct rpt_row_modes *modes, size_t mode,
		       const struct rpt_row_addition *add)
{
	if (mode < RPT_WEIGHT_MODES)
		modes->self[mode] += add->stack->period;
	modes->second += add->second;
	modes->second_acc += add->second;
}

static void count_self(struct rpt_rows *rows, uint32_t row,
		       const struct rpt_row_addition *add)
{
	struct rpt_row_stat *stat = rpt_rows_stat(rows, row, add->member);
	size_t mode = mode_idx(mode_of_self(rows, add));

	rows->counters[row].last_stack = rows->adding.stack_serial;
	stat->self += add->stack->period;
	if (rows->modes)
		count_more(rpt_rows_modes(rows, row, add->member), mode, add);
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
	int rc = row_resolve(rows, add, &self);

	if (rc)
		return rc;
	if (rows->conf.hide.unresolved && !row_is_resolved(rows, add, self)) {
		rows->unresolved[add->member].period += add->stack->period;
		rows->unresolved[add->member].second += add->second;
		rows->unresolved[add->member].sample_nr += add->stack->nr;
		return LEFT_OUT;
	}
	add->level = add->at->is_cut ? rows->frames->items[self].level
				     : rpt_frame_level(mode);
	add->is_filtered = !row_passes_filter(rows, &rows->frames->items[self]);
	if (add->is_filtered && !rows_hide_filtered(rows))
		return LEFT_OUT;
	add->source.frame = add->from_frame;
	add->base = row_key_base(rows, &add->source);
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

		if (rows->conf.hide.unmapped &&
		    rpt_frame_is_unmapped(rows->frames, chain->frames[i]))
			continue;
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
		if (rows->modes)
			rpt_rows_modes(rows, row, add->member)->second_acc +=
				add->second;
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
			   .hide_unresolved = rows->conf.hide.unresolved,
			   .folds_unmapped = rows->conf.hide.unmapped },
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
		.second = stack_idx < rows->profile->seconds.nr
				  ? rows->profile->seconds.items[stack_idx]
				  : 0,
		.at = at,
		.member = member,
	};
	int64_t trace = 0;
	int rc;

	add.source = (struct rpt_key_source){ .stack = add.key,
					      .pid = add.stack->first_pid };
	if (rows->conf.keys.by & (RPT_BY_TRACE | RPT_BY_FIELD))
		trace = rows_number_trace(rows, stack_idx);
	if (trace < 0)
		return (int)trace;
	add.source.trace = (uint32_t)trace;
	rows->adding.stack_idx = stack_idx;
	rows->adding.stack_serial++;
	rows->totals[member] += add.stack->period;
	rows->second_totals[member] += add.second;
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

/* The source lines that rows will show, found by several threads. */

/* Return whether lines of callers are shown, not only of samples. */
static bool shows_chain_lines(const struct rpt_rows *rows)
{
	const struct rpt_rows_conf *conf = &rows->conf;

	return (conf->chains && rows->frames->key != RPT_FRAME_FUNCTION) ||
	       conf->children;
}

/* Resolve a stack as rpt_rows_add() will. */
static int resolve(struct rpt_rows *rows, uint32_t stack_idx)
{
	const struct rpt_stack_key *key =
		rpt_profile_key(rows->profile, stack_idx);
	struct rpt_chain_conf conf = {
		.is_caller_first = rows->conf.is_caller_first,
		.max_stack = rows->conf.max_stack,
		.linked = rows->profile->linked,
	};
	struct rpt_frame_scope scope;
	struct rpt_frame_span span;
	int rc = 0;

	rpt_chain_scope(rows->frames, key, &rows->profile->stacks[stack_idx],
			&scope);
	if (key->chain_nr && (conf.linked || shows_chain_lines(rows)))
		rc = rpt_chain_resolve(&rows->adding.own.chain, rows->frames,
				       key, &scope, &conf);
	if (conf.linked && rpt_stack_key_is_linked(key))
		return rc; /* its chain ends in its own frame */
	return rc ? rc
		  : rpt_frames_resolve(rows->frames, &scope, key->cpumode,
				       key->ip, &span);
}

static void find(const struct rpt_frames *frames, uint32_t threads)
{
	struct rpt_source_query *queries =
		rpt_alloc_zeroed(frames->nr, sizeof(*queries));

	for (uint32_t i = 0; i < frames->nr; i++)
		queries[i] = (struct rpt_source_query){ frames->items[i].dso,
							frames->items[i].addr };
	rpt_source_lines_find(queries, frames->nr, threads);
	free(queries);
}

void rpt_rows_find_lines(struct rpt_rows *rows, const uint32_t *order,
			 uint32_t threads)
{
	bool is_wanted = rows->conf.keys.by & RPT_BY_LINE ||
			 rows->frames->key != RPT_FRAME_FUNCTION;
	int rc = 0;

	if (!is_wanted || rows->conf.is_branch)
		return;
	/* without budget rpt_rows_add() comes to the same end */
	for (uint32_t i = 0; i < rows->profile->keys.nr && !rc; i++)
		rc = resolve(rows, order[i]);
	find(rows->frames, threads);
}

/* A table of a hundred thousand rows waits for memory most of the time. */

/* The frames of a long chain that are fetched. */
#define FRAMES_MAX 16u

/* Without children a stack has one row. */
static uint32_t limit(const struct rpt_rows *rows, uint32_t nr)
{
	uint32_t max =
		rows->conf.children || rows->conf.chains ? FRAMES_MAX : 1;

	return nr < max ? nr : max;
}

void rpt_rows_prefetch_frames(const struct rpt_rows *rows,
			      const uint32_t *frames, uint32_t nr)
{
	const struct rpt_frames *all = rows->frames;

	nr = limit(rows, nr);
	for (uint32_t i = 0; i < nr; i++) {
		rpt_cpu_prefetch(&all->flags[frames[i]]);
		rpt_cpu_prefetch_all(&all->items[frames[i]],
				     sizeof(*all->items));
		if (frames[i] < rows->adding.caches_cap)
			rpt_cpu_prefetch(&rows->adding.caches[frames[i]]);
	}
}

void rpt_rows_prefetch_rows(struct rpt_rows *rows, const uint32_t *frames,
			    uint32_t nr)
{
	struct rpt_rows_adding *adding = &rows->adding;

	if (!adding->last.stack)
		return;
	nr = limit(rows, nr);
	for (uint32_t i = 0; i < nr; i++) {
		bool is_own = !i && !rows->frames->flags[frames[i]].is_named;
		const struct rpt_row_cache *cache;

		if (frames[i] >= adding->caches_cap)
			continue;
		cache = &adding->caches[frames[i]][is_own];
		if (cache->base == adding->last_base) {
			rpt_cpu_prefetch(&rows->counters[cache->row]);
			rpt_cpu_prefetch(rpt_rows_stat(rows, cache->row, 0));
			continue;
		}
		adding->last.frame = frames[i];
		adding->last.is_own = !i;
		row_key_prefetch(rows, &adding->last);
	}
}
