#include "report/profile/off_cpu_pass.h"

#include "report/profile/profile_impl.h"

#include <errno.h>
#include <string.h>

struct counting {
	const struct rpt_off_cpu_pass *pass;
	struct rpt_profile *profile;
	struct rpt_switch_events switches;
	struct rpt_off_cpu off;
	const struct pd_event *run; /* NULL: none */
	uint64_t run_ns;	    /* of each sample; 0: its period */
	struct pd_err *err;
};

int64_t rpt_off_cpu_run_event(const struct pd_event_set *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (pd_attr_is_clock(&events->events[i].attr))
			return (int64_t)i;
	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		if (attr->flags & PD_ATTR_FREQ && attr->sample_period &&
		    attr->type != PD_TYPE_TRACEPOINT)
			return (int64_t)i;
	}
	return RPT_OFF_CPU_NO_RUNS;
}

uint64_t rpt_profile_part_end(const struct rpt_profile_conf *conf,
			      uint64_t time_ns, uint64_t end_ns)
{
	const struct rpt_time_blocks *blocks = &conf->blocks;
	struct rpt_span block;

	if (blocks->nr) {
		block = rpt_time_block_span(blocks,
					    rpt_time_block_at(blocks, time_ns));
		if (block.end.time_ns > time_ns && block.end.time_ns < end_ns)
			end_ns = block.end.time_ns;
	}
	for (uint32_t i = 0; conf->filter && i < conf->filter->times.nr; i++) {
		const struct rpt_time_range *range =
			&conf->filter->times.items[i];

		if (range->start_ns > time_ns && range->start_ns < end_ns)
			end_ns = range->start_ns;
		if (range->end_ns < end_ns - 1 && range->end_ns >= time_ns)
			end_ns = range->end_ns + 1;
	}
	return end_ns;
}

/* Count the parts of an interval that are asked for: each is a sample. */
static int count_parts(struct rpt_profile *profile, struct rpt_sample *sample,
		       uint64_t start_ns, uint64_t end_ns)
{
	const struct rpt_filter *filter = profile->conf.filter;
	uint64_t next_ns;
	int rc = 0;

	do {
		next_ns = start_ns == end_ns
				  ? end_ns
				  : rpt_profile_part_end(&profile->conf,
							 start_ns, end_ns);
		sample->fields.time_ns = sample->when.time_ns = start_ns;
		sample->fields.period = next_ns - start_ns;
		if (!filter || rpt_filter_sample_time(filter, &sample->fields))
			rc = rpt_profile_count(profile, sample, NULL);
		start_ns = next_ns;
	} while (!rc && start_ns < end_ns);
	return rc;
}

/* Count an interval without a CPU: rpt_off_cpu_deliver. */
static int count_wait(void *ctx, const struct rpt_off_cpu_interval *interval)
{
	struct counting *c = ctx;
	struct rpt_profile *profile = c->profile;
	struct rpt_sample sample;
	int rc;

	if (rpt_sample_reader_read(&profile->samples, interval->rec, &sample,
				   NULL) ||
	    (profile->conf.event_switch && !sample.is_shown))
		return 0;
	profile->conf.value_conf.wait = &interval->wait;
	rc = count_parts(profile, &sample, interval->start_ns,
			 interval->end_ns);
	profile->conf.value_conf.wait = NULL;
	return rc;
}

/* Count a sample of time on a CPU. */
static int count_run(struct counting *c, const struct pd_record *rec)
{
	const struct pd_event_set *events = c->switches.events;
	struct rpt_sample sample;

	if (rpt_sample_reader_read(&c->profile->samples, rec, &sample, NULL) ||
	    !sample.is_shown || !sample.fields.tid)
		return 0;
	sample.event = &events->events[c->switches.switch_idx];
	if (c->run_ns)
		sample.fields.period = c->run_ns;
	return rpt_profile_count(c->profile, &sample, NULL);
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct counting *c = ctx;
	struct rpt_switch sw;
	int rc = 0;

	(void)time_ns;
	if (rec->type == PD_RECORD_LOST || rec->type == PD_RECORD_LOST_SAMPLES)
		rc = rpt_profile_add_record(c->profile, rec, NULL, c->err);
	if (!rc && rec->type == PD_RECORD_SAMPLE && c->run &&
	    pd_event_set_of_record(c->switches.events, rec) == c->run)
		rc = count_run(c, rec);
	return rc ? rc
		  : rpt_switch_events_apply(&c->switches, &c->off, rec, &sw);
}

static void set_run(struct counting *c)
{
	const struct pd_event_set *events = c->switches.events;
	const struct pd_attr *attr;

	if (c->pass->run_idx < 0)
		return;
	c->run = &events->events[c->pass->run_idx];
	attr = &c->run->attr;
	if (!pd_attr_is_clock(attr))
		c->run_ns = UINT64_C(1000000000) / attr->sample_period;
}

/* Add an entry to profile->damage if switches were passed over. */
static void report_unfit(struct rpt_profile *profile, uint64_t unfit_nr)
{
	struct pd_err err = PD_ERR_INIT;

	if (!unfit_nr)
		return;
	pd_err_set(&err, -EFBIG,
		   "more threads without a CPU than the limit on memory allows "
		   "(--max-ratio); others are not counted");
	pd_damage_add(&profile->damage, PD_DAMAGE_RECORD, 0, &err);
}

int rpt_off_cpu_pass(const struct rpt_off_cpu_pass *pass,
		     struct rpt_profile *profile, struct pd_err *err)
{
	const struct rpt_timeline *timeline = profile->conf.timeline;
	struct rpt_pass_input in = pass->in;
	struct counting c = { .pass = pass, .profile = profile, .err = err };
	int rc =
		rpt_switch_events_find(&c.switches, pd_reader_events(in.reader),
				       pass->tracepoints, timeline, err);

	if (rc)
		return rc;
	in.types = rpt_switch_event_types | UINT64_C(1)
						    << PD_RECORD_LOST_SAMPLES;
	profile->has_some_switches = c.switches.is_partial;
	set_run(&c);
	rpt_off_cpu_init(&c.off, count_wait, &c, rpt_timeline_budget(timeline));
	rc = rpt_sample_pass(&in, deliver, &c, err);
	if (!rc)
		rc = rpt_off_cpu_end(&c.off);
	profile->off_cpu = c.off.counts;
	report_unfit(profile, c.off.unfit_nr);
	profile->samples.unknown_id_nr += c.switches.samples.unknown_id_nr;
	profile->samples.damaged_nr += c.switches.samples.damaged_nr;
	rpt_off_cpu_release(&c.off);
	rpt_switch_events_release(&c.switches);
	rpt_profile_report_full(profile);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}
