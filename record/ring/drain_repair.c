#include "record/ring/drain_repair.h"

#include <string.h>

#include "format/file/layout.h"
#include "format/records/sample_id.h"

bool rec_drain_needs_repair(const struct rec_drain *drain,
			    const struct rec_record_header *header)
{
	if (header->type == PD_RECORD_SAMPLE)
		return drain->has_whole_stacks;
	if (!drain->is_kernels || header->len > REC_REPAIRED_LEN_MAX)
		return false;
	return pd_record_may_be_long(header->type) ||
	       (header->type == PD_RECORD_MMAP2 &&
		!drain->shape.has_build_ids &&
		header->misc & PD_MISC_MMAP_BUILD_ID);
}

size_t rec_drain_repair(const struct rec_drain *drain,
			const struct rec_ring *ring, void *record)
{
	struct rec_record_header header = { 0 };

	(void)!rec_ring_header(ring, ring->tail, &header);
	rec_ring_copy(ring, ring->tail, header.len, record);
	if (header.type == PD_RECORD_SAMPLE)
		return rec_sample_cut_stack(drain->layouts, record, header.len,
					    UINT64_MAX);
	if (header.type == PD_RECORD_MMAP2)
		header.misc &= (uint16_t)~PD_MISC_MMAP_BUILD_ID;
	else
		header.len = pd_record_own_len(header.type, record, header.len,
					       drain->shape.id_len);
	memcpy(record, &header, sizeof(header));
	return header.len;
}
