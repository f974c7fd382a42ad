/* drain_repair.h: records that may not be written as they are in the ring.
 *
 * Stack copies are cut (sample_layouts.h).  And where others listen, too, the
 * kernel (Linux 6.18) writes some records with the bit of a build-id that they
 * requested, or with a length that includes their trailers.
 */
#ifndef REC_DRAIN_REPAIR_H
#define REC_DRAIN_REPAIR_H

#include "record/ring/drain.h"

/* No longer record is repaired but samples: a map of the longest path, with its
 * trailer. */
enum { REC_REPAIRED_LEN_MAX = 4352 };

/* Return true if a record with this header may have to be repaired. */
bool rec_drain_needs_repair(const struct rec_drain *drain,
			    const struct rec_record_header *header);

/* Copy the ring's next record, which needs it, into record, repaired, and
 * return its length there.  There is room for it as it is in the ring. */
size_t rec_drain_repair(const struct rec_drain *drain,
			const struct rec_ring *ring, void *record);

#endif
