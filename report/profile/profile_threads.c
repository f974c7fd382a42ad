#include "report/profile/profile_threads.h"

#include "report/base/memory.h"
#include "report/base/threads.h"
#include "report/profile/profile_impl.h"

#include <errno.h>
#include <stdlib.h>

struct counter {
	struct rpt_profile *profile;
	struct rpt_sample_encoder *encoder; /* NULL: nothing is encoded */
};

static int count_chunk(void *worker, struct rpt_file_chunks *chunks, size_t idx,
		       struct pd_err *err)
{
	const struct counter *counter = worker;
	struct rpt_profile *profile = counter->profile;
	struct rpt_sample_rle *rle = NULL;
	int rc = 0;

	if (counter->encoder)
		rc = rpt_sample_encoder_take(counter->encoder, idx,
					     profile->conf.reader, &rle, err);
	if (rc)
		return rc;
	if (!rle)
		return rpt_profile_add_chunk(profile, chunks->items[idx], err);
	rc = rpt_profile_add_rle(profile, rle, err);
	if (!rle->rest)
		rpt_sample_rle_release(rle);
	return rc;
}

/* A block of the rest of an encoding. */
struct rest_block {
	struct rpt_sample_rle *rle;
	struct rpt_sample_block *block;
};

static int count_block(void *worker, const void *ctx, size_t idx,
		       struct pd_err *err)
{
	const struct counter *counter = worker;
	const struct rest_block *at = (const struct rest_block *)ctx + idx;
	int rc = rpt_profile_add_block(counter->profile, at->rle, at->block,
				       err);

	free(at->block->data);
	at->block->data = NULL;
	return rc;
}

/* List the blocks of all encodings, if list is not NULL.  Return how many there
 * are. */
static size_t list_blocks(const struct rpt_sample_encoder *encoder,
			  struct rest_block *list)
{
	size_t nr = 0;

	for (size_t i = 0; encoder && i < encoder->rles.nr; i++) {
		struct rpt_sample_rle *rle = &encoder->rles.items[i];
		struct rpt_sample_block *block = rle->rest;

		for (; block; block = block->next, nr++)
			if (list)
				list[nr] = (struct rest_block){ rle, block };
	}
	return nr;
}

/* Count all blocks, once all runs were counted. */
static int count_blocks(struct counter *counters, uint32_t jobs,
			struct pd_err *err)
{
	struct rpt_sample_encoder *encoder = counters->encoder;
	size_t nr = list_blocks(encoder, NULL);
	struct rest_block *blocks = rpt_alloc_zeroed(nr, sizeof(*blocks));
	const struct rpt_jobs run = {
		.workers = counters,
		.worker_len = sizeof(*counters),
		.worker_nr = rpt_jobs_threads(jobs, nr),
		.nr = list_blocks(encoder, blocks),
		.fn = count_block,
		.ctx = blocks,
	};
	int rc = rpt_jobs_run(&run, err);

	for (size_t i = 0; i < nr; i++)
		if (!blocks[i].block->next)
			rpt_sample_rle_release(blocks[i].rle);
	free(blocks);
	return rc;
}

/* Begin a part, which unwinds with an unwinder of its own. */
static void init_part(struct rpt_profile *part,
		      const struct rpt_profile_conf *conf)
{
	struct rpt_profile_conf own = *conf;

	if (conf->unwind)
		own.unwind = rpt_unwind_beside(conf->unwind);
	rpt_profile_init(part, &own);
}

static void release_part(struct rpt_profile *part, struct rpt_unwind *unwind)
{
	if (part->conf.unwind != unwind)
		rpt_unwind_merge(unwind, part->conf.unwind);
	rpt_profile_release(part);
}

int rpt_profile_threads_count(struct rpt_profile *profile,
			      struct rpt_file_chunks *chunks,
			      struct rpt_sample_encoder *encoder,
			      struct rpt_symbol_preload *preload,
			      struct pd_err *err)
{
	const struct pd_event_set *events =
		pd_reader_events(profile->conf.reader);
	size_t block_nr = list_blocks(encoder, NULL);
	uint32_t jobs =
		pd_event_set_has(events, PD_SAMPLE_READ)
			? 1
			: rpt_jobs_threads(chunks->jobs, block_nr > chunks->nr
								 ? block_nr
								 : chunks->nr);
	struct rpt_profile *parts = rpt_alloc_zeroed(jobs, sizeof(*parts));
	struct counter counters[RPT_THREADS_MAX];
	struct rpt_unwind *unwind = profile->conf.unwind;
	struct rpt_chunk_workers workers = {
		.items = counters,
		.len = sizeof(*counters),
		.nr = rpt_jobs_threads(jobs, chunks->nr),
		.fn = count_chunk,
	};
	int rc;

	for (uint32_t i = 0; i < jobs; i++)
		counters[i] = (struct counter){ &parts[i], encoder };
	/* The first part is profile itself, whose contexts the others share. */
	parts[0] = *profile;
	for (uint32_t i = 1; i < jobs; i++)
		init_part(&parts[i], &profile->conf);
	rc = rpt_file_chunks_run(chunks, &workers, err);
	if (!rc)
		rc = count_blocks(counters, jobs, err);
	if (!rc && preload)
		rpt_symbol_preload_begin(preload, &parts[jobs - 1]);
	*profile = parts[0];
	for (uint32_t i = 1; i < jobs; i++) {
		if (!rc)
			rc = rpt_profile_merge(profile, &parts[i], err);
		release_part(&parts[i], unwind);
	}
	rpt_profile_report_full(profile);
	free(parts);
	return rc;
}
