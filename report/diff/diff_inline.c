#include "report/diff/diff_load.h"

#include "report/base/memory.h"
#include "report/symbols/inline_frames.h"
#include "report/report/report.h"
#include "report/rows/rows_conf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 4096

/* Rows with fewer are not looked for. */
#define SOUGHT_SAMPLES 10

/* A row that is still there has moved if so much of its change is found. */
#define PART_MOVED 0.5

/* A function that is inlined into a holder.  It is hashed: no padding. */
struct pair {
	uint32_t side;
	uint32_t event;	   /* number in the labels */
	uint32_t function; /* number in sought */
	uint32_t holder;   /* number in holders */
};

struct search {
	const struct rpt_diff_args *args;
	const struct rpt_side *sides;	 /* args->side_nr */
	struct rpt_symbols *shared_from; /* of the first run, or NULL */
	struct rpt_intern sought;	 /* "dso", NUL, function's stem */
	struct rpt_intern holders;	 /* "dso", NUL, symbol as it is shown */
	struct rpt_intern pairs;	 /* struct pair */
	double *shares;			 /* by pair: of the side's periods */
	uint32_t shares_cap;
};

/* Return the function's name if the row is of user code; NULL if it has none.
 */
static const char *label_function(const struct rpt_diff_table *table,
				  uint32_t label)
{
	const char *text = rpt_label_text(table->labels, label, RPT_BY_SYMBOL);

	if (!text || strncmp(text, "[.] ", RPT_LEVEL_LEN) != 0 ||
	    !strncmp(text + RPT_LEVEL_LEN, "0x", 2) ||
	    !strcmp(text + RPT_LEVEL_LEN, "[unknown]"))
		return NULL;
	return text + RPT_LEVEL_LEN;
}

/* Put "dso", NUL, name to buf, which has room for both; return the length. */
static size_t put_key(const char *dso, const char *name,
		      enum rpt_name_match level, char *buf)
{
	size_t dso_len;

	rpt_diff_dso(dso, level, buf, NAME_LEN);
	dso_len = strlen(buf) + 1;
	rpt_diff_symbol(name, level, buf + dso_len, NAME_LEN);
	return dso_len + strlen(buf + dso_len);
}

static bool has_inline_frames(const struct rpt_side *side, const char *dso)
{
	char stem[NAME_LEN];

	rpt_diff_dso(dso, RPT_NAME_STEM, stem, sizeof(stem));
	return rpt_intern_find(&side->runs[0]->inline_dsos, stem,
			       strlen(stem)) >= 0;
}

static bool is_sought(const struct rpt_diff_cell *old,
		      const struct rpt_diff_cell *new)
{
	double nr = old->estimate.sum.nr + new->estimate.sum.nr;

	if (!old->is_there && !new->is_there)
		return false;
	if (old->is_there && new->is_there)
		return new->change.is_significant;
	return nr >= SOUGHT_SAMPLES || new->change.is_significant;
}

/* Put the key of the function that is looked for to buf.  Return its length; 0:
 * the row is not looked for. */
static size_t row_key(const struct search *search,
		      const struct rpt_diff_table *table, size_t row,
		      size_t side, char buf[2 * NAME_LEN])
{
	const struct rpt_side *sides = search->sides;
	uint32_t label = rpt_diff_table_label(table, row);
	const char *function = label_function(table, label);
	const char *dso = rpt_label_text(table->labels, label, RPT_BY_DSO);

	if (!function || !is_sought(rpt_diff_table_cell(table, row, 0),
				    rpt_diff_table_cell(table, row, side)))
		return 0;
	if (!dso || (!has_inline_frames(&sides[0], dso) &&
		     !has_inline_frames(&sides[side], dso)))
		return 0;
	return put_key(dso, function, RPT_NAME_STEM, buf);
}

static void seek_rows(struct search *search, const struct rpt_diff_table *table)
{
	char key[2 * NAME_LEN];

	for (size_t i = 0; i < table->row_nr * table->side_nr; i++) {
		size_t side = i % table->side_nr;
		size_t len = side ? row_key(search, table, i / table->side_nr,
					    side, key)
				  : 0;

		if (len)
			rpt_intern(&search->sought, key, len);
	}
}

