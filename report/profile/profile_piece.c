/* The samples of a piece of a file. */
#include "report/profile/profile_impl.h"

#include "format/record_span.h"
#include "report/profile/repeat_sample.h"

/* Counts the records that are the last sample again, as long as their times
 * rise, at once, and passes over them.  Where they do not count together: how
 * many these are. */
static size_t count_repeats(struct rpt_profile *profile,
			    struct pd_record_span *span)
{
	struct pd_record_span ahead = *span;
	struct rpt_repeats repeats = { 0 };
	struct pd_record rec;

	if (!profile->repeat || span->next.type != PD_RECORD_SAMPLE)
		return 0;
	while (pd_record_span_next(&ahead, &rec) &&
	       rpt_repeat_sample_is(profile->repeat, &rec)) {
		struct rpt_when when = rpt_profile_repeated_when(profile, &rec);

		if (!repeats.nr)
			repeats.first = when;
		else if (rpt_when_before(when, repeats.last))
			break;
		repeats.last = when;
		repeats.nr++;
	}
	if (!repeats.nr)
		return 0;
	if (!rpt_profile_add_repeats(profile, &profile->repeat->place,
				     &repeats))
		return repeats.nr;
	pd_record_span_pass(span, repeats.nr);
	return 0;
}

static int add_span(struct rpt_profile *profile, struct pd_record_span *span,
		    struct pd_err *err)
{
	size_t alone_nr = 0; /* to be looked at one by one */
	struct pd_record rec;
	int rc = 0;

	while (!rc && span->nr) {
		if (alone_nr)
			alone_nr--;
		else
			alone_nr = count_repeats(profile, span);
		if (pd_record_span_next(span, &rec))
			rc = rpt_profile_add_record(profile, &rec, err);
	}
	return rc;
}

int rpt_profile_add_piece(struct rpt_profile *profile, struct pd_chunk piece,
			  struct pd_err *err)
{
	struct pd_record_span span;
	struct pd_records it;
	int rc;

	pd_records_init(&it, profile->conf.reader, piece);
	while ((rc = pd_records_next_span(&it, &span, err)) > 0) {
		rc = add_span(profile, &span, err);
		if (rc)
			break;
	}
	rpt_profile_give_back(profile);
	pd_damage_merge(&profile->damage, &it.damage);
	pd_records_release(&it);
	return rc;
}
