#include "report/profile/profile.h"

#include "format/records/record_body.h"
#include "report/base/cpu_prefetch.h"
#include "report/base/memory.h"
#include "report/base/radix_sort.h"
#include "report/profile/profile_impl.h"
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

/* Take len bytes for a new stack from the budget.  Return false if there are
 * fewer. */
/* A third of the memory that is left when counting begins is for the rows. */
static bool profile_take(struct rpt_profile *profile, uint64_t len)
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

/* Return true if task, block of time and the bytes of the record alone decide
 * where a sample is counted. */
static bool profile_may_repeat(const struct rpt_profile_conf *conf)
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
	       !(conf->filter &&
		 conf->filter->asked & (RPT_FILTER_TIME | RPT_FILTER_PROCESS));
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
	free(profile->seconds.items);
	free(profile->totals);
	free(profile->scratch);
	rpt_linked_stacks_free(profile->linked);
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
		if (!profile_take(profile, len + RPT_STACK_COST_LEN))
			profile->is_full = true;
	}
	return idx;
}

void rpt_profile_report_full(struct rpt_profile *profile)
{
	static const char text[] =
		"more different stacks than the limit on memory allows "
		"(--max-ratio); others count only in the totals";
	struct pd_err err = PD_ERR_INIT;

	if (!profile->is_left_out)
		return;
	if (profile->left_out_off == UINT64_MAX) /* of no record */
		pd_err_set(&err, -EFBIG, "%s", text);
	else
		pd_err_at(&err, -EFBIG, profile->left_out_off, "%s", text);
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

/* Count nr samples, from first to last in time, that are equal to the one that
 * was counted at.  Return false and count none if some do not belong there. */
static bool profile_add_equal(struct rpt_profile *profile,
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

/* Makes the key of a sample's stack. */

static uint32_t copy_chain(const struct pd_u64s *chain, uint64_t *to)
{
	uint32_t nr = (uint32_t)chain->nr; /* RPT_CHAIN_NR at most */

	if (!nr)
		return 0;
	if (!chain->swap) {
		memcpy(to, chain->raw, nr * sizeof(*to));
		return nr;
	}
	for (uint32_t i = 0; i < nr; i++)
		to[i] = pd_u64s_at(chain, i);
	return nr;
}

/* Fill in the key of a sample up to its chain, but not its context. */
static void profile_key_fill(const struct rpt_profile_conf *conf,
			     struct rpt_stack_key *key,
			     const struct pd_sample *sample)
{
	key->ip = sample->ip;
	key->cpumode = sample->misc & PD_MISC_CPUMODE_MASK;
	key->chain_nr = 0;
	if (conf->history.is_asked)
		key->chain_nr =
			rpt_branch_history(&conf->history, sample, key->chain);
	else if (conf->with_chains)
		key->chain_nr = copy_chain(&sample->callchain, key->chain);
	key->is_of_branches = sample->is_chain_of_branches;
}

/* Append what follows the chain: profile->branch, values, raw data.  Return the
 * key's length in bytes. */
static size_t profile_key_close(struct rpt_stack_key *key,
				const struct rpt_profile *profile,
				const struct pd_sample *sample,
				struct rpt_timestamp when)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	uint64_t *end = key->chain + key->chain_nr;

	key->branch_words = 0;
	if (conf->branches.by_from || conf->branches.by_flags) {
		*end++ = conf->branches.by_from ? profile->branch.from : 0;
		*end++ = profile->branch.flags & conf->branches.by_flags;
		key->branch_words = 2;
	}
	key->value_nr = (uint8_t)conf->value_nr; /* RPT_VALUES_NR */
	for (uint32_t i = 0; i < conf->value_nr; i++)
		*end++ = rpt_value_of(conf->values[i], sample, when,
				      &conf->value_conf);
	key->raw_len = 0;
	if (conf->by_raw && sample->raw_len <= PD_RECORD_LEN_MAX)
		key->raw_len = sample->raw_len;
	if (key->raw_len)
		memcpy(end, sample->raw, key->raw_len);
	return (size_t)((uint8_t *)end - (uint8_t *)key) + key->raw_len;
}

static const struct rpt_stack_context *
find_base(struct rpt_profile *profile, const struct rpt_stack_context *base)
{
	struct rpt_stack_bases *bases = profile->conf.bases;
	const struct rpt_stack_context *found;
	bool is_new;

	if (profile->is_full)
		return rpt_stack_bases_find(bases, base);
	found = rpt_stack_bases_get(bases, base, &is_new);
	if (found && is_new &&
	    !profile_take(profile, RPT_STACK_CONTEXT_COST_LEN))
		profile->is_full = true;
	return found;
}

/* Return the context of a sample's stack in profile->block; NULL if it is new
 * and profile->is_full. */
static const struct rpt_stack_context *
profile_context(struct rpt_profile *profile, const struct pd_sample *sample,
		const struct rpt_task_state *task)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	struct rpt_stack_context base = {
		.comm = (uint64_t)(uintptr_t)task->comm,
		.tid = conf->by_task || !task->comm ? task->ref.tid
						    : RPT_NO_KEY,
		.cpu = RPT_NO_KEY,
		/* The map version, on which user frames depend and kernel
		 * addresses do not. */
		.space_id = task->space_id,
		.space_version = task->space_version,
		.kernel_version = task->kernel_version,
		.block = profile->block,
	};
	const struct rpt_stack_context **last;

	if (conf->by_cpu)
		base.cpu = sample->present & PD_SAMPLE_CPU ? sample->cpu
							   : UINT32_MAX;
	last = &profile->recent[(task->ref.tid + base.cpu) %
				RPT_RECENT_CONTEXTS_NR];
	if (!*last || memcmp(*last, &base, sizeof(base)) != 0)
		*last = find_base(profile, &base);
	return *last;
}

