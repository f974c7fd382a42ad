/* Notes what was lost: which bytes, and between which records. */
#include "report/repair/repair_impl.h"

#include "format/sample_id.h"

#include <stdio.h>

void rpt_repair_add_loss(void *ctx, enum pd_damage_kind kind, uint64_t len,
			 const struct pd_err *err)
{
	struct rpt_repair *repair = ctx;
	struct rpt_repair_result *result = repair->result;
	struct rpt_repair_loss *loss;

	if (repair->is_second)
		return; /* the same again */
	if (kind == PD_DAMAGE_UNFINISHED) {
		result->was_unfinished = true;
		return;
	}
	result->loss_nr++;
	result->loss_len += len;
	if (result->loss_shown_nr == RPT_REPAIR_LOSSES_MAX)
		return;
	loss = &result->losses[result->loss_shown_nr++];
	*loss = (struct rpt_repair_loss){
		.kind = kind,
		.off = err->off,
		.len = len,
		.before_ns = repair->last_ns,
		.before_cpu = repair->last_cpu,
		.after_cpu = RPT_NO_CPU,
	};
	snprintf(loss->text, sizeof(loss->text), "%s",
		 err->code ? err->text : "damaged");
}

/* RPT_NO_CPU where the record does not say. */
static uint32_t cpu_of(const struct rpt_repair *repair,
		       const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(repair->events, rec);
	struct pd_sample_id id;
	struct pd_sample s;

	if (!event || !(event->attr.sample_type & PD_SAMPLE_CPU))
		return RPT_NO_CPU;
	if (rec->type == PD_RECORD_SAMPLE)
		return pd_sample_read(&event->layout, rec, &s, NULL)
			       ? RPT_NO_CPU
			       : s.cpu;
	if (pd_sample_id_read(&event->layout, rec, &id, NULL) || !id.present)
		return RPT_NO_CPU;
	return id.cpu;
}

void rpt_repair_seen(struct rpt_repair *repair, const struct pd_record *rec,
		     uint64_t time_ns)
{
	struct rpt_repair_result *result = repair->result;

	if (!time_ns)
		return;
	repair->last_ns = time_ns;
	repair->last_cpu = cpu_of(repair, rec);
	for (; repair->open_loss_idx < result->loss_shown_nr;
	     repair->open_loss_idx++) {
		struct rpt_repair_loss *loss =
			&result->losses[repair->open_loss_idx];

		loss->after_ns = time_ns;
		loss->after_cpu = repair->last_cpu;
	}
}

static void explain(const struct pd_trailer *t, struct rpt_repair_loss *loss)
{
	for (size_t i = 0; i < t->frame_nr; i++) {
		const struct pd_trailer_frame *f = &t->frames[i];

		if (loss->off < f->file_off ||
		    loss->off - f->file_off >= f->file_len)
			continue;
		loss->has_frame = true;
		loss->frame = *f;
		return;
	}
}

void rpt_repair_explain_losses(struct rpt_repair *repair)
{
	const struct pd_trailer *t = pd_reader_trailer(repair->reader);

	for (size_t i = 0; t && i < repair->result->loss_shown_nr; i++)
		explain(t, &repair->result->losses[i]);
}
