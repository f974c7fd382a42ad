#include "report/profile/profile.h"
#include "report/profile/profile_impl.h"

#include "format/records/record_body.h"
#include "report/profile/user_stack.h"
#include "report/timeline/address_space.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A branch history, a recorded chain and unwound frames are one chain. */
#define CHAIN_NR_MAX (RPT_HISTORY_NR + RPT_CHAIN_NR + 2 * RPT_USER_STACK_FRAMES)
#define SCRATCH_LEN                     \
	(sizeof(struct rpt_stack_key) + \
	 (CHAIN_NR_MAX + 2 + RPT_VALUES_NR) * 8 + PD_RECORD_LEN_MAX)

/* A third of the memory that is left when counting begins is for the rows. */
bool rpt_profile_take(struct rpt_profile *profile, uint64_t len)
{
	struct rpt_budget *budget = rpt_timeline_budget(profile->conf.timeline);

	return rpt_budget_left(budget) >= profile->budget_floor + len &&
	       rpt_budget_take(budget, len);
}

/* Return the number of totals: one for each event and block. */
static size_t totals_nr(const struct rpt_profile *profile)
{
	size_t block_nr = profile->conf.blocks.nr ? profile->conf.blocks.nr : 1;

	return pd_reader_events(profile->conf.reader)->nr * block_nr;
}

bool rpt_profile_may_repeat(const struct rpt_profile_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		if (attr->sample_type & PD_SAMPLE_READ ||
		    attr->flags & PD_ATTR_DEFER_CALLCHAIN)
			return false;
	}
	return !conf->branches.is_asked && !conf->unwind &&
	       !conf->event_switch && !conf->value_nr && !conf->is_stitched &&
	       !pd_event_set_has_data_for_id(events) &&
	       !(conf->filter && conf->filter->asked & RPT_FILTER_TIME);
}

void rpt_profile_init(struct rpt_profile *profile,
		      const struct rpt_profile_conf *conf)
{
	const struct rpt_sample_reader_conf samples = {
		.events = pd_reader_events(conf->reader),
		.timeline = conf->timeline,
		.with_chains = conf->with_chains,
		.filter = conf->filter,
		.event_switch = conf->event_switch,
	};

	*profile = (struct rpt_profile){ .conf = *conf, .keys.is_bytes = true };
	profile->budget_floor =
		rpt_budget_left(rpt_timeline_budget(conf->timeline)) / 3;
	profile->scratch = rpt_alloc_zeroed(1, SCRATCH_LEN);
	profile->totals = rpt_alloc_zeroed(totals_nr(profile) + 1,
					   sizeof(*profile->totals));
	if (!conf->bases)
		profile->conf.bases = profile->own_bases =
			rpt_stack_bases_new();
	rpt_sample_reader_init(&profile->samples, &samples);
}

void rpt_profile_release(struct rpt_profile *profile)
{
	rpt_intern_release(&profile->keys);
	free(profile->stacks);
	free(profile->totals);
	free(profile->scratch);
	rpt_sample_reader_release(&profile->samples);
	rpt_stack_bases_free(profile->own_bases);
	*profile = (struct rpt_profile){ 0 };
}

/* Make room for one more stack. */
static void grow_stacks(struct rpt_profile *profile)
{
	profile->stacks = rpt_grow(profile->stacks, &profile->stacks_cap,
				   profile->keys.nr, sizeof(*profile->stacks));
}

/* Return the number of a key's stack, which is empty if it is new; or -EFBIG as
 * rpt_intern() does. */
static int64_t stack_of(struct rpt_profile *profile,
			const struct rpt_stack_key *key, size_t len)
{
	uint32_t known_nr = profile->keys.nr;
	int64_t idx;

	grow_stacks(profile);
	idx = rpt_intern(&profile->keys, key, len);
	if (idx == known_nr) {
		profile->stacks[idx] = (struct rpt_stack){ 0 };
		if (!rpt_profile_take(profile, len + RPT_STACK_COST_LEN))
			profile->is_full = true;
	}
	return idx;
}

