/* sink.h: the state that all drain threads share: the output, with a lock, the
 * index of its frames, and the counts of the records in the file.
 */
#ifndef REC_SINK_H
#define REC_SINK_H

#include "record/ring/frame_index.h"
#include "record/ring/output.h"

#include <pthread.h>

enum { REC_FRAME_LEN = 1 << 20 };

struct rec_counts {
	uint64_t sample_nr;
	uint64_t lost_nr; /* of LOST and LOST_SAMPLES records */
	uint64_t throttle_nr;
	uint64_t plain_len;
	uint64_t time_lo_ns; /* of samples; lo > hi: none yet */
	uint64_t time_hi_ns;
};

#define REC_COUNTS_NONE ((struct rec_counts){ .time_lo_ns = UINT64_MAX })

void rec_counts_add(struct rec_counts *sum, const struct rec_counts *more);

struct rec_sink {
	pthread_mutex_t lock;
	struct rec_output *out;	   /* borrowed */
	struct rec_counts counts;  /* of what is whole in the file */
	struct rec_counts covered; /* of that, at the last checkpoint */
	struct rec_frame_index index;
	uint64_t written_len; /* of all frames */
	uint64_t late_len;    /* plain text packed at level 1 instead */
	uint64_t cut_nr;      /* samples that a cut file did not take */
	uint64_t open_len;    /* atomic: plain text in frames that are open */
	uint64_t file_len;    /* atomic: at the last frame */
	uint64_t sample_room; /* atomic: how many more samples are taken, over
			       * all files; UINT64_MAX: any number */
};

/* out must be open.  Return 0, or -ENOMEM. */
int rec_sink_init(struct rec_sink *sink, struct rec_output *out);
void rec_sink_release(struct rec_sink *sink);
/* Clear frames and counts for another file.  Return 0, or -ENOMEM. */
int rec_sink_restart(struct rec_sink *sink);

enum {
	REC_FRAME_BEGINS = 1 << 0,
	REC_FRAME_ENDS = 1 << 1,
	REC_FRAME_IS_PLAIN = 1 << 2,
	REC_FRAME_IS_LATE = 1 << 3, /* packed at level 1 for lack of time */
};

static inline uint64_t rec_sink_sample_room(const struct rec_sink *sink)
{
	return __atomic_load_n(&sink->sample_room, __ATOMIC_RELAXED);
}

/* Take room for one sample of a limited number.  Return false if there is
 * none. */
bool rec_sink_take_sample(struct rec_sink *sink);

/* Append parts of a frame; counts are those of their records. flags: the first
 * parts (BEGINS), the last (ENDS): the whole frame is added to the index. */
int rec_sink_append(struct rec_sink *sink, struct pd_trailer_frame *frame,
		    const struct rec_counts *counts, const struct iovec *parts,
		    int part_nr, unsigned flags);

/* Write a checkpoint, as rec_output_checkpoint() does; with the lock held while
 * others append. */
int rec_sink_checkpoint(struct rec_sink *sink);

/* Read the counts without waiting: whoever writes holds the lock, also while
 * the disk stalls.  Return false then. */
bool rec_sink_try_counts(struct rec_sink *sink, struct rec_counts *ret);

/* Nothing will be appended any more: if a checkpoint could not be written,
 * count only what the last one covers. */
void rec_sink_end(struct rec_sink *sink);

/* Return the file's length; safe while others write to it. */
static inline uint64_t rec_sink_file_len(const struct rec_sink *sink)
{
	return __atomic_load_n(&sink->file_len, __ATOMIC_RELAXED);
}

/* Return the length the file will have with the open frames and pending_len
 * more bytes of records, by the ratio so far; safe while others write to it. */
uint64_t rec_sink_expect_len(struct rec_sink *sink, uint64_t pending_len);

#endif
