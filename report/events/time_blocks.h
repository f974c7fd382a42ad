/* time_blocks.h: a recording's time in blocks of equal length, by which samples
 * are told apart.
 *
 *	rpt_time_question_init(&q, reader, &filter);	before the sideband ...
 *	if (rpt_time_question_is_open(&q))
 *		rpt_file_chunks_listen(&chunks, &q.listener);
 *	rpt_timeline_load(tl, reader, &chunks, &err);	... whose pass answers
 *	blocks = rpt_time_blocks_of(&q, nr);
 *
 * They reach from the first sample to the last one, which most files tell
 * (SAMPLE_TIME).  Where one does not (pipes, killed recorders, perf record
 * without build-ids), or only some samples count, the times are looked at on
 * the way through the records that there is anyway.
 */
#ifndef RPT_TIME_BLOCKS_H
#define RPT_TIME_BLOCKS_H

#include "report/events/filter.h"
#include "report/input/file_chunks.h"
#include "report/timeline/address_space.h"

/* nr blocks, each this long, the first one from first_ns; what lies before and
 * behind is in the first and the last.  nr 0: one, of all times. */
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
	bool is_hopeless; /* samples have no times */
	bool is_recorded; /* spans[0] is what the file says */
	/* From when to when samples were taken, by thread; first > last: none
	 * was. */
	struct pd_sample_time spans[RPT_THREADS_MAX];
};

/* reader and filter must outlive the question, which must stay where it is. */
void rpt_time_question_init(struct rpt_time_question *q,
			    const struct pd_reader *reader,
			    const struct rpt_filter *filter);

/* Return true if the records are to be asked. */
static inline bool rpt_time_question_is_open(const struct rpt_time_question *q)
{
	return !q->is_hopeless && !q->is_recorded;
}

/* nr blocks of the answer; one of all times where there is none. */
struct rpt_time_blocks rpt_time_blocks_of(const struct rpt_time_question *q,
					  uint32_t nr);

uint32_t rpt_time_block_at(const struct rpt_time_blocks *blocks,
			   uint64_t time_ns);

/* When it is block idx that rpt_time_block_at() says. */
struct rpt_span rpt_time_block_span(const struct rpt_time_blocks *blocks,
				    uint32_t idx);

#endif
