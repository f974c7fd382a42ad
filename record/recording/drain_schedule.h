/* drain_schedule.h: when the rings are drained, by which threads, and when a
 * round ends.
 *
 *	rec_schedule_init()	the rings are mapped
 *	rec_schedule_start()	the file's sink is there
 *	rec_schedule_pump()	at each wake-up
 *	rec_schedule_drain()	when all has to be in the file
 *	rec_schedule_release()
 *
 * If little comes, the main thread drains by itself.  If a ring would soon be
 * full, the pool's threads drain.  While they are late, or the main thread is,
 * records are moved from rings that fill to spare memory (ring_reader.h), by
 * the main thread as it wakes up, and by the deputy (deputy.h).
 * They take turns only after ending their frames, so that each ring's records
 * stay in order.
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
	struct rec_ring_reader *readers; /* owned, with the indices of the
					  * rings */
	size_t reader_nr;
	struct rec_epoch epoch;
	struct rec_epoch_cursor cursor; /* of the main thread */
	struct rec_thread_plan plan;
	struct rec_affinity affinity;
	size_t moved_idx; /* the ring whose CPU it moved to; --affinity */
	struct rec_pool pool;
	struct rec_boost boost;
	const struct rec_side_watch *watch; /* borrowed */
	struct rec_held_tasks *held; /* owned; NULL: all tasks are recorded */
	uint64_t round_ns[2]; /* the newest record of the last but one round,
			       * and of the last one */

	/* Tasks are still being written: rounds end without a marker. */
	bool holds_markers;
	bool is_calm;		/* nothing came in the last flush interval */
	uint64_t flushed_ns;	/* last checkpoint */
	uint64_t drained_ns;	/* last epoch */
	uint64_t unflushed_len; /* bytes drained since the checkpoint */
	uint64_t collected_ns;	/* when losses were collected last */
	struct pd_err bad_ring; /* the first ring that could not be read */
};

/* Return -EINVAL if --threads or --affinity is impossible. */
int rec_schedule_init(struct rec_drain_schedule *schedule,
		      const struct rec_session *session, struct rec_file *file,
		      struct pd_err *err);
/* Start draining; watch (borrowed) sees the records of its types. */
int rec_schedule_start(struct rec_drain_schedule *schedule,
		       const struct rec_side_watch *watch, struct pd_err *err);
void rec_schedule_release(struct rec_drain_schedule *schedule);

/* Another file begins, while nobody drains: forget what is held of tasks. */
void rec_schedule_next_file(struct rec_drain_schedule *schedule);

/* Drain one epoch of all rings into the compressor or the file. flush: also
 * make all readable, mark the round and write the checkpoint. */
int rec_schedule_drain(struct rec_drain_schedule *schedule, bool flush,
		       struct pd_err *err);

/* Do the same without waiting for the pool's threads: if they are still busy
 * with the last epoch, rings that fill are spilled, and pool.idle_fd becomes
 * readable when it is time to call again. */
int rec_schedule_pump(struct rec_drain_schedule *schedule, struct pd_err *err);

/* Spill rings that fill, for callers that are busy with other work; any thread.
 */
void rec_schedule_relieve(struct rec_drain_schedule *schedule);
/* Return true if no ring will be full before 20 ms have passed: little is in
 * them since they were drained, they are not small, and no sample is long. */
bool rec_schedule_has_little(const struct rec_drain_schedule *schedule);
/* If spare memory is scarce, pack a waiting block of each ring; any thread.
 * Return false if nothing was packed. */
bool rec_schedule_pack(struct rec_drain_schedule *schedule);

/* Write records from other memory to the file, in pieces, and spill rings that
 * fill between these. */
int rec_schedule_write(struct rec_drain_schedule *schedule,
		       const struct pd_buf *records, struct pd_err *err);

/* Return the file's length with all in rings, spare memory and open frames. */
uint64_t rec_schedule_expect_len(struct rec_drain_schedule *schedule);

/* Return true if the file then reaches limit_len.  If records are compressed or
 * cut, this is an estimate: if it says yes, they are written and the length is
 * checked again. */
bool rec_schedule_reaches(struct rec_drain_schedule *schedule,
			  uint64_t limit_len);

/* Return the time of the newest drained record, or 0. */
uint64_t rec_schedule_newest_ns(const struct rec_drain_schedule *schedule);

/* Return the bytes of records in spare memory; any thread. */
uint64_t rec_schedule_waiting_len(const struct rec_drain_schedule *schedule);

/* Return the sources of the loss table. */
struct rec_loss_source
rec_schedule_losses(const struct rec_drain_schedule *schedule);

/* Return when a flush is due, or can be looked for again while the last one
 * goes on. */
uint64_t rec_schedule_due_ns(struct rec_drain_schedule *schedule,
			     uint64_t now_ns);

#endif
