/* guest_ids.h: which event ids are a guest's, from ID_INDEX records (perf
 * inject
 * --guest-data): FORMAT.md "Records".  Part of the timeline.
 */
#ifndef RPT_GUEST_IDS_H
#define RPT_GUEST_IDS_H

#include "format/reader/reader.h"

struct rpt_guest {
	uint64_t id; /* of an event */
	int32_t machine_pid;
	int32_t vcpu;
};

/* A zeroed struct is empty. */
struct rpt_guest_ids {
	struct rpt_guest *items; /* owned */
	uint32_t nr;
	uint32_t cap;
};

/* Add the guests of an ID_INDEX record. */
void rpt_guest_ids_add(struct rpt_guest_ids *ids, const struct pd_record *rec);
/* Move all that from has, of another thread, to to. */
void rpt_guest_ids_move(struct rpt_guest_ids *to, struct rpt_guest_ids *from);
/* Sort by id; call this before rpt_guest_ids_find(). */
void rpt_guest_ids_sort(struct rpt_guest_ids *ids);
/* Return the guest that has the event id; NULL if none has it. */
const struct rpt_guest *rpt_guest_ids_find(const struct rpt_guest_ids *ids,
					   uint64_t id);
/* Free all. */
void rpt_guest_ids_release(struct rpt_guest_ids *ids);

/* Return whether a record, or an entry of the build-id table, with that misc is
 * a guest's. */
static inline bool rpt_is_of_guest(unsigned misc)
{
	unsigned mode = misc & PD_MISC_CPUMODE_MASK;

	return mode == PD_CPUMODE_GUEST_KERNEL || mode == PD_CPUMODE_GUEST_USER;
}

struct rpt_timeline;
/* Find a guest among those of the recording; NULL as above. */
const struct rpt_guest *rpt_timeline_guest(const struct rpt_timeline *tl,
					   uint64_t id);

#endif
