/* time_blocks.h: divides the time of a recording into blocks of equal length,
 * so that samples can be counted by block.
 *
 *	rpt_time_question_init(&q, reader, &filter);	before the sideband ...
 *	if (rpt_time_question_is_open(&q))
 *		rpt_file_chunks_listen(&chunks, &q.listener);
 *	rpt_timeline_load(tl, reader, &chunks, &err);	... whose pass answers
 *	blocks = rpt_time_blocks_of(&q, nr);
 *
 * The blocks reach from the first sample to the last.  Most files record these
 * times (SAMPLE_TIME).  If a file does not (pipes, killed recorders, perf
 * record without build-ids), or if only some samples count, the question
 * listens to the pass over all records that reads the sideband.
 */
#ifndef RPT_TIME_BLOCKS_H
#define RPT_TIME_BLOCKS_H

#include "report/events/filter.h"
#include "report/input/file_chunks.h"
#include "report/timeline/address_space.h"

/* nr blocks of len_ns each; the first begins at first_ns.  Earlier times belong
 * to the first block, later ones to the last.  nr 0: one block has all times.
 */
struct rpt_time_blocks {
	uint32_t nr;
	uint64_t len_ns;
	uint64_t first_ns;
	uint64_t span_ns; /* from the first sample to the last */
};

struct rpt_time_question {
	struct rpt_scan_listener listener;
	const struct pd_reader *reader;
	const struct rpt_filter *filter;
	bool is_timeless; /* samples have no times */
	bool is_recorded; /* spans[0] is what the file says */
	/* By thread: the times of the first and the last sample; first > last:
	 * there was none. */
	struct pd_sample_time spans[RPT_THREADS_MAX];
};

/* Begin the question, which must not move afterwards.  reader and filter must
 * outlive it. */
void rpt_time_question_init(struct rpt_time_question *q,
			    const struct pd_reader *reader,
			    const struct rpt_filter *filter);

/* Return true if the question must listen to the records. */
static inline bool rpt_time_question_is_open(const struct rpt_time_question *q)
{
	return !q->is_timeless && !q->is_recorded;
}

/* Return the answer as nr blocks; as one of all times if there is no answer. */
struct rpt_time_blocks rpt_time_blocks_of(const struct rpt_time_question *q,
					  uint32_t nr);

/* Return the index of the block that has a time. */
uint32_t rpt_time_block_at(const struct rpt_time_blocks *blocks,
			   uint64_t time_ns);

/* Return the times for which rpt_time_block_at() returns idx. */
struct rpt_span rpt_time_block_span(const struct rpt_time_blocks *blocks,
				    uint32_t idx);

#endif
