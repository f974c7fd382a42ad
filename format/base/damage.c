#include "format/base/damage.h"

void pd_damage_add(struct pd_damage *damage, enum pd_damage_kind kind,
		   uint64_t len, const struct pd_err *err)
{
	damage->skipped_len += len;
	damage->skipped_nr++;
	if (!damage->first.code)
		damage->first = *err;
	if (damage->watch)
		damage->watch->damage(damage->watch->ctx, kind, len, err);
}

void pd_damage_merge(struct pd_damage *to, const struct pd_damage *from)
{
	if (!to->first.code)
		to->first = from->first;
	to->skipped_len += from->skipped_len;
	to->skipped_nr += from->skipped_nr;
	to->sample_nr += from->sample_nr;
}