bool rpt_profile_passes_task(const struct rpt_profile *profile,
			     const struct rpt_sample *sample)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	const struct pd_sample *fields = &sample->fields;
	struct rpt_filtered_task task;

	if (!conf->filter)
		return true;
	task = (struct rpt_filtered_task){
		fields->pid,
		fields->tid,
		sample->task->comm,
		rpt_filter_process(conf->filter, conf->timeline, fields->pid,
				   fields->tid, sample->when),
	};
	return rpt_filter_task(conf->filter, &task);
}

/* Make the key of a sample in profile->scratch.  Return its length. */
static size_t make_key(struct rpt_profile *profile,
		       const struct rpt_sample *sample)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	const struct rpt_profile_conf *conf = &profile->conf;
	const struct pd_sample *fields = &sample->fields;
	size_t len;

	key->event_idx = (uint32_t)event_idx_of(profile, sample);
	profile_key_fill(conf, key, fields);
	if (conf->with_chains)
		key->chain_nr += rpt_user_stack_frames(
			conf->unwind, conf->timeline, sample,
			key->chain + key->chain_nr);
	len = profile_key_close(key, profile, fields, sample->when);
	key->base = profile_context(profile, fields, sample->task);
	return len;
}

/* Add a sample to the totals.  Return whether it counts in a stack, too. */
static bool count_total(struct rpt_profile *profile,
			const struct rpt_sample *sample)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	const struct pd_sample *fields = &sample->fields;
	/* rpt_wait_pass() asks the filter before it divides the time */
	bool is_chosen = profile->is_latency && profile->linked;
	struct rpt_event_total *total;

	profile->block = rpt_time_block_at(&conf->blocks, sample->when.time_ns);
	total = &profile->totals[total_idx_of(profile,
					      event_idx_of(profile, sample))];
	total->sample_nr++;
	total->period += fields->period;
	total->second += sample->second;
	return (is_chosen || rpt_profile_passes_task(profile, sample)) &&
	       (!conf->filter ||
		rpt_filter_parallelism(conf->filter,
				       conf->value_conf.parallelism)) &&
	       (!conf->socket || rpt_socket_of(conf->value_conf.sockets,
					       fields) == *conf->socket);
}

void rpt_profile_add_total(struct rpt_profile *profile,
			   const struct rpt_sample *sample)
{
	count_total(profile, sample);
}

/* Return what one sample adds to its stack. */
static struct rpt_stack stack_of_one(const struct rpt_sample *sample)
{
	const struct pd_sample *fields = &sample->fields;

