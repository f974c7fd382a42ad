#include "report/input/sample_pass.h"

#include <errno.h>

struct pass {
	const struct rpt_pass_input *in;
	const struct pd_event_set *events;
	rpt_order_deliver *deliver;
	void *ctx;
	struct rpt_order order;
};

/* Report that no more records are taken.  This is not part of rpt_pass_add(),
 * where clearing the text for each record costs more than adding the record. */
static int stop_at(const struct rpt_pass_input *in, const struct pd_record *rec)
{
	struct pd_err err = PD_ERR_INIT;

	pd_err_at(&err, -EFBIG, rec->file_off,
		  "more records wait for their turn than the limit allows "
		  "(--max-ratio); those from here on are left out");
	pd_damage_add(in->damage, PD_DAMAGE_RECORD, 0, &err);
	return RPT_PASS_STOP;
}

/* Records of plain files stay where they are; others are copied. */
int rpt_pass_add(const struct rpt_pass_input *in, struct rpt_order *order,
		 const struct pd_record *rec, uint64_t time_ns)
{
	int rc = rpt_order_add(order, rec, time_ns,
			       rpt_file_source_holds(in->source, rec->data));

	return rc == -EFBIG ? stop_at(in, rec) : rc;
}

static bool is_asked(const struct rpt_pass_input *in, uint32_t type)
{
	return type < 64 && in->types >> type & 1;
}

static uint64_t time_of(const struct pd_event_set *events,
			const struct pd_record *rec)
{
	return rec->type == PD_RECORD_SAMPLE
		       ? pd_event_set_time_of_sample(events, rec)
		       : pd_event_set_time_of(events, rec);
}

static int take(struct pass *pass, const struct pd_record *rec)
{
	uint64_t time_ns;

	if (rec->type == PD_RECORD_FINISHED_ROUND)
		return pd_reader_has_parts(pass->in->reader)
			       ? 0
			       : rpt_order_round(&pass->order);
	if (rec->type != PD_RECORD_SAMPLE && !is_asked(pass->in, rec->type))
		return 0;
	time_ns = pd_event_set_order(pass->events, time_of(pass->events, rec));
	if (!time_ns)
		return pass->deliver(pass->ctx, rec, 0);
	return rpt_pass_add(pass->in, &pass->order, rec, time_ns);
}

int rpt_sample_pass(const struct rpt_pass_input *in, rpt_order_deliver *deliver,
		    void *ctx, struct pd_err *err)
{
	struct pass pass = {
		.in = in,
		.events = pd_reader_events(in->reader),
		.deliver = deliver,
		.ctx = ctx,
	};
	struct pd_records it;
	struct pd_record rec;
	int rc, more, last;

	rpt_order_init(&pass.order, deliver, ctx);
	rpt_order_allow(&pass.order, in->reader);
	pd_records_init(&it, in->reader, pd_reader_data(in->reader));
	do {
		rc = more = pd_records_next(&it, &rec, err);
		if (more > 0)
			rc = take(&pass, &rec);
	} while (more > 0 && !rc);
	if (more <= 0 || rc == RPT_PASS_STOP) {
		last = rpt_order_finish(&pass.order);
		rc = rc < 0 ? rc : last;
	}
	if (!in->is_extra)
		pd_damage_merge(in->damage, &it.damage);
	pd_records_release(&it);
	rpt_order_release(&pass.order);
	return rc;
}
