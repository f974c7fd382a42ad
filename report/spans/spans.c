#include "report/spans/spans.h"

#include "format/records/record_body.h"
#include "format/support/message.h"
#include "report/cli/no_samples.h"
#include "report/input/sample_pass.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#define NO_KIND UINT8_MAX

/* Return RPT_SPAN_BEGIN or _END if the event is one of the tracepoints and has
 * their fields, which are kept. */
static uint8_t kind_of(struct rpt_spans *spans, const struct pd_event *event)
{
	const struct rpt_span_points *points = spans->points;
	const struct tep_event *tep;

	if (event->attr.type != PD_TYPE_TRACEPOINT || !spans->tracepoints)
		return NO_KIND;
	tep = rpt_tracepoint_event(spans->tracepoints, event->attr.config);
	if (!tep || strcmp(tep->system, points->system) != 0)
		return NO_KIND;
	for (uint8_t kind = 0; kind < 2; kind++) {
		bool has_all = !strcmp(tep->name, points->names[kind]);

		for (int i = 0; has_all && i < RPT_SPAN_FIELDS; i++)
			has_all = !points->fields[kind][i] ||
				  rpt_raw_number_find(&spans->numbers[kind][i],
						      tep,
						      points->fields[kind][i]);
		if (has_all)
			return kind;
	}
	return NO_KIND;
}

/* Find the tracepoints among the events of the recording. */
static int find_points(struct rpt_spans *spans, struct pd_err *err)
{
	const uint64_t needed = PD_SAMPLE_TIME | PD_SAMPLE_TID | PD_SAMPLE_RAW;
	const struct pd_event_set *events = pd_reader_events(spans->in.reader);
	bool has[2] = { false, false };

	spans->kinds = rpt_alloc_zeroed(events->nr + 1, sizeof(*spans->kinds));
	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_event *event = &events->events[i];
		uint8_t kind = kind_of(spans, event);

		if ((event->attr.sample_type & needed) != needed)
			kind = NO_KIND;
		spans->kinds[i] = kind;
		if (kind != NO_KIND)
			has[kind] = true;
	}
	if (has[0] && has[1])
		return 0;
	pd_err_set(err, -ENODATA, "%s", spans->points->lack);
	pd_err_hint(err, "%s", spans->points->hint);
	return -ENODATA;
}

static int load(struct rpt_spans *spans, const struct rpt_spans_conf *conf,
		struct pd_err *err)
{
	struct rpt_symbols_conf symbols = conf->symbols;
	struct rpt_sample_reader_conf samples = { 0 };
	struct rpt_file_chunks pieces = { 0 };
	int rc;

	pd_reader_set_ratio(spans->in.reader, conf->max_ratio);
	rpt_tracepoints_load(&spans->tracepoints, spans->in.reader,
			     &spans->in.damage);
	rc = find_points(spans, err);
	if (rc)
		return rc;
	if (!symbols.kallsyms && !symbols.vmlinux)
		symbols.kallsyms = spans->in.source.dir.kallsyms;
	spans->symbols = rpt_symbols_new(&symbols);
	rpt_symbols_set_author(spans->symbols, spans->in.source.user);
	spans->timeline = rpt_timeline_new(spans->symbols);
	rc = rpt_timeline_load(spans->timeline, spans->in.reader, &pieces, err);
	pd_damage_merge(&spans->in.damage,
			rpt_timeline_damage(spans->timeline));
	samples.events = pd_reader_events(spans->in.reader);
	samples.timeline = spans->timeline;
	rpt_sample_reader_init(&spans->samples, &samples);
	return rc;
}

static int fail(struct rpt_spans *spans, int rc, struct pd_err *err)
{
	spans->in.exit_code = rpt_warn_failed(spans->in.path, rc, err);
	return spans->in.exit_code;
}

int rpt_spans_open(struct rpt_spans *spans, const struct rpt_spans_conf *conf,
		   const struct rpt_span_points *points)
{
	struct pd_err err = PD_ERR_INIT;
	int rc;

	*spans = (struct rpt_spans){ .points = points };
	rc = rpt_recording_input_open(&spans->in, conf->input);
	if (rc)
		return rc;
	rc = load(spans, conf, &err);
	return rc ? fail(spans, rc, &err) : RPT_EXIT_OK;
}

/* Give an event to who takes them.  One without budget is passed over. */
static int give(struct rpt_spans *spans, const struct rpt_span_event *event)
{
	int rc = spans->take(spans->ctx, event);

	spans->event_nr += event->kind != RPT_SPAN_LOST;
	spans->unfit_nr += rc == -EFBIG;
	return rc == -EFBIG ? 0 : rc;
}

