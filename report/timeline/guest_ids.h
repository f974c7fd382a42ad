/* guest_ids.h: the ids of guests' events, from ID_INDEX records (perf inject
 * --guest-data): FORMAT.md "Records".
 */
#ifndef RPT_GUEST_IDS_H
#define RPT_GUEST_IDS_H

#include "format/reader.h"

struct rpt_guest {
	uint64_t id; /* of an event */
	int32_t machine_pid;
	int32_t vcpu;
};

/* Sorted by id. */
struct rpt_guest_ids {
	struct rpt_guest *items; /* owned */
	uint32_t nr;
	uint32_t cap;
};

/* Load those of the records before the first sample.  Return 0, or the error of
 * reading. */
int rpt_guest_ids_load(struct rpt_guest_ids *ret, struct pd_reader *reader,
		       struct pd_err *err);

/* The same in parts: add those of ID_INDEX records, move what several threads
 * have found into one, sort at last. */
void rpt_guest_ids_add(struct rpt_guest_ids *ids, const struct pd_record *rec);
void rpt_guest_ids_move(struct rpt_guest_ids *to, struct rpt_guest_ids *from);
void rpt_guest_ids_sort(struct rpt_guest_ids *ids);

void rpt_guest_ids_release(struct rpt_guest_ids *ids);

/* Return whether a record, or an entry of the build-id table, with that misc is
 * a guest's. */
static inline bool rpt_is_of_guest(uint16_t misc)
{
	unsigned mode = misc & PD_MISC_CPUMODE_MASK;

	return mode == PD_CPUMODE_GUEST_KERNEL || mode == PD_CPUMODE_GUEST_USER;
}

/* Return the guest that has the event id; NULL if it is none of a guest. */
const struct rpt_guest *rpt_guest_ids_find(const struct rpt_guest_ids *ids,
					   uint64_t id);

#endif
