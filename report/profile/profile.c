#include "report/profile/profile.h"
#include "report/profile/profile_impl.h"

#include "format/record_body.h"
#include "report/input/sample_rle.h"
#include "report/timeline/address_space.h"
#include "report/timeline/timeline.h"
#include "report/profile/user_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Unwinding adds frames of its own. */
#define CHAIN_NR_MAX (RPT_HISTORY_NR + RPT_CHAIN_NR + 2 * RPT_USER_STACK_FRAMES)
#define SCRATCH_LEN                     \
	(sizeof(struct rpt_stack_key) + \
	 (CHAIN_NR_MAX + 2 + RPT_VALUES_NR) * 8 + PD_RECORD_LEN_MAX)

static struct rpt_budget *budget_of(const struct rpt_profile *profile)
{
	return rpt_timeline_budget(profile->conf.timeline);
}

/* Of what there is when the counting begins, a third is for the rows. */
static bool take(struct rpt_profile *profile, uint64_t len)
{
	return rpt_budget_left(budget_of(profile)) >=
		       profile->budget_floor + len &&
	       rpt_budget_take(budget_of(profile), len);
}

void rpt_profile_give_back(struct rpt_profile *profile)
{
	rpt_budget_give(budget_of(profile), profile->advance_len);
	profile->advance_len = 0;
}

bool rpt_profile_take(struct rpt_profile *profile, uint64_t len)
{
	if (profile->advance_len < len) {
		rpt_profile_give_back(profile);
		if (take(profile, RPT_ADVANCE_LEN))
			profile->advance_len = RPT_ADVANCE_LEN;
	}
	if (profile->advance_len < len)
		return take(profile, len);
	profile->advance_len -= len;
	return true;
}

/* Totals that there are: one for each event and block. */
static size_t totals_nr(const struct rpt_profile *profile)
{
	size_t block_nr = profile->conf.blocks.nr ? profile->conf.blocks.nr : 1;

	return pd_reader_events(profile->conf.reader)->nr * block_nr;
}

/* True if a sample counts once, where its task, the time's block and the bytes
 * of its record say. */
static bool may_repeat(const struct rpt_profile_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		if (attr->sample_type & PD_SAMPLE_READ ||
		    attr->flags & PD_ATTR_DEFER_CALLCHAIN)
			return false;
	}
	return !conf->by_branch && !conf->unwind && !conf->event_switch &&
	       !conf->value_nr && !conf->is_stitched &&
	       !pd_event_set_has_data_for_id(events) &&
	       !(conf->filter && conf->filter->asked & RPT_FILTER_TIME);
}

int rpt_profile_init(struct rpt_profile *profile,
		     const struct rpt_profile_conf *conf, struct pd_err *err)
{
	const struct rpt_sample_reader_conf samples = {
		.events = pd_reader_events(conf->reader),
		.timeline = conf->timeline,
		.with_chains = conf->with_chains,
		.filter = conf->filter,
		.event_switch = conf->event_switch,
	};

	*profile = (struct rpt_profile){ .conf = *conf, .keys.is_bytes = true };
	profile->budget_floor = rpt_budget_left(budget_of(profile)) / 3;
	profile->scratch = calloc(1, SCRATCH_LEN);
	profile->totals =
		calloc(totals_nr(profile) + 1, sizeof(*profile->totals));
	if (may_repeat(conf))
		profile->repeat = calloc(1, sizeof(*profile->repeat));
	if (!conf->bases)
		profile->own_bases = rpt_stack_bases_new();
	if (!conf->bases)
		profile->conf.bases = profile->own_bases;
	if (!rpt_sample_reader_init(&profile->samples, &samples) &&
	    profile->scratch && profile->totals && profile->conf.bases)
		return 0;
	rpt_profile_release(profile);
	return pd_err_set(err, -ENOMEM, "out of memory for the profile");
}

void rpt_profile_release(struct rpt_profile *profile)
{
	rpt_intern_release(&profile->keys);
	free(profile->stacks);
	free(profile->totals);
	free(profile->scratch);
	free(profile->repeat);
	rpt_sample_reader_release(&profile->samples);
	rpt_stack_bases_free(profile->own_bases);
	*profile = (struct rpt_profile){ 0 };
}

