/* metadata_records.h: the records of ours that describe the recording itself.
 *
 * In perf's order: TIME_CONV, ID_INDEX, EVENT_UPDATE, THREAD_MAP, CPU_MAP in
 * front of what the kernel tells; LOST_SAMPLES behind it.  FORMAT.md "Records".
 */
#ifndef REC_METADATA_RECORDS_H
#define REC_METADATA_RECORDS_H

#include "format/buf.h"
#include "record/targets/event_open.h"
#include "record/ring/ring_set.h"
#include "record/targets/target.h"

struct perf_event_mmap_page;

struct rec_side_conf {
	const struct rec_event_list *events;
	const struct rec_open_set *open;
	const struct rec_ring_set *rings;
	/* The control page of any ring: how its clock runs; NULL: none. */
	const struct perf_event_mmap_page *page;
	const struct rec_target *target;
	bool is_pipe; /* names come here, there is no EVENT_DESC */
};

/* Appends TIME_CONV (where the clock can be converted), ID_INDEX, UNIT, SCALE,
 * CPUS (and NAME in a pipe) updates, THREAD_MAP and CPU_MAP. */
void rec_metadata_records_write(struct pd_buf *b,
				const struct rec_side_conf *conf);

/* What one event lost on one CPU or thread, as the kernel counted it. */
struct rec_loss {
	uint32_t event_idx;
	int cpu;
	pid_t tid;
	uint64_t id;
	uint64_t lost_nr;
};

/* Reads PERF_FORMAT_LOST of fd; false: the kernel does not count it. */
bool rec_loss_read(const struct rec_event *event, const struct rec_open_fd *fd,
		   struct rec_loss *ret);

/* Appends a LOST_SAMPLES record with its sample_id trailer. */
void rec_loss_write(struct pd_buf *b, const struct rec_event *event,
		    const struct rec_loss *loss);

#endif
