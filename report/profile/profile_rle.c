/* Counts the samples of a run-length encoding. */
#include "report/profile/profile_impl.h"

#include "report/base/memory.h"
#include "report/input/sample_rle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

		if (at && rpt_profile_add_equal(replay->profile, at, when, last,
						left))
			break;
		if (!at ||
		    !rpt_profile_add_equal(replay->profile, at, when, when, 1))
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
	bool may_repeat = rpt_profile_may_repeat(&profile->conf);
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
