#include "report/profile/profile_threads.h"

#include "report/base/threads.h"
#include "report/profile/profile_digest.h"

#include <errno.h>
#include <stdlib.h>

static bool must_be_alone(const struct rpt_profile_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);

	for (size_t i = 0; i < events->nr; i++) {
		if (events->events[i].attr.sample_type & PD_SAMPLE_READ)
			return true;
	}
	return false;
}

/* What was counted of a digest is not read again; its rest is counted later. */
static int count_piece(void *worker, struct rpt_file_chunks *pieces, size_t idx,
		       struct pd_err *err)
{
	struct rpt_sample_rle *digest =
		rpt_sample_rle_set_at(&pieces->digests, idx);
	int rc;

	if (!digest)
		return rpt_profile_add_piece(worker, pieces->items[idx], err);
	rc = rpt_profile_add_digest(worker, digest, err);
	rpt_sample_rle_use_up(digest);
	return rc;
}

/* What is kept of a digest's rest. */
struct rest_block {
	struct rpt_kept_block *block;
	bool swap;
};

static int count_block(void *worker, const void *ctx, size_t idx,
		       struct pd_err *err)
{
	const struct rest_block *at = (const struct rest_block *)ctx + idx;
	int rc = rpt_profile_add_block(worker, at->block, at->swap, err);

	rpt_kept_block_release(at->block);
	return rc;
}

/* All of a piece, as if it were read: where it matters in which order. */
static int count_whole_piece(void *worker, struct rpt_file_chunks *pieces,
			     size_t idx, struct pd_err *err)
{
	int rc = count_piece(worker, pieces, idx, err);
	struct rpt_sample_rle *digest;

	if (idx >= pieces->digests.nr)
		return rc;
	digest = &pieces->digests.items[idx];
	for (size_t i = 0; i < digest->rest.nr && !rc; i++)
		rc = count_block(worker,
				 &(struct rest_block){ &digest->rest.blocks[i],
						       digest->swap },
				 0, err);
	return rc;
}

static size_t count_blocks(const struct rpt_sample_rle_set *digests)
{
	size_t nr = 0;

	for (size_t i = 0; i < digests->nr; i++)
		nr += digests->items[i].rest.nr;
	return nr;
}

/* Whether their blocks can be counted by any thread, in any order. */
static bool may_share_blocks(const struct rpt_profile *profile,
			     const struct rpt_file_chunks *pieces)
{
	const struct rpt_sample_rle_set *digests = &pieces->digests;
	uint64_t record_nr = 0, text_len = 0;
	uint32_t jobs = rpt_jobs_threads(pieces->jobs, SIZE_MAX);

	for (size_t i = 0; i < digests->nr; i++) {
		record_nr += digests->items[i].rest.record_nr;
		text_len += digests->items[i].rest.taken_len;
	}
	return jobs > 1 && record_nr && !must_be_alone(&profile->conf) &&
	       rpt_profile_has_room(profile, record_nr, text_len, jobs);
}

/* The rests of all digests by jobs threads. */
static int count_rests(struct rpt_profile *parts,
		       struct rpt_sample_rle_set *digests, uint32_t jobs,
		       struct pd_err *err)
{
	size_t block_nr = count_blocks(digests), at = 0;
	struct rest_block *blocks;
	struct rpt_jobs run = {
		.workers = parts,
		.worker_len = sizeof(*parts),
		.worker_nr = rpt_jobs_threads(jobs, block_nr),
		.nr = block_nr,
		.fn = count_block,
	};
	int rc;

	if (!block_nr)
		return 0;
	blocks = calloc(block_nr, sizeof(*blocks));
	if (!blocks)
		return pd_err_set(err, -ENOMEM, "out of memory for threads");
	for (size_t i = 0; i < digests->nr; i++) {
		struct rpt_sample_rle *digest = &digests->items[i];

		for (size_t k = 0; k < digest->rest.nr; k++)
			blocks[at++] =
				(struct rest_block){ &digest->rest.blocks[k],
						     digest->swap };
	}
	run.ctx = blocks;
	rc = rpt_jobs_run(&run, err);
	free(blocks);
	return rc;
}

/* Beside the first, which unwinds by what the conf has: by its own. */
static int init_part(struct rpt_profile *part,
		     const struct rpt_profile_conf *conf, struct pd_err *err)
{
	struct rpt_profile_conf own = *conf;
	int rc;

	if (conf->unwind) {
		own.unwind = rpt_unwind_beside(conf->unwind);
		if (!own.unwind)
			return pd_err_set(err, -ENOMEM,
					  "out of memory for threads");
	}
	rc = rpt_profile_init(part, &own, err);
	if (rc && own.unwind != conf->unwind)
		rpt_unwind_free(own.unwind);
	return rc;
}

static void release_part(struct rpt_profile *part, struct rpt_unwind *unwind)
{
	if (part->conf.unwind != unwind)
		rpt_unwind_merge(unwind, part->conf.unwind);
	rpt_profile_release(part);
}

static uint32_t count_jobs(const struct rpt_profile *profile,
			   const struct rpt_file_chunks *pieces,
			   bool are_shared)
{
	size_t nr = are_shared ? count_blocks(&pieces->digests) : 0;

	if (must_be_alone(&profile->conf))
		return 1;
	return rpt_jobs_threads(pieces->jobs,
				nr > pieces->nr ? nr : pieces->nr);
}

static int run(struct rpt_profile *profile, struct rpt_file_chunks *pieces,
	       struct rpt_symbol_preload *early, struct pd_err *err)
{
	bool are_shared = may_share_blocks(profile, pieces);
	uint32_t jobs = count_jobs(profile, pieces, are_shared);
	struct rpt_profile *parts = calloc(jobs, sizeof(*parts));
	struct rpt_unwind *unwind = profile->conf.unwind;
	struct rpt_chunk_workers workers = {
		.items = parts,
		.len = sizeof(*parts),
		.nr = jobs > 1 ? rpt_file_chunks_jobs(pieces) : 1,
		.fn = are_shared ? count_piece : count_whole_piece,
	};
	int rc = 0;

	if (!parts)
		return pd_err_set(err, -ENOMEM, "out of memory for threads");
	/* the first is profile itself, whose bases the others share */
	parts[0] = *profile;
	for (uint32_t i = 1; i < jobs && !rc; i++)
		rc = init_part(&parts[i], &profile->conf, err);
	if (!rc)
		rc = rpt_file_chunks_run(pieces, &workers, err);
	if (!rc && are_shared)
		rc = count_rests(parts, &pieces->digests, jobs, err);
	if (!rc && early)
		rpt_symbol_preload_begin(early, &parts[jobs - 1]);
	*profile = parts[0];
	for (uint32_t i = 1; i < jobs; i++) {
		if (!rc)
			rc = rpt_profile_merge(profile, &parts[i],
					       i + 1 == jobs, err);
		release_part(&parts[i], unwind);
	}
	free(parts);
	return rc;
}

int rpt_profile_threads_count(struct rpt_profile *profile,
			      struct rpt_file_chunks *pieces,
			      struct rpt_symbol_preload *early,
			      struct pd_err *err)
{
	if (count_jobs(profile, pieces, false) > 1 || pieces->digests.nr)
		return run(profile, pieces, early, err);
	return rpt_profile_add_piece(profile,
				     pd_reader_data(profile->conf.reader), err);
}
