/* sample_id.h: who, when and where of every record that is not a sample.
 *
 * With attr.sample_id_all each kernel record ends in TID, TIME, ID, STREAM_ID,
 * CPU, IDENTIFIER, as far as sample_type asks for them.  The trailer is read
 * from the end of the record (FORMAT.md "The sample_id trailer").
 */
#ifndef PD_SAMPLE_ID_H
#define PD_SAMPLE_ID_H

#include "format/layout.h"
#include "format/sample.h"

struct pd_sample_id {
	uint64_t present; /* PD_SAMPLE_* bits that the trailer holds */
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns; /* 0 without */
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
};

/* -ENODATA if the record is shorter than its trailer. present is 0 and nothing
 * fails where the attr asks for no trailer. */
int pd_sample_id_read(const struct pd_sample_layout *layout,
		      const struct pd_record *rec, struct pd_sample_id *ret,
		      struct pd_err *err);

/* KSYMBOL and BPF_EVENT are the two types whose length the kernel does not set
 * back between those who listen: for the second it is longer by the trailer of
 * the first, with whatever bytes behind (FORMAT.md "The sample_id trailer"). */
static inline bool pd_record_may_be_long(uint32_t type)
{
	return type == PD_RECORD_KSYMBOL || type == PD_RECORD_BPF_EVENT;
}

/* The length of such a record up to the end of its trailer, of id_len bytes,
 * which stands right behind its fields; at most len, that of its header.  data:
 * the record, as much as is there of len. */
uint16_t pd_record_own_len(uint32_t type, const uint8_t *data, uint16_t len,
			   size_t id_len);

void pd_sample_id_write(struct pd_buf *b, const struct pd_sample_layout *layout,
			const struct pd_sample_id *id);

#endif