	return (struct rpt_stack){
		.period = fields->period,
		.nr = 1,
		.first = sample->when,
		.first_pid = fields->pid,
		.first_tid = fields->tid,
	};
}

int rpt_profile_count(struct rpt_profile *profile,
		      const struct rpt_sample *sample,
		      struct rpt_counted_at *ret_at)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	struct rpt_stack one = stack_of_one(sample);
	int64_t idx;
	size_t len;

	if (!count_total(profile, sample))
		return 0;
	len = make_key(profile, sample);
	if (is_left_out(profile, key, len, sample->rec))
		return 0;
	idx = stack_of(profile, key, len);
	if (idx < 0)
		return (int)idx;
	stack_add(&profile->stacks[idx], &one);
	rpt_profile_add_second(profile, idx, sample);
	if (ret_at)
		*ret_at = counted_at(profile, sample, &one, (uint32_t)idx);
	return 0;
}

int64_t rpt_profile_part(struct rpt_profile *profile,
			 const struct rpt_sample *sample)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	struct rpt_stack first = stack_of_one(sample);
	size_t len;

	profile->block = 0; /* make_linked_key() sets it */
	len = make_key(profile, sample);
	return key->base ? rpt_linked_stacks_part(profile->linked, key, len,
						  &first)
			 : -EFBIG;
}

/* Make the key of a chain of links in profile->scratch: what is behind the
 * chain of its outermost part stays, but for the time.  Return its length. */
static size_t make_linked_key(struct rpt_profile *profile,
			      const struct rpt_sample *sample, uint32_t part,
			      const struct rpt_linked_chain *chain)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	const struct rpt_linked_stacks *linked = profile->linked;
	const struct rpt_stack_key *outer = rpt_linked_stacks_key(linked, part);
	const struct rpt_stack_link *inner =
		rpt_linked_stacks_at(linked, chain->words[1]);
	const uint8_t *tail = (const uint8_t *)(outer->chain + outer->chain_nr);
	size_t tail_len = linked->parts.entries[part].len -
			  (size_t)(tail - (const uint8_t *)outer);
	struct rpt_stack_context base = *outer->base;

	*key = *outer;
	base.block = profile->block;
	key->base = find_base(profile, &base);
	key->ip = 0;
	key->cpumode = PD_CPUMODE_KERNEL;
	if (inner && inner->part != RPT_LINK_NO_PART && !inner->word) {
		key->ip = rpt_linked_stacks_key(linked, inner->part)->ip;
		key->cpumode =
			rpt_linked_stacks_key(linked, inner->part)->cpumode;
	}
	key->is_of_branches = false;
	key->chain_nr = chain->nr;
	memcpy(key->chain, chain->words, chain->nr * sizeof(*chain->words));
	memcpy(key->chain + chain->nr, tail, tail_len);
	for (uint32_t i = 0; i < key->value_nr; i++) {
		enum rpt_value value = profile->conf.values[i];

		if (value == RPT_VALUE_TIME || value == RPT_VALUE_PARALLELISM)
			key->chain[chain->nr + key->branch_words + i] =
				rpt_value_of(value, &sample->fields,
					     sample->when,
					     &profile->conf.value_conf);
	}
	return sizeof(*key) + chain->nr * sizeof(*chain->words) + tail_len;
}

int rpt_profile_count_linked(struct rpt_profile *profile,
			     const struct rpt_sample *sample, uint32_t part,
			     const struct rpt_linked_chain *chain)
{
	struct rpt_stack_key *key = (void *)profile->scratch;
	struct rpt_stack one = stack_of_one(sample);
	int64_t idx;
	size_t len;

	if (!count_total(profile, sample))
		return 0;
	len = make_linked_key(profile, sample, part, chain);
	if (is_left_out(profile, key, len, sample->rec))
		return 0;
	idx = stack_of(profile, key, len);
	if (idx < 0)
		return (int)idx;
	stack_add(&profile->stacks[idx], &one);
	rpt_profile_add_second(profile, idx, sample);
	return 0;
}

