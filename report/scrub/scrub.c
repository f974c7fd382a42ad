#include "report/scrub/scrub.h"

#include "format/records/event_set.h"
#include "report/scrub/scrub_impl.h"

#include <errno.h>
#include <stdlib.h>

/* Refuse stack copies: without them, nothing is left of the calls in user
 * code. */
static int begin(void *ctx, struct pd_reader *reader, struct pd_err *err)
{
	struct rpt_scrub *scrub = ctx;
	const struct pd_event_set *events = pd_reader_events(reader);
	const struct pd_trailer *t = pd_reader_trailer(reader);

	scrub->reader = reader;
	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.sample_type & PD_SAMPLE_STACK_USER)
			scrub->result->has_stacks = true;
	for (size_t i = 0; t && i < t->section_nr; i++)
		if (t->sections[i].kind != PD_CARRIED_FILES &&
		    t->sections[i].kind != PD_CARRIED_NAMES &&
		    t->sections[i].kind != PD_CARRIED_JIT &&
		    t->sections[i].kind != PD_CARRIED_ACCOUNT)
			scrub->result->taken_nr[RPT_SCRUB_SECTIONS]++;
	if (scrub->result->has_stacks && !scrub->conf->drop_stacks)
		return pd_err_set(err, -ENOTSUP,
				  "it has copies of stacks, which would be "
				  "removed, and the calls with them: "
				  "'perfpair unwind' makes call chains of "
				  "them first; --drop-stacks goes without");
	return 0;
}

int rpt_scrub(const struct rpt_file_source *source,
	      const struct rpt_scrub_conf *conf,
	      struct rpt_scrub_result *result, struct pd_err *err)
{
	struct rpt_scrub scrub = { .conf = conf, .result = result };
	const struct rpt_repair_edit edit = {
		.ctx = &scrub,
		.makes_formats = true,
		.begin = begin,
		.event = rpt_scrub_event,
		.record = rpt_scrub_record,
		.sample = rpt_scrub_sample,
		.feature = rpt_scrub_feature,
		.carried = rpt_scrub_carried,
	};
	const struct rpt_repair_conf repair = {
		.path = conf->path,
		.force = conf->force,
		.level = conf->level,
		.max_ratio = conf->max_ratio,
		.edit = &edit,
	};
	int rc;

	*result = (struct rpt_scrub_result){ .has_stacks = false };
	rc = rpt_repair(source, &repair, &result->repair, err);
	pd_buf_release(&scrub.text);
	free(scrub.ranges);
	return rc;
}
