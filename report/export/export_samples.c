#include "report/export/export_samples.h"

#include "report/input/sample_pass.h"

#include <string.h>

#define LOCATIONS_MAX 65536u /* that are remembered; then all are forgotten */

const struct rpt_location *
rpt_export_samples_find(struct rpt_export_samples *samples,
			const struct rpt_sample *sample, unsigned cpumode,
			uint64_t ip)
{
	const struct rpt_task_state *task = sample->task;
	bool is_user = cpumode == PD_CPUMODE_USER;
	const struct rpt_address_context key = {
		.space = is_user ? task->space_id : 0,
		.version = is_user ? task->space_version : task->kernel_version,
		.kind = cpumode,
	};
	const struct rpt_location_query query = {
		.ref = &task->ref,
		.when = sample->when,
		.cpumode = cpumode,
		.ip = ip,
	};
	struct rpt_address_cache *cache = &samples->addresses;
	uint32_t context = rpt_address_cache_context(cache, &key);
	int64_t number = rpt_address_cache_find(cache, context, ip);
	struct rpt_location location;

	if (number < 0) {
		rpt_timeline_locate(samples->part->timeline, &query, &location);
		number = rpt_address_cache_add(cache, context, ip, &location);
	}
	return &cache->locations[number];
}

bool rpt_export_samples_hide(struct rpt_export_samples *samples,
			     const struct rpt_sample *sample)
{
	const struct rpt_rows_hide *hide = &samples->part->rows_conf.hide;
	const struct rpt_location *at;
	const char *symbol;

	if (!hide->filter && !hide->symbol_part && !hide->unresolved)
		return false;
	at = rpt_export_samples_find(samples, sample, sample->cpumode,
				     sample->fields.ip);
	symbol = at->sym ? at->sym->name : NULL;
	return (hide->filter && !rpt_filter_place(hide->filter, at->map.dso,
						  symbol, sample->fields.ip)) ||
	       (hide->symbol_part &&
		!(symbol && strstr(symbol, hide->symbol_part))) ||
	       (hide->unresolved && !symbol);
}

static int take_read(struct rpt_export_samples *samples,
		     struct rpt_sample *sample)
{
	const struct rpt_filter *filter = &samples->part->filters.samples;
	const struct rpt_filtered_task task = {
		sample->fields.pid,
		sample->fields.tid,
		sample->task->comm,
		rpt_filter_process(filter, samples->part->timeline,
				   sample->fields.pid, sample->fields.tid,
				   sample->when),
	};

	if (samples->addresses.nr >= LOCATIONS_MAX)
		rpt_address_cache_release(&samples->addresses);
	sample->is_shown = sample->is_shown && rpt_filter_task(filter, &task);
	return samples->take(samples->ctx, sample);
}

static int deliver_again(void *ctx, const struct pd_record *rec,
			 uint64_t time_ns)
{
	struct rpt_export_samples *samples = ctx;
	struct rpt_sample sample;

	(void)time_ns;
	return rpt_sample_reader_read(samples->reader, rec, &sample, NULL)
		       ? 0
		       : take_read(samples, &sample);
}

static int deliver_first(void *ctx, const struct pd_record *rec,
			 uint64_t time_ns)
{
	struct rpt_export_samples *samples = ctx;
	struct rpt_profile *profile = &samples->part->profile;
	struct rpt_sample sample;

	(void)time_ns;
	if (rec->type != PD_RECORD_SAMPLE) {
		rpt_profile_add_lost(profile, rec);
		return 0;
	}
	if (rpt_sample_reader_read(samples->reader, rec, &sample, NULL))
		return 0;
	if (sample.is_shown)
		rpt_profile_add_total(profile, &sample);
	return take_read(samples, &sample);
}

static int read_first(struct rpt_export_samples *samples, struct pd_err *err)
{
	struct rpt_report *part = samples->part;
	const struct rpt_pass_input in = {
		.source = &part->source,
		.reader = part->reader,
		.damage = &part->profile.damage,
		.types = UINT64_C(1) << PD_RECORD_LOST |
			 UINT64_C(1) << PD_RECORD_LOST_SAMPLES,
	};

	samples->reader = &part->profile.samples;
	return rpt_sample_pass(&in, deliver_first, samples, err);
}

static int read_again(struct rpt_export_samples *samples, struct pd_err *err)
{
	struct rpt_report *part = samples->part;
	struct rpt_event_switch *event_switch = &part->filters.event_switch;
	const struct rpt_sample_reader_conf conf = {
		.events = pd_reader_events(part->reader),
		.timeline = part->timeline,
		.with_chains = part->rows_conf.chains,
		.filter = &part->filters.samples,
		.event_switch = rpt_event_switch_is_asked(event_switch)
					? event_switch
					: NULL,
	};
	const struct rpt_pass_input in = {
		.source = &part->source,
		.reader = part->reader,
		.damage = &part->damage,
		.is_extra = true,
	};
	struct rpt_sample_reader reader;
	int rc;

	samples->reader = &reader;
	rpt_sample_reader_init(&reader, &conf);
	rc = rpt_sample_pass(&in, deliver_again, samples, err);
	rpt_sample_reader_release(&reader);
	return rc;
}

int rpt_export_samples_read(struct rpt_export_samples *samples,
			    struct rpt_report *part, struct pd_err *err)
{
	int rc;

	samples->part = part;
	rc = rpt_report_leaves_samples(part) ? read_first(samples, err)
					     : read_again(samples, err);
	rpt_address_cache_release(&samples->addresses);
	return rc;
}
