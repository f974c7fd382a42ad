/* What the input's trailer says of its recorder: cost, losses, changes of rates
 * and the whole command. */
#include "report/repair/repair_impl.h"

#include "report/base/memory.h"

/* Put the number that an event has in the new file to *idx; return false if it
 * is not there. */
static bool renumber(const struct rpt_repair_facts *facts, uint32_t *idx)
{
	if (*idx >= facts->place_nr || facts->places[*idx] == RPT_NO_PLACE)
		return false;
	*idx = facts->places[*idx];
	return true;
}

static void add_losses(struct rpt_repair_facts *facts,
		       const struct pd_trailer *from)
{
	struct pd_trailer *t = &facts->trailer;

	t->losses = rpt_alloc_zeroed(from->loss_nr + 1, sizeof(*t->losses));
	for (size_t i = 0; i < from->loss_nr; i++) {
		struct pd_trailer_loss *loss = &t->losses[t->loss_nr];

		*loss = from->losses[i];
		t->loss_nr += renumber(facts, &loss->event_idx);
	}
}

static void add_rates(struct rpt_repair_facts *facts,
		      const struct pd_trailer *from)
{
	struct pd_trailer *t = &facts->trailer;

	t->rates = rpt_alloc_zeroed(from->rate_nr + 1, sizeof(*t->rates));
	for (size_t i = 0; i < from->rate_nr; i++) {
		struct pd_trailer_rate *rate = &t->rates[t->rate_nr];

		*rate = from->rates[i];
		t->rate_nr += renumber(facts, &rate->event_idx);
	}
}

void rpt_repair_facts(struct rpt_repair *repair)
{
	const struct pd_trailer *from = pd_reader_trailer(repair->reader);
	const struct rpt_repair_result *result = repair->result;
	struct rpt_repair_facts *facts = &repair->facts;
	const unsigned bit = PD_FEATURE_CMDLINE;

	if (!from)
		return;
	facts->trailer.cost = from->cost;
	add_losses(facts, from);
	add_rates(facts, from);
	/* it is a place in the list that the new file has, and a part of a
	 * recording is not one of the whole command */
	if (result->features_kept[bit / 64] & PD_BIT(bit % 64) &&
	    !result->loss_nr)
		facts->trailer.whole_command = from->whole_command;
	rpt_perf_data_writer_facts(&repair->file, &facts->trailer);
}