static bool is_key(const struct rpt_profile *profile, uint32_t idx,
		   const struct rpt_stack_key *key, size_t len)
{
	const struct rpt_intern *keys = &profile->keys;

	return idx < keys->nr && keys->entries[idx].len == len &&
	       !memcmp(keys->entries[idx].key, key, len);
}

static bool grow_stacks(struct rpt_profile *profile)
{
	struct rpt_stack *stacks =
		rpt_grow(profile->stacks, &profile->stacks_cap,
			 profile->keys.nr, sizeof(*stacks));

	if (!stacks)
		return false;
	profile->stacks = stacks;
	return true;
}

/* The stack of a key, empty at its first time; NULL: out of memory. */
static struct rpt_stack *stack_of(struct rpt_profile *profile,
				  const struct rpt_stack_key *key, size_t len)
{
	uint32_t known_nr = profile->keys.nr;
	int64_t idx = profile->last_idx;

	if (is_key(profile, profile->last_idx, key, len))
		return &profile->stacks[idx];
	if (!grow_stacks(profile))
		return NULL;
	idx = rpt_intern(&profile->keys, key, len);
	if (idx < 0)
		return NULL;
	if (idx == known_nr) {
		profile->stacks[idx] = (struct rpt_stack){ 0 };
		if (!rpt_profile_take(profile, len + RPT_STACK_COST_LEN))
			profile->is_full = true;
	}
	profile->last_idx = (uint32_t)idx;
	return &profile->stacks[idx];
}

static void tell_full(struct rpt_profile *profile, const struct pd_record *rec)
{
	struct pd_err err = PD_ERR_INIT;

	profile->is_full_told = true;
	pd_err_at(&err, -EFBIG, rec->file_off,
		  "more different stacks than the limit on memory allows "
		  "(--max-ratio); others are in the totals alone");
	pd_damage_add(&profile->damage, PD_DAMAGE_RECORD, 0, &err);
}

/* Without budget, stacks that are not there yet are counted in the totals
 * alone. */
static bool is_left_out(struct rpt_profile *profile,
			const struct rpt_stack_key *key, size_t len,
			const struct pd_record *rec)
{
	if (!profile->is_full ||
	    (key->base && (is_key(profile, profile->last_idx, key, len) ||
			   rpt_intern_find(&profile->keys, key, len) >= 0)))
		return false;
	if (!profile->is_full_told)
		tell_full(profile, rec);
	return true;
}

static void stack_add(struct rpt_stack *stack, const struct rpt_stack *more)
{
	if (!stack->nr || rpt_when_before(more->first, stack->first)) {
		stack->first = more->first;
		stack->first_pid = more->first_pid;
		stack->first_tid = more->first_tid;
	}
	stack->period += more->period;
	stack->nr += more->nr;
}

/* A block is a division, and most samples are in that of the one before. */
static uint32_t block_of(struct rpt_profile *profile, struct rpt_when when)
{
	const struct rpt_time_blocks *blocks = &profile->conf.blocks;

	if (!blocks->nr)
		return 0;
	if (!rpt_span_has(&profile->block_span, when)) {
		profile->block = rpt_time_block_at(blocks, when.time_ns);
		profile->block_span =
			rpt_time_block_span(blocks, profile->block);
	}
	return profile->block;
}

static size_t total_of(const struct rpt_profile *profile, size_t event_idx,
		       uint32_t block)
{
	uint32_t block_nr = profile->conf.blocks.nr;

	return block_nr ? event_idx * block_nr + block : event_idx;
}

static void count_total(struct rpt_profile *profile, size_t idx,
			uint64_t period)
{
	profile->totals[idx].sample_nr++;
	profile->totals[idx].period += period;
}

static size_t event_idx_of(const struct rpt_profile *profile,
			   const struct rpt_sample *sample)
{
	return (size_t)(sample->event -
			pd_reader_events(profile->conf.reader)->events);
}

/* What is like this sample counts where it did, as long as its task does not
 * change and the block lasts. */
