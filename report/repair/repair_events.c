/* Chooses the events of the new file.  perf opens no file whose events have the
 * id in different places of their samples: an event whose attr was damaged is
 * left out, by the majority of the others. */
#include "report/repair/repair_impl.h"

#include "report/base/memory.h"

#include <string.h>

static bool is_alike(const struct pd_event *a, const struct pd_event *b)
{
	return a->layout.id_off == b->layout.id_off &&
	       a->layout.id_off_back == b->layout.id_off_back;
}

/* The bits of an attr that perf 6.1 knows; it warns about others. */
#define FLAGS_OF_PERF_6_1  (2 * PD_ATTR_SIGTRAP - 1)
#define READ_OF_PERF_6_1   (2 * PD_READ_LOST - 1)
#define BRANCH_OF_PERF_6_1 (2 * PD_BRANCH_PRIV_SAVE - 1)

static bool clear_newer_bits(struct pd_attr *attr)
{
	struct pd_attr old = *attr;

	attr->flags &= FLAGS_OF_PERF_6_1;
	attr->read_format &= READ_OF_PERF_6_1;
	attr->sample_type &= PD_SAMPLE_KNOWN;
	attr->aux_action = 0;
	attr->branch_sample_type &= BRANCH_OF_PERF_6_1;
	return attr->flags != old.flags ||
	       attr->read_format != old.read_format ||
	       attr->sample_type != old.sample_type ||
	       attr->aux_action != old.aux_action ||
	       attr->branch_sample_type != old.branch_sample_type;
}

/* Add an event with attr instead of its own. */
static void add(struct rpt_repair *repair, const struct pd_event *event,
		const struct pd_attr *attr)
{
	const struct rpt_repair_edit *edit = repair->conf->edit;
	struct pd_event_set *to = &repair->chosen;
	size_t idx = to->nr;
	struct pd_event *out;

	pd_event_set_add(to, attr, NULL, NULL);
	out = &to->events[idx];
	/* the input's samples have this layout */
	out->layout = event->layout;
	out->name = event->name ? strdup(event->name) : NULL;
	out->is_unwound = event->is_unwound;
	if (edit && edit->event)
		edit->event(edit->ctx, event, out);
	/* no id twice, of whatever event */
	for (size_t i = 0; i < event->id_nr; i++)
		if (!pd_event_set_by_id(to, event->ids[i]))
			pd_event_set_add_id(to, idx, event->ids[i]);
}

/* Return whether zeros have overwritten an event. */
static bool is_blank(const struct pd_event *event)
{
	struct pd_attr a = event->attr;

	clear_newer_bits(&a);
	return !a.type && !a.config && !a.sample_type && !a.flags;
}

/* Return how many events are not blank, and in *ret one that more than half of
 * those with an id are like, if there is such a majority; NULL: all are blank.
 */
static size_t vote(const struct pd_event_set *set, const struct pd_event **ret)
{
	const struct pd_event *winner = NULL;
	size_t nr = 0, lead = 0;

	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];

		if (is_blank(event))
			continue;
		if (!nr++)
			winner = event;
		if (event->layout.id_off < 0)
			continue;
		if (!lead)
			winner = event;
		if (is_alike(winner, event))
			lead++;
		else
			lead--;
	}
	*ret = winner;
	return nr;
}

int rpt_repair_choose_events(struct rpt_repair *repair, struct pd_err *err)
{
	const struct pd_event_set *set = pd_reader_events(repair->reader);
	struct rpt_repair_facts *facts = &repair->facts;
	const struct pd_event *model;
	size_t nr = vote(set, &model);
	/* perf stat records no samples */
	bool has_samples = !rpt_repair_is_sound(repair, PD_FEATURE_STAT);

	if (has_samples && nr > 1 && model->layout.id_off < 0)
		return pd_err_set(err, -EBADMSG,
				  "none of several events has an id in its "
				  "samples: nobody can tell whose they are");
	facts->place_nr = set->nr;
	facts->places = rpt_alloc_zeroed(set->nr + 1, sizeof(*facts->places));
	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];
		struct pd_attr attr = event->attr;
		bool is_newer = clear_newer_bits(&attr);

		if (is_blank(event) ||
		    (!is_alike(event, model) && has_samples)) {
			repair->result->event_lost_nr++;
			facts->places[i] = RPT_NO_PLACE;
			continue;
		}
		repair->result->event_newer_nr += is_newer;
		if (attr.type == PD_TYPE_TRACEPOINT &&
		    attr.config <= UINT16_MAX)
			repair->formats[attr.config / 64] |=
				PD_BIT(attr.config % 64);
		facts->places[i] = (uint32_t)repair->chosen.nr;
		add(repair, event, &attr);
	}
	repair->events = &repair->chosen;
	return 0;
}
