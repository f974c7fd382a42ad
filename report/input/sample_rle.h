/* sample_rle.h: the samples of a chunk in a run-length encoding: written by the
 * pass that reads tasks and maps, read by the pass that counts.
 *
 *	rpt_sample_rle_begin(&rle, events, is_frame, by_raw, budget);
 *	rpt_sample_rle_add(&rle, span);		samples, LOST, LOST_SAMPLES
 *	rpt_sample_rle_close(&rle, &damage);	at the end of the chunk
 *
 *	struct rpt_sample_rle_iter it = { .rle = &rle };
 *	while (rpt_sample_rle_next(&it, &run))
 *		...
 *
 * Decompressing a recording, or fetching a long plain one from memory, is most
 * of the cost of reading, and samples can be counted only once all tasks and
 * maps are known.  Loops of system calls, idle CPUs and spinning threads give
 * samples one after the other that are equal but for the time, and for raw
 * data, which count only if rows tell them apart (by_raw).  Each different
 * record is kept once; of equal ones in a row only the times are kept: two or
 * three bytes a sample.
 *
 * If samples differ that is no gain: an encoding that grows over a share of the
 * records' bytes, or finds no budget, is given up.  The rest of a compressed
 * chunk is kept as it is, if there is budget, for several threads to count
 * (perf's -z makes one chunk of the file); other chunks are read twice.
 */
#ifndef RPT_SAMPLE_RLE_H
#define RPT_SAMPLE_RLE_H

#include "format/reader/reader.h"
#include "report/base/intern.h"
#include "report/base/memory.h"
#include "report/input/recent_samples.h"

/* An encoding may always have so many bytes. */
#define RPT_SAMPLE_RLE_FREE_LEN ((uint64_t)64 << 10)

#define RPT_SAMPLE_RLE_RUN_NR 4096u /* samples in a run at most */

/* Equal samples in a row, whose times do not go back. */
struct rpt_sample_run {
	const uint8_t *record; /* without time, and raw data if not by_raw */
	uint16_t len;	       /* of the record */
	uint16_t nr;	       /* of samples */
	uint32_t record_idx;
	uint64_t first_ns; /* as recorded; 0 without time */
	uint64_t last_ns;
	uint64_t seq;	   /* of the first sample */
	uint64_t seq_step; /* to the next one; 1: they were compressed */
	const uint8_t *deltas;
};

struct rpt_sample_rle_bytes {
	uint8_t *data; /* owned */
	size_t len;
	size_t cap;
};

/* Records that were compressed, one behind the other, each behind its seq. */
struct rpt_sample_block {
	struct rpt_sample_block *next;
	uint8_t *data; /* owned; NULL: freed */
	size_t len;
};

struct rpt_sample_rle {
	const struct pd_event_set *events; /* NULL: not begun, or given up */
	struct rpt_budget *budget;
	uint8_t share;
	bool keeps_rest; /* set by the caller after the beginning */
	bool is_closed;
	bool swap;
	struct rpt_intern records;
	struct rpt_sample_rle_bytes runs;
	struct rpt_sample_rle_bytes deltas;
	struct rpt_sample_block *rest; /* the last one first */
	struct pd_damage damage;       /* of the chunk */
	uint64_t plain_len;	       /* of the records that were added */
	uint64_t taken_len;	       /* of the budget */
	/* under construction: */
	struct rpt_sample_run run; /* nr 0: none is open */
	size_t run_deltas_at;
	uint64_t run_next_seq;
	struct rpt_recent_samples recent;	    /* idx: of the open run */
	uint32_t recent_idx[RPT_RECENT_SAMPLES_NR]; /* their record_idx */
	uint64_t before_ns;  /* the last time of the run before */
	uint64_t before_seq; /* and what came after it */
};

/* Return true for the types of records that are encoded. */
static inline bool rpt_sample_rle_takes(uint32_t type)
{
	return type == PD_RECORD_SAMPLE || type == PD_RECORD_LOST ||
	       type == PD_RECORD_LOST_SAMPLES;
}

/* Begin a zeroed encoding; is_frame: of compressed records.  events and budget
 * must outlive it. */
void rpt_sample_rle_begin(struct rpt_sample_rle *rle,
			  const struct pd_event_set *events, bool is_frame,
			  bool by_raw, struct rpt_budget *budget);
static inline bool rpt_sample_rle_is_open(const struct rpt_sample_rle *rle)
{
	return rle->events && !rle->is_closed;
}
/* Add all records of the span.  The encoding may be given up: it is empty
 * then. */
void rpt_sample_rle_add(struct rpt_sample_rle *rle, struct pd_record_span span);
/* Encode a whole chunk and close the encoding; it may be given up.  Return 0 or
 * a negative errno. */
int rpt_sample_rle_read(struct rpt_sample_rle *rle, struct pd_reader *reader,
			struct pd_chunk chunk, struct pd_err *err);
void rpt_sample_rle_close(struct rpt_sample_rle *rle,
			  const struct pd_damage *damage);
/* Free what it owns and return its budget.  It is zeroed then. */
void rpt_sample_rle_release(struct rpt_sample_rle *rle);

struct rpt_sample_rle_iter {
	const struct rpt_sample_rle *rle; /* closed */
	size_t runs_at;
	size_t deltas_at;
	uint64_t before_ns;
	uint64_t before_seq;
};

/* Return false after the last run. */
bool rpt_sample_rle_next(struct rpt_sample_rle_iter *it,
			 struct rpt_sample_run *ret);

/* Get the record at *at in a block, and move *at behind it.  Return false after
 * the last one. */
bool rpt_sample_block_next(const struct rpt_sample_block *block, size_t *at,
			   bool swap, struct pd_record *ret);

/* Return the step from one sample's time to the next one's; nr - 1 of them. */
uint64_t rpt_sample_run_delta(struct rpt_sample_run *run);

/* The encodings of a file's chunks, by number. */
struct rpt_sample_rle_set {
	struct rpt_sample_rle *items; /* owned */
	size_t nr;
	struct rpt_budget budget;
};

/* Make nr encodings that are not begun.  kept_limit: pd_reader_memory_limit().
 */
void rpt_sample_rle_set_init(struct rpt_sample_rle_set *set, size_t nr,
			     uint64_t kept_limit);
/* Free all encodings.  Safe on a zeroed set. */
void rpt_sample_rle_set_release(struct rpt_sample_rle_set *set);

#endif
