#include "report/profile/profile_digest.h"

#include "report/input/sample_rle_iter.h"
#include "report/profile/profile_impl.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where samples of one record were counted. */
struct place {
	bool is_known;
	struct rpt_repeat_sample_place at;
};

struct replay {
	struct rpt_profile *profile;
	const struct rpt_sample_rle *digest;
	struct place *places; /* by number of the record; NULL: equal records
			       * may not be alike */
	uint8_t *room;	      /* a record under construction */
};

static void set_time(const struct replay *replay, int32_t off, uint64_t time_ns)
{
	if (replay->digest->swap)
		time_ns = __builtin_bswap64(time_ns);
	if (off >= 0)
		memcpy(replay->room + off, &time_ns, sizeof(time_ns));
}

static struct rpt_when when_of(const struct replay *replay, uint64_t time_ns,
			       uint64_t seq)
{
	return (struct rpt_when){
		pd_event_set_order(replay->digest->events, time_ns), seq
	};
}

/* Counts it like any sample, and keeps where. */
static int add_one(struct replay *replay, const struct pd_record *rec,
		   struct place *place, struct pd_err *err)
{
	struct rpt_repeat_sample *repeat = replay->profile->repeat;
	int rc;

	if (repeat)
		repeat->data = NULL;
	rc = rpt_profile_add_record(replay->profile, rec, err);
	if (rc || !place || !repeat->data)
		return rc;
	*place = (struct place){ true, repeat->place };
	return 0;
}

static bool add_alike(struct replay *replay, const struct place *place,
		      const struct rpt_repeats *repeats)
{
	return place && place->is_known &&
	       rpt_profile_add_repeats(replay->profile, &place->at, repeats);
}

/* One by one: the times do not let them count together, or where is not known
 * yet. */
static int add_each(struct replay *replay, const struct rpt_sample_rle_run *run,
		    struct place *place, struct rpt_when last,
		    struct pd_err *err)
{
	const struct rpt_sample_rle *digest = replay->digest;
	size_t len = digest->records.entries[run->record_idx].len;
	uint64_t step = rpt_sample_rle_step(run, len);
	struct pd_record rec = { .file_off = pd_record_file_off(run->seq) };
	const uint8_t *deltas = run->deltas;
	uint64_t time_ns = run->first_ns;
	int32_t time_off;
	int rc = 0;

	memcpy(replay->room, rpt_intern_key(&digest->records, run->record_idx),
	       len);
	pd_record_read_header(replay->room, PD_RECORD_LEN_MAX, digest->swap,
			      &rec);
	time_off = rpt_sample_rle_time_off(digest->events, &rec);
	for (uint32_t i = 0; i < run->nr && !rc; i++) {
		struct rpt_when when;

		time_ns += i ? rpt_sample_rle_number(&deltas) : 0;
		rec.seq = run->seq + i * step;
		rec.file_off = pd_record_file_off(rec.seq);
		when = when_of(replay, time_ns, rec.seq);
		if (i &&
		    add_alike(replay, place,
			      &(struct rpt_repeats){ when, last, run->nr - i }))
			break;
		if (add_alike(replay, place,
			      &(struct rpt_repeats){ when, when, 1 }))
			continue;
		set_time(replay, time_off, time_ns);
		rc = add_one(replay, &rec, place, err);
	}
	return rc;
}

/* All of it at once, where that may be. */
static int add_run(struct replay *replay, const struct rpt_sample_rle_run *run,
		   struct pd_err *err)
{
	size_t len = replay->digest->records.entries[run->record_idx].len;
	struct place *place =
		replay->places ? &replay->places[run->record_idx] : NULL;
	struct rpt_when first = when_of(replay, run->first_ns, run->seq);
	struct rpt_when last = when_of(
		replay, run->last_ns,
		run->seq + (run->nr - 1) * rpt_sample_rle_step(run, len));

	if (add_alike(replay, place,
		      &(struct rpt_repeats){ first, last, run->nr }))
		return 0;
	return add_each(replay, run, place, last, err);
}

static int add_runs(struct replay *replay, struct pd_err *err)
{
	struct rpt_sample_rle_iter it = { .digest = replay->digest };
	struct rpt_sample_rle_run run;
	int rc = 0;

	if (!replay->room || (replay->profile->repeat && !replay->places))
		return pd_err_set(err, -ENOMEM, "out of memory for stacks");
	while (!rc && rpt_sample_rle_iter_next(&it, &run))
		rc = add_run(replay, &run, err);
	return rc;
}

int rpt_profile_add_digest(struct rpt_profile *profile,
			   const struct rpt_sample_rle *digest,
			   struct pd_err *err)
{
	struct replay replay = {
		.profile = profile,
		.digest = digest,
		.room = malloc(PD_RECORD_LEN_MAX),
	};
	int rc;

	if (profile->repeat)
		replay.places = calloc((size_t)digest->records.nr + 1,
				       sizeof(*replay.places));
	rc = add_runs(&replay, err);
	rpt_profile_give_back(profile);
	pd_damage_merge(&profile->damage, &digest->damage);
	free(replay.places);
	free(replay.room);
	return rc;
}

/* Whether a stack's key has no more of its sample than what is in the record
 * once. */
static bool are_keys_short(const struct rpt_profile_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);

	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.flags & PD_ATTR_DEFER_CALLCHAIN)
			return false;
	return !conf->by_branch && !conf->history.is_asked &&
	       !conf->is_stitched && !conf->unwind;
}

bool rpt_profile_has_room(const struct rpt_profile *profile, uint64_t record_nr,
			  uint64_t text_len, uint32_t thread_nr)
{
	const uint64_t most = sizeof(struct rpt_stack_key) +
			      (RPT_VALUES_NR + 2) * sizeof(uint64_t) +
			      RPT_STACK_COST_LEN + RPT_STACK_CONTEXT_COST_LEN;
	uint64_t left =
		rpt_budget_left(rpt_timeline_budget(profile->conf.timeline));
	uint64_t need = profile->budget_floor + text_len + record_nr * most +
			thread_nr * RPT_ADVANCE_LEN;

	return are_keys_short(&profile->conf) && left >= need;
}

int rpt_profile_add_block(struct rpt_profile *profile,
			  const struct rpt_kept_block *block, bool swap,
			  struct pd_err *err)
{
	struct pd_record rec;
	size_t at = 0;
	int rc = 0;

	while (!rc && rpt_kept_block_next(block, &at, swap, &rec))
		rc = rpt_profile_add_record(profile, &rec, err);
	rpt_profile_give_back(profile);
	return rc;
}
