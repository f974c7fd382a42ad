/* metadata_records.h: our own records that describe the recording.
 *
 * In perf's order: TIME_CONV, ID_INDEX, EVENT_UPDATE, THREAD_MAP, CPU_MAP
 * before the kernel's own; LOST_SAMPLES after them.  FORMAT.md "Records".
 */
#ifndef REC_METADATA_RECORDS_H
#define REC_METADATA_RECORDS_H

#include "format/base/buf.h"
#include "record/targets/event_open.h"

struct rec_session;

/* Append TIME_CONV (if the clock can be converted), ID_INDEX, UNIT, SCALE, CPUS
 * (and NAME in a pipe) updates, THREAD_MAP and CPU_MAP. */
void rec_metadata_records_write(struct pd_buf *b,
				const struct rec_session *session);

/* The losses of one event on one CPU or thread, as the kernel counted them. */
struct rec_loss {
	uint32_t event_idx;
	int cpu;
	pid_t tid;
	uint64_t id;
	uint64_t lost_nr;
};

/* Read PERF_FORMAT_LOST of fd.  Return false if the kernel lacks it. */
bool rec_loss_read(const struct rec_event *event, const struct rec_open_fd *fd,
		   struct rec_loss *ret);

/* Append a LOST_SAMPLES record with its sample_id trailer. */
void rec_loss_write(struct pd_buf *b, const struct rec_event *event,
		    const struct rec_loss *loss);

#endif
