/* sample_encoder.h: encodes the samples of a file for the pass that counts
 * them, while its tasks and maps are read.
 *
 *	rpt_sample_encoder_init(&encoder, by_raw);
 *	rpt_file_chunks_listen(&chunks, &encoder.listener);
 *	rpt_timeline_load(tl, reader, &chunks, &err);
 *	rpt_sample_encoder_take(&encoder, idx, reader, &err);	each chunk
 *	rpt_sample_encoder_release(&encoder);
 */
#ifndef RPT_SAMPLE_ENCODER_H
#define RPT_SAMPLE_ENCODER_H

#include "report/input/file_chunks.h"
#include "report/input/sample_rle.h"

/* How a thread got on with the chunks that it has read. */
struct rpt_sample_encoder_thread {
	struct rpt_sample_rle *rle; /* of the current chunk */
	unsigned skip_nr;	    /* chunks to skip, ... */
	unsigned next_skip_nr;	    /* ... and after the next failure */
};

struct rpt_sample_encoder {
	struct rpt_scan_listener listener;
	bool by_raw;	 /* raw data count */
	bool keeps_rest; /* samples may be counted in any order */
	const struct rpt_file_chunks *chunks;
	const struct pd_event_set *events;
	struct rpt_sample_rle_set rles; /* by number of the chunk */
	struct rpt_sample_encoder_thread threads[RPT_THREADS_MAX];
};

/* encoder must stay where it is from here on. */
void rpt_sample_encoder_init(struct rpt_sample_encoder *encoder, bool by_raw);
/* Free what the encoder owns.  Safe on a zeroed struct. */
void rpt_sample_encoder_release(struct rpt_sample_encoder *encoder);

/* Return the samples of a chunk in *ret; NULL: it must be read again.  Chunks
 * without tasks and maps, which the first pass has left out, are encoded now.
 * Return 0 or a negative errno. */
int rpt_sample_encoder_take(struct rpt_sample_encoder *encoder, size_t idx,
			    struct pd_reader *reader,
			    struct rpt_sample_rle **ret, struct pd_err *err);

#endif
