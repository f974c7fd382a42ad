#include "report/sample_pass.h"

struct pass {
	struct rpt_input *in;
	const struct pd_event_set *events;
	rpt_order_deliver *deliver;
	void *ctx;
	struct rpt_order order;
};

/* Records of plain files stay where they are; others are copied. */
static bool is_lasting(const struct rpt_input *in, const struct pd_record *rec)
{
	return rec->data >= in->source.base &&
	       rec->data < in->source.base + in->source.len;
}

static int take(struct pass *pass, const struct pd_record *rec)
{
	uint64_t time_ns;

	if (rec->type == PD_RECORD_FINISHED_ROUND)
		return rpt_order_round(&pass->order);
	if (rec->type != PD_RECORD_SAMPLE)
		return 0;
	time_ns = pd_event_set_order(pass->events,
				     pd_event_set_time_of(pass->events, rec));
	if (!time_ns)
		return pass->deliver(pass->ctx, rec, 0);
	return rpt_order_add(&pass->order, rec, time_ns,
			     is_lasting(pass->in, rec));
}

int rpt_sample_pass(struct rpt_input *in, rpt_order_deliver *deliver, void *ctx,
		    struct pd_err *err)
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
	pd_records_init(&it, in->reader, pd_reader_data(in->reader));
	do {
		rc = more = pd_records_next(&it, &rec, err);
		if (more > 0)
			rc = take(&pass, &rec);
	} while (more > 0 && !rc);
	if (more <= 0) {
		last = rpt_order_finish(&pass.order);
		rc = rc ? rc : last;
	}
	pd_damage_merge(&in->damage, &it.damage);
	pd_records_release(&it);
	rpt_order_release(&pass.order);
	return rc;
}
