#include "report/profile/latency_pass.h"

#include "report/base/ids.h"
#include "report/base/memory.h"
#include "report/offcpu/switch_events.h"
#include "report/profile/profile_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The threads that run, or, if switches of all tasks were recorded, the CPUs
 * that have one. */
struct runners {
	struct rpt_ids ids;
	bool *are_on; /* owned; by number of the id */
	uint32_t cap;
	uint32_t on_nr;
	bool are_cpus;
};

struct latencies {
	struct rpt_profile *profile;
	struct rpt_switch_events switches;
	struct runners runners;
	struct pd_err *err;
};

static void set_runner(struct runners *r, uint32_t id, bool is_on)
{
	uint32_t known_nr = r->ids.table.nr;
	int64_t idx;

	r->are_on = rpt_grow_within(r->ids.table.limit, r->are_on, &r->cap,
				    known_nr, sizeof(*r->are_on));
	idx = rpt_ids_number(&r->ids, id);
	if (idx < 0) /* there is no budget */
		return;
	if (idx == known_nr)
		r->are_on[idx] = false;
	r->on_nr = r->on_nr - r->are_on[idx] + is_on;
	r->are_on[idx] = is_on;
}

static void forget_runners(struct runners *r)
{
	if (r->ids.table.nr)
		memset(r->are_on, 0, r->ids.table.nr * sizeof(*r->are_on));
	r->on_nr = 0;
}

/* Keep that a task runs on a CPU, or does no more.  Task 0 is idle, and the tid
 * of one that has ended may be -1. */
static void note(struct runners *r, uint32_t tid, uint32_t cpu, bool is_on)
{
	if (r->are_cpus && cpu != UINT32_MAX)
		set_runner(r, cpu, is_on && tid);
	else if (tid && tid != UINT32_MAX)
		set_runner(r, tid, is_on);
}

static void note_switch(struct runners *r, const struct rpt_switch *sw)
{
	if (sw->is_wide && !r->are_cpus) {
		forget_runners(r);
		r->are_cpus = true;
	}
	switch (sw->kind) {
	case RPT_SWITCH_TRACED:
		note(r, sw->tid, sw->cpu, false);
		if (r->are_cpus)
			note(r, sw->next, sw->cpu, true);
		break;
	case RPT_SWITCH_SAMPLED:
	case RPT_SWITCH_OUT:
		note(r, sw->tid, sw->cpu, false);
		break;
	case RPT_SWITCH_IN:
		note(r, sw->tid, sw->cpu, true);
		break;
	case RPT_SWITCH_EXIT: /* no switch follows it, but of CPUs */
		if (!r->are_cpus)
			note(r, sw->tid, UINT32_MAX, false);
		break;
	case RPT_SWITCH_LOST:
		forget_runners(r);
		break;
	default:
		break;
	}
}

static int count_sample(struct latencies *l, const struct pd_record *rec)
{
	struct rpt_profile *profile = l->profile;
	uint32_t *parallelism = &profile->conf.value_conf.parallelism;
	struct rpt_sample sample;
	int rc;

	if (rpt_sample_reader_read(&profile->samples, rec, &sample, NULL))
		return 0;
	note(&l->runners, sample.fields.tid,
	     sample.fields.present & PD_SAMPLE_CPU ? sample.fields.cpu
						   : UINT32_MAX,
	     true);
	*parallelism = l->runners.on_nr ? l->runners.on_nr : 1;
	rc = rpt_profile_count_read(profile, &sample, NULL);
	*parallelism = 0;
	return rc ? pd_err_set(l->err, rc, "too many stacks") : 0;
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct latencies *l = ctx;
	struct rpt_switch sw;
	int rc = 0;

	(void)time_ns;
	if (rec->type == PD_RECORD_SAMPLE)
		rc = count_sample(l, rec);
	else if (rec->type == PD_RECORD_LOST ||
		 rec->type == PD_RECORD_LOST_SAMPLES)
		rc = rpt_profile_add_record(l->profile, rec, NULL, l->err);
	if (rc || rec->type == PD_RECORD_LOST_SAMPLES)
		return rc;
	rpt_switch_events_read(&l->switches, rec, &sw);
	note_switch(&l->runners, &sw);
	return 0;
}

int rpt_latency_pass(const struct rpt_pass_input *in,
		     struct rpt_tracepoints *tracepoints,
		     struct rpt_profile *profile, struct pd_err *err)
{
	const struct rpt_timeline *timeline = profile->conf.timeline;
	struct rpt_budget *budget = rpt_timeline_budget(timeline);
	struct latencies l = {
		.profile = profile,
		.err = err,
	};
	struct rpt_pass_input all = *in;
	int rc = 0;

	rpt_ids_init(&l.runners.ids, budget);
	all.types = rpt_switch_event_types | UINT64_C(1)
						     << PD_RECORD_LOST_SAMPLES;
	if (!rpt_switch_events_find_any(&l.switches,
					pd_reader_events(in->reader),
					tracepoints, timeline)) {
		pd_err_set(err, -ENODATA,
			   "latency and parallelism: no context switches were "
			   "recorded");
		pd_err_hint(err, "record --latency, or --switch-events, "
				 "records them; so does perf record --latency");
		rc = -ENODATA;
	}
	if (!rc)
		rc = rpt_sample_pass(&all, deliver, &l, err);
	rpt_ids_release(&l.runners.ids);
	rpt_budget_give(budget, l.runners.cap * sizeof(*l.runners.are_on));
	free(l.runners.are_on);
	rpt_switch_events_release(&l.switches);
	rpt_profile_report_full(profile);
	return rc;
}