static void remember(struct rpt_profile *profile,
		     const struct rpt_sample *sample)
{
	struct rpt_repeat_sample_place place = {
		.span = sample->task->span,
		.total_idx = total_of(profile, event_idx_of(profile, sample),
				      profile->block),
		.stack_idx = profile->last_idx,
		.period = sample->fields.period,
	};

	if (profile->conf.blocks.nr) {
		rpt_span_start(&place.span, profile->block_span.start);
		rpt_span_end(&place.span, profile->block_span.end);
	}
	rpt_repeat_sample_set(profile->repeat, sample->rec,
			      &sample->event->layout, &sample->fields,
			      profile->conf.by_raw, &place);
}

bool rpt_profile_add_repeats(struct rpt_profile *profile,
			     const struct rpt_repeat_sample_place *place,
			     const struct rpt_repeats *repeats)
{
	struct rpt_stack *stack = &profile->stacks[place->stack_idx];
	struct rpt_event_total *total = &profile->totals[place->total_idx];

	if (!rpt_span_has(&place->span, repeats->first) ||
	    !rpt_span_has(&place->span, repeats->last) ||
	    rpt_when_before(repeats->first, stack->first))
		return false;
	total->sample_nr += repeats->nr;
	total->period += repeats->nr * place->period;
	stack->period += repeats->nr * place->period;
	stack->nr += repeats->nr;
	return true;
}

struct rpt_when rpt_profile_repeated_when(const struct rpt_profile *profile,
					  const struct pd_record *rec)
{
	uint64_t time_ns = pd_sample_time_of(profile->repeat->layout, rec);

	return (struct rpt_when){
		.time_ns = pd_event_set_order(
			pd_reader_events(profile->conf.reader), time_ns),
		.seq = rec->seq,
	};
}

/* False: rec is to be decoded. */
static bool count_repeat(struct rpt_profile *profile,
			 const struct pd_record *rec)
{
	const struct rpt_repeat_sample *repeat = profile->repeat;
	struct rpt_when when;

	if (!repeat || !rpt_repeat_sample_is(repeat, rec))
		return false;
	when = rpt_profile_repeated_when(profile, rec);
	return rpt_profile_add_repeats(profile, &repeat->place,
				       &(struct rpt_repeats){ when, when, 1 });
}

/* One delivered sample: event and period may differ from the record's own. */
static int count(struct rpt_profile *profile, const struct rpt_sample *sample)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	const struct rpt_profile_conf *conf = &profile->conf;
	const struct pd_sample *fields = &sample->fields;
	struct rpt_stack one = { fields->period, 1, sample->when, fields->pid,
				 fields->tid };
	struct rpt_user_stack at = { conf->timeline, &sample->task->who,
				     sample->when };
	size_t event_idx = event_idx_of(profile, sample);
	struct rpt_stack *stack;
	size_t len;

	count_total(
		profile,
		total_of(profile, event_idx, block_of(profile, sample->when)),
		fields->period);
	if (conf->filter && !rpt_filter_task(conf->filter, fields->pid,
					     fields->tid, sample->task->comm))
		return 0;
	if (conf->is_one_socket &&
	    rpt_socket_of(conf->value_conf.sockets, fields) != conf->socket)
		return 0;
	key->event_idx = (uint32_t)event_idx;
	rpt_profile_key_fill(conf, key, fields);
	if (conf->unwind && conf->with_chains && fields->stack_len)
		key->chain_nr += rpt_user_stack_unwind(
			conf->unwind, &at, fields, sample->rec->swap,
			key->chain + key->chain_nr);
	len = rpt_profile_key_close(key, profile, fields, sample->when);
	key->base = rpt_profile_base(profile, fields, sample->task);
	if (!key->base && !profile->is_full)
		return -ENOMEM;
	if (is_left_out(profile, key, len, sample->rec))
		return 0;
	stack = stack_of(profile, key, len);
	if (!stack)
		return -ENOMEM;
	stack_add(stack, &one);
	if (profile->repeat)
		remember(profile, sample);
	return 0;
}

static int count_branches(struct rpt_profile *profile,
			  struct rpt_sample *sample)
{
	size_t nr = pd_sample_branch_nr(&sample->fields);
	int rc = 0;

	sample->fields.period = 1;
	for (size_t i = 0; i < nr && !rc; i++) {
		profile->branch = pd_sample_branch_at(&sample->fields, i);
		sample->fields.weight = rpt_branch_weight(&profile->branch);
		sample->fields.ip = profile->branch.to;
		rc = count(profile, sample);
	}
	return rc;
}

