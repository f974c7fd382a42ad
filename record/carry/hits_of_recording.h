/* hits_of_recording.h: which addresses of which files the samples of a
 * recording hit: their own, those of their call chains and of their branches,
 * and those that unwinding their stack copies may meet.
 */
#ifndef REC_HITS_OF_RECORDING_H
#define REC_HITS_OF_RECORDING_H

#include "format/reader.h"
#include "record/carry/address_spaces.h"

struct rec_hits {
	struct rec_address_spaces spaces;
	struct rec_hit_set kernel; /* addresses in kernel memory */
	uint8_t kernel_id[PD_BUILD_ID_LEN_MAX];
	uint8_t kernel_id_len;
	uint64_t sample_nr;
	uint64_t address_nr; /* looked up; an address may be counted again */
	uint64_t unmapped_nr;
	bool has_stacks; /* there are copies of stacks */
	bool is_cut;	 /* the time was over before all samples were read */
};

/* Read the samples of the recording until until_ns (rec_now_ns()).  Return 0 or
 * -ENOMEM.  rec_hits_release() is due in any case. */
int rec_hits_read(struct rec_hits *hits, struct pd_reader *reader,
		  size_t memory_len, uint64_t until_ns);
void rec_hits_release(struct rec_hits *hits);

#endif
