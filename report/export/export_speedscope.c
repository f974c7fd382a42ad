/* A file of speedscope: file-format-spec.ts of github.com/jlfwong/speedscope.
 * Each event is a profile; its stacks are "samples" with weights. */
#include "report/export/export_impl.h"

#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/cli/output_file.h"

#include <stdlib.h>
#include <string.h>

struct speedscope {
	const struct rpt_export_set *set;
	struct rpt_json json;
	struct rpt_intern comms; /* texts: frames behind those of set */
	uint32_t *chain;	 /* a stack, under construction */
	uint32_t chain_cap;
};

static void put_frame(struct speedscope *s, uint32_t number)
{
	const struct rpt_export_frame *frame =
		rpt_export_frame_at(s->set, number);
	const struct rpt_export_function *function =
		rpt_export_function_at(s->set, frame->function);
	uint32_t path = rpt_export_file_at(s->set, function->file)->path;

	rpt_json_line(&s->json, 0);
	rpt_json_open(&s->json, '{');
	rpt_json_member_str(&s->json, "name",
			    rpt_export_text_at(s->set, function->name));
	if (function->source)
		path = function->source;
	if (path)
		rpt_json_member_str(&s->json, "file",
				    rpt_export_text_at(s->set, path));
	if (frame->line)
		rpt_json_member_u64(&s->json, "line", frame->line);
	rpt_json_close(&s->json, '}');
}

/* Return the number of the frame that stands for a task or process. */
static uint32_t comm_frame(struct speedscope *s, uint32_t comm)
{
	return s->set->frames.nr +
	       (uint32_t)rpt_intern(&s->comms, &comm, sizeof(comm));
}

/* Put that frame, if it is new. */
static void put_name(struct speedscope *s, uint32_t comm)
{
	uint32_t known_nr = s->comms.nr;

	if (comm == RPT_EXPORT_NONE)
		return;
	comm_frame(s, comm);
	if (s->comms.nr == known_nr)
		return;
	rpt_json_line(&s->json, 0);
	rpt_json_open(&s->json, '{');
	rpt_json_member_str(&s->json, "name", rpt_export_text_at(s->set, comm));
	rpt_json_close(&s->json, '}');
}

/* Put the frames of all functions, then of all tasks. */
static void put_frames(struct speedscope *s)
{
	rpt_json_key(&s->json, "shared");
	rpt_json_open(&s->json, '{');
	rpt_json_key(&s->json, "frames");
	rpt_json_open(&s->json, '[');
	for (uint32_t i = 0; i < s->set->frames.nr; i++)
		put_frame(s, i);
	for (uint32_t i = 0; i < s->set->samples.nr; i++) {
		put_name(s, rpt_export_sample_at(s->set, i)->process);
		put_name(s, rpt_export_sample_at(s->set, i)->comm);
	}
	rpt_json_close(&s->json, ']');
	rpt_json_close(&s->json, '}');
}

static void put_stack(struct speedscope *s,
		      const struct rpt_export_sample *sample)
{
	uint32_t nr = 0;

	for (uint32_t at = sample->stack; at; nr++) {
		const struct rpt_export_stack *stack =
			rpt_export_stack_at(s->set, at);

		s->chain = rpt_grow(s->chain, &s->chain_cap, nr,
				    sizeof(*s->chain));
		s->chain[nr] = stack->frame;
		at = stack->callers;
	}
	rpt_json_line(&s->json, 0);
	rpt_json_open(&s->json, '[');
	if (sample->process != RPT_EXPORT_NONE)
		rpt_json_u64(&s->json, comm_frame(s, sample->process));
	if (sample->comm != RPT_EXPORT_NONE)
		rpt_json_u64(&s->json, comm_frame(s, sample->comm));
	while (nr)
		rpt_json_u64(&s->json, s->chain[--nr]);
	rpt_json_close(&s->json, ']');
}

static void put_samples(struct speedscope *s, uint32_t event)
{
	rpt_json_key(&s->json, "samples");
	rpt_json_open(&s->json, '[');
	for (uint32_t i = 0; i < s->set->samples.nr; i++)
		if (rpt_export_sample_at(s->set, i)->event == event)
			put_stack(s, rpt_export_sample_at(s->set, i));
	rpt_json_close(&s->json, ']');
	rpt_json_key(&s->json, "weights");
	rpt_json_open(&s->json, '[');
	for (uint32_t i = 0; i < s->set->samples.nr; i++)
		if (rpt_export_sample_at(s->set, i)->event == event)
			rpt_json_u64(&s->json, s->set->values[i].period);
	rpt_json_close(&s->json, ']');
}

static void put_profile(struct speedscope *s,
			const struct rpt_export_event *event, uint32_t number)
{
	rpt_json_line(&s->json, 0);
	rpt_json_open(&s->json, '{');
	rpt_json_member_str(&s->json, "type", "sampled");
	rpt_json_member_str(&s->json, "name", event->name);
	rpt_json_member_str(&s->json, "unit",
			    event->is_clock ? "nanoseconds" : "none");
	rpt_json_member_u64(&s->json, "startValue", 0);
	rpt_json_member_u64(&s->json, "endValue", event->period);
	put_samples(s, number);
	rpt_json_close(&s->json, '}');
}

static void put_file(struct speedscope *s, const struct rpt_export *export)
{
	uint32_t event_nr = export->report->whole.events.nr;
	struct rpt_export_event *events = rpt_export_events(export);
	const struct rpt_report_args *args = export->report->args;
	char *title;

	rpt_json_open(&s->json, '{');
	rpt_json_member_str(&s->json, "$schema",
			    "https://www.speedscope.app/"
			    "file-format-schema.json");
	rpt_json_member_str(&s->json, "exporter", "perfpair " PERFPAIR_VERSION);
	title = rpt_page_title(args->inputs, args->input_nr);
	rpt_json_member_str(&s->json, "name", title);
	free(title);
	put_frames(s);
	rpt_json_key(&s->json, "profiles");
	rpt_json_open(&s->json, '[');
	for (uint32_t i = 0; i < event_nr; i++)
		if (events[i].nr)
			put_profile(s, &events[i], i);
	rpt_json_close(&s->json, ']');
	rpt_json_close(&s->json, '}');
	rpt_export_events_free(export, events);
}

static void print(const struct rpt_export *export, struct rpt_text *out)
{
	struct speedscope s = { .set = &export->set,
				.json = RPT_JSON_INIT(out, ""),
				.comms.is_bytes = true };

	put_file(&s, export);
	free(s.chain);
	rpt_intern_release(&s.comms);
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	return rpt_export_print_text(report, out, print, err);
}

const struct rpt_output rpt_output_speedscope = {
	.name = "speedscope",
	.help = "for speedscope.app",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.options = { rpt_report_opts, rpt_label_opts },
	.set_up = rpt_export_set_up,
	.print = print_report,
};