static const char *shown_name(const struct rpt_dso *dso)
{
	const char *name = rpt_dso_name(dso);
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static void add_pair(struct search *search, const struct pair *pair,
		     double share)
{
	uint32_t known_nr = search->pairs.nr;
	int64_t idx = rpt_intern(&search->pairs, pair, sizeof(*pair));

	search->shares = rpt_grow(search->shares, &search->shares_cap, known_nr,
				  sizeof(*search->shares));
	if (idx == known_nr)
		search->shares[idx] = 0.0;
	search->shares[idx] += share;
}

/* Return whether a frame before idx has the same name: a recursion counts once.
 */
static bool is_repeated(const struct rpt_inline_frame *frames, size_t idx)
{
	for (size_t i = 0; i < idx; i++) {
		if (!strcmp(frames[i].name, frames[idx].name))
			return true;
	}
	return false;
}

/* Add the functions that were inlined at a sampled address. */
static void add_frames(struct search *search, const struct rpt_frame *frame,
		       struct pair pair, double share)
{
	const struct rpt_inline_frame *frames;
	const char *dso = shown_name(frame->dso);
	char holder[2 * NAME_LEN], key[2 * NAME_LEN];
	size_t nr = rpt_dso_inline_frames(frame->dso, frame->addr, &frames);
	size_t holder_len = put_key(dso, frame->sym->name, RPT_NAME_STEM, key);
	int64_t self = rpt_intern_find(&search->sought, key, holder_len);

	for (size_t i = 0; i + 1 < nr; i++) {
		size_t len = put_key(dso, frames[i].name, RPT_NAME_STEM, key);
		int64_t function = rpt_intern_find(&search->sought, key, len);

		if (function < 0 || function == self || is_repeated(frames, i))
			continue;
		len = put_key(dso, frame->sym->name, RPT_NAME_EXACT, holder);
		pair.function = (uint32_t)function;
		pair.holder =
			(uint32_t)rpt_intern(&search->holders, holder, len);
		add_pair(search, &pair, share);
	}
}

static int add_stack(struct search *search, struct rpt_report *report,
		     uint32_t idx, struct pair pair)
{
	const struct rpt_profile *profile = &report->profile;
	const struct rpt_stack_key *key = rpt_profile_key(profile, idx);
	const struct rpt_event_total *total = &profile->totals[key->event_idx];
	const struct rpt_stack *stack = &profile->stacks[idx];
	struct rpt_frame_scope scope;
	struct rpt_frame_span span;
	const struct rpt_frame *frame;
	int rc;

	rpt_chain_scope(&report->frames, key, stack, &scope);
	rc = rpt_frames_resolve(&report->frames, &scope, key->cpumode, key->ip,
				&span);
	if (rc)
		return rc;
	frame = &report->frames.items[span.self];
	if (!frame->dso || !frame->sym || frame->level != '.' || !total->period)
		return 0;
	add_frames(search, frame, pair,
		   (double)stack->period / (double)total->period);
	return 0;
}

static void scan_stacks(struct search *search, struct rpt_report *report,
			uint32_t side)
{
	/* the same file, counted before */
	const struct rpt_run *run = search->sides[side].runs[0];
	int rc = 0;

	/* out of budget: use what there is */
	for (uint32_t i = 0; i < report->profile.keys.nr && !rc; i++) {
		const struct rpt_stack_key *key =
			rpt_profile_key(&report->profile, i);
		struct pair pair = { .side = side };

		if (key->event_idx >= run->event_nr)
			continue; /* it was replaced meanwhile */
		pair.event = run->events[key->event_idx].number;
		if (rpt_event_modes_have(run->events[key->event_idx].modes,
					 key->cpumode))
			rc = add_stack(search, report, i, pair);
	}
}

/* Count a side's first run again, without blocks, and look at its samples.  A
 * run that can no longer be read is passed over. */
static void scan_side(struct search *search, uint32_t side)
{
	const struct rpt_run *first = search->sides[side].runs[0];
	struct rpt_run_conf conf = { .args = search->args->report,
				     .shared_from = search->shared_from };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_run run = { .path = first->path };

	if (first->times)
		run.times = rpt_alloc_text(first->times, strlen(first->times));
	if (!rpt_run_open(&run, &conf, &err) && !rpt_run_count(&run, &err))
		scan_stacks(search, rpt_run_report(&run), side);
	rpt_run_release(&run);
}

static double pair_share(const struct search *search, struct pair pair,
			 size_t side)
{
	int64_t idx;

	pair.side = (uint32_t)side;
	idx = rpt_intern_find(&search->pairs, &pair, sizeof(pair));
	return idx < 0 ? 0.0 : search->shares[idx];
}

static bool is_holder(const struct rpt_diff_table *table, uint32_t label,
		      const char *holder)
{
	const char *function = label_function(table, label);

	return function &&
	       !strcmp(rpt_label_text(table->labels, label, RPT_BY_DSO),
		       holder) &&
	       !strcmp(function, holder + strlen(holder) + 1);
}

static size_t holder_row(const struct rpt_diff_table *table, size_t side,
			 const char *holder)
{
	size_t row = 0;

	for (; row < table->row_nr; row++) {
		const struct rpt_diff_cell *cell =
			rpt_diff_table_cell(table, row, side);

		if (cell->is_there && is_holder(table, cell->label, holder))
			break;
	}
	return row;
}

static void add_inlined(struct rpt_diff_table *table,
			const struct rpt_inlined *inlined)
{
	table->inlined = rpt_realloc_array(
		table->inlined, table->inlined_nr + 1, sizeof(*table->inlined));
	table->inlined[table->inlined_nr++] = *inlined;
}

/* Add the pair if what the row lost went into the holder on the new side, or
 * what it gained came out of the holder on the old side. */
static void join(const struct search *search, struct rpt_diff_table *table,
		 const struct rpt_inlined *question, const struct pair *pair)
{
	struct rpt_inlined inlined = *question;
	size_t row = inlined.row, side = inlined.side;
	double more =
		pair_share(search, *pair, side) - pair_share(search, *pair, 0);
	double lost = rpt_diff_table_share(table, row, 0) -
		      rpt_diff_table_share(table, row, side);
	bool is_in_both = rpt_diff_table_cell(table, row, 0)->is_there &&
			  rpt_diff_table_cell(table, row, side)->is_there;

	if (more * lost <= 0.0 ||
	    (is_in_both && fabs(more) < PART_MOVED * fabs(lost)))
		return;
	inlined.is_into = more > 0.0;
	inlined.share = fabs(more);
	inlined.holder_row =
		holder_row(table, inlined.is_into ? side : 0,
			   rpt_intern_key(&search->holders, pair->holder));
	if (inlined.holder_row < table->row_nr)
		add_inlined(table, &inlined);
}

/* Return whether another pair is used: that of the new side if both sides have
 * the holder. */
static bool is_other_pair(const struct search *search, const struct pair *pair,
			  size_t side)
{
	return pair->side != side &&
	       (pair->side || pair_share(search, *pair, side) > 0.0);
}

static void join_row(const struct search *search, struct rpt_diff_table *table,
		     size_t row, size_t side)
{
	struct rpt_inlined question = { .row = row, .side = side };
	char key[2 * NAME_LEN];
	size_t len = row_key(search, table, row, side, key);
	int64_t function =
		len ? rpt_intern_find(&search->sought, key, len) : -1;

	for (uint32_t i = 0; function >= 0 && i < search->pairs.nr; i++) {
		const struct pair *pair = rpt_intern_key(&search->pairs, i);

		if (pair->function == function &&
		    pair->event == table->conf.event &&
		    !is_other_pair(search, pair, side))
			join(search, table, &question, pair);
	}
}

static int compare_inlined(const void *a, const void *b)
{
	const struct rpt_inlined *x = a;
	const struct rpt_inlined *y = b;

	if (x->share > y->share || x->share < y->share)
		return x->share > y->share ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->holder_row > y->holder_row) -
	       (x->holder_row < y->holder_row);
}

