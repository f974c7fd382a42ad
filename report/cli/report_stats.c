#include "report/cli/report_stats.h"

#include "format/records/record_body.h"

#include "report/events/event_name.h"
#include "report/events/sample_reader.h"
#include "report/base/memory.h"
#include "format/support/safe_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* The state of counting. */
struct counting {
	struct rpt_stats *stats;
	const struct pd_event_set *set;
	struct rpt_counter_values values;
};

static struct rpt_event_stats *stats_of(const struct counting *c,
					const struct pd_event *event)
{
	return &c->stats->events[event - c->set->events];
}

static void count_values(struct counting *c, const struct pd_sample *sample)
{
	for (size_t i = 0; i < sample->counts.nr; i++) {
		struct pd_read_value value =
			pd_sample_count_at(&sample->counts, i);
		const struct pd_event *event =
			pd_event_set_by_id(c->set, value.id);

		if (event &&
		    rpt_counter_values_delta(&c->values, value.id, value.value))
			stats_of(c, event)->sample_nr++;
	}
}

static void count_sample(struct counting *c, const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(c->set, rec);
	struct pd_sample sample;

	if (!event)
		c->stats->unknown_id_nr++;
	else if (!(event->attr.sample_type & PD_SAMPLE_READ))
		stats_of(c, event)->sample_nr++;
	else if (pd_sample_read(&event->layout, rec, &sample, NULL))
		c->stats->damaged_nr++;
	else
		count_values(c, &sample);
}

static void count_lost(struct counting *c, const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(c->set, rec);
	struct pd_body body;

	if (event && !pd_body_read(rec, event->layout.id_len, &body, NULL))
		stats_of(c, event)->lost_nr += body.u.lost_samples.lost_nr;
}

static void count_record(struct counting *c, const struct pd_record *rec)
{
	if (!pd_record_type_name(rec->type)) {
		c->stats->unknown_nr++;
		return;
	}
	c->stats->total_nr++;
	c->stats->nr[rec->type]++;
	if (rec->type == PD_RECORD_SAMPLE)
		count_sample(c, rec);
	else if (rec->type == PD_RECORD_LOST_SAMPLES)
		count_lost(c, rec);
}

static void add_compressed(struct rpt_stats *stats, const struct pd_records *it)
{
	stats->nr[PD_RECORD_COMPRESSED] = it->compressed_nr;
	stats->nr[PD_RECORD_COMPRESSED2] = it->compressed2_nr;
	stats->total_nr += it->compressed_nr + it->compressed2_nr;
}

void rpt_stats_count(struct rpt_stats *stats, struct pd_reader *reader)
{
	struct counting c = {
		.stats = stats,
		.set = pd_reader_events(reader),
	};
	struct pd_records it;
	struct pd_record rec;

	*stats = (struct rpt_stats){ 0 };
	stats->events = rpt_alloc_zeroed(c.set->nr + 1, sizeof(*stats->events));
	pd_records_init(&it, reader, pd_reader_data(reader));
	while (pd_records_next(&it, &rec, NULL) > 0)
		count_record(&c, &rec);
	add_compressed(stats, &it);
	stats->damage = it.damage;
	pd_records_release(&it);
	rpt_counter_values_release(&c.values);
}

struct table {
	FILE *out;
	bool is_pipe; /* perf prints no names of its events */
	bool with_lost;
	int name_width;
	uint64_t total_nr;
};

static void print_count(const struct table *t, const char *name, uint64_t nr)
{
	fprintf(t->out, "%*s events: %10" PRIu64, t->name_width, name, nr);
}

static void print_row(const struct table *t, const char *name, uint64_t nr)
{
	if (!nr)
		return;
	print_count(t, name, nr);
	fprintf(t->out, "  (%4.1f%%)\n",
		100.0 * (double)nr / (double)t->total_nr);
}

static void print_event(const struct table *t, const struct pd_event *event,
			const struct rpt_event_stats *stats)
{
	uint64_t lost_nr = t->with_lost ? stats->lost_nr : 0;
	struct pd_event shown = *event;
	char buf[RPT_EVENT_NAME_LEN];

	if (!stats->sample_nr && !lost_nr)
		return;
	if (t->is_pipe)
		shown.name = NULL;
	sup_put_safe_text(t->out, rpt_event_name(&shown, buf));
	fputs(" stats:\n", t->out);
	if (stats->sample_nr) {
		print_count(t, "SAMPLE", stats->sample_nr);
		fputc('\n', t->out);
	}
	if (lost_nr) {
		print_count(t, "LOST_SAMPLES", lost_nr);
		fputc('\n', t->out);
	}
}

void rpt_stats_print(const struct rpt_stats *stats,
		     const struct pd_reader *reader, bool with_lost, FILE *out)
{
	const struct pd_event_set *set = pd_reader_events(reader);
	struct table t = {
		.out = out,
		.is_pipe = pd_reader_header(reader)->is_pipe,
		.with_lost = with_lost,
		.name_width =
			pd_event_set_needed_perf(set) < PD_PERF_6_12 ? 16 : 20,
		.total_nr = stats->total_nr,
	};
	struct pd_cursor c;

	fputs("\nAggregated stats:", out);
	if (pd_reader_feature(reader, PD_FEATURE_AUXTRACE, &c))
		fputs(" (excludes AUX area (e.g. instruction trace) decoded / "
		      "synthesized events)",
		      out);
	fputc('\n', out);
	print_count(&t, "TOTAL", stats->total_nr);
	fputc('\n', out);
	for (uint32_t type = 0; type < PD_RECORD_USER_NR; type++)
		print_row(&t, pd_record_type_name(type), stats->nr[type]);
	for (size_t i = 0; i < set->nr; i++)
		print_event(&t, &set->events[i], &stats->events[i]);
}

void rpt_stats_release(struct rpt_stats *stats)
{
	free(stats->events);
	stats->events = NULL;
}
