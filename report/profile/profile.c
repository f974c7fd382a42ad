#include "report/profile/profile.h"
#include "report/profile/profile_impl.h"

#include "format/record_body.h"
#include "report/input/sample_rle.h"
#include "report/events/read_values.h"
#include "report/timeline/address_space.h"
#include "report/timeline/timeline_budget.h"
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
	return budget_of(profile)->left >= profile->budget_floor + len &&
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
	*profile = (struct rpt_profile){ .conf = *conf, .keys.is_bytes = true };
	profile->budget_floor = budget_of(profile)->left / 3;
	profile->scratch = calloc(1, SCRATCH_LEN);
	profile->chain_room = calloc(RPT_CHAIN_NR, sizeof(uint64_t));
	profile->totals =
		calloc(totals_nr(profile) + 1, sizeof(*profile->totals));
	profile->read_values = calloc(1, sizeof(*profile->read_values));
	profile->moments = calloc(RPT_MOMENTS_NR, sizeof(*profile->moments));
	if (may_repeat(conf))
		profile->repeat = calloc(1, sizeof(*profile->repeat));
	if (!conf->bases)
		profile->own_bases = rpt_stack_bases_new();
	if (!conf->bases)
		profile->conf.bases = profile->own_bases;
	if (profile->scratch && profile->moments && profile->chain_room &&
	    profile->totals && profile->read_values && profile->conf.bases)
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
	free(profile->moments);
	free(profile->repeat);
	free(profile->chain_room);
	if (profile->read_values)
		rpt_read_values_release(profile->read_values);
	free(profile->read_values);
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

/* Samples of one task come one after the other, and little happens between. */
static const struct rpt_moment *moment_of(struct rpt_profile *profile,
					  const struct pd_sample *sample,
					  struct rpt_when when)
{
	struct rpt_moment *last =
		&profile->moments[sample->tid % RPT_MOMENTS_NR];

	if (last->who.pid != sample->pid || last->who.tid != sample->tid ||
	    !rpt_span_has(&last->span, when))
		rpt_timeline_moment(profile->conf.timeline, sample->pid,
				    sample->tid, when, last);
	return last;
}

/* What is like this sample counts where it did, as long as its task does not
 * change and the block lasts. */
static void remember(struct rpt_profile *profile, const struct pd_record *rec,
		     size_t event_idx, const struct rpt_moment *moment,
		     const struct pd_sample *sample)
{
	struct rpt_repeat_sample_place place = {
		.span = moment->span,
		.total_idx = total_of(profile, event_idx, profile->block),
		.stack_idx = profile->last_idx,
		.period = sample->period,
	};

	if (profile->conf.blocks.nr) {
		rpt_span_start(&place.span, profile->block_span.start);
		rpt_span_end(&place.span, profile->block_span.end);
	}
	rpt_repeat_sample_set(profile->repeat, rec,
			      &pd_reader_events(profile->conf.reader)
				       ->events[event_idx]
				       .layout,
			      sample, profile->conf.by_raw, &place);
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
static int count(struct rpt_profile *profile, size_t event_idx,
		 const struct pd_sample *sample, struct rpt_when when,
		 const struct pd_record *rec)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	const struct rpt_profile_conf *conf = &profile->conf;
	struct rpt_stack one = { sample->period, 1, when, 0, 0 };
	const struct rpt_moment *moment = moment_of(profile, sample, when);
	struct rpt_user_stack at = { conf->timeline, &moment->who, when };
	struct rpt_stack *stack;
	size_t len;

	count_total(profile,
		    total_of(profile, event_idx, block_of(profile, when)),
		    sample->period);
	if (conf->filter && !rpt_filter_task(conf->filter, sample->pid,
					     sample->tid, moment->comm))
		return 0;
	if (conf->is_one_socket &&
	    rpt_socket_of(conf->value_conf.sockets, sample) != conf->socket)
		return 0;
	key->event_idx = (uint32_t)event_idx;
	rpt_profile_key_fill(conf, key, sample);
	if (conf->unwind && conf->with_chains && sample->stack_len)
		key->chain_nr += rpt_user_stack_unwind(
			conf->unwind, &at, sample, rec->swap,
			key->chain + key->chain_nr);
	one.first_pid = sample->pid;
	one.first_tid = sample->tid;
	len = rpt_profile_key_close(key, profile, sample, when);
	key->base = rpt_profile_base(profile, sample, moment);
	if (!key->base && !profile->is_full)
		return -ENOMEM;
	if (is_left_out(profile, key, len, rec))
		return 0;
	stack = stack_of(profile, key, len);
	if (!stack)
		return -ENOMEM;
	stack_add(stack, &one);
	if (profile->repeat)
		remember(profile, rec, event_idx, moment, sample);
	return 0;
}

