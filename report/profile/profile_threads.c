#include "report/profile/profile_threads.h"

#include "report/base/memory.h"
#include "report/base/threads.h"
#include "report/profile/profile.h"

#include <errno.h>
#include <stdlib.h>

/* Counter values are known only after those before them. */
static bool must_be_alone(const struct rpt_profile_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);

	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.sample_type & PD_SAMPLE_READ)
			return true;
	return false;
}

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
	rpt_sample_rle_release(rle);
	return rc;
}

/* Every part unwinds by an unwinder of its own. */
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
	if (rc)
		rpt_unwind_free(own.unwind);
	return rc;
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
	uint32_t jobs = must_be_alone(&profile->conf)
				? 1
				: rpt_file_chunks_jobs(chunks);
	struct rpt_profile *parts = rpt_alloc_zeroed(jobs, sizeof(*parts));
	struct counter counters[RPT_THREADS_MAX];
	struct rpt_unwind *unwind = profile->conf.unwind;
	struct rpt_chunk_workers workers = {
		.items = counters,
		.len = sizeof(*counters),
		.nr = jobs,
		.fn = count_chunk,
	};
	int rc = 0;

	for (uint32_t i = 0; i < jobs; i++)
		counters[i] = (struct counter){ &parts[i], encoder };
	/* the first is profile itself, whose contexts the others share */
	parts[0] = *profile;
	for (uint32_t i = 1; i < jobs && !rc; i++)
		rc = init_part(&parts[i], &profile->conf, err);
	if (!rc)
		rc = rpt_file_chunks_run(chunks, &workers, err);
	if (!rc && preload)
		rpt_symbol_preload_begin(preload, &parts[jobs - 1]);
	*profile = parts[0];
	for (uint32_t i = 1; i < jobs; i++) {
		if (!rc)
			rc = rpt_profile_merge(profile, &parts[i], err);
		release_part(&parts[i], unwind);
	}
	free(parts);
	return rc;
}
