/* sink.h: what all drain threads share: the output, behind a lock, the index of
 * its frames, and the counts of what stands in the file.
 */
#ifndef REC_SINK_H
#define REC_SINK_H

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

#define REC_COUNTS_NONE ((struct rec_counts){ .time_lo_ns = UINT64_MAX })

void rec_counts_add(struct rec_counts *sum, const struct rec_counts *more);

struct rec_sink {
	pthread_mutex_t lock;
	struct rec_output *out;	  /* borrowed */
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
/* Forget frames and counts: another file begins.  -ENOMEM. */
int rec_sink_restart(struct rec_sink *sink);

enum {
	REC_FRAME_BEGINS = 1 << 0,
	REC_FRAME_ENDS = 1 << 1,
	REC_FRAME_IS_PLAIN = 1 << 2,
	REC_FRAME_IS_LATE = 1 << 3, /* packed at level 1 for lack of time */
};

/* Append parts of a frame, of which counts are the records.  flags: the first
 * parts (BEGINS), the last ones (ENDS): then the frame is whole and goes into
 * the index. */
int rec_sink_append(struct rec_sink *sink, struct pd_trailer_frame *frame,
		    const struct rec_counts *counts, const struct iovec *parts,
		    int part_nr, unsigned flags);

/* Return how long the file is, while others write to it. */
static inline uint64_t rec_sink_file_len(const struct rec_sink *sink)
{
	return __atomic_load_n(&sink->file_len, __ATOMIC_RELAXED);
}

/* Return how long the file will be with the open frames and pending_len bytes
 * more of records, by the ratio of what is in it; while others write to it. */
uint64_t rec_sink_expect_len(struct rec_sink *sink, uint64_t pending_len);

#endif