static int count_branches(struct rpt_profile *profile,
			  struct rpt_sample *sample)
{
	size_t nr = pd_sample_branch_nr(&sample->fields);
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		sample->fields.period = 1;
		rpt_profile_set_latency(profile, sample);
		profile->branch = pd_sample_branch_at(&sample->fields, i);
		sample->fields.weight = rpt_branch_weight(&profile->branch);
		sample->fields.ip = profile->branch.to;
		rc = rpt_profile_count(profile, sample, NULL);
	}
	return rc;
}

int rpt_profile_count_read(struct rpt_profile *profile,
			   struct rpt_sample *sample,
			   struct rpt_counted_at *ret_at)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	size_t i = 0;
	int rc = 0;

	if (conf->is_weight_period)
		sample->fields.period =
			sample->fields.weight ? sample->fields.weight : 1;
	if (conf->branches.is_asked)
		return sample->is_shown ? count_branches(profile, sample) : 0;
	while (!rc && rpt_sample_reader_next(&profile->samples, sample, &i)) {
		rpt_profile_set_latency(profile, sample);
		rc = sample->is_shown
			     ? rpt_profile_count(profile, sample, ret_at)
			     : 0;
	}
	return rc;
}

static int add_sample(struct rpt_profile *profile, const struct pd_record *rec,
		      struct rpt_counted_at *ret_at)
{
	struct rpt_sample sample;

	/* the reader counts what cannot be read */
	return rpt_sample_reader_read(&profile->samples, rec, &sample, NULL)
		       ? 0
		       : rpt_profile_count_read(profile, &sample, ret_at);
}

uint64_t rpt_profile_sample_nr(const struct rpt_profile *profile)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < totals_nr(profile); i++)
		nr += profile->totals[i].sample_nr;
	return nr;
}

void rpt_profile_add_lost(struct rpt_profile *profile,
			  const struct pd_record *rec)
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
		rpt_profile_add_lost(profile, rec);
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
	profile->samples.has_leaf |= other->samples.has_leaf;
	if (other->is_left_out)
		leave_out(profile, other->left_out_off);
	pd_damage_merge(&profile->damage, &other->damage);
	return 0;
}

/* Sorts stacks in the order in which rows are made. */

/* The last words to sort by; the event comes first if there are several. */
enum word { WORD_TIME, WORD_PLACE, WORDS_OF_TIME };

static uint64_t event_of(const struct rpt_profile *profile, uint32_t stack)
{
	return rpt_profile_key(profile, stack)->event_idx;
}

static uint64_t time_word(const void *ctx, uint32_t stack, unsigned word_idx)
{
	const struct rpt_profile *profile = ctx;
	const struct rpt_timestamp *first = &profile->stacks[stack].first;

	return word_idx == WORD_TIME ? first->time_ns : first->seq;
}

static uint64_t event_word(const void *ctx, uint32_t stack, unsigned word_idx)
{
	return word_idx ? time_word(ctx, stack, word_idx - 1)
			: event_of(ctx, stack);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct rpt_profile *profile = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (unsigned i = 0; i <= WORDS_OF_TIME; i++) {
		uint64_t p = event_word(profile, x, i);
		uint64_t q = event_word(profile, y, i);

		if (p != q)
			return p < q ? -1 : 1;
	}
	return (x > y) - (x < y);
}

uint32_t *rpt_profile_order(const struct rpt_profile *profile)
{
	bool is_only = pd_reader_events(profile->conf.reader)->nr == 1;
	uint32_t nr = profile->keys.nr;
	uint32_t *order = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*order));
	struct rpt_radix_sort sort = {
		.word = is_only ? time_word : event_word,
		.word_nr = is_only ? WORDS_OF_TIME : WORDS_OF_TIME + 1,
		.compare = compare,
		.ctx = (void *)(uintptr_t)profile,
	};

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	rpt_radix_sort(&sort, order, nr);
	return order;
}

/* How many stacks ahead an entry and its key are fetched. */
#define AHEAD_ENTRY 24u
#define AHEAD_KEY   16u

