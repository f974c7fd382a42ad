#include "report/workers.h"

#include "report/profile_digest.h"

#include <errno.h>
#include <stdlib.h>

/* What was counted of a digest is not read again. */
static int count_piece(void *worker, struct rpt_pieces *pieces, size_t idx,
		       struct pd_err *err)
{
	struct rpt_digest *digest = rpt_digests_at(&pieces->digests, idx);
	int rc;

	if (!digest)
		return rpt_profile_add_piece(worker, pieces->items[idx], err);
	rc = rpt_profile_add_digest(worker, digest, err);
	rpt_digest_release(digest);
	return rc;
}

static bool must_be_alone(const struct rpt_profile_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);

	for (size_t i = 0; i < events->nr; i++) {
		if (events->events[i].attr.sample_type & PD_SAMPLE_READ)
			return true;
	}
	return false;
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

static int run(struct rpt_profile *profile, struct rpt_pieces *pieces,
	       uint32_t jobs, struct rpt_names_early *early, struct pd_err *err)
{
	struct rpt_profile *parts = calloc(jobs, sizeof(*parts));
	struct rpt_unwind *unwind = profile->conf.unwind;
	struct rpt_piece_workers workers = {
		.items = parts,
		.len = sizeof(*parts),
		.nr = jobs,
		.fn = count_piece,
	};
	int rc = 0;

	if (!parts)
		return pd_err_set(err, -ENOMEM, "out of memory for threads");
	/* the first is profile itself, whose bases the others share */
	parts[0] = *profile;
	for (uint32_t i = 1; i < jobs && !rc; i++)
		rc = init_part(&parts[i], &profile->conf, err);
	if (!rc)
		rc = rpt_pieces_run(pieces, &workers, err);
	if (!rc && early)
		rpt_names_early_begin(early, &parts[jobs - 1]);
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

int rpt_workers_count(struct rpt_profile *profile, struct rpt_pieces *pieces,
		      struct rpt_names_early *early, struct pd_err *err)
{
	uint32_t jobs =
		must_be_alone(&profile->conf) ? 1 : rpt_pieces_jobs(pieces);

	if (jobs > 1 || pieces->digests.nr)
		return run(profile, pieces, jobs, early, err);
	return rpt_profile_add_piece(profile,
				     pd_reader_data(profile->conf.reader), err);
}