/* PERF_SAMPLE_READ: one delivered sample for each counter that moved, by how
 * much it did since the last sample, whether that one was counted or not. */
static int count_read(struct rpt_profile *profile, struct pd_sample *sample,
		      struct rpt_when when, const struct pd_record *rec,
		      bool is_counted)
{
	const struct pd_event_set *events =
		pd_reader_events(profile->conf.reader);
	int rc = 0;

	for (size_t i = 0; i < sample->counts.nr && !rc; i++) {
		struct pd_read_value value =
			pd_sample_count_at(&sample->counts, i);
		const struct pd_event *event =
			pd_event_set_by_id(events, value.id);

		if (!event) {
			profile->unknown_id_nr++;
			continue;
		}
		rc = rpt_read_values_delta(profile->read_values, value.id,
					   value.value, &sample->period);
		if (!rc && sample->period && is_counted)
			rc = count(profile, (size_t)(event - events->events),
				   sample, when, rec);
	}
	return rc;
}

static int count_branches(struct rpt_profile *profile, size_t event_idx,
			  struct pd_sample *sample, struct rpt_when when,
			  const struct pd_record *rec)
{
	size_t nr = pd_sample_branch_nr(sample);
	int rc = 0;

	sample->period = 1;
	for (size_t i = 0; i < nr && !rc; i++) {
		profile->branch = pd_sample_branch_at(sample, i);
		sample->weight = rpt_branch_weight(&profile->branch);
		sample->ip = profile->branch.to;
		rc = count(profile, event_idx, sample, when, rec);
	}
	return rc;
}

static bool passes(const struct rpt_profile *profile,
		   const struct pd_sample *sample, struct rpt_when when)
{
	const struct rpt_profile_conf *conf = &profile->conf;

	return (!conf->filter ||
		rpt_filter_sample_moment(conf->filter, sample)) &&
	       (!conf->event_switch ||
		rpt_event_switch_passes(conf->event_switch, when));
}

static int add_sample(struct rpt_profile *profile, const struct pd_record *rec)
{
	const struct pd_event_set *events =
		pd_reader_events(profile->conf.reader);
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct pd_sample sample;
	struct rpt_when when;
	bool is_counted;

	if (!event) {
		profile->unknown_id_nr++;
		return 0;
	}
	if (pd_sample_read(&event->layout, rec, &sample, NULL)) {
		profile->damaged_nr++;
		return 0;
	}
	if (profile->conf.with_chains)
		rpt_timeline_join_chain(profile->conf.timeline, event, rec->seq,
					&sample, profile->chain_room);
	if (!(sample.present & PD_SAMPLE_TID)) {
		sample.pid = UINT32_MAX;
		sample.tid = UINT32_MAX;
	}
	when = (struct rpt_when){ pd_event_set_order(events, sample.time_ns),
				  rec->seq };
	is_counted = passes(profile, &sample, when);
	if (!is_counted &&
	    (profile->conf.by_branch || !(sample.present & PD_SAMPLE_READ)))
		return 0;
	if (profile->conf.is_weight_period)
		sample.period = sample.weight ? sample.weight : 1;
	if (profile->conf.by_branch)
		return count_branches(profile, (size_t)(event - events->events),
				      &sample, when, rec);
	if (sample.present & PD_SAMPLE_READ)
		return count_read(profile, &sample, when, rec, is_counted);
	return count(profile, (size_t)(event - events->events), &sample, when,
		     rec);
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
		profile->damaged_nr++;
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
	if (rpt_intern_settle(&profile->keys, &other->keys, known_nr))
		return pd_err_set(err, -ENOMEM, "out of memory for stacks");
	for (size_t i = 0; i < totals_nr(profile); i++) {
		profile->totals[i].sample_nr += other->totals[i].sample_nr;
		profile->totals[i].period += other->totals[i].period;
	}
	profile->lost_nr += other->lost_nr;
	profile->lost_chunk_nr += other->lost_chunk_nr;
	profile->lost_sample_nr += other->lost_sample_nr;
	profile->unknown_id_nr += other->unknown_id_nr;
	profile->damaged_nr += other->damaged_nr;
	profile->is_full_told |= other->is_full_told;
	pd_damage_merge(&profile->damage, &other->damage);
	return 0;
}
