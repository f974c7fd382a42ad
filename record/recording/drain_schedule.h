/* drain_schedule.h: when the rings are drained and by whom, and when a round
 * ends.
 *
 *	rec_schedule_init()	the rings are mapped
 *	rec_schedule_start()	the file's sink is there
 *	rec_schedule_pump()	at each wake-up
 *	rec_schedule_drain()	when all has to be in the file
 *	rec_schedule_release()
 *
 * If little comes, the main thread drains what there is and wakes no other
 * thread.  If a ring would soon be full, the pool's threads drain and the main
 * thread waits: while they are behind, it empties rings that fill into spare
 * memory (ring_reader.h).  The one side begins when the other has ended its
 * frames, so that each ring's records stay in order.
 */
#ifndef REC_DRAIN_SCHEDULE_H
#define REC_DRAIN_SCHEDULE_H

#include "record/recording/loss_table.h"
#include "record/ring/boost.h"
#include "record/ring/drain_pool.h"

struct rec_file;
struct rec_session;

struct rec_drain_schedule {
	const struct rec_session *session; /* borrowed */
	struct rec_file *file;		   /* borrowed */
	struct rec_drain drain;		   /* of the main thread */
	struct rec_spill_buffer spill;
	struct rec_sample_layouts layouts;
	struct rec_ring_reader *readers; /* owned, of the rings' indices */
	size_t reader_nr;
	struct rec_epoch epoch;
	struct rec_epoch_cursor cursor; /* of the main thread */
	struct rec_thread_plan plan;
	struct rec_affinity affinity;
	size_t moved_idx; /* the reader whose CPU it was moved to; --affinity */
	struct rec_pool pool;
	struct rec_boost boost;

	/* The file does not know all tasks yet: no marker ends a round. */
	bool holds_markers;
	uint64_t flushed_ns;	/* last checkpoint */
	uint64_t drained_ns;	/* last epoch */
	uint64_t unflushed_len; /* drained since the checkpoint */
	uint64_t collected_ns;	/* when losses were collected last */
	struct pd_err bad_ring; /* the first ring that could not be read */
};

/* -EINVAL: --threads or --affinity cannot be. */
int rec_schedule_init(struct rec_drain_schedule *schedule,
		      const struct rec_session *session, struct rec_file *file,
		      struct pd_err *err);
/* watch (borrowed) sees the records of its types as they pass. */
int rec_schedule_start(struct rec_drain_schedule *schedule,
		       const struct rec_side_watch *watch, struct pd_err *err);
void rec_schedule_release(struct rec_drain_schedule *schedule);

/* Drain one epoch of all rings; it is in the compressor or the file on return.
 * flush: also make all readable, mark the round and move the checkpoint. */
int rec_schedule_drain(struct rec_drain_schedule *schedule, bool flush,
		       struct pd_err *err);

/* The same without waiting for the pool's threads: if they are still busy with
 * the last epoch, rings that fill are spilled, and pool.idle_fd becomes
 * readable when it is time to come again. */
int rec_schedule_pump(struct rec_drain_schedule *schedule, struct pd_err *err);

/* Empty rings that fill into spare memory, for a caller that is busy with
 * something else for a while. */
void rec_schedule_relieve(struct rec_drain_schedule *schedule);

/* Write records of other memory to the file, in pieces between which the rings
 * are looked after. */
int rec_schedule_write(struct rec_drain_schedule *schedule,
		       const struct pd_buf *records, struct pd_err *err);

/* Return how long the file will be with all that waits in rings, spare memory
 * and open frames. */
uint64_t rec_schedule_expect_len(struct rec_drain_schedule *schedule);

/* Return whether the file reaches limit_len with all that waits.  That is a
 * guess if records are packed or cut: if it says yes, they are written and
 * looked at again. */
bool rec_schedule_reaches(struct rec_drain_schedule *schedule,
			  uint64_t limit_len);

/* Return the time of the newest record that was drained, or 0. */
uint64_t rec_schedule_newest_ns(const struct rec_drain_schedule *schedule);

/* What the loss table is filled from. */
struct rec_loss_source
rec_schedule_losses(const struct rec_drain_schedule *schedule);

/* Return when a flush is due. */
uint64_t rec_schedule_due_ns(const struct rec_drain_schedule *schedule);

#endif
