/* drain_schedule.h: when the rings are drained and by whom, and when a round
 * ends.
 *
 *	rec_rounds_init()      the rings are mapped
 *	rec_rounds_start()     the sink is there
 *	rec_recording_pump()   at each wake-up
 *	rec_recording_drain()  where all has to be in the file
 *	rec_rounds_release()
 *
 * Part of a recording (recording.h).
 *
 * Where little comes, the main thread drains what there is and no other thread
 * is woken.  Where a ring would be full soon the pool's threads drain, and the
 * main thread waits: while they are behind, it empties rings that fill into
 * spare memory (ring_reader.h).  The one side begins when the other has ended
 * its frames, so that each ring's records stay in order.
 */
#ifndef REC_DRAIN_SCHEDULE_H
#define REC_DRAIN_SCHEDULE_H

#include "record/ring/boost.h"
#include "record/ring/drain_pool.h"
#include "record/recording/loss_table.h"

struct rec_recording;

struct rec_rounds {
	struct rec_spill_buffer spill;
	struct rec_sample_layouts kinds;
	struct rec_ring_reader *feeds; /* owned, of the rings' indices */
	size_t feed_nr;
	struct rec_epoch epoch;
	struct rec_thread_plan plan;
	struct rec_affinity affinity;
	struct rec_pool pool;
	struct rec_boost boost;
	struct rec_epoch_cursor cursor; /* of the main thread */
	size_t moved_idx; /* the feed whose CPU it was moved to; --affinity */

	uint64_t flushed_ns;	/* last checkpoint */
	uint64_t drained_ns;	/* last epoch */
	uint64_t unflushed_len; /* drained since the checkpoint */
	uint64_t collected_ns;	/* when losses were collected last */
};

/* -EINVAL: --threads or --affinity cannot be. */
int rec_rounds_init(struct rec_recording *rec, struct pd_err *err);
int rec_rounds_start(struct rec_recording *rec, const struct rec_shape *shape,
		     struct pd_err *err);
void rec_rounds_release(struct rec_recording *rec);

/* One epoch over all rings, which is in the compressor or the file on return;
 * flush: also make all readable, mark the round and move the checkpoint. */
int rec_recording_drain(struct rec_recording *rec, bool flush,
			struct pd_err *err);

/* The same without waiting for the pool's threads: while they are still busy
 * with the last epoch, rings that fill are spilled, and pool.idle_fd tells when
 * to come again. */
int rec_recording_pump(struct rec_recording *rec, struct pd_err *err);

/* Rings that fill are emptied into spare memory, for whoever has something else
 * to do for a while. */
void rec_rounds_relieve(struct rec_recording *rec);

/* How long the file will be with all that waits in rings, spare memory and open
 * frames. */
uint64_t rec_rounds_expect_len(struct rec_recording *rec);

/* The time of the newest record that was drained; 0: none was. */
uint64_t rec_rounds_newest_ns(const struct rec_recording *rec);

/* What the loss table is filled from. */
struct rec_loss_source rec_loss_source(const struct rec_recording *rec);

/* When a flush is due. */
uint64_t rec_rounds_due_ns(const struct rec_recording *rec);

#endif
