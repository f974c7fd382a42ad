/* hits_of_recording.h: which addresses of which files the samples of a
 * recording hit: their own, those of their call chains and of their branches,
 * and those that unwinding their stack copies, or finding the caller of a leaf,
 * may meet.
 *
 * hit_reader.h reads the records and calls these: a sample after the maps that
 * its process had by then.
 */
#ifndef REC_HITS_OF_RECORDING_H
#define REC_HITS_OF_RECORDING_H

#include "format/records/event_set.h"
#include "record/carry/address_spaces.h"

struct rec_hits {
	struct rec_address_spaces spaces;
	struct rec_hit_set kernel; /* addresses in kernel memory */
	uint8_t kernel_id[PD_BUILD_ID_LEN_MAX];
	uint8_t kernel_id_len;
	uint64_t sample_nr;
	uint64_t address_nr; /* looked up; an address may be counted again */
	uint64_t unmapped_nr;
	bool has_stacks;	       /* there are copies of stacks */
	bool has_links;		       /* chains may lack a caller */
	struct rec_hit_caches *caches; /* owned */
};

/* All that the hits take is at most memory_len bytes.  Return 0 or -ENOMEM.
 * rec_hits_release() is due in any case. */
int rec_hits_init(struct rec_hits *hits, size_t memory_len);
void rec_hits_release(struct rec_hits *hits);

/* Take a sample, and a record of another type. */
void rec_hits_see_sample(struct rec_hits *hits,
			 const struct pd_event_set *events,
			 const struct pd_record *rec);
/* Take what a sample hit in maps that are there already; it is seen later, once
 * all of them are. */
void rec_hits_peek(struct rec_hits *hits, const struct pd_event_set *events,
		   const struct pd_record *rec);
void rec_hits_see_other(struct rec_hits *hits,
			const struct pd_event_set *events,
			const struct pd_record *rec);

#endif
