/* metadata_records.h: the records of ours that describe the recording itself.
 *
 * In perf's order: TIME_CONV, ID_INDEX, EVENT_UPDATE, THREAD_MAP, CPU_MAP in
 * front of the kernel's own; LOST_SAMPLES behind them.  FORMAT.md "Records".
 */
#ifndef REC_METADATA_RECORDS_H
#define REC_METADATA_RECORDS_H

#include "format/buf.h"
#include "record/targets/event_open.h"

struct rec_session;

/* Append TIME_CONV (if the clock can be converted), ID_INDEX, UNIT, SCALE, CPUS
 * (and NAME in a pipe) updates, THREAD_MAP and CPU_MAP. */
void rec_metadata_records_write(struct pd_buf *b,
				const struct rec_session *session);

/* What one event lost on one CPU or thread, as the kernel counted it. */
struct rec_loss {
	uint32_t event_idx;
	int cpu;
	pid_t tid;
	uint64_t id;
	uint64_t lost_nr;
};

/* Read PERF_FORMAT_LOST of fd; false: the kernel does not count it. */
bool rec_loss_read(const struct rec_event *event, const struct rec_open_fd *fd,
		   struct rec_loss *ret);

/* Append a LOST_SAMPLES record with its sample_id trailer. */
void rec_loss_write(struct pd_buf *b, const struct rec_event *event,
		    const struct rec_loss *loss);

#endif