static int read_sample(struct rpt_spans *spans, const struct pd_record *rec,
		       uint64_t time_ns)
{
	const struct pd_event_set *events = pd_reader_events(spans->in.reader);
	struct rpt_span_event event = { .time_ns = time_ns };
	struct rpt_sample sample;
	uint8_t kind;

	if (rpt_sample_reader_read(&spans->samples, rec, &sample, NULL))
		return 0;
	kind = spans->kinds[sample.event - events->events];
	if (kind == NO_KIND)
		return 0;
	event.kind = kind;
	event.sample = &sample;
	for (int i = 0; i < RPT_SPAN_FIELDS; i++) {
		uint64_t value = 0;

		if (spans->points->fields[kind][i] &&
		    !rpt_raw_number_read(&spans->numbers[kind][i],
					 spans->tracepoints, &sample.fields,
					 &value)) {
			spans->short_nr++;
			return 0;
		}
		event.values[i] = (int64_t)value;
	}
	return give(spans, &event);
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct rpt_spans *spans = ctx;
	struct rpt_span_event event = { .kind = RPT_SPAN_LOST,
					.time_ns = time_ns };
	struct pd_body body;

	if (rec->type == PD_RECORD_SAMPLE)
		return read_sample(spans, rec, time_ns);
	if (pd_body_read(rec, 0, &body, NULL))
		return 0;
	if (rec->type == PD_RECORD_LOST_SAMPLES) {
		spans->lost_samples_nr += body.u.lost_samples.lost_nr;
		spans->lost_chunk_nr += !spans->lost_nr;
		return 0;
	}
	spans->lost_nr += body.u.lost.lost_nr;
	spans->lost_chunk_nr++;
	return give(spans, &event);
}

void rpt_spans_note(const struct rpt_spans *spans, uint64_t nr,
		    const struct rpt_span_note *note)
{
	if (nr)
		sup_message("%s: %" PRIu64 " %s", spans->in.path, nr,
			    nr == 1 ? note->one : note->several);
}

/* Print what makes the answer incomplete. */
static void warn(struct rpt_spans *spans)
{
	static const struct rpt_span_note unknown = {
		"sample of events that the file does not describe",
		"samples of events that the file does not describe"
	};
	static const struct rpt_span_note damaged = {
		"sample could not be read", "samples could not be read"
	};
	static const struct rpt_span_note unfit = {
		"sample is left out: there are too many different ones for a "
		"recording of that length",
		"samples are left out: there are too many different ones for a "
		"recording of that length"
	};
	uint64_t damaged_nr = spans->samples.damaged_nr + spans->short_nr;
	uint64_t lost_nr =
		rpt_lost_samples(spans->lost_nr, spans->lost_samples_nr);

	if (lost_nr)
		sup_message("%s: %" PRIu64 " record%s lost in %" PRIu64
			    " place%s while recording",
			    spans->in.path, lost_nr, lost_nr == 1 ? "" : "s",
			    spans->lost_chunk_nr,
			    spans->lost_chunk_nr == 1 ? "" : "s");
	rpt_spans_note(spans, spans->samples.unknown_id_nr, &unknown);
	rpt_spans_note(spans, damaged_nr, &damaged);
	rpt_spans_note(spans, spans->unfit_nr, &unfit);
	if ((spans->samples.unknown_id_nr || damaged_nr || spans->unfit_nr) &&
	    spans->in.exit_code == RPT_EXIT_OK)
		spans->in.exit_code = RPT_EXIT_DAMAGED;
}

void rpt_spans_read(struct rpt_spans *spans, rpt_spans_take *take, void *ctx)
{
	const struct rpt_sample_choice all = { 0 };
	const struct rpt_pass_input in = {
		.source = &spans->in.source,
		.reader = spans->in.reader,
		.damage = &spans->in.damage,
		.types = UINT64_C(1) << PD_RECORD_LOST |
			 UINT64_C(1) << PD_RECORD_LOST_SAMPLES,
	};
	struct pd_err err = PD_ERR_INIT;
	int rc;

	spans->take = take;
	spans->ctx = ctx;
	rc = rpt_sample_pass(&in, deliver, spans, &err);
	if (rc < 0)
		fail(spans, rc, &err);
	if (!rc && !spans->event_nr)
		rpt_warn_no_samples(spans->in.path, spans->in.reader, &all);
	warn(spans);
}

int rpt_spans_close(struct rpt_spans *spans)
{
	if (!spans->in.reader)
		return RPT_EXIT_FAILED;
	rpt_sample_reader_release(&spans->samples);
	rpt_tracepoints_free(spans->tracepoints);
	rpt_timeline_free(spans->timeline);
	if (spans->symbols)
		rpt_warn_withheld(spans->symbols);
	rpt_symbols_free(spans->symbols);
	free(spans->kinds);
	return rpt_recording_input_close(&spans->in);
}
