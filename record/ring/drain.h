/* drain.h: what one drain thread does: rings into frames, frames into the file.
 *
 *	struct rec_drain  one per thread: compressor, frame being built, counts
 *	struct rec_sink   shared: the output, behind a lock, the frame index,
 *	                  and the counts of what stands in the file
 *
 *	rec_drain_feed()   empties one feed up to its goal: spilled blocks, then
 *	                   the ring; closes the frame and appends it whole once
 *	                   a record ends behind REC_FRAME_LEN of plain text
 *	rec_drain_sync()   all that was fed can be read from the file; the frame
 *	                   stays open, and with it the compressor's window
 *	rec_drain_flush()  closes the frame that is open, however short
 *
 * While one thread's frame is open in the file, nobody else may append a frame;
 * single records may go between its own.
 *
 * Bytes go into the compressor, some 64 KiB at a time, or to write(2).  The
 * main thread, which drains where little comes, takes them from the ring's
 * memory and then gives the kernel that part of its ring back.  The threads of
 * the pool, which drain where a ring would be full soon, copy them out first
 * (copies_first), and so does whoever drains stack copies, which get shorter
 * then (ring_reader.h).  Nothing is allocated here once rec_drain_init() is
 * done, but by those who watch.
 *
 * While it passes, each record is looked at once: type, time; for the trailer's
 * frame index, and for the summary.
 */
#ifndef REC_DRAIN_H
#define REC_DRAIN_H

#include "format/trailer.h"
#include "format/record.h"
#include "record/ring/ring_reader.h"
#include "record/ring/frame_index.h"
#include "record/ring/output.h"

#include <pthread.h>

enum { REC_FRAME_LEN = 1 << 20 };

struct rec_counts {
	uint64_t sample_nr;
	uint64_t lost_nr; /* as LOST and LOST_SAMPLES records say */
	uint64_t throttle_nr;
	uint64_t plain_len;
	uint64_t time_lo_ns; /* of samples; lo > hi: none yet */
	uint64_t time_hi_ns;
};

void rec_counts_add(struct rec_counts *sum, const struct rec_counts *more);

/* What all drain threads share. */
struct rec_sink {
	pthread_mutex_t lock;
	struct rec_output *out;
	struct rec_counts counts; /* of what stands whole in the file */
	struct rec_frame_index index;
	uint64_t written_len; /* of all frames */
	uint64_t late_len; /* plain text that was packed at level 1 instead */
	uint64_t open_len; /* atomic: plain text in frames that are open */
	uint64_t file_len; /* atomic: at the last frame */
};

/* out is open.  -ENOMEM. */
int rec_sink_init(struct rec_sink *sink, struct rec_output *out);
void rec_sink_release(struct rec_sink *sink);
/* Forgets the frames and counts: another file begins.  -ENOMEM. */
int rec_sink_restart(struct rec_sink *sink);
/* How long the file is, while others write to it. */
static inline uint64_t rec_sink_file_len(const struct rec_sink *sink)
{
	return __atomic_load_n(&sink->file_len, __ATOMIC_RELAXED);
}

/* How long the file will be with the open frames and pending_len bytes more of
 * records, by the ratio of what is in it; while others write to it. */
uint64_t rec_sink_expect_len(struct rec_sink *sink, uint64_t pending_len);

/* Who wants to see records other than samples as they pass, each in one piece;
 * is_new: it comes from a ring, not from rec_drain_records().  Drain threads
 * call it one at a time. */
struct rec_side_watch {
	uint64_t types; /* PD_BIT(type) of those that are wanted */
	void (*see)(void *ctx, const struct pd_record *record, bool is_new);
	void *ctx;
};

/* From level 9 on zstd takes milliseconds for a block of 128 KiB, 60 at level
 * 19: nothing for the thread that looks after the rings. */
static inline bool rec_level_is_slow(int level)
{
	return level >= 9;
}

struct pd_zstd_compress;

struct rec_drain {
	struct rec_sink *sink;
	struct rec_shape shape;
	struct pd_zstd_compress
		*deflate;		/* one of the two below; NULL: plain */
	struct pd_zstd_compress *asked; /* owned; of the level that was given */
	struct pd_zstd_compress
		*fast;	  /* owned; where that is slow: of level 1 */
	uint64_t late_ns; /* from then on by fast; UINT64_MAX: never */
	struct pd_trailer_frame frame; /* the one that is open */
	bool is_in_file;	  /* its beginning is, by rec_drain_sync() */
	struct rec_counts counts; /* of what is not there yet */
	uint64_t frame_nr;	  /* opened so far */
	struct rec_ring_reader *feed; /* that is drained; NULL: other memory */
	const struct rec_side_watch *watch; /* borrowed; NULL: nobody */
	/* Out of the ring before write(2) or zstd: whether those take long, or
	 * this thread loses its CPU over them, the ring is free. */
	bool copies_first;
	bool is_kernels;  /* what is drained: it may be wrong, as mend() says */
	uint8_t *scratch; /* owned; with watch: one record */
};

/* level 0: plain. -ENOMEM. */
int rec_drain_init(struct rec_drain *drain, struct rec_sink *sink,
		   const struct rec_shape *shape, int level);
/* Shows records to watch (borrowed) from now on.  -ENOMEM. */
int rec_drain_watch(struct rec_drain *drain,
		    const struct rec_side_watch *watch);
void rec_drain_release(struct rec_drain *drain);

/* -EBADMSG: a record in the ring cannot be; what came before it is kept, the
 * rest of this epoch is passed over.  Other errors are the output's. */
int rec_drain_feed(struct rec_drain *drain, struct rec_ring_reader *feed,
		   struct pd_err *err);

/* Whole records out of other memory (the snapshot), 8-aligned. */
int rec_drain_records(struct rec_drain *drain, const void *records, size_t len,
		      struct pd_err *err);

/* The same out of a ring of overwrite_rings.h. */
int rec_drain_taken(struct rec_drain *drain, const void *records, size_t len);

int rec_drain_flush(struct rec_drain *drain);
int rec_drain_sync(struct rec_drain *drain);

#endif