static void join_table(const struct search *search,
		       struct rpt_diff_table *table)
{
	for (size_t i = 0; i < table->row_nr * table->side_nr; i++) {
		if (i % table->side_nr)
			join_row(search, table, i / table->side_nr,
				 i % table->side_nr);
	}
	if (table->inlined_nr)
		qsort(table->inlined, table->inlined_nr,
		      sizeof(*table->inlined), compare_inlined);
}

static bool are_places(const struct rpt_diff_table *table)
{
	return table->conf.intervals && !table->labels->is_paths;
}

void rpt_inlined_find(struct rpt_diff_table *tables, size_t table_nr,
		      const struct rpt_diff_args *args,
		      const struct rpt_side *sides,
		      struct rpt_symbols *shared_from)
{
	struct search search = { .args = args,
				 .sides = sides,
				 .shared_from = shared_from };

	for (size_t t = 0; t < table_nr; t++) {
		if (are_places(&tables[t]))
			seek_rows(&search, &tables[t]);
	}
	for (uint32_t s = 0; s < args->side_nr && search.sought.nr; s++) {
		if (sides[s].runs[0]->inline_dsos.nr)
			scan_side(&search, s);
	}
	for (size_t t = 0; t < table_nr && search.pairs.nr; t++)
		join_table(&search, &tables[t]);
	rpt_intern_release(&search.sought);
	rpt_intern_release(&search.holders);
	rpt_intern_release(&search.pairs);
	free(search.shares);
}
