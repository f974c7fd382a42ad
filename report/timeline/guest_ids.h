/* guest_ids.h: which events' ids are of guests, as ID_INDEX records tell (perf
 * inject --guest-data): FORMAT.md "Records".
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
	size_t nr;
	size_t cap;
};

/* Those that come before the first sample.  0, -ENOMEM, or what reading failed
 * with. */
int rpt_guest_ids_load(struct rpt_guest_ids *ret, struct pd_reader *reader,
		       struct pd_err *err);

/* The same by parts: add those of ID_INDEX records, move what several threads
 * have found into one, sort at last.  0 or -ENOMEM. */
int rpt_guest_ids_add(struct rpt_guest_ids *ids, const struct pd_record *rec);
int rpt_guest_ids_move(struct rpt_guest_ids *to, struct rpt_guest_ids *from);
void rpt_guest_ids_sort(struct rpt_guest_ids *ids);

void rpt_guest_ids_release(struct rpt_guest_ids *ids);

/* misc: of a record, or an entry of the build-id table. */
static inline bool rpt_is_of_guest(uint16_t misc)
{
	unsigned mode = misc & PD_MISC_CPUMODE_MASK;

	return mode == PD_CPUMODE_GUEST_KERNEL || mode == PD_CPUMODE_GUEST_USER;
}

/* NULL: it is none of a guest. */
const struct rpt_guest *rpt_guest_ids_find(const struct rpt_guest_ids *ids,
					   uint64_t id);

#endif
