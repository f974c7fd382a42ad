/* Checks the attrs: their sizes and bits are known, each id belongs to one
 * event, and samples of all events have their id in the same place. */
#include "report/check/check_impl.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

#define FLAGS_KNOWN (PD_BIT(40) - 1)
#define READ_KNOWN  (PD_BIT(5) - 1)

/* Return the offset of an entry of the attr section, RPT_NO_OFF in a pipe. */
static uint64_t off_of(const struct rpt_check *check, size_t idx)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);

	return h->is_pipe ? RPT_NO_OFF : h->attrs.off + idx * h->attr_entry_len;
}

static void check_bits(struct rpt_check *check, size_t idx)
{
	const struct pd_attr *a = &check->events->events[idx].attr;
	const struct {
		const char *name;
		uint64_t bits;
	} fields[] = {
		{ "sample_type", a->sample_type & ~PD_SAMPLE_KNOWN },
		{ "read_format", a->read_format & ~READ_KNOWN },
		{ "flags", a->flags & ~FLAGS_KNOWN },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].bits)
			rpt_find(check->findings, RPT_FINDING_ATTR_NEWER,
				 off_of(check, idx),
				 "event %zu: %s has bits 0x%" PRIx64
				 " that are not known",
				 idx, fields[i].name, fields[i].bits);
	if (a->attr_len > PD_ATTR_LEN_MAX_KNOWN)
		rpt_find(check->findings, RPT_FINDING_ATTR_NEWER,
			 off_of(check, idx),
			 "event %zu: an attr of %" PRIu32
			 " bytes; %u are known",
			 idx, a->attr_len, PD_ATTR_LEN_MAX_KNOWN);
}

/* Check that the event has its id where the others have it: FORMAT.md "Whose
 * record is it". */
static void check_id_place(struct rpt_check *check, size_t idx)
{
	const struct pd_sample_layout *first = &check->events->events[0].layout;
	const struct pd_sample_layout *this =
		&check->events->events[idx].layout;
	struct pd_cursor c;

	/* perf stat records no samples */
	if (pd_reader_feature(check->reader, PD_FEATURE_STAT, &c))
		return;
	if (this->id_off < 0)
		rpt_find(check->findings, RPT_FINDING_ATTR, off_of(check, idx),
			 "event %zu of several has no id in its samples", idx);
	else if (this->id_off != first->id_off ||
		 this->id_off_back != first->id_off_back)
		rpt_find(check->findings, RPT_FINDING_ATTR, off_of(check, idx),
			 "event %zu has its id at another place than the first",
			 idx);
}

/* An id and an event that has it. */
struct claim {
	uint64_t id;
	uint32_t event_idx;
};

static int by_id(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int rc = rpt_compare_u64(x->id, y->id);

	return rc ? rc : rpt_compare_u64(x->event_idx, y->event_idx);
}

static void find_twice(struct rpt_check *check, const struct claim *claims,
		       size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		const struct claim *a = &claims[i - 1], *b = &claims[i];

		if (a->id != b->id)
			continue;
		if (a->event_idx == b->event_idx)
			rpt_find(check->findings, RPT_FINDING_ID,
				 off_of(check, b->event_idx),
				 "event %" PRIu32 " has id %" PRIu64 " twice",
				 b->event_idx, b->id);
		else
			rpt_find(check->findings, RPT_FINDING_ID,
				 off_of(check, b->event_idx),
				 "event %" PRIu32 " has id %" PRIu64
				 " of event %" PRIu32,
				 b->event_idx, b->id, a->event_idx);
	}
}

static void check_ids(struct rpt_check *check)
{
	const struct pd_event_set *set = check->events;
	struct claim *claims;
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < set->nr; i++)
		nr += set->events[i].id_nr;
	claims = rpt_alloc_zeroed(nr + 1, sizeof(*claims));
	for (size_t i = 0; i < set->nr; i++)
		for (size_t j = 0; j < set->events[i].id_nr; j++)
			claims[at++] = (struct claim){ set->events[i].ids[j],
						       (uint32_t)i };
	qsort(claims, nr, sizeof(*claims), by_id);
	find_twice(check, claims, nr);
	free(claims);
}

/* Check that counter values in samples have ids; else perf refuses the file. */
static void check_read_format(const struct rpt_check *check, size_t idx)
{
	const struct pd_attr *attr = &check->events->events[idx].attr;

	if ((attr->sample_type & PD_SAMPLE_READ) &&
	    !(attr->read_format & PD_READ_ID))
		rpt_find(check->findings, RPT_FINDING_ATTR, off_of(check, idx),
			 "the counter values in samples of event %zu have no "
			 "id",
			 idx);
}

void rpt_check_events(struct rpt_check *check)
{
	if (!check->events->nr)
		rpt_find(check->findings, RPT_FINDING_ATTR, RPT_NO_OFF,
			 "the file describes no event");
	for (size_t i = 0; i < check->events->nr; i++) {
		check_bits(check, i);
		check_read_format(check, i);
		if (check->events->nr > 1)
			check_id_place(check, i);
	}
	check_ids(check);
}
