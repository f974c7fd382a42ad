/* file_chunks.h: the parts of a file that can be read alone, given to several
 * threads.
 *
 *	struct rpt_file_chunks pieces = { .jobs = 0 };
 *	rpt_timeline_load(tl, reader, &pieces, &err);	cuts
 *	rpt_file_chunks_run(&pieces, workers, &err);		reads once more
 */
#ifndef RPT_FILE_CHUNKS_H
#define RPT_FILE_CHUNKS_H

#include "format/feature.h"
#include "format/reader.h"
#include "report/input/sample_rle.h"

#define RPT_CHUNK_LEN ((uint64_t)4 << 20)

/* The time of a sample; 0: it does not count. */
typedef uint64_t rpt_time_fn(const void *ctx, const struct pd_record *rec);

/* From when to when samples were taken. */
struct rpt_time_ask {
	rpt_time_fn *time_of;
	const void *ctx;
	bool counts_all; /* that are not 0, whatever else is in the record */
	struct pd_sample_time span; /* first > last: none counts */
};

struct rpt_file_chunks {
	uint32_t jobs;		  /* threads; 0: as many as there are CPUs */
	struct rpt_time_ask *ask; /* answered as they are cut; NULL: nothing */
	const struct pd_chunk *items; /* in file order; the reader's */
	size_t nr;
	/* Samples will be counted: the first reading encodes them. */
	bool are_counted;
	bool by_raw;			/* by their raw data too */
	struct rpt_sample_rle_set rles; /* rpt_file_chunks_release() */
};

/* Reads piece idx; 0 or a negative errno, which ends this worker. */
typedef int rpt_chunk_fn(void *worker, struct rpt_file_chunks *pieces,
			 size_t idx, struct pd_err *err);

/* Each thread has a worker of its own: nr of them, len bytes each. */
struct rpt_chunk_workers {
	void *items;
	size_t len;
	uint32_t nr;
	rpt_chunk_fn *fn;
};

/* How many threads are of use: 1 at least, and no more than pieces. */
uint32_t rpt_file_chunks_jobs(const struct rpt_file_chunks *pieces);

/* Every piece to one of the workers, each of which gets its pieces in file
 * order; workers.nr <= rpt_file_chunks_jobs().  0, or what the first worker
 * that failed said. */
int rpt_file_chunks_run(struct rpt_file_chunks *pieces,
			const struct rpt_chunk_workers *workers,
			struct pd_err *err);

/* What they own. */
void rpt_file_chunks_release(struct rpt_file_chunks *pieces);

#endif