void rpt_profile_prefetch(const struct rpt_profile *profile,
			  const uint32_t *stacks, uint32_t nr)
{
	const char *key;

	if (nr > AHEAD_ENTRY) {
		rpt_cpu_prefetch(&profile->keys.entries[stacks[AHEAD_ENTRY]]);
		rpt_cpu_prefetch(&profile->stacks[stacks[AHEAD_ENTRY]]);
	}
	if (nr > AHEAD_KEY) {
		key = (const char *)rpt_profile_key(profile, stacks[AHEAD_KEY]);
		rpt_cpu_prefetch(key);
		rpt_cpu_prefetch(key + sizeof(struct rpt_stack_key));
	}
}

/* Counts the samples of a run-length encoding. */

struct replay {
	struct rpt_profile *profile;
	const struct rpt_sample_rle *rle;
	struct rpt_counted_at *places; /* by number of the record; or NULL */
	uint8_t *record;	       /* the one that was restored last */
};

static struct rpt_timestamp when_of(const struct replay *replay,
				    uint64_t time_ns, uint64_t seq)
{
	return (struct rpt_timestamp){
		pd_event_set_order(replay->rle->events, time_ns), seq
	};
}

/* Count one sample as if it were read from the file. */
static int add_one(struct replay *replay, const struct rpt_sample_run *run,
		   uint64_t time_ns, uint64_t seq, struct pd_err *err)
{
	const struct rpt_sample_rle *rle = replay->rle;
	struct pd_record rec = { .seq = seq,
				 .file_off = pd_record_file_off(seq) };
	int32_t time_off;

	memcpy(replay->record, run->record, run->len);
	pd_record_read_header(replay->record, PD_RECORD_LEN_MAX, rle->swap,
			      &rec);
	time_off = rpt_sample_time_off(rle->events, &rec);
	if (rle->swap)
		time_ns = __builtin_bswap64(time_ns);
	if (time_off >= 0)
		memcpy(replay->record + time_off, &time_ns, sizeof(time_ns));
	return rpt_profile_add_record(
		replay->profile, &rec,
		replay->places ? &replay->places[run->record_idx] : NULL, err);
}

/* Count the samples of a run together, as far as their times allow it. */
static int add_run(struct replay *replay, struct rpt_sample_run *run,
		   struct pd_err *err)
{
	const struct rpt_counted_at *at =
		replay->places ? &replay->places[run->record_idx] : NULL;
	uint64_t time_ns = run->first_ns, seq = run->seq;
	struct rpt_timestamp last = when_of(
		replay, run->last_ns, seq + (run->nr - 1u) * run->seq_step);
	int rc = 0;

	for (uint32_t left = run->nr; left && !rc; left--) {
		struct rpt_timestamp when = when_of(replay, time_ns, seq);

		if (at &&
		    profile_add_equal(replay->profile, at, when, last, left))
			break;
		if (!at ||
		    !profile_add_equal(replay->profile, at, when, when, 1))
			rc = add_one(replay, run, time_ns, seq, err);
		if (left > 1)
			time_ns += rpt_sample_run_delta(run);
		seq += run->seq_step;
	}
	return rc;
}

int rpt_profile_add_rle(struct rpt_profile *profile,
			const struct rpt_sample_rle *rle, struct pd_err *err)
{
	bool may_repeat = profile_may_repeat(&profile->conf);
	struct replay replay = {
		.profile = profile,
		.rle = rle,
		.record = rpt_alloc(PD_RECORD_LEN_MAX),
	};
	struct rpt_sample_rle_iter it = { .rle = rle };
	struct rpt_sample_run run;
	int rc = 0;

	if (may_repeat)
		replay.places = rpt_alloc_zeroed((size_t)rle->records.nr + 1,
						 sizeof(*replay.places));
	while (!rc && rpt_sample_rle_next(&it, &run))
		rc = add_run(&replay, &run, err);
	pd_damage_merge(&profile->damage, &rle->damage);
	free(replay.places);
	free(replay.record);
	return rc;
}

int rpt_profile_add_block(struct rpt_profile *profile,
			  const struct rpt_sample_rle *rle,
			  const struct rpt_sample_block *block,
			  struct pd_err *err)
{
	struct pd_record rec;
	size_t at = 0;
	int rc = 0;

	while (!rc && rpt_sample_block_next(block, &at, rle->swap, &rec))
		rc = rpt_profile_add_record(profile, &rec, NULL, err);
	return rc;
}
