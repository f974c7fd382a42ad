/* sample_id.h: the trailer of every kernel record that is not a sample: thread,
 * time, event and CPU.
 *
 * With attr.sample_id_all these records end in TID, TIME, ID, STREAM_ID, CPU,
 * IDENTIFIER, as far as sample_type has them.  The trailer is read from the end
 * of the record (FORMAT.md "The sample_id trailer").
 */
#ifndef PD_SAMPLE_ID_H
#define PD_SAMPLE_ID_H

#include "format/file/layout.h"
#include "format/records/sample.h"

struct pd_sample_id {
	uint64_t present; /* PD_SAMPLE_* bits that the trailer holds */
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns; /* 0 if it has none */
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
};

/* Read the trailer.  Return -ENODATA if the record is shorter than that.  If
 * the attr asks for no trailer, return 0 with present 0. */
int pd_sample_id_read(const struct pd_sample_layout *layout,
		      const struct pd_record *rec, struct pd_sample_id *ret,
		      struct pd_err *err);

/* Return true for KSYMBOL and BPF_EVENT, which may have stray bytes behind
 * their trailer (FORMAT.md "The sample_id trailer"). */
static inline bool pd_record_may_be_long(uint32_t type)
{
	return type == PD_RECORD_KSYMBOL || type == PD_RECORD_BPF_EVENT;
}

/* Return the length of such a record up to the end of its trailer, which stands
 * right behind the fields and has id_len bytes; at most len, the length in its
 * header.  data[0..len) is the record. */
uint16_t pd_record_own_len(uint32_t type, const uint8_t *data, uint16_t len,
			   size_t id_len);

void pd_sample_id_write(struct pd_buf *b, const struct pd_sample_layout *layout,
			const struct pd_sample_id *id);

#endif