static int add_sample(struct rpt_profile *profile, const struct pd_record *rec)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	struct rpt_sample sample;
	size_t i = 0;
	int rc = 0;

	/* the reader counts what cannot be read */
	if (rpt_sample_reader_read(&profile->samples, rec, &sample, NULL))
		return 0;
	if (conf->is_weight_period)
		sample.fields.period =
			sample.fields.weight ? sample.fields.weight : 1;
	if (conf->by_branch)
		return sample.is_shown ? count_branches(profile, &sample) : 0;
	while (!rc && (rc = rpt_sample_reader_next(&profile->samples, &sample,
						   &i)) > 0)
		rc = sample.is_shown ? count(profile, &sample) : 0;
	return rc;
}

uint64_t rpt_profile_sample_nr(const struct rpt_profile *profile)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < totals_nr(profile); i++)
		nr += profile->totals[i].sample_nr;
	return nr;
}

static void add_lost(struct rpt_profile *profile, const struct pd_record *rec)
{
	struct pd_body body;

	if (pd_body_read(rec, 0, &body, NULL)) {
		profile->samples.damaged_nr++;
		return;
	}
	if (rec->type == PD_RECORD_LOST_SAMPLES) {
		profile->lost_sample_nr += body.u.lost_samples.lost_nr;
		return;
	}
	profile->lost_chunk_nr++;
	profile->lost_nr += body.u.lost.lost_nr;
}

int rpt_profile_add_record(struct rpt_profile *profile,
			   const struct pd_record *rec, struct pd_err *err)
{
	int rc;

	if (rec->type != PD_RECORD_SAMPLE) {
		if (rpt_is_counted(rec->type))
			add_lost(profile, rec);
		return 0;
	}
	if (count_repeat(profile, rec))
		return 0;
	rc = add_sample(profile, rec);
	return rc ? pd_err_set(err, rc, "out of memory for stacks") : 0;
}

/* How far ahead the places of keys are fetched. */
#define MERGE_AHEAD 8u

static int merge_stack(struct rpt_profile *profile,
		       const struct rpt_profile *other, uint32_t idx,
		       bool is_last)
{
	const struct rpt_intern_entry *entry = &other->keys.entries[idx];
	uint32_t known_nr = profile->keys.nr;
	int64_t to;

	if (idx + MERGE_AHEAD < other->keys.nr)
		rpt_intern_fetch_entry(&profile->keys, entry + MERGE_AHEAD);
	if (!grow_stacks(profile))
		return -ENOMEM;
	to = is_last ? rpt_intern_lent_last(&profile->keys, entry)
		     : rpt_intern_lent(&profile->keys, entry);
	if (to < 0)
		return -ENOMEM;
	if (to == known_nr)
		profile->stacks[to] = other->stacks[idx];
	else
		stack_add(&profile->stacks[to], &other->stacks[idx]);
	return 0;
}

int rpt_profile_merge(struct rpt_profile *profile, struct rpt_profile *other,
		      bool is_last, struct pd_err *err)
{
	uint32_t known_nr = profile->keys.nr;

	for (uint32_t i = 0; i < other->keys.nr; i++)
		if (merge_stack(profile, other, i, is_last))
			return pd_err_set(err, -ENOMEM,
					  "out of memory for stacks");
	if (is_last)
		rpt_intern_seal(&profile->keys);
	rpt_intern_settle(&profile->keys, &other->keys, known_nr);
	for (size_t i = 0; i < totals_nr(profile); i++) {
		profile->totals[i].sample_nr += other->totals[i].sample_nr;
		profile->totals[i].period += other->totals[i].period;
	}
	profile->lost_nr += other->lost_nr;
	profile->lost_chunk_nr += other->lost_chunk_nr;
	profile->lost_sample_nr += other->lost_sample_nr;
	profile->samples.unknown_id_nr += other->samples.unknown_id_nr;
	profile->samples.damaged_nr += other->samples.damaged_nr;
	profile->is_full_told |= other->is_full_told;
	pd_damage_merge(&profile->damage, &other->damage);
	return 0;
}
