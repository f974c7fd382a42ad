#include "report/profile/stitch_pass.h"

#include "format/file/feature.h"
#include "format/records/callchain.h"
#include "report/events/sample_reader.h"
#include "report/timeline/lbr_stitch.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stitching {
	const struct rpt_stitch_pass *pass;
	struct rpt_lbr_stitch *stitch;
	const struct pd_event_set *events;
	struct rpt_sample_reader samples;
	bool is_full; /* the budget is spent */
};

/* Return how many branch registers the CPU has; 0: the file does not say. */
static uint32_t register_nr(const struct pd_reader *reader)
{
	struct pd_pmu_caps caps;
	struct pd_cursor c;
	uint32_t nr = 0;

	if (!pd_reader_feature(reader, PD_FEATURE_CPU_PMU_CAPS, &c) ||
	    pd_feature_cpu_pmu_caps_read(&c, &caps))
		return 0;
	for (size_t i = 0; i < caps.nr; i++) {
		char *value;

		if (!pd_str_eq(caps.items[i].name, "branches"))
			continue;
		value = pd_str_dup(caps.items[i].value);
		nr = value ? (uint32_t)strtoul(value, NULL, 10) : 0;
		free(value);
	}
	pd_pmu_caps_release(&caps);
	return nr;
}

static bool is_stitched(const struct pd_event *event)
{
	uint64_t type = event->layout.branch_sample_type;

	return type & PD_BRANCH_CALL_STACK && type & PD_BRANCH_HW_INDEX;
}

static void report_full(struct stitching *s, const struct pd_record *rec)
{
	struct pd_err err = PD_ERR_INIT;

	s->is_full = true;
	pd_err_at(&err, -EFBIG, rec->file_off,
		  "more call chains to be stitched than the limit on memory "
		  "allows (--max-ratio); later ones are left as they are");
	pd_damage_add(s->pass->in.damage, PD_DAMAGE_RECORD, 0, &err);
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct stitching *s = ctx;
	const struct pd_event *event = pd_event_set_of_record(s->events, rec);
	struct rpt_sample sample;
	int rc;

	(void)time_ns;
	/* The pass that uses the samples reports those that it cannot decode.
	 * Samples that are not shown do not take part in stitching. */
	if (s->is_full || !event || !is_stitched(event) ||
	    rpt_sample_reader_read(&s->samples, rec, &sample, NULL) ||
	    !sample.is_shown ||
	    !pd_callchain_has_user(&sample.fields.callchain,
				   s->pass->max_stack))
		return 0;
	rc = rpt_lbr_stitch_add(s->stitch, &sample.task->ref, &sample.fields,
				rec->seq);
	if (rc != -EFBIG)
		return rc;
	report_full(s, rec);
	return 0;
}

static bool may_stitch(const struct pd_event_set *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (is_stitched(&events->events[i]))
			return true;
	return false;
}

int rpt_stitch_pass(const struct rpt_stitch_pass *pass, struct pd_err *err)
{
	struct stitching s = {
		.pass = pass,
		.events = pd_reader_events(pass->in.reader),
	};
	const struct rpt_sample_reader_conf conf = {
		.events = s.events,
		.timeline = pass->timeline,
		.filter = pass->filter,
		.event_switch = pass->event_switch,
	};
	uint32_t nr = register_nr(pass->in.reader);
	int rc;

	if (!nr || !may_stitch(s.events))
		return 0;
	s.stitch = rpt_lbr_stitch_new(nr, pass->lost_max,
				      rpt_timeline_budget(pass->timeline));
	rpt_sample_reader_init(&s.samples, &conf);
	rc = rpt_sample_pass(&pass->in, deliver, &s, err);
	rpt_sample_reader_release(&s.samples);
	if (rc) {
		rpt_lbr_stitch_free(s.stitch);
		return pd_err_set(err, rc, "%s", strerror(-rc));
	}
	rpt_lbr_stitch_finish(s.stitch);
	rpt_timeline_set_stitch(pass->timeline, s.stitch);
	return 0;
}

size_t rpt_stitched_len(const struct rpt_timeline *timeline, uint64_t seq)
{
	const struct rpt_lbr_stitch *stitch = rpt_timeline_stitch(timeline);

	return stitch ? sizeof(uint64_t) * rpt_lbr_stitch_lost_nr(stitch, seq)
		      : 0;
}