void rpt_profile_report_full(struct rpt_profile *profile)
{
	struct pd_err err = PD_ERR_INIT;

	if (!profile->is_left_out)
		return;
	pd_err_at(&err, -EFBIG, profile->left_out_off,
		  "more different stacks than the limit on memory allows "
		  "(--max-ratio); others count only in the totals");
	pd_damage_add(&profile->damage, PD_DAMAGE_RECORD, 0, &err);
}

/* Note where a stack was left out; the first place will be reported. */
static void leave_out(struct rpt_profile *profile, uint64_t file_off)
{
	if (!profile->is_left_out || file_off < profile->left_out_off)
		profile->left_out_off = file_off;
	profile->is_left_out = true;
}

/* Return true if the stack is new and there is no budget for it: its sample
 * counts only in the totals. */
static bool is_left_out(struct rpt_profile *profile,
			const struct rpt_stack_key *key, size_t len,
			const struct pd_record *rec)
{
	if (!profile->is_full ||
	    (key->base && rpt_intern_find(&profile->keys, key, len) >= 0))
		return false;
	leave_out(profile, rec->file_off);
	return true;
}

static void stack_add(struct rpt_stack *stack, const struct rpt_stack *more)
{
	if (!stack->nr || rpt_timestamp_before(more->first, stack->first)) {
		stack->first = more->first;
		stack->first_pid = more->first_pid;
		stack->first_tid = more->first_tid;
	}
	stack->period += more->period;
	stack->nr += more->nr;
}

/* Return the total of an event in the current block of time. */
static size_t total_idx_of(const struct rpt_profile *profile, size_t event_idx)
{
	uint32_t block_nr = profile->conf.blocks.nr;

	return block_nr ? event_idx * block_nr + profile->block : event_idx;
}

static size_t event_idx_of(const struct rpt_profile *profile,
			   const struct rpt_sample *sample)
{
	return (size_t)(sample->event -
			pd_reader_events(profile->conf.reader)->events);
}

/* Return where this sample was counted, and for how long equal ones count
 * there: until the task changes or the block ends. */
static struct rpt_counted_at counted_at(const struct rpt_profile *profile,
					const struct rpt_sample *sample,
					const struct rpt_stack *one,
					uint32_t stack_idx)
{
	const struct rpt_time_blocks *blocks = &profile->conf.blocks;
	struct rpt_counted_at at = {
		.span = sample->task->span,
		.total_idx =
			total_idx_of(profile, event_idx_of(profile, sample)),
		.stack_idx = stack_idx,
		.one = *one,
	};
	struct rpt_span block;

	if (blocks->nr) {
		block = rpt_time_block_span(blocks, profile->block);
		rpt_span_start(&at.span, block.start);
		rpt_span_end(&at.span, block.end);
	}
	return at;
}

bool rpt_profile_add_equal(struct rpt_profile *profile,
			   const struct rpt_counted_at *at,
			   struct rpt_timestamp first,
			   struct rpt_timestamp last, uint32_t nr)
{
	struct rpt_event_total *total = &profile->totals[at->total_idx];
	struct rpt_stack more = at->one;

	if (!rpt_span_has(&at->span, first) || !rpt_span_has(&at->span, last))
		return false;
	more.nr = nr;
	more.period *= nr;
	more.first = first;
	stack_add(&profile->stacks[at->stack_idx], &more);
	total->sample_nr += nr;
	total->period += more.period;
	return true;
}

int rpt_profile_count(struct rpt_profile *profile,
		      const struct rpt_sample *sample,
		      struct rpt_counted_at *ret_at)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	const struct rpt_profile_conf *conf = &profile->conf;
	const struct pd_sample *fields = &sample->fields;
	struct rpt_stack one = { fields->period, 1, sample->when, fields->pid,
				 fields->tid };
	size_t event_idx = event_idx_of(profile, sample);
	struct rpt_event_total *total;
	int64_t idx;
	size_t len;

	profile->block = rpt_time_block_at(&conf->blocks, sample->when.time_ns);
	total = &profile->totals[total_idx_of(profile, event_idx)];
	total->sample_nr++;
	total->period += fields->period;
	if (conf->filter && !rpt_filter_task(conf->filter, fields->pid,
					     fields->tid, sample->task->comm))
		return 0;
	if (conf->socket &&
	    rpt_socket_of(conf->value_conf.sockets, fields) != *conf->socket)
		return 0;
	key->event_idx = (uint32_t)event_idx;
	rpt_profile_key_fill(conf, key, fields);
	if (conf->with_chains)
		key->chain_nr += rpt_user_stack_frames(
			conf->unwind, conf->timeline, sample,
			key->chain + key->chain_nr);
	len = rpt_profile_key_close(key, profile, fields, sample->when);
	key->base = rpt_profile_context(profile, fields, sample->task);
	if (is_left_out(profile, key, len, sample->rec))
		return 0;
	idx = stack_of(profile, key, len);
	if (idx < 0)
		return (int)idx;
	stack_add(&profile->stacks[idx], &one);
	if (ret_at)
		*ret_at = counted_at(profile, sample, &one, (uint32_t)idx);
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
		rc = rpt_profile_count(profile, sample, NULL);
	}
	return rc;
}

static int add_sample(struct rpt_profile *profile, const struct pd_record *rec,
		      struct rpt_counted_at *ret_at)
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
	if (conf->branches.is_asked)
		return sample.is_shown ? count_branches(profile, &sample) : 0;
	while (!rc && rpt_sample_reader_next(&profile->samples, &sample, &i))
		rc = sample.is_shown
			     ? rpt_profile_count(profile, &sample, ret_at)
			     : 0;
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
			   const struct pd_record *rec,
			   struct rpt_counted_at *at, struct pd_err *err)
{
	int rc = 0;

	if (rec->type == PD_RECORD_SAMPLE)
		rc = add_sample(profile, rec, at);
	else if (rpt_sample_rle_takes(rec->type))
		add_lost(profile, rec);
	return rc ? pd_err_set(err, rc, "too many stacks") : 0;
}

int rpt_profile_add_chunk(struct rpt_profile *profile, struct pd_chunk chunk,
			  struct pd_err *err)
{
	struct pd_records it;
	struct pd_record rec;
	int rc;

	pd_records_init(&it, profile->conf.reader, chunk);
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		rc = rpt_profile_add_record(profile, &rec, NULL, err);
		if (rc)
			break;
	}
	pd_damage_merge(&profile->damage, &it.damage);
	pd_records_release(&it);
	return rc;
}

static int merge_stack(struct rpt_profile *profile,
		       const struct rpt_profile *other, uint32_t idx)
{
	const struct rpt_intern_entry *entry = &other->keys.entries[idx];
	uint32_t known_nr = profile->keys.nr;
	int64_t to;

	grow_stacks(profile);
	to = rpt_intern_share(&profile->keys, entry);
	if (to < 0)
		return (int)to;
	if (to == known_nr)
		profile->stacks[to] = other->stacks[idx];
	else
		stack_add(&profile->stacks[to], &other->stacks[idx]);
	return 0;
}

int rpt_profile_merge(struct rpt_profile *profile, struct rpt_profile *other,
		      struct pd_err *err)
{
	uint32_t known_nr = profile->keys.nr;

	for (uint32_t i = 0; i < other->keys.nr; i++)
		if (merge_stack(profile, other, i))
			return pd_err_set(err, -EFBIG, "too many stacks");
	rpt_intern_own(&profile->keys, &other->keys, known_nr);
	for (size_t i = 0; i < totals_nr(profile); i++) {
		profile->totals[i].sample_nr += other->totals[i].sample_nr;
		profile->totals[i].period += other->totals[i].period;
	}
	profile->lost_nr += other->lost_nr;
	profile->lost_chunk_nr += other->lost_chunk_nr;
	profile->lost_sample_nr += other->lost_sample_nr;
	profile->samples.unknown_id_nr += other->samples.unknown_id_nr;
	profile->samples.damaged_nr += other->samples.damaged_nr;
	if (other->is_left_out)
		leave_out(profile, other->left_out_off);
	pd_damage_merge(&profile->damage, &other->damage);
	return 0;
}
